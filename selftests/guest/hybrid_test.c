// SPDX-License-Identifier: GPL-2.0
/*
 * Two kinds of core in one machine: each is measured by what it has, nothing is
 * added up without saying so, and a session says what it had on which kind.
 */
#include <cpuid.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "sample.h"
#include "session.h"

#define KIND_ATOM	0x20
#define KIND_CORE	0x40
#define CPUID_7_HYBRID	(1U << 15)

/* The limit for a session's times and for the shares of its time. */
#define LIMIT_SHARE	0.02

/*
 * Level 2 of an E-core is counted in turns, and scaled by the last turns: a task that
 * has just come there is seen a turn late.
 */
#define LIMIT_TURNS	3.0

#define WIDTH		6U
#define E_WIDTH		5U
#define CYCLES_NS	3
#define ROUNDS		6
#define MOVES		100

static unsigned int core[TD_CPUS_MAX], core_nr, atom[TD_CPUS_MAX], atom_nr;

static bool hybrid(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & CPUID_7_HYBRID);
}

static void find_kinds(void)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), i, a, b, c, d;
	cpu_set_t all;

	sched_getaffinity(0, sizeof(all), &all);
	for (i = 0; i < n; i++) {
		if (cpu_pin(cpu[i]) || !__get_cpuid_count(0x1a, 0, &a, &b, &c, &d))
			continue;
		if (a >> 24 == KIND_CORE)
			core[core_nr++] = cpu[i];
		else if (a >> 24 == KIND_ATOM)
			atom[atom_nr++] = cpu[i];
	}
	sched_setaffinity(0, sizeof(all), &all);
}

/* A session, and its parts on kinds of core. */
struct seen {
	struct topdown_session session;
	struct topdown_session_kind kind[TD_NR_KINDS];
};

FIXTURE(hybrid) {
	int fd;
	int spinner[TD_CPUS_MAX];
	unsigned int spinners;
	struct topdown_record record;
	struct seen seen;
};

FIXTURE_SETUP(hybrid)
{
	self->spinners = 0;
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(backdoor_open());
	ASSERT_LE(2, core_nr);
	ASSERT_LE(1, atom_nr);
}

static void stop_all(int *spinner, unsigned int *nr)
{
	while (*nr) {
		--*nr;
		if (spinner[*nr] > 0)
			spin_stop(spinner[*nr]);
	}
}

FIXTURE_TEARDOWN(hybrid)
{
	stop_all(self->spinner, &self->spinners);
	close(self->fd);
}

/* Nothing is published below retiring, and resource bound is beside core bound. */
static uint32_t atom_nodes(void)
{
	return (nodes_of_level(2) | 1U << TOPDOWN_RESOURCE_BOUND) &
	       ~(1U << TOPDOWN_HEAVY_OPERATIONS | 1U << TOPDOWN_LIGHT_OPERATIONS |
		 1U << TOPDOWN_MEMORY_BOUND);
}

static bool is_core(const struct topdown_record *record)
{
	return fact_same("state", record->state, TOPDOWN_STATE_OK) &
	       fact_same("level", record->level, 2) &
	       fact_same("source", record->source, TOPDOWN_SOURCE_PERF_METRICS) &
	       fact_same("width", record->slots_per_cycle, WIDTH) &
	       fact_same("kind", record->kind, TOPDOWN_KIND_CORE) &
	       fact_same("nodes", record->nodes, nodes_of_level(2));
}

static bool is_atom(const struct topdown_record *record)
{
	return fact_same("state", record->state, TOPDOWN_STATE_OK) &
	       fact_same("level", record->level, 2) &
	       fact_same("source", record->source, TOPDOWN_SOURCE_ATOM) &
	       fact_same("width", record->slots_per_cycle, E_WIDTH) &
	       fact_same("kind", record->kind, TOPDOWN_KIND_ATOM) &
	       fact_same("nodes", record->nodes, atom_nodes());
}

/* Soon after the module was loaded its groups are made smaller for the NMI watchdog. */
static bool counts_atom(int fd, unsigned int cpu, struct topdown_record *record)
{
	spin_ms(400);
	return !device_read_cpu(fd, TOPDOWN_READ_FRESH, cpu, record) && is_atom(record) &&
	       record->total.slots;
}

TEST_F(hybrid, each_cpu_says_what_it_is)
{
	unsigned int i;

	for (i = 0; i < core_nr; i++) {
		ASSERT_EQ(0, cpu_pin(core[i]));
		sleep_ms(20);
		ASSERT_EQ(0, device_read_cpu(self->fd, TOPDOWN_READ_FRESH, core[i], &self->record));
		EXPECT_TRUE(is_core(&self->record));
		EXPECT_LT(0, self->record.total.slots);
	}
	for (i = 0; i < atom_nr; i++) {
		ASSERT_EQ(0, cpu_pin(atom[i]));
		EXPECT_SOON(counts_atom(self->fd, atom[i], &self->record));
	}
}

/* The sum is of both kinds, has what both have, and says that it is mixed. */
TEST_F(hybrid, total_says_that_it_is_mixed)
{
	struct topdown_record record[TD_CPUS_MAX + 1];
	__u32 nr = TD_CPUS_MAX + 1, i;
	__u64 slots = 0;

	ASSERT_EQ(0, device_read(self->fd, TOPDOWN_READ_TOTAL | TOPDOWN_READ_FRESH, NULL, 0,
				 record, &nr));
	ASSERT_EQ(core_nr + atom_nr + 1, nr);
	for (i = 0; i < nr - 1; i++)
		slots += record[i].total.slots;
	EXPECT_EQ(TOPDOWN_CPU_ALL, record[nr - 1].cpu);
	EXPECT_EQ(core_nr + atom_nr, record[nr - 1].nr_cpus);
	EXPECT_EQ(TOPDOWN_SOURCE_MIXED, record[nr - 1].source);
	EXPECT_EQ(TOPDOWN_KIND_MIXED, record[nr - 1].kind);
	EXPECT_EQ(0, record[nr - 1].slots_per_cycle);
	EXPECT_EQ(2, record[nr - 1].level);
	EXPECT_EQ(nodes_of_level(2) & atom_nodes(), record[nr - 1].nodes);
	EXPECT_EQ(TOPDOWN_RATIO_NONE, record[nr - 1].total.ratio[TOPDOWN_MEMORY_BOUND]);
	EXPECT_NE(TOPDOWN_RATIO_NONE, record[nr - 1].total.ratio[TOPDOWN_CORE_BOUND]);
	EXPECT_LT(0, slots);
	EXPECT_EQ(slots, record[nr - 1].total.slots);
	/* E-cores have children of backend bound, and none of retiring. */
	EXPECT_EQ(slots, record[nr - 1].total.children_slots[TOPDOWN_BACKEND_BOUND]);
	for (i = 0; i < nr - 1; i++) {
		EXPECT_EQ(record[i].kind == TOPDOWN_KIND_ATOM ? 0 : record[i].total.slots,
			  record[i].total.children_slots[TOPDOWN_RETIRING]);
		slots -= record[i].total.children_slots[TOPDOWN_RETIRING];
	}
	EXPECT_EQ(record[nr - 1].total.slots - slots,
		  record[nr - 1].total.children_slots[TOPDOWN_RETIRING]);
}

/* Every CPU executes something else, so that nothing of one may be in another. */
static bool spin_everywhere(int *spinner, unsigned int *nr)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < core_nr + atom_nr; i++) {
		spinner[i] = spin_start(i < core_nr ? core[i] : atom[i - core_nr], profile(i));
		ok = ok && spinner[i] > 0;
	}
	*nr = i;
	return ok;
}

static bool measure_core(int fd, unsigned int cpu)
{
	struct comparison comparison;
	struct sample earlier, later;
	bool ok;

	ok = !sample_take(fd, cpu, &earlier);
	sleep_ms(600);
	ok = ok && !sample_take(fd, cpu, &later);
	sample_compare(&earlier, &later, &comparison);
	printf("# CPU %u: %.3f points, slots %.5f of the truth, measured %.4f\n", cpu,
	       comparison.points, comparison.slots, comparison.running);
	return ok && is_core(&later.record) &
	       fact_most("points", comparison.points, LIMIT_POINTS) &
	       fact(compare_slots_within(&comparison, LIMIT_SLOTS));
}

/*
 * Figures of a kind as compare_nodes() wants them: what the emulator calls memory
 * bound an E-core counts as resource bound, and what it lacks is not wrong.
 */
static void fractions(const struct topdown_figures *figures, uint32_t nodes, const double *want,
		      double fraction[TRUTH_NODES])
{
	unsigned int i;

	for (i = 0; i < TRUTH_NODES; i++) {
		unsigned int node = i;

		if (i == TOPDOWN_MEMORY_BOUND && (nodes >> TOPDOWN_RESOURCE_BOUND & 1))
			node = TOPDOWN_RESOURCE_BOUND;
		if (figures->ratio[node] != TOPDOWN_RATIO_NONE)
			fraction[i] = figures->ratio[node] / (double)TOPDOWN_RATIO_ONE;
		else
			fraction[i] = nodes >> node & 1 ? NAN : want[i];
	}
}

static bool has_nodes(const struct topdown_figures *figures, uint32_t nodes)
{
	unsigned int i;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		bool has = figures->ratio[i] != TOPDOWN_RATIO_NONE;

		if (has != (nodes >> i & 1))
			return false;
	}
	return true;
}

static double worst(const double *seen, const double *want, unsigned int from, unsigned int to)
{
	double points = 0;
	unsigned int i;

	for (i = from; i < to; i++)
		points = fmax(points, isnan(seen[i]) ? INFINITY : 100 * fabs(seen[i] - want[i]));
	return points;
}

/*
 * While perf gives the counters to another group nothing is counted, and idle CPUs
 * are woken for it and spend that in the address space that they borrow: much, where
 * each instruction takes long.
 */
static double limit_slots(void)
{
	return backdoor_fast() ? 0.03 : 0.15;
}

/* What @figures of a kind say beside the truth of it: level 1 and 2. */
static bool figures_right(const char *what, const struct topdown_figures *figures, uint32_t nodes,
			  const struct td_bd_truth *truth, const double limit[2])
{
	double fraction[TRUTH_NODES], want[TRUTH_NODES], points[2];

	backdoor_truth_nodes(truth, want);
	fractions(figures, nodes, want, fraction);
	points[0] = worst(fraction, want, 0, TOPDOWN_HEAVY_OPERATIONS);
	points[1] = worst(fraction, want, TOPDOWN_HEAVY_OPERATIONS, TRUTH_NODES);
	printf("# %s: level 1 %.3f points, level 2 %.3f points, slots %.4f of the truth\n", what,
	       points[0], points[1], figures->slots / (double)truth->slots);
	return fact(has_nodes(figures, nodes)) & fact_most("level 1", points[0], limit[0]) &
	       fact_most("level 2", points[1], limit[1]) &
	       fact_near("slots", figures->slots / (double)truth->slots, 1, limit_slots());
}

static bool measure_atom(int fd, unsigned int cpu)
{
	const double limit[2] = { LIMIT_POINTS, LIMIT_TURNS };
	struct sample earlier, later;
	bool ok;

	ok = !sample_take(fd, cpu, &earlier);
	sleep_ms(600);
	ok = ok && !sample_take(fd, cpu, &later);
	if (!ok)
		return false;
	backdoor_truth_sub(&later.before, &earlier.after);
	figures_since(&later.record.total, &earlier.record.total, later.record.nodes);
	return is_atom(&later.record) &
	       figures_right("E-core", &later.record.total, atom_nodes(), &later.before, limit);
}

TEST_F(hybrid, p_cores_are_right)
{
	unsigned int i;

	ASSERT_TRUE(spin_everywhere(self->spinner, &self->spinners));
	for (i = 0; i < core_nr; i++)
		EXPECT_SOON(measure_core(self->fd, core[i]));
}

TEST_F(hybrid, e_cores_are_right)
{
	unsigned int i;

	ASSERT_TRUE(spin_everywhere(self->spinner, &self->spinners));
	for (i = 0; i < atom_nr; i++)
		EXPECT_SOON(measure_atom(self->fd, atom[i]));
}

/* The truth and the time of a thread on one kind of core. */
struct part {
	struct td_bd_truth truth;
	uint64_t cpu_ns;
};

static void part_add(struct part *sum, const struct td_bd_truth *truth)
{
	unsigned int i;

	sum->truth.slots += truth->slots;
	sum->truth.user_slots += truth->user_slots;
	for (i = 0; i < TD_BD_CATEGORIES; i++)
		sum->truth.category[i] += truth->category[i];
}

/* Go there, be something else, and work; the truth is that since the arrival. */
static bool phase(unsigned int cpu, const struct td_bd_profile *what, uint64_t us,
		  struct part *part)
{
	struct td_bd_truth truth;
	uint64_t from;
	bool ok;

	ok = !cpu_pin(cpu);
	/* The truth begins at 0 again here. */
	ok = ok && backdoor_set_profile(what);
	from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < from + us * 1000)
		;
	ok = ok && backdoor_truth_space(&truth);
	part->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
	part_add(part, &truth);
	return ok;
}

static int read_seen(int session, struct seen *seen)
{
	return device_session_kinds(session, TOPDOWN_SESSION_FRESH, &seen->session, seen->kind);
}

static void seen_since(struct seen *seen, const struct seen *then)
{
	unsigned int i;

	session_since(&seen->session, &then->session);
	for (i = 0; i < TD_NR_KINDS; i++)
		figures_since(&seen->kind[i].figures, &then->kind[i].figures, seen->kind[i].nodes);
}

/* The figures of a session beside what the thread had on P-cores and on E-cores. */
static bool judge(const struct seen *seen, const struct part *on_core,
		  const struct part *on_atom, double points, double turns)
{
	const struct topdown_figures *core_figures = &seen->kind[TOPDOWN_KIND_CORE].figures;
	const struct topdown_figures *atom_figures = &seen->kind[TOPDOWN_KIND_ATOM].figures;
	const struct topdown_figures *all_figures = &seen->session.out_figures;
	const double core_limit[2] = { points, points }, atom_limit[2] = { points, turns };
	double all = on_core->cpu_ns + on_atom->cpu_ns;
	double time = all_figures->enabled_ns / all;
	double share = core_figures->enabled_ns / (double)all_figures->enabled_ns;

	printf("# time %.4f of the kernel's, %.4f on P-cores and said to be %.4f, measured %.4f, merged %.3f ms, %llu switches\n",
	       time, on_core->cpu_ns / all, share,
	       all_figures->running_ns / (double)all_figures->enabled_ns,
	       seen->session.out_merged_ns / 1e6,
	       (unsigned long long)seen->session.out_switches);
	return figures_right("on P-cores", core_figures, nodes_of_level(2), &on_core->truth,
			     core_limit) &&
	       figures_right("on E-cores", atom_figures, atom_nodes(), &on_atom->truth,
			     atom_limit) &&
	       has_nodes(all_figures, nodes_of_level(2) & atom_nodes()) &&
	       core_figures->slots + atom_figures->slots == all_figures->slots &&
	       core_figures->enabled_ns + atom_figures->enabled_ns == all_figures->enabled_ns &&
	       fabs(time - 1) <= LIMIT_SHARE &&
	       fabs(share - on_core->cpu_ns / all) <= LIMIT_SHARE &&
	       seen->session.out_source == TOPDOWN_SOURCE_MIXED && seen->session.out_level == 2;
}

static uint64_t all_slots(void)
{
	struct td_bd_truth truth;
	uint64_t slots = 0;
	unsigned int i;

	for (i = 0; i < core_nr + atom_nr; i++) {
		backdoor_truth_cpu(i < core_nr ? core[i] : atom[i - core_nr], &truth);
		slots += truth.slots;
	}
	return slots;
}

/*
 * A new kernel tests itself for a while.  Its threads borrow the address space of
 * whatever was on their CPU before, and what they spend is in the truth of that.
 */
static bool quiet(void)
{
	struct td_bd_truth from, to;
	uint64_t now, then = all_slots();
	unsigned int try;

	for (try = 0; try < 300; try++) {
		backdoor_truth_space(&from);
		sleep_ms(100);
		now = all_slots();
		backdoor_truth_space(&to);
		/* A tenth of what one CPU could have. */
		if (now - then < (to.time_ns - from.time_ns) * CYCLES_NS * WIDTH / 10)
			return true;
		then = now;
	}
	return false;
}

/* A thread goes back and forth, and is something else on each kind of core. */
static bool measure_mover(int fd, unsigned int rounds, uint64_t core_us, uint64_t atom_us,
			  double points, double turns, struct seen *seen)
{
	struct part on_core = { }, on_atom = { };
	struct seen then;
	int session = device_attach(fd, TOPDOWN_ATTACH_THREAD, 0);
	unsigned int i;
	bool ok = session > 0;

	/* The emulator has to translate the kernel again where probes were put in. */
	spin_ms(20);
	ok = ok && !read_seen(session, &then);
	for (i = 0; i < rounds; i++) {
		ok = ok && phase(core[i % 2], profile(i % 3), core_us, &on_core);
		ok = ok && phase(atom[i % atom_nr], profile(4), atom_us, &on_atom);
	}
	ok = ok && !read_seen(session, seen);
	if (session > 0)
		close(session);
	if (ok)
		seen_since(seen, &then);
	return ok && judge(seen, &on_core, &on_atom, points, turns);
}

TEST_F(hybrid, a_session_follows_a_thread_that_moves)
{
	ASSERT_TRUE(quiet());
	EXPECT_SOON(measure_mover(self->fd, ROUNDS, 50000, 30000, LIMIT_POINTS, LIMIT_TURNS,
				  &self->seen));
}

/*
 * Others, of other profiles, are on the same CPUs.  Between a fold and the change
 * of the address space is a part of the scheduler: much, where each instruction
 * takes long.  Level 2 of an E-core is that of all tasks of the last turns.
 */
TEST_F(hybrid, a_session_is_right_beside_others)
{
	double points = (backdoor_fast() ? 1 : 2) * LIMIT_POINTS;

	ASSERT_TRUE(quiet());
	ASSERT_TRUE(spin_everywhere(self->spinner, &self->spinners));
	EXPECT_SOON(measure_mover(self->fd, ROUNDS, 30000, 60000, points, INFINITY, &self->seen));
}

TEST_F(hybrid, a_session_is_right_after_many_moves)
{
	double points = (backdoor_fast() ? 1 : 2) * LIMIT_POINTS;

	ASSERT_TRUE(quiet());
	EXPECT_SOON(measure_mover(self->fd, MOVES, 10000, 4000, points, INFINITY, &self->seen));
}

/* A task that does not leave an E-core has figures of that kind alone. */
TEST_F(hybrid, a_session_on_an_e_core_has_its_kind)
{
	const struct topdown_figures *figures = &self->seen.session.out_figures;
	uint64_t time;
	int session;

	self->spinner[0] = spin_start(atom[0], profile(0));
	self->spinners = 1;
	session = device_attach(self->fd, 0, self->spinner[0]);
	ASSERT_LT(0, session);
	ASSERT_EQ(0, cpu_pin(core[0]));
	ASSERT_EQ(0, read_seen(session, &self->seen));
	time = figures->enabled_ns;
	sleep_ms(100);
	ASSERT_EQ(0, read_seen(session, &self->seen));
	EXPECT_LT(80000000, figures->enabled_ns - time);
	EXPECT_GT(120000000, figures->enabled_ns - time);
	EXPECT_EQ(TOPDOWN_SOURCE_ATOM, self->seen.session.out_source);
	EXPECT_EQ(2, self->seen.session.out_level);
	EXPECT_TRUE(has_nodes(figures, atom_nodes()));
	EXPECT_EQ(0, memcmp(figures, &self->seen.kind[TOPDOWN_KIND_ATOM].figures,
			    sizeof(*figures)));
	EXPECT_EQ(0, self->seen.kind[TOPDOWN_KIND_CORE].figures.enabled_ns);
	EXPECT_TRUE(has_nodes(&self->seen.kind[TOPDOWN_KIND_CORE].figures, 0));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_RUNNING, self->seen.session.out_state);
}

static void *thread_on(void *cpu)
{
	if (!cpu_pin((uintptr_t)cpu))
		spin_ms(200);
	return NULL;
}

/* Two threads of a process, one on each kind: half of the time was on either. */
static bool measure_pair(int fd, struct seen *seen)
{
	const struct topdown_figures *figures = &seen->session.out_figures;
	int session = device_attach(fd, 0, 0);
	pthread_t thread[2];
	double share;
	bool ok;

	ok = session > 0 &&
	     !pthread_create(&thread[0], NULL, thread_on, (void *)(uintptr_t)core[1]) &&
	     !pthread_create(&thread[1], NULL, thread_on, (void *)(uintptr_t)atom[0]);
	if (!ok)
		return false;
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	ok = !read_seen(session, seen);
	close(session);
	share = seen->kind[TOPDOWN_KIND_CORE].figures.enabled_ns / (double)figures->enabled_ns;
	printf("# %.1f ms, %.4f of it on P-cores\n", figures->enabled_ns / 1e6, share);
	return ok && fact_near("share", share, 0.5, LIMIT_SHARE);
}

TEST_F(hybrid, a_session_is_right_on_both_at_once)
{
	ASSERT_EQ(0, cpu_pin(core[0]));
	EXPECT_SOON(measure_pair(self->fd, &self->seen));
}

static int cpu_online(unsigned int cpu, bool on)
{
	char path[64];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	file = fopen(path, "we");
	if (!file)
		return -errno;
	ret = fprintf(file, "%d", on) < 0 ? -EIO : 0;
	return fclose(file) ? -errno : ret;
}

/* Each kind goes and comes back as what it is. */
TEST_F(hybrid, each_kind_comes_back_as_it_is)
{
	unsigned int last[2] = { core[core_nr - 1], atom[atom_nr - 1] }, i, round;

	ASSERT_EQ(0, cpu_pin(core[0]));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 2; i++) {
			ASSERT_EQ(0, cpu_online(last[i], false));
			ASSERT_EQ(0, device_read_cpu(self->fd, TOPDOWN_READ_FRESH, last[i],
						     &self->record));
			EXPECT_EQ(TOPDOWN_STATE_OFFLINE, self->record.state);
		}
		for (i = 0; i < 2; i++)
			ASSERT_EQ(0, cpu_online(last[i], true));
		sleep_ms(50);
		ASSERT_EQ(0, device_read_cpu(self->fd, TOPDOWN_READ_FRESH, last[0], &self->record));
		EXPECT_TRUE(is_core(&self->record));
		ASSERT_EQ(0, device_read_cpu(self->fd, TOPDOWN_READ_FRESH, last[1], &self->record));
		EXPECT_TRUE(is_atom(&self->record));
	}
	ASSERT_TRUE(spin_everywhere(self->spinner, &self->spinners));
	EXPECT_SOON(measure_core(self->fd, last[0]));
	EXPECT_SOON(measure_atom(self->fd, last[1]));
}

static bool command_says(const char *command, const char *text)
{
	FILE *pipe = popen(command, "re");
	char line[4096];
	bool found = false;

	while (pipe && fgets(line, sizeof(line), pipe))
		found = found || strstr(line, text);
	return pipe && !pclose(pipe) && found;
}

/* As the command and the files say it. */
TEST_F(hybrid, command_and_files_name_the_kinds)
{
	char text[128];
	unsigned int i;

	snprintf(text, sizeof(text), "cpus %u-%u: ok, source perf_metrics, level 2, %u slots",
		 core[0], core[core_nr - 1], WIDTH);
	EXPECT_TRUE(command_says("topdown info", text));
	snprintf(text, sizeof(text), "cpus %u-%u: ok, source atom, level 2, %u slots",
		 atom[0], atom[atom_nr - 1], E_WIDTH);
	EXPECT_TRUE(command_says("topdown info", text));
	EXPECT_TRUE(command_says("topdown info",
				 "atom_grt, level 2: an E-core has no PERF_METRICS"));
	for (i = 0; i < atom_nr; i++) {
		snprintf(text, sizeof(text), "cat " TD_SYSFS "/cpu%u", atom[i]);
		EXPECT_TRUE(command_says(text, "kind: atom"));
		EXPECT_TRUE(command_says(text, "tma_memory_bound - - -"));
		EXPECT_TRUE(command_says(text, "tma_resource_bound "));
	}
	EXPECT_TRUE(command_says("cat " TD_SYSFS "/total", "source: mixed"));
	EXPECT_TRUE(command_says("topdown stat -I 100 --count 1", "of P- and E-cores mixed"));
	EXPECT_TRUE(command_says("topdown stat -j -- true 2>&1", "\"core\":{\"oncpu_ns\":"));
}

int main(int argc, char **argv)
{
	int ret;

	if (!hybrid()) {
		printf("1..0 # SKIP all CPUs are of one kind\n");
		return KSFT_SKIP;
	}
	find_kinds();
	ret = emulator_need();
	return ret ? ret : test_harness_run(argc, argv);
}
