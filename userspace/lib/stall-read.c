// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From the rings to the records of a handle, in the order of their times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stall-decode.h"
#include "stall-sample.h"
#include "stalls.h"

#define TD_CHANGE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_CPU)
/* Marks in a chain, which say whether what follows is kernel or user mode. */
#define TD_CHAIN_MARKS	((uint64_t)PERF_CONTEXT_MAX)

bool td_grow(void *array, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 64;
	void **at = array, *larger;

	if (nr < *room)
		return true;
	larger = realloc(*at, more * size);
	if (!larger)
		return false;
	*at = larger;
	*room = more;
	return true;
}

static int td_event_of(const struct topdown_stalls *stalls, uint64_t id)
{
	size_t from = 0, to = stalls->fds_nr, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (stalls->fds[middle].id == id)
			return stalls->fds[middle].event;
		if (stalls->fds[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return -1;
}

static bool td_knows_pid(const struct topdown_stalls *stalls, uint32_t pid)
{
	unsigned int i;

	for (i = 0; i < stalls->pids_nr; i++) {
		if (stalls->pids[i] == pid)
			return true;
	}
	return false;
}

static int td_add_pid(struct topdown_stalls *stalls, uint32_t pid)
{
	if (!td_grow(&stalls->pids, stalls->pids_nr, &stalls->pids_room, sizeof(pid)))
		return -ENOMEM;
	stalls->pids[stalls->pids_nr++] = pid;
	return 0;
}

static int td_keep_change(struct topdown_stalls *stalls, const struct topdown_stalls_map *map,
			  const char *name)
{
	struct td_stall_change *change;

	if (map->change == TOPDOWN_STALLS_FORKED && stalls->options.pid &&
	    td_knows_pid(stalls, map->parent) && td_add_pid(stalls, map->pid))
		return -ENOMEM;
	if (!(stalls->options.flags & TOPDOWN_STALLS_MAPS))
		return 0;
	if (!td_grow(&stalls->changes, stalls->changes_nr, &stalls->changes_room,
		     sizeof(*change)))
		return -ENOMEM;
	change = &stalls->changes[stalls->changes_nr];
	change->map = *map;
	change->name = strdup(name);
	if (!change->name)
		return -ENOMEM;
	stalls->changes_nr++;
	return 0;
}

static int td_keep_chain(struct td_stall_entry_read *entry, const struct td_chain *chain)
{
	uint64_t i, ip;

	entry->chain_nr = 0;
	entry->chain = NULL;
	if (!chain->nr)
		return 0;
	entry->chain = malloc(chain->nr * sizeof(*entry->chain));
	if (!entry->chain)
		return -ENOMEM;
	for (i = 0; i < chain->nr; i++) {
		memcpy(&ip, chain->ips + i * sizeof(ip), sizeof(ip));
		if (ip < TD_CHAIN_MARKS)
			entry->chain[entry->chain_nr++] = ip;
	}
	return 0;
}

/* What the event alone says, where the sample says nothing. */
static void td_add_what_event_says(struct topdown_stall *stall, const struct td_stall_event *event)
{
	const struct td_stall_spec *spec = event->spec;

	if (!stall->kind || spec->stage == TOPDOWN_STAGE_FETCH)
		stall->kind = spec->kind;
	if (spec->reason == TOPDOWN_REASON_MISPREDICT)
		stall->flags |= TOPDOWN_STALL_MISPREDICTED;
	td_stall_conclude(stall);
	if (!stall->reason && spec->reason) {
		stall->stage = spec->stage;
		stall->reason = spec->reason;
	}
}

/*
 * A turn stands for the turns of the others, which are longer or shorter: when the next one can
 * begin depends on how soon the kernel wakes us up.
 */
static uint64_t td_for_all_turns(const struct topdown_stalls *stalls, unsigned int turn,
				 uint64_t period)
{
	uint64_t all_ns = 0;
	unsigned int i;

	for (i = 0; i < stalls->turns; i++) {
		if (!stalls->took_ns[i])
			return period * stalls->turns;
		all_ns += stalls->took_ns[i];
	}
	return (double)period * all_ns / stalls->took_ns[turn] + 0.5;
}

/* Return: 1 if it is kept, 0 if it is of another process or cannot be read. */
static int td_keep_sample(struct topdown_stalls *stalls, const void *record, size_t len)
{
	struct td_stall_entry_read entry;
	struct td_stall_event *event;
	struct td_chain chain;
	uint64_t id;
	int number;

	if (!td_sample_id(record, len, &id))
		return 0;
	number = td_event_of(stalls, id);
	if (number < 0)
		return 0;
	event = &stalls->event[number];
	if (td_stall_parse(&event->attr, record, len, &entry.stall, &chain))
		return 0;
	entry.stall.event = number;
	entry.stall.has |= TOPDOWN_STALL_HAS_EVENT;
	if (event->turn >= 0)
		entry.stall.period = td_for_all_turns(stalls, event->turn, entry.stall.period);
	td_add_what_event_says(&entry.stall, event);
	if (td_keep_chain(&entry, &chain))
		return -ENOMEM;
	if (!td_grow(&stalls->queue, stalls->queue_nr, &stalls->queue_room,
		     sizeof(entry))) {
		free(entry.chain);
		return -ENOMEM;
	}
	stalls->queue[stalls->queue_nr++] = entry;
	return 1;
}

/* "lost" of PERF_RECORD_LOST comes after an id, that of _LOST_SAMPLES is alone. */
static void td_count_lost(struct topdown_stalls *stalls, const void *record, size_t len,
			  uint32_t type)
{
	size_t at = sizeof(struct perf_event_header) +
		    (type == PERF_RECORD_LOST ? sizeof(uint64_t) : 0);
	uint64_t lost;

	if (len < at + sizeof(lost))
		return;
	memcpy(&lost, (const char *)record + at, sizeof(lost));
	stalls->lost += lost;
}

static int td_keep_record(struct topdown_stalls *stalls, const void *record, size_t len)
{
	struct perf_event_header header;
	struct topdown_stalls_map map;
	const char *name;
	int ret = 0;

	memcpy(&header, record, sizeof(header));
	switch (header.type) {
	case PERF_RECORD_SAMPLE:
		ret = td_keep_sample(stalls, record, len);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		td_count_lost(stalls, record, len, header.type);
		break;
	case PERF_RECORD_THROTTLE:
		stalls->throttled++;
		break;
	default:
		if (td_stall_parse_map(TD_CHANGE_TYPE, record, len, &map, &name))
			ret = td_keep_change(stalls, &map, name);
	}
	return ret < 0 ? ret : 0;
}

static int td_compare_times(const void *left, const void *right)
{
	const struct td_stall_entry_read *a = left, *b = right;

	return a->stall.time_ns < b->stall.time_ns ? -1 : a->stall.time_ns > b->stall.time_ns;
}

/* Of an event that samples whole CPUs, keep the samples of the processes that are meant. */
static void td_drop_others(struct topdown_stalls *stalls)
{
	size_t i, kept = 0;

	for (i = 0; i < stalls->queue_nr; i++) {
		struct td_stall_entry_read *entry = &stalls->queue[i];
		struct td_stall_event *event = &stalls->event[entry->stall.event];

		if (event->wide && !td_knows_pid(stalls, entry->stall.pid)) {
			free(entry->chain);
			continue;
		}
		event->samples++;
		stalls->queue[kept++] = *entry;
	}
	stalls->queue_nr = kept;
}

void td_stalls_forget(struct topdown_stalls *stalls)
{
	for (; stalls->queue_at < stalls->queue_nr; stalls->queue_at++)
		free(stalls->queue[stalls->queue_at].chain);
	for (; stalls->changes_at < stalls->changes_nr; stalls->changes_at++)
		free(stalls->changes[stalls->changes_at].name);
}

/* All records that there are now. The queue is empty before. */
int td_stalls_drain(struct topdown_stalls *stalls)
{
	const void *record;
	unsigned int i;
	size_t len;
	int ret = 0;

	stalls->queue_nr = 0;
	stalls->queue_at = 0;
	for (i = 0; i < stalls->cpus_nr; i++) {
		while (!ret && (record = td_ring_peek(&stalls->rings[i], &len))) {
			ret = td_keep_record(stalls, record, len);
			td_ring_next(&stalls->rings[i], len);
		}
	}
	td_drop_others(stalls);
	if (stalls->queue_nr)
		qsort(stalls->queue, stalls->queue_nr, sizeof(stalls->queue[0]), td_compare_times);
	return ret;
}
