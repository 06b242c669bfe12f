// SPDX-License-Identifier: GPL-2.0
/*
 * A page that takes a while to come, as one of a slow file system does: userfaultfd serves it.  It
 * comes as a copy of the first page of the arena, so it has the arguments of calls.  Each second
 * time it goes again soon, so that an argument is read at once and its answer is written late.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz_call.h"

#define SLOW_SIZE	4096UL

/* It goes so long after it has come. */
#define SHORT_US	200

static char *slow;
static int slow_faults = -1;

void call_slow(void)
{
	if (slow)
		madvise(slow, SLOW_SIZE, MADV_DONTNEED);
}

/* Pages come after some milliseconds. */
static void *slow_serve(void *from)
{
	struct uffd_msg message;
	unsigned int n = 0;

	while (read(slow_faults, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = {
			.dst = (uintptr_t)slow, .src = (uintptr_t)from, .len = SLOW_SIZE,
		};

		usleep(PATIENCE_US);
		ioctl(slow_faults, UFFDIO_COPY, &copy);
		if (n++ % 2)
			continue;
		usleep(SHORT_US);
		call_slow();
	}
	return NULL;
}

/* Before the timer, whose signals the thread must not get. */
char *slow_begin(char *from)
{
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	sigset_t all, before;
	pthread_t thread;
	char *page;

	page = mmap(NULL, SLOW_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	/* By a member only for faults in user mode, where the kernel does not let everybody. */
	slow_faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (page == MAP_FAILED || slow_faults < 0 || ioctl(slow_faults, UFFDIO_API, &api))
		return NULL;
	range.range.start = (uintptr_t)page;
	range.range.len = SLOW_SIZE;
	slow = page;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (ioctl(slow_faults, UFFDIO_REGISTER, &range) ||
	    pthread_create(&thread, NULL, slow_serve, from))
		slow = NULL;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return slow;
}
