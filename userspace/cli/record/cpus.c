// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record: drain the history of windows that the module keeps for each CPU.
 *
 * The end of a window wakes the recorder. Then it rests for a part of the time that the history
 * covers, so that the windows of many CPUs share one wake-up. An idle CPU ends no window, so an
 * idle machine is left asleep.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "message.h"
#include "record.h"
#include "refusal.h"

#define BATCH		256
#define EVENTS		64
/* The writer of a window takes some microseconds, unless a hypervisor stops its CPU. */
#define PATIENCE	100
#define PATIENCE_NS	NS_PER_MS

/**
 * struct ring_cpu - how far the history of a CPU was copied
 * @there: the machine can have it, and it was asked for
 * @began: a window was copied already, or one that is missing would be lost
 * @next: number of the next window
 */
struct ring_cpu {
	bool there;
	bool began;
	uint64_t next;
};

/**
 * struct ring - the history of all CPUs
 * @run: the recording
 * @map: map
 * @nr: number of @cpu
 * @cpu: CPUs by number
 * @batched: number of @batch
 * @batch: windows that are not written yet
 */
struct ring {
	struct record_run *run;
	struct topdown_map_view *map;
	unsigned int nr;
	struct ring_cpu *cpu;
	unsigned int batched;
	struct record_window batch[BATCH];
};

static int read_failed(const struct ring *ring, int error)
{
	return refusal_read(ring->run->options->device, error);
}

static int write_batch(struct ring *ring)
{
	int ret;

	ret = record_write_array(&ring->run->writer, RECORD_WINDOWS, ring->batch,
				 sizeof(ring->batch[0]), ring->batched);
	ring->batched = 0;
	return ret ? record_failed(ring->run, -ret) : 0;
}

/* Give the place for one more window, and write the others if there is none. */
static int next_window(struct ring *ring, struct record_window **window)
{
	int ret = ring->batched == BATCH ? write_batch(ring) : 0;

	*window = &ring->batch[ring->batched];
	return ret;
}

static void fill_window(struct record_window *window, const struct topdown_record *record)
{
	window->cpu = record->cpu;
	window->source = record->source;
	window->level = record->level;
	window->flags = record->flags;
	window->turns = record->turns;
}

static int write_lost(struct ring *ring, uint32_t cpu, uint64_t first, uint64_t nr)
{
	struct record_lost lost = { .cpu = cpu, .first = first, .nr = nr };
	int ret;

	/* Readers see the windows of a CPU in their order. */
	ret = write_batch(ring);
	if (ret)
		return ret;
	ring->run->lost += nr;
	ret = record_write_array(&ring->run->writer, RECORD_LOST, &lost, sizeof(lost), 1);
	return ret ? record_failed(ring->run, -ret) : 0;
}

/* The record is published first, and then the window. So a later record tells why it is missing. */
static int miss(struct ring *ring, uint32_t cpu, bool *later)
{
	struct ring_cpu *at = &ring->cpu[cpu];
	uint64_t kept = topdown_map_history(ring->map), first = at->next;
	struct topdown_record record;
	int ret;

	ret = topdown_map_read_record(ring->map, cpu, &record, sizeof(record), NULL);
	*later = ret == -EAGAIN || (!ret && record.windows < first + kept);
	if (*later)
		return 0;
	if (ret)
		return read_failed(ring, -ret);
	at->next = record.windows - kept + 1;
	return at->began ? write_lost(ring, cpu, first, at->next - first) : 0;
}

/* When did the oldest window begin? */
static void note_begin(struct record_run *run, const struct topdown_window *window)
{
	uint64_t begin_ns = window->time_ns - window->figures.enabled_ns;

	if (!run->first_ns || begin_ns < run->first_ns)
		run->first_ns = begin_ns;
}

static int copy_window(struct ring *ring, const struct topdown_record *record, bool *later)
{
	struct ring_cpu *at = &ring->cpu[record->cpu];
	struct record_window *window;
	int ret;

	ret = next_window(ring, &window);
	if (ret)
		return ret;
	ret = topdown_map_read_window(ring->map, record->cpu, at->next, 2, &window->window,
				      sizeof(window->window));
	if (ret == -ENOENT)
		return miss(ring, record->cpu, later);
	if (ret)
		return read_failed(ring, -ret);
	fill_window(window, record);
	note_begin(ring->run, &window->window);
	ring->batched++;
	ring->run->windows++;
	at->began = true;
	at->next++;
	return 0;
}

/* Copy what there is. @later: the last window is still being written. */
static int drain_cpu(struct ring *ring, uint32_t cpu, bool *later)
{
	struct topdown_record record;
	int ret;

	*later = false;
	ret = topdown_map_read_record(ring->map, cpu, &record, sizeof(record), NULL);
	*later = ret == -EAGAIN;
	if (ret)
		return *later ? 0 : read_failed(ring, -ret);
	while (ring->cpu[cpu].next <= record.windows && !*later && !ret)
		ret = copy_window(ring, &record, later);
	return ret;
}

static int drain(struct ring *ring)
{
	uint32_t cpu;
	bool later;
	int ret = 0;

	for (cpu = 0; cpu < ring->nr && !ret; cpu++) {
		if (ring->cpu[cpu].there)
			ret = drain_cpu(ring, cpu, &later);
	}
	if (!ret)
		ret = write_batch(ring);
	if (!ret && fflush(ring->run->writer.file))
		ret = record_failed(ring->run, errno);
	return ret;
}

/* The CPUs count until now. Without that the figures end up to a period early. */
static int fold(struct ring *ring)
{
	const struct record_options *options = ring->run->options;
	struct topdown_reading *reading;
	int ret;

	if (!topdown_has(ring->run->td, TOPDOWN_FEATURE_FRESH))
		return 0;
	ret = topdown_reading_create(&reading, ring->run->td,
				     options->has_cpus ? options->cpus.words : NULL,
				     options->has_cpus ? CPULIST_WORDS : 0);
	if (ret)
		return read_failed(ring, -ret);
	ret = topdown_reading_update(reading, TOPDOWN_READ_FRESH);
	topdown_reading_destroy(reading);
	return ret ? read_failed(ring, -ret) : 0;
}

/* The oldest window that is still kept, without a gap after it. */
static uint64_t first_window(const struct ring *ring, const struct topdown_record *record)
{
	struct topdown_window window;
	uint64_t first = record->windows + 1;

	while (ring->run->options->past && first > 1 &&
	       !topdown_map_read_window(ring->map, record->cpu, first - 1, 2, &window,
					sizeof(window)))
		first--;
	return first;
}

/* A record that is being written for a long time is given up. */
static int read_edge(struct ring *ring, uint32_t cpu, struct record_edge *edge)
{
	unsigned int i;
	int ret = -EAGAIN;

	for (i = 0; i < PATIENCE && ret == -EAGAIN; i++) {
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = PATIENCE_NS }, NULL);
		ret = topdown_map_read_record(ring->map, cpu, &edge->record,
					      sizeof(edge->record), &edge->open);
	}
	return ret;
}

static int no_cpu(const struct ring *ring, uint32_t cpu)
{
	cpulist_beyond("-C", cpu, ring->map);
	return EXIT_USAGE;
}

/* A virtual machine may have hundreds of numbers for CPUs that were never there. */
static bool was_there(const struct ring *ring, const struct topdown_record *record)
{
	return ring->run->options->has_cpus || record->time_ns ||
	       record->state != TOPDOWN_STATE_OFFLINE;
}

/* Look where each CPU is now. */
static int look(struct ring *ring, struct record_edge *edge, struct record_cpu *cpus)
{
	const struct record_options *options = ring->run->options;
	unsigned int nr = 0;
	uint32_t cpu;
	int ret;

	for (cpu = 0; cpu < (options->has_cpus ? CPULIST_MAX : ring->nr); cpu++) {
		if (options->has_cpus && !cpulist_has(&options->cpus, cpu))
			continue;
		if (cpu >= ring->nr)
			return no_cpu(ring, cpu);
		ret = read_edge(ring, cpu, &edge[nr]);
		if (ret == -ENOENT && options->has_cpus)
			return no_cpu(ring, cpu);
		if (ret == -ENOENT)
			continue;
		if (ret)
			return read_failed(ring, -ret);
		ret = options->has_cpus ? cpu_check(&edge[nr].record) : 0;
		if (ret)
			return ret;
		ring->cpu[cpu].there = true;
		ring->cpu[cpu].began = !options->past;
		ring->cpu[cpu].next = first_window(ring, &edge[nr].record);
		if (!was_there(ring, &edge[nr].record))
			continue;
		cpu_describe(&edge[nr].record, &cpus[nr]);
		nr++;
	}
	ring->run->subjects = nr;
	return 0;
}

static int write_begin(struct ring *ring, const struct record_edge *edge,
		       const struct record_cpu *cpus)
{
	struct record_run *run = ring->run;
	int ret;

	ret = record_start_file(run, RECORD_OF_CPUS);
	if (ret)
		return ret;
	ret = record_write_array(&run->writer, RECORD_CPUS, cpus, sizeof(*cpus),
				 run->subjects);
	if (!ret)
		ret = record_write_array(&run->writer, RECORD_BEGIN, edge, sizeof(*edge),
					 run->subjects);
	if (!ret && fflush(run->writer.file))
		ret = -errno;
	run->begin_bytes = run->writer.bytes;
	return ret ? record_failed(run, -ret) : 0;
}

static int begin(struct ring *ring)
{
	struct record_edge *edge = calloc(ring->nr, sizeof(*edge));
	struct record_cpu *cpus = calloc(ring->nr, sizeof(*cpus));
	int ret;

	if (edge && cpus) {
		ret = fold(ring);
		if (!ret)
			ret = look(ring, edge, cpus);
		if (!ret)
			ret = write_begin(ring, edge, cpus);
	} else {
		ret = read_failed(ring, ENOMEM);
	}
	free(edge);
	free(cpus);
	return ret;
}

/* The last windows, and the record and the open window after exactly these. */
static int finish_cpu(struct ring *ring, uint32_t cpu, struct record_edge *edge)
{
	struct record_window *window;
	unsigned int i;
	bool later;
	int ret;

	for (i = 0; i < PATIENCE; i++) {
		ret = drain_cpu(ring, cpu, &later);
		if (!ret)
			ret = next_window(ring, &window);
		if (ret)
			return ret;
		ret = read_edge(ring, cpu, edge);
		if (ret)
			return read_failed(ring, -ret);
		if (edge->record.windows < ring->cpu[cpu].next)
			break;
		if (later)
			nanosleep(&(struct timespec){ .tv_nsec = PATIENCE_NS }, NULL);
	}
	if (edge->record.windows >= ring->cpu[cpu].next) {
		uint64_t first = ring->cpu[cpu].next;

		ring->cpu[cpu].next = edge->record.windows + 1;
		return write_lost(ring, cpu, first, edge->record.windows - first + 1);
	}
	if (!edge->record.time_ns)
		return 0;
	fill_window(window, &edge->record);
	window->window = (struct topdown_window){
		.time_ns = edge->record.time_ns,
		.nodes = edge->record.nodes,
		.figures = edge->open,
	};
	ring->batched++;
	return 0;
}

/* The records of the end are in @edge, and their number in @subjects. */
static int finish_file(struct ring *ring, struct record_edge *edge)
{
	unsigned int nr = 0;
	uint32_t cpu;
	int ret;

	ret = fold(ring);
	if (!ret)
		ret = sampling_finish(ring->run);
	if (!ret)
		ret = owned_write(ring->run);
	for (cpu = 0; cpu < ring->nr && !ret; cpu++) {
		if (!ring->cpu[cpu].there)
			continue;
		ret = finish_cpu(ring, cpu, &edge[nr]);
		nr += !ret && was_there(ring, &edge[nr].record);
	}
	if (!ret)
		ret = write_batch(ring);
	if (!ret) {
		ret = record_write_array(&ring->run->writer, RECORD_FINISH, edge, sizeof(*edge),
					 nr);
		ret = ret ? record_failed(ring->run, -ret) : 0;
	}
	ring->run->subjects = nr;
	return ret;
}

/* The next file begins with the records that this one ends with, so nothing is between them. */
static int next_file(struct ring *ring, struct record_edge *edge, struct record_cpu *cpus)
{
	struct record_run *run = ring->run;
	unsigned int i;
	int ret;

	ret = finish_file(ring, edge);
	run->end = record_now();
	if (!ret)
		ret = record_end_file(run);
	for (i = 0; i < run->subjects && !ret; i++)
		cpu_describe(&edge[i].record, &cpus[i]);
	if (!ret)
		ret = write_begin(ring, edge, cpus);
	if (!ret)
		ret = sampling_again(run);
	return ret ? ret : owned_again(run);
}

/* @last: the recording ends, and no file follows. */
static int finish(struct ring *ring, bool last)
{
	struct record_edge *edge = calloc(ring->nr, sizeof(*edge));
	struct record_cpu *cpus = calloc(ring->nr, sizeof(*cpus));
	int ret;

	if (!edge || !cpus)
		ret = read_failed(ring, ENOMEM);
	else
		ret = last ? finish_file(ring, edge) : next_file(ring, edge, cpus);
	free(edge);
	free(cpus);
	return ret;
}

/* The kernel has not said which it was. */
static uint32_t first_beyond(const struct ring *ring)
{
	uint32_t cpu = ring->nr;

	while (cpu < CPULIST_MAX - 1 && !cpulist_has(&ring->run->options->cpus, cpu))
		cpu++;
	return cpu;
}

static int add_watch(struct ring *ring)
{
	const struct record_options *options = ring->run->options;
	struct topdown_watch what = {
		.size = sizeof(what),
		.node = TOPDOWN_WATCH_ANY,
	};
	uint32_t number;
	int ret;

	ret = topdown_watch_add(ring->run->td, options->has_cpus ? options->cpus.words : NULL,
				options->has_cpus ? CPULIST_WORDS : 0, &what, &number);
	if (ret == -EINVAL && options->has_cpus)
		return no_cpu(ring, first_beyond(ring));
	if (ret == -ENOSPC)
		return message_fail(EXIT_RUNTIME, "cannot watch through %s: %s (a user without CAP_PERFMON may have at most 64 watches)",
				    options->device, strerror(-ret));
	return ret ? read_failed(ring, -ret) : 0;
}

/*
 * A window of a busy CPU lasts three quarters of a period at least. An eighth of the history
 * leaves time for a recorder that is held up.
 */
static uint64_t rest_ns(struct ring *ring)
{
	uint64_t period_ns, kept = topdown_map_history(ring->map);

	/* The period can change at any time; the last one that is known is better than none. */
	topdown_info_update(ring->run->td);
	period_ns = topdown_info_get(ring->run->td)->out_period_ms * NS_PER_MS;
	return kept < 8 ? period_ns * kept / 16 : period_ns / 2;
}

static uint64_t rest_until_ns(struct ring *ring)
{
	uint64_t until_ns = clock_now_ns() + rest_ns(ring);
	uint64_t next_ns = record_due_ns(ring->run);

	return next_ns && next_ns < until_ns ? next_ns : until_ns;
}

/* Wait for a window, and then for those of the other CPUs. */
static int wait_windows(struct ring *ring, bool *over)
{
	struct topdown_event event[EVENTS];
	unsigned int nr = EVENTS;
	enum record_event why;

	why = record_wait(ring->run, POLLIN, record_due_ns(ring->run));
	if (why == RECORD_READY) {
		/* It says that there is a window; the history says which. */
		if (topdown_watch_read(ring->run->td, 0, event, &nr, sizeof(event[0])) == -EACCES)
			return read_failed(ring, EACCES);
		why = record_wait(ring->run, 0, rest_until_ns(ring));
	}
	*over = why == RECORD_OVER;
	if (why != RECORD_ERROR)
		return 0;
	return message_fail(EXIT_RUNTIME, "cannot wait for windows: %s", strerror(errno));
}

static int follow(struct ring *ring)
{
	bool over = false;
	int ret = 0;

	while (!over && !ret) {
		ret = wait_windows(ring, &over);
		if (!ret)
			ret = record_clock(ring->run);
		if (!ret)
			ret = sampling_tick(ring->run);
		if (!ret)
			ret = owned_tick(ring->run);
		if (!ret)
			ret = drain(ring);
		if (!ret && !over && rotate_due(ring->run))
			ret = finish(ring, false);
	}
	return ret ? ret : finish(ring, true);
}

static int start(struct ring *ring)
{
	struct record_run *run = ring->run;
	int ret;

	ret = sampling_start_cpus(run);
	if (!ret)
		ret = owned_start(run);
	if (!ret)
		ret = add_watch(ring);
	if (!ret)
		ret = begin(ring);
	if (!ret)
		ret = sampling_begin(run);
	if (!ret)
		ret = owned_begin(run);
	/* The recording of the machine begins just before the command. */
	if (!ret && run->options->argv)
		ret = command_start(&run->command, NULL, run->options->device, 0);
	return ret;
}

static int open_ring(struct ring *ring)
{
	int ret = topdown_map_open(&ring->map, ring->run->td);

	if (ret)
		return read_failed(ring, -ret);
	if (!topdown_map_history(ring->map))
		return message_fail(EXIT_DEVICE,
				    "the module keeps no windows (its parameter history is 0)");
	if (!topdown_info_get(ring->run->td)->out_level)
		return message_fail(EXIT_DEVICE, "no CPU of this machine can be measured ('topdown info' and the kernel log say why)");
	ring->run->history = topdown_map_history(ring->map);
	ring->nr = topdown_map_nr_cpus(ring->map);
	ring->cpu = calloc(ring->nr, sizeof(*ring->cpu));
	return ring->cpu ? 0 : read_failed(ring, ENOMEM);
}

/**
 * record_cpus - record the windows of CPUs
 * @run: the recording
 *
 * Return: 0 when it has ended, or an exit code after a message.
 */
int record_cpus(struct record_run *run)
{
	struct ring *ring = calloc(1, sizeof(*ring));
	int ret;

	if (!ring)
		return refusal_read(run->options->device, ENOMEM);
	ring->run = run;
	ret = open_ring(ring);
	if (!ret)
		ret = start(ring);
	if (!ret)
		ret = follow(ring);
	topdown_map_close(ring->map);
	free(ring->cpu);
	free(ring);
	return ret;
}
