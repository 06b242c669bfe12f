// SPDX-License-Identifier: GPL-2.0
/*
 * Write pairs of recordings of owners, which differ by chance and by what is planted.
 *
 *   shares DIRECTORY SEED PAIRS process|cgroup POINTS SHARE
 *
 * DIRECTORY/before.N and DIRECTORY/after.N are a pair of 400 s, in intervals of 1 s.  In the other
 * "web" has POINTS points more of retiring, and "db" SHARE points more of all slots, which idle
 * time lacks.  Nodes of each owner differ by 2 points from one interval to the next, and shares by
 * 1 of 10, and both are like the ones before.  "rare" runs in every tenth interval, and "tiny" has
 * 0.05% of the slots, of other nodes in the other recording.  "old" is in the one only, and "new"
 * in the other.  All numbers differ.  "web" is two processes, and three in the other, which do the
 * same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "../random.h"
#include "owner-blocks.h"

#define S		1000000000ULL
#define BEGIN		(1000 * S)
#define SECONDS		400
#define SLOTS		6000000000.0

static struct record_writer writer;

/* The owners that there are. Cgroups are below others, which have some slots of their own. */
static const struct party {
	const char *name;
	const char *cgroup;
	uint32_t parent;
	uint32_t level;
	double share;
} parties[] = {
	{ "init", "", 0, 0, 0.01 },
	{ "app", "app", 0, 1, 0.05 },
	{ "web", "web", 1, 2, 0.20 },
	{ "web", "web-2", 1, 2, 0.10 },
	{ "db", "db", 1, 2, 0.15 },
	{ "rare", "rare", 0, 1, 0.02 },
	{ "tiny", "tiny", 0, 1, 0.0005 },
	{ "old", "old", 0, 1, 0.02 },
	{ "web", "", 0, 1, 0.03 },
	{ "new", "x,y", 0, 1, 0.02 },
	{ "", "", 0, 0, 0 },
};

#define PARTIES		(sizeof(parties) / sizeof(parties[0]))
#define WEB		2
#define DB		4
#define RARE		5
#define TINY		6
#define OLD		7
#define THIRD		8
#define NEW		9
#define IDLE		(PARTIES - 1)

/* The subject of a pair. */
struct plan {
	bool cgroups;
	bool after;
	double points;
	double share;
};

static bool is_there(const struct plan *plan, unsigned int i)
{
	if (i == OLD)
		return !plan->after;
	if (i == THIRD)
		return plan->after && !plan->cgroups;
	return plan->after || i != NEW;
}

static bool is_web(unsigned int i)
{
	return !strcmp(parties[i].name, "web");
}

static void put_owner(const struct plan *plan, unsigned int i)
{
	struct record_owner owner = {
		.owner = i, .what = TOPDOWN_OWNER_WHAT_PROCESS, .parent = i,
		.id = 100 + i + 50 * plan->after, .start_ns = 7 + plan->after,
	};

	snprintf(owner.name, sizeof(owner.name), "%s",
		 plan->cgroups ? parties[i].cgroup : parties[i].name);
	if (plan->cgroups) {
		owner.what = TOPDOWN_OWNER_WHAT_CGROUP;
		owner.parent = parties[i].parent;
		owner.level = parties[i].level;
	}
	if (i == IDLE) {
		owner.what = TOPDOWN_OWNER_WHAT_IDLE;
		owner.parent = i;
		owner.id = 0;
	}
	record_write_array(&writer, RECORD_OWNERS, &owner, sizeof(owner), 1);
}

static struct topdown_figures figures_of(uint64_t slots, double retiring)
{
	struct topdown_figures figures = { .slots = slots, .cycles = slots / 6 };

	figures.enabled_ns = slots / 6;
	figures.running_ns = figures.enabled_ns;
	figures.node[TOPDOWN_RETIRING] = slots * fmin(fmax(retiring, 0), 0.8);
	figures.node[TOPDOWN_FRONTEND_BOUND] = slots / 10;
	figures.node[TOPDOWN_BACKEND_BOUND] = slots - figures.node[TOPDOWN_RETIRING] -
					      figures.node[TOPDOWN_FRONTEND_BOUND];
	figures.instructions = figures.node[TOPDOWN_RETIRING];
	td_figures_children(&figures, TD_NODES_METRICS_L1);
	td_figures_ratios(&figures, TD_NODES_METRICS_L1);
	return figures;
}

static double retiring_of(const struct plan *plan, unsigned int i)
{
	double retiring = 0.40;

	if (plan->after && (plan->cgroups ? i == WEB : is_web(i)))
		retiring += plan->points / 100;
	if (plan->after && i == TINY)
		retiring += 0.1;
	return retiring;
}

static double share_of(const struct plan *plan, unsigned int i)
{
	double share = parties[i].share;

	if (plan->after && i == DB)
		share += plan->share / 100;
	if (i == WEB && is_there(plan, THIRD))
		share -= parties[THIRD].share;
	return share;
}

/* The slots of one owner in an interval: it takes them from idle time. */
static uint64_t slots_of(const struct plan *plan, unsigned int i, unsigned int second, double wave)
{
	double share = share_of(plan, i) * (1 + 0.1 * wave);

	if (!is_there(plan, i) || (i == RARE && second % 10))
		return 0;
	return SLOTS * fmax(share, 0);
}

static void next(double *wave)
{
	*wave = 0.5 * *wave + sqrt(1 - 0.5 * 0.5) * random_normal();
}

static void put_interval(const struct plan *plan, unsigned int second, double wave[][2])
{
	struct record_owned interval = {
		.kind = plan->cgroups ? TOPDOWN_OWNERS_CGROUPS : TOPDOWN_OWNERS_PROCESSES,
		.interval_ms = 1000,
		.begin_ns = BEGIN + second * S, .end_ns = BEGIN + (second + 1) * S,
	};
	struct record_share share[PARTIES];
	uint64_t idle = SLOTS, slots;
	unsigned int i, nr = 0;

	memset(share, 0, sizeof(share));
	for (i = 0; i < PARTIES; i++) {
		next(&wave[i][0]);
		next(&wave[i][1]);
		slots = i == IDLE ? idle : slots_of(plan, i, second, wave[i][0]);
		idle -= slots;
		if (!slots)
			continue;
		share[nr].owner = i;
		share[nr].source = TOPDOWN_SOURCE_PERF_METRICS;
		share[nr].level = 1;
		share[nr++].figures = figures_of(slots, retiring_of(plan, i) +
						 0.02 * wave[i][1]);
	}
	record_write_owned(&writer, &interval, share, nr);
}

static int put_recording(const char *path, const struct plan *plan)
{
	static const char command[] = "record\0--by";
	struct record_info info = {
		.subject = RECORD_OF_CPUS, .features = 1 << 16 | 1023, .nr_cpus = 1,
		.begin = { BEGIN, 1700000000 * S, BEGIN }, .source = TOPDOWN_SOURCE_PERF_METRICS,
		.level = 1, .slots_per_cycle = 6, .period_ms = 1000, .history = 64,
		.host = "host", .codename = "lake",
	};
	struct record_cpu cpu = {
		.core_id = -1, .socket = -1, .node = -1, .level = 1, .slots_per_cycle = 6,
		.source = TOPDOWN_SOURCE_PERF_METRICS,
	};
	struct record_end end = { .windows = SECONDS };
	double wave[PARTIES][2] = { { 0 } };
	FILE *file = fopen(path, "w");
	unsigned int i;

	memset(&writer, 0, sizeof(writer));
	if (!file || record_write_start(&writer, file))
		return 1;
	record_write(&writer, RECORD_INFO, &info, sizeof(info));
	record_write(&writer, RECORD_COMMAND, command, sizeof(command));
	record_write_array(&writer, RECORD_CPUS, &cpu, sizeof(cpu), 1);
	for (i = 0; i < PARTIES; i++)
		put_owner(plan, i);
	for (i = 0; i < SECONDS; i++) {
		struct record_window window = {
			.source = TOPDOWN_SOURCE_PERF_METRICS, .level = 1,
			.window = { i + 1, BEGIN + (i + 1) * S, TD_NODES_METRICS_L1, 0,
				    figures_of(SLOTS, 0.4) },
		};

		record_write_array(&writer, RECORD_WINDOWS, &window, sizeof(window), 1);
		put_interval(plan, i, wave);
	}
	end.end = (struct record_clock){ BEGIN + SECONDS * S, (1700000000 + SECONDS) * S,
					 BEGIN + SECONDS * S };
	record_write(&writer, RECORD_END, &end, sizeof(end));
	return fclose(file);
}

int main(int argc, char **argv)
{
	struct plan plan = { .cgroups = argc == 7 && !strcmp(argv[4], "cgroup") };
	unsigned int pairs, i;
	char path[4096];
	int bad = 0;

	if (argc != 7)
		return 2;
	random_state = atoi(argv[2]);
	pairs = atoi(argv[3]);
	plan.points = atof(argv[5]);
	plan.share = atof(argv[6]);
	for (i = 0; i < 2 * pairs && !bad; i++) {
		plan.after = i & 1;
		snprintf(path, sizeof(path), "%s/%s.%u", argv[1], plan.after ? "after" : "before",
			 i / 2);
		bad |= put_recording(path, &plan);
	}
	return bad;
}
