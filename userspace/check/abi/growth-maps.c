// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a map of CPUs and a map of a session as the module makes them, by its own
 * kmod/sums/map.c and kmod/sums/share.c.
 *
 *   growth-maps CPUS-FILE SESSION-FILE
 *
 * The map of the session is where mmap() has it.  With the headers of a later release
 * the fields that only these headers have are filled with a byte.
 */
#include "kernel.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "growth.h"
#include "map.h"
#include "share.h"

unsigned int nr_cpu_ids = GROWTH_CPUS;
int this_cpu;

#ifdef TOPDOWN_GROWN
#define NEWER	1
#define fill(of) memset((of)->grown, GROWTH_BYTE, sizeof((of)->grown))
/* The slots of a node of level 3. */
#define fill_deep(of) ((of)->grown[0] = (of)->total.slots / GROWTH_DEEP_PART)
#else
#define NEWER	0
#define fill(of) ((void)(of))
#define fill_deep(of) ((void)(of))
#endif

static void fill_record(unsigned int cpu, unsigned int number)
{
	struct topdown_map_record *record = td_map_write_begin(cpu);

	*record = (struct topdown_map_record) {
		.seq		= record->seq,
		.cpu		= cpu,
		.state		= TOPDOWN_STATE_CONTENDED,
		.source		= TOPDOWN_SOURCE_PERF_METRICS,
		.level		= 2,
		.kind		= growth_kind(cpu, NEWER),
		.slots_per_cycle = 6,
		.nr_cpus	= 1,
		.flags		= TOPDOWN_RECORD_CLAMPED,
		.nodes		= GROWTH_NODES,
		.clamped	= GROWTH_CLAMPED,
		.windows	= number,
		.time_ns	= 1000 + number,
		.window_time_ns	= 1000 + number,
	};
	growth_sums(&record->total, GROWTH_TOTAL(cpu));
	growth_sums(&record->window, GROWTH_WINDOW(cpu, number));
	growth_sums(&record->open, GROWTH_OPEN(cpu));
	fill(record);
	fill_deep(record);
	td_map_write_end(cpu);
	td_map_add_window(cpu, record);
}

/* The module puts nothing there that it does not know. */
static void fill_window(char *at)
{
	struct topdown_map_window *window = (void *)at;

	if (window->number)
		fill(window);
}

static void credit(struct topdown_session_map *map, unsigned int cpu, unsigned int seed)
{
	struct topdown_sums part;
	struct td_credit credit = {
		.merged_ns	= seed,
		.switches	= seed,
		.part		= &part,
		.level		= 2,
		.nodes		= GROWTH_NODES_KNOWN,
		.source		= TOPDOWN_SOURCE_PERF_METRICS,
		.kind		= growth_kind(cpu, NEWER),
	};

	growth_sums(&part, seed);
	/* Nobody is credited with it. */
	part.busy_ns = 0;
	this_cpu = cpu;
	td_share_credit(map, &credit);
}

static void fill_session(struct topdown_session_map *map)
{
	unsigned int cpu;

	map->serial = GROWTH_SESSION;
	for (cpu = 0; cpu < GROWTH_CPUS; cpu++)
		credit(map, cpu, GROWTH_CREDIT(cpu));
	td_share_write_header(map, TOPDOWN_SESSION_STATE_DISABLED,
			      TOPDOWN_SESSION_OUT_INCOMPLETE, 7, GROWTH_DROPPED);
	for (cpu = 0; cpu < GROWTH_CPUS; cpu++)
		fill((struct topdown_share *)((char *)map + map->share_offset +
					      cpu * map->share_stride));
	fill(map);
}

static bool write_map(const char *path, const void *map, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool ok = fd >= 0 && write(fd, map, size) == (ssize_t)size;

	return fd >= 0 && !close(fd) && ok;
}

int main(int argc, char **argv)
{
	struct topdown_session_map *session;
	unsigned int cpu, number;
	struct topdown_map *map;
	bool ok;

	if (argc != 3 || td_map_init())
		return 2;
	for (cpu = 0; cpu < GROWTH_CPUS; cpu++) {
		for (number = 1; number <= GROWTH_WINDOWS; number++)
			fill_record(cpu, number);
	}
	session = td_share_alloc();
	if (!session)
		return 2;
	fill_session(session);
	/* The header of the map is before the first record. */
	map = (void *)((char *)td_map_write_begin(0) - ALIGN(sizeof(*map), SMP_CACHE_BYTES));
	td_map_write_end(0);
	fill(map);
	for (number = 0; number < GROWTH_CPUS * map->history_entries; number++)
		fill_window((char *)map + map->history_offset +
			    (size_t)number * map->history_stride);
	ok = write_map(argv[1], map, td_map_size()) &&
	     write_map(argv[2], session, td_share_size());
	td_share_free(session);
	td_map_exit();
	return ok ? 0 : 1;
}
