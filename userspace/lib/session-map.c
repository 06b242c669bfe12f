// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The map of a session: its counts without a system call.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sums.h"

/* There will never be more kinds. */
#define TD_KINDS_MAX	16

struct topdown_session_map_view {
	struct td_mapped mapped;
	struct topdown_session_map layout;
};

static int td_check_shares(const struct topdown_session_map *layout, uint64_t mapped)
{
	const struct td_entries shares = {
		.offset = layout->share_offset,
		.stride = layout->share_stride,
		.nr = layout->nr_cpus,
		.size = layout->share_size,
	};

	if (layout->magic != TOPDOWN_SESSION_MAP_MAGIC || layout->size > mapped ||
	    layout->header_size < TD_SESSION_MAP_SIZE_MIN)
		return -EPROTO;
	if (!layout->nr_cpus || layout->nr_cpus > TOPDOWN_CPUS_WORDS_MAX * 64)
		return -EPROTO;
	if (!layout->nr_kinds || layout->nr_kinds > TD_KINDS_MAX)
		return -EPROTO;
	if (layout->share_size < TD_SHARE_SIZE_MIN ||
	    !td_fits(&shares, layout->header_size, layout->size))
		return -EPROTO;
	return 0;
}

/* The size that the header of a map gives, which is in the first page. */
static int td_session_map_size(int session, uint64_t *size)
{
	const struct topdown_session_map *header;
	size_t page = sysconf(_SC_PAGESIZE);

	header = (const void *)td_map_pages(session, page, TD_SESSION_MAP_SIZE_MIN);
	if (!header)
		return -errno;
	*size = header->size;
	munmap((void *)header, page);
	return 0;
}

TD_API int topdown_session_map_open(struct topdown_session_map_view **out, int session)
{
	struct topdown_session_map_view *map;
	uint64_t size = 0;
	int ret;

	ret = td_session_map_size(session, &size);
	if (ret)
		return ret;
	map = calloc(1, sizeof(*map));
	if (!map)
		return -ENOMEM;
	ret = td_map_open(session, size, TD_SESSION_MAP_SIZE_MIN, &map->mapped, &map->layout,
			  sizeof(map->layout));
	if (!ret)
		ret = td_check_shares(&map->layout, size);
	if (ret)
		topdown_session_map_close(map);
	else
		*out = map;
	return ret;
}

TD_API void topdown_session_map_close(struct topdown_session_map_view *map)
{
	if (!map)
		return;
	if (map->mapped.base)
		munmap((void *)map->mapped.base, map->mapped.size);
	free(map);
}

/* Add up each kind, and all kinds. */
static int td_sum_shares(const struct topdown_session_map_view *map,
			 struct topdown_share sum[TD_KINDS_MAX], struct topdown_share *all)
{
	const struct topdown_session_map *layout = &map->layout;
	struct topdown_share one;
	struct td_copy copy = { &one, sizeof(one), NULL, layout->share_size };
	uint32_t i;
	int ret;

	memset(sum, 0, TD_KINDS_MAX * sizeof(*sum));
	memset(all, 0, sizeof(*all));
	for (i = 0; i < layout->nr_cpus; i++) {
		copy.from = map->mapped.base + layout->share_offset +
			    (size_t)i * layout->share_stride;
		ret = td_copy_guarded(&copy, 1, copy.from);
		if (ret)
			return ret;
		if (one.kind >= layout->nr_kinds)
			return -EPROTO;
		td_share_add(all, &one);
		td_share_add(&sum[one.kind], &one);
	}
	return 0;
}

/* Write the kinds for which the caller has room.  Returns how many that are. */
static unsigned int td_put_kinds(const struct topdown_session_map_view *map,
				 const struct topdown_share sum[TD_KINDS_MAX],
				 struct topdown_session_kind *kinds, unsigned int room,
				 size_t size)
{
	struct topdown_session_kind one = { 0 };

	for (; one.kind < room && one.kind < map->layout.nr_kinds; one.kind++) {
		one.level = sum[one.kind].level;
		one.source = sum[one.kind].source;
		one.nodes = sum[one.kind].nodes;
		one.switches = sum[one.kind].switches;
		one.merged_ns = sum[one.kind].merged_ns;
		td_figures_make(&one.figures, &sum[one.kind].sums, one.nodes);
		td_copy_sized((char *)kinds + one.kind * size, size, &one, sizeof(one));
	}
	return one.kind;
}

TD_API int topdown_session_map_read_kinds(const struct topdown_session_map_view *map,
					  struct topdown_session *out, size_t size,
					  struct topdown_session_kind *kinds, unsigned int *nr,
					  size_t kind_size)
{
	const struct topdown_session_map *live = (const void *)map->mapped.base;
	struct topdown_share sum[TD_KINDS_MAX], all;
	struct topdown_session read = { .size = sizeof(read) };
	struct topdown_session_map header;
	struct td_copy copy = { &header, sizeof(header), live, map->layout.header_size };
	int ret;

	if (size < TD_SESSION_SIZE_MIN || !td_kinds_fit(kinds, *nr, kind_size))
		return -EINVAL;
	/* Read the state first: almost nothing is added after the last task has exited. */
	ret = td_copy_guarded(&copy, 1, &live->seq);
	if (ret)
		return ret;
	read.out_time_ns = td_clock_ns(CLOCK_MONOTONIC);
	ret = td_sum_shares(map, sum, &all);
	if (ret)
		return ret;

	read.out_nr_kinds = map->layout.nr_kinds;
	read.out_serial = header.serial;
	read.out_state = header.state;
	read.out_flags = header.flags;
	read.out_tasks = header.tasks;
	read.out_dropped = header.dropped;
	read.out_level = all.level;
	read.out_nodes = all.nodes;
	read.out_source = all.source;
	read.out_switches = all.switches;
	read.out_merged_ns = all.merged_ns;
	td_figures_make(&read.out_figures, &all.sums, all.nodes);
	*nr = td_put_kinds(map, sum, kinds, *nr, kind_size);
	read.nr_kinds = *nr;
	td_copy_sized(out, size, &read, sizeof(read));
	return 0;
}

TD_API int topdown_session_map_read(const struct topdown_session_map_view *map,
				    struct topdown_session *out, size_t size)
{
	unsigned int none = 0;

	return topdown_session_map_read_kinds(map, out, size, NULL, &none, 0);
}
