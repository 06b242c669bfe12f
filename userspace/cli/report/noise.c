// SPDX-License-Identifier: GPL-2.0
/*
 * Is a difference of two recordings more than noise? A t-test of block means.
 *
 * Steps that follow each other are alike, so they are not so many independent values as there are
 * steps. Blocks of many steps in a row are nearly independent. There are always 8, so that no lucky
 * number is picked. If a block is not longer than the longest window, or has few correlation times
 * of the steps, nothing is said.
 *
 * Slow changes make blocks alike too. So the same test is done with pairs of blocks, and both have
 * to agree. The degrees of freedom are those of one recording, which is never too many.
 *
 * Runs of a command are independent, however alike their steps are, and differ by what changes from
 * one run to the next. So the means of runs have a t-test with Welch's degrees of freedom.
 *
 * A mean is the slots of the node over all slots, so blocks count by their slots. Its error is
 * that of a ratio estimator: from what each block has more or less than the mean of all.
 */
#include "noise.h"

#include <math.h>
#include <string.h>

/* The confidence interval has 95%. */
#define CONFIDENCE	0.05

/*
 * The continued fraction of the incomplete beta function, by Lentz's method (NIST DLMF 8.17.22).
 * It converges fast for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f, even, odd;
	int m;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (m = 1; m < 300; m++) {
		even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return f;
}

/* The regularised incomplete beta function. */
static double beta(double x, double a, double b)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/**
 * noise_student - two-sided probability of Student's t distribution
 * @t: value
 * @freedom: degrees of freedom, more than 0
 *
 * Return: the probability of a value as far from 0 as @t, or farther.
 */
double noise_student(double t, double freedom)
{
	return beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/* The value that is exceeded on both sides with probability @p together. */
static double quantile(double p, double freedom)
{
	double low = 0, high = 1e6, middle;
	int i;

	for (i = 0; i < 200; i++) {
		middle = (low + high) / 2;
		if (noise_student(middle, freedom) > p)
			low = middle;
		else
			high = middle;
	}
	return middle;
}

/* The slots of a node and all slots, or instructions and cycles, of a block of steps. */
struct block {
	double part;
	double whole;
};

static bool has(const struct topdown_figures *step, unsigned int value)
{
	if (value == NOISE_IPC)
		return step->cycles;
	return step->slots && topdown_figures_has(step, value);
}

static void add(struct block *block, const struct topdown_figures *step, unsigned int value)
{
	block->part += value == NOISE_IPC ? step->instructions : step->node[value];
	block->whole += value == NOISE_IPC ? step->cycles : step->slots;
}

static size_t count_steps(const struct series *series, unsigned int value)
{
	size_t i, nr = 0;

	for (i = 0; i < series->nr; i++)
		nr += has(&series->step[i], value);
	return nr;
}

/* Steps without the value are left out. The last steps that make no block go to the last block. */
static void fill_blocks(const struct series *series, unsigned int value, size_t steps,
			size_t blocks, struct block *block)
{
	size_t i, at = 0;

	memset(block, 0, blocks * sizeof(*block));
	for (i = 0; i < series->nr; i++) {
		const struct topdown_figures *step = &series->step[i];
		size_t to = at / steps < blocks ? at / steps : blocks - 1;

		if (!has(step, value))
			continue;
		add(&block[to], step, value);
		at++;
	}
}

/* The standard error of the mean, from what each block has more than the mean. */
static double error_of(double mean, const struct block *block, size_t nr)
{
	double whole = 0, squares = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		whole += block[i].whole / nr;
	for (i = 0; i < nr; i++)
		squares += pow((block[i].part - mean * block[i].whole) / whole, 2);
	return sqrt(squares / nr / (nr - 1));
}

/*
 * How many steps are worth one that is independent, if each is like the one before: (1 + r) /
 * (1 - r). An estimate of r is too small by (1 + 3 r) / n on average.
 */
static double correlation_time(const struct series *series, unsigned int value, double mean,
			       size_t steps)
{
	double squares = 0, products = 0, before = 0, more, like;
	size_t i;

	for (i = 0; i < series->nr; i++) {
		struct block one = { .part = 0 };

		if (!has(&series->step[i], value))
			continue;
		add(&one, &series->step[i], value);
		more = one.part - mean * one.whole;
		squares += more * more;
		products += more * before;
		before = more;
	}
	like = squares > 0 ? products / squares : 0;
	like += (1 + 3 * like) / steps;
	like = fmin(fmax(like, 0), 0.99);
	return (1 + like) / (1 - like);
}

static bool is_long_enough(const struct noise_mean *mean, const struct series *series,
			   unsigned int value, size_t steps)
{
	return steps >= NOISE_STEPS_MIN &&
	       mean->steps * series->step_ns >= series->longest_ns &&
	       mean->steps >= NOISE_TIMES * correlation_time(series, value, mean->mean, steps);
}

/**
 * noise_mean - the mean of a node or of IPC, and its error
 * @mean: where to
 * @series: figures over time
 * @value: enum topdown_node, or NOISE_IPC
 */
void noise_mean(struct noise_mean *mean, const struct series *series, unsigned int value)
{
	size_t steps = count_steps(series, value), i;
	struct block block[NOISE_BLOCKS];

	*mean = (struct noise_mean){ .mean = NAN, .error = NAN, .pairs = NAN };
	if (!steps)
		return;
	fill_blocks(series, value, steps, 1, block);
	mean->known = block[0].whole > 0;
	if (!mean->known)
		return;
	mean->mean = block[0].part / block[0].whole;
	mean->steps = steps / NOISE_BLOCKS;
	if (!is_long_enough(mean, series, value, steps))
		return;
	mean->blocks = NOISE_BLOCKS;
	fill_blocks(series, value, mean->steps, NOISE_BLOCKS, block);
	mean->error = error_of(mean->mean, block, NOISE_BLOCKS);
	for (i = 0; i < NOISE_BLOCKS; i += 2) {
		block[i / 2].part = block[i].part + block[i + 1].part;
		block[i / 2].whole = block[i].whole + block[i + 1].whole;
	}
	mean->pairs = error_of(mean->mean, block, NOISE_BLOCKS / 2);
}

/**
 * noise_runs - the mean of runs, and its error
 * @mean: where to
 * @values: of each run
 * @nr: number of runs; 0 for no mean
 */
void noise_runs(struct noise_mean *mean, const double *values, size_t nr)
{
	double squares = 0;
	size_t i;

	*mean = (struct noise_mean){ .known = nr, .runs = nr, .mean = NAN, .error = NAN,
				     .pairs = NAN };
	if (!nr)
		return;
	mean->mean = 0;
	for (i = 0; i < nr; i++)
		mean->mean += values[i] / nr;
	for (i = 0; i < nr; i++)
		squares += pow(values[i] - mean->mean, 2);
	if (nr > 1)
		mean->error = sqrt(squares / (nr - 1) / nr);
}

/* That one recording shows no noise does not mean that it has none. */
static double error_of_both(double before, double after)
{
	double most = fmax(before, after);

	if (most < NOISE_ERROR_LEAST)
		return 0;
	return hypot(before < NOISE_ERROR_LEAST ? most : before,
		     after < NOISE_ERROR_LEAST ? most : after);
}

static void take_test(struct noise_difference *difference, double error, size_t blocks,
		      double alpha)
{
	double freedom = blocks - 1, t = difference->difference / error;
	double p = noise_student(t, freedom);

	difference->error = fmax(difference->error, quantile(CONFIDENCE, freedom) * error);
	difference->margin = fmax(difference->margin, quantile(alpha, freedom) * error);
	if (p < difference->p)
		return;
	difference->t = t;
	difference->freedom = freedom;
	difference->p = p;
}

/* Of the two tests, that which sees less. */
static bool test(struct noise_difference *difference, double alpha)
{
	double blocks = error_of_both(difference->before.error, difference->after.error);
	double pairs = error_of_both(difference->before.pairs, difference->after.pairs);

	if (!(blocks > 0) || !(pairs > 0))
		return false;
	difference->error = 0;
	difference->margin = NOISE_LEAST;
	difference->p = 0;
	take_test(difference, blocks, NOISE_BLOCKS, alpha);
	take_test(difference, pairs, NOISE_BLOCKS / 2, alpha);
	return true;
}

/*
 * Welch's test. Runs that are the same to the last count have a spread nevertheless, which is less
 * than what is seen.
 */
static enum noise_verdict test_runs(struct noise_difference *difference, double alpha)
{
	double scale = difference->amount ? fabs(difference->before.mean) : 1;
	double one = fmax(difference->before.error, NOISE_ERROR_LEAST * scale);
	double other = fmax(difference->after.error, NOISE_ERROR_LEAST * scale);
	double error = hypot(one, other);

	difference->freedom = pow(error, 4) / (pow(one, 4) / (difference->before.runs - 1) +
					       pow(other, 4) / (difference->after.runs - 1));
	difference->t = difference->difference / error;
	difference->p = noise_student(difference->t, difference->freedom);
	difference->error = quantile(CONFIDENCE, difference->freedom) * error;
	difference->margin = fmax(NOISE_LEAST * scale,
				  quantile(alpha, difference->freedom) * error);
	return difference->p < alpha && fabs(difference->difference) >= NOISE_LEAST * scale ?
	       NOISE_BEYOND : NOISE_WITHIN;
}

static bool are_few(const struct noise_difference *difference)
{
	return difference->before.runs < NOISE_RUNS_MIN ||
	       difference->after.runs < NOISE_RUNS_MIN;
}

/**
 * noise_compare - test a difference
 * @difference: with the means before and after
 * @comparisons: differences that are tested together
 *
 * Of many differences one is large by chance. So each has to be less probable by chance than the
 * share of wrong alarms over their number (Bonferroni).
 */
void noise_compare(struct noise_difference *difference, unsigned int comparisons)
{
	difference->difference = difference->after.mean - difference->before.mean;
	difference->error = NAN;
	difference->margin = NAN;
	difference->t = NAN;
	difference->freedom = 0;
	difference->p = NAN;
	difference->verdict = NOISE_NONE;
	if (!difference->before.known || !difference->after.known)
		return;
	difference->verdict = NOISE_UNKNOWN;
	if (difference->before.runs && difference->after.runs) {
		if (!are_few(difference))
			difference->verdict = test_runs(difference, NOISE_RUNS_ALPHA / comparisons);
		return;
	}
	if (!difference->before.blocks || !difference->after.blocks)
		return;
	if (test(difference, NOISE_ALPHA / comparisons) &&
	    difference->p < NOISE_ALPHA / comparisons &&
	    fabs(difference->difference) >= NOISE_LEAST)
		difference->verdict = NOISE_BEYOND;
	else if (!isnan(difference->p) || fabs(difference->difference) < NOISE_LEAST)
		difference->verdict = NOISE_WITHIN;
}

static const struct {
	const char *word;
	const char *meaning;
} verdicts[] = {
	[NOISE_NONE]	= { "none", "one of the recordings has no mean" },
	[NOISE_UNKNOWN]	= { "unknown", "a recording is too short to say whether it is noise" },
	[NOISE_WITHIN]	= { "noise", "the difference is not more than noise" },
	[NOISE_BEYOND]	= { "changed", "the difference is more than noise" },
};

/**
 * noise_word - what can be said of a difference
 * @verdict: verdict
 *
 * Return: a word.
 */
const char *noise_word(enum noise_verdict verdict)
{
	return verdicts[verdict].word;
}

/**
 * noise_word_meaning - what a verdict says
 * @word: as of noise_word()
 *
 * Return: some words; NULL for another word.
 */
const char *noise_word_meaning(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		if (!strcmp(verdicts[i].word, word))
			return verdicts[i].meaning;
	}
	return NULL;
}
