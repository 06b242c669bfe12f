// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that exit, execute programs and make others while a session follows
 * them, and CPUs and descriptors that go meanwhile.
 *
 * TOPDOWN_FULL  100 sessions that are closed while their CPU is off, not 3
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "caller.h"
#include "fact.h"
#include "guest.h"
#include "session.h"

FIXTURE(follow) {
	int fd;
	struct worker worker;
	struct topdown_session seen;
};

FIXTURE_SETUP(follow)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(follow)
{
	close(self->fd);
}

TEST_F(follow, exit_is_told)
{
	__u64 slots;
	int session;

	ASSERT_TRUE(worker_start(&self->worker, &reports[0], profile(0), 4, 50));
	session = device_attach(self->fd, 0, self->worker.pid);
	ASSERT_LT(0, session);
	EXPECT_EQ(0, poll_for(session, POLLIN, 0));
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_EQ(3, self->seen.out_tasks);
	worker_go(&self->worker, 4);
	ASSERT_TRUE(worker_wait(&reports[0]));
	EXPECT_EQ(0, poll_for(session, POLLIN, 0));
	worker_stop(&self->worker);
	EXPECT_EQ(POLLHUP, poll_for(session, POLLIN, 5000));
	EXPECT_EQ(POLLHUP, poll_for(session, 0, 0));
	ASSERT_TRUE(has_slots(session, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
	EXPECT_EQ(0, self->seen.out_tasks);
	/* It stays so. */
	EXPECT_EQ(POLLHUP, poll_for(session, POLLIN, 0));
	slots = self->seen.out_figures.slots;
	/* They stay, whatever is done. */
	EXPECT_EQ(0, device_control(session, TOPDOWN_CONTROL_ENABLE));
	sleep_ms(20);
	ASSERT_TRUE(has_slots(session, &self->seen));
	EXPECT_EQ(slots, self->seen.out_figures.slots);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
}

/* A reader that sleeps is woken up. */
TEST_F(follow, exit_wakes_up)
{
	uint64_t from;
	int pid, session;

	pid = fork();
	if (!pid) {
		sleep_ms(300);
		_exit(0);
	}
	session = device_attach(self->fd, 0, pid);
	ASSERT_LT(0, session);
	from = clock_ns(CLOCK_MONOTONIC);
	EXPECT_EQ(POLLHUP, poll_for(session, POLLIN, 10000));
	EXPECT_GT(5000000000ULL, clock_ns(CLOCK_MONOTONIC) - from);
	waitpid(pid, NULL, 0);
}

/* The session that a child sends, and the status of the child. */
static int hear_of(int pid, const int pair[2], int *session)
{
	int status;

	close(pair[1]);
	*session = fd_receive(pair[0]);
	close(pair[0]);
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* A child attaches to itself and executes the program.  Return: the status of the child. */
static int attach_and_exec(int fd, __u32 flags, const char *program, int uid, int *session)
{
	int pair[2], pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return -1;
	pid = fork();
	if (pid)
		return hear_of(pid, pair, session);
	if (uid && setresuid(uid, uid, uid))
		_exit(99);
	if (!fd_send(pair[1], device_attach(fd, flags, 0)))
		_exit(97);
	/* Long beside its start, which is of another kind. */
	execl(program, program, "-t", "1", "branchy", NULL);
	_exit(98);
}

/* As `topdown stat -- command` does it. */
TEST_F(follow, a_command_is_followed_from_its_exec)
{
	int session;

	ASSERT_EQ(0, attach_and_exec(self->fd, TOPDOWN_ATTACH_CHILDREN | TOPDOWN_ATTACH_DISABLED |
				     TOPDOWN_ATTACH_ON_EXEC, "./workload", 0, &session));
	ASSERT_LT(0, session);
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
	EXPECT_LT(980000000, self->seen.out_figures.enabled_ns);
	EXPECT_LT((0.4 - 0.01 * looser(1)) * TOPDOWN_RATIO_ONE,
		  self->seen.out_figures.ratio[TOPDOWN_BAD_SPECULATION]);
}

/* A command replaces the wait for an exec, here one that leaves the session disabled. */
TEST_F(follow, disable_replaces_the_wait_for_exec)
{
	int session, pair[2], pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork();
	if (!pid) {
		session = device_attach(self->fd, TOPDOWN_ATTACH_DISABLED | TOPDOWN_ATTACH_ON_EXEC,
					0);
		if (device_control(session, TOPDOWN_CONTROL_DISABLE) || !fd_send(pair[1], session))
			_exit(97);
		execl("./workload", "./workload", "-t", "0.2", "branchy", NULL);
		_exit(98);
	}
	ASSERT_EQ(0, hear_of(pid, pair, &session));
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
	EXPECT_EQ(0, self->seen.out_figures.enabled_ns);
}

static const char suid_program[] = "/tmp/topdown-set-uid";

static int suid_make(void)
{
	char command[256];

	snprintf(command, sizeof(command), "cp ./workload %s && chmod 4755 %s", suid_program,
		 suid_program);
	return system(command);
}

/* The session has lost so many tasks, and says so. */
static bool has_dropped(const struct topdown_session *seen, unsigned int nr)
{
	const __u32 flags = nr ? TOPDOWN_SESSION_OUT_INCOMPLETE : 0;

	return fact_same("state", seen->out_state, TOPDOWN_SESSION_STATE_EXITED) &
	       fact_same("tasks", seen->out_tasks, 0) &
	       fact_same("dropped", seen->out_dropped, nr) &
	       fact_same("flags", seen->out_flags, flags);
}

TEST_F(follow, set_uid_exec_drops_it)
{
	int session;

	ASSERT_EQ(0, suid_make());
	EXPECT_EQ(0, attach_and_exec(self->fd, 0, "./workload", NOBODY, &session));
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_TRUE(has_dropped(&self->seen, 0));
	EXPECT_LT(900000000, self->seen.out_figures.enabled_ns);

	EXPECT_EQ(0, attach_and_exec(self->fd, 0, suid_program, NOBODY, &session));
	EXPECT_EQ(POLLHUP, poll_for(session, POLLIN, 0));
	EXPECT_EQ(POLLHUP, caller_poll(32, session, POLLIN, 0));
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_TRUE(has_dropped(&self->seen, 1));
	/* Nothing of its 300 ms. */
	EXPECT_GT(100000000, self->seen.out_figures.enabled_ns);
	unlink(suid_program);
}

/* perf keeps its events where programs that give rights may leave core dumps. */
TEST_F(follow, a_dumpable_set_uid_exec_keeps_it)
{
	static const char dumpable[] = "/proc/sys/fs/suid_dumpable";
	int session;

	ASSERT_EQ(0, suid_make());
	ASSERT_EQ(0, file_write(dumpable, 0, "1"));
	EXPECT_EQ(0, attach_and_exec(self->fd, 0, suid_program, NOBODY, &session));
	EXPECT_EQ(0, file_write(dumpable, 0, "0"));
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_TRUE(has_dropped(&self->seen, 0));
	EXPECT_LT(900000000, self->seen.out_figures.enabled_ns);
	unlink(suid_program);
}

static const char unreadable_program[] = "/tmp/topdown-unreadable";

/* As a set-uid one, a program that the user must not read ends perf's events. */
TEST_F(follow, unreadable_exec_drops_it)
{
	int session;
	char command[256];

	snprintf(command, sizeof(command), "cp ./workload %s && chmod 0711 %s", unreadable_program,
		 unreadable_program);
	ASSERT_EQ(0, system(command));
	EXPECT_EQ(0, attach_and_exec(self->fd, 0, unreadable_program, NOBODY, &session));
	EXPECT_EQ(POLLHUP, poll_for(session, POLLIN, 0));
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_TRUE(has_dropped(&self->seen, 1));
	/* Nothing of its second. */
	EXPECT_GT(100000000, self->seen.out_figures.enabled_ns);
	unlink(unreadable_program);
}

/*
 * A process attaches to itself, and a child that inherits that executes the program.  If parent
 * and child have the same events, perf swaps their contexts when the CPU goes from one to the
 * other, and the child has the parent's events.  With @apart they differ, because the parent has
 * an event that it does not pass on.
 */
static int attach_and_exec_child(int fd, const char *program, bool apart, int *session)
{
	struct perf_event_attr own = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(own),
		.config = PERF_COUNT_SW_DUMMY,
	};
	int pair[2], pid, status;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return -1;
	pid = fork();
	if (pid)
		return hear_of(pid, pair, session);
	if (apart && syscall(SYS_perf_event_open, &own, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0)
		_exit(96);
	if (setresuid(NOBODY, NOBODY, NOBODY))
		_exit(99);
	if (!fd_send(pair[1], device_attach(fd, TOPDOWN_ATTACH_CHILDREN, 0)))
		_exit(95);
	pid = fork();
	if (!pid) {
		execl(program, program, "-t", "0.2", "branchy", NULL);
		_exit(98);
	}
	if (waitpid(pid, &status, 0) != pid)
		_exit(97);
	/* The session goes on with the parent. */
	spin_cpu_ms(200);
	_exit(WEXITSTATUS(status));
}

TEST_F(follow, set_uid_exec_of_a_child_drops_it)
{
	int session, apart;

	ASSERT_EQ(0, suid_make());
	for (apart = 0; apart < 2; apart++) {
		EXPECT_EQ(0, attach_and_exec_child(self->fd, "./workload", apart, &session));
		ASSERT_EQ(0, device_session(session, 0, &self->seen));
		EXPECT_TRUE(has_dropped(&self->seen, 0));
		EXPECT_LT(380000000, self->seen.out_figures.enabled_ns);

		EXPECT_EQ(0, attach_and_exec_child(self->fd, suid_program, apart, &session));
		ASSERT_EQ(0, device_session(session, 0, &self->seen));
		EXPECT_TRUE(has_dropped(&self->seen, 1));
		/* All of the parent's 200 ms, and nothing of the child's. */
		EXPECT_LT(180000000, self->seen.out_figures.enabled_ns);
		EXPECT_GT(300000000, self->seen.out_figures.enabled_ns);
	}
	unlink(suid_program);
}

/*
 * A CPU that goes while tasks of the session run there takes nothing with it, and
 * counts for them when it is back.
 */
static bool measure_hotplug(int fd, struct worker *worker, struct topdown_session *seen)
{
	static const char hotplug[] =
		"cd /sys/devices/system/cpu/cpu1 || exit 1;"
		"for on in 0 1 0 1; do sleep 0.1; echo $on > online || exit 1; done";
	struct report *report = &reports[0];
	bool ok = worker_start(worker, report, profile(0), 4, 1000);
	int session = ok ? device_attach(fd, 0, worker->pid) : -1;
	double time, measured;

	fair_server_off();
	ok = ok && session > 0 && worker_go(worker, 4) && !system(hotplug) && worker_wait(report) &&
	     !device_session(session, TOPDOWN_SESSION_FRESH, seen);
	worker_stop(worker);
	time = seen->out_figures.enabled_ns / (double)report->cpu_ns;
	measured = seen->out_figures.running_ns / (double)seen->out_figures.enabled_ns;
	printf("# time %.4f of the kernel's, measured %.4f\n", time, measured);
	return ok && fact_near("time", time, 1, 2 * LIMIT_SLOTS) &
	       fact_most("measured", measured, 1) &
	       fact_near("measured", measured, 1, 0.05);
}

TEST_F_TIMEOUT(follow, cpu_goes_and_comes, 60)
{
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "CPU 1 cannot be taken away");
	EXPECT_SOON(measure_hotplug(self->fd, &self->worker, &self->seen));
}

/* A session must have the time of its process from the attach to the reading. */
struct span {
	int fd;
	int session;
	/* The clock of the process; NULL for the caller's. */
	const volatile uint64_t *clock;
	uint64_t before;
	uint64_t after;
};

static uint64_t span_clock(const struct span *span)
{
	return span->clock ? *span->clock : clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static bool span_begin(struct span *span, __u32 flags, int pid)
{
	span->before = span_clock(span);
	span->session = device_attach(span->fd, flags, pid);
	span->after = span_clock(span);
	return span->session > 0;
}

/*
 * The host may take a CPU away within a switch, where one of us and the kernel has asked
 * for the time and the other has not; then this tells no more than once from never or twice.
 */
static bool span_right(const struct span *span, struct topdown_session *seen)
{
	double least = span_clock(span) - span->after, most, ns;
	double limit = backdoor_exact() ? 2 * LIMIT_SLOTS : 0.4;

	if (device_session(span->session, TOPDOWN_SESSION_FRESH, seen))
		return false;
	most = span_clock(span) - span->before;
	ns = seen->out_figures.enabled_ns;
	if (ns >= least * (1 - limit) && ns <= most * (1 + limit))
		return true;
	printf("# %.3f ms, not %.3f to %.3f\n", ns / 1e6, least / 1e6, most / 1e6);
	return false;
}

/* A process that spins on a CPU and says how long it has run; nobody else can ask. */
static int teller_start(unsigned int cpu, const struct td_bd_profile *what,
			volatile uint64_t *clock)
{
	int pid;

	*clock = 0;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (cpu_pin(cpu) || !backdoor_open() || !backdoor_set_profile(what))
			_exit(1);
		for (;;) {
			thread_short(NULL);
			*clock = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		}
	}
	while (!*clock)
		sleep_ms(1);
	return pid;
}

static bool pin(int pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(pid, sizeof(set), &set);
}

/*
 * One attaches to a task of a CPU that goes, which moves the task without a switch
 * that tracing could see, and detaches before the CPU comes back.  Returns the step
 * that went wrong, or 0.
 */
static int closed_while_off(unsigned int cpu, int stopper, unsigned int round,
			    struct topdown_session *seen)
{
	static const __u32 flags[] = { TOPDOWN_ATTACH_THREAD, 0, TOPDOWN_ATTACH_CHILDREN };
	struct span span = { .fd = device_open(), .clock = &reports[0].cpu_ns };
	int pid = teller_start(cpu, profile(round), &reports[0].cpu_ns), step = 0;

	/* The thread that moves the others cannot be followed itself. */
	if (device_attach(span.fd, TOPDOWN_ATTACH_THREAD, stopper) != -EOPNOTSUPP)
		step = 1;
	else if (!span_begin(&span, flags[round % 3], pid))
		step = 2;
	sleep_ms(50);
	if (cpu_set_online(cpu, false))
		step = step ? step : 3;
	sleep_ms(50);
	if (!step && !span_right(&span, seen))
		step = 4;
	if (span.session > 0 && close(span.session))
		step = step ? step : 5;
	if (cpu_set_online(cpu, true) || !pin(pid, cpu))
		step = step ? step : 6;
	if (!step && !span_begin(&span, flags[round % 3], pid))
		step = 7;
	sleep_ms(100);
	if (!step && (!span_right(&span, seen) || !seen->out_figures.slots))
		step = 8;
	close(span.session);
	close(span.fd);
	spin_stop(pid);
	return step;
}

TEST_F_TIMEOUT(follow, a_close_works_while_its_cpu_is_off, 900)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), last = cpu[n - 1], i;
	unsigned int rounds = getenv("TOPDOWN_FULL") ? 100 : 3;
	char name[32];
	int stopper;

	if (!last)
		SKIP(return, "there is one CPU only");
	snprintf(name, sizeof(name), "migration/%u", last);
	stopper = kernel_thread(name);
	ASSERT_LT(0, stopper);
	fair_server_off();
	for (i = 0; i < rounds; i++)
		ASSERT_EQ(0, closed_while_off(last, stopper, i, &self->seen));
	printf("# %u times\n", rounds);
}

/* Two threads that take turns on a CPU, until one of them exits. */
struct dance {
	int lead[2];
	int follow[2];
	unsigned int turns;
};

static void *dance_lead(void *data)
{
	struct dance *dance = data;
	unsigned int i;
	char byte = 0;

	cpu_pin(1);
	for (i = 0; i <= dance->turns; i++) {
		if (write(dance->follow[1], &byte, 1) != 1 || read(dance->lead[0], &byte, 1) != 1)
			return data;
	}
	spin_cpu_ms(250);
	/* Until it has been seen. */
	return read(dance->lead[0], &byte, 1) == 1 ? NULL : data;
}

static void *dance_follow(void *data)
{
	struct dance *dance = data;
	unsigned int i;
	char byte;

	cpu_pin(1);
	for (i = 0; i <= dance->turns; i++) {
		if (read(dance->follow[0], &byte, 1) != 1)
			return data;
		if (i < dance->turns && write(dance->lead[1], &byte, 1) != 1)
			return data;
	}
	return NULL;
}

/*
 * perf swaps the contexts of two threads that inherited the same, where one follows
 * the other: so each may have the event that was made for the other.  When one exits,
 * the other is followed as before, and not once more.
 */
static int swapped(unsigned int turns, struct topdown_session *seen)
{
	struct dance dance = { .turns = turns };
	struct span span = { .fd = device_open() };
	pthread_t lead, follow;
	int step = 0, i;
	void *bad[2];

	if (pipe(dance.lead) || pipe(dance.follow) || !span_begin(&span, 0, 0))
		return 1;
	pthread_create(&follow, NULL, dance_follow, &dance);
	pthread_create(&lead, NULL, dance_lead, &dance);
	pthread_join(follow, &bad[0]);
	/* A thread is joined a moment before it is gone. */
	sleep_ms(10);
	if (write(dance.lead[1], "", 1) != 1)
		step = 2;
	/* Later than the module looks for threads that it has missed. */
	sleep_ms(200);
	if (device_session(span.session, 0, seen) || seen->out_tasks != 2)
		step = 3;
	if (write(dance.lead[1], "", 1) != 1)
		step = 2;
	pthread_join(lead, &bad[1]);
	if (bad[0] || bad[1])
		step = 4;
	if (!step && !span_right(&span, seen))
		step = 5;
	close(span.session);
	close(span.fd);
	for (i = 0; i < 2; i++) {
		close(dance.lead[i]);
		close(dance.follow[i]);
	}
	return step;
}

TEST_F_TIMEOUT(follow, swapped_threads_count_once, 120)
{
	unsigned int i;

	ASSERT_EQ(0, cpu_pin(0));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, swapped(i, &self->seen));
}

static void *thread_spin_cpu(void *unused)
{
	spin_cpu_ms(50);
	return unused;
}

/* The one that was attached to is swapped too, and what it makes later is followed. */
TEST_F_TIMEOUT(follow, the_first_thread_may_be_swapped, 120)
{
	struct span span = { };
	pthread_t thread;
	unsigned int i;

	ASSERT_EQ(0, cpu_pin(1));
	for (i = 0; i < 8; i++) {
		span.fd = device_open();
		ASSERT_LE(0, span.fd);
		ASSERT_TRUE(span_begin(&span, 0, 0));
		/* It runs while its maker waits for its end. */
		ASSERT_EQ(0, pthread_create(&thread, NULL, thread_short, NULL));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		spin_cpu_ms(200);
		ASSERT_EQ(0, pthread_create(&thread, NULL, thread_spin_cpu, NULL));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_TRUE(span_right(&span, &self->seen));
		EXPECT_EQ(1, self->seen.out_tasks);
		close(span.session);
		close(span.fd);
	}
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
TEST_F_TIMEOUT(follow, sessions_may_close_while_tasks_run, 60)
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
			ASSERT_EQ(0, close(session));
			ASSERT_LT(0, device_attach(fd, 0, pid));
		}
		close(fd);
	}
	spin_stop(pid);
}

/* Attached at any moment of a short life. */
TEST_F_TIMEOUT(follow, an_attach_may_meet_an_exit, 60)
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
		ASSERT_EQ(0, device_session(session, 0, &self->seen));
		EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
		EXPECT_EQ(0, self->seen.out_tasks);
		ASSERT_EQ(0, close(session));
	}
	printf("# %u of 200 had exited before\n", missed);
	EXPECT_LT(missed, 200);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
