// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: whose slots were they?  Tasks of one profile run beside tasks of
 * other profiles on the same CPUs, and the figures of their sessions are
 * compared with the exact truth of their address spaces.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "sample.h"

/* Percentage points, and a share of the slots: the acceptance criteria. */
#define LIMIT_POINTS	0.5
#define LIMIT_SLOTS	0.01

#define SPAN_MS		400
#define TRIES		6
#define WORKERS		3
#define THREADS		8
#define NOBODY		65534

/* A process that works when it is told to, and then says how much that was. */
struct worker {
	int pid;
	/* One byte for each thread that is to work. */
	int go[2];
	int ready[2];
};

struct report {
	struct td_bd_truth truth;
	uint64_t cpu_ns;
	uint64_t main_ns;
	volatile int done;
};

static struct report *reports;

static const struct td_bd_profile *profile(unsigned int i)
{
	static const char * const names[] = { "branchy", "stream", "compute", "bigcode", "fetch" };

	return &profile_find(names[i % 5])->profile;
}

static void spin_ms(unsigned int ms)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ULL;
	volatile int i;

	do {
		for (i = 0; i < 20000; i++)
			;
	} while (clock_ns(CLOCK_MONOTONIC) < end);
}

static void *thread_spin(void *ms)
{
	spin_ms((uintptr_t)ms);
	return NULL;
}

static void *thread_short(void *unused)
{
	volatile int i;

	for (i = 0; i < 20000; i++)
		;
	return unused;
}

static int worker_go_fd;

static void *thread_wait_and_spin(void *ms)
{
	char byte;

	if (read(worker_go_fd, &byte, 1) == 1)
		spin_ms((uintptr_t)ms);
	return NULL;
}

/* Half of the threads are there before it goes, half come afterwards. */
static void work_threads(pthread_t *thread, unsigned int threads, unsigned int ms)
{
	unsigned int i;

	for (i = threads / 2; i < threads; i++)
		pthread_create(&thread[i], NULL, thread_spin, (void *)(uintptr_t)ms);
	spin_ms(ms);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

/* @threads above THREADS: so many short ones after each other. */
static void work(unsigned int threads, unsigned int ms, pthread_t *thread)
{
	pthread_t one;
	unsigned int i;

	if (threads <= THREADS) {
		work_threads(thread, threads, ms);
		return;
	}
	for (i = 0; i < threads; i++) {
		if (pthread_create(&one, NULL, thread_short, NULL))
			_exit(3);
		pthread_join(one, NULL);
	}
}

static void worker_run(struct worker *worker, struct report *report,
		       const struct td_bd_profile *what, unsigned int threads, unsigned int ms)
{
	pthread_t thread[THREADS];
	struct td_bd_truth from;
	unsigned int i;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	worker_go_fd = worker->go[0];
	if (!door_open() || !door_set_profile(what))
		_exit(1);
	for (i = 0; threads <= THREADS && i < threads / 2; i++)
		pthread_create(&thread[i], NULL, thread_wait_and_spin, (void *)(uintptr_t)ms);
	/* The others are to wait by now. */
	sleep_ms(20);
	if (write(worker->ready[1], "", 1) != 1)
		_exit(2);
	/* Before any thread of it can run. */
	report->cpu_ns = -clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	report->main_ns = -clock_ns(CLOCK_THREAD_CPUTIME_ID);
	door_truth_space(&from);
	if (read(worker->go[0], &byte, 1) != 1)
		_exit(2);
	work(threads, ms, thread);
	door_truth_space(&report->truth);
	report->cpu_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	report->main_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	door_truth_sub(&report->truth, &from);
	report->done = 1;
	for (;;)
		pause();
}

static bool worker_start(struct worker *worker, struct report *report,
			 const struct td_bd_profile *what, unsigned int threads, unsigned int ms)
{
	char byte;

	report->done = 0;
	if (pipe(worker->go) || pipe(worker->ready))
		return false;
	worker->pid = fork();
	if (!worker->pid)
		worker_run(worker, report, what, threads, ms);
	close(worker->ready[1]);
	return worker->pid > 0 && read(worker->ready[0], &byte, 1) == 1;
}

static bool worker_go(struct worker *worker, unsigned int threads)
{
	static const char bytes[THREADS + 1];
	ssize_t n = 1 + (threads <= THREADS ? threads / 2 : 0);

	return write(worker->go[1], bytes, n) == n;
}

static bool worker_wait(const struct report *report)
{
	unsigned int i;

	for (i = 0; i < 4000 && !report->done; i++)
		sleep_ms(5);
	return report->done;
}

static void worker_stop(struct worker *worker)
{
	close(worker->go[0]);
	close(worker->go[1]);
	close(worker->ready[0]);
	spin_stop(worker->pid);
}

FIXTURE(session) {
	int fd;
	int spinner[2];
	struct worker worker[WORKERS];
	struct topdown_session seen;
};

FIXTURE_SETUP(session)
{
	cpu_set_t two;

	reports = mmap(NULL, WORKERS * sizeof(*reports), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, reports);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(door_open());
	/* The emulator's time runs on where the host has no CPU for it: use few. */
	CPU_ZERO(&two);
	CPU_SET(0, &two);
	CPU_SET(1, &two);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(two), &two));
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

/* Others on both CPUs, of other profiles. */
static bool compete(int *spinner)
{
	spinner[0] = spin_start(0, profile(3));
	spinner[1] = spin_start(1, profile(4));
	return spinner[0] > 0 && spinner[1] > 0;
}

/* What the session says beside @truth, all of whose slots should be its own. */
static bool within(const struct topdown_session *seen, const struct td_bd_truth *truth,
		   uint64_t cpu_ns, double limit_points, double limit)
{
	const struct topdown_figures *figures = &seen->out_figures;
	double fraction[TOPDOWN_NR_NODES], want[TOPDOWN_NR_NODES];
	double time = figures->enabled_ns / (double)cpu_ns;
	double slots = figures->slots / (double)truth->slots;
	struct comparison comparison;
	__u64 level1 = 0;
	unsigned int i;

	door_truth_nodes(truth, want);
	for (i = 0; i < TOPDOWN_NR_NODES; i++)
		fraction[i] = figures->ratio[i] == TOPDOWN_RATIO_NONE ? NAN :
			      figures->ratio[i] / (double)TOPDOWN_RATIO_ONE;
	compare_nodes(fraction, want, seen->out_level, &comparison);
	for (i = 0; i < TOPDOWN_HEAVY_OPERATIONS; i++)
		level1 += figures->node[i];
	printf("# %.3f points, slots %.4f of the truth, time %.4f of the kernel's, measured %.4f, merged %.3f ms, %llu switches, %u tasks\n",
	       comparison.points, slots, time, figures->running_ns / (double)figures->enabled_ns,
	       seen->out_merged_ns / 1e6, (unsigned long long)seen->out_switches, seen->out_tasks);
	return comparison.points <= limit_points && fabs(slots - 1) <= limit &&
	       fabs(time - 1) <= limit && level1 == figures->slots &&
	       figures->running_ns + seen->out_merged_ns <= figures->enabled_ns &&
	       seen->out_source == TOPDOWN_SOURCE_PERF_METRICS;
}

/*
 * Between a fold and the change of the address space there are tens of
 * microseconds on the emulated machine.  That matters where the kernel looks
 * after itself at every access, and with many short threads.
 */
static double looser(unsigned int threads)
{
	bool instrumented = !access("/sys/kernel/debug/kmemleak", F_OK);

	return (threads > THREADS ? 5 : 1) * (instrumented ? 5 : 1);
}

static bool good(const struct topdown_session *seen, const struct td_bd_truth *truth,
		 uint64_t cpu_ns, unsigned int threads)
{
	return within(seen, truth, cpu_ns, looser(threads) * LIMIT_POINTS,
		      looser(threads) * LIMIT_SLOTS);
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
static bool measure_worker(int fd, struct worker *worker, unsigned int threads, enum how how,
			   struct topdown_session *seen)
{
	struct report *report = &reports[0];
	bool ok = worker_start(worker, report, profile(0), threads, SPAN_MS);
	int session = ok ? attach_worker(fd, worker->pid, how) : -1;

	ok = session > 0 && worker_go(worker, threads) && worker_wait(report) &&
	     !device_session(fd, TOPDOWN_SESSION_FRESH, session, seen) &&
	     good(seen, &report->truth, report->cpu_ns, threads);
	ok = ok && seen->out_tasks == 1 && seen->out_state == TOPDOWN_SESSION_RUNNING &&
	     !seen->out_flags;
	worker_stop(worker);
	if (session > 0)
		device_control(fd, session, TOPDOWN_CONTROL_DETACH);
	return ok;
}

/*
 * The host may take a CPU away in the microseconds between a fold and the
 * change of the address space, and emulated time runs on: then once more.  An
 * error of the module does not go away.
 */
#define EXPECT_SOON(what)						\
({									\
	unsigned int try_;						\
	bool ok_ = false;						\
									\
	for (try_ = 0; try_ < TRIES && !ok_; try_++)			\
		ok_ = what;						\
	EXPECT_TRUE(ok_);						\
})

static bool measure_own_thread(int fd, struct topdown_session *seen)
{
	struct td_bd_truth from, to;
	uint64_t cpu_ns;
	int session;
	bool ok;

	session = device_attach(fd, TOPDOWN_ATTACH_THREAD, 0);
	/* The emulator has to translate the kernel anew where probes were put in. */
	spin_ms(20);
	if (session <= 0 || device_control(fd, session, TOPDOWN_CONTROL_RESET))
		return false;
	cpu_ns = -clock_ns(CLOCK_THREAD_CPUTIME_ID);
	door_truth_space(&from);
	spin_ms(SPAN_MS);
	ok = !device_session(fd, TOPDOWN_SESSION_FRESH, session, seen);
	door_truth_space(&to);
	cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	door_truth_sub(&to, &from);
	device_control(fd, session, TOPDOWN_CONTROL_DETACH);
	return ok && good(seen, &to, cpu_ns, 1) && seen->out_tasks == 1 && seen->out_switches;
}

TEST_F(session, own_thread)
{
	ASSERT_TRUE(compete(self->spinner));
	ASSERT_TRUE(door_set_profile(profile(0)));
	EXPECT_SOON(measure_own_thread(self->fd, &self->seen));
}

TEST_F(session, process_by_pid)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_worker(self->fd, &self->worker[0], 0, BY_PID, &self->seen));
}

TEST_F(session, process_by_pidfd)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_worker(self->fd, &self->worker[0], 0, BY_PIDFD, &self->seen));
}

TEST_F(session, process_with_eight_threads)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_worker(self->fd, &self->worker[0], THREADS, BY_PID, &self->seen));
}

/* Nobody is missed, and all have left again. */
TEST_F_TIMEOUT(session, thousand_short_threads, 120)
{
	ASSERT_TRUE(compete(self->spinner));
	/* Not to wait for them, but an idle CPU would spend slots in our space. */
	setpriority(PRIO_PROCESS, self->spinner[0], 19);
	setpriority(PRIO_PROCESS, self->spinner[1], 19);
	EXPECT_SOON(measure_worker(self->fd, &self->worker[0], 1000, BY_PID, &self->seen));
	EXPECT_LT(1000, self->seen.out_switches);
}

static bool measure_only_one_thread(int fd, struct worker *worker, struct topdown_session *seen)
{
	struct report *report = &reports[0];
	bool ok = worker_start(worker, report, profile(0), 2, SPAN_MS);
	int session = ok ? attach_worker(fd, worker->pid, BY_TID) : -1;
	double time;

	ok = session > 0 && worker_go(worker, 2) && worker_wait(report) &&
	     !device_session(fd, TOPDOWN_SESSION_FRESH, session, seen);
	worker_stop(worker);
	time = seen->out_figures.enabled_ns / (double)report->main_ns;
	printf("# a thread of three: time %.4f of the kernel's\n", time);
	return ok && fabs(time - 1) < LIMIT_SLOTS;
}

TEST_F(session, one_thread_of_three)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_only_one_thread(self->fd, &self->worker[0], &self->seen));
}

static void truth_add(struct td_bd_truth *sum, const struct td_bd_truth *truth)
{
	unsigned int i;

	sum->slots += truth->slots;
	sum->user_slots += truth->user_slots;
	for (i = 0; i < TD_BD_CATEGORIES; i++)
		sum->category[i] += truth->category[i];
}

/* A parent that sleeps, and children of three profiles. */
static bool measure_children(int fd, struct worker *worker, __u32 flags,
			     struct topdown_session *seen)
{
	int session = device_attach(fd, flags | TOPDOWN_ATTACH_DISABLED, 0);
	struct td_bd_truth truth, from;
	uint64_t cpu_ns;
	unsigned int i;
	bool ok = session > 0;

	for (i = 0; i < WORKERS; i++)
		ok = ok && worker_start(&worker[i], &reports[i], profile(i), 0, SPAN_MS);
	ok = ok && !device_session(fd, TOPDOWN_SESSION_FRESH, session, seen) &&
	     seen->out_state == TOPDOWN_SESSION_DISABLED && !seen->out_figures.enabled_ns;
	device_control(fd, session, TOPDOWN_CONTROL_ENABLE);
	cpu_ns = -clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	door_truth_space(&from);
	for (i = 0; i < WORKERS; i++)
		ok = ok && worker_go(&worker[i], 0);
	for (i = 0; i < WORKERS; i++)
		ok = ok && worker_wait(&reports[i]);
	ok = ok && !device_session(fd, TOPDOWN_SESSION_FRESH, session, seen);
	door_truth_space(&truth);
	door_truth_sub(&truth, &from);
	cpu_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (i = 0; i < WORKERS; i++) {
		truth_add(&truth, &reports[i].truth);
		cpu_ns += reports[i].cpu_ns;
	}
	for (i = 0; i < WORKERS; i++)
		worker_stop(&worker[i]);
	device_control(fd, session, TOPDOWN_CONTROL_DETACH);
	if (flags & TOPDOWN_ATTACH_CHILDREN)
		return ok && good(seen, &truth, cpu_ns, 1) && seen->out_tasks == 1 + WORKERS;
	/* The parent alone. */
	return ok && seen->out_tasks == 1 && seen->out_figures.enabled_ns < cpu_ns / 5;
}

TEST_F(session, process_with_children)
{
	ASSERT_TRUE(door_set_profile(profile(0)));
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_children(self->fd, self->worker, TOPDOWN_ATTACH_CHILDREN, &self->seen));
}

TEST_F(session, process_without_children)
{
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_children(self->fd, self->worker, 0, &self->seen));
}

/* The CPU and the sessions at one moment: nobody else may run in between. */
static bool read_all(int fd, const int *session, struct topdown_record *record,
		     struct topdown_session *seen)
{
	const struct sched_param normal = { };
	bool ok = !realtime() && !device_read_cpu(fd, TOPDOWN_READ_FRESH, 0, record);
	unsigned int i;

	for (i = 0; i < 3; i++)
		ok = ok && !device_session(fd, TOPDOWN_SESSION_FRESH, session[i], &seen[i]);
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
		device_control(fd, session[i], TOPDOWN_CONTROL_DETACH);
	}
	sum /= to.total.slots - from.total.slots;
	printf("# sum of the sessions: %.4f of the CPU's slots\n", sum);
	return ok && fabs(sum - 1) <= LIMIT_SLOTS;
}

TEST_F(session, sum_is_the_cpu)
{
	ASSERT_EQ(0, cpu_pin(0));
	self->spinner[0] = spin_start(0, profile(3));
	self->spinner[1] = spin_start(0, profile(4));
	EXPECT_SOON(measure_sum(self->fd, self->spinner));
}

static bool has_slots(int fd, int session, struct topdown_session *seen)
{
	return !device_session(fd, TOPDOWN_SESSION_FRESH, session, seen) &&
	       seen->out_figures.slots;
}

TEST_F(session, control)
{
	__u64 slots, ns;
	int session;

	session = device_attach(self->fd, TOPDOWN_ATTACH_DISABLED, 0);
	ASSERT_LT(0, session);
	spin_ms(30);
	EXPECT_FALSE(has_slots(self->fd, session, &self->seen));
	EXPECT_EQ(0, self->seen.out_figures.enabled_ns);
	EXPECT_EQ(TOPDOWN_RATIO_NONE, self->seen.out_figures.ratio[0]);
	EXPECT_EQ(TOPDOWN_SESSION_DISABLED, self->seen.out_state);
	ASSERT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_ENABLE));
	spin_ms(30);
	EXPECT_TRUE(has_slots(self->fd, session, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_RUNNING, self->seen.out_state);
	EXPECT_LE(25000000, self->seen.out_figures.enabled_ns);
	ASSERT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_DISABLE));
	ASSERT_TRUE(has_slots(self->fd, session, &self->seen));
	slots = self->seen.out_figures.slots;
	ns = self->seen.out_figures.enabled_ns;
	spin_ms(30);
	ASSERT_TRUE(has_slots(self->fd, session, &self->seen));
	EXPECT_EQ(slots, self->seen.out_figures.slots);
	EXPECT_EQ(ns, self->seen.out_figures.enabled_ns);
	EXPECT_EQ(TOPDOWN_SESSION_DISABLED, self->seen.out_state);
	ASSERT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_RESET));
	EXPECT_FALSE(has_slots(self->fd, session, &self->seen));
	EXPECT_EQ(0, self->seen.out_figures.enabled_ns);
	EXPECT_EQ(0, self->seen.out_switches);
	ASSERT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_DETACH));
	EXPECT_EQ(-ENOENT, device_session(self->fd, 0, session, &self->seen));
	EXPECT_EQ(-ENOENT, device_control(self->fd, session, TOPDOWN_CONTROL_RESET));
	/* The number is not used again. */
	EXPECT_EQ(session + 1, device_attach(self->fd, 0, 0));
}

/* Two sessions of one task do not take from each other, nor does a reset. */
TEST_F(session, two_on_one_task)
{
	struct topdown_session other;
	int one, two;

	one = device_attach(self->fd, 0, 0);
	two = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0);
	ASSERT_LT(0, one);
	ASSERT_LT(0, two);
	spin_ms(100);
	ASSERT_EQ(0, device_control(self->fd, one, TOPDOWN_CONTROL_RESET));
	spin_ms(100);
	ASSERT_TRUE(has_slots(self->fd, one, &self->seen));
	ASSERT_TRUE(has_slots(self->fd, two, &other));
	EXPECT_LT(self->seen.out_figures.slots * 3 / 2, other.out_figures.slots);
	EXPECT_GT(self->seen.out_figures.slots * 4, other.out_figures.slots);
}

static int poll_for(int fd, short events, int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = events };

	return poll(&pollfd, 1, ms) < 0 ? -errno : pollfd.revents;
}

TEST_F(session, exit_is_told)
{
	__u64 slots;
	int session;

	ASSERT_TRUE(worker_start(&self->worker[0], &reports[0], profile(0), 4, 50));
	session = device_attach(self->fd, 0, self->worker[0].pid);
	ASSERT_LT(0, session);
	EXPECT_EQ(0, poll_for(self->fd, POLLPRI, 0));
	ASSERT_EQ(0, device_session(self->fd, 0, session, &self->seen));
	EXPECT_EQ(3, self->seen.out_tasks);
	worker_go(&self->worker[0], 4);
	ASSERT_TRUE(worker_wait(&reports[0]));
	EXPECT_EQ(0, poll_for(self->fd, POLLPRI, 0));
	worker_stop(&self->worker[0]);
	EXPECT_EQ(POLLPRI, poll_for(self->fd, POLLPRI, 5000));
	EXPECT_EQ(POLLPRI, poll_for(self->fd, POLLPRI, 0));
	ASSERT_TRUE(has_slots(self->fd, session, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_EXITED, self->seen.out_state);
	EXPECT_EQ(0, self->seen.out_tasks);
	EXPECT_EQ(0, poll_for(self->fd, POLLPRI, 0));
	slots = self->seen.out_figures.slots;
	/* They stay, whatever is done. */
	EXPECT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_ENABLE));
	sleep_ms(20);
	ASSERT_TRUE(has_slots(self->fd, session, &self->seen));
	EXPECT_EQ(slots, self->seen.out_figures.slots);
	EXPECT_EQ(TOPDOWN_SESSION_EXITED, self->seen.out_state);
}

/* A reader that sleeps is woken up. */
TEST_F(session, exit_wakes_up)
{
	uint64_t from;
	int pid;

	pid = fork();
	if (!pid) {
		sleep_ms(300);
		_exit(0);
	}
	ASSERT_LT(0, device_attach(self->fd, 0, pid));
	from = clock_ns(CLOCK_MONOTONIC);
	EXPECT_EQ(POLLPRI, poll_for(self->fd, POLLPRI, 10000));
	EXPECT_GT(5000000000ULL, clock_ns(CLOCK_MONOTONIC) - from);
	waitpid(pid, NULL, 0);
}

/* What a child attached and then executed; its exit status is that of the program. */
static int attach_and_exec(int fd, __u32 flags, const char *program, int uid, int *session)
{
	int pid = fork(), status;

	if (pid)
		return waitpid(pid, &status, 0) == pid ? status : -1;
	if (uid && setresuid(uid, uid, uid))
		_exit(99);
	*session = device_attach(fd, flags, 0);
	execl(program, program, "-t", "0.3", "branchy", NULL);
	_exit(98);
}

static int *shared_int(void)
{
	return mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* As `topdown stat -- command` does it. */
TEST_F(session, command_from_its_exec)
{
	int *session = shared_int();

	ASSERT_EQ(0, attach_and_exec(self->fd, TOPDOWN_ATTACH_CHILDREN | TOPDOWN_ATTACH_DISABLED |
				     TOPDOWN_ATTACH_ON_EXEC, "./workload", 0, session));
	ASSERT_LT(0, *session);
	ASSERT_EQ(0, device_session(self->fd, 0, *session, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_EXITED, self->seen.out_state);
	EXPECT_LT(280000000, self->seen.out_figures.enabled_ns);
	/* It is branchy, but for its start. */
	EXPECT_LT((0.4 - 0.01 * looser(1)) * TOPDOWN_RATIO_ONE,
		  self->seen.out_figures.ratio[TOPDOWN_BAD_SPECULATION]);
}

static const char suid_program[] = "/tmp/topdown-set-uid";

TEST_F(session, set_uid_exec_ends_it)
{
	char command[256];
	int *session = shared_int();

	snprintf(command, sizeof(command), "cp ./workload %s && chmod 4755 %s", suid_program,
		 suid_program);
	ASSERT_EQ(0, system(command));
	EXPECT_EQ(0, attach_and_exec(self->fd, 0, "./workload", NOBODY, session));
	ASSERT_EQ(0, device_session(self->fd, 0, *session, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_EXITED, self->seen.out_state);
	EXPECT_LT(250000000, self->seen.out_figures.enabled_ns);

	EXPECT_EQ(0, attach_and_exec(self->fd, 0, suid_program, NOBODY, session));
	EXPECT_EQ(POLLPRI, poll_for(self->fd, POLLPRI, 0));
	ASSERT_EQ(0, device_session(self->fd, 0, *session, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_ENDED, self->seen.out_state);
	EXPECT_EQ(0, self->seen.out_tasks);
	/* Nothing of its 300 ms. */
	EXPECT_GT(100000000, self->seen.out_figures.enabled_ns);
	EXPECT_EQ(0, poll_for(self->fd, POLLPRI, 0));
	unlink(suid_program);
}

static int try(int fd, unsigned int cmd, void *argument)
{
	return ioctl(fd, cmd, argument) ? -errno : 0;
}

TEST_F(session, errors_of_attach)
{
	struct topdown_attach *readonly;
	struct topdown_attach attach;
	unsigned int i;
	int pid, pipes[2];

	for (i = 5; i < 32; i++)
		EXPECT_EQ(-EOPNOTSUPP, device_attach(self->fd, 1U << i, 0));
	EXPECT_EQ(-EINVAL, device_attach(self->fd, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_CHILDREN,
					 0));
	EXPECT_EQ(-EINVAL, device_attach(self->fd, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_PIDFD,
					 0));
	EXPECT_EQ(-EINVAL, device_attach(self->fd, TOPDOWN_ATTACH_ON_EXEC, 0));
	EXPECT_EQ(-EINVAL, device_attach(self->fd, 0, -1));
	attach = (struct topdown_attach){ .size = sizeof(attach), .out_session = 1 };
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_ATTACH, &attach));
	attach = (struct topdown_attach){ .size = sizeof(attach), .__reserved = 1 };
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_ATTACH, &attach));
	attach = (struct topdown_attach){ .size = sizeof(attach) - 1 };
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_ATTACH, &attach));
	attach = (struct topdown_attach){ .size = 4097 };
	EXPECT_EQ(-E2BIG, try(self->fd, TOPDOWN_ATTACH, &attach));
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_ATTACH, NULL));

	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(-ESRCH, device_attach(self->fd, 0, pid));
	EXPECT_EQ(-ESRCH, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, pid));
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, -1));
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, 1000));
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, self->fd));
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, pipes[0]));
	/* Another file of no file system. */
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD,
					syscall(SYS_eventfd2, 0, 0)));

	/* Nobody would know the number. */
	readonly = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	readonly->size = sizeof(*readonly);
	ASSERT_EQ(0, mprotect(readonly, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_ATTACH, readonly));
	EXPECT_EQ(-ENOENT, device_session(self->fd, 0, 1, &self->seen));
}

TEST_F(session, errors_of_session)
{
	int session = device_attach(self->fd, 0, 0);
	struct topdown_session *argument;
	unsigned int i;

	ASSERT_LT(0, session);
	EXPECT_EQ(-ENOENT, device_session(self->fd, 0, 0, &self->seen));
	EXPECT_EQ(-ENOENT, device_session(self->fd, 0, session + 1, &self->seen));
	EXPECT_EQ(-ENOENT, device_session(self->fd, 0, ~0U, &self->seen));
	for (i = 1; i < 32; i++)
		EXPECT_EQ(-EOPNOTSUPP, device_session(self->fd, 1U << i, session, &self->seen));
	argument = calloc(1, sizeof(*argument));
	for (i = offsetof(struct topdown_session, out_state); i < sizeof(*argument); i++) {
		memset(argument, 0, sizeof(*argument));
		argument->size = sizeof(*argument);
		argument->session = session;
		((char *)argument)[i] = 1;
		EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_SESSION, argument));
	}
	memset(argument, 0, sizeof(*argument));
	argument->session = session;
	argument->size = 271;
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_SESSION, argument));
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_SESSION, NULL));
	EXPECT_EQ(272, sizeof(*argument));
	free(argument);
}

TEST_F(session, errors_of_control)
{
	int session = device_attach(self->fd, 0, 0);
	struct topdown_control control;
	unsigned int i;

	ASSERT_LT(0, session);
	for (i = 0; i < 32; i++) {
		control = (struct topdown_control){ .size = sizeof(control), .session = session,
						    .flags = 1U << i };
		EXPECT_EQ(-EOPNOTSUPP, try(self->fd, TOPDOWN_CONTROL, &control));
	}
	EXPECT_EQ(-EINVAL, device_control(self->fd, session, 4));
	EXPECT_EQ(-EINVAL, device_control(self->fd, session, ~0U));
	control = (struct topdown_control){ .size = sizeof(control), .session = session,
					    .__reserved = 1 };
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_CONTROL, &control));
	control = (struct topdown_control){ .size = 23, .session = session };
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_CONTROL, &control));
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_CONTROL, NULL));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(-ENOENT, device_control(self->fd, session + 1, i));
	EXPECT_EQ(0, device_session(self->fd, 0, session, &self->seen));
}

TEST_F(session, is_announced)
{
	struct topdown_info info;

	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_NE(0, info.out_features & TOPDOWN_FEATURE_SESSION);
}

static void *thread_sleep(void *tid)
{
	*(volatile int *)tid = syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

TEST_F(session, limits)
{
	unsigned int i, j;
	pthread_t thread;
	static volatile int tid[65];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < 65; i++) {
		ASSERT_EQ(0, pthread_create(&thread, &attr, thread_sleep, (void *)&tid[i]));
		while (!tid[i])
			sleep_ms(1);
	}
	for (i = 0; i < 64; i++) {
		for (j = 0; j < 16; j++)
			ASSERT_LT(0, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, tid[i]));
		/* Of a task; of a descriptor comes later. */
		if (i < 63)
			ASSERT_EQ(-ENOSPC, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, tid[i]));
	}
	/* A process with such a thread is refused, and nothing of it stays. */
	EXPECT_EQ(0, device_control(self->fd, 1, TOPDOWN_CONTROL_DETACH));
	EXPECT_EQ(-ENOSPC, device_attach(self->fd, 0, 0));
	EXPECT_LT(0, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, tid[0]));
	EXPECT_EQ(-ENOSPC, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, tid[64]));
	EXPECT_EQ(0, device_control(self->fd, 17, TOPDOWN_CONTROL_DETACH));
	EXPECT_LT(0, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, tid[64]));
}

/* A process that does nothing until it is killed. */
static int sleeper_start(void)
{
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* As who may open the node, but not see whole CPUs. */
static int unprivileged(int (*what)(int fd))
{
	int pid, status, fd;

	pid = fork();
	if (!pid) {
		if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
			_exit(99);
		fd = device_open();
		_exit(fd < 0 ? 98 : what(fd));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int may_attach(int fd)
{
	struct topdown_session seen;
	struct topdown_record record;
	int child, session, pidfd;

	child = sleeper_start();
	if (device_read_cpu(fd, 0, 0, &record) != -EACCES)
		return 1;
	if (poll_for(fd, POLLPRI, 0) != POLLERR)
		return 2;
	if (device_attach(fd, 0, 1) != -EACCES || device_attach(fd, 0, getppid()) != -EACCES ||
	    device_attach(fd, TOPDOWN_ATTACH_THREAD, getppid()) != -EACCES)
		return 3;
	/* Also one's own child: it may be another program by now. */
	if (device_attach(fd, 0, child) != -EACCES)
		return 4;
	pidfd = syscall(SYS_pidfd_open, child, 0);
	if (device_attach(fd, TOPDOWN_ATTACH_PIDFD, pidfd) != -EACCES)
		return 5;
	session = device_attach(fd, TOPDOWN_ATTACH_CHILDREN, 0);
	if (session <= 0 || device_attach(fd, TOPDOWN_ATTACH_THREAD, getpid()) <= 0)
		return 6;
	pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	if (device_attach(fd, TOPDOWN_ATTACH_PIDFD, pidfd) <= 0)
		return 7;
	spin_ms(20);
	if (device_session(fd, TOPDOWN_SESSION_FRESH, session, &seen) || !seen.out_figures.slots)
		return 8;
	if (poll_for(fd, POLLPRI, 0) || poll_for(fd, POLLIN, 0))
		return 9;
	kill(child, SIGKILL);
	return 0;
}

TEST_F(session, rights)
{
	struct stat node;

	ASSERT_EQ(0, stat(TD_DEVICE, &node));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
	EXPECT_EQ(0, unprivileged(may_attach));
	chmod(TD_DEVICE, node.st_mode & 07777);
	/* Who may see whole CPUs sees them all. */
	EXPECT_LT(0, device_attach(self->fd, 0, 1));
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
	door_truth_cpu(0, &from);
	pair_turns(&pair, 0);
	door_truth_cpu(0, &to);
	pthread_join(other, NULL);
	for (i = 0; i < 2; i++) {
		close(pair.fd[i][0]);
		close(pair.fd[i][1]);
	}
	return (to.rdpmc - from.rdpmc) / 2;
}

/* Only the switches of followed tasks fold, and those among equals do not. */
TEST_F(session, nobody_else_pays)
{
	int session, stranger;

	ASSERT_EQ(0, cpu_pin(0));
	EXPECT_GT(100, pair_reads(1000));
	stranger = sleeper_start();
	session = device_attach(self->fd, 0, stranger);
	ASSERT_LT(0, session);
	EXPECT_GT(100, pair_reads(1000));
	EXPECT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_DETACH));
	spin_stop(stranger);

	session = device_attach(self->fd, 0, 0);
	ASSERT_LT(0, session);
	EXPECT_GT(100, pair_reads(1000));
	ASSERT_EQ(0, device_session(self->fd, 0, session, &self->seen));
	EXPECT_LT(1900, self->seen.out_switches);
	EXPECT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_DETACH));

	session = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0);
	ASSERT_LT(0, session);
	EXPECT_LT(1000, pair_reads(1000));
	EXPECT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_DETACH));
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
		ASSERT_EQ(0, device_session(self->fd, TOPDOWN_SESSION_FRESH, session[i], &seen[i]));
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

/*
 * A CPU that goes while tasks of the session run there takes nothing with it, and
 * counts for them when it is back.
 */
static bool measure_hotplug(int fd, struct worker *worker, struct topdown_session *seen)
{
	/* Linux 6.12's fair server warns when a CPU under load goes: lib.bash. */
	static const char fair_server_off[] =
		"for f in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do echo 0 > $f; done";
	static const char hotplug[] =
		"cd /sys/devices/system/cpu/cpu1 || exit 1;"
		"for on in 0 1 0 1; do sleep 0.1; echo $on > online || exit 1; done";
	struct report *report = &reports[0];
	bool ok = worker_start(worker, report, profile(0), 4, 1000);
	int session = ok ? attach_worker(fd, worker->pid, BY_PID) : -1;
	double time, measured;

	if (!access("/sys/kernel/debug/sched/fair_server", F_OK))
		ok = ok && !system(fair_server_off);
	ok = ok && session > 0 && worker_go(worker, 4) && !system(hotplug) && worker_wait(report) &&
	     !device_session(fd, TOPDOWN_SESSION_FRESH, session, seen);
	worker_stop(worker);
	time = seen->out_figures.enabled_ns / (double)report->cpu_ns;
	measured = seen->out_figures.running_ns / (double)seen->out_figures.enabled_ns;
	printf("# time %.4f of the kernel's, measured %.4f\n", time, measured);
	return ok && fabs(time - 1) < 2 * LIMIT_SLOTS && measured <= 1 && measured > 0.95;
}

TEST_F_TIMEOUT(session, cpu_goes_and_comes, 60)
{
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "CPU 1 cannot be taken away");
	EXPECT_SOON(measure_hotplug(self->fd, &self->worker[0], &self->seen));
}

static void *thread_storm(void *unused)
{
	pthread_t thread;

	for (;;) {
		if (!pthread_create(&thread, NULL, thread_short, NULL))
			pthread_join(thread, NULL);
	}
	return unused;
}

/* Descriptors are closed and sessions detached while their tasks run and clone. */
TEST_F_TIMEOUT(session, closed_while_they_run, 60)
{
	int fd, pid, session, i;
	pthread_t thread;

	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, thread_storm, NULL);
		thread_storm(NULL);
	}
	for (i = 0; i < 20; i++) {
		fd = device_open();
		ASSERT_LE(0, fd);
		session = device_attach(fd, TOPDOWN_ATTACH_CHILDREN, pid);
		ASSERT_LT(0, session);
		ASSERT_LT(0, device_attach(fd, 0, 0));
		if (i % 3)
			usleep(i * 1311 % 5000);
		if (i % 2) {
			ASSERT_EQ(0, device_control(fd, session, TOPDOWN_CONTROL_DETACH));
			ASSERT_LT(0, device_attach(fd, 0, pid));
		}
		close(fd);
	}
	spin_stop(pid);
}

/* Attached at any moment of a short life. */
TEST_F_TIMEOUT(session, attached_while_they_exit, 60)
{
	unsigned int i, missed = 0;
	int session, pid;

	/* So that the probes stay. */
	ASSERT_LT(0, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0));
	for (i = 0; i < 200; i++) {
		pid = fork();
		if (!pid) {
			usleep(i * 37 % 1000);
			_exit(0);
		}
		usleep(i * 53 % 2000);
		session = device_attach(self->fd, i % 2 ? TOPDOWN_ATTACH_THREAD : 0, pid);
		waitpid(pid, NULL, 0);
		if (session == -ESRCH) {
			missed++;
			continue;
		}
		ASSERT_LT(0, session);
		ASSERT_EQ(0, device_session(self->fd, 0, session, &self->seen));
		EXPECT_EQ(TOPDOWN_SESSION_EXITED, self->seen.out_state);
		EXPECT_EQ(0, self->seen.out_tasks);
		ASSERT_EQ(0, device_control(self->fd, session, TOPDOWN_CONTROL_DETACH));
	}
	printf("# %u of 200 had exited before\n", missed);
	EXPECT_LT(missed, 200);
}

int main(int argc, char **argv)
{
	int ret = module_need();

	if (ret)
		return ret;
	if (!door_open()) {
		printf("1..0 # SKIP this machine has no emulated PMU\n");
		return 4;
	}
	return test_harness_run(argc, argv);
}
