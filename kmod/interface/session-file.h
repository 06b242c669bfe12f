/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SESSION_FILE_H
#define TOPDOWN_SESSION_FILE_H

#include <uapi/linux/topdown.h>

struct task_struct;
struct td_session;

struct td_session *td_session_file_follow(const struct topdown_attach *attach,
					  struct task_struct *task);
void td_session_file_end(struct td_session *session);
int td_session_file_attach(const struct topdown_attach *attach);
struct td_session *td_session_file_get(int fd);

#endif /* TOPDOWN_SESSION_FILE_H */
