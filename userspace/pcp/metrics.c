// SPDX-License-Identifier: GPL-2.0
/*
 * The metrics of the agent: names, numbers, help texts and values.
 *
 * All counts are counters that only grow while the module is loaded, so programs of PCP
 * make rates of them, and a ratio is one rate over another.
 */
#include "metrics.h"

#include <string.h>

enum { MODULE_UP, MODULE_VERSION, MODULE_INSTANCE, MODULE_PERIOD, MODULE_NR };

enum {
	CPU_SLOTS, CPU_CYCLES, CPU_INSTRUCTIONS, CPU_ENABLED, CPU_RUNNING, CPU_BUSY, CPU_WINDOWS,
	CPU_STATE, CPU_SOURCE, CPU_NR
};

#define NOTHING	PMDA_PMUNITS(0, 0, 0, 0, 0, 0)
#define COUNT	PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)
#define NSEC	PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_NSEC, 0)
#define MSEC	PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_MSEC, 0)

static const struct {
	unsigned int cluster;
	unsigned int item;
	int type;
	int sem;
	pmUnits units;
	struct metric metric;
} fixed[] = {
	{ CLUSTER_MODULE, MODULE_UP, PM_TYPE_U32, PM_SEM_INSTANT, NOTHING, {
		"up", "whether the module gives figures of CPUs",
		"1 if the module is loaded and this agent may read all CPUs, 0 if not." } },
	{ CLUSTER_MODULE, MODULE_VERSION, PM_TYPE_STRING, PM_SEM_DISCRETE, NOTHING, {
		"version", "version of the module", "The version of the topdown kernel module." } },
	{ CLUSTER_MODULE, MODULE_INSTANCE, PM_TYPE_U64, PM_SEM_DISCRETE, NOTHING, {
		"instance", "differs each time that the module is loaded",
		"A random number, never 0. If it has changed, counts may be smaller than before.",
	} },
	{ CLUSTER_MODULE, MODULE_PERIOD, PM_TYPE_U32, PM_SEM_DISCRETE, MSEC, {
		"period", "longest time a busy CPU keeps a window open",
		"Counts of a busy CPU are at most so old. Take samples at least ten times as far apart.",
	} },
	{ CLUSTER_CPU, CPU_SLOTS, PM_TYPE_U64, PM_SEM_COUNTER, COUNT, {
		"slots", "pipeline slots",
		"The pipeline slots that were counted, not scaled up to time.enabled." } },
	{ CLUSTER_CPU, CPU_CYCLES, PM_TYPE_U64, PM_SEM_COUNTER, COUNT, {
		"cycles", "cycles in which the CPU was not halted",
		"No value if the module does not count them. They have counters of their own." } },
	{ CLUSTER_CPU, CPU_INSTRUCTIONS, PM_TYPE_U64, PM_SEM_COUNTER, COUNT, {
		"instructions", "instructions that retired in topdown.cycles",
		"Over topdown.cycles they are the instructions per cycle (IPC)." } },
	{ CLUSTER_CPU, CPU_ENABLED, PM_TYPE_U64, PM_SEM_COUNTER, NSEC, {
		"time.enabled", "time in which the CPU was online and measured",
		"It grows when a window ends or is read, so in steps on an idle CPU." } },
	{ CLUSTER_CPU, CPU_RUNNING, PM_TYPE_U64, PM_SEM_COUNTER, NSEC, {
		"time.running", "the part of time.enabled in which slots were counted",
		"Over time.enabled it is the share of the time that the slots are of." } },
	{ CLUSTER_CPU, CPU_BUSY, PM_TYPE_U64, PM_SEM_COUNTER, NSEC, {
		"time.busy", "the part of time.enabled in which the CPU was not idle",
		"No value if the module is too old for it." } },
	{ CLUSTER_CPU, CPU_WINDOWS, PM_TYPE_U64, PM_SEM_COUNTER, COUNT, {
		"windows",
		"windows that were closed", "Counts are added up at each end of a window." } },
	{ CLUSTER_CPU, CPU_STATE, PM_TYPE_STRING, PM_SEM_INSTANT, NOTHING, {
		"state", "how the CPU is measured now",
		"ok, offline, unsupported, contended, error, excluded or aside: see topdown(4).",
	} },
	{ CLUSTER_CPU, CPU_SOURCE, PM_TYPE_STRING, PM_SEM_DISCRETE, NOTHING, {
		"source", "what the CPU is measured with",
		"perf_metrics, generic, fallback, atom, amd or none: see topdown(4)." } },
};

#define FIXED_NR	(sizeof(fixed) / sizeof(fixed[0]))
/* Parent n is node n, as long as no other level 1 node has children. */
#define PARENTS		(TOPDOWN_BACKEND_BOUND + 1)
#define METRICS_MAX	(FIXED_NR + TOPDOWN_MAX_NODES + PARENTS)

static struct metric names[METRICS_MAX];
static pmdaMetric table[METRICS_MAX];
static unsigned int nr_metrics;

static struct metric *add(unsigned int cluster, unsigned int item, int type, int sem,
			  pmUnits units)
{
	struct metric *name = &names[nr_metrics];

	table[nr_metrics++] = (pmdaMetric){
		.m_user = name,
		.m_desc = {
			.pmid = PMDA_PMID(cluster, item),
			.type = type,
			.indom = cluster == CLUSTER_MODULE ? PM_INDOM_NULL : INDOM_CPUS,
			.sem = sem,
			.units = units,
		},
	};
	return name;
}

static void add_node(unsigned int node)
{
	const char *name = topdown_node_name(node) + strlen("tma_");
	unsigned int level = topdown_node_level(node);
	int parent = topdown_node_parent(node);
	pmUnits count = COUNT;
	struct metric *metric;

	metric = add(level == 1 ? CLUSTER_LEVEL1 : CLUSTER_LEVEL2, node, PM_TYPE_U64,
		     PM_SEM_COUNTER, count);
	snprintf(metric->name, sizeof(metric->name), "level%u.%s", level, name);
	if (parent < 0) {
		snprintf(metric->oneline, sizeof(metric->oneline), "slots of the node tma_%s",
			 name);
		metric->help = "Its rate over the rate of topdown.slots is the ratio of the node.";
	} else {
		snprintf(metric->oneline, sizeof(metric->oneline),
			 "slots of the node tma_%s, of %s",
			 name, topdown_node_name(parent));
		metric->help =
			"Its rate over the parent's in topdown.children is the ratio.";
	}
	if (node >= PARENTS)
		return;
	metric = add(CLUSTER_CHILDREN, node, PM_TYPE_U64, PM_SEM_COUNTER, count);
	snprintf(metric->name, sizeof(metric->name), "children.%s", name);
	snprintf(metric->oneline, sizeof(metric->oneline),
		 "slots in which the children of tma_%s were counted", name);
	metric->help =
		"As many as topdown.slots, unless they were counted for a part of the time.";
}

unsigned int metrics_make(pmdaMetric **metrics)
{
	unsigned int i;

	nr_metrics = 0;
	for (i = 0; i < FIXED_NR; i++)
		*add(fixed[i].cluster, fixed[i].item, fixed[i].type, fixed[i].sem,
		     fixed[i].units) = fixed[i].metric;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		if (topdown_node_name(i))
			add_node(i);
	}
	*metrics = table;
	return nr_metrics;
}

const struct metric *metrics_find(pmID id)
{
	unsigned int i;

	for (i = 0; i < nr_metrics; i++) {
		if (pmID_cluster(table[i].m_desc.pmid) == pmID_cluster(id) &&
		    pmID_item(table[i].m_desc.pmid) == pmID_item(id))
			return table[i].m_user;
	}
	return NULL;
}

/* Print those that have a name of this prefix, and a list of the groups if it has none. */
static void print_group(FILE *out, unsigned int domain, const char *prefix)
{
	static const char * const groups[] = { "time", "level1", "level2", "children" };
	size_t length = strlen(prefix), i;

	fprintf(out, "topdown%s%.*s {\n", length ? "." : "", length ? (int)length - 1 : 0, prefix);
	for (i = 0; i < nr_metrics; i++) {
		const char *name = names[i].name;

		if (!strncmp(name, prefix, length) && !strchr(name + length, '.'))
			fprintf(out, "    %s\t%u:%u:%u\n", name + length, domain,
				pmID_cluster(table[i].m_desc.pmid),
				pmID_item(table[i].m_desc.pmid));
	}
	for (i = 0; !length && i < sizeof(groups) / sizeof(groups[0]); i++)
		fprintf(out, "    %s\n", groups[i]);
	fprintf(out, "}\n\n");
}

void metrics_print_names(FILE *out, unsigned int domain)
{
	print_group(out, domain, "");
	print_group(out, domain, "time.");
	print_group(out, domain, "level1.");
	print_group(out, domain, "level2.");
	print_group(out, domain, "children.");
}

void metrics_print_ratios(FILE *out)
{
	unsigned int node;

	for (node = 0; node < TOPDOWN_MAX_NODES; node++) {
		const char *name = topdown_node_name(node);
		int parent = topdown_node_parent(node);
		const char *whole = parent < 0 ? "slots" : "children.";

		if (!name)
			continue;
		name += strlen("tma_");
		fprintf(out, "topdown.ratio.%s = rate(topdown.level%u.%s) / rate(topdown.%s%s)\n",
			name,
			topdown_node_level(node), name, whole,
			parent < 0 ? "" : topdown_node_name(parent) + strlen("tma_"));
		fprintf(out, "topdown.ratio.%s(oneline) = ratio of the node tma_%s, 0 to 1\n", name,
			name);
	}
	fputs("topdown.ratio.running = rate(topdown.time.running) / rate(topdown.time.enabled)\n",
	      out);
	fputs("topdown.ratio.running(oneline) = share of the time that the slots are of, 0 to 1\n",
	      out);
	fputs("topdown.ipc = rate(topdown.instructions) / rate(topdown.cycles)\n", out);
	fputs("topdown.ipc(oneline) = instructions per cycle\n", out);
}

static int module_value(const struct snapshot *snapshot, unsigned int item, pmAtomValue *atom)
{
	const struct topdown_info *info = &snapshot->info;

	if (item >= MODULE_NR)
		return PM_ERR_PMID;
	if (item == MODULE_UP) {
		atom->ul = !snapshot->error;
		return PMDA_FETCH_STATIC;
	}
	/* The size is 0 where nobody answered. */
	if (!info->size)
		return PMDA_FETCH_NOVALUES;
	if (item == MODULE_VERSION)
		atom->cp = (char *)info->out_version;
	else if (item == MODULE_INSTANCE)
		atom->ull = info->out_instance;
	else
		atom->ul = info->out_period_ms;
	return PMDA_FETCH_STATIC;
}

static int cpu_value(const struct snapshot *snapshot, const struct topdown_record *record,
		     unsigned int item, pmAtomValue *atom)
{
	const struct topdown_figures *total = &record->total;
	__u64 features = snapshot->info.out_features;

	switch (item) {
	case CPU_SLOTS:
		atom->ull = total->slots;
		break;
	case CPU_CYCLES:
		atom->ull = total->cycles;
		return total->cycles ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case CPU_INSTRUCTIONS:
		atom->ull = total->instructions;
		return total->cycles ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case CPU_ENABLED:
		atom->ull = total->enabled_ns;
		break;
	case CPU_RUNNING:
		atom->ull = total->running_ns;
		break;
	case CPU_BUSY:
		atom->ull = total->busy_ns;
		return features & TOPDOWN_FEATURE_BUSY ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case CPU_WINDOWS:
		atom->ull = record->windows;
		break;
	case CPU_STATE:
		atom->cp = (char *)topdown_state_name(record->state);
		break;
	case CPU_SOURCE:
		atom->cp = (char *)topdown_source_name(record->source);
		break;
	default:
		return PM_ERR_PMID;
	}
	return PMDA_FETCH_STATIC;
}

/* A node that is not counted now keeps its count; one that the CPU lacks has none. */
static int node_value(const struct topdown_record *record, unsigned int node, pmAtomValue *atom)
{
	if (node >= TOPDOWN_MAX_NODES)
		return PM_ERR_PMID;
	atom->ull = record->total.node[node];
	if (!(record->nodes >> node & 1) && !atom->ull)
		return PMDA_FETCH_NOVALUES;
	return PMDA_FETCH_STATIC;
}

int metrics_value(const struct snapshot *snapshot, unsigned int cluster, unsigned int item,
		  unsigned int inst, pmAtomValue *atom)
{
	const struct topdown_record *record;

	if (cluster == CLUSTER_MODULE)
		return module_value(snapshot, item, atom);
	record = snapshot_find(snapshot, inst);
	if (!record)
		return PM_ERR_INST;
	switch (cluster) {
	case CLUSTER_CPU:
		return cpu_value(snapshot, record, item, atom);
	case CLUSTER_LEVEL1:
	case CLUSTER_LEVEL2:
		return node_value(record, item, atom);
	case CLUSTER_CHILDREN:
		if (item >= PARENTS)
			return PM_ERR_PMID;
		atom->ull = record->total.children_slots[item];
		return PMDA_FETCH_STATIC;
	default:
		return PM_ERR_PMID;
	}
}
