// SPDX-License-Identifier: GPL-2.0
/*
 * The events that latency sessions want: each has a number while any session has it.
 *
 * Sessions that want the same event share its samplers, and find each other by the number.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/user_namespace.h>

#include "latency-event.h"

/* Users without CAP_PERFMON leave the rest to those who have it, as with sessions (quota.c). */
#define TD_LATENCY_EVENTS_OTHERS	(TD_LATENCY_EVENTS * 3 / 4)

/**
 * struct td_latency_known - an event that has a number
 * @event: its encoding; constant while there are @users
 * @users: number of sessions that have it
 */
struct td_latency_known {
	struct topdown_latency_event event;
	unsigned int users;
};

/* Protects the events that nobody uses, and the numbers of users. */
static DEFINE_MUTEX(td_latency_events_mutex);

static struct td_latency_known td_latency_events[TD_LATENCY_EVENTS];

/* How many places may the caller take?  No decision about a right, so no audit either. */
static unsigned int td_latency_event_room(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN) ? TD_LATENCY_EVENTS :
								  TD_LATENCY_EVENTS_OTHERS;
}

/* The number of the event, or of a free place; TD_LATENCY_EVENTS if there is none. */
static unsigned int td_latency_event_find(const struct topdown_latency_event *event)
{
	unsigned int room = td_latency_event_room();
	unsigned int i, place = TD_LATENCY_EVENTS;

	lockdep_assert_held(&td_latency_events_mutex);
	for (i = 0; i < TD_LATENCY_EVENTS; i++) {
		if (!td_latency_events[i].users)
			place = place < TD_LATENCY_EVENTS || i >= room ? place : i;
		else if (td_latency_events[i].event.config == event->config &&
			 td_latency_events[i].event.config1 == event->config1)
			return i;
	}
	return place;
}

/**
 * td_latency_event_get() - have the number of an event
 * @event: the event
 *
 * Return: the number, for td_latency_event_put(); or -ENOSPC if too many different events are
 * used.
 */
int td_latency_event_get(const struct topdown_latency_event *event)
{
	unsigned int number;

	mutex_lock(&td_latency_events_mutex);
	number = td_latency_event_find(event);
	if (number < TD_LATENCY_EVENTS && !td_latency_events[number].users++)
		td_latency_events[number].event = *event;
	mutex_unlock(&td_latency_events_mutex);
	return number < TD_LATENCY_EVENTS ? (int)number : -ENOSPC;
}

/**
 * td_latency_event_put() - undo td_latency_event_get()
 * @number: the number; the session has no samplers of it any more
 */
void td_latency_event_put(unsigned int number)
{
	mutex_lock(&td_latency_events_mutex);
	td_latency_events[number].users--;
	mutex_unlock(&td_latency_events_mutex);
}

/**
 * td_latency_event() - the event of a number
 * @number: number that a session has
 *
 * Return: the event, which stays as it is as long.
 */
const struct topdown_latency_event *td_latency_event(unsigned int number)
{
	return &td_latency_events[number].event;
}
