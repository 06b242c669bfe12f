/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_FOLLOW_H
#define TOPDOWN_FOLLOW_H

#include <linux/types.h>

struct task_struct;
struct td_member;
struct td_session;

struct perf_event *td_follow_create(struct td_member *member, struct task_struct *task,
				    bool on_exec);
bool td_follow_crowded(const struct perf_event *event, unsigned int max);
void td_follow_fresh(struct td_session *session);

int td_follow_init(void);
void td_follow_exit(void);

#endif /* TOPDOWN_FOLLOW_H */
