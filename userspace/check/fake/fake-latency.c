// SPDX-License-Identifier: GPL-2.0
/*
 * The latency sessions of the stand-in for the kernel: CPUs, two events, and a third that
 * is never sampled.
 *
 *   FAKE_REFUSAL   enum topdown_latency_refusal (0)
 *   FAKE_LATENCY_ERRNO   with which LATENCY fails
 *   FAKE_LATENCY_BARRED   file with the errno with which LATENCY fails, as long as it is there
 *   FAKE_AWAY      perf users have the counter
 *   FAKE_LATENCY_MORE   three events more; 2: all that there are
 *   FAKE_LATENCY_CPUS   number of CPUs (2)
 *   FAKE_LATENCY_MISSED   tasks ended before they were sampled
 *   FAKE_LATENCY_GONE   a session whose tasks have ended
 *   FAKE_LATENCY_READS   number of reads that succeed
 *   FAKE_LATENCY_ENDED   a file that is made when a session is ended
 *   FAKE_LATENCY_BEFORE   steps that there were before the session (0)
 *   FAKE_SAMPLED   number of the first event that never happens (64)
 *   FAKE_NO_TURN   a CPU on which no event has the counter
 *   FAKE_NO_SAMPLE a CPU on which events are counted, and none is sampled
 *   FAKE_PAUSE_FROM, FAKE_PAUSE_TO   after the one step and up to the other perf users have the
 *                  counter, and nothing is sampled
 *   FAKE_MISSED_STEP   a step whose samples are all lost
 *   FAKE_LOST      for each 20 samples one has been lost
 *   FAKE_UNCOUNTED the module is older, and counts no events
 *
 * The tasks of a session have what CPU 1 has.  There is session 1 only.
 */
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONSTANT	TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS
#define BIMODAL		TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM
#define NEVER		TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT
#define EVENTS		(1ULL << CONSTANT | 1ULL << BIMODAL | 1ULL << NEVER)
/* The first and the last as BIMODAL, the second as CONSTANT. */
#define MORE		(1ULL << TOPDOWN_LATENCY_FRONTEND_RETIRED_L1I_MISS |	\
			 1ULL << TOPDOWN_LATENCY_FRONTEND_RETIRED_L2_MISS |	\
			 1ULL << TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_STORES)

#define FAKE_LATENCY_RECORD_SIZE_MIN	984

static uint64_t wanted;
static uint64_t cpus;
static int followed;
static unsigned int steps;

static uint64_t events(void)
{
	long more = setting("FAKE_LATENCY_MORE", 0);

	if (more > 1)
		return (2ULL << TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L3_HIT) - 1;
	return more ? EVENTS | MORE : EVENTS;
}

static unsigned int sampled_cpus(void)
{
	return followed ? 2 : setting("FAKE_LATENCY_CPUS", 2);
}

static bool is_sampled(unsigned int cpu)
{
	/* A set that is given has one word. */
	return followed ? cpu == 1 : cpu < sampled_cpus() && cpus >> cpu % 64 & 1;
}

static unsigned int nr_records(void)
{
	unsigned int cpu, n = 0;

	for (cpu = 0; cpu < sampled_cpus(); cpu++)
		n += is_sampled(cpu);
	return n * __builtin_popcountll(wanted);
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

int fake_latency(struct topdown_latency *arg)
{
	unsigned int refusal = setting("FAKE_REFUSAL", 0);
	const char *ended = getenv("FAKE_LATENCY_ENDED");
	bool of_session = arg->flags & TOPDOWN_LATENCY_SESSION;
	int session = of_session ? fake_session_of(arg->session) + 1 : 0;

	if (!(setting("FAKE_FEATURES", 7) & TOPDOWN_FEATURE_LATENCY))
		return refuse(ENOTTY);
	if (arg->events && barred())
		return refuse(barred());
	if (arg->flags & ~TD_LATENCY_FLAGS)
		return refuse(EOPNOTSUPP);
	if (arg->flags & TOPDOWN_LATENCY_REMOVE) {
		if (arg->latency > 1 || (arg->latency && !wanted))
			return refuse(ENOENT);
		wanted = 0;
		if (ended)
			creat(ended, 0600);
		return 0;
	}
	arg->out_refusal = refusal;
	arg->out_events = refusal ? 0 : events();
	if (!arg->events)
		return 0;
	if (refusal || arg->events & ~events())
		return refuse(EOPNOTSUPP);
	if ((of_session && arg->cpus_words) || (!of_session && arg->session))
		return refuse(EINVAL);
	if (of_session && (session <= 0 || fake_session_is_view(arg->session)))
		return refuse(EBADF);
	if (session && session == setting("FAKE_LATENCY_GONE", 0))
		return refuse(ESRCH);
	if (session && session == followed && wanted)
		return refuse(EBUSY);
	wanted = arg->events;
	followed = session;
	cpus = arg->cpus_words ? *(const uint64_t *)(uintptr_t)arg->cpus : UINT64_MAX;
	steps = setting("FAKE_LATENCY_BEFORE", 0);
	arg->out_latency = 1;
	arg->out_nr_records = nr_records();
	return 0;
}

static bool is_counted(void)
{
	return !followed && !setting("FAKE_UNCOUNTED", 0);
}

/* How many of the last steps were paused, or without samples. */
static unsigned int paused(void)
{
	unsigned int from = setting("FAKE_PAUSE_FROM", 0), to = setting("FAKE_PAUSE_TO", 0);

	if (steps <= from)
		return 0;
	return (steps < to ? steps : to) - from;
}

static bool is_paused(void)
{
	return steps > (unsigned int)setting("FAKE_PAUSE_FROM", 0) &&
	       steps <= (unsigned int)setting("FAKE_PAUSE_TO", 0);
}

static bool has_missed(void)
{
	return steps >= (unsigned int)setting("FAKE_MISSED_STEP", -1);
}

/*
 * Each step: on CPU 0 ten samples, on CPU 1 twenty, and so on, of 1000 events each.  A tenth more
 * was counted.  CONSTANT is 7, and from CPU 2 on 9.
 */
static void fill_latency(struct topdown_latency_record *record, unsigned int event,
			 unsigned int cpu)
{
	uint64_t samples = (uint64_t)(steps - paused() - has_missed()) * 10 * (cpu + 1);
	unsigned int constant = cpu < 2 ? 7 : 9;

	*record = (struct topdown_latency_record){
		.event = event,
		.cpu = cpu,
		.flags = (setting("FAKE_AWAY", 0) || is_paused() ? TOPDOWN_LATENCY_AWAY : 0) |
			 (is_counted() ? TOPDOWN_LATENCY_COUNTED : 0),
		.elapsed_ns = steps * 100000000ULL,
	};
	FAKE_GROWN(record);
	if (getenv("FAKE_LATENCY_MISSED")) {
		record->elapsed_ns = 0;
		return;
	}
	if (event == NEVER || event >= (unsigned int)setting("FAKE_SAMPLED", 64) || !steps ||
	    cpu == setting("FAKE_NO_TURN", -1))
		return;
	record->samples = samples;
	record->events = samples * 1000;
	record->running_ns = record->elapsed_ns / 2;
	if (is_counted()) {
		record->counted = samples * 1100;
		record->lost = setting("FAKE_LOST", 0) ? samples * 50 : 0;
		record->lost += has_missed() * 10000 * (cpu + 1);
	}
	if (cpu == setting("FAKE_NO_SAMPLE", -1)) {
		record->samples = 0;
		record->events = 0;
		return;
	}
	if (event == CONSTANT || event == TOPDOWN_LATENCY_FRONTEND_RETIRED_L2_MISS) {
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

int fake_latency_read(struct topdown_latencies *arg)
{
	unsigned int nr = nr_records();
	char *to = (char *)(uintptr_t)arg->records;
	struct topdown_latency_record record;
	size_t known = sizeof(record);
	unsigned int event, cpu;

	if (!(setting("FAKE_FEATURES", 7) & TOPDOWN_FEATURE_LATENCY))
		return refuse(ENOTTY);
	if (arg->flags)
		return refuse(EOPNOTSUPP);
	if (arg->__reserved || arg->record_size < FAKE_LATENCY_RECORD_SIZE_MIN)
		return refuse(EINVAL);
	if (!wanted || arg->latency != 1)
		return refuse(ENOENT);
	if (steps >= (unsigned int)setting("FAKE_LATENCY_READS", -1))
		return refuse(EIO);
	if (arg->nr_records < nr) {
		arg->nr_records = nr;
		return refuse(EMSGSIZE);
	}
	if (known > arg->record_size)
		known = arg->record_size;
	for (event = 0; event < 64; event++) {
		for (cpu = 0; wanted >> event & 1 && cpu < sampled_cpus(); cpu++) {
			if (!is_sampled(cpu))
				continue;
			fill_latency(&record, event, cpu);
			if (followed)
				record.cpu = TOPDOWN_CPU_ALL;
			memcpy(to, &record, known);
			memset(to + known, 0, arg->record_size - known);
			to += arg->record_size;
		}
	}
	steps++;
	arg->nr_records = nr;
	return 0;
}
