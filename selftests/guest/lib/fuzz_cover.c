// SPDX-License-Identifier: GPL-2.0
/* The module's code that a process executes, as the kernel's KCOV says. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* Documentation/dev-tools/kcov.rst. */
#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_TRACE_PC	0
#define KCOV_WORDS	(64 << 10)

static uint64_t *trace;
static uint64_t text;

/* The module is elsewhere each time that it is loaded. */
static bool find_text(void)
{
	FILE *file = fopen("/sys/module/topdown/sections/.text", "r");
	unsigned long long address;

	if (!file)
		return false;
	text = fscanf(file, "%llx", &address) == 1 ? address : 0;
	fclose(file);
	return text;
}

bool fuzz_cover_open(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR);

	if (fd < 0)
		return false;
	if (find_text() && !ioctl(fd, KCOV_INIT_TRACE, KCOV_WORDS)) {
		trace = mmap(NULL, KCOV_WORDS * sizeof(*trace), PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
		if (trace == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
			trace = NULL;
	}
	/* The mapping keeps it. */
	close(fd);
	return trace;
}

void fuzz_cover_begin(void)
{
	if (trace)
		__atomic_store_n(trace, 0, __ATOMIC_RELAXED);
}

/* Is this place new? */
static bool add_place(struct fuzz_shared *shared, uint32_t place)
{
	uint32_t i = place * 2654435761U % FUZZ_PLACES, tries, seen;

	for (tries = 0; tries < FUZZ_PLACES; tries++, i = (i + 1) % FUZZ_PLACES) {
		seen = 0;
		/* Workers add at the same time: one of them has it new. */
		if (__atomic_compare_exchange_n(&shared->place[i], &seen, place, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_add_fetch(&shared->places, 1, __ATOMIC_RELAXED);
			return true;
		}
		if (seen == place)
			return false;
	}
	return false;
}

bool fuzz_cover_end(struct fuzz_shared *shared)
{
	uint64_t i, n;
	bool new = false;

	if (!trace)
		return false;
	n = __atomic_load_n(trace, __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < KCOV_WORDS; i++) {
		/* No other code is built for it. */
		new |= add_place(shared, trace[i] - text);
	}
	return new;
}
