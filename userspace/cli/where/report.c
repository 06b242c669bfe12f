// SPDX-License-Identifier: GPL-2.0
/*
 * What topdown where prints, and what it says of the samples themselves: those that could not be
 * had, those that were lost, and how many there were.
 */
#include <errno.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "symbols.h"
#include "text.h"
#include "where-output.h"

/* Below this share of its time an event had to leave the counter to others. */
#define RUNNING_FULL	0.9
/* Rows without a name that are a smaller share of their node need no advice. */
#define NAMELESS_SHARE	0.1

static bool for_people(const struct where_options *options)
{
	return !options->folded && options->output.format == OUTPUT_TABLE;
}

/* The lines below the table of one of its nodes say why it has no sample. */
static bool is_below_table(const struct where_run *run, const struct topdown_stalls_event *event)
{
	unsigned int i;

	for (i = 0; i < run->domains_nr && for_people(run->options); i++) {
		if (event->nodes & run->domain[i].nodes && where_event_of(&run->domain[i], event))
			return true;
	}
	return false;
}

static void note_missing(const struct where_run *run, const struct topdown_stalls_event *event,
			 const char *why)
{
	if (!is_below_table(run, event))
		message_note("where: no sample of %s: %s", event->name, why);
}

static void note_event(const struct where_run *run, const struct topdown_stalls_event *event)
{
	double running = event->enabled_ns ? (double)event->running_ns / event->enabled_ns : 1;
	char why[WHERE_REASON_SIZE];

	if (where_missing_in(run, event, why, sizeof(why)))
		note_missing(run, event, why);
	else if (event->user)
		message_note("where: %s: kernel mode is left out (CAP_PERFMON, or kernel.perf_event_paranoid at 1 or less)",
			     event->name);
	else if (!event->precise)
		message_note("where: %s: the instruction is near the one that is shown (not precise)",
			     event->name);
	if (event->samples && running < RUNNING_FULL)
		message_note("where: %s had a counter in %.0f%% of its time", event->name,
			     running * 100);
}

static void note_samples(const struct where_run *run)
{
	struct topdown_stalls_event event;
	uint64_t lost = topdown_stalls_lost(run->stalls);
	uint64_t throttled = topdown_stalls_throttled(run->stalls);
	unsigned int i, missed = where_symbols_missed(run->symbols);

	if (lost)
		message_note("where: %llu records were lost, so the shares are those of the others (lower --rate)",
			     (unsigned long long)lost);
	if (run->options->quiet)
		return;
	for (i = 0; !topdown_stalls_event_get(run->stalls, i, &event, sizeof(event)); i++)
		note_event(run, &event);
	if (throttled)
		message_note("where: the kernel slowed events down %llu times (kernel.perf_event_max_sample_rate)",
			     (unsigned long long)throttled);
	if (where_symbols_no_kernel(run->symbols))
		message_note("where: functions of the kernel have no names (kernel.kptr_restrict, CAP_SYSLOG)");
	if (where_symbols_full(run->symbols))
		message_note("where: programs have made more maps than are kept, so some functions have no names");
	if (missed)
		message_note("where: functions of %u file%s have no names: replaced, removed, or in a container that has ended",
			     missed, plural_text(missed));
}

static void put_summary(FILE *file, const struct where_run *run)
{
	char records[GROUPED_SIZE], lost[GROUPED_SIZE];

	grouped_text(records, run->records);
	grouped_text(lost, topdown_stalls_lost(run->stalls));
	fprintf(file, "%.3f s, %s samples, %s lost\n", run->seconds, records, lost);
}

/* No event of the domain is for this node. */
static bool has_event(const struct where_run *run, const struct where_domain *domain,
		      unsigned int node)
{
	struct topdown_stalls_event event;
	unsigned int i;

	for (i = 0; !topdown_stalls_event_get(run->stalls, i, &event, sizeof(event)); i++) {
		if (event.nodes >> node & 1 && !event.error && where_event_of(domain, &event))
			return true;
	}
	return false;
}

static bool is_file(const char *name)
{
	return name[0] == '/' && name[1] != '/';
}

/* All functions of a file without symbols are one row for each reason. */
static void find_nameless(struct where_run *run, const struct where_rows *rows)
{
	const struct where_row *row;
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		row = &rows->row[i];
		if (row->symbol->name || row->share < NAMELESS_SHARE ||
		    row->slots <= run->nameless_slots ||
		    !is_file(where_symbols_object(run->symbols, row->place.object)))
			continue;
		run->nameless = row->place.object;
		run->nameless_slots = row->slots;
	}
}

static void note_nameless(const struct where_run *run)
{
	if (run->nameless_slots > 0 && !run->options->quiet)
		message_note("where: %s has no symbols of functions that lose slots (debug symbols or DEBUGINFOD_URLS name them, --by instruction shows addresses)",
			     where_base(where_symbols_object(run->symbols, run->nameless)));
}

static int put_rows(FILE *file, const struct where_run *run, const struct where_domain *domain,
		    const struct where_rows *rows)
{
	const struct where_options *options = run->options;

	if (options->folded)
		where_folded(file, run, domain, rows);
	else if (options->output.format == OUTPUT_JSON)
		return where_json(file, run, domain, rows);
	else if (options->output.format == OUTPUT_CSV)
		where_csv(file, run, domain, rows);
	else
		where_table(file, run, domain, rows);
	return 0;
}

/* Programs have a row that says why there is no other. */
static int put_no_event(FILE *file, FILE *page, const struct where_run *run,
			const struct where_domain *domain, unsigned int node)
{
	struct where_rows none = {
		.node = node,
		.node_share = topdown_figures_ratio(&domain->figures, node),
		.node_slots = where_node_slots(domain, node),
	};

	if (page)
		where_page_node(page, run, domain, &none);
	if (run->options->folded)
		return 0;
	if (!for_people(run->options))
		return put_rows(file, run, domain, &none);
	fprintf(file, "\n%s: %.1f%% of the slots%s%s; no event that can be had here locates it\n",
		topdown_node_name(node), none.node_share * 100, domain->name ? " of " : "",
		domain->name ? domain->name : "");
	where_missing_lines(file, run, domain, node);
	return 0;
}

/* The node with the most slots is annotated. */
struct hottest {
	bool set;
	struct where_rows rows;
};

static int put_node(FILE *file, FILE *page, struct where_run *run,
		    const struct where_domain *domain, unsigned int node,
		    struct hottest *hottest)
{
	struct where_rows rows;
	int ret;

	if (!has_event(run, domain, node))
		return put_no_event(file, page, run, domain, node);
	ret = where_rows_make(run, domain, node, &rows);
	if (!ret)
		find_nameless(run, &rows);
	if (!ret)
		ret = put_rows(file, run, domain, &rows);
	if (!ret && page)
		where_page_node(page, run, domain, &rows);
	if (ret || !rows.nr || (hottest->set && hottest->rows.node_slots >= rows.node_slots)) {
		where_rows_free(&rows);
		return ret;
	}
	if (hottest->set)
		where_rows_free(&hottest->rows);
	*hottest = (struct hottest){ .set = true, .rows = rows };
	return 0;
}

static int put_domains(FILE *file, FILE *page, struct where_run *run, struct hottest *hottest)
{
	unsigned int i, node, shown = 0;
	int ret = 0;

	for (i = 0; i < run->domains_nr; i++) {
		for (node = 0; node < TD_NR_NODES && !ret; node++) {
			if (!(run->domain[i].nodes >> node & 1))
				continue;
			ret = put_node(file, page, run, &run->domain[i], node, hottest);
			shown++;
		}
	}
	if (!shown && for_people(run->options))
		fputs("no node that loses slots is over its threshold (--node shows one nevertheless)\n",
		      file);
	return ret;
}

static int put_all(FILE *file, FILE *page, struct where_run *run)
{
	struct hottest hottest = { 0 };
	int ret;

	if (for_people(run->options))
		put_summary(file, run);
	else if (run->options->output.format == OUTPUT_CSV && run->options->output.header)
		where_csv_header(file, run->options->output.separator);
	ret = put_domains(file, page, run, &hottest);
	if (!ret && run->options->annotate && hottest.set)
		where_annotate(file, run, &hottest.rows);
	if (hottest.set)
		where_rows_free(&hottest.rows);
	return ret;
}

static int write_all(struct output *output, FILE *page, struct where_run *run)
{
	int ret;

	if (page)
		where_page_begin(page, run);
	ret = put_all(output->file, page, run);
	if (page)
		where_page_end(page);
	if (ret)
		return message_fail(EXIT_RUNTIME, "where: cannot print: %s", strerror(-ret));
	return 0;
}

static int close_page(const char *name, FILE *page)
{
	bool bad = ferror(page);

	if (fclose(page) || bad)
		return message_write(name, errno);
	return 0;
}

/**
 * where_report - print what was found
 * @run: run, after where_figures_end()
 *
 * Return: 0, or an exit code after a message.
 */
int where_report(struct where_run *run)
{
	const char *html = run->options->html;
	struct output output = run->options->output;
	FILE *page = NULL;
	int ret, closed;

	note_samples(run);
	/* Standard output is the command's. */
	output.errors = run->options->argv;
	ret = output_open(&output, run->options->path, false);
	if (ret)
		return ret;
	if (html) {
		page = fopen(html, "we");
		if (!page)
			ret = message_write(html, errno);
	}
	/* The file has the contents of an earlier run until now. */
	if (!ret)
		ret = output_begin(&output);
	if (!ret)
		ret = write_all(&output, page, run);
	if (page) {
		closed = close_page(html, page);
		ret = ret ? ret : closed;
	}
	closed = output_close(&output);
	if (!ret)
		note_nameless(run);
	return ret ? ret : closed;
}
