/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: Top-Down (TMA) figures of CPUs and tasks from the topdown module.
 *
 * Functions that can fail return 0 or a negative errno, and have changed
 * nothing when they fail.  The library never prints, has no global state, and
 * keeps no other descriptors open than the device's, one more for who waits, and,
 * for regions that are read by RDPMC, those of perf events.  Handles of different
 * threads are independent; one handle (or reading) must not be used by two threads
 * at once, but for topdown_watch_cancel(), and several readings of one device may be
 * updated at the same time.
 *
 * Structures of <linux/topdown.h> may grow at their end.  They are only handed out
 * by address, or come with the size that the caller knows; struct
 * topdown_figures, which the caller allocates, has its final size.
 *
 * Numbers of 64 bits in structures and as results are __u64: print them with %llu, as
 * it is unsigned long long on x86 of either width.  In C++ no structure needs the word
 * struct.
 *
 * A set of CPUs is an array of 64-bit words, in which CPU n is bit n % 64 of word
 * n / 64.  NULL and 0 words are all CPUs.  Everywhere an empty set, words without
 * an address and an address without words are -EINVAL, and more than
 * TOPDOWN_CPUS_WORDS_MAX words -E2BIG.
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
struct topdown_session_view;

/**
 * topdown_version() - version of the library
 *
 * Return: a static string such as "0.1.0".
 */
const char *topdown_version(void);

/**
 * topdown_open() - open the device
 * @out: the new handle; untouched on error
 * @path: device node, or NULL for TOPDOWN_DEVICE
 *
 * Asks nothing of the node before it is known to be the right one.  It is opened for
 * reading only, which is all that is needed.  The module cannot be unloaded while
 * there is a handle or a map.
 *
 * Return: 0; -ENOTTY if @path is no character device; -ENODEV if it belongs to
 * another driver; -EPROTO if its answer makes no sense; -ENOENT when the
 * module is not loaded; -EACCES when the node may not be opened; or what else
 * open(2) fails with.
 */
int topdown_open(struct topdown **out, const char *path);

/**
 * topdown_open_fd() - make a handle of a descriptor that is open already
 * @out: the new handle; untouched on error
 * @fd: descriptor of the device node, as another process may have sent it: it may see
 *	what the process that opened it could.  From now on the handle's, and closes on
 *	exec; on error it stays the caller's
 *
 * Sessions, baseline and watches belong to the descriptor, and are there if it has any.
 * Events of its watches are read if they have the first released size.
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
 * topdown_fd() - the descriptor, which stays the library's
 * @td: handle
 *
 * Return: a descriptor that closes on exec.
 */
int topdown_fd(const struct topdown *td);

/**
 * topdown_info_get() - what the module and the machine can do
 * @td: handle
 *
 * Return: what topdown_open() or the last topdown_info_update() learnt, valid
 * until topdown_close().  Fields that an older module lacks are 0.
 */
const struct topdown_info *topdown_info_get(const struct topdown *td);

/**
 * topdown_info_update() - ask again, as the period can be changed at any time
 * @td: handle
 *
 * Return: 0 or a negative errno, in which case topdown_info_get() is as it was.
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
 * @text: CPUs and ranges with commas between, such as 0-3,8, and nothing else, as the
 *	kernel has them in /sys/devices/system/cpu/online, less the end of the line
 * @cpus: the set; on error the CPUs of those parts that come before @where
 * @words: words in @cpus, at most TOPDOWN_CPUS_WORDS_MAX for a set to be used here
 * @where: on error the number or range at fault, in @text; may be NULL
 *
 * Return: 0; -EINVAL for what is no list, an empty one or a range from high to low;
 * -ERANGE for a CPU that @words have no room for; -EEXIST for a CPU that is named
 * twice.
 */
int topdown_cpus_parse(const char *text, uint64_t *cpus, unsigned int words,
		       const char **where);

/**
 * topdown_cpus_text() - write a set of CPUs as a list
 * @cpus: set of CPUs, which may be empty
 * @words: words in @cpus
 * @text: where to; ends with a NUL if there is room for that
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
 * A reading of all CPUs has those that are plugged in and those that have been
 * measured, online or not, but none that the machine could only get: of these a
 * virtual machine may have hundreds.  One that comes later is in the next update.
 *
 * Return: 0; -EINVAL or -E2BIG for a set that cannot be; -ENOMEM.
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
 * @flags: TOPDOWN_READ_FRESH to count until now; 0 for what is known already
 *
 * Return: 0; -EACCES when this process may not see whole CPUs; -EINVAL when
 * the set names a CPU that the machine cannot have; -EOPNOTSUPP for a flag
 * that the module does not know; -ENOTTY when it cannot read at all; -ENOMEM.
 * On error the records of the previous update are still there.
 */
int topdown_reading_update(struct topdown_reading *reading, unsigned int flags);

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
 * @out: the figures, in which nothing was scaled; untouched on error
 *
 * The span is exact if both were updated with TOPDOWN_READ_FRESH.
 *
 * Return: 0, -ENOENT if one of them lacks @cpu, or -ERANGE if @now is not the
 * later one or the handle was reset in between.
 */
int topdown_reading_between(const struct topdown_reading *then,
			    const struct topdown_reading *now, uint32_t cpu,
			    unsigned int level, struct topdown_figures *out);

/**
 * topdown_sums_reset() - let the sums of this handle count from now on
 * @td: handle
 * @cpus: set of CPUs
 * @words: words in @cpus
 * @flags: TOPDOWN_RESET_FRESH to count until now first
 *
 * Nobody else's sums change.
 *
 * Return: as topdown_reading_update(); -EINVAL or -E2BIG for a set that cannot be.
 */
int topdown_sums_reset(struct topdown *td, const uint64_t *cpus, unsigned int words,
		       unsigned int flags);

/**
 * topdown_map_open() - map the records and the history of all CPUs
 * @out: the new map; untouched on error
 * @td: handle, which may be closed before the map
 *
 * All later reads are reads of memory: they make no system call and interrupt
 * no CPU.  Several threads may read one map at once.
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
 * Return: one more than the highest CPU number there can be.
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
 * @open: the open window, as far as it was counted, or NULL
 *
 * What topdown_reading_update() without TOPDOWN_READ_FRESH says, but that
 * @out->total counts since the module was loaded.
 *
 * Return: 0, -ENOENT if there cannot be such a CPU (numbers below that of others may
 * be missing), -EINVAL for a @size that was never released, or -EAGAIN if the kernel
 * was writing all the time, as when a hypervisor stopped the CPU in the middle of it.
 */
int topdown_map_read_record(const struct topdown_map_view *map, uint32_t cpu,
			    struct topdown_record *out, size_t size,
			    struct topdown_figures *open);

/**
 * topdown_map_read_window() - copy one window of a CPU's history
 * @map: map
 * @cpu: CPU number
 * @number: its number, from 1; that of the last is topdown_record.windows
 * @level: highest level of nodes that get a ratio
 * @out: the window; untouched on error
 * @size: sizeof(*@out)
 *
 * Return: 0; -ENOENT if the window has not closed yet, is no longer kept, or
 * there is no such CPU or no history; -EINVAL for number 0 or a wrong @size.
 */
int topdown_map_read_window(const struct topdown_map_view *map, uint32_t cpu, uint64_t number,
			    unsigned int level, struct topdown_map_window *out, size_t size);

/**
 * topdown_record_between() - figures of the time between two records
 * @then: the earlier record
 * @now: the later one, of the same CPU and from the same source
 * @level: highest level of nodes that get a ratio
 * @out: the figures, in which nothing was scaled; untouched on error
 *
 * Nothing in a record tells of a reset in between, unless a count got smaller.
 *
 * Return: 0, -EINVAL for two CPUs, or -ERANGE if @now is not the later one.
 */
int topdown_record_between(const struct topdown_record *then,
			   const struct topdown_record *now, unsigned int level,
			   struct topdown_figures *out);

/**
 * topdown_figures_add() - add the figures of another CPU
 * @sum: zeroed before the first; its ratios are those of the sum
 * @more: what is added
 * @level: highest level of nodes that get a ratio
 */
void topdown_figures_add(struct topdown_figures *sum, const struct topdown_figures *more,
			 unsigned int level);

/**
 * topdown_figures_has() - whether the count of a node may be used
 * @figures: of a record, a window, a difference, a sum, a session or a region
 * @node: enum topdown_node
 *
 * This is the one rule for all figures that the library hands out: that a node has a
 * ratio means that the CPUs have it, and that it was counted in all of the time that
 * the figures are of; its slots in node[] are then all there are.  topdown_record.nodes
 * and .level are what ratios are given by, and need not be looked at.
 * Figures of no slots have no node.
 *
 * Return: true if @figures have a count and a ratio of @node.
 */
bool topdown_figures_has(const struct topdown_figures *figures, unsigned int node);

/**
 * topdown_figures_ratio() - the share of the slots that a node has
 * @figures: as for topdown_figures_has()
 * @node: enum topdown_node
 *
 * Return: 0.0 to 1.0; NaN if topdown_figures_has() says no.
 */
double topdown_figures_ratio(const struct topdown_figures *figures, unsigned int node);

/**
 * topdown_watch_add() - say what to wait for, besides what has been said before
 * @td: handle
 * @cpus: set of CPUs
 * @words: words in @cpus
 * @what: its size; node: enum topdown_node, or TOPDOWN_WATCH_ANY for every window that
 *	closes; flags: TOPDOWN_WATCH_BELOW, _BACK and _SUM; ratio: threshold,
 *	0..TOPDOWN_RATIO_ONE; hold_ms: how long the windows of a CPU have to be beyond it;
 *	min_slots: a window of fewer slots is within it.  All else is 0
 * @watch: its number, from 1, which its events have; untouched on error
 *
 * Each CPU that crosses the threshold is an event, or with TOPDOWN_WATCH_SUM all of them
 * together.  The descriptor of topdown_fd() polls as readable from the event until it is
 * read.
 *
 * Return: 0; -EOPNOTSUPP when the module is too old, or does not know a flag or the node,
 * or no CPU has the node; -EACCES as for topdown_map_open(); -ENOSPC with too many watches,
 * of the handle, of the user or in all; -EINVAL; -E2BIG for a set that cannot be, or
 * something in @what that this library does not know; -ENOMEM.
 */
int topdown_watch_add(struct topdown *td, const uint64_t *cpus, unsigned int words,
		      const struct topdown_watch *what, uint32_t *watch);

/**
 * topdown_watch_remove() - wait for that no more
 * @td: handle
 * @watch: number of the watch, which is gone, with its events that were not read
 *
 * Return: 0; -ENOENT if the handle has no such watch; -EOPNOTSUPP when the module is too
 * old.
 */
int topdown_watch_remove(struct topdown *td, uint32_t watch);

/**
 * topdown_watch_wait() - wait for an event and read it
 * @td: handle; without a watch, any window of any CPU is waited for
 * @timeout_ms: how long at most; 0 for not at all, negative for ever
 * @out: one event, the first there is; untouched on error
 * @size: sizeof(*@out)
 *
 * Return: 0; -EAGAIN if there was none in that time; -ECANCELED after
 * topdown_watch_cancel(); -EINTR after a signal; -EINVAL for a wrong @size; -EMFILE or
 * -ENFILE without a descriptor to be cancelled by; else as topdown_watch_add().
 */
int topdown_watch_wait(struct topdown *td, int timeout_ms, struct topdown_event *out,
		       size_t size);

/**
 * topdown_watch_cancel() - end a wait
 * @td: handle
 *
 * The topdown_watch_wait() that is under way returns -ECANCELED, or else the next one
 * that may sleep, once.  Events stay for the one after it.  May be called by any
 * thread at any time before topdown_close(), and in a handler of a signal.
 *
 * Return: 0; -EMFILE or -ENFILE without a descriptor to do it by.
 */
int topdown_watch_cancel(struct topdown *td);

/**
 * topdown_session_attach() - make a session: follow a task, a process or its family
 * @td: handle
 * @pid: process, with TOPDOWN_ATTACH_THREAD thread, in the caller's pid
 *	namespace; with TOPDOWN_ATTACH_PIDFD a pidfd, which may be closed
 *	afterwards; 0 for the calling process or thread
 * @flags: TOPDOWN_ATTACH_* bits
 * @session: its number, from 1; untouched on error
 *
 * The session counts from now on, unless it is made TOPDOWN_ATTACH_DISABLED,
 * and lives until TOPDOWN_CONTROL_DETACH or topdown_close().  It belongs to the
 * descriptor, which a child of fork() shares: what the child attaches, the
 * parent reads by its number.
 *
 * Return: 0; -EOPNOTSUPP when the module is too old, or does not know a flag;
 * -ESRCH if there is no such task; -EACCES for a task of another process when this
 * process has neither CAP_PERFMON nor CAP_SYS_ADMIN; -EBADF for what is not a pidfd;
 * -ENOSPC with too many sessions of the handle, of the user or in all, or with those of
 * the user on too many threads; -EOPNOTSUPP also for a kernel thread;
 * -EINVAL for flags that exclude each other; -ENOMEM.
 */
int topdown_session_attach(struct topdown *td, int pid, unsigned int flags, uint32_t *session);

/**
 * topdown_session_read() - the figures of a session
 * @td: handle
 * @session: its number
 * @flags: TOPDOWN_SESSION_FRESH to count until now; 0 for what is known already
 * @out: the session; untouched on error.  What the module or the library does
 *	not know of it is 0
 * @size: sizeof(*@out)
 *
 * Return: 0; -ENOENT if the handle has no such session; -EOPNOTSUPP when the
 * module is too old, or does not know a flag; -EINVAL for a @size that was never
 * released.
 */
int topdown_session_read(struct topdown *td, uint32_t session, unsigned int flags,
			 struct topdown_session *out, size_t size);

/**
 * topdown_session_read_many() - the figures of many sessions, in one system call
 * @td: handle
 * @sessions: their numbers
 * @nr: how many they are, 1 to 1024
 * @flags: TOPDOWN_SESSION_FRESH to count until now, by one interrupt to each CPU
 * @out: room for @nr sessions, in the order of @sessions; on error it may have been
 *	written in part.  One that the handle does not have, or no more, is
 *	TOPDOWN_SESSION_DETACHED.  What the module or the library does not know is 0
 * @size: sizeof(*@out)
 *
 * Return: 0; -EOPNOTSUPP when the module is too old, or does not know a flag; -EINVAL for
 * no sessions, or a @size that was never released; -E2BIG for too many, or a @size of
 * more than a page; -ENOMEM.
 */
int topdown_session_read_many(struct topdown *td, const uint32_t *sessions, unsigned int nr,
			      unsigned int flags, struct topdown_session *out, size_t size);

/**
 * topdown_session_map_open() - see a session without system calls
 * @out: the map, to be given to topdown_session_map_close(); untouched on error
 * @td: handle, which may be closed before the map: the figures then stay as they
 *	were
 * @session: its number
 *
 * Return: 0; -ENOENT if the handle has no such session; -EOPNOTSUPP when the
 * module is too old; -EPROTO for a map that this library cannot read; -ENOMEM.
 */
int topdown_session_map_open(struct topdown_session_view **out, struct topdown *td,
			     uint32_t session);

/**
 * topdown_session_map_close() - give a map back
 * @map: map, or NULL
 */
void topdown_session_map_close(struct topdown_session_view *map);

/**
 * topdown_session_map_read() - the figures of a session, from its map
 * @map: map
 * @out: as of topdown_session_read() without TOPDOWN_SESSION_FRESH; untouched on
 *	error.  Its state is TOPDOWN_SESSION_DETACHED when the session is gone
 * @size: sizeof(*@out)
 *
 * That a session has ended is not taken from poll() by this.
 *
 * Return: 0; -EINVAL for a @size that was never released; -EAGAIN as for
 * topdown_map_read_record().
 */
int topdown_session_map_read(const struct topdown_session_view *map,
			     struct topdown_session *out, size_t size);

/**
 * topdown_session_control() - enable, disable, reset or detach a session
 * @td: handle
 * @session: its number, which is gone after TOPDOWN_CONTROL_DETACH
 * @action: what to do
 *
 * Return: 0; -ENOENT if the handle has no such session; -EOPNOTSUPP when the
 * module is too old; -EINVAL for an action that it does not know.
 */
int topdown_session_control(struct topdown *td, uint32_t session,
			    enum topdown_control_action action);

/**
 * topdown_session_between() - figures of the time between two reads
 * @then: the earlier read
 * @now: the later one of the same session
 * @level: highest level of nodes that get a ratio
 * @out: the figures, in which nothing was scaled; untouched on error
 *
 * A reset in between is only seen by a count that got smaller: read once after it.
 *
 * Return: 0, -EINVAL for two sessions, or -ERANGE if @now is not the later one.
 */
int topdown_session_between(const struct topdown_session *then,
			    const struct topdown_session *now, unsigned int level,
			    struct topdown_figures *out);

/**
 * topdown_session_kind_between() - the part of it on one kind of core
 * @then: the earlier read
 * @now: the later one of the same session
 * @kind: TOPDOWN_KIND_CORE or TOPDOWN_KIND_ATOM
 * @level: highest level of nodes that get a ratio
 * @out: the figures; untouched on error.  All 0 on a machine that is not hybrid
 *
 * The share of the time on that kind is enabled_ns over that of
 * topdown_session_between().
 *
 * Return: as topdown_session_between(); -EINVAL also for another kind.
 */
int topdown_session_kind_between(const struct topdown_session *then,
				 const struct topdown_session *now, unsigned int kind,
				 unsigned int level, struct topdown_figures *out);

/**
 * topdown_kind_name() - name of a kind of core
 * @kind: enum topdown_kind
 *
 * Return: "only", "core", "atom", "mixed", or "unknown".
 */
const char *topdown_kind_name(unsigned int kind);

/**
 * topdown_node_name() - name of a node
 * @node: enum topdown_node
 *
 * Return: for example "tma_retiring"; NULL for a node not known here.
 */
const char *topdown_node_name(unsigned int node);

/**
 * topdown_node_by_name() - the node of a name
 * @name: for example "tma_retiring", or "retiring"
 *
 * Return: an enum topdown_node, or -ENOENT for a name not known here.
 */
int topdown_node_by_name(const char *name);

/**
 * topdown_node_level() - level of a node
 * @node: enum topdown_node
 *
 * Return: 1 or 2; 0 for a node not known here.
 */
unsigned int topdown_node_level(unsigned int node);

/**
 * topdown_node_parent() - parent of a level 2 node
 * @node: enum topdown_node
 *
 * Return: an enum topdown_node, or -1 for nodes without a parent.
 */
int topdown_node_parent(unsigned int node);

/**
 * topdown_state_name() - name of an enum topdown_state
 * @state: as in struct topdown_record
 *
 * Return: for example "ok"; "unknown" for one that a newer module has.
 */
const char *topdown_state_name(unsigned int state);

/**
 * topdown_session_state_name() - name of an enum topdown_session_state
 * @state: as in struct topdown_session
 *
 * Return: for example "running"; "unknown" for one that a newer module has.
 */
const char *topdown_session_state_name(unsigned int state);

/**
 * topdown_source_name() - name of an enum topdown_source
 * @source: as in struct topdown_record
 *
 * Return: for example "perf_metrics"; "unknown" for one of a newer module.
 */
const char *topdown_source_name(unsigned int source);

#ifdef __cplusplus
}
#endif

#include "topdown_region.h"

#endif /* TOPDOWN_H */
