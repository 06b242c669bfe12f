// SPDX-License-Identifier: GPL-2.0
/*
 * A killed caller goes: none of its calls goes on to its end.  All of the caller's pages are
 * there, or a fault in the midst of the call would end it.
 *
 * A timer of the caller kills it while the call runs, or too early or too late, so it is tried
 * with one time after the other.  One call that stops half-way is enough, because one that does not
 * look for the signal never stops.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "watch_fixture.h"

/* As many as a descriptor may have. */
#define WATCHES		256
/* The kill comes so long after the call begins, and each try so many percent later. */
#define FIRST_NS	4000
#define LAST_NS		16000000
#define LATER_PERCENT	8
/* All of these times are tried so often. */
#define ROUNDS		2
/* The fixture's spinner, which has the last CPU, makes the windows. */
#define CALLER_CPU	1
/* The larger a record is the longer it takes. */
#define RECORD_SIZE	4096

/**
 * struct killed - room for what the caller is given
 * @event: the events of all watches
 * @record: the records of all CPUs
 */
struct killed {
	struct topdown_event event[WATCHES];
	char record[TD_CPUS_MAX][RECORD_SIZE];
};

static const struct topdown_watch any_window = { .node = TOPDOWN_WATCH_ANY };

typedef void (*call_fn)(int fd, struct killed *killed);

/* Make the call in a process that is killed @after_ns later. */
static bool call_and_die(int fd, struct killed *killed, call_fn call, uint64_t after_ns)
{
	const struct itimerspec after = { .it_value.tv_nsec = after_ns };
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	timer_t timer;
	int pid, status;

	pid = fork();
	if (pid)
		return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
	if (cpu_pin(CALLER_CPU) || timer_create(CLOCK_MONOTONIC, &how, &timer) ||
	    timer_settime(timer, 0, &after, NULL))
		_exit(1);
	call(fd, killed);
	for (;;)
		pause();
}

static void call_read(int fd, struct killed *killed)
{
	struct topdown_read read = {
		.size		= sizeof(read),
		.records	= (uintptr_t)killed->record,
		.nr_records	= TD_CPUS_MAX,
		.record_size	= RECORD_SIZE,
	};

	ioctl(fd, TOPDOWN_READ, &read);
}

static const __u32 *cpu_of(const struct killed *killed, unsigned int i)
{
	return &((const struct topdown_record *)killed->record[i])->cpu;
}

static bool read_stops(int fd, struct killed *killed, unsigned int nr, uint64_t after_ns)
{
	memset(killed->record, 0xff, sizeof(killed->record));
	return call_and_die(fd, killed, call_read, after_ns) &&
	       *cpu_of(killed, 0) != -1U && *cpu_of(killed, nr - 1) == -1U;
}

static void call_events(int fd, struct killed *killed)
{
	if (read(fd, killed->event, sizeof(killed->event)) < 0)
		killed->event[0].count = 0;
}

/* No window closes meanwhile, so what is unread afterwards is what the caller has left. */
static bool events_stop(int fd, struct killed *killed, const struct map *map, unsigned int busy,
			uint64_t after_ns)
{
	memset(killed->event, 0, sizeof(killed->event));
	return !period_set("10") && windows_wait(map, busy, 2) && !period_set("60000") &&
	       call_and_die(fd, killed, call_events, after_ns) && killed->event[0].count &&
	       !killed->event[WATCHES - 1].count && event_ready(fd, 0) == POLLIN;
}

static void call_remove(int fd, struct killed *killed)
{
	watch_remove(fd, 0);
}

static unsigned int watches_fill(int fd, const __u64 *cpus)
{
	unsigned int n = 0;

	while (watch_add(fd, cpus, TD_CPUS_MAX / 64, &any_window) > 0)
		n++;
	return n;
}

static bool remove_stops(int fd, struct killed *killed, const __u64 *cpus, uint64_t after_ns)
{
	unsigned int removed;

	if (!call_and_die(fd, killed, call_remove, after_ns))
		return false;
	removed = watches_fill(fd, cpus);
	return removed && removed < WATCHES;
}

static struct killed *killed_map(void)
{
	struct killed *killed = mmap(NULL, sizeof(*killed), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return killed == MAP_FAILED ? NULL : killed;
}

/* Try until a call stops half-way. */
#define EXPECT_STOPS(what)						\
({									\
	unsigned int kills = 0, round = 0;				\
	uint64_t after_ns = FIRST_NS;					\
	bool stops = false;						\
									\
	while (!stops && round < ROUNDS) {				\
		stops = what;						\
		kills++;						\
		after_ns += after_ns * LATER_PERCENT / 100;		\
		if (after_ns > LAST_NS) {				\
			after_ns = FIRST_NS;				\
			round++;					\
		}							\
	}								\
	printf("# %u kills\n", kills);					\
	EXPECT_TRUE(stops);						\
})

TEST_F_TIMEOUT(watch, a_killed_read_stops, 300)
{
	struct killed *killed = killed_map();

	ASSERT_NE(NULL, killed);
	EXPECT_STOPS(read_stops(self->fd, killed, self->nr, after_ns));
}

TEST_F_TIMEOUT(watch, a_killed_read_of_events_stops, 300)
{
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	struct killed *killed = killed_map();

	ASSERT_NE(NULL, killed);
	cpus[self->busy / 64] |= 1ULL << self->busy % 64;
	ASSERT_EQ(WATCHES, watches_fill(self->fd, cpus));
	EXPECT_STOPS(events_stop(self->fd, killed, &self->map, self->busy, after_ns));
}

TEST_F_TIMEOUT(watch, a_killed_removal_stops, 300)
{
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	struct killed *killed = killed_map();

	ASSERT_NE(NULL, killed);
	cpus[self->busy / 64] |= 1ULL << self->busy % 64;
	ASSERT_EQ(WATCHES, watches_fill(self->fd, cpus));
	EXPECT_STOPS(remove_stops(self->fd, killed, cpus, after_ns));
}

TEST_HARNESS_MAIN
