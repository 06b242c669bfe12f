// SPDX-License-Identifier: GPL-2.0
/*
 * Write a recording that the stand-in for the kernel cannot give.
 *
 *   made NAME FILE
 */
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "latency-blocks.h"
#include "owner-blocks.h"

#define S		1000000000ULL
#define BEGIN		(1000 * S)
#define SLOTS		6000000000ULL

static struct record_writer writer;
static uint64_t windows, lost;

/* So many seconds of a busy CPU, with so many thousandths of retiring. */
static struct topdown_figures figures_of(uint64_t seconds, unsigned int retiring)
{
	uint64_t slots = seconds * SLOTS;
	struct topdown_figures figures = {
		.enabled_ns = seconds * S, .running_ns = seconds * S, .busy_ns = seconds * S,
		.slots = slots,
	};

	figures.node[TOPDOWN_RETIRING] = slots / 1000 * retiring;
	figures.node[TOPDOWN_BACKEND_BOUND] = slots - figures.node[TOPDOWN_RETIRING];
	figures.node[TOPDOWN_MEMORY_BOUND] = figures.node[TOPDOWN_BACKEND_BOUND];
	figures.node[TOPDOWN_LIGHT_OPERATIONS] = figures.node[TOPDOWN_RETIRING];
	td_figures_children(&figures, TD_NODES_METRICS_L2);
	td_figures_ratios(&figures, TD_NODES_METRICS_L2);
	return figures;
}

static void begin(uint32_t subject, uint32_t flags, uint32_t nr_cpus)
{
	struct record_info info = {
		.subject = subject, .flags = flags, .features = 1023, .nr_cpus = nr_cpus,
		.begin = { BEGIN, 1700000000 * S, BEGIN }, .source = TOPDOWN_SOURCE_PERF_METRICS,
		.level = 2, .slots_per_cycle = 6, .period_ms = 1000, .history = 64,
		.interval_ms = subject == RECORD_OF_TASKS ? 1000 : 0, .latency_ms = 1000,
		.host = "host", .codename = "lake",
	};

	record_write(&writer, RECORD_INFO, &info, sizeof(info));
	record_write(&writer, RECORD_COMMAND, "record", 7);
}

static void end(uint64_t seconds)
{
	uint64_t end_ns = BEGIN + seconds * S;
	struct record_end last = {
		.end = { end_ns, end_ns, end_ns }, .windows = windows, .lost = lost,
	};

	record_write(&writer, RECORD_END, &last, sizeof(last));
}

static void put_cpu(uint32_t cpu)
{
	struct record_cpu entry = {
		.cpu = cpu, .core_id = -1, .socket = -1, .node = -1,
		.source = TOPDOWN_SOURCE_PERF_METRICS, .level = 2, .slots_per_cycle = 6,
	};

	record_write_array(&writer, RECORD_CPUS, &entry, sizeof(entry), 1);
}

static void put_edge(enum record_type type, uint32_t cpu, uint64_t number, uint64_t time_ns,
		     struct topdown_figures total, const struct topdown_figures *open)
{
	struct record_edge edge = {
		.record = {
			.cpu = cpu, .source = TOPDOWN_SOURCE_PERF_METRICS, .level = 2,
			.nodes = TD_NODES_METRICS_L2, .windows = number, .time_ns = time_ns,
			.total = total,
		},
	};

	if (open)
		edge.open = *open;
	record_write_array(&writer, type, &edge, sizeof(edge), 1);
}

static void put_window(uint32_t cpu, uint64_t number, uint64_t time_ns,
		       struct topdown_figures figures)
{
	struct record_window window = {
		.cpu = cpu, .source = TOPDOWN_SOURCE_PERF_METRICS, .level = 2,
		.window = { number, time_ns, TD_NODES_METRICS_L2, 0, figures },
	};

	windows += !!number;
	record_write_array(&writer, RECORD_WINDOWS, &window, sizeof(window), 1);
}

/* One window has slots, and nobody knows where they went. */
static void make_odd(void)
{
	struct topdown_figures odd = { .enabled_ns = S, .running_ns = S, .slots = 1000 };
	unsigned int i;

	memset(odd.ratio, 0xff, sizeof(odd.ratio));
	begin(RECORD_OF_CPUS, 0, 1);
	put_cpu(0);
	for (i = 1; i <= 20; i++)
		put_window(0, i, BEGIN + i * S, i == 8 ? odd : figures_of(1, 400));
	end(20);
}

/* Children of the back end were counted in most windows, those of others never. */
static void make_drilldown(void)
{
	unsigned int i;

	begin(RECORD_OF_CPUS, 0, 1);
	put_cpu(0);
	for (i = 1; i <= 20; i++) {
		struct topdown_figures figures = figures_of(1, 400);

		memset(figures.children_slots, 0, sizeof(figures.children_slots));
		if (i % 5)
			figures.children_slots[TOPDOWN_BACKEND_BOUND] = figures.slots;
		else
			figures.node[TOPDOWN_MEMORY_BOUND] = 0;
		td_figures_ratios(&figures, TD_NODES_METRICS_L2);
		put_window(0, i, BEGIN + i * S, figures);
	}
	end(20);
}

/* A task that sleeps in its first interval. */
static void make_sleepy(void)
{
	struct record_task task = { .pid = 1, .flags_known = 1, .name = "task" };
	uint64_t i;

	begin(RECORD_OF_TASKS, 0, 1);
	record_write_array(&writer, RECORD_TASKS, &task, sizeof(task), 1);
	for (i = 0; i < 10; i++, windows++) {
		struct record_sample sample = {
			.begin_ns = BEGIN + i * S, .end_ns = BEGIN + (i + 1) * S,
			.source = i ? TOPDOWN_SOURCE_PERF_METRICS : TOPDOWN_SOURCE_NONE,
			.level = i ? 2 : 0, .figures = figures_of(!!i, 400),
		};

		record_write_array(&writer, RECORD_SAMPLES, &sample, sizeof(sample), 1);
	}
	end(10);
}

/* All windows of CPU 1 were lost. Without their end nobody knows their slots. */
static void make_lost(bool whole)
{
	struct record_lost entry = { .cpu = 1, .first = 2, .nr = 10 };
	uint64_t i;

	begin(RECORD_OF_CPUS, 0, 2);
	for (i = 0; i < 2; i++) {
		put_cpu(i);
		put_edge(RECORD_BEGIN, i, 1, BEGIN, figures_of(1, 400), NULL);
	}
	record_write_array(&writer, RECORD_LOST, &entry, sizeof(entry), 1);
	lost = entry.nr;
	for (i = 0; i < 10; i++)
		put_window(0, i + 2, BEGIN + (i + 1) * S, figures_of(1, 100));
	if (!whole)
		return;
	put_edge(RECORD_FINISH, 0, 11, BEGIN + 10 * S, figures_of(11, 400), NULL);
	put_edge(RECORD_FINISH, 1, 11, BEGIN + 10 * S, figures_of(11, 400), NULL);
	end(10);
}

/* Windows from before, of which one was open for 3 s when the recording began. */
static void make_past(bool loss)
{
	struct record_lost entry = { .first = 12, .nr = 3 };
	struct topdown_figures open = figures_of(3, 50);
	uint64_t i;

	begin(RECORD_OF_CPUS, RECORD_PAST, 1);
	put_cpu(0);
	put_edge(RECORD_BEGIN, 0, 10, BEGIN, figures_of(13, 400), &open);
	for (i = 1; i <= 10; i++)
		put_window(0, i, BEGIN - (13 - i) * S, figures_of(1, 400));
	put_window(0, 11, BEGIN + S, figures_of(4, 50));
	if (loss) {
		record_write_array(&writer, RECORD_LOST, &entry, sizeof(entry), 1);
		lost = entry.nr;
	}
	put_edge(RECORD_FINISH, 0, loss ? 14 : 11, BEGIN + (loss ? 4 : 1) * S,
		 figures_of(loss ? 17 : 14, 400), NULL);
	end(loss ? 4 : 1);
}

/* One of four CPUs works. */
static void make_asleep(void)
{
	uint32_t cpu, i;

	begin(RECORD_OF_CPUS, 0, 4);
	for (cpu = 0; cpu < 4; cpu++) {
		put_cpu(cpu);
		put_edge(RECORD_BEGIN, cpu, 1, BEGIN, figures_of(1, 400), NULL);
	}
	for (i = 1; i <= 10; i++)
		put_window(0, i + 1, BEGIN + i * S, figures_of(1, 400));
	for (cpu = 0; cpu < 4; cpu++)
		put_edge(RECORD_FINISH, cpu, cpu ? 1 : 11, BEGIN, figures_of(cpu ? 1 : 11, 400),
			 NULL);
	end(10);
}

/* Others had the counters in all windows but the last. */
static void make_contended(void)
{
	unsigned int i;

	begin(RECORD_OF_CPUS, 0, 1);
	put_cpu(0);
	for (i = 1; i <= 10; i++) {
		struct topdown_figures figures = figures_of(1, 400);

		figures.running_ns = i < 10 ? S / 10 : S;
		put_window(0, i, BEGIN + i * S, figures);
	}
	put_edge(RECORD_FINISH, 0, 10, BEGIN + 10 * S, figures_of(10, 400), NULL);
	end(10);
}

/* Five minutes about @retiring thousandths. */
static void make_noise(unsigned int retiring)
{
	unsigned int i;

	srand(retiring);
	begin(RECORD_OF_CPUS, 0, 1);
	put_cpu(0);
	for (i = 1; i <= 300; i++)
		put_window(0, i, BEGIN + i * S, figures_of(1, retiring - 20 + rand() % 41));
	end(300);
}

static unsigned int bin_of(unsigned int latency)
{
	unsigned int bin = 0;

	while (bin + 1 < TOPDOWN_LATENCY_BINS &&
	       (bin + 1 < 16 ? bin + 1 : (8 + (bin + 1) % 8) << ((bin + 1) / 8 - 1)) <= latency)
		bin++;
	return bin;
}

static void put_latency(uint32_t cpu, unsigned int event, uint64_t end_s, unsigned int latency)
{
	struct latency_piece piece = {
		.subject = cpu, .begin_ns = BEGIN + (end_s - 1) * S, .end_ns = BEGIN + end_s * S,
		.record = {
			.event = event, .flags = TOPDOWN_LATENCY_RECORD_COUNTED,
			.samples = 10, .events = 1000, .counted = 1000, .sum = 1000 * latency,
			.min = latency, .max = latency, .running_ns = S / 4, .elapsed_ns = S,
		},
	};

	piece.record.bin[bin_of(latency)] = 1000;
	record_write_latencies(&writer, &piece, 1);
}

/*
 * Five minutes of an event about @mean on CPU 1, of one that is always 40, and of one of a later
 * release.  In the third minute there is none of them.
 */
static void make_latency(unsigned int mean)
{
	unsigned int i;

	srand(mean);
	begin(RECORD_OF_CPUS, 0, 2);
	put_cpu(0);
	put_cpu(1);
	for (i = 1; i <= 300; i++) {
		put_window(0, i, BEGIN + i * S, figures_of(1, 400));
		if (i > 120 && i <= 180)
			continue;
		put_latency(1, TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT, i, mean - 20 + rand() % 41);
		put_latency(0, TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS, i, 40);
		put_latency(0, LATENCY_EVENTS - 1, i, 4000);
	}
	end(300);
}

/* More of an interval than a block has room for. */
static void make_big(void)
{
	static struct latency_piece pieces[1200];
	unsigned int i, j;

	begin(RECORD_OF_CPUS, 0, 1);
	put_cpu(0);
	put_window(0, 1, BEGIN + S, figures_of(1, 400));
	for (i = 0; i < 1200; i++) {
		struct topdown_latency_record *record = &pieces[i].record;

		pieces[i] = (struct latency_piece){ .begin_ns = BEGIN, .end_ns = BEGIN + S };
		record->event = i % 2;
		record->samples = TOPDOWN_LATENCY_BINS;
		record->events = TOPDOWN_LATENCY_BINS;
		for (j = 0; j < TOPDOWN_LATENCY_BINS; j++)
			record->bin[j] = 1;
	}
	record_write_latencies(&writer, pieces, 1200);
	end(1);
}

/* A block with one entry of two bins, of which something makes no sense. */
static void make_wrong(const char *what)
{
	struct {
		struct record_latencies head;
		struct record_latency entry;
		uint64_t bin[2];
	} block = {
		.head = {
			.size = sizeof(block.head), .entry_size = sizeof(block.entry),
			.nr = 1, .nr_bins = 2, .begin_ns = BEGIN, .end_ns = BEGIN + S,
		},
		.entry = { .event = 1, .nr_bins = 2, .samples = 2, .events = 20, .sum = 50 },
		.bin = { 2ULL << RECORD_BIN_SHIFT | 10, 3ULL << RECORD_BIN_SHIFT | 10 },
	};

	if (!strcmp(what, "event"))
		block.entry.event = LATENCY_EVENTS;
	if (!strcmp(what, "subject"))
		block.entry.subject = 1;
	if (!strcmp(what, "bin"))
		block.bin[1] = (uint64_t)TOPDOWN_LATENCY_BINS << RECORD_BIN_SHIFT | 10;
	if (!strcmp(what, "more"))
		block.entry.nr_bins = 3;
	if (!strcmp(what, "fewer"))
		block.entry.nr_bins = 1;
	if (!strcmp(what, "clock"))
		block.head.end_ns = BEGIN - 1;
	if (!strcmp(what, "long"))
		block.head.nr = 2;
	if (!strcmp(what, "size")) {
		/* The whole is as long as it should be. */
		block.head.entry_size = sizeof(block.entry) - sizeof(block.bin[0]);
		block.head.nr_bins = 3;
	}
	begin(RECORD_OF_CPUS, 0, 1);
	put_cpu(0);
	put_window(0, 1, BEGIN + S, figures_of(1, 400));
	record_write(&writer, RECORD_LATENCIES, &block, sizeof(block));
	end(1);
}

/*
 * Two files of a rotation: a process has another number in the second, where one of the first is
 * missing.
 */
static void make_owners(bool second)
{
	static const char command[] = "record\0--rotate\0001s,3";
	struct record_info info = {
		.subject = RECORD_OF_CPUS, .features = 1 << 16 | 1023, .nr_cpus = 1,
		.begin = { BEGIN + second * S, 1700000000 * S + second * S, BEGIN + second * S },
		.source = TOPDOWN_SOURCE_PERF_METRICS, .level = 2, .slots_per_cycle = 6,
		.period_ms = 1000, .history = 64, .host = "host", .codename = "lake",
	};
	struct record_clock end = { BEGIN + (second + 1) * S, 1700000000 * S + (second + 1) * S,
				    BEGIN + (second + 1) * S };
	struct record_end last = { .end = end, .windows = 1 };
	unsigned int i, nr = second ? 1 : 2;

	record_write(&writer, RECORD_INFO, &info, sizeof(info));
	record_write(&writer, RECORD_COMMAND, command, sizeof(command));
	put_cpu(0);
	put_window(0, 1 + second, end.monotonic_ns, figures_of(1, 400));
	for (i = 0; i < nr; i++) {
		struct record_owner owner = {
			.owner = i, .what = TOPDOWN_OWNER_WHAT_PROCESS, .parent = i,
			.id = second || i ? 20 : 30, .start_ns = 7, .name = "name",
		};

		record_write_array(&writer, RECORD_OWNERS, &owner, sizeof(owner), 1);
	}
	for (i = 0; i < nr; i++) {
		struct record_owned interval = {
			.kind = TOPDOWN_OWNERS_PROCESSES, .interval_ms = 1000,
			.begin_ns = info.begin.monotonic_ns, .end_ns = end.monotonic_ns,
		};
		struct record_share share = {
			.owner = i, .source = TOPDOWN_SOURCE_PERF_METRICS, .level = 2,
			.figures = figures_of(1, 400),
		};

		record_write_owned(&writer, &interval, &share, 1);
	}
	record_write(&writer, RECORD_END, &last, sizeof(last));
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[2], "w") : NULL;
	const char *name = argc == 3 ? argv[1] : "";

	if (!file || record_write_start(&writer, file))
		return 1;
	if (!strcmp(name, "odd"))
		make_odd();
	else if (!strcmp(name, "drilldown"))
		make_drilldown();
	else if (!strcmp(name, "sleepy"))
		make_sleepy();
	else if (!strcmp(name, "lost") || !strcmp(name, "lostcut"))
		make_lost(!strcmp(name, "lost"));
	else if (!strcmp(name, "past") || !strcmp(name, "pastlost"))
		make_past(!strcmp(name, "pastlost"));
	else if (!strcmp(name, "asleep"))
		make_asleep();
	else if (!strcmp(name, "contended"))
		make_contended();
	else if (!strncmp(name, "noise", 5))
		make_noise(atoi(name + 5));
	else if (!strcmp(name, "big"))
		make_big();
	else if (!strncmp(name, "wrong-", 6))
		make_wrong(name + 6);
	else if (!strncmp(name, "owners-", 7))
		make_owners(!strcmp(name, "owners-second"));
	else if (!strncmp(name, "latency", 7))
		make_latency(atoi(name + 7));
	return fclose(file) || !windows;
}
