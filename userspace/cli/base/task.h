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

/**
 * struct task - a process or a thread
 * @pid: the process; 0 if not known
 * @tid: the thread; 0 for a whole process
 * @name: name from /proc, with printable characters only
 * @session: descriptor of the session
 * @then: the state that was printed last
 * @now: the state that was read last
 * @over: the end of the task was printed
 */
struct task {
	int pid;
	int tid;
	char name[TASK_NAME_SIZE];
	int session;
	struct topdown_session then;
	struct topdown_session now;
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
 * @flags_then: the same when the last rows were made
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
	unsigned int flags_then;
	bool flags_known;
};

int tasks_add(struct tasks *tasks, int pid, int tid, int session);
int tasks_attach_process(struct tasks *tasks, int pid, unsigned int flags);
int tasks_attach_thread(struct tasks *tasks, int tid);
int tasks_attach_threads(struct tasks *tasks, int pid);
int tasks_read(struct tasks *tasks, unsigned int flags);
bool tasks_alive(const struct tasks *tasks);
bool task_over(const struct task *task);
void tasks_detach(struct tasks *tasks);

#endif /* TOPDOWN_CLI_TASK_H */
