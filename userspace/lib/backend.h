/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two backends that measure the regions of a thread, as region.c sees them.
 */
#ifndef TOPDOWN_BACKEND_H
#define TOPDOWN_BACKEND_H

#include "known.h"
#include "internal.h"

/**
 * struct td_point - the times and slots of a thread until now
 * @enabled_ns: time on CPUs
 * @running_ns: the part of it that was measured
 * @slots: all slots that were counted
 * @children_slots: as topdown_figures.children_slots (module), or not used (RDPMC)
 * @part: slots of the nodes (module) or of the PERF_METRICS fields (RDPMC)
 *
 * Only differences have a meaning.  A difference can be a little below 0, so it is modulo
 * 2^64, and only sums of differences are counts.
 */
struct td_point {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t slots;
	uint64_t children_slots[TOPDOWN_MAX_PARENTS];
	uint64_t part[TD_NR_NODES];
};

struct td_backend;

/**
 * struct td_backend_ops - the operations of a backend
 * @begin: read at the begin of a region that uses so many slots on average
 * @end: read at the end of a region
 * @figures: make figures, with ratios, of a sum of differences
 * @destroy: free it; @child in a forked process, which has its memory, but
 *	neither its thread nor all of its mappings
 *
 * @begin and @end return 1 if they called the kernel, 0 if not, or a negative
 * errno.
 */
struct td_backend_ops {
	int (*begin)(struct td_backend *backend, uint64_t average, struct td_point *point);
	int (*end)(struct td_backend *backend, struct td_point *point);
	void (*figures)(const struct td_backend *backend, const struct td_point *sum,
			struct topdown_figures *figures);
	void (*destroy)(struct td_backend *backend, bool child);
};

struct td_backend {
	const struct td_backend_ops *ops;
	enum topdown_region_backend kind;
	unsigned int level;
	uint32_t nodes;
	unsigned int source;
};

int td_backend_module(struct td_backend **out, struct topdown *td);
/* @reason says why it failed, if it does. */
int td_backend_rdpmc(struct td_backend **out, enum topdown_region_reason *reason);

#endif /* TOPDOWN_BACKEND_H */
