// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: cgroups that are made, loaded and removed all the time, while somebody reads.
 *
 * TOPDOWN_CGROUPS  how many (500; with TOPDOWN_FULL 10000)
 * TOPDOWN_FULL     also CPUs that go and come back, and a module that does, each 1000 cgroups
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "owner.h"
#include "session.h"

#define LOADERS		4
#define ROUND		1000
#define WARM		200
/* Some 500,000 instructions; entry and exit are more. */
#define LOOPS		100000
/* Each so many cgroups their worker looks for one itself. */
#define LOOKS		8

/* The module looks so often in a second where tasks that moved run, and so often at once. */
#define MOVES_SEEN	100
#define MOVES_SAVED	25

/* An owner is not smaller. */
#define OWNER_BYTES	1024

/* @truth: of the children of a worker; @made: its cgroups. */
struct loader {
	struct td_bd_truth truth;
	unsigned int made;
};

/* All processes share it. */
struct churn {
	struct loader worker[LOADERS];
	volatile bool end;
	volatile unsigned int readings;
	volatile unsigned int hotplugs;
};

static struct churn *churn;
static char top[128], rest[160];

FIXTURE(churn) {
	int device;
	int fd;
	struct owners then;
	struct owners now;
};

FIXTURE_SETUP(churn)
{
	const char *root = cgroup_root();

	churn = mmap(NULL, sizeof(*churn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, churn);
	ASSERT_NE(NULL, root);
	snprintf(top, sizeof(top), "%s/churn", root);
	snprintf(rest, sizeof(rest), "%s/rest", top);
	ASSERT_TRUE(cgroup_make(top) || errno == EEXIST);
	ASSERT_TRUE(cgroup_make(rest) || errno == EEXIST);
	self->fd = -1;
	self->device = device_open();
	ASSERT_LE(0, self->device);
}

FIXTURE_TEARDOWN(churn)
{
	cpus_set_online();
	owners_free(&self->then);
	owners_free(&self->now);
	if (self->fd >= 0)
		close(self->fd);
	close(self->device);
	cgroup_remove(rest);
	cgroup_remove(top);
}

/* It is stopped until it is in its cgroup, and adds what it has executed since then. */
static void child_run(struct td_bd_truth *sum)
{
	struct td_bd_truth from, to;
	volatile unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	raise(SIGSTOP);
	backdoor_truth_space(&from);
	for (i = 0; i < LOOPS; i++)
		;
	backdoor_truth_space(&to);
	backdoor_truth_sub(&to, &from);
	backdoor_truth_add(sum, &to);
	_exit(0);
}

static int child_start(const char *path, struct td_bd_truth *sum)
{
	int pid = fork(), status;

	if (!pid)
		child_run(sum);
	if (pid < 0 || waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status) ||
	    !cgroup_enter(path, pid))
		return -1;
	kill(pid, SIGCONT);
	return pid;
}

/* The cgroup has had slots, or else it was lost. */
static bool seen(int fd, const char *path)
{
	const struct topdown_owner *owner;
	struct owners now;
	bool ok;

	if (owners_read(fd, &now, 0))
		return fact_holds(false, path);
	owner = owners_find(&now, TOPDOWN_OWNER_WHAT_CGROUP, cgroup_number(path));
	ok = fact_holds(owner && owner->self.slots, path);
	owners_free(&now);
	return ok;
}

/*
 * Half of the cgroups are removed when their process has ended, and half while it runs elsewhere,
 * so that CPUs still have sums of the removed one.
 */
static bool cgroup_once(int fd, const char *path, unsigned int n, struct td_bd_truth *sum)
{
	bool ok = true;
	int pid, status;

	if (!cgroup_make(path))
		return fact_holds(false, path);
	pid = child_start(path, sum);
	if (pid < 0)
		return fact_holds(false, path);
	if (n % 2) {
		usleep(500);
		ok &= fact(cgroup_enter(rest, pid) || errno == ESRCH);
		ok &= cgroup_remove(path);
	}
	ok &= waitpid(pid, &status, 0) == pid && !status;
	if (n % 2)
		return ok;
	if (n % LOOKS == 0)
		ok &= seen(fd, path);
	return ok & fact(cgroup_remove(path));
}

static void worker_run(int fd, unsigned int self, unsigned int nr)
{
	struct loader *own = &churn->worker[self];
	char path[192];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (; own->made < nr; own->made++) {
		snprintf(path, sizeof(path), "%s/w%u-%u", top, self, own->made);
		if (!cgroup_once(fd, path, own->made, &own->truth))
			_exit(1);
	}
	_exit(0);
}

/* The tree is what its cgroups have alone, to the slot, and never falls. */
static bool tree_right(const struct owners *now, __u64 *was)
{
	const struct topdown_owner *tree = owners_find(now, TOPDOWN_OWNER_WHAT_CGROUP,
						       cgroup_number(top));
	__u64 slots = 0;
	bool ok = true;
	unsigned int i;

	if (!tree)
		return fact(!*was);
	for (i = 0; i < now->nr; i++) {
		if (now->owner[i].what == TOPDOWN_OWNER_WHAT_CGROUP &&
		    (now->owner[i].parent == tree->id || now->owner[i].id == tree->id))
			slots += now->owner[i].self.slots;
	}
	ok &= fact_same("slots of a tree", tree->tree.slots, slots);
	ok &= fact(tree->tree.slots >= *was);
	*was = tree->tree.slots;
	return ok;
}

static void reader_run(int fd)
{
	struct owners now;
	__u64 was = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!churn->end) {
		if (owners_read(fd, &now, 0) || !tree_right(&now, &was))
			_exit(1);
		owners_free(&now);
		/* By many calls, between which cgroups go. */
		if (++churn->readings % 4 == 0 && owners_read(fd, &now, 3))
			_exit(2);
		owners_free(&now);
		usleep(1000);
	}
	_exit(0);
}

/*
 * All CPUs but the first go and come back, until the end.  Nobody can make a cgroup meanwhile, so
 * others get as much time.
 */
static void hotplug_run(void)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), at;
	uint64_t began;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!churn->end && n > 1) {
		at = cpu[1 + churn->hotplugs % (n - 1)];
		began = clock_ns(CLOCK_MONOTONIC);
		cpu_set_online(at, false);
		usleep(churn->hotplugs * 791 % 50000);
		cpu_set_online(at, true);
		churn->hotplugs++;
		sleep_ms(50 + (clock_ns(CLOCK_MONOTONIC) - began) / 1000000);
	}
	_exit(0);
}

static bool ended_well(int pid)
{
	int status;

	return fact(waitpid(pid, &status, 0) == pid) && fact_same("exit status", status, 0);
}

/* So many cgroups, by all workers at once. */
static bool churn_run(int fd, unsigned int nr, bool hotplug)
{
	int worker[LOADERS], reader, plugger;
	unsigned int i;
	bool ok = true;

	memset(churn, 0, sizeof(*churn));
	fflush(stdout);
	reader = fork();
	if (!reader)
		reader_run(fd);
	plugger = hotplug ? fork() : -1;
	if (!plugger)
		hotplug_run();
	for (i = 0; i < LOADERS; i++) {
		worker[i] = fork();
		if (!worker[i])
			worker_run(fd, i, nr / LOADERS);
	}
	for (i = 0; i < LOADERS; i++)
		ok &= ended_well(worker[i]);
	churn->end = true;
	ok &= ended_well(reader);
	return ok & (!hotplug || ended_well(plugger));
}

/*
 * Bytes in use of what kmalloc() accounts, as owners are, or of all where the kernel accounts
 * nothing, and cgroups that were removed and are still there.
 */
struct memory {
	double kmalloc;
	unsigned int owners;
	unsigned int dying;
};

static double kmalloc_bytes(void)
{
	FILE *file = fopen("/proc/slabinfo", "re");
	double accounted = 0, all = 0;
	char line[512];
	unsigned int objects, size;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "kmalloc-cg-%*s %u %*u %u", &objects, &size) == 2)
			accounted += (double)objects * size;
		if (sscanf(line, "kmalloc-%*s %u %*u %u", &objects, &size) == 2)
			all += (double)objects * size;
	}
	if (file)
		fclose(file);
	return accounted ? accounted : all;
}

/* Removed cgroups are freed after grace periods. */
static struct memory memory_now(int fd, struct owners *now)
{
	struct memory memory = { };
	unsigned int i;

	owners_free(now);
	if (owners_read(fd, now, 0))
		return memory;
	for (i = 0; i < 10000 && cgroup_dying(top); i++)
		sleep_ms(1);
	memory.kmalloc = kmalloc_bytes();
	memory.owners = now->nr;
	memory.dying = cgroup_dying(top);
	return memory;
}

/*
 * If one in eight left an owner, that would be more.  Where kmemleak is, it looks for what is left
 * when the guest ends, and KASAN keeps what was freed for a while.
 */
static bool memory_same(const struct memory *before, const struct memory *after, unsigned int nr)
{
	bool ok = fact(before->kmalloc > 0);

	printf("# %.0f KB of kmalloc() before and %.0f after, %u and %u owners\n",
	       before->kmalloc / 1024, after->kmalloc / 1024, before->owners, after->owners);
	ok &= fact_same("owners", after->owners, before->owners);
	ok &= fact_same("dying cgroups", after->dying, 0);
	if (access("/sys/kernel/debug/kmemleak", F_OK))
		ok &= fact_most("bytes of kmalloc() for a cgroup",
				(after->kmalloc - before->kmalloc) / nr, OWNER_BYTES / 8);
	return ok;
}

/* The tree has what all children executed, and what entry and exit took. */
static bool truth_right(const struct owners *then, const struct owners *now)
{
	const struct topdown_owner *others = owners_find(now, TOPDOWN_OWNER_WHAT_OTHERS, 0);
	struct topdown_figures tree;
	struct td_bd_truth truth = { };
	unsigned int i;

	for (i = 0; i < LOADERS; i++)
		backdoor_truth_add(&truth, &churn->worker[i].truth);
	if (!owners_grown(then, now, TOPDOWN_OWNER_WHAT_CGROUP, cgroup_number(top), true, &tree))
		return fact_holds(false, top);
	printf("# %.1f M slots of the tree, %.1f M executed\n", tree.slots / 1e6,
	       truth.slots / 1e6);
	return fact(tree.slots >= truth.slots) & fact(others && !others->self.slots);
}

static bool round_run(int device, int fd, struct owners *then, struct owners *now, unsigned int nr)
{
	bool full = getenv("TOPDOWN_FULL"), ok = true;
	struct memory before, after;
	uint64_t began;
	__u64 slots;

	/* The kernel keeps some memory that the first ones take. */
	ok &= churn_run(fd, WARM, false);
	slots = owners_cpus_slots(device);
	before = memory_now(fd, then);
	began = clock_ns(CLOCK_MONOTONIC);
	ok &= churn_run(fd, nr, full);
	printf("# %u cgroups in %.0f s, %u readings, %u times a CPU went\n", nr,
	       (clock_ns(CLOCK_MONOTONIC) - began) / 1e9, churn->readings, churn->hotplugs);
	ok &= fact(churn->readings > 10) & (!full || fact(churn->hotplugs > 2));
	slots = owners_cpus_slots(device) - slots;
	after = memory_now(fd, now);
	ok &= owners_sum_right(then, now, slots);
	ok &= truth_right(then, now);
	return ok & memory_same(&before, &after, nr);
}

TEST_F_TIMEOUT(churn, cgroups_come_and_go_while_read, 7000)
{
	unsigned int nr = env_number("TOPDOWN_CGROUPS", getenv("TOPDOWN_FULL") ? 10000 : 500), n;

	fair_server_off();
	for (; nr; nr -= n) {
		n = nr < ROUND ? nr : ROUND;
		self->fd = owners_open(self->device, TOPDOWN_OWNERS_CGROUPS, 0);
		ASSERT_LE(0, self->fd);
		ASSERT_TRUE(round_run(self->device, self->fd, &self->then, &self->now, n));
		close(self->fd);
		self->fd = -1;
		close(self->device);
		ASSERT_EQ(0, module_unload());
		ASSERT_EQ(0, module_load(""));
		self->device = device_open();
		ASSERT_LE(0, self->device);
	}
}

/* Processes that end at once do not keep others out for as long as their figures would stay. */
TEST_F_TIMEOUT(churn, short_ones_leave_their_places, 600)
{
	const struct topdown_owner *others;
	uint64_t began;
	unsigned int i;
	int pid;

	self->fd = owners_open(self->device, TOPDOWN_OWNERS_PROCESSES, 0);
	ASSERT_LE(0, self->fd);
	began = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < OWNERS_MAX + 100; i++) {
		pid = vfork();
		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	printf("# %u processes in %.1f s\n", i, (clock_ns(CLOCK_MONOTONIC) - began) / 1e9);
	/* Else the first ones have gone by themselves. */
	EXPECT_GT(TOPDOWN_OWNERS_KEEP_MS * 1000000ULL, clock_ns(CLOCK_MONOTONIC) - began);
	pid = spin_start(1, &profile_find("compute")->profile);
	sleep_ms(100);
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
	EXPECT_NE(NULL, owners_find(&self->now, TOPDOWN_OWNER_WHAT_PROCESS, pid));
	others = owners_find(&self->now, TOPDOWN_OWNER_WHAT_OTHERS, 0);
	ASSERT_NE(NULL, others);
	EXPECT_EQ(0, others->self.slots);
	spin_stop(pid);
}

/* Whoever moves his tasks all the time does not interrupt others as often. */
TEST_F_TIMEOUT(churn, moves_have_a_pace, 60)
{
	unsigned long calls;
	unsigned int moves = 0;
	uint64_t began, ended;
	int spinner, sleeper;

	self->fd = owners_open(self->device, TOPDOWN_OWNERS_CGROUPS, 0);
	ASSERT_LE(0, self->fd);
	spinner = spin_start(1, &profile_find("compute")->profile);
	sleeper = sleeper_start();
	ASSERT_LT(0, sleeper);
	ASSERT_EQ(0, cpu_pin(0));
	sleep_ms(500);
	calls = cpu_calls(1);
	began = clock_ns(CLOCK_MONOTONIC);
	do {
		ASSERT_TRUE(cgroup_enter(moves++ % 2 ? rest : top, sleeper));
		ended = clock_ns(CLOCK_MONOTONIC);
	} while (ended - began < 1000000000);
	calls = cpu_calls(1) - calls;
	printf("# %u moves in a second, %lu interrupts of a busy CPU\n", moves, calls);
	EXPECT_TRUE(fact(moves > 4 * MOVES_SEEN));
	EXPECT_TRUE(fact(calls));
	EXPECT_TRUE(fact_most("interrupts", calls, MOVES_SEEN + MOVES_SAVED + 25));
	spin_stop(sleeper);
	spin_stop(spinner);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	/* Room for all owners is mapped each time, and not made 0 byte by byte. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	return ret ? ret : test_harness_run(argc, argv);
}
