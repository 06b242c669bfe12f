// SPDX-License-Identifier: GPL-2.0
/*
 * Pauses: how long samplers leave their counter to others.  The time doubles if they have to leave
 * again at once.
 */
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "pause.h"

#define TD_PAUSE_MIN	HZ
#define TD_PAUSE_MAX	(16 * HZ)

/**
 * td_pause_init() - there has been no pause yet
 * @pause: the pause
 */
void td_pause_init(struct td_pause *pause)
{
	pause->on = false;
	pause->delay = TD_PAUSE_MIN;
	pause->since = jiffies - TD_PAUSE_MIN;
}

/**
 * td_pause_begin() - begin a pause
 * @pause: the pause; under the caller's lock
 */
void td_pause_begin(struct td_pause *pause)
{
	if (time_before(jiffies, pause->since + pause->delay))
		pause->delay = min_t(unsigned long, pause->delay * 2, TD_PAUSE_MAX);
	else
		pause->delay = TD_PAUSE_MIN;
	/* Both pair with READ_ONCE() in td_pause_is_on(). */
	WRITE_ONCE(pause->back_at, jiffies + pause->delay);
	WRITE_ONCE(pause->on, true);
}

/**
 * td_pause_over() - is there no pause, or has it lasted long enough?
 * @pause: the pause; under the caller's lock
 *
 * Return: true or false.
 */
bool td_pause_over(const struct td_pause *pause)
{
	return !pause->on || time_after_eq(jiffies, pause->back_at);
}

/**
 * td_pause_end() - end the pause, if there is one
 * @pause: the pause; under the caller's lock
 */
void td_pause_end(struct td_pause *pause)
{
	if (!pause->on)
		return;
	/* As in td_pause_begin(). */
	WRITE_ONCE(pause->on, false);
	pause->since = jiffies;
}

/**
 * td_pause_is_on() - is there a pause?
 * @pause: the pause
 * @late: so many jiffies after its time it is over, although nobody has ended it
 *
 * Return: true or false; may change at any time without the caller's lock.
 */
bool td_pause_is_on(const struct td_pause *pause, unsigned long late)
{
	/* Both pair with WRITE_ONCE() in td_pause_begin().  Only a hint. */
	return READ_ONCE(pause->on) && time_before(jiffies, READ_ONCE(pause->back_at) + late);
}
