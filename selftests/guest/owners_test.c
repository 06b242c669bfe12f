// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: all processes and all cgroups at once have what they executed, and together they have
 * what the CPUs counted.
 *
 * TOPDOWN_SPAN_MS  length of a measurement
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "owner.h"

#define PROCESSES	50
#define TOPS		4
#define CGROUPS		20
#define LIMIT_POINTS	0.5
#define HOTPLUGS	40
#define LIMIT_SLOTS	0.01

static unsigned int span(void)
{
	return env_number("TOPDOWN_SPAN_MS", 5000);
}

FIXTURE(owners) {
	int device;
	int fd;
	struct owners then;
	struct owners now;
};

FIXTURE_SETUP(owners)
{
	self->device = device_open();
	ASSERT_LE(0, self->device);
	self->fd = -1;
}

FIXTURE_TEARDOWN(owners)
{
	owners_free(&self->then);
	owners_free(&self->now);
	if (self->fd >= 0)
		close(self->fd);
	close(self->device);
}

/* Each of many processes with phases, on all CPUs, has what it executed. */
TEST_F_TIMEOUT(owners, processes_have_what_they_executed, 600)
{
	struct topdown_figures grown;
	bool ok = true;
	char who[32];
	__u64 slots;
	unsigned int i;

	self->fd = owners_open(self->device, TOPDOWN_OWNERS_PROCESSES, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(runners_make(PROCESSES));
	slots = owners_cpus_slots(self->device);
	ASSERT_EQ(0, owners_read(self->fd, &self->then, 0));
	runners_go(PROCESSES);
	sleep_ms(span());
	ASSERT_TRUE(runners_stop(PROCESSES));
	slots = owners_cpus_slots(self->device) - slots;
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 7));
	for (i = 0; i < PROCESSES; i++) {
		snprintf(who, sizeof(who), "process %u", i);
		ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_PROCESS,
					 runners[i].pid, false, &grown));
		ok &= figures_right(who, &grown, &runners[i].truth, LIMIT_POINTS, LIMIT_SLOTS);
		ok &= fact(grown.instructions && grown.cycles);
	}
	EXPECT_TRUE(ok);
	EXPECT_TRUE(owners_sum_right(&self->then, &self->now, slots));
	runners_end(PROCESSES);
}

/* Cgroup @i of a tree of three levels: 4 tops, each with two, each with one. */
static void cgroup_path(char *path, size_t size, const char *root, unsigned int i)
{
	if (i < TOPS)
		snprintf(path, size, "%s/t%u", root, i);
	else if (i < 3 * TOPS)
		snprintf(path, size, "%s/t%u/m%u", root, (i - TOPS) / 2, i);
	else
		snprintf(path, size, "%s/t%u/m%u/l%u", root, (i - 3 * TOPS) / 2, i - 2 * TOPS, i);
}

/* The cgroup above it, or itself. */
static unsigned int cgroup_above(unsigned int i)
{
	return i < TOPS ? i : i < 3 * TOPS ? (i - TOPS) / 2 : i - 2 * TOPS;
}

static bool in_tree(unsigned int i, unsigned int top)
{
	return i == top || cgroup_above(i) == top || cgroup_above(cgroup_above(i)) == top;
}

static bool cgroups_make(const char *root)
{
	char path[256];
	unsigned int i;

	for (i = 0; i < CGROUPS; i++) {
		cgroup_path(path, sizeof(path), root, i);
		if (!cgroup_make(path) || !cgroup_enter(path, runners[i].pid))
			return fact_holds(false, path);
	}
	return true;
}

static bool cgroups_remove(const char *root)
{
	bool ok = true;
	char path[256];
	int i;

	for (i = CGROUPS - 1; i >= 0; i--) {
		cgroup_path(path, sizeof(path), root, i);
		ok &= cgroup_remove(path);
	}
	return ok;
}

/* The figures of cgroup @i, alone and with all below. */
static bool cgroup_right(const struct owners *then, const struct owners *now, const char *root,
			 unsigned int i)
{
	struct topdown_figures grown;
	struct td_bd_truth tree = { };
	char path[256];
	unsigned int n;
	bool ok;

	for (n = 0; n < CGROUPS; n++) {
		if (in_tree(n, i))
			backdoor_truth_add(&tree, &runners[n].truth);
	}
	cgroup_path(path, sizeof(path), root, i);
	if (!owners_grown(then, now, TOPDOWN_OWNER_WHAT_CGROUP, cgroup_number(path), false, &grown))
		return fact_holds(false, path);
	ok = figures_right(path, &grown, &runners[i].truth, LIMIT_POINTS, LIMIT_SLOTS);
	owners_grown(then, now, TOPDOWN_OWNER_WHAT_CGROUP, cgroup_number(path), true, &grown);
	return ok & figures_right("its tree", &grown, &tree, LIMIT_POINTS, LIMIT_SLOTS);
}

static bool measure_cgroups(int device, int fd, struct owners *then, struct owners *now,
			    const char *root)
{
	__u64 slots;
	unsigned int i;
	bool ok = true;

	if (!runners_make(CGROUPS) || !cgroups_make(root))
		return false;
	slots = owners_cpus_slots(device);
	ok &= !owners_read(fd, then, 0);
	runners_go(CGROUPS);
	sleep_ms(span());
	ok &= runners_stop(CGROUPS);
	slots = owners_cpus_slots(device) - slots;
	ok &= !owners_read(fd, now, 0);
	for (i = 0; i < CGROUPS; i++)
		ok &= cgroup_right(then, now, root, i);
	ok &= owners_sum_right(then, now, slots);
	runners_end(CGROUPS);
	return ok & fact(cgroups_remove(root));
}

TEST_F_TIMEOUT(owners, cgroups_have_what_they_executed, 600)
{
	const char *root = cgroup_root();

	ASSERT_NE(NULL, root);
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_CGROUPS, 0);
	ASSERT_LE(0, self->fd);
	EXPECT_TRUE(measure_cgroups(self->device, self->fd, &self->then, &self->now, root));
}

/* Deeper cgroups count at their ancestor. */
TEST_F_TIMEOUT(owners, deep_cgroups_count_at_their_ancestor, 600)
{
	const char *root = cgroup_root();
	const struct topdown_owner *top;
	unsigned int i;
	char path[256];

	ASSERT_NE(NULL, root);
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_CGROUPS, 1);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(runners_make(CGROUPS));
	ASSERT_TRUE(cgroups_make(root));
	ASSERT_EQ(0, owners_read(self->fd, &self->then, 0));
	runners_go(CGROUPS);
	sleep_ms(1000);
	ASSERT_TRUE(runners_stop(CGROUPS));
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
	for (i = 0; i < CGROUPS; i++) {
		cgroup_path(path, sizeof(path), root, i);
		top = owners_find(&self->now, TOPDOWN_OWNER_WHAT_CGROUP, cgroup_number(path));
		EXPECT_EQ(i < TOPS, !!top);
		if (top)
			EXPECT_EQ(top->tree.slots, top->self.slots);
	}
	runners_end(CGROUPS);
	EXPECT_TRUE(cgroups_remove(root));
}

#define DEEP	400
#define LOWEST	31

/*
 * Users choose how deep their cgroups are: neither the kernel's stack nor the time of all others
 * limits them, but the lowest level of owners.
 */
TEST_F_TIMEOUT(owners, cgroups_may_be_very_deep, 120)
{
	struct topdown_figures grown, tree;
	const char *root = cgroup_root();
	uint64_t top = 0, lowest = 0, bottom;
	unsigned int i;
	int pid;

	ASSERT_NE(NULL, root);
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_CGROUPS, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, chdir(root));
	for (i = 0; i < DEEP; i++) {
		ASSERT_TRUE(cgroup_make("d"));
		ASSERT_EQ(0, chdir("d"));
		if (!i)
			top = cgroup_number(".");
		if (i + 1 == LOWEST)
			lowest = cgroup_number(".");
	}
	bottom = cgroup_number(".");
	pid = spin_start(1, &profile_find("compute")->profile);
	ASSERT_TRUE(cgroup_enter(".", pid));
	sleep_ms(300);
	spin_stop(pid);
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
	EXPECT_FALSE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_CGROUP, bottom,
				  false, &grown));
	ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_CGROUP, lowest, false,
				 &grown));
	EXPECT_TRUE(fact_near("ms at the lowest", grown.enabled_ns / 1e6, 300, 30));
	ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_CGROUP, top, true,
				 &tree));
	EXPECT_TRUE(fact_same("slots of the tree", tree.slots, grown.slots));
	for (i = 0; i < DEEP; i++) {
		ASSERT_EQ(0, chdir(".."));
		EXPECT_TRUE(cgroup_remove("d"));
	}
}

#define SHORT_NAME	"short-one"

/* They are read before the first has been gone for TOPDOWN_OWNERS_KEEP_MS. */
#define SHORTS		1000

struct shorts {
	volatile unsigned int nr;
	volatile __u64 slots;
};

static void short_one(struct shorts *shorts)
{
	struct td_bd_truth truth;
	volatile unsigned int i;

	prctl(PR_SET_NAME, SHORT_NAME);
	backdoor_set_profile(&profile_find("compute")->profile);
	for (i = 0; i < 10000; i++)
		;
	backdoor_truth_space(&truth);
	shorts->slots += truth.slots;
	_exit(0);
}

/* Many processes, each of which ends at once: none is lost. */
TEST_F_TIMEOUT(owners, no_short_process_is_lost, 600)
{
	struct shorts *shorts = mmap(NULL, sizeof(*shorts), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct topdown_owner *owner;
	unsigned int i, seen = 0;
	__u64 slots = 0, counted;
	uint64_t began;

	self->fd = owners_open(self->device, TOPDOWN_OWNERS_PROCESSES, 0);
	ASSERT_LE(0, self->fd);
	counted = owners_cpus_slots(self->device);
	ASSERT_EQ(0, owners_read(self->fd, &self->then, 0));
	began = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < SHORTS; i++) {
		int pid = fork();

		if (!pid)
			short_one(shorts);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	printf("# %.0f processes in a second\n",
	       i * 1e9 / (clock_ns(CLOCK_MONOTONIC) - began));
	counted = owners_cpus_slots(self->device) - counted;
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
	for (i = 0; i < self->now.nr; i++) {
		owner = &self->now.owner[i];
		if (owner->what != TOPDOWN_OWNER_WHAT_PROCESS || strcmp(owner->name, SHORT_NAME))
			continue;
		seen++;
		slots += owner->self.slots;
		if (!fact(owner->flags & TOPDOWN_OWNER_EXITED))
			break;
	}
	EXPECT_TRUE(fact_same("processes", seen, SHORTS));
	EXPECT_TRUE(fact(slots >= shorts->slots));
	owner = owners_find(&self->now, TOPDOWN_OWNER_WHAT_OTHERS, 0);
	ASSERT_NE(NULL, owner);
	EXPECT_EQ(0, owner->self.slots);
	EXPECT_TRUE(owners_sum_right(&self->then, &self->now, counted));
}

/* A task that runs all the time is seen in its new cgroup at once. */
TEST_F_TIMEOUT(owners, a_move_is_seen_at_once, 60)
{
	struct topdown_figures grown;
	const char *root = cgroup_root();
	char from[256], to[256];
	double entering;
	uint64_t began;
	int pid;

	ASSERT_NE(NULL, root);
	snprintf(from, sizeof(from), "%s/from", root);
	snprintf(to, sizeof(to), "%s/to", root);
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_CGROUPS, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(cgroup_make(from));
	ASSERT_TRUE(cgroup_make(to));
	cpu_pin(0);
	pid = spin_start(1, &profile_find("compute")->profile);
	ASSERT_TRUE(cgroup_enter(from, pid));
	sleep_ms(50);
	began = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, owners_read(self->fd, &self->then, 0));
	/* Before it moves the task, the kernel may wait for readers of its lock. */
	ASSERT_TRUE(cgroup_enter(to, pid));
	entering = (clock_ns(CLOCK_MONOTONIC) - began) / 1e6;
	sleep_ms(500);
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
	ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_CGROUP,
				 cgroup_number(from), false, &grown));
	EXPECT_TRUE(fact_most("ms where it was before", grown.enabled_ns / 1e6, entering + 10));
	ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_CGROUP,
				 cgroup_number(to), false, &grown));
	EXPECT_TRUE(fact_near("ms where it is now", grown.enabled_ns / 1e6, 500, 30));
	EXPECT_TRUE(fact_near("ms counted there", grown.running_ns / 1e6, 500, 30));
	spin_stop(pid);
	EXPECT_TRUE(cgroup_remove(from));
	EXPECT_TRUE(cgroup_remove(to));
}

/* Take the counter of slots of a CPU from everybody who does not insist on it. */
static int slots_take(int cpu)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.config		= 0x400,
		.pinned		= 1,
		.exclude_guest	= 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Wait until a CPU is counted again: milliseconds, or -1. */
static int counted_again(int device, int cpu)
{
	struct topdown_record from, to;
	unsigned int i;

	if (device_read_cpu(device, TOPDOWN_READ_FRESH, cpu, &from))
		return -1;
	for (i = 10; i < 5000; i += 10) {
		sleep_ms(10);
		if (device_read_cpu(device, TOPDOWN_READ_FRESH, cpu, &to))
			return -1;
		if (to.total.running_ns > from.total.running_ns + 1000000)
			return i;
	}
	return -1;
}

/* While somebody else has the counters, nothing is counted, and the running time says so. */
TEST_F_TIMEOUT(owners, running_time_shows_other_users, 60)
{
	struct topdown_record from, to;
	struct topdown_figures grown;
	double running;
	int pid, user, again;

	cpu_pin(1);
	pid = spin_start(0, &profile_find("compute")->profile);
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_PROCESSES, 0);
	ASSERT_LE(0, self->fd);
	sleep_ms(300);
	ASSERT_EQ(0, device_read_cpu(self->device, TOPDOWN_READ_FRESH, 0, &from));
	ASSERT_EQ(0, owners_read(self->fd, &self->then, 0));
	user = slots_take(0);
	ASSERT_LE(0, user);
	sleep_ms(300);
	close(user);
	again = counted_again(self->device, 0);
	printf("# counted again after %d ms\n", again);
	ASSERT_LE(0, again);
	sleep_ms(300);
	ASSERT_EQ(0, device_read_cpu(self->device, TOPDOWN_READ_FRESH, 0, &to));
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
	ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_PROCESS, pid, false,
				 &grown));
	running = (to.total.running_ns - from.total.running_ns) / 1e6;
	EXPECT_TRUE(fact_near("ms in which the CPU was counted", running, 300, 100));
	EXPECT_TRUE(fact_near("ms in which the process was", grown.running_ns / 1e6, running, 10));
	EXPECT_TRUE(fact_near("ms of the process", grown.enabled_ns / 1e6, 600 + again, 30));
	spin_stop(pid);
}

/* Cgroups that are made, used and removed leave what they had to their parent, and no memory. */
TEST_F_TIMEOUT(owners, removed_cgroups_count_in_their_parent, 300)
{
	struct topdown_figures self_, tree;
	const char *root = cgroup_root();
	char top[128], path[256];
	__u64 was = 0;
	unsigned int i;
	int pid;

	ASSERT_NE(NULL, root);
	snprintf(top, sizeof(top), "%s/top", root);
	ASSERT_TRUE(cgroup_make(top));
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_CGROUPS, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, owners_read(self->fd, &self->then, 0));
	for (i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "%s/c%u", top, i);
		ASSERT_TRUE(cgroup_make(path));
		pid = spin_start(i % 2, &profile_find("stream")->profile);
		ASSERT_TRUE(cgroup_enter(path, pid));
		sleep_ms(10);
		spin_stop(pid);
		ASSERT_TRUE(cgroup_remove(path));
		if (i % 10)
			continue;
		owners_free(&self->now);
		ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
		ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_CGROUP,
					 cgroup_number(top), true, &tree));
		ASSERT_TRUE(fact(tree.slots >= was));
		was = tree.slots;
	}
	owners_free(&self->now);
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
	ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_CGROUP,
				 cgroup_number(top), false, &self_));
	ASSERT_TRUE(owners_grown(&self->then, &self->now, TOPDOWN_OWNER_WHAT_CGROUP,
				 cgroup_number(top), true, &tree));
	EXPECT_TRUE(fact_same("slots of all that were removed", self_.slots, tree.slots));
	EXPECT_TRUE(fact_near("seconds of all", tree.enabled_ns / 1e9, 1, 0.3));
	EXPECT_TRUE(cgroup_remove(top));
	close(self->fd);
	self->fd = -1;
	for (i = 0; i < 5000 && cgroup_dying(root); i++)
		sleep_ms(1);
	EXPECT_EQ(0, cgroup_dying(root));
}

/*
 * A CPU that comes online later has counted before, when the module was loaded, and no owner has
 * had that.  With refined figures the sums of owners are differences of those of the CPU.
 */
TEST_F_TIMEOUT(owners, a_later_cpu_leaves_sums_right, 60)
{
	unsigned int cpus[TD_CPUS_MAX] = { }, last;
	__u64 slots;
	int load;

	close(self->device);
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("refined=1"));
	self->device = device_open();
	ASSERT_LE(0, self->device);
	last = cpus[cpus_online(cpus) - 1];
	ASSERT_NE(0, last);
	load = spin_start(last, NULL);
	ASSERT_LT(0, load);
	sleep_ms(1000);
	spin_stop(load);
	ASSERT_EQ(0, cpu_set_online(last, false));
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_PROCESSES, 0);
	ASSERT_LE(0, self->fd);
	slots = owners_cpus_slots(self->device);
	ASSERT_EQ(0, owners_read(self->fd, &self->then, 0));
	ASSERT_EQ(0, cpu_set_online(last, true));
	load = spin_start(last, NULL);
	ASSERT_LT(0, load);
	sleep_ms(1000);
	spin_stop(load);
	slots = owners_cpus_slots(self->device) - slots;
	ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
	EXPECT_TRUE(owners_sum_right(&self->then, &self->now, slots));
	close(self->fd);
	self->fd = -1;
	close(self->device);
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
	self->device = device_open();
}

/* Processes, and what all CPUs counted right before they were read and right after. */
struct moment {
	struct owners owners;
	struct topdown_figures before;
	struct topdown_figures after;
};

static bool moment_read(int device, int fd, struct moment *moment)
{
	return !owners_cpus(device, &moment->before) && !owners_read(fd, &moment->owners, 0) &&
	       !owners_cpus(device, &moment->after);
}

/* Owners have what CPUs counted from the end of one reading to the begin of the other, or more. */
static bool nothing_lost(const struct moment *from, const struct moment *to)
{
	__u64 sure = to->before.slots - from->after.slots;
	struct topdown_figures then, now;

	owners_sum(&from->owners, &then);
	owners_sum(&to->owners, &now);
	printf("# of %.1f M slots owners have %.1f M; %.1f M and %.1f M while they were read\n",
	       sure / 1e6, (now.slots - then.slots) / 1e6,
	       (from->after.slots - from->before.slots) / 1e6,
	       (to->after.slots - to->before.slots) / 1e6);
	return now.slots - then.slots >= sure - sure / 1000;
}

/*
 * A CPU that goes ends its meter while somebody runs, and one that comes begins it so.  Here most
 * of what CPUs execute is that.
 */
TEST_F_TIMEOUT(owners, nothing_is_lost_during_hotplug, 300)
{
	unsigned int cpus[TD_CPUS_MAX] = { }, last, i;
	struct moment then = { }, now = { };

	last = cpus[cpus_online(cpus) - 1];
	ASSERT_NE(0, last);
	ASSERT_EQ(0, cpu_pin(0));
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_PROCESSES, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(moment_read(self->device, self->fd, &then));
	for (i = 0; i < HOTPLUGS; i++) {
		ASSERT_EQ(0, cpu_set_online(last, false));
		/* Every other time they are collected meanwhile. */
		if (i % 2) {
			ASSERT_EQ(0, owners_read(self->fd, &self->now, 0));
			owners_free(&self->now);
		}
		ASSERT_EQ(0, cpu_set_online(last, true));
	}
	/* The kernel has things to do then. */
	sleep_ms(1000);
	ASSERT_TRUE(moment_read(self->device, self->fd, &now));
	EXPECT_TRUE(nothing_lost(&then, &now));
	owners_free(&then.owners);
	owners_free(&now.owners);
}

/* Suspend the machine as far as its devices, for a second. */
static int suspend(void)
{
	int ret = file_write("/sys/module/suspend/parameters/pm_test_delay", 0, "1") ?:
		  file_write("/sys/power/pm_test", 0, "devices") ?:
		  file_write("/sys/power/state", 0, "freeze");

	file_write("/sys/power/pm_test", 0, "none");
	return ret;
}

/* A CPU that is idle all the time is not interrupted: what its idle task has comes later. */
static int visit_all(void)
{
	unsigned int cpus[TD_CPUS_MAX], nr = cpus_online(cpus);
	int ret = 0;

	while (nr && !ret)
		ret = cpu_pin(cpus[--nr]);
	return ret;
}

/* No CPU has a meter while the machine is suspended.  That time passes, and nobody was counted. */
TEST_F_TIMEOUT(owners, nobody_runs_while_suspended, 60)
{
	struct moment from = { }, to = { };
	struct topdown_figures then, now;

	if (access("/sys/power/pm_test", W_OK))
		SKIP(return, "this kernel has no pm_test");
	/* With one CPU the time below may be missed by little. */
	if (get_nprocs() < 2)
		SKIP(return, "there is only one CPU");
	self->fd = owners_open(self->device, TOPDOWN_OWNERS_PROCESSES, 0);
	ASSERT_LE(0, self->fd);
	sleep_ms(300);
	ASSERT_EQ(0, visit_all());
	ASSERT_TRUE(moment_read(self->device, self->fd, &from));
	ASSERT_EQ(0, suspend());
	sleep_ms(300);
	ASSERT_TRUE(moment_read(self->device, self->fd, &to));
	owners_sum(&from.owners, &then);
	owners_sum(&to.owners, &now);
	EXPECT_TRUE(fact_most("ms in which owners ran", (now.running_ns - then.running_ns) / 1e6,
			      (to.after.running_ns - from.before.running_ns) / 1e6 + 100));
	/* A CPU without a meter has no time at all, but its owner has. */
	EXPECT_TRUE(fact(now.enabled_ns - then.enabled_ns >
			 to.after.enabled_ns - from.before.enabled_ns + 1000000000));
	owners_free(&from.owners);
	owners_free(&to.owners);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
