// SPDX-License-Identifier: GPL-2.0
/*
 * The records by memory reads alone.
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"

#define TURNS	1000000

const struct topdown_map *map_open(void)
{
	struct topdown_info info;
	void *map;
	int fd;

	fd = device_open();
	if (fd < 0 || device_info(fd, &info))
		return NULL;
	map = mmap(NULL, info.out_map_size, PROT_READ, MAP_SHARED, fd, 0);
	return map == MAP_FAILED ? NULL : map;
}

bool map_record(const struct topdown_map *map, unsigned int cpu,
		struct topdown_map_record *record)
{
	size_t size = map->record_size < sizeof(*record) ? map->record_size : sizeof(*record);
	const struct topdown_map_record *entry;
	unsigned int turn;
	__u32 seq;

	entry = (const void *)((const char *)map + map->record_offset +
			       (size_t)cpu * map->record_stride);
	memset(record, 0, sizeof(*record));
	for (turn = 0; turn < TURNS; turn++) {
		seq = __atomic_load_n(&entry->seq, __ATOMIC_ACQUIRE);
		memcpy(record, entry, size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(seq & 1) && __atomic_load_n(&entry->seq, __ATOMIC_RELAXED) == seq)
			return true;
	}
	return false;
}
