// SPDX-License-Identifier: GPL-2.0
/*
 * The families of metrics of cgroups.
 *
 * The slots of a cgroup have those of all below it, as cadvisor's figures do.  So a sum over all of
 * a family means nothing; one over containers does.
 */
#include "cgroup-metrics.h"

#include <string.h>

/* A family with one series for each cgroup. */
struct cgroup_family {
	struct export_family family;
	enum export_cgroup_sum sum;
	/* The module must have it. */
	uint64_t feature;
};

static const struct cgroup_family families[] = {
	{ { "topdown_cgroup_slots", EXPORT_COUNTER, "slots",
	    "Pipeline slots of a cgroup and of all below it." }, EXPORT_CGROUP_SLOTS, 0 },
	{ { "topdown_cgroup_enabled_seconds", EXPORT_COUNTER, "seconds",
	    "Time of its tasks on CPUs." }, EXPORT_CGROUP_ENABLED, 0 },
	{ { "topdown_cgroup_running_seconds", EXPORT_COUNTER, "seconds",
	    "Part of that time in which the CPUs counted." }, EXPORT_CGROUP_RUNNING, 0 },
	{ { "topdown_cgroup_switches", EXPORT_COUNTER, NULL,
	    "How often a task got a CPU from a task of another cgroup." },
	  EXPORT_CGROUP_SWITCHES, 0 },
	{ { "topdown_cgroup_cycles", EXPORT_COUNTER, "cycles", "Cycles of its tasks." },
	  EXPORT_CGROUP_CYCLES, TOPDOWN_FEATURE_CYCLES },
	{ { "topdown_cgroup_instructions", EXPORT_COUNTER, "instructions",
	    "Instructions that retired in these cycles." },
	  EXPORT_CGROUP_INSTRUCTIONS, TOPDOWN_FEATURE_CYCLES },
};

/* Begin a sample of a cgroup. */
static void put_cgroup(struct export_text *text, const struct export_family *family,
		       const struct export_cgroup *row)
{
	export_text_sample(text, family);
	export_text_label(text, "id", row->path);
	if (*row->container.pod_uid)
		export_text_label(text, "pod_uid", row->container.pod_uid);
	if (*row->container.id)
		export_text_label(text, "container_id", row->container.id);
}

static void put_family(struct export_text *text, const struct export_cgroups *cgroups,
		       const struct cgroup_family *family)
{
	const struct export_cgroup *row;
	unsigned int i;

	export_text_family(text, &family->family);
	for (i = 0; i < cgroups->nr; i++) {
		row = &cgroups->rows[i];
		put_cgroup(text, &family->family, row);
		if (family->family.unit && !strcmp(family->family.unit, "seconds"))
			export_text_ns(text, row->sum[family->sum]);
		else
			export_text_count(text, row->sum[family->sum]);
	}
}

static void put_level(struct export_text *text, const struct export_cgroups *cgroups,
		      const struct export_family *family, unsigned int level)
{
	unsigned int i, node;

	export_text_family(text, family);
	for (i = 0; i < cgroups->nr; i++) {
		for (node = 0; node < TOPDOWN_MAX_NODES; node++) {
			if (!export_has_node(cgroups->rows[i].nodes, node, level))
				continue;
			put_cgroup(text, family, &cgroups->rows[i]);
			if (level > 1)
				export_text_node(text, "parent", topdown_node_parent(node));
			export_text_node(text, "node", node);
			export_text_count(text, cgroups->rows[i].sum[EXPORT_CGROUP_NODES + node]);
		}
	}
}

static void put_counted(struct export_text *text, const struct export_cgroups *cgroups)
{
	static const struct export_family family = {
		"topdown_cgroup_level2_counted_slots", EXPORT_COUNTER, "slots",
		"Slots of a cgroup in which the children of a level 1 node were counted.",
	};
	const struct export_cgroup *row;
	unsigned int i, parent;

	export_text_family(text, &family);
	for (i = 0; i < cgroups->nr; i++) {
		row = &cgroups->rows[i];
		for (parent = 0; parent < TOPDOWN_MAX_PARENTS; parent++) {
			if (!export_has_children(row->nodes, parent))
				continue;
			put_cgroup(text, &family, row);
			export_text_node(text, "parent", parent);
			export_text_count(text, row->sum[EXPORT_CGROUP_CHILDREN + parent]);
		}
	}
}

static void put_nodes(struct export_text *text, const struct export_cgroups *cgroups)
{
	static const struct export_family level1 = {
		"topdown_cgroup_level1_slots", EXPORT_COUNTER, "slots",
		"Slots of level 1 nodes, which are parts of topdown_cgroup_slots_total.",
	};
	static const struct export_family level2 = {
		"topdown_cgroup_level2_slots", EXPORT_COUNTER, "slots",
		"Slots of level 2 nodes, which are parts of topdown_cgroup_level2_counted_slots_total.",
	};

	put_level(text, cgroups, &level1, 1);
	put_level(text, cgroups, &level2, 2);
	put_counted(text, cgroups);
}

static void put_states(struct export_text *text, const struct export_cgroups *cgroups)
{
	static const struct export_family family = {
		"topdown_cgroups", EXPORT_GAUGE, NULL,
		"Cgroups that ran, by state: left_out ones have no series, and count where their parent does.",
	};
	const struct {
		const char *name;
		unsigned int nr;
	} states[] = {
		{ "shown", cgroups->nr - cgroups->nr_ended },
		{ "ended", cgroups->nr_ended },
		{ "left_out", cgroups->nr_waiting },
	};
	unsigned int i;

	export_text_family(text, &family);
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		export_text_sample(text, &family);
		export_text_label(text, "state", states[i].name);
		export_text_count(text, states[i].nr);
	}
}

static void put_outside(struct export_text *text, const struct export_cgroups *cgroups)
{
	static const struct export_family family = {
		"topdown_cgroups_outside_slots", EXPORT_COUNTER, "slots",
		"Slots of no cgroup: of idle tasks, and of others, for whom the module had no room, or whose time on a CPU it did not read as that is dear.",
	};

	export_text_family(text, &family);
	export_text_sample(text, &family);
	export_text_label(text, "owner", "idle");
	export_text_count(text, cgroups->idle);
	export_text_sample(text, &family);
	export_text_label(text, "owner", "others");
	export_text_count(text, cgroups->others);
}

/**
 * export_cgroup_metrics - the families of cgroups
 * @text: where to
 * @cgroups: cgroups, as they were seen last
 * @info: the module; NULL if it cannot be read now
 */
void export_cgroup_metrics(struct export_text *text, const struct export_cgroups *cgroups,
			   const struct topdown_info *info)
{
	static const struct export_family up = {
		"topdown_cgroups_up", EXPORT_GAUGE, NULL, "Whether cgroups can be read.",
	};
	unsigned int i;

	export_text_family(text, &up);
	export_text_sample(text, &up);
	export_text_count(text, cgroups->up);
	if (!cgroups->up || !info)
		return;
	put_states(text, cgroups);
	put_outside(text, cgroups);
	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if ((info->out_features & families[i].feature) == families[i].feature)
			put_family(text, cgroups, &families[i]);
	}
	put_nodes(text, cgroups);
}
