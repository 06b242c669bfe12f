// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The map: the record and the history of every CPU, without a system call.
 */
#include "internal.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sums.h"

/* A writer ends after a few turns unless its CPU is taken away. */
#define TD_MAP_TRIES		10000

struct topdown_map_view {
	struct td_mapped mapped;
	struct topdown_map layout;
};

/* Check that all entries lie in the map, after its header. */
bool td_fits(const struct td_entries *entries, uint64_t header_size, uint64_t map_size)
{
	if (!entries->nr)
		return true;
	if (entries->stride < entries->size || entries->stride % 8 || entries->offset % 8)
		return false;
	if (entries->offset < header_size || entries->offset > map_size)
		return false;
	return entries->nr <= (map_size - entries->offset) / entries->stride;
}

static int td_check_layout(const struct topdown_map *layout, uint64_t mapped)
{
	const struct td_entries records = {
		.offset = layout->record_offset,
		.stride = layout->record_stride,
		.nr = layout->nr_cpus,
		.size = layout->record_size,
	};
	const struct td_entries windows = {
		.offset = layout->history_offset,
		.stride = layout->history_stride,
		.nr = (uint64_t)layout->nr_cpus * layout->history_entries,
		.size = layout->history_size,
	};

	if (layout->magic != TOPDOWN_MAP_MAGIC || layout->size > mapped ||
	    layout->header_size < TD_MAP_SIZE_MIN)
		return -EPROTO;
	if (!layout->nr_cpus || layout->nr_cpus > TOPDOWN_CPUS_WORDS_MAX * 64)
		return -EPROTO;
	if (layout->record_size < TD_MAP_RECORD_SIZE_MIN || layout->record_size % 8)
		return -EPROTO;
	if (layout->history_size < TD_MAP_WINDOW_SIZE_MIN || layout->history_size % 8)
		return -EPROTO;
	if (!td_fits(&records, layout->header_size, layout->size) ||
	    !td_fits(&windows, layout->header_size, layout->size))
		return -EPROTO;
	return 0;
}

/* Map @size bytes of a descriptor, at least @least of them; NULL with errno. */
const unsigned char *td_map_pages(int fd, uint64_t size, size_t least)
{
	void *pages;

	if (size < least || size > SIZE_MAX) {
		errno = EPROTO;
		return NULL;
	}
	pages = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	return pages == MAP_FAILED ? NULL : pages;
}

/*
 * Map a descriptor, and copy the layout that the map begins with.  It is checked once and not read
 * again, so nothing can change it afterwards.
 */
int td_map_open(int fd, uint64_t size, size_t least, struct td_mapped *map, void *layout,
		size_t layout_size)
{
	map->base = td_map_pages(fd, size, least);
	if (!map->base)
		return -errno;
	map->size = size;
	/* The layouts of all maps have this field in this place. */
	td_copy_sized(layout, layout_size, map->base,
		      ((const struct topdown_map *)map->base)->header_size);
	return 0;
}

_Static_assert(offsetof(struct topdown_map, header_size) ==
	       offsetof(struct topdown_session_map, header_size), "layouts begin alike");

TD_API int topdown_map_open(struct topdown_map_view **out, struct topdown *td)
{
	uint64_t size = td->info.out_map_size;
	struct topdown_map_view *map;
	int ret;

	if (!topdown_has(td, TOPDOWN_FEATURE_MAP))
		return -EOPNOTSUPP;

	map = calloc(1, sizeof(*map));
	if (!map)
		return -ENOMEM;
	ret = td_map_open(td->fd, size, TD_MAP_SIZE_MIN, &map->mapped, &map->layout,
			  sizeof(map->layout));
	if (!ret)
		ret = td_check_layout(&map->layout, size);
	if (ret)
		topdown_map_close(map);
	else
		*out = map;
	return ret;
}

TD_API void topdown_map_close(struct topdown_map_view *map)
{
	if (!map)
		return;
	if (map->mapped.base)
		munmap((void *)map->mapped.base, map->mapped.size);
	free(map);
}

TD_API unsigned int topdown_map_nr_cpus(const struct topdown_map_view *map)
{
	return map->layout.nr_cpus;
}

TD_API unsigned int topdown_map_history(const struct topdown_map_view *map)
{
	return map->layout.history_entries;
}

/* Copy, and cut the copy or pad it with zeros to the size that the caller knows. */
void td_copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
	size_t size = to_size < from_size ? to_size : from_size;

	memcpy(to, from, size);
	memset((char *)to + size, 0, to_size - size);
}

static const unsigned char *td_map_entry(const struct topdown_map_view *map, uint32_t cpu)
{
	return map->mapped.base + map->layout.record_offset +
	       (size_t)cpu * map->layout.record_stride;
}

/* The loop of <linux/topdown.h>, but with an end. All copies are of one state. */
int td_copy_guarded(const struct td_copy *copy, unsigned int nr, const uint32_t *seq_at)
{
	unsigned int tries, i;
	uint32_t seq;

	for (tries = 0; tries < TD_MAP_TRIES; tries++) {
		seq = __atomic_load_n(seq_at, __ATOMIC_ACQUIRE);
		for (i = 0; i < nr; i++)
			td_copy_sized(copy[i].to, copy[i].to_size, copy[i].from,
				      copy[i].from_size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(seq & 1) && __atomic_load_n(seq_at, __ATOMIC_RELAXED) == seq)
			return 0;
	}
	return -EAGAIN;
}

static void td_map_figures(struct topdown_figures *figures, const struct topdown_sums *sums,
			   uint32_t nodes)
{
	if (nodes) {
		td_figures_make(figures, sums, nodes);
		return;
	}
	/* A reading copies each record that has changed, so this takes a short way. */
	td_figures_put(figures, sums);
	memset(figures->ratio, TOPDOWN_RATIO_NONE & 0xff, sizeof(figures->ratio));
}

/* A record as READ gives it, with the ratios of @nodes. */
static void td_map_record(struct topdown_record *record, const struct topdown_map_record *entry,
			  uint32_t nodes)
{
	*record = (struct topdown_record){
		.cpu		= entry->cpu,
		.state		= entry->state,
		.source		= entry->source,
		.level		= entry->level,
		.kind		= entry->kind,
		.slots_per_cycle = entry->slots_per_cycle,
		.nr_cpus	= entry->nr_cpus,
		.flags		= entry->flags,
		.turns		= entry->turns,
		.nodes		= entry->nodes,
		.clamped	= entry->clamped,
		.windows	= entry->windows,
		.time_ns	= entry->time_ns,
		.window_time_ns	= entry->window_time_ns,
	};
	td_map_figures(&record->total, &entry->total, nodes);
	td_map_figures(&record->window, &entry->window, nodes);
}

/*
 * Copy a record without its ratios, unless @seq says that it is the record that was copied
 * last. @seq becomes its sequence number. An odd @seq means that nothing was copied yet.
 */
int td_map_changed(const struct topdown_map_view *map, uint32_t cpu, uint32_t *seq,
		   struct topdown_record *record)
{
	const unsigned char *entry = td_map_entry(map, cpu);
	/* Pairs with the kernel's barrier before it makes the number even. */
	uint32_t now = __atomic_load_n((const uint32_t *)entry, __ATOMIC_ACQUIRE);
	struct topdown_map_record copied;
	const struct td_copy copy = { &copied, sizeof(copied), entry, map->layout.record_size };
	int ret;

	if (!(now & 1) && now == *seq)
		return 0;
	/* The number is from before the copy. At worst the next call copies once too often. */
	*seq = now;
	ret = td_copy_guarded(&copy, 1, (const uint32_t *)entry);
	if (ret) {
		*seq = TD_SEQ_NONE;
		return ret;
	}
	td_map_record(record, &copied, 0);
	return 0;
}

TD_API int topdown_map_read_record(const struct topdown_map_view *map, uint32_t cpu,
				   struct topdown_record *out, size_t size,
				   struct topdown_figures *open)
{
	struct td_copy copy = { .to_size = sizeof(struct topdown_map_record) };
	struct topdown_map_record entry;
	struct topdown_record record;
	int ret;

	if (size < TD_RECORD_SIZE_MIN)
		return -EINVAL;
	if (cpu >= map->layout.nr_cpus)
		return -ENOENT;
	copy.to = &entry;
	copy.from = td_map_entry(map, cpu);
	copy.from_size = map->layout.record_size;
	ret = td_copy_guarded(&copy, 1, copy.from);
	if (ret)
		return ret;
	/* An entry for a CPU that the machine cannot have is zeroed. */
	if (entry.cpu != cpu)
		return -ENOENT;

	td_map_record(&record, &entry, entry.nodes);
	td_copy_sized(out, size, &record, sizeof(record));
	if (open)
		td_figures_make(open, &entry.open, entry.nodes);
	return 0;
}

TD_API int topdown_map_read_window(const struct topdown_map_view *map, uint32_t cpu,
				   uint64_t number, unsigned int level,
				   struct topdown_window *out, size_t size)
{
	const struct topdown_map *layout = &map->layout;
	struct topdown_map_window slot;
	struct topdown_window window;
	const unsigned char *entry;
	uint64_t before, after;

	if (size < TD_WINDOW_SIZE_MIN || !number)
		return -EINVAL;
	if (cpu >= layout->nr_cpus || !layout->history_entries)
		return -ENOENT;

	entry = map->mapped.base + layout->history_offset +
		((uint64_t)cpu * layout->history_entries +
		 (number - 1) % layout->history_entries) * layout->history_stride;
	before = __atomic_load_n((const uint64_t *)entry, __ATOMIC_ACQUIRE);
	td_copy_sized(&slot, sizeof(slot), entry, layout->history_size);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	after = __atomic_load_n((const uint64_t *)entry, __ATOMIC_RELAXED);
	if (before != number || after != number)
		return -ENOENT;

	window.number = number;
	window.time_ns = slot.time_ns;
	window.nodes = slot.nodes;
	window.clamped = slot.clamped;
	td_figures_make(&window.figures, &slot.sums, slot.nodes & td_nodes_of_level(level));
	td_copy_sized(out, size, &window, sizeof(window));
	return 0;
}

TD_API int topdown_record_between(const struct topdown_record *then,
				  const struct topdown_record *now, unsigned int level,
				  struct topdown_figures *out)
{
	struct topdown_figures figures;
	int ret;

	if (then->cpu != now->cpu)
		return -EINVAL;
	ret = td_record_between(then, now, &figures);
	if (ret)
		return ret;
	td_figures_ratios(&figures, now->nodes & td_nodes_of_level(level));
	*out = figures;
	return 0;
}

TD_API void topdown_figures_add(struct topdown_figures *sum,
				const struct topdown_figures *more, unsigned int level)
{
	uint32_t nodes = td_nodes_of_level(level);

	/* Without slots there are no ratios to compute or to lack. */
	if (sum->slots)
		nodes &= td_nodes_of_figures(sum);
	if (more->slots)
		nodes &= td_nodes_of_figures(more);
	td_figures_add(sum, more);
	td_figures_ratios(sum, nodes);
}
