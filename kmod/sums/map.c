// SPDX-License-Identifier: GPL-2.0
/*
 * The map: the records and the history of windows, which readers may mmap().
 *
 * A record exists only here, so READ, sysfs and mappings see the same bytes.  Each record has
 * a sequence number of its own (seqlock.h).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/align.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "map.h"
#include "metrics.h"
#include "seqlock.h"

#define TD_HISTORY_MAX		4096

static unsigned int td_history = 64;
module_param_named(history, td_history, uint, 0444);
MODULE_PARM_DESC(history, "Windows kept for each CPU in the map, 0..4096 (default: 64)");

static struct topdown_map *td_map;

/* Written only while the module is being loaded, before there are readers. */
static u64 td_instance;
static u64 td_load_time;

static void *td_map_at(u64 offset)
{
	return (char *)td_map + offset;
}

static struct topdown_map_record *td_map_record(int cpu)
{
	return td_map_at(td_map->record_offset + (u64)cpu * td_map->record_stride);
}

static struct topdown_map_window *td_map_window(int cpu, u64 number)
{
	u64 index = (u64)cpu * td_map->history_entries + (number - 1) % td_map->history_entries;

	return td_map_at(td_map->history_offset + index * td_map->history_stride);
}

/**
 * td_map_write_begin() - begin to change the record of a CPU
 * @cpu: possible CPU; the caller is the only writer of its record, and cannot be preempted
 *	unless there are no readers yet
 *
 * Return: the record with its sequence number.
 */
struct topdown_map_record *td_map_write_begin(int cpu)
{
	struct topdown_map_record *entry = td_map_record(cpu);

	td_seqlock_write_begin(&entry->seq);
	return entry;
}

/**
 * td_map_write_end() - end changing the record of a CPU
 * @cpu: as given to td_map_write_begin()
 */
void td_map_write_end(int cpu)
{
	td_seqlock_write_end(&td_map_record(cpu)->seq);
}

/**
 * td_map_add_window() - add the last window of a CPU to the history
 * @cpu: possible CPU; as for td_map_write_begin()
 * @record: record of the CPU
 */
void td_map_add_window(int cpu, const struct topdown_map_record *record)
{
	struct topdown_map_window *entry;

	if (!td_map->history_entries)
		return;

	entry = td_map_window(cpu, record->windows);
	WRITE_ONCE(entry->number, 0);
	/* Pairs with user space's second look at the number. */
	smp_wmb();
	entry->time_ns = record->time_ns;
	entry->nodes = record->nodes;
	entry->clamped = record->clamped;
	entry->sums = record->window;
	/* Pairs with user space's first look at the number. */
	smp_wmb();
	WRITE_ONCE(entry->number, record->windows);
}

/* Copy a record; the ratios are not touched. */
static void td_map_copy(const struct topdown_map_record *entry, struct topdown_record *record)
{
	record->cpu = entry->cpu;
	record->state = entry->state;
	record->source = entry->source;
	record->level = entry->level;
	record->kind = entry->kind;
	record->slots_per_cycle = entry->slots_per_cycle;
	record->nr_cpus = entry->nr_cpus;
	record->flags = entry->flags;
	record->turns = entry->turns;
	record->nodes = entry->nodes;
	record->clamped = entry->clamped;
	record->windows = entry->windows;
	record->time_ns = entry->time_ns;
	record->window_time_ns = entry->window_time_ns;
	td_figures_put(&record->total, &entry->total);
	td_figures_put(&record->window, &entry->window);
}

/**
 * td_map_read() - copy the record of a CPU
 * @cpu: possible CPU
 * @open: replace the last window by the open window as of its last fold
 * @record: written, but for its ratios
 */
void td_map_read(int cpu, bool open, struct topdown_record *record)
{
	const struct topdown_map_record *entry = td_map_record(cpu);
	u32 seq;

	memset(record, 0, sizeof(*record));
	do {
		seq = td_seqlock_read_begin(&entry->seq);
		td_map_copy(entry, record);
		/* The open window may be empty yet; but keep the last one if none is open. */
		if (open && (entry->open.enabled_ns || record->state == TOPDOWN_STATE_OK)) {
			td_figures_put(&record->window, &entry->open);
			record->window_time_ns = record->time_ns;
		}
	} while (td_seqlock_read_retry(&entry->seq, seq));
}

/**
 * td_map_instance() - a number that differs each time the module is loaded
 *
 * Readers notice by it that the sums have started from 0.
 *
 * Return: a random number, not 0.
 */
u64 td_map_instance(void)
{
	return td_instance;
}

/**
 * td_map_load_time() - when the sums started from 0
 *
 * Return: CLOCK_BOOTTIME, nanoseconds.
 */
u64 td_map_load_time(void)
{
	return td_load_time;
}

/**
 * td_map_size() - size of the map
 *
 * Return: bytes, whole pages.
 */
size_t td_map_size(void)
{
	return td_map->size;
}

/**
 * td_map_mmap() - map the map into a process
 * @vma: the mapping, at offset 0; the caller has checked the rights
 *
 * The mapping holds a reference to the file, and so to the module.  The memory exists until
 * the module is unloaded.
 *
 * Return: 0, -EINVAL if the mapping is too long, or -ENOMEM.
 */
int td_map_mmap(struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, td_map, 0);
}

/**
 * td_map_init() - make the map, with empty records
 *
 * Return: 0, -EINVAL for a bad history parameter, or -ENOMEM.
 */
int td_map_init(void)
{
	struct topdown_map map = {
		.magic			= TOPDOWN_MAP_MAGIC,
		.header_size		= sizeof(map),
		.nr_cpus		= nr_cpu_ids,
		.record_offset		= ALIGN(sizeof(map), SMP_CACHE_BYTES),
		.record_stride		= ALIGN(sizeof(struct topdown_map_record),
						SMP_CACHE_BYTES),
		.record_size		= sizeof(struct topdown_map_record),
		.history_entries	= td_history,
		.history_stride		= ALIGN(sizeof(struct topdown_map_window),
						SMP_CACHE_BYTES),
		.history_size		= sizeof(struct topdown_map_window),
	};

	if (td_history > TD_HISTORY_MAX) {
		pr_err("history %u is not in 0..%u\n", td_history, TD_HISTORY_MAX);
		return -EINVAL;
	}

	map.history_offset = map.record_offset + (u64)map.nr_cpus * map.record_stride;
	/* At most 8192 CPUs, so 64 bits are plenty. */
	map.size = PAGE_ALIGN(map.history_offset +
			      (u64)map.nr_cpus * map.history_entries * map.history_stride);
	td_map = vmalloc_user(map.size);
	if (!td_map)
		return -ENOMEM;
	*td_map = map;
	td_load_time = ktime_get_boottime_ns();
	do {
		td_instance = get_random_u64();
	} while (!td_instance);
	return 0;
}

/**
 * td_map_exit() - undo td_map_init(); no mapping is left
 */
void td_map_exit(void)
{
	vfree(td_map);
}
