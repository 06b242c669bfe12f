// SPDX-License-Identifier: GPL-2.0
/*
 * Write pairs of recordings of runs of 6 s, which differ by chance and by what is planted.
 *
 *   pairs DIRECTORY SEED PAIRS RUNS POINTS WORK
 *
 * DIRECTORY/before.N and DIRECTORY/after.N are a pair. The other has POINTS points more of
 * retiring, and WORK times the work. Runs differ by 0.25 points of each node, by 0.5% of the time
 * and of slots, and by 0.05% of instructions. Steps of 100 ms differ by 1 point more, and are like
 * the one before.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "../random.h"
#include "format.h"
#include "writer.h"

#define S		1000000000ULL
#define MS		1000000ULL
#define STEP		(100 * MS)
#define SECONDS		6
#define SLOTS_STEP	1200000000.0
#define INSTRUCTIONS	6e9

static struct record_writer writer;

/* A run, with its own luck. */
struct luck {
	double retiring;
	double bad;
	double frontend;
	double memory;
	double speed;
	double work;
	double instructions;
};

static struct luck luck_of(double points, double work)
{
	return (struct luck){
		.retiring = 0.40 + points / 100 + 0.0025 * random_normal(),
		.bad = 0.08 + 0.0025 * random_normal(),
		.frontend = 0.17 + 0.0025 * random_normal(),
		.memory = 0.6 + 0.0025 * random_normal(),
		.speed = 1 + 0.005 * random_normal(),
		.work = work,
		.instructions = INSTRUCTIONS * work * (1 + 0.0005 * random_normal()),
	};
}

static struct topdown_figures figures_of(const struct luck *luck, uint64_t length_ns, double wave,
					 double share)
{
	struct topdown_figures figures = {
		.enabled_ns = length_ns, .running_ns = length_ns,
		.slots = SLOTS_STEP * length_ns / STEP,
		.instructions = luck->instructions * share,
	};
	double slots = figures.slots;

	figures.cycles = figures.slots / 6;
	figures.node[TOPDOWN_RETIRING] = slots * (luck->retiring + 0.01 * wave);
	figures.node[TOPDOWN_BAD_SPECULATION] = slots * (luck->bad + 0.002 * wave);
	figures.node[TOPDOWN_FRONTEND_BOUND] = slots * (luck->frontend - 0.004 * wave);
	figures.node[TOPDOWN_BACKEND_BOUND] = figures.slots - figures.node[TOPDOWN_RETIRING] -
					      figures.node[TOPDOWN_BAD_SPECULATION] -
					      figures.node[TOPDOWN_FRONTEND_BOUND];
	figures.node[TOPDOWN_LIGHT_OPERATIONS] = figures.node[TOPDOWN_RETIRING] * 0.9;
	figures.node[TOPDOWN_HEAVY_OPERATIONS] = figures.node[TOPDOWN_RETIRING] -
						 figures.node[TOPDOWN_LIGHT_OPERATIONS];
	figures.node[TOPDOWN_MEMORY_BOUND] = figures.node[TOPDOWN_BACKEND_BOUND] * luck->memory;
	figures.node[TOPDOWN_CORE_BOUND] = figures.node[TOPDOWN_BACKEND_BOUND] -
					   figures.node[TOPDOWN_MEMORY_BOUND];
	td_figures_children(&figures, TD_NODES_METRICS_L2);
	td_figures_ratios(&figures, TD_NODES_METRICS_L2);
	return figures;
}

static uint64_t put_run(uint32_t task, uint64_t begin_ns, const struct luck *luck,
			uint64_t *samples)
{
	struct record_task entry = { .task = task, .pid = 100 + task, .flags_known = 1,
				     .name = "bench" };
	uint64_t length_ns = SECONDS * luck->work / luck->speed * S, at_ns, next_ns;
	double wave = random_normal();

	record_write_array(&writer, RECORD_TASKS, &entry, sizeof(entry), 1);
	for (at_ns = 0; at_ns < length_ns; at_ns = next_ns, ++*samples) {
		next_ns = at_ns + STEP < length_ns ? at_ns + STEP : length_ns;
		struct record_sample sample = {
			.task = task, .state = TOPDOWN_SESSION_STATE_EXITED, .level = 2,
			.source = TOPDOWN_SOURCE_PERF_METRICS,
			.begin_ns = begin_ns + at_ns, .end_ns = begin_ns + next_ns,
			.figures = figures_of(luck, next_ns - at_ns, wave,
					      (double)(next_ns - at_ns) / length_ns),
		};

		record_write_array(&writer, RECORD_SAMPLES, &sample, sizeof(sample), 1);
		wave = 0.7 * wave + sqrt(1 - 0.7 * 0.7) * random_normal();
	}
	return begin_ns + length_ns;
}

static int put_recording(const char *path, unsigned int runs, double points, double work)
{
	struct record_info info = {
		.subject = RECORD_OF_TASKS, .flags = RECORD_RUNS, .features = 1023, .nr_cpus = 8,
		.begin = { 1000 * S, 1700000000 * S, 1000 * S }, .level = 2,
		.source = TOPDOWN_SOURCE_PERF_METRICS, .slots_per_cycle = 6, .period_ms = 1000,
		.history = 64, .interval_ms = STEP / MS, .host = "host", .codename = "lake",
	};
	uint64_t end_ns = info.begin.monotonic_ns, samples = 0;
	FILE *file = fopen(path, "w");
	struct record_end end = { .windows = 0 };
	unsigned int run;

	memset(&writer, 0, sizeof(writer));
	if (!file || record_write_start(&writer, file))
		return 1;
	record_write(&writer, RECORD_INFO, &info, sizeof(info));
	record_write(&writer, RECORD_COMMAND, "record\0-r", 10);
	for (run = 0; run < runs; run++) {
		struct luck luck = luck_of(points, work);

		end_ns = put_run(run, end_ns + MS, &luck, &samples);
	}
	end.end = (struct record_clock){ end_ns, end_ns, end_ns };
	end.windows = samples;
	record_write(&writer, RECORD_END, &end, sizeof(end));
	return fclose(file);
}

int main(int argc, char **argv)
{
	unsigned int pairs, i;
	char path[4096];
	int bad = 0;

	if (argc != 7)
		return 2;
	random_state = atoi(argv[2]);
	pairs = atoi(argv[3]);
	for (i = 0; i < pairs && !bad; i++) {
		snprintf(path, sizeof(path), "%s/before.%u", argv[1], i);
		bad |= put_recording(path, atoi(argv[4]), 0, 1);
		snprintf(path, sizeof(path), "%s/after.%u", argv[1], i);
		bad |= put_recording(path, atoi(argv[4]), atof(argv[5]), atof(argv[6]));
	}
	return bad;
}
