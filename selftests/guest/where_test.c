// SPDX-License-Identifier: GPL-2.0
/*
 * topdown where: a program of six functions, each with a reason of its own to lose slots, and one
 * that loses none. Each is found with its stage and reason, and with its share of the node's
 * slots, as the emulated PMU has counted them.
 *
 * The program is this one, with the kind of core as its argument.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"

#define TRUTH		"/tmp/where.truth"
#define ROWS		"/tmp/where.rows"
#define NOTES		"/tmp/where.notes"
#define LIMIT		0.03
/* What is not of the program: interrupts while it runs. */
#define LIMIT_OTHERS	0.03
/* The module's figures beside the samples. */
#define LIMIT_NODE	0.005
#define NR_COLUMNS	19
#define NR_ROWS		256
/*
 * Iterations of the loop that are 1 ms or so. IBS samples the kernel too, its own interrupts among
 * all, so with it an instruction has to take 1 ns, and the loops are longer for as many samples.
 * On a small core samples and the module have stretches of their own: each end of a part falls into
 * one, and is missing or too much of the other.
 */
#define SPINS		200000
#define ZEN_LONGER	5
#define SMALL_LONGER	2
#define CPUS_ATOM	"/sys/bus/event_source/devices/cpu_atom/cpus"

/*
 * The events of a core, and the words of its memory group. Late fetches of a large core are events;
 * those of a small one are slots, half of the five of a cycle, and the module counts them too.
 */
struct core {
	const char *name;
	const char *memory_node;
	uint64_t loads;
	uint64_t fetch_rate;
	uint64_t late_fetch[2], icache[2];
	uint64_t memory, blocked, remote, walk;
	/* The reason of blocked loads. */
	const char *why_blocked;
};

#define FRONTEND(umask, cause)	(0xc6 | (uint64_t)(umask) << 8 | TD_BD_FRONTEND(cause))

/* Of IBS: bits of DATA3, and DATA2 in the upper half. */
#define ZEN_LOAD(bits, from)	((bits) | (uint64_t)(from) << 32)
#define ZEN_MISSED		(1ULL << 20 | 1 << 7 | 1)
#define ZEN_LOCKED		(1ULL << 15)
#define ZEN_WALKED		(1ULL << 3 | 1 << 2 | 1)
#define ZEN_L3			1
#define ZEN_MEMORY		3
#define ZEN_REMOTE		(1 << 4)

static const struct core cores[] = {
	{ "core", "tma_memory_bound", 0x1cd, 4000,
	  { FRONTEND(1, 0x601006), FRONTEND(3, 0x601006) },
	  { FRONTEND(1, 0x12), FRONTEND(3, 0x12) },
	  0xa, 0x41, 0xb, 0x11, "store forwarding blocked" },
	{ "gracemont", "tma_resource_bound", 0x5d0, 2500000, { 0x7271 }, { 0x2071 },
	  0xa, 0x41, 0xb, 0x21, "store forwarding blocked" },
	{ "crestmont", "tma_resource_bound", 0x5d0, 2500000, { 0x7271 }, { 0x2071 },
	  0xa, 0x81, 0xb, 0x41, "store forwarding blocked" },
	/* No sample of AMD's says that a store blocked the load; a locked load is in its place. */
	{ "zen", "tma_memory_bound", 0, 0, { 0 }, { 0 },
	  ZEN_LOAD(ZEN_MISSED, ZEN_MEMORY), ZEN_LOAD(ZEN_MISSED | ZEN_LOCKED, ZEN_L3),
	  ZEN_LOAD(ZEN_MISSED, ZEN_MEMORY | ZEN_REMOTE), ZEN_LOAD(ZEN_WALKED, 0), "locked" },
};

#define NR_CORES	(sizeof(cores) / sizeof(cores[0]))

static const struct core *core = &cores[0];

/* Which of the three nodes a part loses slots to. */
enum loses { MEMORY, SPECULATION, FETCH, NOTHING };

static const struct td_bd_profile lost[] = {
	[MEMORY]	= { { 300000, 100000, 100000, 500000, 0, 0, 0, 500000 } },
	[SPECULATION]	= { { 400000, 500000, 100000, 0, 0, 500000, 0, 0 } },
	[FETCH]		= { { 400000, 100000, 500000, 0, 0, 0, 500000, 0 } },
	[NOTHING]	= { { 1000000, 0, 0, 0, 0, 0, 0, 0 } },
};

/* A wait is the same share of the slots, however many events it consists of. */
#define CYCLES_IN_MILLION	600000

/* For each million operations: loads of so many cycles, as few samples would have no share. */
#define ZEN_LOAD_CYCLES		40000000
#define ZEN_MISPREDICTED	100000
#define ZEN_LATE_FETCHES	250000
#define ZEN_FETCH_CYCLES	60

/*
 * The events of the module's formulas, in a million cycles of six slots. It divides sums, so the
 * two of each pair are as many for each slot in all parts.
 */
static void set_zen_figures(const uint32_t *of)
{
	backdoor_set_rate(0x1000001a0, 6 * of[TD_BD_FE_BOUND]);
	backdoor_set_rate(0x100001ea0, 6 * of[TD_BD_BE_BOUND]);
	backdoor_set_rate(0x07aa, 6 * (of[TD_BD_RETIRING] + of[TD_BD_BAD_SPEC]));
	backdoor_set_rate(0x1060001a0, of[TD_BD_FETCH_LAT]);
	backdoor_set_rate(0xc3, of[TD_BD_BR_MISPREDICT] / 10);
	backdoor_set_rate(0x96, (of[TD_BD_BAD_SPEC] - of[TD_BD_BR_MISPREDICT]) / 10);
	backdoor_set_rate(0xa2d6, of[TD_BD_MEM_BOUND] / 10);
	backdoor_set_rate(0x02d6, of[TD_BD_BE_BOUND] / 10);
}

/* The kinds of operations: loads, mispredicted branches; and of fetches, those that miss. */
static void set_zen(enum loses loses, uint64_t word, unsigned int cycles)
{
	bool walks = word == core->walk;
	struct td_bd_ibs load = { .engine = TD_BD_IBS_OP, .number = 0 };
	struct td_bd_ibs branch = {
		.engine = TD_BD_IBS_OP, .number = 1,
		.weight = loses == SPECULATION ? ZEN_MISPREDICTED : 0,
		.word = { 7ULL << 35 | 20 << 16 | 10 },
	};
	struct td_bd_ibs fetch = {
		.engine = TD_BD_IBS_FETCH, .number = 0,
		.weight = loses == FETCH ? ZEN_LATE_FETCHES : 0,
		.word = { (uint64_t)ZEN_FETCH_CYCLES << 32 | 3ULL << 50 },
	};

	cycles = 50 + cycles / 10;
	if (loses == MEMORY) {
		load.weight = ZEN_LOAD_CYCLES / cycles;
		load.word[0] = (uint64_t)(cycles + 5) << 16;
		load.word[1] = word >> 32;
		load.word[2] = (uint32_t)word | (uint64_t)cycles << (walks ? 48 : 32);
	}
	backdoor_set_ibs(&load);
	backdoor_set_ibs(&branch);
	backdoor_set_ibs(&fetch);
	set_zen_figures(lost[loses].fraction);
	backdoor_change_profile(&lost[loses]);
}

static bool is_zen(void)
{
	return !core->loads;
}

static bool is_small(void)
{
	return !strcmp(core->memory_node, "tma_resource_bound");
}

static unsigned int spins(void)
{
	if (is_small())
		return SMALL_LONGER * SPINS;
	return is_zen() ? ZEN_LONGER * SPINS : SPINS;
}

static void set_events(enum loses loses, uint64_t word, unsigned int cycles)
{
	struct td_bd_memory memory = {
		.config = core->loads, .source = word, .cache = cycles, .instruction = cycles + 5,
	};
	unsigned int i;

	if (is_zen()) {
		set_zen(loses, word, cycles);
		return;
	}
	backdoor_set_rate(core->loads, loses == MEMORY ? CYCLES_IN_MILLION / cycles : 0);
	backdoor_set_rate(0xc5, loses == SPECULATION ? 8000 : 0);
	for (i = 0; i < 2 && core->late_fetch[i]; i++) {
		backdoor_set_rate(core->late_fetch[i], loses == FETCH ? core->fetch_rate : 0);
		backdoor_set_rate(core->icache[i], loses == FETCH ? core->fetch_rate : 0);
	}
	if (loses == MEMORY)
		backdoor_set_memory(&memory);
	backdoor_change_profile(&lost[loses]);
}

/* Each is a function of its own in the symbol table. */
#define PART(name, loses, word, cycles, ms)					\
	static __attribute__((noinline)) void name(void)			\
	{									\
		volatile unsigned int i;					\
										\
		set_events(loses, word, cycles);				\
		for (i = (ms) * spins(); i; i--)				\
			;							\
	}

PART(load_that_misses, MEMORY, core->memory, 300, 600)
PART(store_forwarding, MEMORY, core->blocked, 20, 300)
PART(remote_load, MEMORY, core->remote, 500, 450)
PART(walk_of_pages, MEMORY, core->walk, 60, 150)
PART(branch_missed, SPECULATION, 0, 1, 400)
PART(cold_code, FETCH, 0, 1, 400)
PART(innocent, NOTHING, 0, 1, 200)

static const struct part {
	const char *name;
	void (*run)(void);
	enum loses loses;
	const char *stage;
	const char *reason;
} parts[] = {
	{ "load_that_misses", load_that_misses, MEMORY, "memory", "L3 miss" },
	{ "store_forwarding", store_forwarding, MEMORY, "memory", NULL },
	{ "remote_load", remote_load, MEMORY, "memory", "remote" },
	{ "walk_of_pages", walk_of_pages, MEMORY, "memory", "page walk" },
	{ "branch_missed", branch_missed, SPECULATION, "branch", "mispredict" },
	{ "cold_code", cold_code, FETCH, "fetch", "instruction cache miss" },
	{ "innocent", innocent, NOTHING, "", "" },
};

#define NR_PARTS	(sizeof(parts) / sizeof(parts[0]))
#define NR_TRUTH	(NR_PARTS + NOTHING)

static uint64_t slots_lost(const struct td_bd_truth *truth, enum loses loses)
{
	static const unsigned int category[] = {
		[MEMORY] = TD_BD_MEM_BOUND, [SPECULATION] = TD_BD_BR_MISPREDICT,
		[FETCH] = TD_BD_FETCH_LAT,
	};

	return loses == NOTHING ? 0 : truth->category[category[loses]];
}

/* The program: all parts one after the other, what each has lost, and the share of each node. */
static int be_program(const char *name)
{
	struct td_bd_truth then, now;
	FILE *file = fopen(TRUTH, "we");
	enum loses loses;
	unsigned int i;

	for (i = 0; i < NR_CORES; i++) {
		if (!strcmp(cores[i].name, name))
			core = &cores[i];
	}
	if (!file || !backdoor_open() || !backdoor_set_profile(&lost[NOTHING]))
		return 1;
	for (i = 0; i < NR_PARTS; i++) {
		backdoor_truth_space(&then);
		parts[i].run();
		backdoor_truth_space(&now);
		set_events(NOTHING, 0, 1);
		backdoor_truth_sub(&now, &then);
		fprintf(file, "%llu\n",
			(unsigned long long)slots_lost(&now, parts[i].loses));
	}
	backdoor_truth_space(&now);
	for (loses = MEMORY; loses < NOTHING; loses++)
		fprintf(file, "%f\n", (double)slots_lost(&now, loses) / now.slots);
	return fclose(file) ? 1 : 0;
}

/* The slots that each part has lost, and then the share of each node. */
static bool read_truth(double *truth)
{
	FILE *file = fopen(TRUTH, "re");
	unsigned int i;

	for (i = 0; file && i < NR_TRUTH; i++) {
		if (fscanf(file, "%lf", &truth[i]) != 1)
			return false;
	}
	return file && !fclose(file);
}

struct found {
	char node[40], function[64], stage[16], reason[40];
	double node_share, share;
};

static unsigned int read_rows(struct found *rows)
{
	FILE *file = fopen(ROWS, "re");
	char line[1024], *column[NR_COLUMNS], *rest;
	unsigned int n = 0, i;

	while (file && n < NR_ROWS && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		rest = line;
		for (i = 0; i < NR_COLUMNS && rest; i++)
			column[i] = strsep(&rest, ";");
		if (i < NR_COLUMNS)
			return 0;
		snprintf(rows[n].node, sizeof(rows[n].node), "%s", column[2]);
		snprintf(rows[n].function, sizeof(rows[n].function), "%s", column[9]);
		snprintf(rows[n].stage, sizeof(rows[n].stage), "%s", column[14]);
		snprintf(rows[n].reason, sizeof(rows[n].reason), "%s", column[15]);
		rows[n].node_share = strtod(column[3], NULL);
		rows[n++].share = strtod(column[5], NULL);
	}
	if (file)
		fclose(file);
	return n;
}

static const char *node_of(enum loses loses)
{
	switch (loses) {
	case MEMORY:
		return core->memory_node;
	case SPECULATION:
		return "tma_branch_mispredicts";
	default:
		return "tma_fetch_latency";
	}
}

/* The share that a function has of a node, with its own reason or with any. */
static double share_of(const struct found *rows, unsigned int nr, const char *node,
		       const struct part *part, bool any)
{
	const char *reason = part->reason ? part->reason : core->why_blocked;
	double share = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (strcmp(rows[i].node, node) || strcmp(rows[i].function, part->name))
			continue;
		if (any || (!strcmp(rows[i].stage, part->stage) &&
			    !strcmp(rows[i].reason, reason)))
			share += rows[i].share;
	}
	return share;
}

static double lost_to(const double *truth, enum loses loses)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < NR_PARTS; i++)
		sum += parts[i].loses == loses ? truth[i] : 0;
	return sum;
}

/* The part of others in all: an interrupt loses slots too, and these are the kernel's. */
static double share_of_all(const struct found *rows, unsigned int nr, const char *node)
{
	double share = 0;
	unsigned int i;

	for (i = 0; i < NR_PARTS; i++)
		share += share_of(rows, nr, node, &parts[i], true);
	return share;
}

static bool part_right(const struct found *rows, unsigned int nr, const double *truth,
		       unsigned int number)
{
	const struct part *part = &parts[number];
	enum loses loses;
	bool right = true;

	for (loses = MEMORY; loses < NOTHING; loses++) {
		const char *node = node_of(loses);
		double want = part->loses == loses ? truth[number] / lost_to(truth, loses) : 0;
		double share = share_of(rows, nr, node, part, want == 0);

		printf("# %s, %s: %.4f of %.4f\n", part->name, node, share, want);
		right &= want > 0 ? fact_near(part->name, share, want, LIMIT) :
				    fact_most(part->name, share, 0.001);
	}
	return right;
}

static bool others_are_few(const struct found *rows, unsigned int nr)
{
	enum loses loses;
	bool right = true;

	for (loses = MEMORY; loses < NOTHING; loses++) {
		double others = 1 - share_of_all(rows, nr, node_of(loses));

		printf("# others, %s: %.4f\n", node_of(loses), others);
		right &= fact_most("share of others", others, LIMIT_OTHERS);
	}
	return right;
}

static bool nodes_right(const struct found *rows, unsigned int nr, const double *truth)
{
	enum loses loses;
	bool right = true;
	unsigned int i;

	for (loses = MEMORY; loses < NOTHING; loses++) {
		for (i = 0; i < nr && strcmp(rows[i].node, node_of(loses)); i++)
			;
		if (i < nr)
			printf("# %s: %.4f of %.4f\n", node_of(loses), rows[i].node_share,
			       truth[NR_PARTS + loses]);
		right &= fact(i < nr) && fact_near(node_of(loses), rows[i].node_share,
						   truth[NR_PARTS + loses], LIMIT_NODE);
	}
	return right;
}

/* topdown where, pinned to a CPU with what it starts. */
static int run_where(unsigned int cpu)
{
	char self[256];
	cpu_set_t set;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int pid = fork(), status;

	self[len > 0 ? len : 0] = '\0';
	if (!pid) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		dup2(open(NOTES, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), STDERR_FILENO);
		execlp("topdown", "topdown", "where", "-x", ";", "--no-header", "-n", "1000", "-o",
		       ROWS, "--node", core->memory_node, "--node", "branch_mispredicts",
		       "--node", "fetch_latency", "--", self, core->name, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WEXITSTATUS(status);
}

/* -1 without E-cores. */
static int first_atom(void)
{
	FILE *file = fopen(CPUS_ATOM, "re");
	int cpu = -1;

	if (file && fscanf(file, "%d", &cpu) != 1)
		cpu = -1;
	if (file)
		fclose(file);
	return cpu;
}

/* Events of the other kind of core are not there because nothing ran on it. */
static bool notes_right(void)
{
	FILE *file = fopen(NOTES, "re");
	bool elsewhere = false, starved = false;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		printf("# %s", line);
		elsewhere |= !!strstr(line, "nothing ran on these cores");
		starved |= !!strstr(line, "no time on a counter");
	}
	if (file)
		fclose(file);
	return fact(!starved) && fact(elsewhere == (first_atom() >= 0));
}

static bool find_all(unsigned int cpu)
{
	static struct found rows[NR_ROWS];
	double truth[NR_TRUTH];
	unsigned int nr, i;
	bool right;

	unlink(ROWS);
	right = fact(!run_where(cpu)) && fact(read_truth(truth));
	nr = read_rows(rows);
	right = right && fact(nr > 0) && nodes_right(rows, nr, truth);
	for (i = 0; right && i < NR_PARTS; i++)
		right &= part_right(rows, nr, truth, i);
	return right && others_are_few(rows, nr) && notes_right();
}

static bool samples_loads(const char *pmu)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/events/mem-loads", pmu);
	return !access(path, F_OK);
}

/* Crestmont's machine has another model. */
static const struct core *small_core(void)
{
	char line[128];
	FILE *file = fopen("/proc/cpuinfo", "re");
	bool crestmont = false;

	while (file && fgets(line, sizeof(line), file))
		crestmont |= !strncmp(line, "model\t\t: 170\n", 13);
	if (file)
		fclose(file);
	return &cores[crestmont ? 2 : 1];
}

FIXTURE(where) {
};

FIXTURE_SETUP(where)
{
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
}

FIXTURE_TEARDOWN(where)
{
}

TEST_F_TIMEOUT(where, places_are_found_on_a_large_core, 240)
{
	core = &cores[0];
	if (!samples_loads("cpu") && !samples_loads("cpu_core"))
		SKIP(return, "this machine samples no loads");
	ASSERT_TRUE(find_all(0));
}

TEST_F_TIMEOUT(where, places_are_found_on_zen, 240)
{
	core = &cores[NR_CORES - 1];
	if (access("/sys/bus/event_source/devices/ibs_op/type", F_OK))
		SKIP(return, "this machine has no IBS");
	ASSERT_TRUE(find_all(0));
}

TEST_F_TIMEOUT(where, places_are_found_on_a_small_core, 240)
{
	int cpu = first_atom();

	if (cpu < 0 || !samples_loads("cpu_atom"))
		SKIP(return, "this machine has no small core that samples loads");
	core = small_core();
	ASSERT_TRUE(find_all(cpu));
}

int main(int argc, char **argv)
{
	int ret;

	if (argc == 2)
		return be_program(argv[1]);
	ret = module_need();
	if (ret)
		return ret;
	if (!backdoor_open()) {
		printf("1..0 # SKIP no emulated PMU\n");
		return KSFT_SKIP;
	}
	return test_harness_run(argc, argv);
}
