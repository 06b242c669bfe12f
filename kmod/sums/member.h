/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_MEMBER_H
#define TOPDOWN_MEMBER_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct td_session;

/**
 * struct td_member - our event on a task that a session was attached to
 * @list: entry in the session's members; under its @members_lock
 * @session: the session; it outlives the event and all events inherited from it
 * @event: the event; written in event_init(), before the task can use it
 * @on_exec: the event only reports that the task has executed a program
 * @secure: the event was last taken from a task that did not exit; written on the
 *	CPU of the task with interrupts off
 * @left: the task has left the session; written as @secure
 * @check: checks whether the task has left
 */
struct td_member {
	struct list_head list;
	struct td_session *session;
	struct perf_event *event;
	bool on_exec;
	bool secure;
	bool left;
	struct irq_work check;
};

/**
 * td_member_of() - the member of an event
 * @event: our event, or one that a new task inherited from it
 *
 * perf copies the context of the overflow handler to inherited events.
 *
 * Return: the member.
 */
static __always_inline struct td_member *td_member_of(const struct perf_event *event)
{
	return event->overflow_handler_context;
}

/**
 * td_member_session() - the session of an event
 * @event: as for td_member_of()
 *
 * Return: the session.
 */
static __always_inline struct td_session *td_member_session(const struct perf_event *event)
{
	return td_member_of(event)->session;
}

#endif /* TOPDOWN_MEMBER_H */
