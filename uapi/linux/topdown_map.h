/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/topdown: the map, with the record of every CPU and the history of its windows.
 *
 * A part of linux/topdown.h, which has the numbers of the commands, the rules of growth and
 * the errors.  Include that one.
 */
#ifndef _UAPI_LINUX_TOPDOWN_MAP_H
#define _UAPI_LINUX_TOPDOWN_MAP_H

#ifndef _UAPI_LINUX_TOPDOWN_H
#error "include <linux/topdown.h>"
#endif

/* topdown_map.magic: "topdown" and a zero, little endian. */
#define TOPDOWN_MAP_MAGIC	0x006e776f64706f74ULL

/**
 * struct topdown_map - the start of what mmap() of the device gives
 * @magic: TOPDOWN_MAP_MAGIC
 * @size: bytes in all: topdown_info.out_map_size
 * @header_size: sizeof(struct topdown_map) of the kernel
 * @nr_cpus: CPUs that have a record: one more than the highest number
 * @record_offset: bytes from the start to the struct topdown_map_record of CPU 0
 * @record_stride: bytes from that of one CPU to the next
 * @record_size: sizeof(struct topdown_map_record) of the kernel
 * @history_entries: windows kept for each CPU; 0 for no history
 * @history_size: sizeof(struct topdown_map_window) of the kernel
 * @history_offset: bytes from the start to the history of CPU 0
 * @history_stride: bytes from one window to the next
 * @__reserved: 0
 *
 * Map it read-only (PROT_READ, MAP_SHARED, offset 0).  One page has this header, @size bytes
 * have everything.  Reading needs no system call and disturbs no CPU.  Take the layout from the
 * header, not from this file; later kernels may add fields after those known here.
 *
 * The sums are those since the module was loaded.  A reader subtracts the sums that it saw
 * first.  Where they must count until now, it asks before by READ with TOPDOWN_READ_MAPPED.
 */
struct topdown_map {
	__aligned_u64 magic;
	__aligned_u64 size;
	__u32 header_size;
	__u32 nr_cpus;
	__aligned_u64 record_offset;
	__u32 record_stride;
	__u32 record_size;
	__u32 history_entries;
	__u32 history_size;
	__aligned_u64 history_offset;
	__u32 history_stride;
	__u32 __reserved;
};

/**
 * struct topdown_map_record - the record of one CPU in the map
 * @seq: odd while the CPU writes the record; each write changes it
 * @cpu: this and the next are as READ without TOPDOWN_READ_FRESH gives them in a struct
 *	topdown_record
 * @state: see there
 * @source: see there
 * @level: see there
 * @kind: see there
 * @slots_per_cycle: see there
 * @nr_cpus: see there
 * @flags: see there
 * @turns: see there
 * @nodes: see there
 * @clamped: see there
 * @windows: see there
 * @time_ns: see there
 * @window_time_ns: see there
 * @total: see there
 * @window: see there
 * @open: the open window, as far as it has been counted
 *
 * To read it consistently, with the fields that the kernel does not know 0::
 *
 *	size = map->record_size < sizeof(copy) ? map->record_size : sizeof(copy);
 *	memset(&copy, 0, sizeof(copy));
 *	do {
 *		seq = __atomic_load_n(&entry->seq, __ATOMIC_ACQUIRE);
 *		memcpy(&copy, entry, size);
 *		__atomic_thread_fence(__ATOMIC_ACQUIRE);
 *	} while ((seq & 1) || __atomic_load_n(&entry->seq, __ATOMIC_RELAXED) != seq);
 *
 * The writer does not sleep meanwhile, so a few tries suffice.  Bound the loop nevertheless:
 * a hypervisor can take the writer's CPU away.
 */
struct topdown_map_record {
	__u32 seq;
	__u32 cpu;
	__u32 state;
	__u32 source;
	__u32 level;
	__u32 kind;
	__u32 slots_per_cycle;
	__u32 nr_cpus;
	__u32 flags;
	__u32 turns;
	__aligned_u64 nodes;
	__aligned_u64 clamped;
	__aligned_u64 windows;
	__aligned_u64 time_ns;
	__aligned_u64 window_time_ns;
	struct topdown_sums total;
	struct topdown_sums window;
	struct topdown_sums open;
};

/**
 * struct topdown_map_window - one window in a CPU's history
 * @number: number of the window since the module was loaded, from 1; 0 for none, and
 *	while the entry is being written
 * @time_ns: when the window ended, CLOCK_MONOTONIC
 * @nodes: as topdown_record.nodes, in that window
 * @clamped: as topdown_record.clamped, in that window
 * @sums: its slots
 *
 * Window n is entry (n - 1) % history_entries of the CPU.  Read @number, copy the entry, and read
 * @number again, with the barriers above.  If it was not n both times, a later window has
 * overwritten it.
 */
struct topdown_map_window {
	__aligned_u64 number;
	__aligned_u64 time_ns;
	__aligned_u64 nodes;
	__aligned_u64 clamped;
	struct topdown_sums sums;
};

#endif /* _UAPI_LINUX_TOPDOWN_MAP_H */
