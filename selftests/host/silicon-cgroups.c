// SPDX-License-Identifier: GPL-2.0
/*
 * Twenty thousand rows that perf printed of cgroups on two Sapphire Rapids: what our arithmetic
 * says of each as if it were a window.  Rows that cannot be right must not pass for right.
 */
#include <math.h>

#include "metrics.h"
#include "silicon.h"

#define TESTS		5
#define ROWS_MIN	19000

/* A share of the slots beyond which a row is wrong. */
#define WRONG		0.02
/* Their base clock in GHz, and the slots a cycle. */
#define CLOCK		3.2
#define WIDTH		6

static const char *const metric_column[TD_METRIC_NR] = {
	"topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
	"topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound",
};

struct tally {
	unsigned int rows, wrong, wrong_is_right, beyond, scaled, impossible;
	unsigned int judged[2][TD_BYTES_ZERO + 1];
	double fastest;
};

static bool possible(const struct td_counts *counts, const __u64 *node)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++) {
		const __u64 *pair = &node[TOPDOWN_HEAVY_OPERATIONS + 2 * i];

		sum += node[i];
		if (pair[0] + pair[1] != node[i])
			return false;
	}
	return sum == counts->slots;
}

/* Knowing nothing yet of the CPU, and knowing how it makes bytes. */
static bool judge(const struct td_counts *counts, bool known, struct tally *tally)
{
	struct td_quant quant = { .rest = known ? 32 : 0 };
	__u64 node[TOPDOWN_MAX_NODES] = { 0 };
	struct td_counts copy = *counts;
	enum td_bytes bytes = td_counts_fold(&copy, &quant, 2, node);

	tally->judged[known][bytes]++;
	tally->impossible += !possible(counts, node);
	return bytes == TD_BYTES_RIGHT;
}

static void row(const struct silicon *silicon, struct tally *tally)
{
	struct td_counts counts = { .slots = silicon_number(silicon, "slots") };
	double ns = silicon_number(silicon, "runtime_ns"), sum = 0;
	bool right, right_known, wrong, beyond = false;
	unsigned int i;

	for (i = 0; i < TD_METRIC_NR; i++)
		counts.metric[i] = silicon_number(silicon, metric_column[i]);
	for (i = 0; i < TD_METRIC_L1; i++) {
		sum += counts.metric[i];
		beyond |= counts.metric[TD_METRIC_L1 + i] > counts.metric[i];
	}
	right = judge(&counts, false, tally);
	right_known = judge(&counts, true, tally);
	wrong = fabs(sum / counts.slots - 1) > WRONG;
	tally->rows++;
	tally->wrong += wrong;
	tally->wrong_is_right += wrong && (right || right_known);
	tally->beyond += beyond;
	tally->scaled += sum != counts.slots;
	if (ns)
		tally->fastest = fmax(tally->fastest, counts.slots / ns);
}

static bool read_all(struct tally *tally, const char *path)
{
	struct silicon silicon;

	if (!silicon_open(&silicon, path))
		return false;
	while (silicon_row(&silicon))
		row(&silicon, tally);
	return silicon_close(&silicon);
}

static void say(const struct tally *tally)
{
	static const char *const what[] = { "knowing nothing", "knowing the way of bytes" };
	unsigned int i;

	ktap_note("%u rows: %u sum to another number than the slots, %u are off by more than 2%%, %u have a child above its parent",
		  tally->rows, tally->scaled, tally->wrong, tally->beyond);
	for (i = 0; i < 2; i++)
		ktap_note("%s: %u right, %u odd, %u absurd", what[i],
			  tally->judged[i][TD_BYTES_RIGHT], tally->judged[i][TD_BYTES_ODD],
			  tally->judged[i][TD_BYTES_ABSURD] + tally->judged[i][TD_BYTES_ZERO]);
	ktap_note("at most %.2f slots a ns: %.2f a cycle at %.1f GHz", tally->fastest,
		  tally->fastest / CLOCK, CLOCK);
}

int main(int argc, char **argv)
{
	struct tally tally = { 0 };
	bool whole = true;
	struct ktap ktap;
	int i;

	for (i = 1; i < argc; i++)
		whole &= read_all(&tally, argv[i]);
	if (!tally.rows)
		return silicon_skip(TESTS);
	ktap_begin(&ktap, TESTS);
	say(&tally);
	ktap_result(&ktap, whole && tally.rows >= ROWS_MIN, "rows were read");
	ktap_result(&ktap, tally.wrong && !tally.wrong_is_right,
		    "no row that is off by more than 2%% passes for right");
	ktap_result(&ktap, !tally.impossible, "all rows give figures that sum up");
	ktap_result(&ktap, tally.judged[1][TD_BYTES_ODD] > tally.judged[0][TD_BYTES_ODD],
		    "who knows how bytes are made sees more");
	ktap_result(&ktap, fabs(tally.fastest / CLOCK / WIDTH - 1) < 0.005,
		    "no row has more slots a cycle than the width, and some row has all");
	return ktap_end(&ktap);
}
