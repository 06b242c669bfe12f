/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_QUOTA_H
#define TOPDOWN_QUOTA_H

#include <linux/types.h>

struct td_user;

/**
 * enum td_thing - things with a limit
 *
 * @TD_SESSION: a session
 * @TD_WATCH: a watch
 * @TD_LATENCY: a latency session
 * @TD_THINGS: number of them
 */
enum td_thing {
	TD_SESSION,
	TD_WATCH,
	TD_LATENCY,
	TD_THINGS,
};

/**
 * struct td_charge - what a session costs its user; under the lock of the quotas
 * @events: number of its events
 * @leaving: the session ended for its events, which a work releases soon
 */
struct td_charge {
	unsigned int events;
	bool leaving;
};

struct td_user *td_quota_get(enum td_thing thing);
void td_quota_put(struct td_user *user, enum td_thing thing);
bool td_quota_charge(struct td_user *user, struct td_charge *charge);
bool td_quota_inherit(struct td_user *user, struct td_charge *charge);
void td_quota_uncharge(struct td_user *user, struct td_charge *charge);
unsigned int td_quota_of_task(const struct td_user *user);

#endif /* TOPDOWN_QUOTA_H */
