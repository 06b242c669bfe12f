// SPDX-License-Identifier: GPL-2.0
/*
 * Turns of a few microseconds, which are little more than the switches at their begin and end: all
 * of their time is their session's.  Only where an instruction takes a nanosecond are turns as
 * short as that, and on a machine of one CPU, whose clock the kernel trusts.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "session.h"

#define SHORT_TURNS	20000
#define ASKED_TURNS	8000
/* The kernel and the module take so much at the begin and at the end of a turn, and some more. */
#define SHORT_NS	7000
/* TD_POINT_SLOTS of kmod/meter/perfmetrics.c: a point after so many slots resets PERF_METRICS. */
#define RESET_SLOTS	(1 << 22)
/* A reset writes so many registers: two, and the PMU is disabled and enabled around it. */
#define RESET_WRITES	4
/* Points and resets of windows and of readers. */
#define POINTS_MORE	100
/* The wait for the other process is the session's too: a millisecond of some eighty. */
#define LIMIT_TURNS	0.05
/* Switches during that wait. */
#define LIMIT_SWITCHES	0.01

FIXTURE(turns) {
	int fd;
	struct turns *turns;
	struct topdown_session seen[2];
};

/**
 * struct turns - processes that give the CPU to each other
 * @fd: the device
 * @asks: the first process asks for fresh figures of the CPU before it gives it away
 * @go: they may begin
 * @there: how many have been woken up
 * @left: how often each has yet to give it away
 * @cpu_ns: what each had, by the kernel's own clock
 * @switches: how often each gave it away, by the kernel's own count
 * @truth: what each has executed
 * @asked: answers that the first process got
 */
struct turns {
	int fd;
	bool asks;
	volatile int go;
	volatile int there;
	volatile unsigned int left[2];
	volatile uint64_t cpu_ns[2];
	uint64_t switches[2];
	struct td_bd_truth truth[2];
	unsigned int asked;
};

static uint64_t own_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Until the other has had all of its turns, too: then there are no more of them. */
static void turns_take(struct turns *turns, unsigned int me)
{
	struct topdown_record record;

	while (turns->left[0] && turns->left[1]) {
		turns->left[me]--;
		if (!me && turns->asks)
			turns->asked += !device_read_cpu(turns->fd, TOPDOWN_READ_FRESH, 0,
							 &record);
		sched_yield();
	}
}

/* sched_yield() of real-time tasks of one priority gives the CPU to the other one. */
static int turns_start(struct turns *turns, unsigned int me)
{
	static const struct sched_param param = { .sched_priority = 10 };
	struct td_bd_truth truth;
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
	turns->switches[me] = -own_switches();
	backdoor_truth_space(&truth);
	from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	turns_take(turns, me);
	from = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
	backdoor_truth_space(&turns->truth[me]);
	backdoor_truth_sub(&turns->truth[me], &truth);
	turns->switches[me] += own_switches();
	turns->cpu_ns[me] = from;
	for (;;)
		pause();
}

static void turns_wait(struct turns *turns)
{
	unsigned int i;

	turns->go = 1;
	for (i = 0; i < 2000 && !(turns->cpu_ns[0] && turns->cpu_ns[1]); i++)
		sleep_ms(5);
}

/* The session of a process beside what the kernel and the emulator say of the process. */
static bool good(const struct topdown_session *seen, const struct turns *turns, unsigned int me,
		 bool merges)
{
	double cpu_ns = turns->cpu_ns[me];
	double time = seen->out_figures.enabled_ns / cpu_ns, merged = seen->out_merged_ns / cpu_ns;
	uint64_t known_ns = seen->out_figures.running_ns + seen->out_merged_ns;
	double switches = seen->out_switches / (double)turns->switches[me];

	printf("# %.4f of the switches, %.1f us each; time %.4f, merged %.4f\n", switches,
	       cpu_ns / 1e3 / turns->switches[me], time, merged);
	return fact(turns->cpu_ns[me]) & fact_near("time", time, 1, LIMIT_TURNS * looser(1)) &
	       fact_near("switches", switches, 1, LIMIT_SWITCHES) &
	       /* If there are fewer points than turns, it is said for how much time. */
	       fact(!seen->out_merged_ns == !merges) &
	       fact(known_ns <= seen->out_figures.enabled_ns) &
	       fact(known_ns > 0.98 * seen->out_figures.enabled_ns);
}

/*
 * The sessions have the slots of the time that is not merged.  Both together, as a switch
 * folds before the address space changes.  A fold stops the counters for a moment, and nobody
 * has these slots.
 */
static bool slots_right(const struct topdown_session *seen, const struct turns *turns)
{
	double slots = 0, want = 0, all = 0;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		slots += seen[i].out_figures.slots + turns->truth[i].held;
		all += turns->truth[i].slots;
		want += turns->truth[i].slots *
			(1 - seen[i].out_merged_ns / (double)turns->cpu_ns[i]);
	}
	printf("# %.4f of the slots, %.4f of the time is not merged\n", slots / all, want / all);
	return fact_near("slots", slots / all, want / all, LIMIT_TURNS * looser(1));
}

/*
 * Two processes take @number turns each.  @merges: not each turn is worth a point.  @used:
 * written: what the CPU did meanwhile.
 */
static bool measure_turns(struct turns *turns, unsigned int number, bool merges,
			  struct topdown_session *seen, struct td_bd_truth *used)
{
	struct topdown_session then[2];
	struct td_bd_truth from;
	int pid[2], session[2];
	bool ok = true;
	unsigned int i;

	turns->go = 0;
	turns->there = 0;
	turns->asked = 0;
	for (i = 0; i < 2; i++) {
		turns->left[i] = number;
		turns->cpu_ns[i] = 0;
		pid[i] = turns_start(turns, i);
		session[i] = device_attach(turns->fd, 0, pid[i]);
		ok = ok && session[i] > 0;
	}
	sleep_ms(50);
	for (i = 0; i < 2; i++)
		ok = ok && !device_session(session[i], TOPDOWN_SESSION_FRESH, &then[i]);
	backdoor_truth_cpu(0, &from);
	turns_wait(turns);
	backdoor_truth_cpu(0, used);
	used->rdpmc -= from.rdpmc;
	used->wrmsr -= from.wrmsr;
	used->slots -= from.slots;
	for (i = 0; i < 2; i++)
		ok = ok && !device_session(session[i], TOPDOWN_SESSION_FRESH, &seen[i]);
	for (i = 0; ok && i < 2; i++) {
		session_since(&seen[i], &then[i]);
		ok = good(&seen[i], turns, i, merges);
	}
	ok = ok && slots_right(seen, turns);
	for (i = 0; i < 2; i++) {
		close(session[i]);
		spin_stop(pid[i]);
	}
	return ok;
}

/* How often one point reads counters of this machine. */
static unsigned int reads_of_a_point(int fd)
{
	struct td_bd_truth from, to;
	struct topdown_record record;

	backdoor_truth_cpu(0, &from);
	if (device_read_cpu(fd, TOPDOWN_READ_FRESH, 0, &record))
		return 0;
	backdoor_truth_cpu(0, &to);
	return to.rdpmc - from.rdpmc;
}

/*
 * Turns of some microseconds: all of their time is measured, by one point a switch, and few of
 * them reset anything.  Where an instruction takes longer, a point is as dear as where a
 * hypervisor emulates the counters: the turns are longer, too, but some of their time is merged.
 */
static bool measure_short_turns(struct turns *turns, struct topdown_session *seen)
{
	unsigned int a_point = reads_of_a_point(turns->fd), i;
	bool fast = backdoor_fast(), ok;
	struct td_bd_truth used;

	turns->asks = false;
	ok = a_point && measure_turns(turns, SHORT_TURNS, !fast, seen, &used);
	/* Or nothing is tested. */
	for (i = 0; i < 2; i++)
		ok = ok && fact(!fast || turns->cpu_ns[i] / SHORT_TURNS < SHORT_NS) &
			   fact(seen[i].out_switches >= SHORT_TURNS - 1);
	return ok && fact_most("points", used.rdpmc / (double)a_point,
			       2.1 * SHORT_TURNS + POINTS_MORE) &
		     fact_most("resets", used.wrmsr / (double)RESET_WRITES,
			       used.slots / (double)RESET_SLOTS + POINTS_MORE);
}

/* Somebody asks for fresh figures of the CPU while a task has it. */
static bool measure_asked_turns(struct turns *turns, struct topdown_session *seen)
{
	struct td_bd_truth used;

	turns->asks = true;
	return measure_turns(turns, ASKED_TURNS, false, seen, &used) &&
	       fact(turns->asked >= ASKED_TURNS - 1) & fact(used.rdpmc >= turns->asked);
}

FIXTURE_SETUP(turns)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->turns = mmap(NULL, sizeof(*self->turns), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->turns);
	self->turns->fd = self->fd;
}

FIXTURE_TEARDOWN(turns)
{
	munmap(self->turns, sizeof(*self->turns));
	close(self->fd);
}

TEST_F_TIMEOUT(turns, short_turns_are_right, 60)
{
	EXPECT_SOON(measure_short_turns(self->turns, self->seen));
}

TEST_F(turns, asking_in_between_changes_nothing)
{
	EXPECT_SOON(measure_asked_turns(self->turns, self->seen));
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
