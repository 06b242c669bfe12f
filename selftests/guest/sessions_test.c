// SPDX-License-Identifier: GPL-2.0
/*
 * TOPDOWN_SESSIONS: many sessions in one call say what TOPDOWN_SESSION says of each.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "session.h"

#define PAGE		4096
/* At least one of so many spans is without a switch. */
#define QUIET_SPANS	10
#define NR		3
#define LONG_MS		20000

FIXTURE(sessions) {
	int fd;
	int spinner;
	__u32 number[NR];
	struct topdown_session seen[2 * NR], one;
};

/* Sessions of the caller, of a task on CPU 1, and one that counts nothing. */
FIXTURE_SETUP(sessions)
{
	int i;

	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->spinner = spin_start(1, profile(0));
	ASSERT_LT(0, self->spinner);
	self->number[0] = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0);
	self->number[1] = device_attach(self->fd, 0, self->spinner);
	self->number[2] = device_attach(self->fd, TOPDOWN_ATTACH_DISABLED, 0);
	for (i = 0; i < NR; i++)
		ASSERT_EQ(i + 1, self->number[i]);
	ASSERT_EQ(0, cpu_pin(0));
}

FIXTURE_TEARDOWN(sessions)
{
	spin_stop(self->spinner);
	close(self->fd);
}

static int try(int fd, struct topdown_sessions *read)
{
	return ioctl(fd, TOPDOWN_SESSIONS, read) ? -errno : 0;
}

static struct topdown_sessions command(const __u32 *numbers, unsigned int nr,
				       struct topdown_session *seen, unsigned int room)
{
	return (struct topdown_sessions){
		.size		= sizeof(struct topdown_sessions),
		.numbers	= (uintptr_t)numbers,
		.nr_numbers	= nr,
		.session_size	= sizeof(*seen),
		.sessions	= (uintptr_t)seen,
		.nr_sessions	= room,
	};
}

/* Are the two the same, but for the time of reading? */
static bool same(const struct topdown_session *one, struct topdown_session *other)
{
	other->out_time_ns = one->out_time_ns;
	return !memcmp(one, other, sizeof(*one));
}

TEST_F(sessions, say_what_each_says)
{
	struct topdown_sessions read = command(NULL, 0, self->seen, 2 * NR);
	unsigned int i;

	spin_cpu_ms(20);
	for (i = 0; i < NR; i++)
		ASSERT_EQ(0, device_control(self->fd, self->number[i], TOPDOWN_CONTROL_DISABLE));
	ASSERT_EQ(0, try(self->fd, &read));
	ASSERT_EQ(NR, read.nr_sessions);
	for (i = 0; i < NR; i++) {
		ASSERT_EQ(0, device_session(self->fd, 0, self->number[i], &self->one));
		EXPECT_EQ(self->number[i], self->seen[i].session);
		EXPECT_GE(self->one.out_time_ns, self->seen[i].out_time_ns);
		EXPECT_LT(0, self->seen[i].out_time_ns);
		EXPECT_TRUE(same(&self->one, &self->seen[i]));
		EXPECT_EQ(i != 2, !!self->seen[i].out_figures.slots);
	}
}

TEST_F(sessions, in_the_order_asked_for)
{
	const __u32 numbers[] = { 3, 1, 77, 1, 0, ~0U };
	struct topdown_sessions read = command(numbers, 6, self->seen, 6);
	unsigned int i, node;

	ASSERT_EQ(0, device_control(self->fd, 1, TOPDOWN_CONTROL_DISABLE));
	memset(self->seen, 0xa5, sizeof(self->seen));
	ASSERT_EQ(0, try(self->fd, &read));
	ASSERT_EQ(6, read.nr_sessions);
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(numbers[i], self->seen[i].session);
		EXPECT_EQ(sizeof(self->one), self->seen[i].size);
	}
	EXPECT_EQ(TOPDOWN_SESSION_DISABLED, self->seen[0].out_state);
	EXPECT_TRUE(same(&self->seen[1], &self->seen[3]));
	for (i = 2; i < 6; i += i == 2 ? 2 : 1) {
		EXPECT_EQ(TOPDOWN_SESSION_DETACHED, self->seen[i].out_state);
		EXPECT_EQ(0, self->seen[i].out_time_ns);
		EXPECT_EQ(0, self->seen[i].out_figures.enabled_ns);
		for (node = 0; node < TOPDOWN_MAX_NODES; node++)
			EXPECT_EQ(TOPDOWN_RATIO_NONE, self->seen[i].out_figures.ratio[node]);
	}
}

/*
 * How often the task has left its CPU; negative if that cannot be read.  A session counts a
 * switch with the first fold after it, which may be later than the fold of the switch before.
 */
static long times_left(int pid)
{
	long left = 0, number;
	unsigned int found = 0;
	char path[32], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &number) != 1 &&
		    sscanf(line, "nonvoluntary_ctxt_switches: %ld", &number) != 1)
			continue;
		left += number;
		found++;
	}
	fclose(file);
	return found == 2 ? left : -1;
}

/*
 * The task on CPU 1 is in the middle of a window; one's own is asked too.  Without
 * TOPDOWN_SESSION_FRESH the figures are those that were known already.  A thread of the kernel
 * may run on CPU 1, and each switch folds, so find a span without one.
 */
TEST_F(sessions, fresh_counts_until_now)
{
	struct topdown_sessions read = command(self->number, 2, self->seen, 2);
	struct topdown_sessions again = command(self->number, 2, &self->seen[2], 2);
	uint64_t begun, span, more;
	unsigned int i;
	long left;

	read.flags = TOPDOWN_SESSION_FRESH;
	again.flags = TOPDOWN_SESSION_FRESH;
	ASSERT_EQ(0, period_set("60000"));
	ASSERT_EQ(0, try(self->fd, &read));
	begun = clock_ns(CLOCK_MONOTONIC);
	spin_cpu_ms(30);
	span = clock_ns(CLOCK_MONOTONIC) - begun;
	ASSERT_EQ(0, try(self->fd, &again));
	for (i = 0; i < 2; i++) {
		more = self->seen[2 + i].out_figures.enabled_ns -
		       self->seen[i].out_figures.enabled_ns;
		/* Two clocks may differ by two ticks, of 4 ms. */
		EXPECT_LT(span * 9 / 10, more + 8000000);
		EXPECT_LT(self->seen[i].out_figures.slots, self->seen[2 + i].out_figures.slots);
	}
	again.flags = 0;
	for (i = 0; i < QUIET_SPANS; i++) {
		left = times_left(self->spinner);
		ASSERT_LE(0, left);
		/* A switch that is counted already ends here. */
		spin_cpu_ms(1);
		ASSERT_EQ(0, try(self->fd, &again));
		self->one = self->seen[3];
		spin_cpu_ms(30);
		ASSERT_EQ(0, try(self->fd, &again));
		if (times_left(self->spinner) == left)
			break;
	}
	ASSERT_GT(QUIET_SPANS, i);
	EXPECT_EQ(self->one.out_figures.slots, self->seen[3].out_figures.slots);
	EXPECT_EQ(0, period_set("1000"));
}

TEST_F(sessions, refuses_what_cannot_be)
{
	static __u32 many[1025];
	const struct topdown_sessions right = command(self->number, NR, self->seen, NR);
	struct topdown_sessions read;
	unsigned int bit;

	for (bit = 1; bit < 32; bit++) {
		read = right;
		read.flags = 1U << bit;
		EXPECT_EQ(-EOPNOTSUPP, try(self->fd, &read));
	}
	read = right;
	read.__reserved = 1;
	EXPECT_EQ(-EINVAL, try(self->fd, &read));
	read = right;
	read.size = 39;
	EXPECT_EQ(-EINVAL, try(self->fd, &read));
	read = right;
	read.session_size = 879;
	EXPECT_EQ(-EINVAL, try(self->fd, &read));
	read.session_size = PAGE + 1;
	EXPECT_EQ(-E2BIG, try(self->fd, &read));
	read = right;
	read.nr_numbers = 0;
	EXPECT_EQ(-EINVAL, try(self->fd, &read));
	read = right;
	read.numbers = 0;
	EXPECT_EQ(-EINVAL, try(self->fd, &read));
	read = right;
	read.numbers = (uintptr_t)many;
	read.nr_numbers = 1025;
	EXPECT_EQ(-E2BIG, try(self->fd, &read));
	read.nr_numbers = ~0U;
	EXPECT_EQ(-E2BIG, try(self->fd, &read));
	read = right;
	read.numbers = 8;
	EXPECT_EQ(-EFAULT, try(self->fd, &read));
	read = right;
	read.sessions = 8;
	EXPECT_EQ(-EFAULT, try(self->fd, &read));
	read = right;
	EXPECT_EQ(0, try(self->fd, &read));
}

TEST_F(sessions, too_little_room_is_emsgsize)
{
	struct topdown_sessions read;
	unsigned int i;

	memset(self->seen, 0xa5, sizeof(self->seen));
	for (i = 0; i < NR; i++) {
		read = command(self->number, NR, self->seen, i);
		EXPECT_EQ(-EMSGSIZE, try(self->fd, &read));
		EXPECT_EQ(NR, read.nr_sessions);
		read = command(NULL, 0, self->seen, i);
		EXPECT_EQ(-EMSGSIZE, try(self->fd, &read));
		EXPECT_EQ(NR, read.nr_sessions);
		EXPECT_EQ(0xa5a5a5a5, self->seen[0].session);
	}
	EXPECT_EQ(0, try(self->fd, &read));
}

/* A longer answer is padded with zeros, and nothing is written after it. */
TEST_F(sessions, longer_ones_are_padded)
{
	static const unsigned int sizes[] = {
		sizeof(struct topdown_session) + 1, sizeof(struct topdown_session) + 8, PAGE
	};
	static unsigned char room[(NR + 1) * PAGE];
	struct topdown_sessions read;
	unsigned int i, j, byte;

	for (i = 0; i < 3; i++) {
		memset(room, 0xa5, sizeof(room));
		read = command(self->number, NR, (void *)room, NR);
		read.session_size = sizes[i];
		ASSERT_EQ(0, try(self->fd, &read));
		for (j = 0; j < NR; j++) {
			memcpy(&self->one, room + j * sizes[i], sizeof(self->one));
			EXPECT_EQ(self->number[j], self->one.session);
			EXPECT_EQ(sizes[i], self->one.size);
			for (byte = sizeof(self->one); byte < sizes[i]; byte++)
				ASSERT_EQ(0, room[j * sizes[i] + byte]);
		}
		for (j = NR * sizes[i]; j < sizeof(room); j++)
			ASSERT_EQ(0xa5, room[j]);
	}
}

/* Either command reads that the session has ended, so poll() has no more news. */
TEST_F(sessions, take_the_news_from_poll)
{
	struct topdown_sessions read = command(NULL, 0, self->seen, 2 * NR);
	struct pollfd poller = { .fd = self->fd, .events = POLLPRI };

	kill(self->spinner, SIGKILL);
	waitpid(self->spinner, NULL, 0);
	ASSERT_EQ(1, poll(&poller, 1, LONG_MS));
	EXPECT_EQ(POLLPRI, poller.revents);
	ASSERT_EQ(0, try(self->fd, &read));
	EXPECT_EQ(TOPDOWN_SESSION_EXITED, self->seen[1].out_state);
	EXPECT_EQ(0, poll(&poller, 1, 0));
	self->spinner = spin_start(1, profile(0));
	ASSERT_LT(0, self->spinner);
}

TEST_F(sessions, none_are_no_error)
{
	struct topdown_sessions read = command(NULL, 0, NULL, 0);
	int fd = device_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, try(fd, &read));
	EXPECT_EQ(0, read.nr_sessions);
	close(fd);
}

int main(int argc, char **argv)
{
	int ret = session_need();

	return ret ? ret : test_harness_run(argc, argv);
}
