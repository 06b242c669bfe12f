/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: sessions, which count the slots of tasks instead of CPUs.
 *
 * A part of topdown.h, which has the rules of all functions.  Include that one.
 */
#ifndef LIBTOPDOWN_SESSION_H
#define LIBTOPDOWN_SESSION_H

#include <linux/topdown.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct topdown;
struct topdown_session_map_view;

/**
 * topdown_session_attach() - make a session: follow a task, a process or its family
 * @td: handle, which may be closed afterwards
 * @pid: process, with TOPDOWN_ATTACH_THREAD thread, in the caller's pid
 *	namespace; with TOPDOWN_ATTACH_PIDFD a pidfd, which may be closed
 *	afterwards; 0 for the calling process or thread
 * @flags: TOPDOWN_ATTACH_* bits
 * @session: descriptor of the session; untouched on error
 *
 * The session counts from now on, unless @flags has TOPDOWN_ATTACH_DISABLED.  It lasts until the
 * last copy of the descriptor is closed, by close(2).  The descriptor is closed at an execve(),
 * and poll() says POLLHUP when the session has ended.  It can be sent over a socket (SCM_RIGHTS),
 * and a child of fork() has a copy.  Each holder can control the session.
 *
 * Return: 0; -EOPNOTSUPP when the module is too old, or does not know a flag;
 * -ESRCH if there is no such task; -EACCES for a task of another process when this
 * process has neither CAP_PERFMON nor CAP_SYS_ADMIN; -EBADF for a descriptor that is no pidfd,
 * or when the handle can only read;
 * -ENOSPC for too many sessions, of the user or of all, or when those of
 * the user are on too many threads; -EMFILE or -ENFILE when there is no descriptor left for it;
 * -EOPNOTSUPP also for a kernel thread; -EINVAL for flags that exclude each other; -ENOMEM.
 */
int topdown_session_attach(struct topdown *td, int pid, unsigned int flags, int *session);

/**
 * topdown_session_view() - make a descriptor that can only read a session
 * @session: descriptor of the session
 * @view: another descriptor of it; untouched on error
 *
 * Whoever has it can read the session, wait for its end and map it, but not control it or keep it
 * from ending.
 *
 * Return: 0; -EBADF if @session is a view; -EMFILE or -ENFILE when there is no descriptor left;
 * -ENOMEM.
 */
int topdown_session_view(int session, int *view);

/**
 * topdown_session_read() - the figures of a session
 * @session: descriptor of the session, or a view
 * @flags: TOPDOWN_SESSION_FRESH to count until now; 0 for what the module has already
 * @out: the session; untouched on error.  Fields that the module or the library does
 *	not know are 0
 * @size: sizeof(*@out)
 *
 * Return: 0; -ENOTTY for a descriptor of something else; -EOPNOTSUPP when the module does not know
 * a flag; -EINVAL for a @size that was never released.
 */
int topdown_session_read(int session, unsigned int flags, struct topdown_session *out,
			 size_t size);

/**
 * topdown_session_read_kinds() - the figures of a session, and those on each kind of core
 * @session: descriptor of the session, or a view
 * @flags: as of topdown_session_read()
 * @out: as of topdown_session_read(); out_nr_kinds is how many kinds the module knows
 * @size: sizeof(*@out)
 * @kinds: room for the kinds, each at the number of its enum topdown_kind
 * @nr: how many fit; on success how many were written.  For 0 neither @kinds nor @kind_size matters
 * @kind_size: sizeof(*@kinds)
 *
 * A kind that the machine has not has no slots.  @kinds is untouched on an error but -EFAULT.
 *
 * Return: as topdown_session_read(); -EINVAL also for a @kind_size that was never released, or room
 * at NULL; -E2BIG for a @kind_size that is longer than a page.
 */
int topdown_session_read_kinds(int session, unsigned int flags, struct topdown_session *out,
			       size_t size, struct topdown_session_kind *kinds,
			       unsigned int *nr, size_t kind_size);

/**
 * topdown_session_map_open() - map a session, to read it without system calls
 * @out: the map, for topdown_session_map_close(); untouched on error
 * @session: descriptor of the session, or a view; it may be closed before the map, whose figures
 *	then stay as they were
 *
 * Return: 0; -ENODEV or -EPROTO, or another error of mmap(), for a descriptor of something else;
 * -EPROTO also for a map that this library cannot read; -ENFILE for too many open files of all;
 * -ENOMEM.
 */
int topdown_session_map_open(struct topdown_session_map_view **out, int session);

/**
 * topdown_session_map_close() - unmap
 * @map: map, or NULL
 */
void topdown_session_map_close(struct topdown_session_map_view *map);

/**
 * topdown_session_map_read() - the figures of a session, from its map
 * @map: map
 * @out: as of topdown_session_read() without TOPDOWN_SESSION_FRESH; untouched on
 *	error.  Its state is TOPDOWN_SESSION_STATE_DETACHED if its descriptor was closed before it
 *	ended
 * @size: sizeof(*@out)
 *
 * Return: 0; -EINVAL for a @size that was never released; -EAGAIN as for
 * topdown_map_read_record().
 */
int topdown_session_map_read(const struct topdown_session_map_view *map,
			     struct topdown_session *out, size_t size);

/**
 * topdown_session_map_read_kinds() - the figures of a session, and those on each kind of core
 * @map: map
 * @out: as of topdown_session_map_read()
 * @size: sizeof(*@out)
 * @kinds: as of topdown_session_read_kinds(), as the next two
 * @nr: how many fit; on success how many were written
 * @kind_size: sizeof(*@kinds)
 *
 * A @kind_size that is longer than a page is no error here.
 *
 * Return: as topdown_session_map_read(); -EINVAL also for a @kind_size that was never released, or
 * room at NULL.
 */
int topdown_session_map_read_kinds(const struct topdown_session_map_view *map,
				   struct topdown_session *out, size_t size,
				   struct topdown_session_kind *kinds, unsigned int *nr,
				   size_t kind_size);

/**
 * topdown_session_control() - enable or disable a session
 * @session: descriptor of the session
 * @action: enum topdown_control_action, but TOPDOWN_CONTROL_VIEW
 *
 * Return: 0; -EBADF if @session is a view; -ENOTTY for a descriptor of something else; -EINVAL for
 * an action that the module does not know.
 */
int topdown_session_control(int session, enum topdown_control_action action);

/**
 * topdown_session_between() - figures of the time between two reads
 * @then: the earlier read, or all zero for the time since the session was made
 * @now: the later one of the same session
 * @level: highest level of nodes that get a ratio
 * @out: the figures, not scaled up; untouched on error
 *
 * Children that were counted in all of this time have a ratio, also if they have none in @now.
 *
 * Return: 0, -EINVAL for two sessions, or -ERANGE if @now is not the later one.
 */
int topdown_session_between(const struct topdown_session *then,
			    const struct topdown_session *now, unsigned int level,
			    struct topdown_figures *out);

/**
 * topdown_session_kind_between() - the part of a session on one kind of core, between two reads
 * @then: the kind in the earlier read, or all zero for the time since the session was made
 * @now: the same kind in the later one, of the same session
 * @level: highest level of nodes that get a ratio
 * @out: the figures; untouched on error.  All 0 if no task ran on that kind
 *
 * The share of the time on that kind is enabled_ns over the enabled_ns of
 * topdown_session_between().
 *
 * Return: 0, -EINVAL for two kinds, or -ERANGE if @now is not the later one.
 */
int topdown_session_kind_between(const struct topdown_session_kind *then,
				 const struct topdown_session_kind *now, unsigned int level,
				 struct topdown_figures *out);

#ifdef __cplusplus
}
#endif

#endif /* LIBTOPDOWN_SESSION_H */
