// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls by root, by a member of the device's group and by somebody who was given a
 * descriptor, while tasks exit, CPUs go and come, and the module is loaded again and again.
 * Nothing may be said in the log, no worker may be stuck or killed, and the module can be
 * unloaded each time, and its figures are there.
 *
 * The programs of a file come first, and then changed ones.  Where the kernel and the module have
 * KCOV, those that reach new code are kept, changed too, and printed.
 *
 * TOPDOWN_CALLS    so many calls (20000; with TOPDOWN_FULL 300000)
 * TOPDOWN_SECONDS  fewer, if they take longer than this (no limit)
 * TOPDOWN_ROUND    so many of them between a load of the module and its unload (4000)
 * TOPDOWN_PLUG     longest pause of the CPUs that go and come, in microseconds (20000)
 * TOPDOWN_SEED     other calls (1)
 * TOPDOWN_CORPUS   the file (fuzz.corpus)
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"
#include "fuzz.h"
#include "guest.h"

/* More than CPUs: some of them wait for grace periods and for events. */
#define WORKERS		(4 * FUZZ_ROLES)
#define GROUP		1000
#define NOBODY		65534
/*
 * A worker is stuck if it has not ended, and nobody has begun a call for so long.  The emulator
 * is slow, and on PREEMPT_RT many calls wait for grace periods.
 */
#define STUCK_S		120
/* A period that a worker has set is over by then, and there were some windows after it. */
#define SOON_S		70

static struct fuzz_shared *shared;
static unsigned int cpus[TD_CPUS_MAX], cpus_nr;
static uint64_t plug_us;

static const char * const params[] = {
	"", "period_ms=10", "history=0", "cycles=0", "drilldown=1", "cpus=0-1", "pinned=1",
	"aside=never", "refined=1 period_ms=20", "trust_device=1",
};

static bool become(enum fuzz_role role)
{
	gid_t group = GROUP;

	switch (role) {
	case FUZZ_ROOT:
		return true;
	case FUZZ_MEMBER:
		return !setgroups(1, &group) && !setgid(NOBODY) && !setuid(NOBODY);
	default:
		return !setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY);
	}
}

/* Calls until all together have made so many. */
static void work(enum fuzz_role role, uint64_t seed, uint64_t until)
{
	int given = role == FUZZ_NOBODY ? device_open() : -1;
	struct fuzz_program program;

	fuzz_cover_open();
	if (!become(role) || !fuzz_call_setup(shared, given))
		_exit(2);
	while (__atomic_load_n(&shared->calls, __ATOMIC_RELAXED) < until) {
		fuzz_corpus_make(shared, &seed, &program);
		fuzz_cover_begin();
		fuzz_call_run(&program);
		if (fuzz_cover_end(shared))
			fuzz_corpus_add(shared, &program);
	}
	_exit(0);
}

/* CPUs go and come until we are killed. */
static void plug(uint64_t seed)
{
	unsigned int cpu;

	while (cpus_nr > 1) {
		cpu = cpus[1 + fuzz_random(&seed) % (cpus_nr - 1)];
		if (!cpu_set_online(cpu, false))
			__atomic_add_fetch(&shared->hotplugs, 1, __ATOMIC_RELAXED);
		cpu_set_online(cpu, true);
		usleep(fuzz_random(&seed) % plug_us);
	}
	pause();
}

static void stop(int pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Wait for a worker.  Return: NULL, or what is wrong with it. */
static const char *worker_end(int pid)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), since = now, calls = 0, before;
	static char wrong[64];
	int status, ret;

	while (!(ret = waitpid(pid, &status, WNOHANG)) && now - since < STUCK_S * 1000000000ULL) {
		sleep_ms(5);
		before = calls;
		calls = __atomic_load_n(&shared->calls, __ATOMIC_RELAXED);
		now = clock_ns(CLOCK_MONOTONIC);
		since = calls == before ? since : now;
	}
	if (!ret)
		return "a worker is stuck";
	if (ret > 0 && !status)
		return NULL;
	snprintf(wrong, sizeof(wrong), "a worker ended with status %#x", status);
	return wrong;
}

/* Are there figures of a CPU?  Soon: its last window may be one with perf events of a worker. */
static bool figures_are_there(void)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + SOON_S * 1000000000ULL;
	struct topdown_record record = { };
	int device = device_open(), ret;

	if (device < 0)
		return false;
	period_set("100");
	do {
		sleep_ms(10);
		ret = device_read_cpu(device, TOPDOWN_READ_FRESH, 0, &record);
	} while (!ret && record.state != TOPDOWN_STATE_OK && clock_ns(CLOCK_MONOTONIC) < until);
	close(device);
	if (ret || record.state != TOPDOWN_STATE_OK)
		printf("# error %d, state %u\n", ret, record.state);
	return !ret && record.state == TOPDOWN_STATE_OK;
}

static const char *work_all(uint64_t *seed, uint64_t until)
{
	const char *wrong = NULL, *one;
	int pid[WORKERS], plugger, device, session = -1, i;

	/* With one session in each second round the probes stay, and calls are quicker. */
	if (fuzz_random(seed) % 2) {
		device = device_open();
		session = device < 0 ? -1 : device_attach(device, 0, 0);
		if (session < 0)
			wrong = "no session";
		if (device >= 0)
			close(device);
	}
	plugger = fork();
	if (!plugger)
		plug(fuzz_random(seed));
	for (i = 0; i < WORKERS; i++) {
		fuzz_random(seed);
		pid[i] = fork();
		if (!pid[i])
			work(i % FUZZ_ROLES, *seed, until);
	}
	for (i = 0; i < WORKERS; i++) {
		one = pid[i] < 0 ? "cannot fork" : worker_end(pid[i]);
		wrong = wrong ?: one;
	}
	stop(plugger);
	cpus_set_online();
	if (session >= 0)
		close(session);
	return wrong;
}

/* One life of the module, with these parameters.  Return: NULL, or what is wrong. */
static const char *round_with(const char *with, uint64_t *seed, uint64_t until)
{
	const char *wrong;

	if (module_load(with) || module_load_latency())
		return "the modules cannot be loaded";
	if (chown("/dev/topdown_latency", 0, GROUP) || chown(TD_DEVICE, 0, GROUP) ||
	    chmod(TD_DEVICE, 0660))
		return "there is no device";
	wrong = work_all(seed, until);
	if (wrong)
		return wrong;
	if (!figures_are_there())
		return "there are no figures any more";
	/* Tasks of the workers may live a bit longer, with descriptors. */
	while (waitpid(-1, NULL, 0) > 0)
		;
	return module_unload() ? "the module cannot be unloaded" : NULL;
}

static const char *round_run(uint64_t *seed, uint64_t until)
{
	const char *with = params[fuzz_random(seed) % (sizeof(params) / sizeof(*params))];
	const char *wrong = round_with(with, seed, until);

	if (wrong)
		printf("# with \"%s\"\n", with);
	return wrong;
}

/* Of the module's accesses: how many KCSAN has watched; -1 on a kernel without it. */
static long kcsan_watched(void)
{
	FILE *file = fopen("/sys/kernel/debug/kcsan", "r");
	char line[128];
	long n = -1;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file) && n < 0)
		if (sscanf(line, "setup_watchpoints: %ld", &n) != 1)
			n = -1;
	fclose(file);
	return n;
}

int main(void)
{
	uint64_t calls = env_number("TOPDOWN_CALLS", getenv("TOPDOWN_FULL") ? 300000 : 20000);
	uint64_t each = env_number("TOPDOWN_ROUND", 4000);
	uint64_t seed = (uint64_t)env_number("TOPDOWN_SEED", 1) * 0x9e3779b97f4a7c15;
	uint64_t seconds = env_number("TOPDOWN_SECONDS", 0), end = UINT64_MAX;
	const char *corpus = getenv("TOPDOWN_CORPUS"), *wrong = NULL;
	unsigned int rounds = 0, programs;
	long watched;
	int ret = module_need();

	if (ret)
		return ret;
	cpus_nr = cpus_online(cpus);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || (module_loaded() && module_unload()))
		ksft_exit_fail_msg("cannot begin\n");
	plug_us = env_number("TOPDOWN_PLUG", 20000) ?: 1;
	programs = fuzz_corpus_load(shared, corpus ?: "fuzz.corpus");
	if (!programs)
		ksft_exit_fail_msg("no programs in %s\n", corpus ?: "fuzz.corpus");
	if (seconds)
		end = clock_ns(CLOCK_MONOTONIC) + seconds * 1000000000ULL;
	/* So that pages of members are slow too. */
	file_write("/proc/sys/vm/unprivileged_userfaultfd", 0, "1");
	/* The kernel of 6.12 warns when a busy CPU goes offline. */
	fair_server_off();
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		ksft_exit_fail_msg("cannot wait for the tasks of the workers\n");
	if (system("cp /bin/true " FUZZ_SET_UID " && chmod 4755 " FUZZ_SET_UID))
		ksft_exit_fail_msg("cannot make a set-uid program\n");
	ksft_print_header();
	ksft_set_plan(2);
	while (shared->calls < calls && clock_ns(CLOCK_MONOTONIC) < end && !wrong) {
		wrong = round_run(&seed, shared->calls + each);
		if (!(++rounds % 100))
			printf("# %u rounds, %llu calls\n", rounds,
			       (unsigned long long)shared->calls);
		fflush(stdout);
	}
	ksft_print_msg("%u programs, %llu calls, %llu ioctls succeeded, %llu attaches, %llu times a CPU offline, module loaded %u times\n",
		       programs, (unsigned long long)shared->calls,
		       (unsigned long long)shared->succeeded,
		       (unsigned long long)shared->attached,
		       (unsigned long long)shared->hotplugs, rounds);
	if (shared->places) {
		ksft_print_msg("%u places of the module's code\n", shared->places);
		fuzz_corpus_print(shared);
	}
	watched = kcsan_watched();
	if (watched >= 0)
		ksft_print_msg("KCSAN watched %ld accesses\n", watched);
	if (!wrong && !watched)
		wrong = "KCSAN watches nothing";
	ksft_test_result(!wrong, "random calls: %s\n", wrong ?: "none does harm");
	/* Else all of them were refused, and this has tried nothing. */
	ksft_test_result(shared->succeeded > shared->calls / 50 && shared->attached &&
			 (shared->hotplugs || cpus_nr < 2),
			 "one call in fifty is an ioctl that succeeds, and some attach\n");
	unlink(FUZZ_SET_UID);
	if (module_load(""))
		ksft_exit_fail_msg("cannot load the module\n");
	ksft_finished();
}
