// SPDX-License-Identifier: GPL-2.0
/*
 * The meter of a CPU that has PERF_METRICS: one group of SLOTS and the metrics.
 *
 * PERF_METRICS holds fractions of eight bits, each of the slots since the last reset.  One
 * step is 1/255 of all these slots, so the register must be reset often, and together with
 * SLOTS: at the end of a window, when the group gets its counters (group.c), and where a part
 * within a window would not be exact enough.  For that td_group_fold() reads the leader, and the
 * driver then reads both registers and writes 0 to them.  All other folds are points: they read
 * both registers and take the difference to the point before.  See docs/architecture.md.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "group.h"
#include "mark.h"
#include "meter.h"
#include "metrics.h"
#include "model.h"
#include "perfmetrics.h"
#include "refine.h"

/*
 * Retired instructions on fixed counter 0, and on no other: this is the driver's code for
 * INST_RETIRED.PREC_DIST.  Cycles in which the CPU was not halted are on fixed counter 1,
 * or on a general one while somebody has that, as the NMI watchdog.
 */
#define TD_EVENT_INSTRUCTIONS	0x0100
#define TD_EVENT_CYCLES		0x003c

/**
 * struct td_perfmetrics - a meter with PERF_METRICS
 * @meter: the meter, with one group
 * @refine: how general counters refine it
 * @running: td_group_running() at the last fold; used on the CPU with interrupts off, as
 *	the fields below
 * @counts: counts of the group at the last reset
 * @base: counts of the group at the begin of the open window
 * @noted: slots of the open window as of the last fold
 * @node: slots of each node then
 * @quant: how the CPU makes its bytes
 * @cycles: counts of the group of instructions and cycles at that time
 */
struct td_perfmetrics {
	struct td_meter meter;
	struct td_refine refine;
	u64 running;
	struct td_counts counts;
	struct td_counts base;
	u64 noted;
	u64 node[TD_NODES_METRICS];
	struct td_quant quant;
	u64 cycles[TD_CYCLES_EVENTS];
};

/* perf's names, in the order of the group: SLOTS, then the metrics (group.c). */
static const struct {
	const char *name;
	u64 config;
} td_perfmetrics_names[1 + TD_METRIC_NR] = {
	{ "slots", 0x400 },
	{ "topdown-retiring", 0x8000 },
	{ "topdown-bad-spec", 0x8100 },
	{ "topdown-fe-bound", 0x8200 },
	{ "topdown-be-bound", 0x8300 },
	{ "topdown-heavy-ops", 0x8400 },
	{ "topdown-br-mispredict", 0x8500 },
	{ "topdown-fetch-lat", 0x8600 },
	{ "topdown-mem-bound", 0x8700 },
};

static struct td_perfmetrics *td_perfmetrics_of(struct td_meter *meter)
{
	return container_of(meter, struct td_perfmetrics, meter);
}

/* Neither counter is ever reset, so other folds do not depend on this one. */
static void td_perfmetrics_fold_cycles(struct td_perfmetrics *own,
				       struct topdown_sums *sums)
{
	u64 delta[TD_CYCLES_EVENTS];

	if (!own->meter.cycles.nr)
		return;
	td_group_fold_general(&own->meter.cycles, own->cycles, delta);
	sums->instructions = delta[0];
	sums->cycles = delta[1];
}

/* A window begins. */
static void td_perfmetrics_open(struct td_perfmetrics *own)
{
	own->base = own->counts;
	own->noted = 0;
	memset(own->node, 0, sizeof(own->node));
}

static void td_perfmetrics_begin(struct td_meter *meter, u64 now)
{
	struct td_perfmetrics *own = td_perfmetrics_of(meter);
	u64 unseen_cycles[TD_CYCLES_EVENTS];
	struct td_counts unseen;

	own->running = td_group_running(&meter->group[0], now);
	td_group_fold(&meter->group[0], &own->counts, &unseen);
	td_perfmetrics_open(own);
	if (own->refine.formula)
		td_refine_begin(&own->refine, &meter->group[0]);
	if (meter->cycles.nr)
		td_group_fold_general(&meter->cycles, own->cycles, unseen_cycles);
}

/* Note the slots of the open window, and write the part since the last fold. */
static void td_perfmetrics_note(struct td_perfmetrics *own, const struct td_counts *window,
				struct topdown_sums *sums)
{
	struct td_counts counts = *window;
	u64 node[TOPDOWN_MAX_NODES];
	unsigned int i, nodes = own->meter.level > 1 ? TD_NODES_METRICS : TD_METRIC_L1;

	sums->slots = counts.slots - own->noted;
	own->noted = counts.slots;
	td_counts_apply(&counts, &own->quant, own->meter.level, node);
	for (i = 0; i < nodes; i++) {
		sums->node[i] = node[i] - own->node[i];
		own->node[i] = node[i];
	}
}

/*
 * Fold with a reset.  What the CPU does to its bytes is learnt from the counts since the last
 * one, because over several resets its effect is the mean.
 */
static void td_perfmetrics_reset(struct td_perfmetrics *own, struct td_part *part, s64 ran,
				 enum td_fold how)
{
	struct td_counts delta = { }, window, *judged = how == TD_FOLD_CLOSE ? &window : &delta;
	enum td_bytes bytes;

	td_group_fold(&own->meter.group[0], &own->counts, &delta);
	window = own->counts;
	td_counts_sub(&window, &own->base);
	bytes = td_counts_judge(judged, &own->quant);
	td_quant_learn(&own->quant, &delta);
	td_perfmetrics_note(own, &window, &part->sums);
	if (how == TD_FOLD_CLOSE)
		td_perfmetrics_open(own);
	if (how == TD_FOLD_POINT)
		return;
	part->odd = bytes != TD_BYTES_RIGHT;
	if (unlikely(part->odd || judged->slots < TD_DOUBT_MIN_SLOTS))
		part->doubt = td_doubt_metrics(bytes, judged->slots, max_t(s64, ran, 0));
}

/* The formulas that refine are not linear, so each part is refined by itself. */
static void td_perfmetrics_refined(struct td_perfmetrics *own, struct td_part *part, s64 ran)
{
	const struct td_group *group = &own->meter.group[0];
	struct topdown_sums *sums = &part->sums;
	struct td_counts delta = { };
	enum td_bytes bytes;

	td_group_fold(group, &own->counts, &delta);
	sums->slots = delta.slots;
	bytes = td_counts_fold(&delta, &own->quant, own->meter.level, sums->node);
	part->clamped = td_refine_fold(&own->refine, group, &delta, sums->node);
	part->odd = bytes != TD_BYTES_RIGHT;
	if (unlikely(part->odd || sums->slots < TD_DOUBT_MIN_SLOTS))
		part->doubt = td_doubt_metrics(bytes, sums->slots, max_t(s64, ran, 0));
}

static s64 td_perfmetrics_fold(struct td_meter *meter, u64 now, struct td_part *part,
			       enum td_fold how)
{
	struct td_perfmetrics *own = td_perfmetrics_of(meter);
	u64 running = td_group_running(&meter->group[0], now);
	s64 ran = running - own->running;
	struct td_counts counts = { };

	own->running = running;
	part->clamped = 0;
	part->doubt = TD_DOUBT_NONE;
	part->odd = false;
	td_perfmetrics_fold_cycles(own, &part->sums);
	if (unlikely(own->refine.formula)) {
		td_perfmetrics_refined(own, part, ran);
	} else if (how == TD_FOLD_POINT &&
		   td_group_point(&meter->group[0], TD_POINT_SLOTS, &counts)) {
		td_counts_sub(&counts, &own->base);
		td_perfmetrics_note(own, &counts, &part->sums);
	} else {
		td_perfmetrics_reset(own, part, ran, how);
	}
	return ran;
}

/**
 * td_perfmetrics_take_any() - td_perfmetrics_take(), whatever the driver has done since
 * @meter: as there
 * @most: as there
 * @noted: as there
 * @sums: as there; NULL to leave out what was counted
 *
 * Return: false if a point is due, which resets PERF_METRICS; then slots and metrics are not added.
 */
bool td_perfmetrics_take_any(const struct td_meter *meter, u64 most, struct td_noted *noted,
			     struct topdown_sums *sums)
{
	const struct td_group *general = &meter->cycles;
	bool active;

	if (general->nr) {
		active = td_group_active(general);
		td_tally_counted(general->event[0], active, &noted->cycles[0],
				 sums ? &sums->instructions : NULL);
		td_tally_counted(general->event[1], active, &noted->cycles[1],
				 sums ? &sums->cycles : NULL);
	}
	return td_group_take_counted(&meter->group[0], most, &noted->mark,
				     sums ? &sums->slots : NULL, sums ? sums->node : NULL);
}

/**
 * td_perfmetrics_quant() - how a CPU makes its bytes
 * @meter: meter of this kind
 *
 * Return: what is known so far.
 */
const struct td_quant *td_perfmetrics_quant(const struct td_meter *meter)
{
	return &container_of(meter, struct td_perfmetrics, meter)->quant;
}

/* The driver's counts, before any correction. */
static void td_perfmetrics_events(const struct td_meter *meter, struct td_events *events)
{
	const struct td_perfmetrics *own = container_of(meter, struct td_perfmetrics, meter);
	const struct td_event *event;
	unsigned int i;

	events->nr = 0;
	for (i = 0; i < meter->group[0].fixed; i++)
		events->event[events->nr++] = (struct td_event_count){
			td_perfmetrics_names[i].name, td_perfmetrics_names[i].config,
			i ? own->counts.metric[i - 1] : own->counts.slots,
		};
	for (i = 0; (event = td_refine_event(&own->refine, i)); i++)
		events->event[events->nr++] = (struct td_event_count){
			event->name, event->config, own->refine.counted[i],
		};
}

static void td_perfmetrics_describe(const struct td_meter *meter, char *text, size_t size)
{
	const struct td_perfmetrics *own = container_of(meter, struct td_perfmetrics, meter);

	snprintf(text, size, "perf_metrics, level %u: the CPU has PERF_METRICS%s",
		 meter->level, own->refine.note);
}

static const struct td_meter_ops td_perfmetrics_ops = {
	.begin		= td_perfmetrics_begin,
	.fold		= td_perfmetrics_fold,
	.events		= td_perfmetrics_events,
	.describe	= td_perfmetrics_describe,
};

/* Make the group with level 2, or with level 1 if the CPU has no more. */
static int td_perfmetrics_make(struct td_meter *meter)
{
	int ret = -EINVAL;

	for (meter->level = 2; meter->level > 0; meter->level--) {
		ret = td_group_create(&meter->group[0], meter->cpu, meter->level,
				      td_meter_pinned());
		if (!ret)
			meter->nr = 1;
		if (!ret || !td_meter_lacks_events(ret))
			break;
	}
	return ret;
}

/*
 * Make the group of instructions and cycles, if it can stand aside (aside.c).  Without it
 * a CPU is measured all the same.
 */
static void td_perfmetrics_make_cycles(struct td_meter *meter)
{
	if (!td_meter_cycles() || td_meter_pinned())
		return;
	if (td_group_begin(&meter->cycles, meter->cpu, PERF_TYPE_RAW, TD_EVENT_INSTRUCTIONS,
			   false))
		return;
	if (td_group_extend(&meter->cycles, meter->cpu, TD_EVENT_CYCLES))
		td_group_destroy(&meter->cycles);
}

/**
 * td_perfmetrics_create() - make the group of SLOTS and PERF_METRICS, not yet counting
 * @model: row of the CPU
 * @cpu: the CPU, which cannot pass our hotplug teardown meanwhile
 *
 * Return: the meter; as a pointer -EINVAL or -ENOENT if the CPU has no PERF_METRICS, or
 * another errno.
 */
struct td_meter *td_perfmetrics_create(const struct td_model *model, int cpu)
{
	struct td_perfmetrics *own = kzalloc(sizeof(*own), GFP_KERNEL);
	struct td_meter *meter = &own->meter;
	int ret;

	/* td_meter_destroy() frees all of it by a pointer to the meter. */
	BUILD_BUG_ON(offsetof(struct td_perfmetrics, meter));
	if (!own)
		return ERR_PTR(-ENOMEM);
	meter->ops = &td_perfmetrics_ops;
	meter->cpu = cpu;
	meter->model = model;
	meter->source = TOPDOWN_SOURCE_PERF_METRICS;
	meter->ok_percent = TD_OK_PERCENT;
	ret = td_perfmetrics_make(meter);
	if (!ret)
		ret = td_refine_create(&own->refine, model, &meter->group[0], cpu);
	if (ret) {
		td_meter_destroy(meter);
		return ERR_PTR(ret);
	}
	td_perfmetrics_make_cycles(meter);
	ret = td_meter_finish(meter);
	if (ret) {
		td_meter_destroy(meter);
		return ERR_PTR(ret);
	}
	meter->nodes = meter->level > 1 ? TD_NODES_METRICS_L2 : TD_NODES_METRICS_L1;
	meter->nodes_possible = meter->nodes;
	meter->flags = own->refine.formula ? TOPDOWN_RECORD_REFINED : 0;
	meter->linear = !own->refine.formula;
	return meter;
}
