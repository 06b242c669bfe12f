/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_ATTACH_H
#define TOPDOWN_ATTACH_H

struct task_struct;
struct td_session;

int td_attach_begin(struct td_session *session, struct task_struct *task);
void td_attach_end(struct td_session *session);

void td_attach_exit(void);

#endif /* TOPDOWN_ATTACH_H */
