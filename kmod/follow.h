/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_FOLLOW_H
#define TOPDOWN_FOLLOW_H

#include <linux/percpu.h>
#include <linux/types.h>

struct task_struct;
struct td_session;
struct td_task;
struct td_window;
struct topdown_figures;

/* Closer folds than this, in the long run, are merged: nanoseconds. */
#define TD_FOLD_MIN_NS		20000

/*
 * The followed task that runs on a CPU, or NULL: changed there with interrupts
 * off; others may look at it.
 */
DECLARE_PER_CPU(struct td_task *, td_owner);

int td_follow_start(void);
void td_follow_stop(void);

int td_follow_attach(struct td_session *session, struct task_struct *task, bool process);
void td_follow_sweep(void);
void td_follow_kick(void);
void td_follow_fresh(struct td_session *session);
void td_follow_lock(void);
void td_follow_unlock(void);
void td_follow_assert_locked(void);

void td_follow_credit(struct td_window *window, const struct topdown_figures *part);

void td_probe_sched_switch(void *data, bool preempt, struct task_struct *prev,
			   struct task_struct *next, unsigned int prev_state);
void td_follow_new(struct task_struct *task);
void td_follow_exec(struct task_struct *task, bool secure);
void td_follow_exit(struct task_struct *task);

#endif /* TOPDOWN_FOLLOW_H */
