// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record --latency: the recording has all samples of its time, and no others, as a latency
 * session of our own and the emulated PMU have counted them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fact.h"
#include "latency_fixture.h"

#define RECORDING	"/tmp/latencies.data"
#define EVENTS		"MEM_INST_RETIRED.SPLIT_LOADS,MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM," \
			"MEM_LOAD_RETIRED.L3_HIT,FRONTEND_RETIRED.L1I_MISS,MEM_LOAD_RETIRED.L2_HIT"
#define LOAD_MS		3000
/* As in pmu/latencies. */
#define CONSTANT	7
#define LEAST_SAMPLES	50
#define LIMIT_LOST	0.02
/* More than a row of CSV has. */
#define NR_COLUMNS	64

/* A row of topdown report --latency -x ,. */
struct reported {
	char event[64];
	uint64_t samples;
	uint64_t events;
	double mean;
	double quantile[3];
};

static int record_start(void)
{
	int pid = fork();

	if (pid)
		return pid;
	execlp("topdown", "topdown", "record", "-C", "1", "--latency", EVENTS, "-I", "100",
	       "--timeout", "20s", "-o", RECORDING, NULL);
	_exit(127);
}

/*
 * It has its session, so all that is sampled from now on is in the file: it writes what the machine
 * is, begins the session, and writes again.
 */
static bool record_began(void)
{
	struct stat st;
	off_t first = 0;
	int i;

	for (i = 0; i < 100; i++) {
		if (!stat(RECORDING, &st) && st.st_size > 1000) {
			if (first && st.st_size > first)
				return true;
			first = st.st_size;
		}
		sleep_ms(50);
	}
	return false;
}

/* Take a line apart. */
static unsigned int columns_of(char *line, char **column)
{
	unsigned int n = 0;

	line[strcspn(line, "\n")] = '\0';
	while (n < NR_COLUMNS && line)
		column[n++] = strsep(&line, ",");
	return n;
}

/* The value below a heading. */
static const char *below(const char *name, char **heading, char **column, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!strcmp(heading[i], name))
			return column[i];
	}
	return "";
}

static void report_parse(struct reported *row, char **heading, char **column, unsigned int n)
{
	static const char * const name[3] = { "p50", "p90", "p99" };
	unsigned int i;

	snprintf(row->event, sizeof(row->event), "%s", below("event", heading, column, n));
	row->samples = strtoull(below("samples", heading, column, n), NULL, 10);
	row->events = strtoull(below("events", heading, column, n), NULL, 10);
	row->mean = strtod(below("mean", heading, column, n), NULL);
	for (i = 0; i < 3; i++)
		row->quantile[i] = strtod(below(name[i], heading, column, n), NULL);
}

/* The rows are in the order of the events' numbers. */
static unsigned int report_read(struct reported *rows, unsigned int nr)
{
	FILE *file = popen("topdown report --latency -x , " RECORDING, "re");
	char first[512], line[512], *heading[NR_COLUMNS], *column[NR_COLUMNS];
	unsigned int columns = 0, n = 0;

	if (file && fgets(first, sizeof(first), file))
		columns = columns_of(first, heading);
	while (columns && n < nr && fgets(line, sizeof(line), file) &&
	       columns_of(line, column) == columns)
		report_parse(&rows[n++], heading, column, columns);
	return file && !pclose(file) ? n : 0;
}

/* A record that is no sample is one that the driver dropped. */
static bool samples_right(const struct reported *row, uint64_t records)
{
	return fact(row->samples >= LEAST_SAMPLES) & fact(row->samples <= records) &
	       fact_most("samples lost", records - row->samples, 2 + LIMIT_LOST * records);
}

static bool row_right(const struct reported *row, const struct moment *then,
		      const struct moment *now)
{
	static const double share[3] = { 0.5, 0.9, 0.99 };
	uint64_t events = now->record.events - then->record.events;
	double mean = (now->record.sum - then->record.sum) / (double)events;
	unsigned int i;
	bool right;

	printf("# %s: %llu samples, mean %.3f\n", row->event, (unsigned long long)row->samples,
	       row->mean);
	right = fact(row->samples == now->record.samples - then->record.samples) &
		fact(row->events == events) & fact_near("mean", row->mean, mean, 1e-5);
	right &= samples_right(row, now->truth.count - then->truth.count);
	for (i = 0; i < 3; i++)
		right &= fact_near("quantile", row->quantile[i],
				   moment_quantile(then, now, share[i]), 0.06);
	return right;
}

/* The shapes in the order of a report, which is that of the library's numbers. */
static const unsigned int shape_at[NR_SHAPES] = {
	L1I_MISS, SPLIT_LOADS, LOCAL_DRAM, L2_HIT, L3_HIT,
};

/* The samples begin and end while the recorder records, so both have the same. */
TEST_F_TIMEOUT(latency, a_recording_has_the_samples, 240)
{
	struct moment *then = calloc(2 * NR_SHAPES, sizeof(*then)), *now = then + NR_SHAPES;
	struct reported rows[NR_SHAPES];
	int session, pid, status;
	unsigned int i;

	ASSERT_NE(NULL, then);
	unlink(RECORDING);
	session = latency_start(ALL_SHAPES);
	ASSERT_LT(0, session);
	/* The recording lacks the samples before its session. */
	sleep_ms(500);
	spin_stop(self->load);
	self->load = -1;
	ASSERT_TRUE(moments_fill(then, session));
	pid = record_start();
	ASSERT_LT(0, pid);
	EXPECT_TRUE(record_began());
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
	EXPECT_LT(0, self->load);
	sleep_ms(LOAD_MS);
	spin_stop(self->load);
	self->load = -1;
	EXPECT_EQ(0, kill(pid, SIGTERM));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(128 + SIGTERM, WEXITSTATUS(status));
	ASSERT_TRUE(moments_fill(now, session));
	ASSERT_EQ(NR_SHAPES, report_read(rows, NR_SHAPES));
	for (i = 0; i < NR_SHAPES; i++) {
		EXPECT_TRUE(row_right(&rows[i], &then[shape_at[i]], &now[shape_at[i]]));
		/* The constant one has its mean however long the periods were. */
		if (!shape_at[i])
			EXPECT_TRUE(fact_near("constant", rows[i].mean, CONSTANT, 1e-6));
	}
	free(then);
}

int main(int argc, char **argv)
{
	return latency_main(argc, argv);
}
