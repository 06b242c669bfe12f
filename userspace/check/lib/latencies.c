// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions of libtopdown, and what follows from their records.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

#define CONSTANT	TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS
#define BIMODAL		TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM
#define NEVER		TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT
#define RECORDS		6

static bool near(double value, double want)
{
	return fabs(value - want) < 1e-9;
}

static void test_absent(void)
{
	struct topdown_latency_record records[RECORDS];
	struct topdown *td = open_fake();
	unsigned int nr = RECORDS, refusal = 77;
	uint32_t latency = 77;
	uint64_t events = 77;

	check(topdown_latency_events(td, &events, &refusal) == -EOPNOTSUPP &&
	      topdown_latency_start(td, NULL, 0, 1, &latency, &nr) == -EOPNOTSUPP &&
	      topdown_latency_start_tasks(td, 1, 1, &latency, &nr) == -EOPNOTSUPP &&
	      topdown_latency_end(td, 1) == -EOPNOTSUPP &&
	      topdown_latency_read(td, 1, records, sizeof(*records), &nr) == -EOPNOTSUPP &&
	      latency == 77 && events == 77 && refusal == 77 && nr == RECORDS,
	      "a module without latencies");
	topdown_close(td);
}

static void test_names(void)
{
	unsigned int i, refusal;
	bool ok = true;

	for (i = 0; topdown_latency_event_name(i); i++)
		ok &= topdown_latency_event_by_name(topdown_latency_event_name(i)) == (int)i;
	check(ok && i == 32, "names of events and back");
	check(topdown_latency_event_by_name("mem_load_retired.l2_hit") == NEVER, "small letters");
	check(topdown_latency_event_by_name("MEM_LOAD_RETIRED") == -ENOENT &&
	      !topdown_latency_event_name(32) && !topdown_latency_event_name(~0U),
	      "no such event");
	for (refusal = 0; refusal < 5; refusal++)
		ok &= strcmp(topdown_latency_refusal_text(refusal),
			     topdown_latency_refusal_text(99)) != 0;
	check(ok, "each refusal has a text");
}

static void test_refused(struct topdown *td)
{
	uint64_t events = 77, cpus = 0;
	unsigned int refusal = 77, nr = 77;
	uint32_t latency = 77;

	setenv("FAKE_REFUSAL", "2", 1);
	check(!topdown_latency_events(td, &events, &refusal) && !events &&
	      refusal == TOPDOWN_LATENCY_NO_KERNEL, "a refusal");
	check(topdown_latency_start(td, NULL, 0, 1ULL << CONSTANT, &latency, &nr) == -EOPNOTSUPP,
	      "no session then");
	unsetenv("FAKE_REFUSAL");
	check(topdown_latency_start(td, NULL, 0, 0, &latency, &nr) == -EINVAL &&
	      topdown_latency_start(td, &cpus, 1, 1ULL << CONSTANT, &latency, &nr) == -EINVAL &&
	      topdown_latency_start(td, NULL, 0, 1, &latency, &nr) == -EOPNOTSUPP &&
	      latency == 77 && nr == 77, "no events, no CPUs, or an event that is not there");
}

static bool constant_right(const struct topdown_latency_record *record, uint64_t samples)
{
	return record->event == CONSTANT && record->samples == samples &&
	       record->events == 1000 * samples && record->min == 7 && record->max == 7 &&
	       near(topdown_latency_mean(record), 7) &&
	       near(topdown_latency_variance(record), 0) &&
	       near(topdown_latency_quantile(record, 0), 7) &&
	       near(topdown_latency_quantile(record, 1), 7);
}

/* Its bins are 96..103 and 384..415, and a difference knows no more of the ends. */
static bool bimodal_right(const struct topdown_latency_record *record)
{
	double mean = 0.7 * 99.5 + 0.3 * 399.5;

	return record->min == 100 && record->max == 400 &&
	       near(topdown_latency_mean(record), 190) &&
	       near(topdown_latency_variance(record), 0.7 * (99.5 - mean) * (99.5 - mean) +
			0.3 * (399.5 - mean) * (399.5 - mean)) &&
	       near(topdown_latency_quantile(record, 0.69), 99.5) &&
	       near(topdown_latency_quantile(record, 0.71), 399.5);
}

static bool never_right(const struct topdown_latency_record *record)
{
	return record->event == NEVER && !record->samples && !record->min && !record->max &&
	       isnan(topdown_latency_mean(record)) && isnan(topdown_latency_variance(record)) &&
	       isnan(topdown_latency_quantile(record, 0.5));
}

static void test_session(struct topdown *td)
{
	struct topdown_latency_record then[RECORDS] = { 0 }, now[RECORDS] = { 0 };
	struct topdown_latency_record part, sum = { .cpu = 0 };
	uint64_t events = 1ULL << CONSTANT | 1ULL << BIMODAL | 1ULL << NEVER;
	unsigned int nr = 0, few = 1;
	uint32_t latency = 0;

	check(!topdown_latency_start(td, NULL, 0, events, &latency, &nr) && latency == 1 &&
	      nr == RECORDS, "a session");
	check(topdown_latency_read(td, 2, then, sizeof(*then), &nr) == -ENOENT,
	      "no such session");
	check(topdown_latency_read(td, latency, then, sizeof(*then), &few) == -EMSGSIZE &&
	      few == RECORDS, "too little room");
	check(topdown_latency_read(td, latency, then, sizeof(*then) - 1, &nr) == -EINVAL,
	      "a record that is too short");
	check(!topdown_latency_read(td, latency, then, sizeof(*then), &nr) &&
	      !topdown_latency_read(td, latency, now, sizeof(*now), &nr) &&
	      !topdown_latency_read(td, latency, now, sizeof(*now), &nr), "readings");
	check(constant_right(&now[0], 20) && constant_right(&now[1], 40) &&
	      bimodal_right(&now[2]) && never_right(&now[4]), "records");
	check(!topdown_latency_between(&then[2], &now[2], &part) && bimodal_right(&part) &&
	      part.samples == 20 && part.running_ns == 100000000 && part.counted == 22000 &&
	      part.lost == 1000, "a difference");
	then[3].lost = now[3].lost + 1;
	then[2].counted = now[2].counted + 1;
	check(topdown_latency_between(&then[2], &now[2], &part) == -ERANGE &&
	      topdown_latency_between(&then[3], &now[3], &part) == -ERANGE,
	      "no difference where less was counted or lost");
	check(topdown_latency_between(&now[2], &then[2], &part) == -ERANGE &&
	      topdown_latency_between(&then[0], &now[1], &part) == -EINVAL &&
	      topdown_latency_between(&then[0], &now[2], &part) == -EINVAL,
	      "no difference of others");
	topdown_latency_add(&sum, &now[0]);
	topdown_latency_add(&sum, &now[1]);
	check(constant_right(&sum, 60) && sum.cpu == TOPDOWN_CPU_ALL &&
	      sum.elapsed_ns == 400000000 && sum.counted == 66000 && sum.lost == 3000 &&
	      sum.flags == TOPDOWN_LATENCY_COUNTED, "a sum");
	check(!topdown_latency_end(td, latency) && topdown_latency_end(td, latency) == -ENOENT,
	      "the end of a session");
}

static void test_tasks(struct topdown *td)
{
	struct topdown_latency_record records[2];
	uint64_t events = 1ULL << CONSTANT | 1ULL << BIMODAL;
	unsigned int nr = 77;
	uint32_t latency = 77;
	int session = -1;

	topdown_session_attach(td, 0, 0, &session);
	check(topdown_latency_start_tasks(td, -1, events, &latency, &nr) == -EBADF &&
	      topdown_latency_start_tasks(td, topdown_fd(td), events, &latency, &nr) == -EBADF &&
	      topdown_latency_start_tasks(td, session, 0, &latency, &nr) == -EINVAL &&
	      latency == 77 && nr == 77, "tasks of no session, or no events");
	check(!topdown_latency_start_tasks(td, session, events, &latency, &nr) && nr == 2 &&
	      topdown_latency_start_tasks(td, session, events, &latency, &nr) == -EBUSY,
	      "the tasks of a session, once");
	check(!topdown_latency_read(td, latency, records, sizeof(*records), &nr) &&
	      !topdown_latency_read(td, latency, records, sizeof(*records), &nr) &&
	      constant_right(&records[0], 20) && bimodal_right(&records[1]) &&
	      records[0].cpu == TOPDOWN_CPU_ALL && !records[0].flags && !records[0].counted,
	      "their records");
	topdown_latency_end(td, latency);
	close(session);
}

static void test_defaults(void)
{
	unsigned int min = 77, max = 77;
	const char *source;
	double mean = 77;

	check(!topdown_latency_default(6, 143, NEVER, &mean, &min, &max) &&
	      !topdown_latency_default(25, 173, NEVER, &mean, &min, &max) &&
	      !topdown_latency_default(6, 173, 99, &mean, &min, &max) &&
	      !topdown_latency_default(6, 170, NEVER, &mean, &min, &max) &&
	      near(mean, 77) && min == 77 && max == 77,
	      "nothing is published, or a placeholder");
	source = topdown_latency_default(6, 173, NEVER, &mean, &min, &max);
	check(source && !strcmp(source, "perfmon") && near(mean, 5.71) && !min && max == 7140,
	      "published for Granite Rapids");
	source = topdown_latency_default(6, 204, NEVER, &mean, &min, &max);
	check(source && !strcmp(source, "pmu-tools") && near(mean, 3.08) && max == 6918,
	      "published for Panther Lake");
}

/* The ends of a difference are those of its bins. */
static void test_ends(void)
{
	struct topdown_latency_record then = { .samples = 2, .events = 2, .sum = 1005,
					       .min = 5, .max = 1000 };
	struct topdown_latency_record now, part;

	then.bin[5] = 1;
	then.bin[63] = 1;
	now = then;
	now.samples = 3;
	now.events = 3;
	now.sum += 100;
	now.bin[36] = 1;
	check(!topdown_latency_between(&then, &now, &part) && part.min == 96 && part.max == 103 &&
	      part.samples == 1 && near(topdown_latency_mean(&part), 100), "ends of bins");
}

int main(void)
{
	struct topdown *td;

	ktap_begin(&ktap, 26);
	test_absent();
	test_names();
	test_ends();
	test_defaults();
	setenv("FAKE_FEATURES", "1056", 1);
	setenv("FAKE_LOST", "1", 1);
	td = open_fake();
	test_refused(td);
	test_session(td);
	test_tasks(td);
	topdown_close(td);
	return ktap_end(&ktap);
}
