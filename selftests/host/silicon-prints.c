// SPDX-License-Identifier: GPL-2.0
/*
 * Raw counts that people printed from real CPUs: what our arithmetic learns of the making of
 * bytes from them, and whether it tells those that perf restored too often.
 *
 * Counters that were read once and never restored have level 1 in whole steps.  Some rows are in
 * both files, and count once.
 */
#include <math.h>

#include "metrics.h"
#include "silicon.h"

#define TESTS		7
#define STEPS		255
#define WRONG		0.02
#define ROWS		256

static const char *const metric_column[TD_METRIC_NR] = {
	"retiring", "bad_spec", "fe_bound", "be_bound", "heavy_ops", "br_mispredict", "fetch_lat",
	"mem_bound",
};

struct tally {
	struct td_counts seen[ROWS];
	unsigned int rows, again, wrong, wrong_is_right;
	/* Of those never restored. */
	unsigned int once, all_slots, rests;
	/* Of level 1 in whole steps: the sum is 255, one more, or something else. */
	unsigned int whole, full, above, other;
};

static double l1_of(const struct td_counts *counts)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		sum += counts->metric[i];
	return sum;
}

static bool in_whole_steps(const struct td_counts *counts)
{
	double steps;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++) {
		steps = (double)counts->metric[i] * STEPS / counts->slots;
		if (fabs(steps - rint(steps)) > 0.02)
			return false;
	}
	return true;
}

/* Level 2 is missing in one of the files at times. */
static bool is_same(const struct td_counts *a, const struct td_counts *b)
{
	return a->slots == b->slots &&
	       !memcmp(a->metric, b->metric, TD_METRIC_L1 * sizeof(a->metric[0]));
}

static bool is_new(const struct td_counts *counts, struct tally *tally)
{
	unsigned int i;

	for (i = 0; i < tally->rows; i++) {
		if (is_same(&tally->seen[i], counts)) {
			tally->again++;
			return false;
		}
	}
	if (tally->rows == ROWS)
		return false;
	tally->seen[tally->rows++] = *counts;
	return true;
}

static void judge(const struct td_counts *counts, struct tally *tally)
{
	struct td_quant known = { .rest = 32 };
	__u64 node[TOPDOWN_MAX_NODES] = { 0 };
	struct td_counts copy = *counts;
	double steps = l1_of(counts) * STEPS / counts->slots;
	bool wrong = fabs(steps / STEPS - 1) > WRONG;

	tally->wrong += wrong;
	tally->wrong_is_right += wrong && td_counts_fold(&copy, &known, 2, node) == TD_BYTES_RIGHT;
	if (!in_whole_steps(counts))
		return;
	tally->whole++;
	tally->full += fabs(steps - STEPS) < 0.1;
	tally->above += fabs(steps - STEPS - 1) < 0.1;
	tally->other += fabs(steps - STEPS - 0.5) > 0.6;
}

/* prints.csv says how each was made: "a", whole CPUs and never restored. */
static void print_row(const struct silicon *silicon, struct tally *tally)
{
	struct td_counts counts = { .slots = silicon_number(silicon, "slots") };
	struct td_quant quant = { 0 };
	unsigned int i;

	for (i = 0; i < TD_METRIC_NR; i++)
		counts.metric[i] = silicon_number(silicon, metric_column[i]);
	if (!is_new(&counts, tally))
		return;
	judge(&counts, tally);
	if (strcmp(silicon_text(silicon, "how"), "a"))
		return;
	td_quant_learn(&quant, &counts);
	tally->once++;
	tally->all_slots += fabs(l1_of(&counts) / counts.slots - 1) < 0.5 / STEPS;
	tally->rests += quant.rest > 0;
	ktap_note("%s: level 1 sums to %.2f steps: %s", silicon_text(silicon, "name"),
		  l1_of(&counts) * STEPS / counts.slots, quant.rest > 0 ? "a rest" : "no rest");
}

/* 'NAME',SLOTS,[FOUR],[FOUR] or None,PERCENT; one of the four may be None too. */
static bool parse_print(char *line, struct td_counts *counts)
{
	char *at = strrchr(line, '\'');
	unsigned int i;

	if (!at || sscanf(at, "',%llu,[", &counts->slots) != 1)
		return false;
	at = strchr(at, '[');
	if (!at)
		return false;
	for (i = 0; i < TD_METRIC_L1; i++) {
		at += strcspn(at, "0123456789N]");
		if (*at == 'N' || *at == ']')
			return false;
		counts->metric[i] = strtoull(at, &at, 10);
	}
	return counts->slots;
}

static unsigned int read_prints(struct tally *tally, const char *path)
{
	FILE *file = fopen(path, "r");
	struct td_counts counts;
	unsigned int rows = 0;
	char line[400];

	while (file && fgets(line, sizeof(line), file)) {
		counts = (struct td_counts){ 0 };
		if (!parse_print(line, &counts))
			continue;
		if (is_new(&counts, tally))
			judge(&counts, tally);
		rows++;
	}
	if (file)
		fclose(file);
	return rows;
}

int main(int argc, char **argv)
{
	struct tally tally = { 0 };
	struct silicon silicon;
	unsigned int texts;
	struct ktap ktap;
	bool whole;

	if (argc != 3 || !silicon_open(&silicon, argv[1]))
		return silicon_skip(TESTS);
	ktap_begin(&ktap, TESTS);
	while (silicon_row(&silicon))
		print_row(&silicon, &tally);
	whole = silicon_close(&silicon);
	texts = read_prints(&tally, argv[2]);
	ktap_note("%u rows, %u more are in both files; %u off by more than 2%%", tally.rows,
		  tally.again, tally.wrong);
	ktap_note("%u have level 1 in whole steps: %u sum to 255, %u to 256, %u to something else",
		  tally.whole, tally.full, tally.above, tally.other);
	ktap_result(&ktap, whole && tally.rows > texts && texts >= 20 && tally.rows < ROWS,
		    "rows were read");
	ktap_result(&ktap, tally.again, "rows of both files count once");
	/* The other one is an Alder Lake, whose sum is a step over. */
	ktap_result(&ktap, tally.once >= 4 && tally.all_slots >= tally.once - 1,
		    "never restored, level 1 is all slots, but for one row");
	ktap_result(&ktap, tally.rests == tally.all_slots, "each of these teaches a rest");
	ktap_result(&ktap, tally.wrong && !tally.wrong_is_right,
		    "no row that is off by more than 2%% passes for right");
	ktap_result(&ktap, tally.full + tally.above > 3 * tally.other,
		    "whole steps are all of 255, or one more");
	ktap_result(&ktap, tally.whole >= 6, "some rows have whole steps");
	return ktap_end(&ktap);
}
