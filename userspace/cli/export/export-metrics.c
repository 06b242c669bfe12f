// SPDX-License-Identifier: GPL-2.0
/*
 * The families of metrics that topdown export has.
 *
 * They follow Prometheus' rules for exporters: counters in base units for both parts of each
 * ratio, and a sum over the labels of a family that means something. So each level has its own
 * family, and no label has the value "all".
 */
#include "export-metrics.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cgroup-metrics.h"
#include "text.h"

/* A family with one series for each row. */
struct row_family {
	struct export_family family;
	/* Where the number is in struct export_row. */
	size_t offset;
	/* If it is 0, the series is left out. */
	bool known;
	/* The module must have it. */
	uint64_t feature;
};

#define COUNTER(at, name_, unit_, help_) \
	.family = { name_, EXPORT_COUNTER, unit_, help_ }, .offset = offsetof(struct export_row, at)

static const struct row_family row_families[] = {
	{ COUNTER(slots, "topdown_slots", "slots", "Pipeline slots counted while running.") },
	{ COUNTER(enabled_ns, "topdown_enabled_seconds", "seconds",
		  "Time in which the CPUs were to be counted.") },
	{ COUNTER(running_ns, "topdown_running_seconds", "seconds",
		  "Time in which level 1 had the counters.") },
	{ COUNTER(busy_ns, "topdown_busy_seconds", "seconds",
		  "Time in which the CPUs were not idle."), .feature = TOPDOWN_FEATURE_BUSY },
	{ COUNTER(cycles, "topdown_cycles", "cycles", "Cycles in which the CPUs were not halted."),
	  .known = true, .feature = TOPDOWN_FEATURE_CYCLES },
	{ COUNTER(instructions, "topdown_instructions", "instructions",
		  "Instructions that retired in these cycles."),
	  .known = true, .feature = TOPDOWN_FEATURE_CYCLES },
};

static unsigned __int128 number_at(const struct export_row *row, size_t offset)
{
	unsigned __int128 number;

	memcpy(&number, (const char *)row + offset, sizeof(number));
	return number;
}

static void put_gauge(struct export_text *text, const struct export_family *family,
		      uint64_t value)
{
	export_text_family(text, family);
	export_text_sample(text, family);
	export_text_count(text, value);
}

/* Begin a sample of a row. */
static void put_row(struct export_text *text, const struct export_family *family,
		    const struct export_row *row)
{
	char number[NUMBER_SIZE];

	export_text_sample(text, family);
	if (row->cpu != TOPDOWN_CPU_ALL) {
		integer_text(number, row->cpu);
		export_text_label(text, "cpu", number);
	}
	export_text_label(text, "core_type", topdown_kind_name(row->kind));
}

static void put_module(struct export_text *text, const struct export_data *data)
{
	static const struct export_family module = {
		"topdown_module", EXPORT_INFO, NULL, "The module that is loaded.",
	};
	static const struct export_family loaded = {
		"topdown_module_load_time_seconds", EXPORT_GAUGE, "seconds",
		"When the module was loaded, which is when its counters began, since the epoch.",
	};
	static const struct export_family period = {
		"topdown_period_seconds", EXPORT_GAUGE, "seconds",
		"The longest time by which the counters of a busy CPU are late.",
	};
	char instance[24];

	snprintf(instance, sizeof(instance), "%016llx",
		 (unsigned long long)data->info->out_instance);
	export_text_family(text, &module);
	export_text_sample(text, &module);
	export_text_label(text, "version", data->info->out_version);
	export_text_label(text, "codename", data->info->out_codename);
	export_text_label(text, "instance_id", instance);
	export_text_count(text, 1);
	export_text_family(text, &loaded);
	export_text_sample(text, &loaded);
	export_text_count(text, data->loaded_s);
	export_text_family(text, &period);
	export_text_sample(text, &period);
	export_text_ns(text, data->info->out_period_ms * 1000000ULL);
}

static void put_states(struct export_text *text, const struct export_data *data)
{
	static const struct export_family family = {
		"topdown_cpus", EXPORT_GAUGE, NULL, "CPUs in each state.",
	};
	unsigned int state;

	export_text_family(text, &family);
	for (state = 0; state < EXPORT_STATES; state++) {
		export_text_sample(text, &family);
		export_text_label(text, "state", topdown_state_name(state));
		export_text_count(text, data->cpus[state]);
	}
}

static void put_cores(struct export_text *text, const struct export_data *data)
{
	static const struct export_family core = {
		"topdown_core", EXPORT_INFO, NULL, "How the CPUs are measured.",
	};
	static const struct export_family width = {
		"topdown_slots_per_cycle", EXPORT_GAUGE, NULL, "Pipeline width.",
	};
	static const struct export_family turns = {
		"topdown_turns", EXPORT_GAUGE, NULL,
		"Level 1 has the counters in one turn of so many.",
	};
	static const struct export_family expected = {
		"topdown_expected_ratio", EXPORT_GAUGE, "ratio",
		"Part of the time in which level 1 is to have the counters, mean of the CPUs.",
	};
	unsigned int i;

	export_text_family(text, &core);
	for (i = 0; i < data->nr; i++) {
		put_row(text, &core, &data->rows[i]);
		export_text_label(text, "source", topdown_source_name(data->rows[i].source));
		export_text_label(text, "level", data->rows[i].level > 1 ? "2" : "1");
		export_text_count(text, 1);
	}
	export_text_family(text, &width);
	for (i = 0; i < data->nr; i++) {
		if (!data->rows[i].slots_per_cycle)
			continue;
		put_row(text, &width, &data->rows[i]);
		export_text_count(text, data->rows[i].slots_per_cycle);
	}
	export_text_family(text, &turns);
	for (i = 0; i < data->nr; i++) {
		put_row(text, &turns, &data->rows[i]);
		export_text_count(text, data->rows[i].turns);
	}
	export_text_family(text, &expected);
	for (i = 0; i < data->nr; i++) {
		put_row(text, &expected, &data->rows[i]);
		/* It has as many parts as a second has ns. */
		export_text_ns(text, data->rows[i].expected_ppb / data->rows[i].measured);
	}
}

static void put_rows(struct export_text *text, const struct export_data *data,
		     const struct row_family *family)
{
	bool seconds = !strcmp(family->family.unit, "seconds");
	unsigned int i;

	if ((data->info->out_features & family->feature) != family->feature)
		return;
	export_text_family(text, &family->family);
	for (i = 0; i < data->nr; i++) {
		unsigned __int128 number = number_at(&data->rows[i], family->offset);

		if (family->known && !number)
			continue;
		put_row(text, &family->family, &data->rows[i]);
		if (seconds)
			export_text_ns(text, number);
		else
			export_text_count(text, number);
	}
}

static void put_level(struct export_text *text, const struct export_data *data,
		      const struct export_family *family, unsigned int level)
{
	unsigned int i, node;

	export_text_family(text, family);
	for (i = 0; i < data->nr; i++) {
		for (node = 0; node < TOPDOWN_MAX_NODES; node++) {
			if (!export_has_node(data->rows[i].nodes, node, level))
				continue;
			put_row(text, family, &data->rows[i]);
			if (level > 1)
				export_text_node(text, "parent", topdown_node_parent(node));
			export_text_node(text, "node", node);
			export_text_count(text, data->rows[i].node[node]);
		}
	}
}

static void put_counted(struct export_text *text, const struct export_data *data)
{
	static const struct export_family family = {
		"topdown_level2_counted_slots", EXPORT_COUNTER, "slots",
		"Slots in which the children of a level 1 node were counted.",
	};
	unsigned int i, parent;

	export_text_family(text, &family);
	for (i = 0; i < data->nr; i++) {
		for (parent = 0; parent < TOPDOWN_MAX_PARENTS; parent++) {
			if (!export_has_children(data->rows[i].nodes, parent))
				continue;
			put_row(text, &family, &data->rows[i]);
			export_text_node(text, "parent", parent);
			export_text_count(text, data->rows[i].children_slots[parent]);
		}
	}
}

/**
 * export_metrics - all families
 * @text: where to
 * @data: what the module said last
 */
void export_metrics(struct export_text *text, const struct export_data *data)
{
	static const struct export_family up = {
		"topdown_up", EXPORT_GAUGE, NULL, "Whether the module can be read.",
	};
	static const struct export_family build = {
		"topdown_export_build", EXPORT_INFO, NULL, "The program that exports.",
	};
	static const struct export_family level1 = {
		"topdown_level1_slots", EXPORT_COUNTER, "slots",
		"Slots of level 1 nodes, which are parts of topdown_slots_total.",
	};
	static const struct export_family level2 = {
		"topdown_level2_slots", EXPORT_COUNTER, "slots",
		"Slots of level 2 nodes, which are parts of topdown_level2_counted_slots_total.",
	};
	unsigned int i;

	put_gauge(text, &up, data->up);
	export_text_family(text, &build);
	export_text_sample(text, &build);
	export_text_label(text, "version", TOPDOWN_VERSION);
	export_text_count(text, 1);
	if (data->up) {
		put_module(text, data);
		put_states(text, data);
		put_cores(text, data);
		for (i = 0; i < sizeof(row_families) / sizeof(row_families[0]); i++)
			put_rows(text, data, &row_families[i]);
		put_level(text, data, &level1, 1);
		put_level(text, data, &level2, 2);
		put_counted(text, data);
	}
	if (data->cgroups.wanted)
		export_cgroup_metrics(text, &data->cgroups, data->up ? data->info : NULL);
	export_latency_metrics(text, &data->latency);
	export_text_end(text);
}
