// SPDX-License-Identifier: GPL-2.0
/*
 * The map of /dev/topdown for tests on a machine without the module, and its writer.
 */
#include "fake.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "metrics.h"

#define FAKE_HISTORY	4
#define OLD_NS		100000000000

static uint64_t map_steps;
/* How long ago the step was. */
static uint64_t map_ago_ns;
static unsigned char *map_base;
static pthread_mutex_t map_lock = PTHREAD_MUTEX_INITIALIZER;
static bool map_asked;

static const struct topdown_map *map_header(void)
{
	return (const struct topdown_map *)map_base;
}

static void write_window(unsigned int cpu, const struct topdown_record *record)
{
	const struct topdown_map *map = map_header();
	struct topdown_map_window *window;

	if (!map->history_entries)
		return;
	window = (void *)(map_base + map->history_offset + ((uint64_t)cpu * map->history_entries +
			  (record->windows - 1) % map->history_entries) * map->history_stride);
	__atomic_store_n(&window->number, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	window->time_ns = record->time_ns - (getenv("FAKE_OLD") ? OLD_NS : 0);
	window->nodes = record->nodes;
	if (!record->window.children_slots[TOPDOWN_FRONTEND_BOUND])
		window->nodes &= ~td_nodes_of_parents(1U << TOPDOWN_FRONTEND_BOUND);
	td_figures_get(&window->sums, &record->window);
	__atomic_store_n(&window->number, record->windows, __ATOMIC_RELEASE);
}

static bool is_stuck(unsigned int cpu)
{
	const char *value = getenv("FAKE_STUCK");

	return cpu == 1 && value && (*value != '/' || !access(value, F_OK));
}

static void put_record(struct topdown_map_record *to, const struct topdown_record *record)
{
	to->cpu = record->cpu;
	to->state = record->state;
	to->source = record->source;
	to->level = record->level;
	to->kind = record->kind;
	to->slots_per_cycle = record->slots_per_cycle;
	to->nr_cpus = record->nr_cpus;
	to->flags = record->flags;
	to->turns = record->turns;
	to->nodes = record->nodes;
	to->clamped = record->clamped;
	to->windows = record->windows;
	to->time_ns = record->time_ns;
	to->window_time_ns = record->window_time_ns;
	td_figures_get(&to->total, &record->total);
	td_figures_get(&to->window, &record->window);
}

static void get_record(struct topdown_record *record, const struct topdown_map_record *from)
{
	memset(record, 0, sizeof(*record));
	record->cpu = from->cpu;
	record->state = from->state;
	record->source = from->source;
	record->level = from->level;
	record->kind = from->kind;
	record->slots_per_cycle = from->slots_per_cycle;
	record->nr_cpus = from->nr_cpus;
	record->flags = from->flags;
	record->turns = from->turns;
	record->nodes = from->nodes;
	record->clamped = from->clamped;
	record->windows = from->windows;
	record->time_ns = from->time_ns;
	record->window_time_ns = from->window_time_ns;
	td_figures_make(&record->total, &from->total, from->nodes);
	td_figures_make(&record->window, &from->window, from->nodes);
}

static void write_cpu(unsigned int cpu)
{
	const struct topdown_map *map = map_header();
	unsigned char *entry = map_base + map->record_offset + cpu * map->record_stride;
	struct topdown_map_record *to = (void *)entry;
	struct topdown_figures open = { .slots = 0 };
	struct topdown_record record;

	if (is_stuck(cpu) && to->seq & 1)
		return;
	if (cpu == setting("FAKE_HOLE", -1))
		return;
	fill_record(&record, cpu);
	record.windows = map_steps;
	record.time_ns = now_ns() - map_ago_ns;
	fill_counts(&record.total, cpu, map_steps);
	fill_since(&record.total, cpu, map_steps);
	fill_counts(&open, cpu, 1);
	__atomic_store_n(&to->seq, to->seq | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	put_record(to, &record);
	td_figures_get(&to->open, &open);
	if (!is_stuck(cpu))
		__atomic_store_n(&to->seq, to->seq + 1, __ATOMIC_RELEASE);
	write_window(cpu, &record);
}

static void step(void)
{
	unsigned int cpu;

	map_steps++;
	for (cpu = 0; cpu < map_header()->nr_cpus; cpu++)
		write_cpu(cpu);
}

/* A fresh READ moves the map on by a step, and from then on time does not, until the next map. */
int fake_count_mapped(void)
{
	if (!map_base)
		return 0;
	pthread_mutex_lock(&map_lock);
	map_asked = true;
	step();
	pthread_mutex_unlock(&map_lock);
	return 0;
}

/* READ gives the records of the map. */
bool fake_together(bool fresh, struct topdown_record *record, unsigned int cpu)
{
	const unsigned char *entry;

	if (!map_base || !getenv("FAKE_TOGETHER"))
		return false;
	if (fresh && !cpu)
		fake_count_mapped();
	entry = map_base + map_header()->record_offset + cpu * map_header()->record_stride;
	get_record(record, (const struct topdown_map_record *)entry);
	return true;
}

static void *write_map(void *arg)
{
	long tick = setting("FAKE_TICK", 50);

	(void)arg;
	for (;;) {
		/* A reader finds a moment in which nobody writes, as in the map of the kernel. */
		if (tick)
			usleep(tick > 0 ? tick * 1000 : 1);
		pthread_mutex_lock(&map_lock);
		if (!map_asked)
			step();
		pthread_mutex_unlock(&map_lock);
	}
	return NULL;
}

static void bad_header(struct topdown_map *map, const char *bad)
{
	if (!strcmp(bad, "magic"))
		map->magic++;
	else if (!strcmp(bad, "size"))
		map->size++;
	else if (!strcmp(bad, "header"))
		map->header_size--;
	else if (!strcmp(bad, "cpus"))
		map->nr_cpus = 2000;
	else if (!strcmp(bad, "offset"))
		map->record_offset = FAKE_MAP_SIZE - 8;
	else if (!strcmp(bad, "misaligned"))
		map->record_offset += 4;
	else if (!strcmp(bad, "stride"))
		map->record_stride = sizeof(struct topdown_map_record) - 8;
	else if (!strcmp(bad, "record"))
		map->record_size = 984;
	else if (!strcmp(bad, "history"))
		map->history_entries = 1U << 30;
	else if (!strcmp(bad, "window"))
		map->history_stride -= 8 + setting("FAKE_MAP_GROW", 0);
	else if (!strcmp(bad, "window size"))
		map->history_size = 328;
	else if (!strcmp(bad, "far"))
		map->history_offset = -8ULL;
}

static void make_header(struct topdown_map *map)
{
	const char *bad = getenv("FAKE_MAP_BAD");
	long grow = setting("FAKE_MAP_GROW", 0);

	*map = (struct topdown_map){
		.magic = TOPDOWN_MAP_MAGIC,
		.size = FAKE_MAP_SIZE,
		.header_size = sizeof(*map),
		.nr_cpus = nr_cpus(),
		.record_offset = 128,
		.record_stride = sizeof(struct topdown_map_record) + grow + 64,
		.record_size = sizeof(struct topdown_map_record) + grow,
		.history_entries = setting("FAKE_HISTORY", FAKE_HISTORY),
		.history_stride = sizeof(struct topdown_map_window) + grow,
		.history_size = sizeof(struct topdown_map_window) + grow,
	};
	map->history_offset = map->record_offset + map->nr_cpus * map->record_stride;
	if (bad)
		bad_header(map, bad);
}

/* One map for all who ask, as in the kernel, with its writer. */
void *fake_map(size_t size, int protection, int flags)
{
	sigset_t all, before;
	pthread_t writer;
	unsigned int cpu, fill;
	int fd;

	errno = setting("FAKE_MAP_ERRNO", 0);
	if (errno)
		return MAP_FAILED;
	if (protection != PROT_READ || flags != MAP_SHARED || size != FAKE_MAP_SIZE) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	fd = memfd_create("fake", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, FAKE_MAP_SIZE))
		return MAP_FAILED;
	map_base = (void *)syscall(SYS_mmap, NULL, FAKE_MAP_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0);
	close(fd);
	map_asked = false;
	make_header((struct topdown_map *)map_base);
	if (!map_steps)
		map_steps = setting("FAKE_STEPS", 10);
	if (getenv("FAKE_MAP_BAD"))
		return map_base;
	for (fill = setting("FAKE_FILL", 1), map_steps -= fill; fill; fill--) {
		map_steps++;
		map_ago_ns = (fill - 1) * 1000000000ULL;
		for (cpu = 0; cpu < nr_cpus(); cpu++)
			write_cpu(cpu);
	}
	/* Signals are for the thread that the program knows of. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (setting("FAKE_TICK", 50))
		pthread_create(&writer, NULL, write_map, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return map_base;
}

/* Keep the memory when a reader unmaps it: the writer needs it. */
int munmap(void *at, size_t size)
{
	if (at && at == map_base)
		return 0;
	return syscall(SYS_munmap, at, size);
}

