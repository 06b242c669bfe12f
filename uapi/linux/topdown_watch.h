/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/topdown: watches, which wake up a reader.
 *
 * A part of linux/topdown.h, which has the numbers of the commands, the rules of growth and
 * the errors.  Include that one.
 */
#ifndef _UAPI_LINUX_TOPDOWN_WATCH_H
#define _UAPI_LINUX_TOPDOWN_WATCH_H

#ifndef _UAPI_LINUX_TOPDOWN_H
#error "include <linux/topdown.h>"
#endif

/*
 * topdown_watch.node: a watch event for each window that the timer of a CPU ends, whatever its
 * ratios are.  Windows that end with their group of counters, by hotplug, suspend or when other
 * groups are made, give none.  topdown_record.windows counts all.
 */
#define TOPDOWN_WATCH_ANY	0xffffffffU

/* The watch event is a ratio below the threshold, not one above it. */
#define TOPDOWN_WATCH_BELOW	(1U << 0)
/* Also give a watch event, with TOPDOWN_EVENT_BACK, when the ratio is back within. */
#define TOPDOWN_WATCH_BACK	(1U << 1)
/*
 * Compare the sum over the CPUs, not each CPU, when a window ends and a period has passed since
 * the last time.  The sum has all windows that ended since then, so each window is in one sum.
 * A sum waits for CPUs that the sum before had a window of, for two ticks more than a period at
 * most, and then for the next window.
 */
#define TOPDOWN_WATCH_SUM	(1U << 2)
/* Remove a watch, with its unread watch events, instead of adding one. */
#define TOPDOWN_WATCH_REMOVE	(1U << 3)

/**
 * struct topdown_watch - argument of TOPDOWN_WATCH: what poll() waits for
 * @size: sizeof(struct topdown_watch) of the caller, at least 64
 * @flags: TOPDOWN_WATCH_*; 0 with TOPDOWN_WATCH_ANY
 * @cpus: as in struct topdown_read
 * @cpus_words: as in struct topdown_read
 * @node: enum topdown_node, or TOPDOWN_WATCH_ANY
 * @ratio: threshold, 0..TOPDOWN_RATIO_ONE; 0 with TOPDOWN_WATCH_ANY
 * @hold_ms: how long the windows of a CPU must be beyond the threshold without a break,
 *	at most 3600000; 0 with TOPDOWN_WATCH_ANY.  It begins again after idle time
 * @min_slots: a window of fewer slots counts as within the threshold, and is left out with
 *	TOPDOWN_WATCH_ANY.  So a nearly idle CPU gives no watch event.  With
 *	TOPDOWN_WATCH_SUM: the least number of slots of the sum.  It is not scaled when the
 *	period changes: add the watch again when topdown_info.out_period_ms differs
 * @watch: with TOPDOWN_WATCH_REMOVE the number of the watch, or 0 for all watches of the
 *	descriptor, which may be none; else 0
 * @event_size: sizeof(struct topdown_event) of the caller, at least 32 and at most a page.
 *	read() gives watch events of this size.  All watches of the descriptor must have the
 *	size of its first one, even if that has been removed
 * @out_watch: number of the new watch, from 1, for this descriptor.  A number is not used
 *	again while the descriptor is open.  The watch events have it
 * @__reserved: must be 0
 *
 * A descriptor has up to 256 watches.  A descriptor without a watch has no watch events: it is
 * never readable, and read() waits for a watch event of a watch that is added meanwhile.
 * With TOPDOWN_WATCH_REMOVE all fields but @size, @flags and @watch must be 0.
 *
 * There is one watch event when a CPU crosses the threshold, and the next when it crosses
 * it again after it has been back within it.  A window without slots or without the node
 * (see TOPDOWN_RECORD_DRILLDOWN) counts as within.  So does time in which the CPU was not
 * measured, if only while its groups of ordinary counters were replaced.  A CPU that goes
 * offline, or is given up, is back at once; a sum is when none of its CPUs is measured.
 *
 * An idle CPU ends no window: its state does not change, and it sends no TOPDOWN_EVENT_BACK.
 * Its open window ends when it works again.  A window of more than two periods and two ticks
 * has idle time.  It counts for @hold_ms as one period, and windows before it do not count.  A sum
 * has idle time when none of its CPUs ends a window for so long.
 */
struct topdown_watch {
	__u32 size;
	__u32 flags;
	__aligned_u64 cpus;
	__u32 cpus_words;
	__u32 node;
	__u32 ratio;
	__u32 hold_ms;
	__aligned_u64 min_slots;
	__u32 watch;
	__u32 event_size;
	__u32 out_watch;
	__u32 __reserved[3];
};

/* topdown_event.flags: the CPU, or the sum, is back within the threshold. */
#define TOPDOWN_EVENT_BACK	(1U << 0)

/**
 * struct topdown_event - what read() of the device gives: a watch event
 * @watch: number of the watch
 * @flags: TOPDOWN_EVENT_*
 * @cpu: CPU number, or TOPDOWN_CPU_ALL with TOPDOWN_WATCH_SUM
 * @ratio: ratio of the node in the latest window, or in the latest sum.
 *	TOPDOWN_RATIO_NONE with TOPDOWN_WATCH_ANY, and where a CPU is back because it had
 *	too few slots or was not measured
 * @count: how often it happened since the last read, at least 1
 * @time_ns: end of the latest window, or when its CPU was not measured any more;
 *	CLOCK_MONOTONIC
 *
 * The kernel keeps one watch event for each watch, CPU and set of flags, and counts in it
 * what happens until it is read.  So none is lost for lack of room.  They are in the order
 * in which they first happened, but for those of one watch and CPU, of which the latest is the
 * last: it says where the CPU is now.  read() gives as many as there are and fit, one after the
 * other.  Each is cut to, or padded with zeros up to, topdown_watch.event_size.
 */
struct topdown_event {
	__u32 watch;
	__u32 flags;
	__u32 cpu;
	__u32 ratio;
	__aligned_u64 count;
	__aligned_u64 time_ns;
};

#endif /* _UAPI_LINUX_TOPDOWN_WATCH_H */
