// SPDX-License-Identifier: GPL-2.0
/*
 * Turns that are shorter than what the module takes for one moment, TD_SAME_NS of
 * kmod/moment.h: all of their time is their session's, also if somebody reads the CPU in
 * between.  Only where an instruction takes a nanosecond are turns as short as that, and on a
 * machine of one CPU, whose clock the kernel trusts.
 */
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "session.h"

#define SHORT_TURNS	20000
/* TD_SAME_NS. */
#define SHORT_NS	5000
/* One turn in so many reads the CPU, where anybody does. */
#define ASK_EACH	4
/* Switches before and after the turns that are counted. */
#define FEW_SWITCHES	50
/* The wait for the other process is the session's too: a millisecond of some eighty. */
#define LIMIT_TURNS	0.05

FIXTURE(turns) {
	int fd;
	struct turns *turns;
	struct topdown_session seen;
};

/**
 * struct turns - processes that give the CPU to each other
 * @go: they may begin
 * @there: how many have been woken up
 * @left: how often each has yet to give it away
 * @cpu_ns: what each had, by the kernel's own clock
 * @switches: how often each left the CPU, as the kernel counts
 * @device: the first of them reads the CPU through this; -1: it does not
 */
struct turns {
	volatile int go;
	volatile int there;
	volatile unsigned int left[2];
	volatile uint64_t cpu_ns[2];
	volatile unsigned long switches[2];
	int device;
};

static unsigned long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* A reading folds, in the middle of a turn. */
static void ask(const struct turns *turns, unsigned int me)
{
	struct topdown_record record;

	if (!me && turns->device >= 0 && turns->left[me] % ASK_EACH == 0 &&
	    device_read_cpu(turns->device, TOPDOWN_READ_FRESH, 0, &record))
		_exit(1);
}

/* sched_yield() of real-time tasks of one priority gives the CPU to the other one. */
static int turns_start(struct turns *turns, unsigned int me)
{
	static const struct sched_param param = { .sched_priority = 10 };
	int pid = fork();
	uint64_t from;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(0) || sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	while (!turns->go)
		sleep_ms(1);
	turns->there++;
	while (turns->there < 2)
		sched_yield();
	turns->switches[me] = -switches();
	from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	/* Until the other has had all of its turns, too: then there are no more of them. */
	while (turns->left[0] && turns->left[1]) {
		turns->left[me]--;
		ask(turns, me);
		sched_yield();
	}
	turns->switches[me] += switches();
	turns->cpu_ns[me] = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
	for (;;)
		pause();
}

/*
 * Turns of some microseconds, shorter than the events of a task that go at one switch may be
 * apart from each other: their time is the session's as well.
 */
static bool measure_short_turns(int fd, struct turns *turns, struct topdown_session *seen)
{
	int pid[2], session[2];
	bool ok = true;
	unsigned int i;
	double time;

	turns->go = 0;
	turns->there = 0;
	for (i = 0; i < 2; i++) {
		turns->left[i] = SHORT_TURNS;
		turns->cpu_ns[i] = 0;
		pid[i] = turns_start(turns, i);
		session[i] = device_attach(fd, 0, pid[i]);
		ok = ok && session[i] > 0;
	}
	sleep_ms(50);
	for (i = 0; i < 2; i++)
		ok = ok && !device_control(fd, session[i], TOPDOWN_CONTROL_RESET);
	turns->go = 1;
	for (i = 0; i < 2000 && !(turns->cpu_ns[0] && turns->cpu_ns[1]); i++)
		sleep_ms(5);
	for (i = 0; i < 2; i++) {
		ok = ok && !device_session(fd, TOPDOWN_SESSION_FRESH, session[i], seen) &&
		     turns->cpu_ns[i];
		time = seen->out_figures.enabled_ns / (double)turns->cpu_ns[i];
		printf("# %llu switches (%lu), %.1f us each: time %.4f of the kernel's, "
		       "merged %.4f of it\n",
		       (unsigned long long)seen->out_switches, turns->switches[i],
		       turns->cpu_ns[i] / 1e3 / seen->out_switches, time,
		       seen->out_merged_ns / (double)turns->cpu_ns[i]);
		/* Or nothing is tested. */
		ok = ok && (turns->cpu_ns[i] / SHORT_TURNS < SHORT_NS || turns->device >= 0) &&
		     seen->out_switches >= SHORT_TURNS - 1 &&
		     seen->out_switches <= turns->switches[i] + FEW_SWITCHES &&
		     fabs(time - 1) <= LIMIT_TURNS * looser(1) &&
		     seen->out_figures.running_ns + seen->out_merged_ns <=
		     seen->out_figures.enabled_ns &&
		     /* There are fewer folds than turns, and it is said for how much time. */
		     seen->out_figures.running_ns + seen->out_merged_ns >
		     0.98 * seen->out_figures.enabled_ns && seen->out_merged_ns;
		device_control(fd, session[i], TOPDOWN_CONTROL_DETACH);
		spin_stop(pid[i]);
	}
	return ok;
}

FIXTURE_SETUP(turns)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->turns = mmap(NULL, sizeof(*self->turns), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->turns);
}

FIXTURE_TEARDOWN(turns)
{
	munmap(self->turns, sizeof(*self->turns));
	close(self->fd);
}

TEST_F_TIMEOUT(turns, short_ones, 60)
{
	self->turns->device = -1;
	EXPECT_SOON(measure_short_turns(self->fd, self->turns, &self->seen));
}

/* In turns that are measured and in others; whose slots a fold has is known only in the first. */
TEST_F_TIMEOUT(turns, asked_in_between, 60)
{
	self->turns->device = self->fd;
	EXPECT_SOON(measure_short_turns(self->fd, self->turns, &self->seen));
}

int main(int argc, char **argv)
{
	int ret = session_need();

	return ret ? ret : test_harness_run(argc, argv);
}
