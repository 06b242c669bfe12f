// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "session.h"

/* The longest time for which the module stands aside after somebody waited for it shortly. */
#define ASIDE_MS	1000

struct report *reports;

/* Does the module have its counters for all of some milliseconds?  The caller is on @cpu. */
static bool counts_alone(int fd, unsigned int cpu)
{
	struct topdown_record from, to;

	if (device_read_cpu(fd, TOPDOWN_READ_FRESH, cpu, &from))
		return false;
	spin_ms(5);
	return !device_read_cpu(fd, TOPDOWN_READ_FRESH, cpu, &to) &&
	       to.total.running_ns - from.total.running_ns ==
	       to.total.enabled_ns - from.total.enabled_ns;
}

/*
 * The perf users of the test before may have left just now.  The module comes back when the time
 * is over for which it stands aside, on a CPU that works, and a session has part of its slots
 * until then.  Where it never has the counters for itself the test says what is wrong with that.
 */
static void wait_for_counters(int fd)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < 2; cpu++) {
		if (cpu_pin(cpu))
			continue;
		for (i = 0; i < ASIDE_MS / 5 && !counts_alone(fd, cpu); i++)
			;
	}
}

int session_open(void)
{
	cpu_set_t two;
	int fd;

	reports = mmap(NULL, WORKERS * sizeof(*reports), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (reports == MAP_FAILED)
		return -errno;
	fd = device_open();
	if (fd < 0)
		return fd;
	if (!backdoor_open())
		return -ENODEV;
	wait_for_counters(fd);
	/* The emulator's time runs on where the host has no CPU for it: use few. */
	CPU_ZERO(&two);
	CPU_SET(0, &two);
	CPU_SET(1, &two);
	return sched_setaffinity(0, sizeof(two), &two) ? -errno : fd;
}

const struct td_bd_profile *profile(unsigned int i)
{
	static const char * const names[] = { "branchy", "stream", "compute", "bigcode", "fetch" };

	return &profile_find(names[i % 5])->profile;
}

void spin_ms(unsigned int ms)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ULL;
	volatile int i;

	do {
		for (i = 0; i < 20000; i++)
			;
	} while (clock_ns(CLOCK_MONOTONIC) < end);
}

void spin_cpu_ms(unsigned int ms)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ULL;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		thread_short(NULL);
}

static void *thread_spin(void *ms)
{
	spin_ms((uintptr_t)ms);
	return NULL;
}

void *thread_short(void *unused)
{
	volatile int i;

	for (i = 0; i < 20000; i++)
		;
	return unused;
}

/* Work for ten times as long as a thread's exit, of which perf counts only some. */
static void *thread_brief(void *unused)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		thread_short(NULL);
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

static void work(unsigned int threads, unsigned int ms, pthread_t *thread)
{
	pthread_t one;
	unsigned int i;

	if (threads <= THREADS) {
		work_threads(thread, threads, ms);
		return;
	}
	for (i = 0; i < threads; i++) {
		if (pthread_create(&one, NULL, thread_brief, NULL))
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
	if (!backdoor_open() || !backdoor_set_profile(what))
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
	backdoor_truth_space(&from);
	if (read(worker->go[0], &byte, 1) != 1)
		_exit(2);
	work(threads, ms, thread);
	backdoor_truth_space(&report->truth);
	report->cpu_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	report->main_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	backdoor_truth_sub(&report->truth, &from);
	report->done = 1;
	for (;;)
		pause();
}

bool worker_start(struct worker *worker, struct report *report,
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

bool worker_go(struct worker *worker, unsigned int threads)
{
	static const char bytes[THREADS + 1];
	ssize_t n = 1 + (threads <= THREADS ? threads / 2 : 0);

	return write(worker->go[1], bytes, n) == n;
}

bool worker_wait(const struct report *report)
{
	unsigned int i;

	for (i = 0; i < 4000 && !report->done; i++)
		sleep_ms(5);
	return report->done;
}

void worker_stop(struct worker *worker)
{
	close(worker->go[0]);
	close(worker->go[1]);
	close(worker->ready[0]);
	spin_stop(worker->pid);
}

int sleeper_start(void)
{
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

int kernel_thread(const char *name)
{
	char path[64], comm[64];
	FILE *file;
	int pid;

	for (pid = 2; pid < 1000; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (!fgets(comm, sizeof(comm), file))
			comm[0] = 0;
		fclose(file);
		comm[strcspn(comm, "\n")] = 0;
		if (!strcmp(comm, name))
			return pid;
	}
	return -1;
}

/*
 * Between a fold and the change of the address space there are tens of
 * microseconds on the emulated machine.  That matters where the kernel looks
 * after itself at every access, and with many short threads.
 */
double looser(unsigned int threads)
{
	bool instrumented = !access("/sys/kernel/debug/kmemleak", F_OK);

	return (threads > THREADS ? 5 : 1) * (instrumented ? 5 : 1);
}

bool has_slots(int session, struct topdown_session *seen)
{
	return !device_session(session, TOPDOWN_SESSION_FRESH, seen) &&
	       seen->out_figures.slots;
}

int poll_for(int fd, short events, int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = events };

	return poll(&pollfd, 1, ms) < 0 ? -errno : pollfd.revents;
}
