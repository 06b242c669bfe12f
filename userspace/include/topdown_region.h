/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: regions, parts of a program that are measured by themselves.
 *
 * A part of topdown.h, which has the rules of all functions.  Include that one.
 */
#ifndef TOPDOWN_REGION_H
#define TOPDOWN_REGION_H

#include <linux/topdown.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct topdown;
struct topdown_regions;

/**
 * enum topdown_region_backend - how a thread's regions are measured
 *
 * @TOPDOWN_REGION_AUTO: by the module; without one (td is NULL) by RDPMC
 * @TOPDOWN_REGION_MODULE: by a session of the module that is read at each begin
 *	and end: one system call each
 * @TOPDOWN_REGION_RDPMC: by the thread's own perf events, read in user mode; the
 *	library calls the kernel where the events do not run on this CPU, after a context
 *	switch, and to reset the 8-bit fractions of the CPU. While the thread runs, nobody else
 *	has the counter: neither the module nor other users of perf
 */
enum topdown_region_backend {
	TOPDOWN_REGION_AUTO	= 0,
	TOPDOWN_REGION_MODULE	= 1,
	TOPDOWN_REGION_RDPMC	= 2,
};

/**
 * enum topdown_region_reason - why regions are measured by this backend
 *
 * @TOPDOWN_REGION_ASKED: the caller asked for it, or for what disturbs nobody
 * @TOPDOWN_REGION_FAST: RDPMC, because there is no module
 * @TOPDOWN_REGION_NO_ARCH: no RDPMC: the library was built without it
 * @TOPDOWN_REGION_NO_RSEQ: no RDPMC: the C library has registered no restartable sequences for this
 *	thread; without them RDPMC could fault
 * @TOPDOWN_REGION_NO_METRICS: no RDPMC: the kernel has no Top-Down metrics events
 * @TOPDOWN_REGION_NO_RIGHTS: no RDPMC: perf does not let this process count them
 *	in kernel mode (perf_event_paranoid, CAP_PERFMON, security module)
 * @TOPDOWN_REGION_NO_RDPMC: no RDPMC: user mode may not read counters
 *	(/sys/bus/event_source/devices/cpu/rdpmc)
 * @TOPDOWN_REGION_TAKEN: no RDPMC: a pinned event has the SLOTS counter, as the module
 *	itself has with pinned=1
 * @TOPDOWN_REGION_FAILED: no RDPMC: the events could not be made: descriptors,
 *	memory, RLIMIT_MEMLOCK
 */
enum topdown_region_reason {
	TOPDOWN_REGION_ASKED		= 0,
	TOPDOWN_REGION_FAST		= 1,
	TOPDOWN_REGION_NO_ARCH		= 2,
	TOPDOWN_REGION_NO_RSEQ		= 3,
	TOPDOWN_REGION_NO_METRICS	= 4,
	TOPDOWN_REGION_NO_RIGHTS	= 5,
	TOPDOWN_REGION_NO_RDPMC		= 6,
	TOPDOWN_REGION_TAKEN		= 7,
	TOPDOWN_REGION_FAILED		= 8,
};

/**
 * struct topdown_region - the figures of all runs of a region
 * @backend: enum topdown_region_backend: TOPDOWN_REGION_MODULE or _RDPMC
 * @source: enum topdown_source of the figures; TOPDOWN_SOURCE_NONE without any
 * @level: highest level of the figures; 0 for none
 * @open: how many times it has begun and not ended
 * @count: number of runs; of runs inside each other only the outermost counts
 * @calls: number of readings, at begins and ends, that called the kernel
 * @figures: enabled_ns is the time that the thread was on CPUs in the region,
 *	running_ns the part of it that was measured.  The rest was on CPUs that
 *	cannot be measured, or others had the counter
 */
struct topdown_region {
	uint32_t backend;
	uint32_t source;
	uint32_t level;
	uint32_t open;
	__u64 count;
	__u64 calls;
	struct topdown_figures figures;
};

/**
 * topdown_regions_create() - prepare to measure regions of the calling thread
 * @out: the thread's regions; untouched on error
 * @td: handle, which must outlive them; NULL to do without the module
 * @backend: how to measure
 * @flags: none yet: 0
 *
 * The regions belong to the calling thread.  A process that is forked afterwards cannot use them.
 *
 * Return: 0; -EINVAL for an unknown backend or flag; -EOPNOTSUPP when the backend is not
 * possible on this machine; -EACCES when perf does not let this process count; -EBUSY when a
 * pinned event has the counter; of the module also the errors of topdown_session_attach(); of
 * perf those of perf_event_open(2) and mmap(2); -ENOMEM.
 */
int topdown_regions_create(struct topdown_regions **out, struct topdown *td,
			   enum topdown_region_backend backend, unsigned int flags);

/**
 * topdown_regions_destroy() - forget regions and end their measurement
 * @regions: regions, or NULL; may be open.  Another thread may destroy them once their
 *	own thread has stopped using them
 */
void topdown_regions_destroy(struct topdown_regions *regions);

/**
 * topdown_regions_backend() - how regions are measured
 * @regions: regions
 * @reason: why, or NULL
 *
 * Return: TOPDOWN_REGION_MODULE or TOPDOWN_REGION_RDPMC.
 */
enum topdown_region_backend topdown_regions_backend(const struct topdown_regions *regions,
						    enum topdown_region_reason *reason);

/**
 * topdown_region_reason_text() - a reason in words
 * @reason: enum topdown_region_reason
 *
 * Return: for example "user mode may not read counters"; "unknown" for an unknown one.
 */
const char *topdown_region_reason_text(unsigned int reason);

/**
 * topdown_region_id() - number of the region of a name
 * @regions: regions
 * @name: any text except an empty one; copied
 *
 * Return: the number, from 0, always the same for the same name; -EPERM in another thread or
 * process; -EINVAL for an empty name; -ENOSPC for more than 4096 regions; -ENOMEM.
 */
int topdown_region_id(struct topdown_regions *regions, const char *name);

/**
 * topdown_region_name() - name of a region
 * @regions: regions
 * @id: number
 *
 * Return: the name, valid as long as @regions; NULL for a number without a region.
 */
const char *topdown_region_name(const struct topdown_regions *regions, unsigned int id);

/**
 * topdown_region_begin() - the calling thread enters a region
 * @regions: regions of the calling thread
 * @id: number, from topdown_region_id()
 *
 * Regions may be nested.  An outer region includes its inner ones.  Do not call this in a handler
 * of a signal that may come during begin or end.
 *
 * Return: 0; -EPERM in a thread or process that @regions do not belong to; -EINVAL for a
 * number without a region; -ENOSPC when 64 are open; or the error of reading.
 */
int topdown_region_begin(struct topdown_regions *regions, int id);

/**
 * topdown_region_end() - the calling thread leaves the region entered last
 * @regions: regions of the calling thread
 * @id: its number
 *
 * Return: 0; -EPERM as above; -EINVAL if it is not the region entered last; or the error of
 * reading: then the region stays open.
 */
int topdown_region_end(struct topdown_regions *regions, int id);

/**
 * topdown_region_read() - read the figures of a region
 * @regions: regions
 * @id: number
 * @out: the region; untouched on error.  A run that has not ended is not in it yet
 * @size: sizeof(*@out)
 *
 * Return: 0; -EINVAL for a number without a region, or a @size that was never released.
 */
int topdown_region_read(const struct topdown_regions *regions, int id,
			struct topdown_region *out, size_t size);

/**
 * topdown_region_reset() - set a region to 0
 * @regions: regions of the calling thread
 * @id: number
 *
 * Return: 0; -EPERM in another thread or process; -EINVAL for a number without a
 * region; -EBUSY if it is open.
 */
int topdown_region_reset(struct topdown_regions *regions, int id);

#ifdef __cplusplus
}
#endif

#endif /* TOPDOWN_REGION_H */
