/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: Top-Down (TMA) figures of CPUs and tasks from the topdown module.
 *
 * Functions that can fail return 0 or a negative errno.  A function that fails has changed
 * nothing, but for -EPROTO of topdown_watch_wait() and
 * _read(), with which a watch event is lost.  The library never prints and has no global state.
 * It keeps a descriptor of the device, one more for a handle that waits, and those of perf
 * events for regions that are read by RDPMC.  Handles are independent of each other.  Two threads
 * must not use one handle or one reading at the same time, except for topdown_watch_cancel().
 * Several readings of one device may be updated at the same time.
 *
 * Structures of <linux/topdown.h> may grow at their end.  So a function hands out the address
 * of one, or takes the size that the caller knows.  struct topdown_figures, which the caller
 * allocates, has its final size.
 *
 * 64-bit numbers in structures and as results are __u64, which is unsigned long long on 32-bit
 * and 64-bit x86: print them with %llu.  In C++ the names of structures need no struct.
 *
 * A set of CPUs is an array of 64-bit words: CPU n is bit n % 64 of word n / 64.  NULL with 0
 * words means all CPUs.  All functions refuse an empty set, words without an address and an
 * address without words with -EINVAL, and more than TOPDOWN_CPUS_WORDS_MAX words with -E2BIG.
 */
#ifndef TOPDOWN_H
#define TOPDOWN_H

#include <linux/topdown.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TOPDOWN_DEVICE		"/dev/topdown"

struct topdown;
struct topdown_reading;
struct topdown_map_view;
struct topdown_session_map_view;

/**
 * topdown_version() - version of the library
 *
 * Return: a static string such as "1.0.0".
 */
const char *topdown_version(void);

/**
 * topdown_open() - open the device
 * @out: the new handle; untouched on error
 * @path: path of the device, or NULL for TOPDOWN_DEVICE
 *
 * Checks that the path belongs to the module before it calls it.  The device is opened for
 * reading and writing, and without the right to write for reading only: such a handle reads and
 * maps CPUs, and all functions that attach, add or remove give -EBADF.  The module cannot
 * be unloaded while there is a handle, a session, a view or a map.
 *
 * Return: 0; -ENOTTY if @path is no character device; -ENODEV if it belongs to
 * another driver; -EPROTO if its answer makes no sense; -ENOENT when the
 * module is not loaded; -EACCES when the caller may not open the device; or another error
 * of open(2).
 */
int topdown_open(struct topdown **out, const char *path);

/**
 * topdown_open_fd() - make a handle from an open descriptor
 * @out: the new handle; untouched on error
 * @fd: descriptor of the device, for example one that another process has sent.  It keeps the
 *	rights of the process that opened it.  The handle takes it over and sets it to close
 *	on exec; on error it stays the caller's
 *
 * The handle has the watches that the descriptor has.  Its watch events have the size that the
 * first watch of the descriptor asked for.
 *
 * Return: 0; -EBADF if @fd is not open; else as topdown_open().
 */
int topdown_open_fd(struct topdown **out, int fd);

/**
 * topdown_close() - close the device
 * @td: handle, or NULL; its readings must have been destroyed
 */
void topdown_close(struct topdown *td);

/**
 * topdown_fd() - the descriptor of a handle, which the library goes on to own
 * @td: handle
 *
 * Return: the descriptor, which closes on exec.
 */
int topdown_fd(const struct topdown *td);

/**
 * topdown_info_get() - what the module and the machine can do
 * @td: handle
 *
 * Return: the answer that topdown_open() or the last topdown_info_update() got, valid until
 * topdown_close().  Fields that an older module lacks are 0.
 */
const struct topdown_info *topdown_info_get(const struct topdown *td);

/**
 * topdown_info_update() - ask again, because the period can change at any time
 * @td: handle
 *
 * Return: 0 or a negative errno.  On error topdown_info_get() stays as it was.
 */
int topdown_info_update(struct topdown *td);

/**
 * topdown_has() - whether the module has features
 * @td: handle
 * @features: TOPDOWN_FEATURE_* bits
 *
 * Return: true if it has all of them.
 */
bool topdown_has(const struct topdown *td, uint64_t features);

/**
 * topdown_cpus_parse() - read a list of CPUs
 * @text: CPUs and ranges, separated by commas, such as 0-3,8: the format of
 *	/sys/devices/system/cpu/online, without the end of the line
 * @cpus: the set; on error the CPUs that come before @where
 * @words: words in @cpus; other functions take at most TOPDOWN_CPUS_WORDS_MAX
 * @where: on error the wrong number or range, in @text; may be NULL
 *
 * Return: 0; -EINVAL for a text that is no list, an empty list or a range from high to low;
 * -ERANGE for a CPU that does not fit into @words; -EEXIST for a CPU that is named twice.
 */
int topdown_cpus_parse(const char *text, uint64_t *cpus, unsigned int words,
		       const char **where);

/**
 * topdown_cpus_text() - write a set of CPUs as a list
 * @cpus: set of CPUs, which may be empty
 * @words: words in @cpus
 * @text: written; ends with a NUL if @size is not 0
 * @size: room in @text; may be 0
 *
 * Return: characters of the whole list, as snprintf() does: @size or more if it was cut.
 */
size_t topdown_cpus_text(const uint64_t *cpus, unsigned int words, char *text, size_t size);

/**
 * topdown_reading_create() - make room for the records of a set of CPUs
 * @out: the new reading, empty until updated; untouched on error
 * @td: handle, which must outlive the reading
 * @cpus: set of CPUs, which is copied
 * @words: words in @cpus
 *
 * A reading of all CPUs has the CPUs that are present and those that were ever measured, online
 * or not.  It leaves out CPUs that are possible but were never present: a virtual machine may
 * have hundreds of them.  The next update has a CPU that came meanwhile.
 *
 * Return: 0; -EINVAL or -E2BIG for an impossible set; -ENOMEM.
 */
int topdown_reading_create(struct topdown_reading **out, struct topdown *td,
			   const uint64_t *cpus, unsigned int words);

/**
 * topdown_reading_destroy() - free a reading
 * @reading: reading, or NULL
 */
void topdown_reading_destroy(struct topdown_reading *reading);

/**
 * topdown_reading_update() - read all CPUs of the set in one system call
 * @reading: reading
 * @flags: TOPDOWN_READ_FRESH to count until now; 0 for what the module has already
 *
 * Return: 0; -EACCES when this process may not see whole CPUs; -EINVAL when the set has an
 * impossible CPU; -EOPNOTSUPP for a flag that the module does not know; -ENOTTY when the
 * module cannot read at all; -ENOMEM.  On error the reading keeps the records of the last
 * update.
 */
int topdown_reading_update(struct topdown_reading *reading, unsigned int flags);

/**
 * topdown_reading_update_map() - read all CPUs of the set from the map
 * @reading: reading, which may also be updated by topdown_reading_update()
 * @map: map of the same device, which must outlive the reading or its next update
 * @flags: TOPDOWN_READ_FRESH to count until now, by a system call that gives no records;
 *	0 for what the module has already, without a system call
 *
 * The records are those of topdown_reading_update(), but have no ratios, and their window is
 * always the last one.  topdown_reading_find() finds no sum, while topdown_reading_between() has
 * the sum of the differences, with all ratios.  Records that have not changed since the last
 * update of this reading by this function are not copied again, so that CPUs which sleep cost
 * next to nothing.
 *
 * Return: 0; -EINVAL when the set names a CPU that the machine cannot have, or for another flag;
 * -EAGAIN as topdown_map_read_record(); -EOPNOTSUPP when the module cannot count until now;
 * -ENOMEM.  On error the reading is empty.
 */
int topdown_reading_update_map(struct topdown_reading *reading,
			       const struct topdown_map_view *map, unsigned int flags);

/**
 * topdown_reading_nr() - number of CPUs in a reading
 * @reading: reading
 *
 * Return: 0 before the first update.
 */
unsigned int topdown_reading_nr(const struct topdown_reading *reading);

/**
 * topdown_reading_time() - when a reading was taken
 * @reading: reading
 *
 * Return: CLOCK_MONOTONIC in ns as the last update returned; 0 before it.
 */
__u64 topdown_reading_time(const struct topdown_reading *reading);

/**
 * topdown_reading_record() - one record by position
 * @reading: reading
 * @i: position, in the order of CPU numbers
 *
 * Return: the record, valid until the next update; NULL beyond the last.
 */
const struct topdown_record *
topdown_reading_record(const struct topdown_reading *reading, unsigned int i);

/**
 * topdown_reading_find() - one record by CPU
 * @reading: reading
 * @cpu: CPU number, or TOPDOWN_CPU_ALL for the sum over the set
 *
 * Return: the record, valid until the next update; NULL if it is not there.
 */
const struct topdown_record *
topdown_reading_find(const struct topdown_reading *reading, uint32_t cpu);

/**
 * topdown_reading_between() - figures of the time between two readings
 * @then: the earlier reading
 * @now: the later one, of the same set and handle
 * @cpu: CPU number, or TOPDOWN_CPU_ALL for the sum over the set
 * @level: highest level of nodes that get a ratio
 * @out: the figures, not scaled up; untouched on error
 *
 * The span is exact if both were updated with TOPDOWN_READ_FRESH.
 *
 * Return: 0, -ENOENT if one of them lacks @cpu, or -ERANGE if @now is not the later one.
 */
int topdown_reading_between(const struct topdown_reading *then,
			    const struct topdown_reading *now, uint32_t cpu,
			    unsigned int level, struct topdown_figures *out);

/**
 * topdown_map_open() - map the records and the history of all CPUs
 * @out: the new map; untouched on error
 * @td: handle, which may be closed before the map
 *
 * Later reads only read memory: they make no system call and interrupt no CPU.  Several threads
 * may read one map at the same time.
 *
 * Return: 0; -EOPNOTSUPP when the module is too old to have a map; -EACCES when
 * this process may not see whole CPUs; -EPROTO when the map's header makes no
 * sense; -ENOMEM.
 */
int topdown_map_open(struct topdown_map_view **out, struct topdown *td);

/**
 * topdown_map_close() - unmap
 * @map: map, or NULL
 */
void topdown_map_close(struct topdown_map_view *map);

/**
 * topdown_map_nr_cpus() - number of CPUs in a map
 * @map: map
 *
 * Return: one more than the highest possible CPU number.
 */
unsigned int topdown_map_nr_cpus(const struct topdown_map_view *map);

/**
 * topdown_map_history() - number of windows kept for each CPU
 * @map: map
 *
 * Return: the module's parameter history; 0 for none.
 */
unsigned int topdown_map_history(const struct topdown_map_view *map);

/**
 * topdown_map_read_record() - copy one CPU's record
 * @map: map
 * @cpu: CPU number
 * @out: the record with its ratios; untouched on error
 * @size: sizeof(*@out)
 * @open: written: the open window, as far as it was counted; may be NULL
 *
 * The record is that of topdown_reading_update() without TOPDOWN_READ_FRESH, except that
 * @out->total counts since the module was loaded.
 *
 * Return: 0; -ENOENT for an impossible CPU (possible numbers may have gaps); -EINVAL for a
 * @size that was never released; -EAGAIN if the kernel was writing all the time, as when a
 * hypervisor stopped the CPU while it wrote.
 */
int topdown_map_read_record(const struct topdown_map_view *map, uint32_t cpu,
			    struct topdown_record *out, size_t size,
			    struct topdown_figures *open);

/**
 * struct topdown_window - one window in a CPU's history
 * @number: number of the window since the module was loaded, from 1
 * @time_ns: when the window ended, CLOCK_MONOTONIC
 * @nodes: as topdown_record.nodes, in that window
 * @clamped: as topdown_record.clamped, in that window
 * @figures: its figures
 */
struct topdown_window {
	__u64 number;
	__u64 time_ns;
	__u64 nodes;
	__u64 clamped;
	struct topdown_figures figures;
};

/**
 * topdown_map_read_window() - copy one window of a CPU's history
 * @map: map
 * @cpu: CPU number
 * @number: number of the window, from 1; the last one's is topdown_record.windows
 * @level: highest level of nodes that get a ratio
 * @out: the window; untouched on error
 * @size: sizeof(*@out)
 *
 * Return: 0; -ENOENT if the window is open or no longer kept, the CPU is impossible, or the
 * module keeps no history; -EINVAL for number 0 or a wrong @size.
 */
int topdown_map_read_window(const struct topdown_map_view *map, uint32_t cpu, uint64_t number,
			    unsigned int level, struct topdown_window *out, size_t size);

/**
 * topdown_record_between() - figures of the time between two records
 * @then: the earlier record
 * @now: the later one, of the same CPU and from the same source
 * @level: highest level of nodes that get a ratio
 * @out: the figures, not scaled up; untouched on error
 *
 * Return: 0, -EINVAL for two CPUs, or -ERANGE if @now is not the later one.
 */
int topdown_record_between(const struct topdown_record *then,
			   const struct topdown_record *now, unsigned int level,
			   struct topdown_figures *out);

/**
 * topdown_figures_add() - add the figures of another CPU
 * @sum: the caller zeroes it before the first call; its ratios are those of the sum
 * @more: the figures to add
 * @level: highest level of nodes that get a ratio
 */
void topdown_figures_add(struct topdown_figures *sum, const struct topdown_figures *more,
			 unsigned int level);

/**
 * topdown_figures_has() - whether the count of a node may be used
 * @figures: of a record, a window, a difference, a sum, a session or a region
 * @node: enum topdown_node
 *
 * One rule holds for all figures that the library hands out.  If a node has a ratio, the CPUs
 * have the node, and it was counted all the time, so node[] has all its slots.  There is no need
 * to look at topdown_record.nodes and .level, because the ratios depend on them already.
 * Figures without slots have no node.
 *
 * Return: true if @figures have a count and a ratio of @node.
 */
bool topdown_figures_has(const struct topdown_figures *figures, unsigned int node);

/**
 * topdown_figures_ratio() - the ratio of a node
 * @figures: as for topdown_figures_has()
 * @node: enum topdown_node
 *
 * Return: 0.0 to 1.0; NaN if topdown_figures_has() says no.
 */
double topdown_figures_ratio(const struct topdown_figures *figures, unsigned int node);

/**
 * topdown_figures_ipc() - retired instructions per cycle
 * @figures: as for topdown_figures_has()
 *
 * A region has none.
 *
 * Return: instructions in a cycle in which the CPU was not halted; NaN if cycles were not
 * counted.
 */
double topdown_figures_ipc(const struct topdown_figures *figures);

/**
 * topdown_figures_busy() - the share of a time in which CPUs were not idle
 * @figures: of a record, a window, a difference or a sum of these; sessions and regions
 *	have no busy time
 * @time_ns: length of that time.  A window has it in enabled_ns.  For a difference of two
 *	readings it is the time between them, and for a sum that of all its CPUs added up:
 *	an idle CPU does not count until now
 *
 * The device must have TOPDOWN_FEATURE_BUSY, or the busy time is 0.
 *
 * Return: 0.0 to 1.0; NaN for no time.
 */
double topdown_figures_busy(const struct topdown_figures *figures, uint64_t time_ns);

/**
 * topdown_watch_add() - add a watch: something to wait for
 * @td: handle
 * @cpus: set of CPUs
 * @words: words in @cpus
 * @what: size; node: enum topdown_node, or TOPDOWN_WATCH_ANY for each window that a timer ends;
 *	flags: TOPDOWN_WATCH_BELOW, _BACK and _SUM; ratio: threshold,
 *	0..TOPDOWN_RATIO_ONE; hold_ms: how long the windows of a CPU must be beyond it;
 *	min_slots: a window of fewer slots is within it, whatever the period is, so add the
 *	watch again when topdown_info.out_period_ms has changed.  All else is 0
 * @watch: number of the watch, from 1, which its watch events have; untouched on error
 *
 * Each CPU that crosses the threshold gives a watch event.  With TOPDOWN_WATCH_SUM the sum over
 * the CPUs does.  The descriptor of topdown_fd() polls as readable until the watch event is read.
 *
 * Return: 0; -EOPNOTSUPP when the module is too old, or does not know a flag or the node,
 * or no CPU has the node; -EACCES as for topdown_map_open(); -ENOSPC for too many watches,
 * of the handle, of the user or of all; -EINVAL for a wrong value; -E2BIG for an impossible
 * set, or fields in @what that this library does not know; -ENOMEM.  -EINVAL also if the
 * first watch of a descriptor of topdown_open_fd() has asked for watch events of another size.
 */
int topdown_watch_add(struct topdown *td, const uint64_t *cpus, unsigned int words,
		      const struct topdown_watch *what, uint32_t *watch);

/**
 * topdown_watch_remove() - remove a watch, with its unread watch events
 * @td: handle
 * @watch: number of the watch; 0 for all watches of the descriptor, which may be none
 *
 * Return: 0; -ENOENT if the handle has no such watch; -EOPNOTSUPP when the module is too
 * old.
 */
int topdown_watch_remove(struct topdown *td, uint32_t watch);

/**
 * topdown_watch_wait() - wait for a watch event and read it
 * @td: handle; without a watch there is no watch event
 * @timeout_ms: longest wait; 0 for none, negative for no limit
 * @out: the first watch event; untouched on error
 * @size: sizeof(*@out)
 *
 * Return: 0; -EAGAIN if there was none in that time; -ECANCELED after
 * topdown_watch_cancel(); -EINTR after a signal; -EINVAL for a wrong @size; -EMFILE or
 * -ENFILE when there is no descriptor left for cancelling; -EACCES and -EOPNOTSUPP as for
 * topdown_watch_add().
 */
int topdown_watch_wait(struct topdown *td, int timeout_ms, struct topdown_event *out,
		       size_t size);

/**
 * topdown_watch_read() - wait for a watch event, and read as many as there are
 * @td: handle
 * @timeout_ms: longest wait for the first; 0 for none, negative for no limit
 * @out: the watch events; untouched on error
 * @nr: room in @out, at least 1; on success the number of watch events, at least 1
 * @size: sizeof(*@out)
 *
 * Return: as topdown_watch_wait(); -EINVAL also for no room.
 */
int topdown_watch_read(struct topdown *td, int timeout_ms, struct topdown_event *out,
		       unsigned int *nr, size_t size);

/**
 * topdown_watch_cancel() - end a wait
 * @td: handle
 *
 * The present topdown_watch_wait() or _read() returns -ECANCELED.  If there is none, the next one
 * that may sleep does, once.  Watch events stay for the wait after that.  Any thread may call this
 * at any time before topdown_close(), and so may a handler of a signal.
 *
 * Return: 0; -EMFILE or -ENFILE when there is no descriptor left for it.
 */
int topdown_watch_cancel(struct topdown *td);

#ifdef __cplusplus
}
#endif

#include "topdown_names.h"
#include "topdown_region.h"
#include "topdown_session.h"
#include "topdown_latency.h"
#include "topdown_owners.h"
#include "topdown_stall.h"
#include "topdown_stalls.h"

#endif /* TOPDOWN_H */
