// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the counts of each CPU from one refresh to the next.
 *
 * The record of a busy CPU changes once a period, or more often if other readers ask for
 * fresh counts. It does not change in step with our refreshes, so an interval ends when the
 * record has changed, and stays on the screen until the next interval ends. The record of
 * an idle CPU does not change, because nothing wakes the CPU. A CPU is idle if its record
 * has not changed for two periods.
 */
#include "top-data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "clock.h"

static void clear_figures(struct top_cpu *cpu)
{
	cpu->row.figures = (struct topdown_figures){ 0 };
	td_figures_ratios(&cpu->row.figures, 0);
	cpu->own.rate = 0;
	cpu->row.time_ns = 0;
}

/**
 * top_data_open - make room
 * @data: the caller closes it, unless this fails
 * @nr: number of CPUs
 * @period_ns: the module's period
 * @level: highest level that the machine has
 *
 * Return: 0 or -ENOMEM.
 */
int top_data_open(struct top_data *data, unsigned int nr, uint64_t period_ns,
		  unsigned int level)
{
	unsigned int i;

	data->cpu = calloc(nr, sizeof(*data->cpu));
	if (!data->cpu)
		return -ENOMEM;
	data->nr = nr;
	data->period_ns = period_ns;
	data->level = level < 2 ? level : 2;
	for (i = 0; i < nr; i++) {
		clear_figures(&data->cpu[i]);
		data->cpu[i].row.own = &data->cpu[i].own;
	}
	return 0;
}

/**
 * top_data_close - free
 * @data: data
 */
void top_data_close(struct top_data *data)
{
	free(data->cpu);
	data->cpu = NULL;
	data->nr = 0;
}

static bool is_still(const struct top_data *data, const struct topdown_record *record,
		     uint64_t now_ns)
{
	return now_ns > record->time_ns && now_ns - record->time_ns > 2 * data->period_ns;
}

/**
 * top_data_put - take in the record of a CPU
 * @data: data
 * @cpu: its number
 * @record: its record
 * @now_ns: CLOCK_MONOTONIC
 */
void top_data_put(struct top_data *data, unsigned int cpu,
		  const struct topdown_record *record, uint64_t now_ns)
{
	struct top_cpu *to = &data->cpu[cpu];
	struct row *row = &to->row;
	uint64_t then_ns = to->base.time_ns;

	to->there = true;
	row->kind = ROW_CPU;
	row->cpu = cpu;
	row->state = record->state;
	row->flags = record->flags;
	row->turns = record->turns;
	row->flags_known = true;
	row->source = record->source;
	row->level = record->level < data->level ? record->level : data->level;

	if (!to->based) {
		clear_figures(to);
	} else if (record->time_ns == then_ns) {
		if (is_still(data, record, now_ns))
			clear_figures(to);
		return;
	} else if (topdown_record_between(&to->base, record, row->level, &row->figures)) {
		clear_figures(to);
	} else {
		row->time_ns = data->busy ? record->time_ns - then_ns : 0;
		to->own.rate = row->figures.slots * (double)NS_PER_S / (record->time_ns - then_ns);
		row_expect(row);
		data->nodes |= td_nodes_of_figures(&row->figures);
	}
	to->base = *record;
	to->based = true;
}

/**
 * top_data_read - copy all records from the map
 * @data: data
 * @map: map of as many CPUs
 * @now_ns: CLOCK_MONOTONIC
 *
 * A record that cannot be read now stays as it was.
 */
void top_data_read(struct top_data *data, const struct topdown_map_view *map,
		   uint64_t now_ns)
{
	struct topdown_record record;
	unsigned int cpu;

	for (cpu = 0; cpu < data->nr; cpu++) {
		if (!topdown_map_read_record(map, cpu, &record, sizeof(record), NULL))
			top_data_put(data, cpu, &record, now_ns);
	}
}

/**
 * top_data_total - add up
 * @data: data
 * @cpus: CPUs that count, NULL for all
 * @total: their sum
 *
 * Return: their slots per second.
 */
double top_data_total(const struct top_data *data, const struct cpulist *cpus,
		      struct row *total)
{
	unsigned int i, level = 0, awake = 0;
	double rate = 0;

	memset(total, 0, sizeof(*total));
	td_figures_ratios(&total->figures, 0);
	total->cpu = TOPDOWN_CPU_ALL;
	total->flags_known = true;
	for (i = 0; i < data->nr; i++) {
		const struct top_cpu *cpu = &data->cpu[i];

		if (!cpu->there || !cpu->row.level || (cpus && !cpulist_has(cpus, i)))
			continue;
		if (cpu->row.state == TOPDOWN_STATE_OFFLINE)
			continue;
		total->state = total->nr_cpus ? td_state_worse(total->state, cpu->row.state) :
						cpu->row.state;
		level = !level || cpu->row.level < level ? cpu->row.level : level;
		total->flags |= cpu->row.flags;
		total->turns = td_turns_more(total->turns, cpu->row.turns);
		total->nr_cpus++;
		topdown_figures_add(&total->figures, &cpu->row.figures, level);
		rate += cpu->own.rate;
		total->time_ns += cpu->row.time_ns;
		awake += !!cpu->row.time_ns;
		total->expected_ns += cpu->row.expected_ns;
		total->source = td_source_join(total->source, cpu->row.source);
	}
	total->level = level;
	/* Time passes for the CPUs that sleep, too. */
	if (awake)
		total->time_ns = total->time_ns / awake * total->nr_cpus;
	return rate;
}
