// SPDX-License-Identifier: GPL-2.0
/*
 * Records: what a reader gets of one CPU, and of several CPUs together.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include "map.h"
#include "record.h"
#include "sums.h"
#include "window.h"

/**
 * td_record_read() - read the record of a CPU
 * @cpu: possible CPU
 * @fresh: the CPU has just folded, so give the open window
 * @record: written
 */
void td_record_read(int cpu, bool fresh, struct topdown_record *record)
{
	td_map_read(cpu, fresh, record);
	td_figures_ratios(&record->total, record->nodes);
	td_figures_ratios(&record->window, record->nodes);
}

/**
 * td_cpus_sum_begin() - begin an empty sum
 * @total: the sum
 */
void td_cpus_sum_begin(struct td_cpus_sum *total)
{
	memset(total, 0, sizeof(*total));
	total->now = ktime_get_ns();
	total->record.cpu = TOPDOWN_CPU_ALL;
	total->record.state = TOPDOWN_STATE_EXCLUDED;
}

/* Is the last window recent?  That of an offline CPU, or one idle for long, is not. */
static bool td_cpus_sum_wants_window(const struct td_cpus_sum *total,
				     const struct topdown_record *record)
{
	u64 recent = 2ULL * td_window_period() * NSEC_PER_MSEC;

	if (record->state != TOPDOWN_STATE_OK && record->state != TOPDOWN_STATE_CONTENDED &&
	    record->state != TOPDOWN_STATE_ASIDE)
		return false;
	return record->window_time_ns && record->window_time_ns + recent > total->now;
}

/* The nodes that a summand lacks; without slots it has no ratios, but lacks nothing. */
static u32 td_cpus_sum_lacks(const struct topdown_figures *figures)
{
	u32 nodes = td_nodes_of_figures(figures);

	/* Slots without any node, which a CPU did not attribute, lack nothing either. */
	return nodes ? ~nodes : 0;
}

/**
 * td_cpus_sum_add() - add the record of one CPU
 * @total: the sum
 * @record: the record; if the CPU was never measured only its state is added
 */
void td_cpus_sum_add(struct td_cpus_sum *total, const struct topdown_record *record)
{
	struct topdown_record *sum = &total->record;

	sum->state = td_state_worse(sum->state, record->state);
	if (!record->level)
		return;

	if (!sum->nr_cpus) {
		sum->level = record->level;
		sum->nodes = record->nodes;
		sum->kind = record->kind;
		sum->slots_per_cycle = record->slots_per_cycle;
	}
	sum->source = td_source_join(sum->source, record->source);
	if (sum->kind != record->kind)
		sum->kind = TOPDOWN_KIND_MIXED;
	sum->nr_cpus++;
	sum->flags |= record->flags;
	sum->turns = td_turns_more(sum->turns, record->turns);
	sum->clamped |= record->clamped;
	sum->level = min(sum->level, record->level);
	sum->nodes &= record->nodes;
	if (sum->slots_per_cycle != record->slots_per_cycle)
		sum->slots_per_cycle = 0;
	sum->windows += record->windows;
	sum->time_ns = max(sum->time_ns, record->time_ns);
	td_wide_sum_add(&total->total, &record->total);
	total->any |= record->nodes;
	total->total_lacks |= td_cpus_sum_lacks(&record->total);
	if (!td_cpus_sum_wants_window(total, record))
		return;
	total->windows++;
	sum->window_time_ns = max(sum->window_time_ns, record->window_time_ns);
	td_wide_sum_add(&total->window, &record->window);
	total->window_lacks |= td_cpus_sum_lacks(&record->window);
}

/**
 * td_cpus_sum_end() - finish a sum
 * @total: the sum; its record is complete afterwards
 */
void td_cpus_sum_end(struct td_cpus_sum *total)
{
	td_wide_sum_ratios(&total->total, total->any & ~total->total_lacks);
	td_wide_sum_ratios(&total->window, total->any & ~total->window_lacks);
	total->record.total = total->total.figures;
	total->record.window = total->window.figures;
}
