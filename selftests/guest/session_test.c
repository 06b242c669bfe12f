// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions have the slots of their own tasks.  Tasks of one profile run beside tasks of
 * other profiles on the same CPUs, and the figures of their sessions are
 * compared with the exact truth of their address spaces.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "sample.h"
#include "session.h"

#define SPAN_MS		400
#define SHORT_THREADS	1000
/* Between the two clocks of one switch there are some instructions. */
#define LIMIT_PERF	0.01
/* A switch from one task of a session to another, fold included, takes less than this. */
#define SWITCH_NS	16000
/* The first profiles of profiles.c. */
#define PROFILES	10

FIXTURE(session) {
	int fd;
	int spinner[2];
	struct worker worker[WORKERS];
	struct topdown_session seen;
};

FIXTURE_SETUP(session)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	memset(self->spinner, 0, sizeof(self->spinner));
}

static void compete_end(int *spinner)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (spinner[i] > 0)
			spin_stop(spinner[i]);
		spinner[i] = 0;
	}
}

FIXTURE_TEARDOWN(session)
{
	compete_end(self->spinner);
	close(self->fd);
}

/* Run competitors of other profiles on both CPUs. */
static bool compete(int *spinner)
{
	spinner[0] = spin_start(0, profile(3));
	spinner[1] = spin_start(1, profile(4));
	return spinner[0] > 0 && spinner[1] > 0;
}

/* Compare the session with @truth.  All slots of @truth should be the session's. */
static bool good(const struct topdown_session *seen, const struct td_bd_truth *truth,
		 uint64_t cpu_ns, unsigned int threads)
{
	const struct topdown_figures *figures = &seen->out_figures;
	double fraction[TRUTH_NODES], want[TRUTH_NODES];
	double time = figures->enabled_ns / (double)cpu_ns;
	double slots = figures->slots / (double)truth->slots;
	double limit = looser(threads) * LIMIT_SLOTS;
	/*
	 * Kernel threads borrow the address space of the task that ran before them, so the
	 * truth of all slots is an upper limit.  The slots of user mode are its tasks' alone,
	 * and a lower limit.  Where threads come and go all the time perf lets go of a thread
	 * before its last steps, so there is no lower limit; perf_agrees() has the rest.
	 */
	bool brief = threads > THREADS;
	double lost = (truth->user_slots - (double)figures->slots) / truth->slots;
	struct comparison comparison;
	__u64 level1 = 0;
	unsigned int i;

	backdoor_truth_nodes(truth, want);
	for (i = 0; i < TRUTH_NODES; i++)
		fraction[i] = figures->ratio[i] == TOPDOWN_RATIO_NONE ? NAN :
			      figures->ratio[i] / (double)TOPDOWN_RATIO_ONE;
	compare_nodes(fraction, want, seen->out_level, &comparison);
	for (i = 0; i < TOPDOWN_HEAVY_OPERATIONS; i++)
		level1 += figures->node[i];
	printf("# %.3f points, slots %.4f of the truth, of which user mode has %.4f, time %.4f of the kernel's, measured %.4f, merged %.3f ms, %llu switches, %u tasks\n",
	       comparison.points, slots, truth->user_slots / (double)truth->slots, time,
	       figures->running_ns / (double)figures->enabled_ns,
	       seen->out_merged_ns / 1e6, (unsigned long long)seen->out_switches, seen->out_tasks);
	return fact_most("points", comparison.points, looser(threads) * LIMIT_POINTS) &
	       fact_most("slots", slots, 1 + limit) &
	       (brief || fact_most("lost slots", lost, limit)) &
	       fact_near("time", time, 1, brief ? 2 * limit : limit) &
	       fact_same("level 1", level1, figures->slots) &
	       fact(figures->running_ns + seen->out_merged_ns <= figures->enabled_ns) &
	       fact_same("source", seen->out_source, TOPDOWN_SOURCE_PERF_METRICS);
}

/* How one worker is attached to, by its parent. */
enum how { BY_PID, BY_PIDFD, BY_TID };

static int attach_worker(int fd, int pid, enum how how)
{
	int pidfd, ret;

	if (how == BY_PID)
		return device_attach(fd, 0, pid);
	if (how == BY_TID)
		return device_attach(fd, TOPDOWN_ATTACH_THREAD, pid);
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	ret = device_attach(fd, TOPDOWN_ATTACH_PIDFD, pidfd);
	close(pidfd);
	return ret;
}

/* One worker beside competitors, followed from outside. */
static bool measure_worker(int fd, struct worker *worker, const struct td_bd_profile *what,
			   unsigned int threads, enum how how, struct topdown_session *seen)
{
	struct report *report = &reports[0];
	bool ok = worker_start(worker, report, what, threads, SPAN_MS);
	int session = ok ? attach_worker(fd, worker->pid, how) : -1;

	ok = session > 0 && worker_go(worker, threads) && worker_wait(report) &&
	     !device_session(session, TOPDOWN_SESSION_FRESH, seen) &&
	     good(seen, &report->truth, report->cpu_ns, threads);
	ok = ok && fact_same("tasks", seen->out_tasks, 1) &
	     fact_same("state", seen->out_state, TOPDOWN_SESSION_STATE_RUNNING) &
	     fact_same("flags", seen->out_flags, 0);
	worker_stop(worker);
	if (session > 0)
		close(session);
	return ok;
}

static bool measure_own_thread(int fd, struct topdown_session *seen)
{
	struct topdown_session then;
	struct td_bd_truth from, to;
	uint64_t cpu_ns;
	int session;
	bool ok;

	session = device_attach(fd, TOPDOWN_ATTACH_THREAD, 0);
	/* The emulator has to translate the kernel again where probes were put in. */
	spin_ms(20);
	if (session <= 0 || device_session(session, TOPDOWN_SESSION_FRESH, &then))
		return false;
	cpu_ns = -clock_ns(CLOCK_THREAD_CPUTIME_ID);
	backdoor_truth_space(&from);
	spin_ms(SPAN_MS);
	ok = !device_session(session, TOPDOWN_SESSION_FRESH, seen);
	backdoor_truth_space(&to);
	cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	backdoor_truth_sub(&to, &from);
	close(session);
	session_since(seen, &then);
	return ok && good(seen, &to, cpu_ns, 1) & fact_same("tasks", seen->out_tasks, 1) &
	       fact(seen->out_switches);
}

TEST_F(session, a_thread_keeps_its_slots)
{
	ASSERT_TRUE(compete(self->spinner));
	ASSERT_TRUE(backdoor_set_profile(profile(0)));
	EXPECT_SOON(measure_own_thread(self->fd, &self->seen));
}

TEST_F(session, a_process_by_pid_is_right)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_worker(self->fd, &self->worker[0], profile(0), 0, BY_PID,
				   &self->seen));
}

TEST_F(session, a_process_by_pidfd_is_right)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_worker(self->fd, &self->worker[0], profile(0), 0, BY_PIDFD,
				   &self->seen));
}

TEST_F(session, a_process_has_its_eight_threads)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_worker(self->fd, &self->worker[0], profile(0), THREADS, BY_PID,
				   &self->seen));
}

/* perf's own clock of a process and the threads that it will make; a descriptor. */
static int perf_clock_open(int pid)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_TASK_CLOCK,
		.inherit	= 1,
	};

	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* How many slots a CPU that never sleeps has in a nanosecond; of @from up to now. */
static double slots_per_ns(const struct td_bd_truth *from)
{
	struct td_bd_truth truth;

	backdoor_truth_cpu(0, &truth);
	backdoor_truth_sub(&truth, from);
	return truth.slots / (double)truth.time_ns;
}

/*
 * A session follows its tasks by perf, so it has the time that perf has, up to where perf
 * lets go of a thread that exits, and all slots of that time.  It also has the switches from
 * one of its tasks to another, in which perf's clock of the process stands still.  How many
 * these are is the scheduler's choice.
 */
static bool perf_agrees(const struct topdown_session *seen, uint64_t perf_ns, double rate)
{
	const struct topdown_figures *figures = &seen->out_figures;
	double time = figures->enabled_ns / (double)perf_ns;
	double slots = figures->slots / (rate * (perf_ns - seen->out_merged_ns));
	double switches = seen->out_switches * (double)SWITCH_NS / perf_ns;
	double limit = LIMIT_PERF * looser(1);

	printf("# time %.4f of perf's, %.0f ns more a switch, slots %.4f of those in perf's time\n",
	       time, (figures->enabled_ns - (double)perf_ns) / seen->out_switches, slots);
	return fact_most("time", time, 1 + switches + limit) &
	       fact_most("lost time", 1 - time, limit) &
	       fact_most("slots", slots, 1 + switches + limit) &
	       fact_most("lost slots", 1 - slots, limit);
}

/* A thousand threads after each other, which the session gets by inheritance. */
static bool measure_short_threads(int fd, struct worker *worker, struct topdown_session *seen)
{
	struct report *report = &reports[0];
	bool ok = worker_start(worker, report, profile(0), SHORT_THREADS, SPAN_MS);
	int session = ok ? device_attach(fd, 0, worker->pid) : -1;
	int clock = ok ? perf_clock_open(worker->pid) : -1;
	struct td_bd_truth from;
	uint64_t perf_ns = 0;

	backdoor_truth_cpu(0, &from);
	ok = session > 0 && clock >= 0 && worker_go(worker, SHORT_THREADS) &&
	     worker_wait(report) && !device_session(session, TOPDOWN_SESSION_FRESH, seen) &&
	     read(clock, &perf_ns, sizeof(perf_ns)) == sizeof(perf_ns);
	if (ok)
		ok = good(seen, &report->truth, report->cpu_ns, SHORT_THREADS) &
		     perf_agrees(seen, perf_ns, slots_per_ns(&from));
	ok = ok && seen->out_tasks == 1 && seen->out_state == TOPDOWN_SESSION_STATE_RUNNING &&
	     !seen->out_flags;
	worker_stop(worker);
	if (clock >= 0)
		close(clock);
	if (session > 0)
		close(session);
	return ok;
}

/* No thread is missed, and in the end the session has none of them. */
TEST_F_TIMEOUT(session, no_short_thread_is_missed, 240)
{
	ASSERT_TRUE(compete(self->spinner));
	/* The threads go before the competitors, which keep idle CPUs out of our space's truth. */
	setpriority(PRIO_PROCESS, self->spinner[0], 19);
	setpriority(PRIO_PROCESS, self->spinner[1], 19);
	EXPECT_SOON(measure_short_threads(self->fd, &self->worker[0], &self->seen));
	EXPECT_LT(SHORT_THREADS, self->seen.out_switches);
}

static bool measure_only_one_thread(int fd, struct worker *worker, struct topdown_session *seen)
{
	struct report *report = &reports[0];
	bool ok = worker_start(worker, report, profile(0), 2, SPAN_MS);
	int session = ok ? attach_worker(fd, worker->pid, BY_TID) : -1;
	double time;

	ok = session > 0 && worker_go(worker, 2) && worker_wait(report) &&
	     !device_session(session, TOPDOWN_SESSION_FRESH, seen);
	worker_stop(worker);
	time = seen->out_figures.enabled_ns / (double)report->main_ns;
	printf("# a thread of three: time %.4f of the kernel's\n", time);
	return ok && fact_near("time", time, 1, LIMIT_SLOTS);
}

TEST_F(session, one_thread_of_three_counts_alone)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_only_one_thread(self->fd, &self->worker[0], &self->seen));
}

/* A parent that sleeps, and children of three profiles. */
static bool measure_children(int fd, struct worker *worker, unsigned int first, __u32 flags,
			     struct topdown_session *seen)
{
	int session = device_attach(fd, flags | TOPDOWN_ATTACH_DISABLED, 0);
	struct td_bd_truth truth, from;
	uint64_t cpu_ns;
	unsigned int i;
	bool ok = session > 0;

	for (i = 0; i < WORKERS; i++)
		ok = ok && worker_start(&worker[i], &reports[i],
				       &profiles[(first + i) % PROFILES].profile, 0, SPAN_MS);
	ok = ok && !device_session(session, TOPDOWN_SESSION_FRESH, seen) &&
	     seen->out_state == TOPDOWN_SESSION_STATE_DISABLED && !seen->out_figures.enabled_ns;
	device_control(session, TOPDOWN_CONTROL_ENABLE);
	cpu_ns = -clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	backdoor_truth_space(&from);
	for (i = 0; i < WORKERS; i++)
		ok = ok && worker_go(&worker[i], 0);
	for (i = 0; i < WORKERS; i++)
		ok = ok && worker_wait(&reports[i]);
	ok = ok && !device_session(session, TOPDOWN_SESSION_FRESH, seen);
	backdoor_truth_space(&truth);
	backdoor_truth_sub(&truth, &from);
	cpu_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (i = 0; i < WORKERS; i++) {
		backdoor_truth_add(&truth, &reports[i].truth);
		cpu_ns += reports[i].cpu_ns;
	}
	for (i = 0; i < WORKERS; i++)
		worker_stop(&worker[i]);
	close(session);
	if (flags & TOPDOWN_ATTACH_CHILDREN)
		return ok && good(seen, &truth, cpu_ns, 1) &
		       fact_same("tasks", seen->out_tasks, 1 + WORKERS);
	/* The parent alone. */
	return ok && fact_same("tasks", seen->out_tasks, 1) &
	       fact_most("time", seen->out_figures.enabled_ns, cpu_ns / 5.0);
}

TEST_F(session, children_count_if_asked_for)
{
	ASSERT_TRUE(backdoor_set_profile(profile(0)));
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_children(self->fd, self->worker, 0, TOPDOWN_ATTACH_CHILDREN,
				     &self->seen));
}

TEST_F(session, children_do_not_count_unasked)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_children(self->fd, self->worker, 0, 0, &self->seen));
}

/*
 * Ten profiles, each as one thread, as eight, and as a child among others.  In the
 * full tier, for the time it takes.
 */
TEST_F_TIMEOUT(session, ten_profiles_are_right, 600)
{
	struct worker *worker = self->worker;
	unsigned int i;

	if (!getenv("TOPDOWN_FULL"))
		SKIP(return, "TOPDOWN_FULL=1 measures ten profiles in all ways");
	ASSERT_TRUE(compete(self->spinner));
	for (i = 0; i < PROFILES; i++) {
		const struct td_bd_profile *what = &profiles[i].profile;

		printf("# %s: a thread, eight threads, a child of three\n", profiles[i].name);
		EXPECT_SOON(measure_worker(self->fd, worker, what, 0, BY_TID, &self->seen));
		EXPECT_SOON(measure_worker(self->fd, worker, what, THREADS, BY_PID, &self->seen));
		EXPECT_SOON(measure_children(self->fd, worker, i, TOPDOWN_ATTACH_CHILDREN,
					     &self->seen));
	}
}

/* The CPU and the sessions at one moment: nobody else may run in between. */
static bool read_all(int fd, const int *session, struct topdown_record *record,
		     struct topdown_session *seen)
{
	const struct sched_param normal = { };
	bool ok = !realtime() && !device_read_cpu(fd, TOPDOWN_READ_FRESH, 0, record);
	unsigned int i;

	for (i = 0; i < 3; i++)
		ok = ok && !device_session(session[i], TOPDOWN_SESSION_FRESH, &seen[i]);
	return ok && !sched_setscheduler(0, SCHED_OTHER, &normal);
}

/* The sessions of all that runs on a CPU add up to what the CPU counts. */
static bool measure_sum(int fd, const int *spinner)
{
	struct topdown_session then[3], now[3];
	struct topdown_record from, to;
	int session[3];
	double sum = 0;
	unsigned int i;
	bool ok;

	session[0] = device_attach(fd, 0, 0);
	session[1] = device_attach(fd, 0, spinner[0]);
	session[2] = device_attach(fd, 0, spinner[1]);
	ok = read_all(fd, session, &from, then);
	spin_ms(SPAN_MS);
	ok = ok && read_all(fd, session, &to, now);
	for (i = 0; i < 3; i++) {
		sum += now[i].out_figures.slots - then[i].out_figures.slots;
		close(session[i]);
	}
	sum /= to.total.slots - from.total.slots;
	printf("# sum of the sessions: %.4f of the CPU's slots\n", sum);
	return ok && fact_near("the sum", sum, 1, LIMIT_SLOTS);
}

TEST_F(session, sum_is_the_cpu)
{
	ASSERT_EQ(0, cpu_pin(0));
	self->spinner[0] = spin_start(0, profile(3));
	self->spinner[1] = spin_start(0, profile(4));
	EXPECT_SOON(measure_sum(self->fd, self->spinner));
}

TEST_F(session, control_enables_and_disables)
{
	__u64 slots, ns;
	int session;

	session = device_attach(self->fd, TOPDOWN_ATTACH_DISABLED, 0);
	ASSERT_LT(0, session);
	spin_ms(30);
	EXPECT_FALSE(has_slots(session, &self->seen));
	EXPECT_EQ(0, self->seen.out_figures.enabled_ns);
	EXPECT_EQ(TOPDOWN_RATIO_NONE, self->seen.out_figures.ratio[0]);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_DISABLED, self->seen.out_state);
	ASSERT_EQ(0, device_control(session, TOPDOWN_CONTROL_ENABLE));
	spin_ms(30);
	EXPECT_TRUE(has_slots(session, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_RUNNING, self->seen.out_state);
	EXPECT_LE(25000000, self->seen.out_figures.enabled_ns);
	ASSERT_EQ(0, device_control(session, TOPDOWN_CONTROL_DISABLE));
	ASSERT_TRUE(has_slots(session, &self->seen));
	slots = self->seen.out_figures.slots;
	ns = self->seen.out_figures.enabled_ns;
	spin_ms(30);
	ASSERT_TRUE(has_slots(session, &self->seen));
	EXPECT_EQ(slots, self->seen.out_figures.slots);
	EXPECT_EQ(ns, self->seen.out_figures.enabled_ns);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_DISABLED, self->seen.out_state);
	ASSERT_EQ(0, close(session));
	EXPECT_EQ(-EBADF, device_session(session, 0, &self->seen));
	EXPECT_EQ(-EBADF, device_control(session, TOPDOWN_CONTROL_ENABLE));
}

/* Two sessions of one task do not take from each other. */
TEST_F(session, two_sessions_share_a_task)
{
	struct topdown_session other;
	int one, two;

	two = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0);
	ASSERT_LT(0, two);
	spin_ms(100);
	one = device_attach(self->fd, 0, 0);
	ASSERT_LT(0, one);
	spin_ms(100);
	ASSERT_TRUE(has_slots(one, &self->seen));
	ASSERT_TRUE(has_slots(two, &other));
	EXPECT_LT(self->seen.out_figures.slots * 3 / 2, other.out_figures.slots);
	EXPECT_GT(self->seen.out_figures.slots * 4, other.out_figures.slots);
}

/* Two threads that wake each other, so that there are switches. */
struct pair {
	int fd[2][2];
	unsigned int rounds;
};

static void pair_turns(struct pair *pair, unsigned int me)
{
	unsigned int i;
	char byte = 0;

	for (i = 0; i < pair->rounds; i++) {
		if (me && read(pair->fd[0][0], &byte, 1) != 1)
			break;
		if (write(pair->fd[me][1], &byte, 1) != 1)
			break;
		if (!me && read(pair->fd[1][0], &byte, 1) != 1)
			break;
	}
}

static void *pair_other(void *pair)
{
	pair_turns(pair, 1);
	return NULL;
}

/* How often the counter was read while two threads of ours took turns. */
static unsigned int pair_reads(unsigned int rounds)
{
	struct pair pair = { .rounds = rounds };
	struct td_bd_truth from, to;
	pthread_t other;
	unsigned int i;

	if (pipe(pair.fd[0]) || pipe(pair.fd[1]) ||
	    pthread_create(&other, NULL, pair_other, &pair))
		return 0;
	backdoor_truth_cpu(0, &from);
	pair_turns(&pair, 0);
	backdoor_truth_cpu(0, &to);
	pthread_join(other, NULL);
	for (i = 0; i < 2; i++) {
		close(pair.fd[i][0]);
		close(pair.fd[i][1]);
	}
	return (to.rdpmc - from.rdpmc) / 2;
}

/* Switches fold only if a followed task takes part, and the two tasks are not of one session. */
TEST_F(session, nobody_else_pays)
{
	int session, stranger;

	ASSERT_EQ(0, cpu_pin(0));
	EXPECT_GT(100, pair_reads(1000));
	stranger = sleeper_start();
	session = device_attach(self->fd, 0, stranger);
	ASSERT_LT(0, session);
	EXPECT_GT(100, pair_reads(1000));
	EXPECT_EQ(0, close(session));
	spin_stop(stranger);

	session = device_attach(self->fd, 0, 0);
	ASSERT_LT(0, session);
	EXPECT_GT(100, pair_reads(1000));
	ASSERT_EQ(0, device_session(session, TOPDOWN_SESSION_FRESH, &self->seen));
	/* perf sees no switch between the two threads. */
	EXPECT_LT(0, self->seen.out_switches);
	EXPECT_EQ(0, close(session));

	session = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0);
	ASSERT_LT(0, session);
	/* There are fewer folds than switches if switches follow each other too fast. */
	EXPECT_LT(200, pair_reads(1000));
	EXPECT_EQ(0, close(session));
	EXPECT_GT(100, pair_reads(1000));
}

/* Two processes that hand over to each other faster than it can be measured. */
TEST_F(session, too_fast_is_said)
{
	struct pair pair = { .rounds = 8000 };
	struct topdown_session seen[2];
	struct topdown_figures *figures;
	int session[2], pid, i;

	ASSERT_EQ(0, cpu_pin(0));
	ASSERT_EQ(0, pipe(pair.fd[0]));
	ASSERT_EQ(0, pipe(pair.fd[1]));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pair_turns(&pair, 1);
		for (;;)
			pause();
	}
	session[0] = device_attach(self->fd, 0, 0);
	session[1] = device_attach(self->fd, 0, pid);
	pair_turns(&pair, 0);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, device_session(session[i], TOPDOWN_SESSION_FRESH, &seen[i]));
		figures = &seen[i].out_figures;
		printf("# measured %.4f, merged %.4f, %llu switches in %.0f ms\n",
		       figures->running_ns / (double)figures->enabled_ns,
		       seen[i].out_merged_ns / (double)figures->enabled_ns,
		       (unsigned long long)seen[i].out_switches, figures->enabled_ns / 1e6);
		EXPECT_LT(7900, seen[i].out_switches);
		EXPECT_LE(figures->running_ns + seen[i].out_merged_ns, figures->enabled_ns);
		EXPECT_LT(0.99 * figures->enabled_ns, figures->running_ns + seen[i].out_merged_ns);
	}
	spin_stop(pid);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
