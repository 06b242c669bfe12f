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

/* The nodes that PERF_METRICS have up to level 2, and some that no release has yet. */
#define GROWTH_NODES_KNOWN	0xfffULL
#define GROWTH_NODES		(GROWTH_NODES_KNOWN | 1ULL << 14 | 1ULL << 20 | 1ULL << 63)
#define GROWTH_CLAMPED		(1ULL << 2 | 1ULL << 33)
/* A kind of core that no release knows yet. */
#define GROWTH_KIND		4

/* The kind of each CPU. */
static inline unsigned int growth_kind(unsigned int cpu, int newer)
{
	if (!cpu)
		return TOPDOWN_KIND_CORE;
	return newer && cpu == 2 ? GROWTH_KIND : TOPDOWN_KIND_ATOM;
}

/* Figures like those of no other seed; without ratios. */
static inline void growth_figures(struct topdown_figures *figures, unsigned int seed)
{
	unsigned int i;

	figures->enabled_ns = 1000 * seed + 1;
	figures->running_ns = 900 * seed;
	figures->slots = 10000 + 4 * seed;
	figures->cycles = 2000 + seed;
	figures->instructions = 3000 + seed;
	figures->busy_ns = 800 * seed;
	for (i = 0; i < TOPDOWN_NR_PARENTS; i++)
		figures->children_slots[i] = figures->slots;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		figures->node[i] = i < 4 ? 2500 + seed : i < 12 ? 1250 + seed * (i & 1) :
				   100 * i + seed;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		figures->ratio[i] = TOPDOWN_RATIO_NONE;
}

/* Seeds of the parts of a CPU's record, of its windows, and of a session's credits. */
#define GROWTH_TOTAL(cpu)	(10 + (cpu))
#define GROWTH_WINDOW(cpu, n)	(100 + 10 * (cpu) + (n))
#define GROWTH_OPEN(cpu)	(20 + (cpu))
#define GROWTH_BEFORE(cpu)	(30 + (cpu))
#define GROWTH_CREDIT(cpu)	(40 + (cpu))

/* Tasks that dropped out of the session. */
#define GROWTH_DROPPED		9

#endif /* TOPDOWN_CHECK_GROWTH_H */
