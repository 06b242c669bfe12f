/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks that are followed, each by a session.
 */
#ifndef TOPDOWN_CLI_TASK_H
#define TOPDOWN_CLI_TASK_H

#include <stdbool.h>
#include <topdown.h>

/* The kernel's TASK_COMM_LEN, with room for the longer names of kernel threads. */
#define TASK_NAME_SIZE		64
/* The kinds of core that have figures of their own. */
#define TASK_KINDS		(TOPDOWN_KIND_ATOM + 1)

/**
 * struct task - a process or a thread
 * @pid: the process; 0 if not known
 * @tid: the thread; 0 for a whole process
 * @name: name from /proc, with printable characters only
 * @session: descriptor of the session
 * @then: the state that was printed last
 * @now: the state that was read last
 * @kind_then: the kinds of core of @then
 * @kind_now: the kinds of core of @now
 * @over: the end of the task was printed
 */
struct task {
	int pid;
	int tid;
	char name[TASK_NAME_SIZE];
	int session;
	struct topdown_session then;
	struct topdown_session now;
	struct topdown_session_kind kind_then[TASK_KINDS];
	struct topdown_session_kind kind_now[TASK_KINDS];
	bool over;
};

/**
 * struct tasks - all that a command follows
 * @td: device
 * @device: its name, for messages
 * @task: tasks
 * @nr: number of @task
 * @ended: descriptor that becomes readable when a task has ended; -1 without tasks
 * @cpus: a reading of all CPUs; NULL for none
 * @flags: TOPDOWN_RECORD_* of any CPU that hold for sessions
 * @turns: the most topdown_record.turns of any CPU
 * @flags_then: @flags when the last rows were made
 * @turns_then: @turns then
 * @flags_known: this user may see them
 */
struct tasks {
	struct topdown *td;
	const char *device;
	struct task *task;
	unsigned int nr;
	int ended;
	struct topdown_reading *cpus;
	unsigned int flags;
	unsigned int turns;
	unsigned int flags_then;
	unsigned int turns_then;
	bool flags_known;
};

int tasks_add(struct tasks *tasks, int pid, int tid, int session);
int tasks_attach_process(struct tasks *tasks, int pid, unsigned int flags);
int tasks_attach_thread(struct tasks *tasks, int tid);
int tasks_attach_threads(struct tasks *tasks, int pid);
int tasks_read(struct tasks *tasks, unsigned int flags);
bool tasks_alive(const struct tasks *tasks);
bool task_over(const struct task *task);
void task_advance(struct task *task);
int task_kind(const struct task *task, unsigned int kind, unsigned int level,
	      struct topdown_figures *figures);
void tasks_detach(struct tasks *tasks);

#endif /* TOPDOWN_CLI_TASK_H */
