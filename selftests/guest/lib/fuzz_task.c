// SPDX-License-Identifier: GPL-2.0
/* Calls of the fuzzer with tasks: they are made, have sessions, get rights, move, and are gone. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_call.h"
#include "guest.h"

/* More sessions of one thread than it may have. */
void call_many(void)
{
	struct topdown_attach attach;
	int fd = take_file(), task = take_task(), made[70], n = 0;

	while (n < 70) {
		attach = (struct topdown_attach){
			.size = sizeof(attach), .flags = TOPDOWN_ATTACH_THREAD, .pid = task,
		};
		made[n] = ioctl(fd, TOPDOWN_ATTACH, &attach);
		if (made[n] < 0)
			break;
		n++;
	}
	sched_yield();
	while (n--)
		remember_session(made[n]);
}

/* As root of a user namespace, and as a container of it, which changes who is charged. */
static void attach_in_namespace(void)
{
	struct topdown_attach attach = { .size = sizeof(attach), .flags = TOPDOWN_ATTACH_CHILDREN };

	if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return;
	ioctl(file_first(), TOPDOWN_ATTACH, &attach);
	if (!fork())
		ioctl(file_first(), TOPDOWN_ATTACH, &attach);
}

/* Followed tasks drop out when they get rights; descriptors stay open, but for some. */
static void exec_with_rights(void)
{
	struct topdown_attach attach = { .size = sizeof(attach), .flags = TOPDOWN_ATTACH_CHILDREN };

	ioctl(file_first(), TOPDOWN_ATTACH, &attach);
	fork();
	execl(FUZZ_SET_UID, "true", NULL);
}

/* A task that soon is no more. */
void call_task(void)
{
	uint8_t how = take8(), turns = take8();
	volatile unsigned int i;
	int pid = fork();

	if (pid > 0)
		remember_task(pid);
	if (pid)
		return;
	for (i = 0; i < turns * 64U; i++)
		;
	if (how % 8 == 5)
		exec_with_rights();
	if (how % 4 == 1)
		execl("/bin/true", "true", NULL);
	if (how % 4 == 2)
		ioctl(file_first(), _IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_INFO), arena_start());
	if (how % 8 == 3 && fork() >= 0)
		sched_yield();
	if (how % 8 == 7)
		attach_in_namespace();
	_exit(0);
}

static void *thread_run(void *data)
{
	volatile unsigned int i, turns = (uintptr_t)data;

	remember_task(syscall(SYS_gettid));
	for (i = 0; i < turns; i++)
		;
	return NULL;
}

void call_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_run, (void *)(uintptr_t)(take8() * 32)))
		return;
	pthread_join(thread, NULL);
}

void call_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(take8() % 4, &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_yield();
}
