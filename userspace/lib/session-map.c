// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The map of a session: its figures at no system call.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../../kmod/metrics.h"

/* A writer is done after a few turns, if its CPU is not taken away. */
#define TD_MAP_TRIES		10000
/* What the first module that had the map knew of the structures. */
#define TD_SHARE_SIZE_MIN	sizeof(struct topdown_share)

struct topdown_session_view {
	const unsigned char *base;
	size_t mapped;
	struct topdown_session_map layout;
};

static int td_check_shares(const struct topdown_session_map *layout, uint64_t mapped)
{
	if (layout->magic != TOPDOWN_SESSION_MAP_MAGIC || layout->size > mapped ||
	    layout->header_size < sizeof(*layout))
		return -EPROTO;
	if (!layout->nr_shares || layout->nr_shares > TOPDOWN_CPUS_WORDS_MAX * 64)
		return -EPROTO;
	if (layout->share_size < TD_SHARE_SIZE_MIN || layout->share_stride < layout->share_size)
		return -EPROTO;
	if (layout->share_stride % 8 || layout->share_offset % 8 ||
	    layout->share_offset < layout->header_size || layout->share_offset > layout->size)
		return -EPROTO;
	if (layout->nr_shares > (layout->size - layout->share_offset) / layout->share_stride)
		return -EPROTO;
	return 0;
}

TD_API int topdown_session_map_open(struct topdown_session_view **out, struct topdown *td,
				    uint32_t session)
{
	uint64_t size = td->info.out_session_map_size;
	struct topdown_session_view *map;
	int ret;

	if (!topdown_has(td, TOPDOWN_FEATURE_SESSION_MAP))
		return -EOPNOTSUPP;
	/* That would be the map of the CPUs. */
	if (!session)
		return -ENOENT;

	map = calloc(1, sizeof(*map));
	if (!map)
		return -ENOMEM;
	map->base = td_map_pages(td, size, sizeof(map->layout),
				 TOPDOWN_SESSION_MAP_OFFSET(session));
	if (!map->base) {
		ret = -errno;
		goto err_free;
	}
	map->mapped = size;
	/* Checked once and not looked at again, but for what follows the layout. */
	memcpy(&map->layout, map->base, sizeof(map->layout));
	ret = td_check_shares(&map->layout, size);
	if (ret)
		goto err_unmap;
	*out = map;
	return 0;

err_unmap:
	munmap((void *)map->base, size);
err_free:
	free(map);
	return ret;
}

TD_API void topdown_session_map_close(struct topdown_session_view *map)
{
	if (!map)
		return;
	munmap((void *)map->base, map->mapped);
	free(map);
}

/* The loop of <linux/topdown.h>, with an end. */
static int td_copy_guarded(void *to, const void *from, size_t size, const uint32_t *seq_at)
{
	unsigned int tries;
	uint32_t seq;

	for (tries = 0; tries < TD_MAP_TRIES; tries++) {
		seq = __atomic_load_n(seq_at, __ATOMIC_ACQUIRE);
		memcpy(to, from, size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(seq & 1) && __atomic_load_n(seq_at, __ATOMIC_RELAXED) == seq)
			return 0;
	}
	return -EAGAIN;
}

static int td_sum_shares(const struct topdown_session_view *map, struct topdown_share *sum)
{
	const struct topdown_session_map *layout = &map->layout;
	struct topdown_share one;
	const void *from;
	uint32_t i;
	int ret;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < layout->nr_shares; i++) {
		from = map->base + layout->share_offset + (size_t)i * layout->share_stride;
		ret = td_copy_guarded(&one, from, sizeof(one), from);
		if (ret)
			return ret;
		td_figures_add(&sum->figures, &one.figures);
		sum->switches += one.switches;
		sum->merged_ns += one.merged_ns;
		if (!one.level)
			continue;
		sum->nodes = sum->level ? sum->nodes & one.nodes : one.nodes;
		if (!sum->level || one.level < sum->level)
			sum->level = one.level;
		sum->source = one.source;
	}
	return 0;
}

static uint64_t td_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

TD_API int topdown_session_map_read(const struct topdown_session_view *map,
				    struct topdown_session *out, size_t size)
{
	const struct topdown_session_map *live = (const void *)map->base;
	struct topdown_session read = { .size = sizeof(read) };
	struct topdown_session_map header;
	struct topdown_share sum;
	int ret;

	if (size < TD_SESSION_SIZE_MIN)
		return -EINVAL;
	/* The state first: after the last task has exited nothing is added. */
	ret = td_copy_guarded(&header, live, sizeof(header), &live->seq);
	if (ret)
		return ret;
	read.out_time_ns = td_now_ns();
	ret = td_sum_shares(map, &sum);
	if (ret)
		return ret;

	read.session = header.session;
	read.out_state = header.state;
	read.out_flags = header.flags;
	read.out_tasks = header.tasks;
	read.out_level = sum.level;
	read.out_source = sum.source;
	read.out_switches = sum.switches - header.baseline.switches;
	read.out_merged_ns = sum.merged_ns - header.baseline.merged_ns;
	read.out_figures = sum.figures;
	td_figures_sub(&read.out_figures, &header.baseline.figures);
	td_figures_ratios(&read.out_figures, sum.nodes);
	td_copy_sized(out, size, &read, sizeof(read));
	return 0;
}
