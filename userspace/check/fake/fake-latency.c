// SPDX-License-Identifier: GPL-2.0
/*
 * The device of latencies of the stand-in for the kernel: CPUs, two events, and a third that
 * is never sampled.
 *
 *   FAKE_REFUSAL   enum topdown_latency_refusal (0)
 *   FAKE_LATENCY_UNLOADED   the module topdown_latency is not loaded
 *   FAKE_LATENCY_OPEN_ERRNO   with which its device cannot be opened
 *   FAKE_LATENCY_READ_ONLY   with which it cannot be opened for writing
 *   FAKE_LATENCY_MINOR_OF   name that sysfs has for it (topdown_latency)
 *   FAKE_LATENCY_ERRNO   with which START fails
 *   FAKE_LATENCY_BARRED   file with the errno with which START fails, as long as it is there
 *   FAKE_AWAY      perf users have the counter
 *   FAKE_LATENCY_MORE   three events more; 2: all that there are
 *   FAKE_LATENCY_CPUS   number of CPUs (2)
 *   FAKE_LATENCY_MISSED   tasks ended before they were sampled
 *   FAKE_LATENCY_GONE   a session whose tasks have ended
 *   FAKE_LATENCY_READS   number of reads of a session that succeed
 *   FAKE_LATENCY_ENDED   a file that is made when a session ends
 *   FAKE_LATENCY_BEFORE   steps that there were before the session (0)
 *   FAKE_LATENCY_FOREIGN   records are of an event that the session has not
 *   FAKE_SAMPLED   the first event of a session that never happens (64)
 *   FAKE_TURNS     the first event of a session that has had no turn; of those before it the ones
 *                  that never happen had one, too
 *   FAKE_NO_TURN   a CPU on which no event has the counter
 *   FAKE_NO_SAMPLE a CPU on which events are counted, and none is sampled
 *   FAKE_PAUSE_FROM, FAKE_PAUSE_TO   after the one step and up to the other perf users have the
 *                  counter, and nothing is sampled
 *   FAKE_MISSED_STEP   a step whose samples are all lost
 *   FAKE_LOST      for each 20 samples one has been lost
 *   FAKE_COUNTED   so many events are counted a sample (1100)
 *   FAKE_UNCOUNTED the module is older, and counts no events
 *
 * The tasks of a session have what CPU 1 has.
 */
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/topdown_latency.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAKE_LATENCY_EVENT_SIZE_MIN	16
#define FAKE_LATENCY_RECORD_SIZE_MIN	984
#define SESSIONS_MAX	64
#define PAGE		4096

/* How latencies of an event are spread. */
enum spread {
	UNKNOWN,
	CONSTANT,
	BIMODAL,
	NEVER,
};

/*
 * The encodings of Granite Rapids: MEM_INST_RETIRED.SPLIT_LOADS,
 * MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM, MEM_LOAD_RETIRED.L2_HIT, and with FAKE_LATENCY_MORE
 * FRONTEND_RETIRED.L1I_MISS and .L2_MISS, and MEM_INST_RETIRED.SPLIT_STORES.
 */
static const struct {
	uint64_t config;
	uint64_t config1;
	enum spread spread;
	bool more;
} encodings[] = {
	{ 0x41d0, 0x0, CONSTANT, false },
	{ 0x01d3, 0x0, BIMODAL, false },
	{ 0x02d1, 0x0, NEVER, false },
	{ 0x03c6, 0x12, BIMODAL, true },
	{ 0x03c6, 0x13, CONSTANT, true },
	{ 0x42d0, 0x0, BIMODAL, true },
};

/*
 * A descriptor of the device.
 * @cpus: the set of CPUs
 * @fd: -1 for none
 * @nr: number of events; 0 until it is started
 * @followed: the session whose tasks are sampled, from 1; 0 for CPUs
 * @steps: the time, in readings
 * @spread: of each event
 */
static struct latency {
	uint64_t cpus;
	int fd;
	unsigned int nr;
	int followed;
	unsigned int steps;
	enum spread spread[TOPDOWN_LATENCY_EVENTS_MAX];
} table[SESSIONS_MAX];
static unsigned int nr_opened;

static struct latency *latency_of(int fd)
{
	unsigned int i;

	for (i = 0; i < nr_opened && fd >= 0; i++) {
		if (table[i].fd == fd)
			return &table[i];
	}
	return NULL;
}

bool fake_is_latency(int fd)
{
	return latency_of(fd);
}

/* Return: false if there are too many. */
static bool enter(int fd)
{
	struct latency *latency = NULL;
	unsigned int i;

	for (i = 0; i < nr_opened && !latency; i++) {
		if (table[i].fd < 0)
			latency = &table[i];
	}
	if (!latency && nr_opened < SESSIONS_MAX)
		latency = &table[nr_opened++];
	if (latency)
		*latency = (struct latency){ .fd = fd };
	return latency;
}

int fake_latency_open(int flags)
{
	int error = setting("FAKE_LATENCY_OPEN_ERRNO", 0), fd;

	if (getenv("FAKE_LATENCY_UNLOADED"))
		error = ENOENT;
	if (!error && (flags & O_ACCMODE) != O_RDONLY)
		error = setting("FAKE_LATENCY_READ_ONLY", 0);
	if (error)
		return refuse(error);
	fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", flags);
	if (fd >= 0 && !enter(fd)) {
		syscall(SYS_close, fd);
		return refuse(ENFILE);
	}
	return fd;
}

void fake_latency_closed(int fd)
{
	struct latency *latency = latency_of(fd);
	const char *ended = getenv("FAKE_LATENCY_ENDED");

	if (!latency)
		return;
	latency->fd = -1;
	if (latency->nr && ended)
		creat(ended, 0600);
}

static enum spread spread_of(const struct topdown_latency_event *event)
{
	long more = setting("FAKE_LATENCY_MORE", 0);
	unsigned int i;

	for (i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
		if (event->config == encodings[i].config &&
		    event->config1 == encodings[i].config1 && (more || !encodings[i].more))
			return encodings[i].spread;
	}
	/* Event select 00H has no encoding. */
	return more > 1 && event->config & 0xff ? BIMODAL : UNKNOWN;
}

static unsigned int sampled_cpus(const struct latency *latency)
{
	return latency->followed ? 2 : setting("FAKE_LATENCY_CPUS", 2);
}

static bool is_sampled(const struct latency *latency, unsigned int cpu)
{
	/* A set that is given has one word. */
	return latency->followed ? cpu == 1 :
	       cpu < sampled_cpus(latency) && latency->cpus >> cpu % 64 & 1;
}

static unsigned int nr_records(const struct latency *latency)
{
	unsigned int cpu, n = 0;

	for (cpu = 0; cpu < sampled_cpus(latency); cpu++)
		n += is_sampled(latency, cpu);
	return n * latency->nr;
}

/* The errno with which no session starts, or 0. */
static int barred(void)
{
	const char *path = getenv("FAKE_LATENCY_BARRED");
	FILE *file = path ? fopen(path, "re") : NULL;
	int error;

	if (!file)
		return setting("FAKE_LATENCY_ERRNO", 0);
	if (fscanf(file, "%d", &error) != 1)
		error = EIO;
	fclose(file);
	return error;
}

/* Copy event @i of the caller.  Return: 0 or a negative errno. */
static int take_event(const struct topdown_latency_start *arg, unsigned int i,
		      struct topdown_latency_event *event)
{
	const char *from = (const char *)(uintptr_t)arg->events + (size_t)i * arg->event_size;
	size_t known = sizeof(*event), j;

	if (arg->event_size < FAKE_LATENCY_EVENT_SIZE_MIN)
		return -EINVAL;
	if (arg->event_size > PAGE)
		return -E2BIG;
	memset(event, 0, sizeof(*event));
	memcpy(event, from, arg->event_size < known ? arg->event_size : known);
	for (j = known; j < arg->event_size; j++) {
		if (from[j])
			return -E2BIG;
	}
	return 0;
}

static int ask(struct topdown_latency_start *arg)
{
	struct topdown_latency_event event;
	unsigned int i;
	int error;

	if (arg->cpus || arg->cpus_words || arg->session)
		return refuse(EINVAL);
	arg->out_refusal = setting("FAKE_REFUSAL", 0);
	for (i = 0; i < arg->nr_events; i++) {
		error = take_event(arg, i, &event);
		if (error)
			return refuse(-error);
		if (!arg->out_refusal && spread_of(&event) != UNKNOWN)
			arg->out_events |= 1ULL << i;
	}
	return 0;
}

/* Return: 0 or a negative errno. */
static int take_events(const struct topdown_latency_start *arg, enum spread *spread)
{
	struct topdown_latency_event event;
	unsigned int i;
	int error;

	for (i = 0; i < arg->nr_events; i++) {
		error = take_event(arg, i, &event);
		if (error)
			return error;
		spread[i] = spread_of(&event);
		if (spread[i] == UNKNOWN)
			return -EOPNOTSUPP;
	}
	return setting("FAKE_REFUSAL", 0) ? -EOPNOTSUPP : 0;
}

/* Is the session sampled by a descriptor? */
static bool is_followed(int session)
{
	unsigned int i;

	for (i = 0; i < nr_opened; i++) {
		if (table[i].fd >= 0 && table[i].nr && table[i].followed == session)
			return true;
	}
	return false;
}

/* Return: 0 or a negative errno; *followed is the session, from 1, or 0. */
static int take_session(const struct topdown_latency_start *arg, int *followed)
{
	*followed = 0;
	if (!(arg->flags & TOPDOWN_LATENCY_START_TASKS))
		return arg->session ? -EINVAL : 0;
	if (arg->cpus || arg->cpus_words)
		return -EINVAL;
	*followed = fake_session_of(arg->session) + 1;
	if (*followed <= 0 || fake_session_is_view(arg->session))
		return -EBADF;
	if (*followed == setting("FAKE_LATENCY_GONE", 0))
		return -ESRCH;
	return is_followed(*followed) ? -EBUSY : 0;
}

int fake_latency_start(int fd, struct topdown_latency_start *arg)
{
	struct latency *latency = latency_of(fd), new = { .fd = fd };
	int error;

	if (arg->flags & ~(TOPDOWN_LATENCY_START_ASK | TOPDOWN_LATENCY_START_TASKS))
		return refuse(EOPNOTSUPP);
	if (arg->out_events || arg->out_refusal || arg->out_nr_records ||
	    arg->nr_events > TOPDOWN_LATENCY_EVENTS_MAX)
		return refuse(EINVAL);
	/* Whoever may only read the device cannot start, and cannot have events tried. */
	if (arg->nr_events && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return refuse(EBADF);
	if (arg->flags & TOPDOWN_LATENCY_START_ASK)
		return ask(arg);
	if (latency->nr)
		return refuse(EBUSY);
	if (barred())
		return refuse(barred());
	if (!arg->nr_events)
		return refuse(EINVAL);
	error = take_events(arg, new.spread);
	if (!error)
		error = take_session(arg, &new.followed);
	if (error)
		return refuse(-error);
	new.nr = arg->nr_events;
	new.cpus = arg->cpus_words ? *(const uint64_t *)(uintptr_t)arg->cpus : UINT64_MAX;
	new.steps = setting("FAKE_LATENCY_BEFORE", 0);
	if (!nr_records(&new))
		return refuse(EOPNOTSUPP);
	*latency = new;
	arg->out_nr_records = nr_records(latency);
	return 0;
}

static bool is_counted(const struct latency *latency)
{
	return !latency->followed && !setting("FAKE_UNCOUNTED", 0);
}

/* How many of the last steps were paused, or without samples. */
static unsigned int paused(unsigned int steps)
{
	unsigned int from = setting("FAKE_PAUSE_FROM", 0), to = setting("FAKE_PAUSE_TO", 0);

	if (steps <= from)
		return 0;
	return (steps < to ? steps : to) - from;
}

static bool is_paused(unsigned int steps)
{
	return steps > (unsigned int)setting("FAKE_PAUSE_FROM", 0) &&
	       steps <= (unsigned int)setting("FAKE_PAUSE_TO", 0);
}

static bool has_missed(unsigned int steps)
{
	return steps >= (unsigned int)setting("FAKE_MISSED_STEP", -1);
}

/*
 * Each step: on CPU 0 ten samples, on CPU 1 twenty, and so on, of 1000 events each.  A tenth more
 * was counted.  CONSTANT is 7, and from CPU 2 on 9.
 */
static void fill_latency(const struct latency *latency, struct topdown_latency_record *record,
			 unsigned int event, unsigned int cpu)
{
	unsigned int steps = latency->steps, constant = cpu < 2 ? 7 : 9;
	uint64_t samples = (uint64_t)(steps - paused(steps) - has_missed(steps)) * 10 * (cpu + 1);
	bool counted = is_counted(latency);

	*record = (struct topdown_latency_record){
		.event = getenv("FAKE_LATENCY_FOREIGN") ? event + latency->nr : event,
		.cpu = latency->followed ? TOPDOWN_CPU_ALL : cpu,
		.flags = (counted ? TOPDOWN_LATENCY_RECORD_COUNTED : 0) |
			 (setting("FAKE_AWAY", 0) || is_paused(steps) ?
			  TOPDOWN_LATENCY_RECORD_AWAY : 0),
		.elapsed_ns = steps * 100000000ULL,
	};
	FAKE_GROWN(record);
	if (getenv("FAKE_LATENCY_MISSED")) {
		record->elapsed_ns = 0;
		return;
	}
	if (event < (unsigned int)setting("FAKE_TURNS", 0))
		record->running_ns = record->elapsed_ns / 2;
	if (latency->spread[event] == NEVER || !steps ||
	    event >= (unsigned int)setting("FAKE_SAMPLED", 64) ||
	    cpu == setting("FAKE_NO_TURN", -1))
		return;
	record->samples = samples;
	record->events = samples * 1000;
	record->running_ns = record->elapsed_ns / 2;
	if (counted) {
		record->counted = samples * setting("FAKE_COUNTED", 1100);
		record->lost = setting("FAKE_LOST", 0) ? samples * 50 : 0;
		record->lost += has_missed(steps) * 10000 * (cpu + 1);
	}
	if (cpu == setting("FAKE_NO_SAMPLE", -1)) {
		record->samples = 0;
		record->events = 0;
		return;
	}
	if (latency->spread[event] == CONSTANT) {
		record->sum = record->events * constant;
		record->min = constant;
		record->max = constant;
		record->bin[constant] = record->events;
		return;
	}
	/* 70% are 100, 30% are 400. */
	record->sum = record->events * 190;
	record->min = 100;
	record->max = 400;
	record->bin[36] = record->events / 10 * 7;
	record->bin[52] = record->events / 10 * 3;
}

int fake_latency_read(int fd, struct topdown_latency_read *arg)
{
	struct latency *latency = latency_of(fd);
	char *to = (char *)(uintptr_t)arg->records;
	unsigned int nr = nr_records(latency), event, cpu;
	struct topdown_latency_record record;
	size_t known = sizeof(record);

	if (arg->flags)
		return refuse(EOPNOTSUPP);
	if (arg->record_size < FAKE_LATENCY_RECORD_SIZE_MIN)
		return refuse(EINVAL);
	if (arg->record_size > PAGE)
		return refuse(E2BIG);
	if (!latency->nr)
		return refuse(ENOENT);
	if (latency->steps >= (unsigned int)setting("FAKE_LATENCY_READS", -1))
		return refuse(EIO);
	if (arg->nr_records < nr) {
		arg->nr_records = nr;
		return refuse(EMSGSIZE);
	}
	if (known > arg->record_size)
		known = arg->record_size;
	for (event = 0; event < latency->nr; event++) {
		for (cpu = 0; cpu < sampled_cpus(latency); cpu++) {
			if (!is_sampled(latency, cpu))
				continue;
			fill_latency(latency, &record, event, cpu);
			memcpy(to, &record, known);
			memset(to + known, 0, arg->record_size - known);
			to += arg->record_size;
		}
	}
	latency->steps++;
	arg->nr_records = nr;
	return 0;
}
