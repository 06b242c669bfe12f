// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions of libtopdown, and what follows from their records.
 */
#include <errno.h>
#include <fcntl.h>
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

/* Nothing that is written is touched on error. */
static void test_absent(struct topdown *td)
{
	uint64_t events = 77;
	struct topdown_latencies *latencies = NULL;
	unsigned int nr = 77, refusal = 77;

	setenv("FAKE_LATENCY_UNLOADED", "1", 1);
	check(topdown_latency_events(td, &events, &refusal) == -ENOENT &&
	      topdown_latencies_start(td, NULL, 0, 1ULL << NEVER, &latencies, &nr) == -ENOENT &&
	      topdown_latencies_start_tasks(td, 1, 1ULL << NEVER, &latencies, &nr) == -ENOENT,
	      "the module is not loaded");
	unsetenv("FAKE_LATENCY_UNLOADED");
	setenv("FAKE_LATENCY_OPEN_ERRNO", "13", 1);
	check(topdown_latency_events(td, &events, &refusal) == -EACCES, "its device needs a right");
	unsetenv("FAKE_LATENCY_OPEN_ERRNO");
	setenv("FAKE_LATENCY_MINOR_OF", "topdown", 1);
	check(topdown_latency_events(td, &events, &refusal) == -ENODEV,
	      "a node of another driver is refused");
	unsetenv("FAKE_LATENCY_MINOR_OF");
	check(!latencies && events == 77 && refusal == 77 && nr == 77, "nothing was written");
}

/* A reader who may not write can ask, but the driver tries no event for him; and cannot start. */
static void test_read_only(struct topdown *td)
{
	struct topdown_latencies *latencies = NULL;
	unsigned int nr, refusal = 77;
	uint64_t events = 0;

	setenv("FAKE_LATENCY_READ_ONLY", "13", 1);
	check(!topdown_latency_events(td, &events, &refusal) && events && !refusal,
	      "a device for reading only can be asked");
	setenv("FAKE_REFUSAL", "1", 1);
	check(!topdown_latency_events(td, &events, &refusal) && !events &&
	      refusal == TOPDOWN_LATENCY_REFUSAL_NO_CPU, "a device for reading says why not");
	unsetenv("FAKE_REFUSAL");
	check(topdown_latencies_start(td, NULL, 0, 1ULL << NEVER, &latencies, &nr) == -EBADF &&
	      !latencies, "a device for reading only samples nothing");
	unsetenv("FAKE_LATENCY_READ_ONLY");
}

/* The machine's own reason comes first. */
static void test_no_model(void)
{
	struct topdown_latencies *latencies = NULL;
	struct topdown *td;
	uint64_t events = 77;
	unsigned int refusal = 77, nr;

	setenv("FAKE_CPU_MODEL", "143", 1);
	td = open_fake();
	check(!topdown_latency_events(td, &events, &refusal) && !events &&
	      refusal == TOPDOWN_LATENCY_NO_MODEL,
	      "a CPU model that the library does not know is seen");
	check(topdown_latencies_start(td, NULL, 0, 1ULL << CONSTANT, &latencies, &nr) ==
	      -EOPNOTSUPP, "an unknown model has no events");
	setenv("FAKE_REFUSAL", "1", 1);
	check(!topdown_latency_events(td, &events, &refusal) && !events &&
	      refusal == TOPDOWN_LATENCY_REFUSAL_NO_CPU, "a reason of the machine comes first");
	unsetenv("FAKE_REFUSAL");
	unsetenv("FAKE_CPU_MODEL");
	topdown_close(td);
	setenv("FAKE_CPU_FAMILY", "26", 1);
	td = open_fake();
	check(!topdown_latency_events(td, &events, &refusal) && !events &&
	      refusal == TOPDOWN_LATENCY_NO_MODEL,
	      "a model of the same number of another family is unknown");
	unsetenv("FAKE_CPU_FAMILY");
	topdown_close(td);
}

static void test_names(void)
{
	unsigned int i, refusal;
	bool ok = true;

	for (i = 0; topdown_latency_event_name(i); i++)
		ok &= topdown_latency_event_by_name(topdown_latency_event_name(i)) == (int)i;
	check(ok && i == 32, "events have names, and names events");
	check(topdown_latency_event_by_name("mem_load_retired.l2_hit") == NEVER,
	      "small letters name events");
	check(topdown_latency_event_by_name("MEM_LOAD_RETIRED") == -ENOENT &&
	      !topdown_latency_event_name(32) && !topdown_latency_event_name(~0U),
	      "an unknown name is no event");
	for (refusal = 0; refusal < 4; refusal++)
		ok &= strcmp(topdown_latency_refusal_text(refusal),
			     topdown_latency_refusal_text(99)) != 0;
	ok &= strcmp(topdown_latency_refusal_text(TOPDOWN_LATENCY_NO_MODEL),
		     topdown_latency_refusal_text(99)) != 0;
	check(ok, "each refusal has a text");
}

static void test_machine(struct topdown *td)
{
	unsigned int refusal = 77;
	uint64_t events = 77;

	check(!topdown_latency_events(td, &events, &refusal) && !refusal &&
	      events == (1ULL << CONSTANT | 1ULL << BIMODAL | 1ULL << NEVER),
	      "the events of the machine have the library's numbers");
}

static void test_refused(struct topdown *td)
{
	struct topdown_latencies *latencies = NULL;
	uint64_t events = 77, cpus = 0;
	unsigned int refusal = 77, nr = 77;

	setenv("FAKE_REFUSAL", "2", 1);
	check(!topdown_latency_events(td, &events, &refusal) && !events &&
	      refusal == TOPDOWN_LATENCY_REFUSAL_NO_KERNEL, "a refusal is seen");
	check(topdown_latencies_start(td, NULL, 0, 1ULL << CONSTANT, &latencies, &nr) ==
	      -EOPNOTSUPP, "no session starts then");
	/* These numbers are the library's. */
	setenv("FAKE_REFUSAL", "2147483648", 1);
	check(topdown_latency_events(td, &events, &refusal) == -EPROTO && !events &&
	      refusal == TOPDOWN_LATENCY_REFUSAL_NO_KERNEL,
	      "a refusal that the module never says is an error");
	unsetenv("FAKE_REFUSAL");
	check(topdown_latencies_start(td, NULL, 0, 0, &latencies, &nr) == -EINVAL &&
	      topdown_latencies_start(td, &cpus, 1, 1ULL << CONSTANT, &latencies, &nr) == -EINVAL &&
	      topdown_latencies_start(td, NULL, 0, 1, &latencies, &nr) == -EOPNOTSUPP &&
	      topdown_latencies_start(td, NULL, 0, 1ULL << 63, &latencies, &nr) == -EOPNOTSUPP &&
	      !latencies && nr == 77,
	      "no events, no CPUs, or an event that is not there are refused");
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
	struct topdown_latencies *latency = NULL, *other = NULL;
	unsigned int nr = 0, few = 1;
	int fd;

	check(!topdown_latencies_start(td, NULL, 0, events, &latency, &nr) && latency &&
	      nr == RECORDS, "a session starts");
	check(fcntl(topdown_latencies_fd(latency), F_GETFD) == FD_CLOEXEC,
	      "its descriptor closes on exec");
	/* Its time does not pass with the other's. */
	check(!topdown_latencies_start(td, NULL, 0, 1ULL << BIMODAL, &other, &few) && few == 2 &&
	      topdown_latencies_fd(other) != topdown_latencies_fd(latency) &&
	      !topdown_latencies_read(other, now, sizeof(*now), &few) && !now[0].samples &&
	      now[0].event == BIMODAL, "another starts beside it");
	topdown_latencies_end(other);
	few = 1;
	check(topdown_latencies_read(latency, then, sizeof(*then), &few) == -EMSGSIZE &&
	      few == RECORDS, "too little room is seen");
	check(topdown_latencies_read(latency, then, sizeof(*then) - 1, &nr) == -EINVAL,
	      "a record that is too short is refused");
	check(!topdown_latencies_read(latency, then, sizeof(*then), &nr) &&
	      !topdown_latencies_read(latency, now, sizeof(*now), &nr) &&
	      !topdown_latencies_read(latency, now, sizeof(*now), &nr), "readings can be taken");
	check(constant_right(&now[0], 20) && constant_right(&now[1], 40) &&
	      bimodal_right(&now[2]) && never_right(&now[4]), "records are right");
	check(!topdown_latency_between(&then[2], &now[2], &part) && bimodal_right(&part) &&
	      part.samples == 20 && part.running_ns == 100000000 && part.counted == 22000 &&
	      part.lost == 1000, "a difference is right");
	then[3].lost = now[3].lost + 1;
	then[2].counted = now[2].counted + 1;
	check(topdown_latency_between(&then[2], &now[2], &part) == -ERANGE &&
	      topdown_latency_between(&then[3], &now[3], &part) == -ERANGE,
	      "less counted or lost gives no difference");
	check(topdown_latency_between(&now[2], &then[2], &part) == -ERANGE &&
	      topdown_latency_between(&then[0], &now[1], &part) == -EINVAL &&
	      topdown_latency_between(&then[0], &now[2], &part) == -EINVAL,
	      "records of others give no difference");
	topdown_latency_add(&sum, &now[0]);
	topdown_latency_add(&sum, &now[1]);
	check(constant_right(&sum, 60) && sum.cpu == TOPDOWN_CPU_ALL &&
	      sum.elapsed_ns == 400000000 && sum.counted == 66000 && sum.lost == 3000 &&
	      sum.flags == TOPDOWN_LATENCY_RECORD_COUNTED, "a sum is right");
	fd = topdown_latencies_fd(latency);
	topdown_latencies_end(latency);
	topdown_latencies_end(NULL);
	check(fcntl(fd, F_GETFD) < 0 && errno == EBADF,
	      "the end of a session closes its descriptor");
}

/* The module numbers the events of a session from 0 on, and the mask has gaps. */
static void test_numbers(struct topdown *td)
{
	static const unsigned int numbers[] = { CONSTANT, BIMODAL, NEVER };
	struct topdown_latency_record records[RECORDS] = { 0 };
	struct topdown_latencies *latencies;
	unsigned int nr = 0, mask, i, n;
	uint64_t events;
	bool ok = true;

	for (mask = 1; mask < 8; mask++) {
		events = 0;
		for (i = 0; i < 3; i++)
			events |= (uint64_t)(mask >> i & 1) << numbers[i];
		if (topdown_latencies_start(td, NULL, 0, events, &latencies, &nr))
			break;
		ok &= !topdown_latencies_read(latencies, records, sizeof(*records), &nr) &&
		      nr == 2U * __builtin_popcount(mask);
		for (i = 0, n = 0; i < 3; i++) {
			for (; mask >> i & 1 && n < nr && records[n].event == numbers[i]; n++)
				;
		}
		ok &= n == nr;
		topdown_latencies_end(latencies);
	}
	check(ok && mask == 8, "records have the library's numbers, whatever the mask");
	nr = 0;
	setenv("FAKE_LATENCY_FOREIGN", "1", 1);
	check(!topdown_latencies_start(td, NULL, 0, 1ULL << BIMODAL, &latencies, &nr) &&
	      topdown_latencies_read(latencies, records, sizeof(*records), &nr) == -EPROTO,
	      "a record of an event that the session has not is an error");
	unsetenv("FAKE_LATENCY_FOREIGN");
	topdown_latencies_end(latencies);
}

static int start_raw(struct topdown *td, const struct topdown_latency_event *events,
		     unsigned int nr_events, struct topdown_latencies **out, unsigned int *nr)
{
	return topdown_latencies_start_raw(td, NULL, 0, -1, events, nr_events, sizeof(*events), out,
					   nr);
}

/* The stand-in takes them as LOCAL_DRAM, and as SPLIT_LOADS. */
static void test_raw(struct topdown *td)
{
	const struct topdown_latency_event raw[] = { { .config = 0x01d3 }, { .config = 0x41d0 } };
	const struct topdown_latency_event wrong = { .config = 0x01d3, .config1 = 1 };
	const uint64_t first = 1;
	struct topdown_latency_event many[65] = { 0 };
	struct topdown_latency_record records[RECORDS] = { 0 };
	struct topdown_latencies *latencies = NULL;
	unsigned int nr = 77, i;

	for (i = 0; i < 65; i++)
		many[i] = raw[0];
	check(start_raw(td, raw, 0, &latencies, &nr) == -EINVAL &&
	      start_raw(td, many, 65, &latencies, &nr) == -EINVAL &&
	      topdown_latencies_start_raw(td, NULL, 0, -1, raw, 2, sizeof(*raw) - 1, &latencies,
					  &nr) == -EINVAL &&
	      topdown_latencies_start_raw(td, &first, 1, topdown_fd(td), raw, 2, sizeof(*raw),
					  &latencies, &nr) == -EINVAL,
	      "no encodings, too many, short ones, or CPUs and a session are refused");
	check(start_raw(td, &wrong, 1, &latencies, &nr) == -EOPNOTSUPP && !latencies && nr == 77,
	      "an encoding that the driver does not take is refused");
	check(!start_raw(td, raw, 2, &latencies, &nr) && nr == 4, "raw encodings start a session");
	topdown_latencies_read(latencies, records, sizeof(*records), &nr);
	check(!topdown_latencies_read(latencies, records, sizeof(*records), &nr) &&
	      !records[0].event && !records[1].event && bimodal_right(&records[1]) &&
	      records[2].event == 1 && records[3].event == 1 && records[3].max == 7,
	      "records have their index, in the order in which they were given");
	topdown_latencies_end(latencies);
	nr = 77;
	check(!start_raw(td, many, 64, &latencies, &nr) && nr == 128,
	      "as many as there may be start");
	topdown_latencies_end(latencies);
	check(!topdown_latencies_start_raw(td, &first, 1, -1, raw, 2, sizeof(*raw), &latencies,
					   &nr) && nr == 2, "raw encodings start on one CPU");
	topdown_latencies_end(latencies);
}

static void test_tasks(struct topdown *td)
{
	struct topdown_latency_record records[2];
	const struct topdown_latency_event raw = { .config = 0x41d0 };
	uint64_t events = 1ULL << CONSTANT | 1ULL << BIMODAL;
	struct topdown_latencies *latency = NULL;
	unsigned int nr = 77;
	int session = -1;

	topdown_session_attach(td, 0, 0, &session);
	check(topdown_latencies_start_tasks(td, -1, events, &latency, &nr) == -EBADF &&
	      topdown_latencies_start_tasks(td, topdown_fd(td), events, &latency, &nr) == -EBADF &&
	      topdown_latencies_start_tasks(td, session, 0, &latency, &nr) == -EINVAL &&
	      !latency && nr == 77, "tasks of no session, or no events, are refused");
	check(!topdown_latencies_start_tasks(td, session, events, &latency, &nr) && nr == 2 &&
	      topdown_latencies_start_tasks(td, session, events, &latency, &nr) == -EBUSY,
	      "the tasks of a session are sampled once");
	check(!topdown_latencies_read(latency, records, sizeof(*records), &nr) &&
	      !topdown_latencies_read(latency, records, sizeof(*records), &nr) &&
	      constant_right(&records[0], 20) && bimodal_right(&records[1]) &&
	      records[0].cpu == TOPDOWN_CPU_ALL && !records[0].flags && !records[0].counted,
	      "tasks have their records");
	topdown_latencies_end(latency);
	nr = 77;
	check(!topdown_latencies_start_raw(td, NULL, 0, session, &raw, 1, sizeof(raw), &latency,
					   &nr) && nr == 1 &&
	      !topdown_latencies_read(latency, records, sizeof(*records), &nr) &&
	      records[0].cpu == TOPDOWN_CPU_ALL && !records[0].event,
	      "raw encodings of tasks start after the other has ended");
	topdown_latencies_end(latency);
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
	      "Granite Rapids has what is published");
	source = topdown_latency_default(6, 204, NEVER, &mean, &min, &max);
	check(source && !strcmp(source, "pmu-tools") && near(mean, 3.08) && max == 6918,
	      "Panther Lake has what is published");
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
	      part.samples == 1 && near(topdown_latency_mean(&part), 100), "bins have their ends");
}

int main(void)
{
	struct topdown *td;

	ktap_begin(&ktap, 48);
	test_names();
	test_ends();
	test_defaults();
	setenv("FAKE_FEATURES", "32", 1);
	setenv("FAKE_LOST", "1", 1);
	test_no_model();
	td = open_fake();
	test_absent(td);
	test_read_only(td);
	test_machine(td);
	test_refused(td);
	test_session(td);
	test_numbers(td);
	test_raw(td);
	test_tasks(td);
	topdown_close(td);
	return ktap_end(&ktap);
}
