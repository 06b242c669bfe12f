// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that are followed, each by a session.
 */
#include "task.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "message.h"
#include "refusal.h"

static FILE *open_proc(int id, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", id, name);
	return fopen(path, "re");
}

/* A task chooses its name, so the name may break a terminal or JSON. */
static void read_name(int id, char name[TASK_NAME_SIZE])
{
	FILE *file = open_proc(id, "comm");
	size_t len = 0, i;

	if (file) {
		len = fread(name, 1, TASK_NAME_SIZE - 1, file);
		fclose(file);
	}
	if (len && name[len - 1] == '\n')
		len--;
	if (!len)
		name[len++] = '?';
	name[len] = '\0';
	for (i = 0; i < len; i++) {
		if (name[i] < ' ' || name[i] > '~')
			name[i] = '?';
	}
}

/* The process that a thread belongs to; 0 if /proc does not say. */
static int process_of(int tid)
{
	FILE *file = open_proc(tid, "status");
	char line[256];
	int pid = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	}
	fclose(file);
	return pid;
}

/* Wait for the end of a session, together with those of the others. */
static bool await_end(struct tasks *tasks, int session)
{
	struct epoll_event event = { .events = EPOLLHUP | EPOLLONESHOT };

	if (!tasks->nr)
		tasks->ended = epoll_create1(EPOLL_CLOEXEC);
	return tasks->ended >= 0 && !epoll_ctl(tasks->ended, EPOLL_CTL_ADD, session, &event);
}

static int cannot_follow(int error)
{
	return message_fail(EXIT_RUNTIME, "cannot follow tasks: %s", strerror(error));
}

/**
 * tasks_add - remember a followed task
 * @tasks: tasks
 * @pid: process
 * @tid: thread, or 0
 * @session: its session, which belongs to @tasks from now on
 *
 * Return: 0, or an exit code after a message.
 */
int tasks_add(struct tasks *tasks, int pid, int tid, int session)
{
	struct task *more, *task;

	more = reallocarray(tasks->task, tasks->nr + 1, sizeof(*more));
	if (!more)
		return cannot_follow(ENOMEM);
	tasks->task = more;
	if (!await_end(tasks, session))
		return cannot_follow(errno);
	task = &more[tasks->nr++];
	memset(task, 0, sizeof(*task));
	task->pid = pid;
	task->tid = tid;
	task->session = session;
	read_name(tid ? tid : pid, task->name);
	return 0;
}

static int denied(const struct tasks *tasks, const char *kind, int id, int ret)
{
	char what[32];

	snprintf(what, sizeof(what), "%s %d", kind, id);
	return refusal_attach(tasks->device, what, -ret);
}

/* Each session is a descriptor, and there may be more threads than a shell allows. */
static int attach_task(const struct tasks *tasks, int id, unsigned int flags, int *session)
{
	int ret = topdown_session_attach(tasks->td, id, flags, session);
	struct rlimit limit;

	if (ret != -EMFILE || getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur == limit.rlim_max)
		return ret;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return ret;
	return topdown_session_attach(tasks->td, id, flags, session);
}

/**
 * tasks_attach_process - follow a process
 * @tasks: tasks
 * @pid: its id
 * @flags: TOPDOWN_ATTACH_CHILDREN or 0
 *
 * Return: 0, or an exit code after a message.
 */
int tasks_attach_process(struct tasks *tasks, int pid, unsigned int flags)
{
	int session, ret;

	ret = attach_task(tasks, pid, flags, &session);
	if (ret)
		return denied(tasks, "process", pid, ret);
	return tasks_add(tasks, pid, 0, session);
}

/**
 * tasks_attach_thread - follow one thread
 * @tasks: tasks
 * @tid: its id
 *
 * Return: 0, or an exit code after a message.
 */
int tasks_attach_thread(struct tasks *tasks, int tid)
{
	int session, ret;

	ret = attach_task(tasks, tid, TOPDOWN_ATTACH_THREAD, &session);
	if (ret)
		return denied(tasks, "thread", tid, ret);
	return tasks_add(tasks, process_of(tid), tid, session);
}

/* A thread that has ended since the directory was read is left out. */
static int attach_listed(struct tasks *tasks, int pid, DIR *dir)
{
	struct dirent *entry;
	int session, tid, ret;

	while ((entry = readdir(dir))) {
		tid = atoi(entry->d_name);
		if (tid <= 0)
			continue;
		ret = attach_task(tasks, tid, TOPDOWN_ATTACH_THREAD, &session);
		if (ret == -ESRCH)
			continue;
		if (ret)
			return denied(tasks, "thread", tid, ret);
		ret = tasks_add(tasks, pid, tid, session);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * tasks_attach_threads - follow each thread of a process by itself
 * @tasks: tasks
 * @pid: id of the process
 *
 * Return: 0, or an exit code after a message.
 */
int tasks_attach_threads(struct tasks *tasks, int pid)
{
	unsigned int before = tasks->nr;
	char path[64];
	DIR *dir;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	/* /proc also finds threads by their number, although it does not list them. */
	dir = process_of(pid) == pid ? opendir(path) : NULL;
	if (!dir)
		return denied(tasks, "process", pid, -ESRCH);
	ret = attach_listed(tasks, pid, dir);
	closedir(dir);
	if (!ret && tasks->nr == before)
		return denied(tasks, "process", pid, -ESRCH);
	return ret;
}

/**
 * tasks_read - read the sessions of all tasks
 * @tasks: tasks
 * @flags: TOPDOWN_SESSION_FRESH or 0
 *
 * Return: 0 or -errno.
 */
int tasks_read(struct tasks *tasks, unsigned int flags)
{
	struct epoll_event event;
	unsigned int i, nr;
	int ret;

	/* The ends that are read now need not be waited for. */
	while (tasks->nr && epoll_wait(tasks->ended, &event, 1, 0) > 0)
		;
	for (i = 0; i < tasks->nr; i++) {
		struct task *task = &tasks->task[i];

		nr = TASK_KINDS;
		ret = topdown_session_read_kinds(task->session, flags, &task->now,
						 sizeof(task->now), task->kind_now, &nr,
						 sizeof(*task->kind_now));
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * task_advance - what was read last was printed
 * @task: task
 */
void task_advance(struct task *task)
{
	task->then = task->now;
	memcpy(task->kind_then, task->kind_now, sizeof(task->kind_then));
}

/**
 * task_kind - the part on one kind of core since what was printed last
 * @task: task
 * @kind: enum topdown_kind
 * @level: highest level of nodes that get a ratio
 * @figures: written
 *
 * Return: 0 or -errno.
 */
int task_kind(const struct task *task, unsigned int kind, unsigned int level,
	      struct topdown_figures *figures)
{
	return topdown_session_kind_between(&task->kind_then[kind], &task->kind_now[kind], level,
					    figures);
}

/**
 * task_over - whether a task cannot use a CPU any more, as of the last read
 * @task: task
 */
bool task_over(const struct task *task)
{
	return task->now.out_state == TOPDOWN_SESSION_STATE_EXITED ||
	       task->now.out_state == TOPDOWN_SESSION_STATE_ENDED;
}

/**
 * tasks_alive - whether any task can still use a CPU, as of the last read
 * @tasks: tasks
 */
bool tasks_alive(const struct tasks *tasks)
{
	unsigned int i;

	for (i = 0; i < tasks->nr; i++) {
		if (!task_over(&tasks->task[i]))
			return true;
	}
	return false;
}

/* Say what the last read knew of tasks that dropped out. */
static void say_dropped(const struct tasks *tasks)
{
	uint64_t nr = 0;
	unsigned int i;

	for (i = 0; i < tasks->nr; i++)
		nr += tasks->task[i].now.out_dropped;
	if (nr)
		message_note("%llu task%s dropped out and %s not measured any more: a program that gives rights (set-user-ID) or that may not be read was executed",
			     (unsigned long long)nr, nr == 1 ? "" : "s", nr == 1 ? "was" : "were");
}

/**
 * tasks_detach - stop following all tasks
 * @tasks: tasks; they can be used again
 */
void tasks_detach(struct tasks *tasks)
{
	unsigned int i;

	say_dropped(tasks);
	for (i = 0; i < tasks->nr; i++)
		close(tasks->task[i].session);
	if (tasks->nr)
		close(tasks->ended);
	free(tasks->task);
	tasks->task = NULL;
	tasks->nr = 0;
}
