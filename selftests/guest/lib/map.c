// SPDX-License-Identifier: GPL-2.0
/*
 * Readers of the map of /dev/topdown.
 *
 * They follow the words of linux/topdown.h and not the library, so that a
 * mistake in one of the two shows.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "map.h"

/* A writer whose virtual CPU has been taken away may be long. */
#define STUCK_NS	20000000000ULL
/* Time for a window of the shortest period, on a machine that has much else to do. */
#define WINDOW_NS	50000000ULL
#define WAIT_MS		20000

int map_open(struct map *map)
{
	struct topdown_info info;
	void *at;
	int ret;

	map->fd = device_open();
	if (map->fd < 0)
		return map->fd;
	ret = device_info(map->fd, &info);
	if (!ret) {
		map->size = info.out_map_size;
		at = mmap(NULL, map->size, PROT_READ, MAP_SHARED, map->fd, 0);
		if (at != MAP_FAILED) {
			map->header = at;
			return 0;
		}
		ret = -errno;
	}
	close(map->fd);
	return ret;
}

void map_close(struct map *map)
{
	munmap((void *)map->header, map->size);
	close(map->fd);
}

static const void *map_at(const struct map *map, uint64_t offset)
{
	return (const char *)map->header + offset;
}

const struct topdown_map_record *map_entry(const struct map *map, unsigned int cpu)
{
	const struct topdown_map *header = map->header;

	return map_at(map, header->record_offset + (uint64_t)cpu * header->record_stride);
}

const struct topdown_map_window *map_slot(const struct map *map, unsigned int cpu,
					  uint64_t number)
{
	const struct topdown_map *header = map->header;
	uint64_t index = (uint64_t)cpu * header->history_entries +
			 (number - 1) % header->history_entries;

	return map_at(map, header->history_offset + index * header->history_stride);
}

void map_read_unguarded(const struct map *map, unsigned int cpu,
			struct topdown_map_record *copy)
{
	copy_words(copy, map_entry(map, cpu), sizeof(*copy));
}

void map_slot_unguarded(const struct topdown_map_window *slot, struct topdown_map_window *window)
{
	copy_words(window, slot, sizeof(*window));
}

bool map_read(const struct map *map, unsigned int cpu, struct topdown_map_record *copy)
{
	const struct topdown_map_record *entry = map_entry(map, cpu);
	uint64_t begun = 0;
	__u32 seq;

	for (;;) {
		seq = __atomic_load_n(&entry->seq, __ATOMIC_ACQUIRE);
		copy_words(copy, entry, sizeof(*copy));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(seq & 1) && __atomic_load_n(&entry->seq, __ATOMIC_RELAXED) == seq)
			return true;
		if (!begun)
			begun = clock_ns(CLOCK_MONOTONIC);
		else if (clock_ns(CLOCK_MONOTONIC) - begun > STUCK_NS)
			return false;
		sched_yield();
	}
}

enum map_found map_window(const struct map *map, unsigned int cpu, uint64_t number,
			  struct topdown_map_window *window)
{
	const struct topdown_map_window *slot = map_slot(map, cpu, number);
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);
	struct topdown_map_record copy;
	uint64_t before, after;

	for (;;) {
		before = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
		copy_words(window, slot, sizeof(*window));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&slot->number, __ATOMIC_RELAXED);
		if (before == number && after == number)
			return MAP_FOUND;
		if (before > number || after > number)
			return MAP_OVERWRITTEN;
		/* A 0: the slot is being written, or has no window yet. */
		if (!map_read(map, cpu, &copy))
			return MAP_STUCK;
		if (copy.windows < number)
			return MAP_NOT_YET;
		if (clock_ns(CLOCK_MONOTONIC) - begun > STUCK_NS)
			return MAP_STUCK;
		sched_yield();
	}
}

const char *sums_wrong(const struct topdown_sums *sums, unsigned int level)
{
	const __u64 *node = sums->node;
	unsigned int i;
	uint64_t l1 = 0;

	for (i = TOPDOWN_RETIRING; i <= TOPDOWN_BACKEND_BOUND; i++)
		l1 += node[i];
	if (sums->running_ns > sums->enabled_ns)
		return "ran for longer than it was enabled";
	/* Slots of a time too short for the driver to split are in no node. */
	if (l1 > sums->slots)
		return "level 1 sums to more than the slots";
	for (i = TOPDOWN_RETIRING; level > 1 && i <= TOPDOWN_BACKEND_BOUND; i++) {
		if (node[4 + 2 * i] + node[5 + 2 * i] != node[i])
			return "children do not sum to their parent";
	}
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++) {
		if (sums->children_slots[i] != (level > 1 && i < TD_NR_PARENTS ? sums->slots : 0))
			return "children were not counted in all of the slots";
	}
	if (sums->busy_ns > sums->enabled_ns)
		return "busy for longer than it was enabled";
	for (i = level > 1 ? TRUTH_NODES : 4; i < TOPDOWN_MAX_NODES; i++) {
		if (node[i])
			return "slots of a node that the level lacks";
	}
	return NULL;
}

void entry_make(struct topdown_map_record *entry, const struct topdown_record *record)
{
	*entry = (struct topdown_map_record){
		.cpu		= record->cpu,
		.state		= record->state,
		.source		= record->source,
		.level		= record->level,
		.kind		= record->kind,
		.slots_per_cycle = record->slots_per_cycle,
		.nr_cpus	= record->nr_cpus,
		.flags		= record->flags,
		.turns		= record->turns,
		.nodes		= record->nodes,
		.clamped	= record->clamped,
		.windows	= record->windows,
		.time_ns	= record->time_ns,
		.window_time_ns	= record->window_time_ns,
	};
	/* Figures begin with sums. */
	memcpy(&entry->total, &record->total, sizeof(entry->total));
	memcpy(&entry->window, &record->window, sizeof(entry->window));
}

const char *record_wrong(const struct topdown_map_record *record)
{
	const char *wrong = sums_wrong(&record->total, record->level);

	if (!wrong && record->nodes != nodes_of_level(record->level))
		wrong = "other nodes than PERF_METRICS have";
	if (!wrong)
		wrong = sums_wrong(&record->window, record->level);
	if (!wrong && record->window.slots > record->total.slots)
		wrong = "the last window has more slots than all";
	if (!wrong && record->window_time_ns > record->time_ns)
		wrong = "the last window ended later than what is counted";
	return wrong;
}

const char *entry_wrong(const struct topdown_map_record *entry)
{
	const char *wrong = record_wrong(entry);

	if (!wrong)
		wrong = sums_wrong(&entry->open, entry->level);
	if (!wrong && entry->total.slots - entry->window.slots < entry->open.slots)
		wrong = "the last window and the open one have more slots than all";
	return wrong;
}

uint64_t windows_of(const struct map *map, unsigned int cpu)
{
	struct topdown_map_record copy;

	return map_read(map, cpu, &copy) ? copy.windows : 0;
}

bool windows_wait(const struct map *map, unsigned int cpu, unsigned int number)
{
	uint64_t end = windows_of(map, cpu) + number;
	unsigned int i;

	for (i = 0; windows_of(map, cpu) < end; i++) {
		if (i > WAIT_MS / 5)
			return false;
		sleep_ms(5);
	}
	return true;
}

int windows_run(const struct map *map, unsigned int cpu, unsigned int number)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);
	struct topdown_map_record copy;
	uint64_t end;
	int ret;

	ret = cpu_pin(cpu);
	if (!ret)
		ret = period_set("10");
	if (!ret && !map_read(map, cpu, &copy))
		ret = -EIO;
	end = copy.windows + number;
	while (!ret && copy.windows < end) {
		if (!map_read(map, cpu, &copy))
			ret = -EIO;
		else if (clock_ns(CLOCK_MONOTONIC) - begun > number * WINDOW_NS + STUCK_NS)
			ret = -ETIMEDOUT;
	}
	if (!ret)
		ret = period_set("60000");
	return ret;
}
