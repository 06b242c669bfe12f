// SPDX-License-Identifier: GPL-2.0
/* A page that takes a while to come, as one of a slow file system does: userfaultfd serves it. */
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

static char *slow;
static int slow_faults = -1;

void call_slow(void)
{
	if (slow)
		madvise(slow, SLOW_SIZE, MADV_DONTNEED);
}

/* Pages come after some milliseconds. */
static void *slow_serve(void *unused)
{
	struct uffdio_zeropage zero = { .range = { (uintptr_t)slow, SLOW_SIZE } };
	struct uffd_msg message;

	(void)unused;
	while (read(slow_faults, &message, sizeof(message)) == sizeof(message)) {
		usleep(PATIENCE_US);
		ioctl(slow_faults, UFFDIO_ZEROPAGE, &zero);
	}
	return NULL;
}

/* Before the timer, whose signals the thread must not get. */
char *slow_begin(void)
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
	    pthread_create(&thread, NULL, slow_serve, NULL))
		slow = NULL;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return slow;
}
