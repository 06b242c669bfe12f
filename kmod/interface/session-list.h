/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SESSIONS_H
#define TOPDOWN_SESSIONS_H

#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <uapi/linux/topdown.h>

#include "news.h"

struct task_struct;
struct td_session;
struct vm_area_struct;

/**
 * struct td_session_list - the session list of a descriptor
 * @lock: protects @sessions, @nr, @last and @used, and serialises commands on a session
 * @sessions: sessions by number
 * @nr: number of sessions
 * @last: highest number so far
 * @used: a session was made, or an attach failed while it was made
 * @news: sessions that have ended
 * @wait: tasks in poll()
 */
struct td_session_list {
	struct mutex lock; /* sessions, nr, last, used */
	struct xarray sessions;
	unsigned int nr;
	u32 last;
	bool used;
	struct td_news news;
	wait_queue_head_t wait;
};

void td_session_list_init(struct td_session_list *list);
void td_session_list_stop(struct td_session_list *list);
int td_session_list_attach(struct td_session_list *list, struct topdown_attach *attach);
int td_session_list_follow(struct td_session_list *list, struct topdown_attach *attach,
			   struct task_struct *task);
void td_session_list_detach(struct td_session_list *list, u32 id);
struct td_session *td_session_list_get(struct td_session_list *list, u32 id);
int td_session_list_read(struct td_session_list *list, struct topdown_session *read);
int td_session_list_read_many(struct td_session_list *list, struct topdown_sessions *read);
int td_session_list_control(struct td_session_list *list, const struct topdown_control *control);
int td_session_list_mmap(struct td_session_list *list, struct vm_area_struct *vma);
__poll_t td_session_list_poll(struct td_session_list *list, struct file *filp, poll_table *table);

#endif /* TOPDOWN_SESSIONS_H */
