// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readings: the records of one READ or of the map, and differences of two readings.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "sums.h"

/* The number of CPUs may grow so often during one update. */
#define TD_UPDATE_TRIES		4
#define TD_RECORDS_MAX		(TOPDOWN_CPUS_WORDS_MAX * 64 + 1)

/* @cpus: the CPUs asked for; without @words, the CPUs that are present */
struct topdown_reading {
	struct topdown *td;
	uint64_t *cpus;
	unsigned int words;
	struct topdown_record *records;
	/* The next update is written here, so that a failed one destroys nothing. */
	struct topdown_record *spare;
	unsigned int room;
	unsigned int spare_room;
	unsigned int nr;
	bool has_total;
	uint64_t time_ns;
	uint32_t *seqs;
	const struct topdown_map_view *mapped;
};

TD_API int topdown_reading_create(struct topdown_reading **out, struct topdown *td,
				  const uint64_t *cpus, unsigned int words)
{
	struct topdown_reading *reading;
	int ret;

	ret = td_check_set(cpus, words);
	if (ret)
		return ret;

	reading = calloc(1, sizeof(*reading));
	if (!reading)
		return -ENOMEM;
	reading->td = td;
	reading->words = words;
	reading->cpus = calloc(words ? words : TOPDOWN_CPUS_WORDS_MAX, sizeof(*cpus));
	if (!reading->cpus)
		goto err_free;
	if (words)
		memcpy(reading->cpus, cpus, words * sizeof(*cpus));
	else
		td_present_cpus(reading->cpus);
	*out = reading;
	return 0;

err_free:
	free(reading);
	return -ENOMEM;
}

TD_API void topdown_reading_destroy(struct topdown_reading *reading)
{
	if (!reading)
		return;
	free(reading->records);
	free(reading->spare);
	free(reading->seqs);
	free(reading->cpus);
	free(reading);
}

static unsigned int td_first_room(const struct topdown_reading *reading)
{
	if (reading->words)
		return td_count_cpus(reading->cpus, reading->words) + 1;
	return reading->td->info.out_nr_cpus + 1;
}

static int td_make_spare(struct topdown_reading *reading, unsigned int room)
{
	struct topdown_record *spare;

	if (reading->spare_room >= room)
		return 0;
	spare = calloc(room, sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	free(reading->spare);
	reading->spare = spare;
	reading->spare_room = room;
	return 0;
}

/* On return @nr is the number of records that were written, or that EMSGSIZE asks for. */
static int td_read_spare(struct topdown_reading *reading, unsigned int flags,
			 unsigned int *nr)
{
	struct topdown_read arg = {
		.size = sizeof(arg),
		.flags = flags,
		.cpus = reading->words ? (uintptr_t)reading->cpus : 0,
		.cpus_words = reading->words,
		.record_size = sizeof(*reading->spare),
		.records = (uintptr_t)reading->spare,
		.nr_records = reading->spare_room,
	};
	int ret;

	ret = td_ioctl(reading->td, TOPDOWN_READ, &arg);
	*nr = arg.nr_records;
	if (!ret && *nr > reading->spare_room)
		return -EPROTO;
	if (ret == -EMSGSIZE && (*nr <= reading->spare_room || *nr > TD_RECORDS_MAX))
		return -EPROTO;
	return ret;
}

static void td_swap(struct topdown_reading *reading)
{
	struct topdown_record *records = reading->records;
	unsigned int room = reading->room;

	reading->records = reading->spare;
	reading->room = reading->spare_room;
	reading->spare = records;
	reading->spare_room = room;
}

/*
 * Leave out CPUs that the machine can have but never had. A virtual machine may be able to
 * get hundreds of them.
 */
static bool td_is_there(const struct topdown_reading *reading,
			const struct topdown_record *record)
{
	if (record->state != TOPDOWN_STATE_OFFLINE || record->time_ns || reading->words)
		return true;
	return record->cpu >= TOPDOWN_CPUS_WORDS_MAX * 64 ||
	       td_has_cpu(reading->cpus, record->cpu);
}

/* Keep those of @nr records whose CPUs are there. */
static unsigned int td_keep(const struct topdown_reading *reading, unsigned int nr)
{
	struct topdown_record *records = reading->records;
	unsigned int i, kept = 0;

	for (i = 0; i < nr; i++) {
		if (!td_is_there(reading, &records[i]))
			continue;
		if (kept < i)
			records[kept] = records[i];
		kept++;
	}
	return kept;
}

TD_API int topdown_reading_update(struct topdown_reading *reading, unsigned int flags)
{
	unsigned int room = reading->room ? reading->room : td_first_room(reading);
	unsigned int tries;
	int ret;

	if (topdown_has(reading->td, TOPDOWN_FEATURE_TOTAL))
		flags |= TOPDOWN_READ_TOTAL;
	for (tries = 0; tries < TD_UPDATE_TRIES; tries++) {
		ret = td_make_spare(reading, room);
		if (ret)
			return ret;
		ret = td_read_spare(reading, flags, &room);
		if (ret != -EMSGSIZE)
			break;
	}
	if (ret)
		return ret;

	td_swap(reading);
	/* The sum comes last and is always kept. */
	room = td_keep(reading, room);
	reading->has_total = room && reading->records[room - 1].cpu == TOPDOWN_CPU_ALL;
	reading->nr = room - reading->has_total;
	reading->time_ns = td_clock_ns(CLOCK_MONOTONIC);
	reading->mapped = NULL;
	return 0;
}

/* Make room for the records and sequence numbers of all CPUs of a map. No number is known yet. */
static int td_begin_map(struct topdown_reading *reading, const struct topdown_map_view *map)
{
	unsigned int nr = topdown_map_nr_cpus(map), i;
	uint32_t *seqs;
	int ret;

	if (reading->mapped == map)
		return 0;
	/* One record more is room for a copy that is not kept. */
	ret = td_make_spare(reading, nr + 1);
	if (ret)
		return ret;
	seqs = realloc(reading->seqs, nr * sizeof(*seqs));
	if (!seqs)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		seqs[i] = TD_SEQ_NONE;
	reading->seqs = seqs;
	td_swap(reading);
	reading->nr = 0;
	reading->has_total = false;
	reading->mapped = map;
	return 0;
}

static bool td_is_asked(const struct topdown_reading *reading, uint32_t cpu)
{
	return !reading->words || (cpu / 64 < reading->words && td_has_cpu(reading->cpus, cpu));
}

/*
 * Update record @n from a CPU of the map, if the CPU is there. A record of this CPU that
 * has not changed is not touched.
 */
static int td_update_mapped(struct topdown_reading *reading, uint32_t cpu, unsigned int *n)
{
	struct topdown_record *record = &reading->records[*n];
	int ret;

	/* If a CPU comes, the later records move up. */
	if (*n >= reading->nr || record->cpu != cpu)
		reading->seqs[cpu] = TD_SEQ_NONE;
	ret = td_map_changed(reading->mapped, cpu, &reading->seqs[cpu], record);
	if (ret)
		return ret;
	/* An entry for a CPU that the machine cannot have is zeroed. */
	if (record->cpu != cpu)
		return reading->words ? -EINVAL : 0;
	*n += td_is_there(reading, record);
	return 0;
}

/* The CPUs count until now, and their records are left in the map. */
static int td_count_mapped(const struct topdown_reading *reading)
{
	struct topdown_read arg = {
		.size = sizeof(arg),
		.flags = TOPDOWN_READ_FRESH | TOPDOWN_READ_MAPPED,
		.cpus = reading->words ? (uintptr_t)reading->cpus : 0,
		.cpus_words = reading->words,
	};

	return td_ioctl(reading->td, TOPDOWN_READ, &arg);
}

TD_API int topdown_reading_update_map(struct topdown_reading *reading,
				      const struct topdown_map_view *map, unsigned int flags)
{
	unsigned int n = 0, cpu;
	int ret;

	ret = flags & ~TOPDOWN_READ_FRESH ? -EINVAL : td_begin_map(reading, map);
	if (!ret && flags)
		ret = td_count_mapped(reading);
	for (cpu = 0; !ret && cpu < topdown_map_nr_cpus(map); cpu++) {
		if (td_is_asked(reading, cpu))
			ret = td_update_mapped(reading, cpu, &n);
	}
	if (ret) {
		reading->mapped = NULL;
		reading->nr = 0;
		return ret;
	}
	reading->nr = n;
	reading->time_ns = td_clock_ns(CLOCK_MONOTONIC);
	return 0;
}

TD_API unsigned int topdown_reading_nr(const struct topdown_reading *reading)
{
	return reading->nr;
}

TD_API __u64 topdown_reading_time(const struct topdown_reading *reading)
{
	return reading->time_ns;
}

TD_API const struct topdown_record *
topdown_reading_record(const struct topdown_reading *reading, unsigned int i)
{
	return i < reading->nr ? &reading->records[i] : NULL;
}

TD_API const struct topdown_record *
topdown_reading_find(const struct topdown_reading *reading, uint32_t cpu)
{
	unsigned int low = 0, high = reading->nr;

	if (cpu == TOPDOWN_CPU_ALL)
		return reading->has_total ? &reading->records[reading->nr] : NULL;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (reading->records[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == reading->nr || reading->records[low].cpu != cpu)
		return NULL;
	return &reading->records[low];
}

/* The record of a CPU: zeros if it has come since, and NULL if it was not asked for. */
static const struct topdown_record *td_before(const struct topdown_reading *then, uint32_t cpu)
{
	static const struct topdown_record nothing;
	const struct topdown_record *record = topdown_reading_find(then, cpu);

	return record || then->words || !then->nr ? record : &nothing;
}

/* CPUs have the same place unless some have come. */
static const struct topdown_record *td_before_at(const struct topdown_reading *then,
						 unsigned int i, uint32_t cpu)
{
	if (i < then->nr && then->records[i].cpu == cpu)
		return &then->records[i];
	return td_before(then, cpu);
}

/* Whether a CPU has not counted at all. */
static bool td_has_slept(const struct topdown_record *then, const struct topdown_record *now)
{
	return now->time_ns == then->time_ns && now->windows == then->windows &&
	       now->total.enabled_ns == then->total.enabled_ns &&
	       now->total.slots == then->total.slots;
}

/*
 * Add up the differences instead of subtracting the sums, because CPUs may have come or
 * gone in between.
 */
static int td_sum_between(const struct topdown_reading *then,
			  const struct topdown_reading *now, unsigned int level,
			  struct topdown_figures *out)
{
	struct td_wide_sum sum = { .slots = 0 };
	uint32_t nodes = td_nodes_of_level(level);
	struct topdown_figures figures;
	unsigned int i;
	int ret;

	for (i = 0; i < now->nr; i++) {
		const struct topdown_record *after = &now->records[i], *before;

		before = td_before_at(then, i, after->cpu);
		if (!before)
			return -ENOENT;
		/* Many CPUs sleep, so this is worth a shortcut. */
		if (td_has_slept(before, after))
			continue;
		ret = td_record_between(before, after, &figures);
		if (ret)
			return ret;
		td_wide_sum_add(&sum, &figures);
		/* Without slots no node can lack a ratio. */
		if (after->level && figures.slots)
			nodes &= after->nodes;
	}
	td_wide_sum_ratios(&sum, nodes);
	*out = sum.figures;
	return 0;
}

TD_API int topdown_reading_between(const struct topdown_reading *then,
				   const struct topdown_reading *now, uint32_t cpu,
				   unsigned int level, struct topdown_figures *out)
{
	const struct topdown_record *before, *after;
	struct topdown_figures figures;
	int ret;

	if (now->time_ns < then->time_ns)
		return -ERANGE;
	if (cpu == TOPDOWN_CPU_ALL)
		return td_sum_between(then, now, level, out);

	before = td_before(then, cpu);
	after = topdown_reading_find(now, cpu);
	if (!before || !after)
		return -ENOENT;
	ret = td_record_between(before, after, &figures);
	if (ret)
		return ret;
	td_figures_ratios(&figures, after->nodes & td_nodes_of_level(level));
	*out = figures;
	return 0;
}
