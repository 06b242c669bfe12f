// SPDX-License-Identifier: GPL-2.0
/* The back door and the truth that it tells. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu_test.h"

static struct td_bd_truth since(const struct td_bd_truth *after,
				const struct td_bd_truth *before)
{
	struct td_bd_truth d = *after;
	unsigned int i;

	d.time_ns -= before->time_ns;
	d.slots -= before->slots;
	d.user_slots -= before->user_slots;
	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		d.category[i] -= before->category[i];
		d.user_category[i] -= before->user_category[i];
	}
	return d;
}

static void check_profile(const struct td_bd_truth *t, const struct td_bd_profile *f,
			  const char *whose)
{
	unsigned int i;
	double error;

	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		error = ratio(t->category[i], t->slots) - f->fraction[i] / 1e6;
		expect(error > -1e-6 && error < 1e-6, "%s: category %u is %llu of %llu slots",
		       whose, i, (unsigned long long)t->category[i],
		       (unsigned long long)t->slots);
	}
}

static void test_requests(void)
{
	struct td_bd_profile f = profiles[0];
	struct td_bd_truth t;

	expect(door(TD_BD_SET_FAULT + 1, 0, &t) == TD_BD_EINVAL, "unknown request");
	expect(door(TD_BD_TRUTH_CPU, 4000, &t) == TD_BD_EINVAL, "unknown CPU");
	expect(door(TD_BD_SET_QUANT, TD_BD_QUANTS, NULL) == TD_BD_EINVAL, "unknown quantisation");
	expect(door(TD_BD_SET_RESTORE, TD_BD_RESTORES, NULL) == TD_BD_EINVAL, "unknown restore");
	expect(door(TD_BD_SET_FAULT, TD_BD_FAULTS, NULL) == TD_BD_EINVAL, "unknown fault");
	expect(door(TD_BD_SET_PROFILE, 2, &f) == TD_BD_EINVAL, "unknown argument");
	f.fraction[0]++;
	expect(door(TD_BD_SET_PROFILE, 0, &f) == TD_BD_EINVAL, "fractions beyond 1");
	f.fraction[0] -= 2;
	expect(door(TD_BD_SET_PROFILE, 0, &f) == TD_BD_EINVAL, "fractions below 1");
	f = profiles[0];
	f.fraction[TD_BD_MEM_BOUND] = f.fraction[TD_BD_BE_BOUND] + 1;
	expect(door(TD_BD_SET_PROFILE, 0, &f) == TD_BD_EINVAL, "child beyond its parent");
	expect(door(TD_BD_SET_DEFAULT, 0, &f) == TD_BD_EINVAL, "the same as default");
}

static void test_profile_exact(void)
{
	struct td_bd_truth t;
	unsigned int i;

	for (i = 0; i < profiles_nr; i++) {
		set_profile(&profiles[i]);
		spin_ms(2);
		t = truth_space();
		check_profile(&t, &profiles[i], "space");
	}
}

static void test_restart_continue(void)
{
	struct td_bd_profile f = profiles[1];
	struct td_bd_truth a, b;

	set_profile(&profiles[0]);
	spin_ms(20);
	a = truth_space();
	expect(door(TD_BD_SET_PROFILE, TD_BD_CONTINUE, &f) == TD_BD_OK, "continue");
	b = truth_space();
	expect(b.slots > a.slots, "TD_BD_CONTINUE lost the truth");
	spin_ms(5);
	a = truth_space();
	b = since(&a, &b);
	check_profile(&b, &f, "second phase");
	set_profile(&f);
	b = truth_space();
	expect(b.slots < a.slots, "TD_BD_RESTART kept the truth");
}

static void test_rate(void)
{
	struct td_bd_truth before, after, d;

	before = truth_cpu(BUSY_CPU);
	spin_ms(100);
	after = truth_cpu(BUSY_CPU);
	d = since(&after, &before);
	expect(d.slots == d.time_ns * CYCLES_NS * machine.width,
	       "a busy CPU had %llu slots in %llu ns", (unsigned long long)d.slots,
	       (unsigned long long)d.time_ns);
}

/*
 * On a busy host a CPU that has woken up may stand still, and it is not halted
 * then; under -icount the kernel may have work for it: one of several tries has
 * to show that HLT counts nothing.
 */
static bool idles(void)
{
	static struct td_bd_truth before;
	static bool asleep;
	struct td_bd_truth after, d;
	bool woke;
	double busy;

	if (!before.time_ns)
		before = truth_cpu(IDLE_CPU);
	usleep(200000);
	after = truth_cpu(IDLE_CPU);
	d = since(&after, &before);
	woke = after.wakeups > before.wakeups;
	busy = ratio(d.slots, d.time_ns * CYCLES_NS * machine.width);
	expect(!asleep || woke || busy == 0, "an idle CPU ran and did not wake up");
	/* It may have had work at first, and have gone to sleep since. */
	asleep = !woke && busy < 1;
	before = after;
	return busy < (machine.icount ? 0.1 : 0.6);
}

static void test_idle(void)
{
	int tries = 10;

	/* After the boot the kernel has work on each CPU. */
	sleep(1);
	while (tries--) {
		if (idles())
			return;
		again("the share of time in which an idle CPU runs");
	}
	fail("an idle CPU is busy all the time");
}

/*
 * Two address spaces share a CPU.  Each executes one category alone, and all
 * others a third, so that what the CPUs had of it is what the space had.  All
 * CPUs: one that idles keeps the table of the last task for a while.
 */
static const struct td_bd_profile pure[] = {
	{ { 1000000 } },
	{ { 0, 0, 0, 1000000 } },
	{ { 0, 0, 1000000, 0 } },
};

static const enum td_bd_category pure_category[] = { TD_BD_RETIRING, TD_BD_BE_BOUND };

static void share(uint64_t *slots, int n)
{
	struct td_bd_truth t;

	pin(BUSY_CPU);
	set_profile(&pure[n]);
	spin_ms(300);
	t = truth_space();
	check_profile(&t, &pure[n], "one of two");
	slots[n] = t.slots;
	_exit(0);
}

static void add_cpus(struct td_bd_truth *sum)
{
	long cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct td_bd_truth t;
	int i;

	memset(sum, 0, sizeof(*sum));
	for (cpu = 0; cpu < cpus; cpu++) {
		t = truth_cpu(cpu);
		sum->slots += t.slots;
		for (i = 0; i < TD_BD_CATEGORIES; i++)
			sum->category[i] += t.category[i];
	}
}

static void test_sum(void)
{
	uint64_t *slots = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct td_bd_truth before, all;
	uint64_t l1 = 0, had;
	int i, status;

	expect(slots != MAP_FAILED, "mmap: %s", strerror(errno));
	pin(0);
	set_default(&pure[2]);
	add_cpus(&before);
	for (i = 0; i < 2; i++)
		if (!fork())
			share(slots, i);
	for (i = 0; i < 2; i++) {
		wait(&status);
		expect(!status, "a child failed");
	}
	add_cpus(&all);
	all = since(&all, &before);
	for (i = 0; i < 4; i++)
		l1 += all.category[i];
	expect(l1 <= all.slots + 100 && l1 + 100 >= all.slots, "level 1 sums to %llu of %llu",
	       (unsigned long long)l1, (unsigned long long)all.slots);
	for (i = 0; i < 2; i++) {
		/* A task goes on for a while after it has asked, until it ends. */
		had = all.category[pure_category[i]];
		expect(slots[i] <= had && ratio(slots[i], had) > (machine.icount ? 0.8 : 0.5),
		       "a space had %llu slots, the CPUs had %llu of its kind",
		       (unsigned long long)slots[i], (unsigned long long)had);
	}
}

/* A child inherits no profile, and none stays in a page table for a stranger. */
static void dirty_child(void *unused)
{
	(void)unused;
	set_profile(&profiles[1]);
	spin_ms(1);
}

static void clean_child(void *unused)
{
	struct td_bd_truth before = truth_space(), after;

	(void)unused;
	spin_ms(1);
	after = truth_space();
	after = since(&after, &before);
	check_profile(&after, &profiles[6], "a fresh address space");
}

static void test_reuse(void)
{
	int i;

	set_default(&profiles[6]);
	set_profile(&profiles[2]);
	for (i = 0; i < 60; i++) {
		in_child(dirty_child, NULL);
		in_child(clean_child, NULL);
	}
}

static double user_share(void (*work)(void))
{
	struct td_bd_truth t;
	int i;

	set_profile(&profiles[3]);
	work();
	t = truth_space();
	for (i = 0; i < TD_BD_CATEGORIES; i++)
		expect(t.user_category[i] <= t.category[i], "more user than all, category %d", i);
	return ratio(t.user_slots, t.slots);
}

static void loop(void)
{
	spin_ms(100);
}

static void system_calls(void)
{
	int i;

	for (i = 0; i < 20000; i++)
		getppid();
}

static void test_user(void)
{
	int tries = 10;
	double in_loop, in_calls;

	do {
		in_loop = user_share(loop);
		in_calls = user_share(system_calls);
		expect(in_calls > 0, "none of a system call loop's slots are in user mode");
		if (in_loop > 0.6 && in_calls < in_loop - 0.1)
			return;
		again("the shares of user mode");
	} while (--tries);
	fail("%.1f%% of a loop's slots are in user mode, %.1f%% of a system call loop's",
	     in_loop * 100, in_calls * 100);
}

static void test_instructions(void)
{
	struct td_bd_truth before, after;
	uint64_t executed;

	if (!machine.icount) {
		before = truth_cpu(BUSY_CPU);
		expect(!before.instructions, "instructions are counted without -icount");
		return;
	}
	before = truth_cpu(BUSY_CPU);
	spin_loop(1000000);
	after = truth_cpu(BUSY_CPU);
	executed = after.instructions - before.instructions;
	/* The timer interrupt may come in between. */
	expect(executed >= 2000000 && executed < 2060000, "%llu instructions, not 2000000",
	       (unsigned long long)executed);
}

/* SDM 3B, "Instructions Retired": one with a REP prefix is one, however long. */
static void test_rep(void)
{
	static char bytes[4096];
	struct td_bd_truth before, after;
	uint64_t executed;
	int i;

	if (!machine.icount)
		unfit();
	memset(bytes, 1, sizeof(bytes));
	before = truth_cpu(BUSY_CPU);
	for (i = 0; i < 100; i++) {
		void *to = bytes;
		size_t left = i ? sizeof(bytes) : 0;

		asm volatile("rep stosb" : "+D" (to), "+c" (left) : "a" (i) : "memory");
	}
	after = truth_cpu(BUSY_CPU);
	executed = after.instructions - before.instructions;
	/* With what the loop needs, and the timer interrupt. */
	expect(executed >= 200 && executed < 30000,
	       "%llu instructions for 100 with a REP prefix",
	       (unsigned long long)executed);
}

const struct test truth_tests[] = {
	{ "door-requests", test_requests },
	{ "truth-profile-exact", test_profile_exact },
	{ "truth-restart-continue", test_restart_continue },
	{ "truth-rate", test_rate },
	{ "truth-idle", test_idle },
	{ "truth-sum-of-spaces", test_sum },
	{ "truth-reused-space", test_reuse },
	{ "truth-user-mode", test_user },
	{ "truth-instructions", test_instructions },
	{ "truth-rep", test_rep },
	{ NULL, NULL },
};
