// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that come and go by the thousand while sessions follow them: no fork is
 * refused, no task is missed, and no task is taken for another.
 *
 * TOPDOWN_FULL    10,000 attaches to processes that exit and 100,000 to threads, 1,000
 *		   bombs of 50 processes, 100 times all of /proc while CPUs go
 * TOPDOWN_RACES   so many attaches to threads
 * TOPDOWN_ROUNDS  so many times all of /proc
 */
#include <dirent.h>
#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "session.h"

#define BOMB		50
#define SLEEP_TRIES	2000

static unsigned int full(unsigned int otherwise, unsigned int number)
{
	return getenv("TOPDOWN_FULL") ? number : otherwise;
}

FIXTURE(storm) {
	int fd;
	struct topdown_session seen;
};

FIXTURE_SETUP(storm)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(storm)
{
	close(self->fd);
}

/* Either there is no such task any more, or all is right; -1 for what is wrong. */
static int race(int fd, unsigned int n, struct topdown_session *seen)
{
	int pid = fork(), session, ret;

	if (!pid) {
		usleep(n * 37 % 500);
		_exit(0);
	}
	if (pid < 0)
		return -1;
	usleep(n * 53 % 1000);
	session = device_attach(fd, n % 2 ? TOPDOWN_ATTACH_THREAD : TOPDOWN_ATTACH_CHILDREN, pid);
	waitpid(pid, NULL, 0);
	if (session == -ESRCH)
		return 0;
	if (session <= 0)
		return -1;
	ret = device_session(session, 0, seen) || seen->out_tasks ||
	      seen->out_state != TOPDOWN_SESSION_STATE_EXITED ||
	      close(session);
	return ret ? -1 : 1;
}

TEST_F_TIMEOUT(storm, an_attach_may_meet_an_exit, 1200)
{
	unsigned int i, races = full(300, 10000), met = 0;
	int ret;

	/* So that the probes stay. */
	ASSERT_LT(0, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0));
	for (i = 0; i < races; i++) {
		ret = race(self->fd, i, &self->seen);
		ASSERT_LE(0, ret);
		met += ret;
	}
	printf("# %u attached, %u were too late\n", met, races - met);
	EXPECT_LT(0, met);
}

/* A thread that tells its number and lives for so long. */
struct victim {
	int tid;
	unsigned int loops;
};

static void *victim_run(void *data)
{
	struct victim *victim = data;
	volatile unsigned int i;

	/* Pairs with __atomic_load_n() in race_thread(). */
	__atomic_store_n(&victim->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (i = 0; i < victim->loops; i++)
		;
	return NULL;
}

/* Attaches to threads that exit, one after the other; several do so at once. */
struct racer {
	pthread_t thread;
	unsigned int races;
	unsigned int seed;
	unsigned int loops;
	/* The thread had exited before; it exited meanwhile; it exited later. */
	unsigned int late;
	unsigned int during;
	unsigned int early;
	const char *wrong;
};

/* Check the end of a thread that was attached to.  Return: what is wrong, or NULL. */
static const char *race_end(struct racer *racer, int session, pthread_t thread, bool detach)
{
	struct topdown_session seen;

	if (device_session(session, 0, &seen))
		return "the session cannot be read";
	if (seen.out_state == TOPDOWN_SESSION_STATE_EXITED)
		racer->during++;
	else
		racer->early++;
	/* A detach at once happens while the thread exits. */
	if (detach && close(session))
		return "the session cannot be detached";
	pthread_join(thread, NULL);
	if (detach)
		return NULL;
	/* A thread is joined a moment before it is gone. */
	if (seen.out_state != TOPDOWN_SESSION_STATE_EXITED &&
	    poll_for(session, POLLIN, 30000) != POLLHUP)
		return "nobody says that the thread has exited";
	if (device_session(session, 0, &seen) || seen.out_tasks ||
	    seen.out_state != TOPDOWN_SESSION_STATE_EXITED)
		return "the thread is followed after its exit";
	if (close(session))
		return "the session cannot be detached";
	return NULL;
}

/* The threads are to live for just as long as an attach takes, a quarter more or less. */
static void race_thread(struct racer *racer, unsigned int n, int fd)
{
	struct victim victim = {
		.loops = racer->loops - racer->loops / 4 +
			 rand_r(&racer->seed) % (racer->loops / 2 + 1),
	};
	pthread_t thread;
	int session, tid;

	if (pthread_create(&thread, NULL, victim_run, &victim)) {
		racer->wrong = "no thread";
		return;
	}
	do {
		/* Pairs with __atomic_store_n() in victim_run(). */
		tid = __atomic_load_n(&victim.tid, __ATOMIC_ACQUIRE);
	} while (!tid);
	session = device_attach(fd, TOPDOWN_ATTACH_THREAD, tid);
	if (session > 0) {
		racer->loops -= racer->loops / 32;
		racer->wrong = race_end(racer, session, thread, n % 2);
		return;
	}
	if (session != -ESRCH)
		racer->wrong = strerror(-session);
	racer->loops += racer->loops / 32 + 1;
	racer->late++;
	pthread_join(thread, NULL);
}

static void *races_run(void *data)
{
	struct racer *racer = data;
	int fd = device_open();
	unsigned int i;

	if (fd < 0)
		racer->wrong = "the device cannot be opened";
	for (i = 0; i < racer->races && !racer->wrong; i++)
		race_thread(racer, i, fd);
	close(fd);
	return NULL;
}

#define RACERS		2

TEST_F_TIMEOUT(storm, an_attach_may_meet_exits_of_threads, 6000)
{
	unsigned int races = env_number("TOPDOWN_RACES", full(2000, 100000)), i;
	struct racer racer[RACERS] = { };

	for (i = 0; i < RACERS; i++) {
		racer[i].seed = i;
		racer[i].loops = 10000;
		racer[i].races = races / RACERS;
		ASSERT_EQ(0, pthread_create(&racer[i].thread, NULL, races_run, &racer[i]));
	}
	for (i = 0; i < RACERS; i++) {
		pthread_join(racer[i].thread, NULL);
		printf("# %u exited before the attach, %u meanwhile, %u later\n", racer[i].late,
		       racer[i].during, racer[i].early);
		EXPECT_EQ(NULL, racer[i].wrong) {
			TH_LOG("%s", racer[i].wrong);
		}
		EXPECT_LT(0, racer[i].late);
		EXPECT_LT(0, racer[i].during + racer[i].early);
	}
}

/* BOMB processes, each the child of the one before, which waits for it. */
static void bomb(void)
{
	int left = BOMB - 1, pid = 0, status;

	while (left-- && !pid) {
		pid = fork();
		if (pid < 0)
			_exit(1);
	}
	if (!pid)
		_exit(0);
	_exit(waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 2);
}

TEST_F_TIMEOUT(storm, fork_bombs_are_followed, 1800)
{
	unsigned int i, bombs = full(20, 1000);
	int session, pid, status;

	session = device_attach(self->fd, TOPDOWN_ATTACH_CHILDREN, 0);
	ASSERT_LT(0, session);
	for (i = 0; i < bombs; i++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			bomb();
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
	ASSERT_EQ(0, device_session(session, TOPDOWN_SESSION_FRESH, &self->seen));
	printf("# %u processes, %llu switches\n", bombs * BOMB,
	       (unsigned long long)self->seen.out_switches);
	EXPECT_EQ(1, self->seen.out_tasks);
	EXPECT_EQ(0, self->seen.out_flags);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_RUNNING, self->seen.out_state);
	/* Each was given a CPU once at least. */
	EXPECT_LE(bombs * BOMB, self->seen.out_switches);
}

/* A process that spins, of a number of our choice; 0 for any. */
static int spinner_of(int number)
{
	pid_t set[1] = { number };
	struct clone_args args = {
		.exit_signal	= SIGCHLD,
		.set_tid	= number ? (uintptr_t)set : 0,
		.set_tid_size	= number ? 1 : 0,
	};
	int pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		spin_ms(10);
}

/* Whoever gets the number of a task that was followed is not followed. */
TEST_F_TIMEOUT(storm, number_is_used_again, 300)
{
	struct topdown_session now;
	unsigned int i, tries;
	int session, pid;

	pid = spinner_of(0);
	ASSERT_LT(0, pid);
	session = device_attach(self->fd, 0, pid);
	ASSERT_LT(0, session);
	for (i = 0; i < 20; i++) {
		for (tries = 0; tries < SLEEP_TRIES; tries++) {
			sleep_ms(5);
			if (has_slots(session, &self->seen))
				break;
		}
		spin_stop(pid);
		ASSERT_EQ(0, device_session(session, 0, &self->seen));
		EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
		EXPECT_LT(0, self->seen.out_figures.slots);
		/* Often the new task is even in the memory of the last one. */
		ASSERT_EQ(pid, spinner_of(pid));
		sleep_ms(10);
		ASSERT_EQ(0, device_session(session, TOPDOWN_SESSION_FRESH, &now));
		EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, now.out_state);
		EXPECT_EQ(self->seen.out_figures.slots, now.out_figures.slots);
		EXPECT_EQ(self->seen.out_figures.enabled_ns, now.out_figures.enabled_ns);
		EXPECT_EQ(self->seen.out_switches, now.out_switches);
		ASSERT_EQ(0, close(session));
		session = device_attach(self->fd, 0, pid);
		ASSERT_LT(0, session);
	}
	spin_stop(pid);
}

/* A process that makes a short child for each byte, and then waits again. */
static int mother_start(int *go, int *done)
{
	int pid = fork(), child;
	char byte;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(go[0], &byte, 1) == 1) {
		child = fork();
		if (!child) {
			spin_ms(2);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		if (write(done[1], &byte, 1) != 1)
			break;
	}
	_exit(1);
}

static bool sleeps(int pid)
{
	char path[32], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state == 'S';
}

/*
 * Read the session of a task that sleeps.  The state of the task is S a moment before the
 * task is off its CPU, so read until nothing is added any more.  False if that never happens.
 */
static bool asleep(int fd, int session, int pid, struct topdown_session *seen)
{
	struct topdown_session last = { };
	unsigned int i;

	for (i = 0; i < SLEEP_TRIES; i++) {
		sleep_ms(5);
		if (!sleeps(pid))
			continue;
		if (device_session(session, TOPDOWN_SESSION_FRESH, seen))
			return false;
		if (seen->out_switches && seen->out_switches == last.out_switches &&
		    seen->out_figures.enabled_ns == last.out_figures.enabled_ns)
			return true;
		last = *seen;
	}
	return false;
}

#define STRANGERS	16

static void strangers_run(void)
{
	unsigned int i;

	for (i = 0; i < STRANGERS; i++) {
		if (!fork()) {
			spin_ms(1);
			_exit(0);
		}
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/*
 * The memory of a task that has died is soon another's, and its session, which
 * has other tasks, still counts.
 */
TEST_F_TIMEOUT(storm, memory_is_used_again, 300)
{
	int go[2], done[2], pid, session;
	struct topdown_session now;
	unsigned int i;
	char byte = 0;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	pid = mother_start(go, done);
	session = device_attach(self->fd, TOPDOWN_ATTACH_CHILDREN, pid);
	ASSERT_LT(0, session);
	for (i = 0; i < full(40, 400); i++) {
		ASSERT_EQ(1, write(go[1], &byte, 1));
		ASSERT_EQ(1, read(done[0], &byte, 1));
		ASSERT_TRUE(asleep(self->fd, session, pid, &self->seen));
		EXPECT_EQ(1, self->seen.out_tasks);
		if (fork() == 0) {
			strangers_run();
			_exit(0);
		}
		wait(NULL);
		ASSERT_EQ(0, device_session(session, TOPDOWN_SESSION_FRESH, &now));
		ASSERT_EQ(self->seen.out_figures.enabled_ns, now.out_figures.enabled_ns);
		ASSERT_EQ(self->seen.out_switches, now.out_switches);
	}
	spin_stop(pid);
}

/* What /proc shows while it is gone through: processes of many kinds. */
#define CROWD		12
#define CROWD_MAX	500

static void *threads_for_ever(void *unused)
{
	pthread_t thread;

	for (;;) {
		if (!pthread_create(&thread, NULL, thread_short, NULL))
			pthread_join(thread, NULL);
	}
	return unused;
}

static void children_for_ever(void)
{
	for (;;) {
		if (!fork())
			_exit(0);
		wait(NULL);
	}
}

static int crowd_start(unsigned int i, unsigned int cpus)
{
	int pid;

	if (i % 4 == 0)
		return spin_start(i / 4 % cpus, profile(i));
	if (i % 4 == 1)
		return sleeper_start();
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (i % 4 == 2)
		children_for_ever();
	threads_for_ever(NULL);
	_exit(1);
}

/* All CPUs but the first go and come back, one by one, until it is killed. */
static int hotplug_start(volatile unsigned int *cycles)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu);
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;; ++*cycles) {
		cpu_set_online(cpu[1 + *cycles % (n - 1)], false);
		usleep(*cycles * 791 % 20000);
		cpu_set_online(cpu[1 + *cycles % (n - 1)], true);
	}
}

/* @session: those of one round. */
struct crowd {
	int session[CROWD_MAX];
	unsigned int attached;
	unsigned int gone;
	unsigned int kernel;
};

/* Attach to each process there is.  Return: how many sessions there are, or what went wrong. */
static int attach_to_all(int fd, unsigned int round, struct crowd *crowd)
{
	static const __u32 flags[] = { 0, TOPDOWN_ATTACH_CHILDREN, TOPDOWN_ATTACH_THREAD };
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int ret = proc ? 0 : -errno, pid, n = 0;

	while (!ret && n < CROWD_MAX && (entry = readdir(proc))) {
		pid = atoi(entry->d_name);
		if (pid <= 0)
			continue;
		ret = device_attach(fd, flags[round++ % 3], pid);
		if (ret > 0)
			crowd->session[n++] = ret;
		crowd->attached += ret > 0;
		crowd->gone += ret == -ESRCH;
		crowd->kernel += ret == -EOPNOTSUPP;
		if (ret > 0 || ret == -ESRCH || ret == -EOPNOTSUPP)
			ret = 0;
	}
	if (proc)
		closedir(proc);
	return ret ? ret : n;
}

/* Each has what can be. */
static int look_at_all(const int *session, int sessions)
{
	struct topdown_session seen;
	int i, ret = 0;

	for (i = 0; i < sessions && !ret; i++) {
		ret = device_session(session[i], i % 2 ? TOPDOWN_SESSION_FRESH : 0, &seen);
		if (!ret && seen.out_figures.running_ns > seen.out_figures.enabled_ns)
			ret = -ERANGE;
		close(session[i]);
	}
	return ret;
}

TEST_F_TIMEOUT(storm, all_of_proc_is_followed_in_hotplug, 3000)
{
	unsigned int cpu[TD_CPUS_MAX], cpus = cpus_online(cpu), i;
	unsigned int rounds = env_number("TOPDOWN_ROUNDS", full(5, 100));
	volatile unsigned int *cycles = mmap(NULL, sizeof(*cycles), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int pid[CROWD], hotplug, session, n;
	static struct crowd crowd;

	ASSERT_LT(1, cpus);
	fair_server_off();
	for (i = 0; i < CROWD; i++) {
		pid[i] = crowd_start(i, cpus);
		ASSERT_LT(0, pid[i]);
	}
	hotplug = hotplug_start(cycles);
	for (i = 0; i < rounds; i++) {
		n = attach_to_all(self->fd, i, &crowd);
		ASSERT_LE(CROWD, n);
		ASSERT_EQ(0, look_at_all(crowd.session, n));
	}
	spin_stop(hotplug);
	cpus_set_online();
	printf("# %u rounds, %u CPUs went: %u attached, %u gone, %u kernel threads\n", rounds,
	       *cycles, crowd.attached, crowd.gone, crowd.kernel);
	EXPECT_LT(rounds / 2, *cycles);
	EXPECT_LT(0, crowd.kernel);
	/* Those that spin are followed as before, wherever they are now. */
	for (i = 0; i < CROWD; i++) {
		session = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, pid[i]);
		EXPECT_LT(0, session);
		sleep_ms(100);
		EXPECT_TRUE(i % 4 || has_slots(session, &self->seen));
		spin_stop(pid[i]);
	}
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
