/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_QUOTA_H
#define TOPDOWN_QUOTA_H

struct td_user;

struct td_user *td_quota_get(void);
int td_quota_charge(struct td_user *user);
void td_quota_put(struct td_user *user, unsigned int tasks);

#endif /* TOPDOWN_QUOTA_H */
