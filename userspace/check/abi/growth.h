/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values that growth-maps.c writes and growth.c expects, whatever release of the ABI each
 * of the two was compiled with.
 */
#ifndef TOPDOWN_CHECK_GROWTH_H
#define TOPDOWN_CHECK_GROWTH_H

#include <linux/topdown.h>

#define GROWTH_CPUS		3
#define GROWTH_WINDOWS		5
#define GROWTH_HISTORY		64
#define GROWTH_SESSION		1
/* Every byte of the fields that only a newer release has. */
#define GROWTH_BYTE		0x5a

/*
 * A level 1 node that has a child in the newer release alone, the fifth parent, and its child; and
 * a node of level 3 of that release, whose slots are in the fields that only it has.
 */
#define GROWTH_PARENT		4
#define GROWTH_CHILD		14
#define GROWTH_DEEP		24
#define GROWTH_DEEP_PART	4

/* The nodes that PERF_METRICS have up to level 2, and some that no release has yet. */
#define GROWTH_NODES_KNOWN	0xfffULL
#define GROWTH_NODES		(GROWTH_NODES_KNOWN | 1ULL << GROWTH_CHILD | 1ULL << 20 | \
				 1ULL << GROWTH_DEEP | 1ULL << 63)
#define GROWTH_CLAMPED		(1ULL << 2 | 1ULL << 33)
/* A kind of core that no release knows yet. */
#define GROWTH_KIND		3

/* The kind of each CPU. */
static inline unsigned int growth_kind(unsigned int cpu, int newer)
{
	if (!cpu)
		return TOPDOWN_KIND_CORE;
	return newer && cpu == 2 ? GROWTH_KIND : TOPDOWN_KIND_ATOM;
}

/* Sums like those of no other seed; the child of an odd one was not counted all the time. */
static inline void growth_sums(struct topdown_sums *sums, unsigned int seed)
{
	unsigned int i;

	sums->enabled_ns = 1000 * seed + 1;
	sums->running_ns = 900 * seed;
	sums->slots = 10000 + 4 * seed;
	sums->cycles = 2000 + seed;
	sums->instructions = 3000 + seed;
	sums->busy_ns = 800 * seed;
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++)
		sums->children_slots[i] = i == GROWTH_PARENT && seed % 2 ? sums->slots / 2 :
									   sums->slots;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		sums->node[i] = i < 4 ? 2500 + seed : i < 12 ? 1250 + seed * (i & 1) :
				100 * i + seed;
}

/* Seeds of the parts of a CPU's record, of its windows, and of a session's credits. */
#define GROWTH_TOTAL(cpu)	(10 + (cpu))
#define GROWTH_WINDOW(cpu, n)	(100 + 10 * (cpu) + (n))
#define GROWTH_OPEN(cpu)	(20 + (cpu))
#define GROWTH_CREDIT(cpu)	(40 + (cpu))

/* Tasks that dropped out of the session. */
#define GROWTH_DROPPED		9

#endif /* TOPDOWN_CHECK_GROWTH_H */
