/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls as a program of 64 bits makes them, or as one of 32 bits: by int 0x80, with the
 * numbers of i386.  For the latter all memory has to be below 4 GiB.
 *
 * @bits is 64 or 32.  Functions return what the call does, or a negative errno.
 */
#ifndef TOPDOWN_SELFTESTS_CALLER_H
#define TOPDOWN_SELFTESTS_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Empty memory below 4 GiB, or NULL. */
void *caller_memory(size_t size);

long caller_open(unsigned int bits, const char *path, int flags);
long caller_ioctl(unsigned int bits, int fd, unsigned int cmd, void *argument);
long caller_read(unsigned int bits, int fd, void *to, size_t size);
/* One part. */
long caller_readv(unsigned int bits, int fd, void *to, size_t size);
/* As caller_readv(), with offset -1 and RWF_ flags. */
long caller_preadv2(unsigned int bits, int fd, void *to, size_t size, int flags);
/* The events, of one descriptor. */
long caller_poll(unsigned int bits, int fd, short events, int ms);
/* Nothing stays mapped: 0 or a negative errno. */
long caller_map(unsigned int bits, int fd, size_t size, int prot, int flags, uint64_t offset);
/*
 * Run @what in a process of a user who has no right but to open the device: 0 if it says true, or
 * what the process ended with.
 */
int caller_nobody(unsigned int bits, int fd, bool (*what)(unsigned int bits, int fd));

#endif /* TOPDOWN_SELFTESTS_CALLER_H */
