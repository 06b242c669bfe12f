// SPDX-License-Identifier: GPL-2.0
/*
 * The figures of the module for the time of sampling, and the nodes that are shown.
 */
#include <string.h>

#include "known.h"
#include "refusal.h"
#include "rows.h"
#include "task.h"
#include "where.h"

#define LEVEL	2

static int begin_cpus(struct where_run *run)
{
	const struct where_options *options = run->options;
	const uint64_t *cpus = options->has_cpus ? options->cpus.words : NULL;
	unsigned int words = options->has_cpus ? CPULIST_WORDS : 0;
	int ret;

	ret = topdown_reading_create(&run->then, run->td, cpus, words);
	if (!ret)
		ret = topdown_reading_create(&run->now, run->td, cpus, words);
	if (!ret)
		ret = topdown_reading_update(run->then, TOPDOWN_READ_FRESH);
	return ret ? refusal_read(options->device, -ret) : 0;
}

/**
 * where_figures_begin - count from now on
 * @run: run; of a command, after command_begin()
 *
 * Return: 0, or an exit code after a message.
 */
int where_figures_begin(struct where_run *run)
{
	const struct where_options *options = run->options;
	char what[32];
	int ret;

	if (where_of_cpus(run))
		return begin_cpus(run);
	/* The command has attached itself. */
	if (options->argv) {
		run->session = run->command.session;
		return 0;
	}
	ret = topdown_session_attach(run->td, options->pid, TOPDOWN_ATTACH_CHILDREN,
				     &run->session);
	if (!ret)
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)options->pid);
	return refusal_attach(options->device, what, -ret);
}

static struct where_domain *add_domain(struct where_run *run, const char *name, bool atom,
				       unsigned int source)
{
	struct where_domain *domain = &run->domain[run->domains_nr++];

	*domain = (struct where_domain){ .name = name, .atom = atom, .source = source };
	return domain;
}

/* The figures of the CPUs of a kind; false if there is none. */
static bool sum_kind(struct where_run *run, unsigned int kind, struct topdown_figures *sum,
		     unsigned int *source)
{
	const struct topdown_record *record;
	struct topdown_figures figures;
	unsigned int i;
	bool any = false;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; (record = topdown_reading_record(run->now, i)); i++) {
		if (record->kind != kind || record->source == TOPDOWN_SOURCE_NONE ||
		    topdown_reading_between(run->then, run->now, record->cpu, LEVEL, &figures))
			continue;
		if (any)
			topdown_figures_add(sum, &figures, LEVEL);
		else
			*sum = figures;
		*source = record->source;
		any = true;
	}
	return any;
}

static int end_cpus(struct where_run *run)
{
	static const struct {
		unsigned int kind;
		const char *name;
	} kinds[] = {
		{ TOPDOWN_KIND_ONLY, NULL },
		{ TOPDOWN_KIND_CORE, "P-cores" },
		{ TOPDOWN_KIND_ATOM, "E-cores" },
	};
	int ret = topdown_reading_update(run->now, TOPDOWN_READ_FRESH);
	struct topdown_figures figures;
	unsigned int i, source;

	if (ret)
		return refusal_read(run->options->device, -ret);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (run->domains_nr < WHERE_DOMAINS &&
		    sum_kind(run, kinds[i].kind, &figures, &source))
			add_domain(run, kinds[i].name, kinds[i].kind == TOPDOWN_KIND_ATOM,
				   source)->figures = figures;
	}
	return 0;
}

static int end_session(struct where_run *run)
{
	struct topdown_session_kind kind[TASK_KINDS] = { 0 }, no_kind = { 0 };
	struct topdown_session none = { 0 }, session;
	struct topdown_figures core, atom;
	unsigned int nr = TASK_KINDS;
	int ret;

	ret = topdown_session_read_kinds(run->session, TOPDOWN_SESSION_FRESH, &session,
					 sizeof(session), kind, &nr, sizeof(*kind));
	if (!ret)
		ret = topdown_session_kind_between(&no_kind, &kind[TOPDOWN_KIND_CORE], LEVEL,
						   &core);
	if (!ret)
		ret = topdown_session_kind_between(&no_kind, &kind[TOPDOWN_KIND_ATOM], LEVEL,
						   &atom);
	if (ret)
		return refusal_session(run->options->device, -ret);
	if (core.enabled_ns || atom.enabled_ns) {
		add_domain(run, "P-cores", false, TOPDOWN_SOURCE_PERF_METRICS)->figures = core;
		add_domain(run, "E-cores", true, TOPDOWN_SOURCE_ATOM)->figures = atom;
		return 0;
	}
	ret = topdown_session_between(&none, &session, LEVEL,
				      &add_domain(run, NULL, false, session.out_source)->figures);
	return ret ? refusal_session(run->options->device, -ret) : 0;
}

/* The children of a node say more than the node, if one of them is shown. */
static uint32_t without_parents(uint32_t nodes)
{
	uint32_t out = nodes;
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++) {
		if (nodes >> node & 1 && topdown_node_parent(node) >= 0)
			out &= ~(1U << topdown_node_parent(node));
	}
	return out;
}

static void choose_nodes(struct where_run *run, struct where_domain *domain)
{
	const uint32_t retiring = 1U << TOPDOWN_RETIRING | 1U << TOPDOWN_LIGHT_OPERATIONS;
	struct row row = { .source = domain->source, .figures = domain->figures };
	unsigned int node;

	domain->nodes = run->options->nodes;
	if (!domain->nodes)
		domain->nodes = without_parents(row_over(&row) & ~retiring);
	for (node = 0; node < TD_NR_NODES; node++) {
		if (!topdown_figures_has(&domain->figures, node))
			domain->nodes &= ~(1U << node);
	}
}

/**
 * where_figures_end - count until now, and choose the nodes
 * @run: run
 *
 * Return: 0, or an exit code after a message.
 */
int where_figures_end(struct where_run *run)
{
	int ret = where_of_cpus(run) ? end_cpus(run) : end_session(run);
	unsigned int i;

	for (i = 0; i < run->domains_nr; i++)
		choose_nodes(run, &run->domain[i]);
	return ret;
}
