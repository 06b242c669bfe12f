/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SESSION_H
#define TOPDOWN_SESSION_H

#include <linux/kref.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <uapi/linux/topdown.h>

#include "share.h"

struct task_struct;
struct td_sessions;

/**
 * struct td_session - slots of tasks, added up
 * @list: the descriptor's sessions
 * @id: its number
 * @process: takes new threads
 * @children: takes new processes
 * @attached: its first tasks are there; under td_follow_lock(), as all below
 *	up to @tasks
 * @enabled: it is to count
 * @on_exec: it will be enabled when a task executes a program
 * @gone: it has been detached
 * @ended: a task gained rights
 * @exited: the last task has exited
 * @incomplete: there was no memory, or no room in a table, for a new task
 * @news: it has ended and not been read since
 * @tasks: how many follow it, and one while it is being attached
 * @counting: it takes credits; written under td_follow_lock()
 * @map: the shares, each written on its CPU with interrupts off, and what readers
 *	are told of the fields above; its baseline is changed under the list's lock
 * @ref: one until it is destroyed, and one of each mmap() under way
 * @rcu: puts the first when no CPU looks at it any more
 */
struct td_session {
	struct td_sessions *list;
	u32 id;
	bool process;
	bool children;

	bool attached;
	bool enabled;
	bool on_exec;
	bool gone;
	bool ended;
	bool exited;
	bool incomplete;
	bool news;
	unsigned int tasks;

	bool counting;
	struct topdown_session_map *map;
	struct kref ref;
	struct rcu_head rcu;
};

void td_session_credit(const struct td_session *session, const struct td_credit *credit);
void td_session_switched(const struct td_session *session);

bool td_session_over(const struct td_session *session);
bool td_session_inherits(const struct td_session *session, bool thread);
bool td_session_has_tasks(struct td_session *session);
void td_session_join(struct td_session *session);
void td_session_leave(struct td_session *session);
void td_session_missed(struct td_session *session);
void td_session_exec(struct td_session *session, bool secure);

struct td_session *td_session_make(struct td_sessions *list,
				   const struct topdown_attach *attach,
				   struct task_struct *task);
void td_session_begin(struct td_session *session);
void td_session_end(struct td_session *session);
void td_session_destroy(struct td_session *session);
void td_session_get(struct td_session *session);
void td_session_put(struct td_session *session);
void td_session_read(struct td_session *session, struct topdown_session *read);
void td_session_enable(struct td_session *session, bool enable);
void td_session_reset(struct td_session *session);

#endif /* TOPDOWN_SESSION_H */
