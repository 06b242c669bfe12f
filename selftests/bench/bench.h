/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the programs of the comparison share: the machine's own counts, taken
 * through the back door of the emulated PMU.
 */
#ifndef TOPDOWN_BENCH_H
#define TOPDOWN_BENCH_H

#include "guest.h"

/* The CPU of the program that measures and of what it runs. */
#define HOME_CPU	0

/* SLOTS and the eight metrics. */
#define GROUP_EVENTS	9

/**
 * struct counts - what the machine has done since power-on, over all its CPUs
 * @time_ns: virtual time
 * @instructions: guest instructions; 0 without -icount
 * @rdmsr: PMU registers read by RDMSR
 * @wrmsr: PMU registers written
 * @rdpmc: counters read by RDPMC
 * @wakeups: times a CPU other than HOME_CPU left HLT
 * @calls: function call interrupts, the CAL line of /proc/interrupts
 */
struct counts {
	uint64_t time_ns;
	uint64_t instructions;
	uint64_t rdmsr;
	uint64_t wrmsr;
	uint64_t rdpmc;
	uint64_t wakeups;
	uint64_t calls;
};

/* count.c */
/* Reading the interrupts costs many instructions: outside of what is counted. */
void counts_begin(struct counts *counts);
void counts_end(struct counts *counts);
void counts_sub(struct counts *later, const struct counts *earlier);
void counts_print(const struct counts *counts);
/* A line of /proc/interrupts, "LOC:", summed from CPU @first on. */
uint64_t interrupt_count(const char *name, unsigned int first);

/* group.c: the perf group of one CPU, by the system calls alone. */
struct group_values {
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[GROUP_EVENTS];
};

/* The descriptor of the leader, or -1 with errno. */
int group_open(unsigned int cpu);
bool group_read(int fd, struct group_values *values);

/* Counting at once the first events of that group, of a task, wherever it runs; as group_open(). */
int group_open_task(int pid, unsigned int events);
/* So many events of the PMU topdown instead: slots, and the nodes in their order. */
int door_open_task(int pid, unsigned int events);

/* phase.c */
/* Change the profile every @min_ms to @max_ms; the same sequence for each seed. */
void execute_phases(double seconds, unsigned int min_ms, unsigned int max_ms, uint64_t seed);
/* As perf does: each over the sum of level 1, never below 0. */
void nodes_of_counts(const double counted[GROUP_EVENTS], double node[TRUTH_NODES]);

/* map.c */
const struct topdown_map *map_open(void);
/* False if the record was being written all the time. */
bool map_record(const struct topdown_map *map, unsigned int cpu,
		struct topdown_map_record *record);

__attribute__((format(printf, 1, 2), noreturn))
void die(const char *format, ...);

#endif /* TOPDOWN_BENCH_H */
