// SPDX-License-Identifier: GPL-2.0
/*
 * System calls of programs with 64 and with 32 bits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caller.h"

/* Results from minus this on are errnos. */
#define ERRNO_MAX	4095U

#define NOBODY		65534

/* The numbers of a call, of x86-64 and of i386; mmap2() takes its offset in units of 4 KiB. */
struct call {
	long nr;
	long nr32;
};

static const struct call call_open = { SYS_open, 5 };
static const struct call call_ioctl = { SYS_ioctl, 54 };
static const struct call call_read = { SYS_read, 3 };
static const struct call call_readv = { SYS_readv, 145 };
static const struct call call_preadv2 = { SYS_preadv2, 378 };
static const struct call call_poll = { SYS_poll, 168 };
static const struct call call_mmap = { SYS_mmap, 192 };

/* struct iovec of a program with 32 bits. */
struct part32 {
	uint32_t base;
	uint32_t size;
};

/* The sixth argument is in ebp, which the compiler may need. */
static long call32(long nr, const long a[6])
{
	long ret = nr, sixth = a[5];

	asm volatile("xchg %%rbp, %[sixth]\n\t"
		     "int $0x80\n\t"
		     "xchg %%rbp, %[sixth]"
		     : "+a" (ret), [sixth] "+r" (sixth)
		     : "b" (a[0]), "c" (a[1]), "d" (a[2]), "S" (a[3]), "D" (a[4])
		     : "memory", "cc", "r8", "r9", "r10", "r11");
	/* Addresses of 2 GiB and more are no errnos. */
	return (uint32_t)ret >= -ERRNO_MAX ? (long)(int32_t)ret : (long)(uint32_t)ret;
}

static long call_any(unsigned int bits, const struct call *call, const long a[6])
{
	long ret;

	if (bits == 32)
		return call32(call->nr32, a);
	ret = syscall(call->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	return ret < 0 ? -errno : ret;
}

void *caller_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Room for what a call points at: it stays, for the next call. */
static void *room(void)
{
	static void *page;

	if (!page)
		page = caller_memory(4096);
	return page;
}

long caller_open(unsigned int bits, const char *path, int flags)
{
	const long a[6] = { (long)room(), flags };

	snprintf(room(), 4096, "%s", path);
	return call_any(bits, &call_open, a);
}

long caller_ioctl(unsigned int bits, int fd, unsigned int cmd, void *argument)
{
	const long a[6] = { fd, cmd, (long)argument };

	return call_any(bits, &call_ioctl, a);
}

long caller_read(unsigned int bits, int fd, void *to, size_t size)
{
	const long a[6] = { fd, (long)to, size };

	return call_any(bits, &call_read, a);
}

/* The array of one part for readv(). */
static long part_of(unsigned int bits, void *to, size_t size)
{
	struct part32 part32 = { (uintptr_t)to, size };
	struct iovec part = { to, size };

	if (bits == 32)
		memcpy(room(), &part32, sizeof(part32));
	else
		memcpy(room(), &part, sizeof(part));
	return (long)room();
}

long caller_readv(unsigned int bits, int fd, void *to, size_t size)
{
	const long a[6] = { fd, part_of(bits, to, size), 1 };

	return call_any(bits, &call_readv, a);
}

long caller_preadv2(unsigned int bits, int fd, void *to, size_t size, int flags)
{
	const long a[6] = { fd, part_of(bits, to, size), 1, -1, -1, flags };

	return call_any(bits, &call_preadv2, a);
}

long caller_poll(unsigned int bits, int fd, short events, int ms)
{
	const struct pollfd one = { .fd = fd, .events = events };
	const long a[6] = { (long)room(), 1, ms };
	struct pollfd *poller = room();
	long ret;

	*poller = one;
	ret = call_any(bits, &call_poll, a);
	return ret < 0 ? ret : poller->revents;
}

long caller_map(unsigned int bits, int fd, size_t size, int prot, int flags, uint64_t offset)
{
	const long a[6] = { 0, size, prot, flags, fd, bits == 32 ? offset >> 12 : offset };
	long ret = call_any(bits, &call_mmap, a);

	if (ret < 0)
		return ret;
	munmap((void *)ret, size);
	return 0;
}

int caller_nobody(unsigned int bits, int fd, bool (*what)(unsigned int bits, int fd))
{
	int status, pid = fork();

	if (!pid) {
		if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY))
			_exit(2);
		_exit(!what(bits, fd));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
