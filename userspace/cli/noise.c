// SPDX-License-Identifier: GPL-2.0
/*
 * Is a difference of two recordings more than noise? Welch's t-test of block means.
 *
 * Steps that follow each other are alike, so they are not so many independent values as there are
 * steps. Blocks of many steps in a row are nearly independent. Their number is 32, 16 or 8: the
 * most with which the means of neighbours are not related.
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

/* What each block has more than the mean, and how much that is like the block before. */
static void look_at_blocks(struct noise_mean *mean, const struct block *block)
{
	double whole = 0, squares = 0, products = 0, before = 0, more, like;
	size_t i, nr = mean->blocks;

	for (i = 0; i < nr; i++)
		whole += block[i].whole / nr;
	for (i = 0; i < nr; i++) {
		more = (block[i].part - mean->mean * block[i].whole) / whole;
		squares += more * more;
		products += i ? more * before : 0;
		before = more;
	}
	/* Values that are not related have -1/n of it on average, with a deviation of 1/sqrt(n). */
	like = squares > 0 ? products / squares + 1.0 / nr : 0;
	like = fmin(fmax(like, 0), 0.9);
	mean->related = like > 1 / sqrt(nr);
	/* What is left of it makes the mean less exact by so much. */
	mean->error = sqrt(squares / nr / (nr - 1) * (1 + like) / (1 - like));
}

/**
 * noise_mean - the mean of a node or of IPC, and its error
 * @mean: where to
 * @series: figures over time
 * @value: enum topdown_node, or NOISE_IPC
 */
void noise_mean(struct noise_mean *mean, const struct series *series, unsigned int value)
{
	struct block block[NOISE_BLOCKS_MAX];
	size_t steps = count_steps(series, value), blocks;

	*mean = (struct noise_mean){ .error = NAN };
	if (!steps)
		return;
	fill_blocks(series, value, steps, 1, block);
	mean->known = block[0].whole > 0;
	mean->mean = mean->known ? block[0].part / block[0].whole : NAN;
	for (blocks = NOISE_BLOCKS_MAX; blocks >= NOISE_BLOCKS_MIN; blocks /= 2) {
		if (steps < blocks)
			continue;
		mean->blocks = blocks;
		mean->steps = steps / blocks;
		fill_blocks(series, value, mean->steps, blocks, block);
		look_at_blocks(mean, block);
		if (!mean->related)
			return;
	}
}

static bool is_certain(const struct noise_mean *mean)
{
	return mean->blocks && !mean->related;
}

static void test(struct noise_difference *difference)
{
	double before = pow(difference->before.error, 2), after = pow(difference->after.error, 2);
	double sum = before + after;

	difference->freedom = difference->before.blocks + difference->after.blocks - 2;
	if (sum > 0)
		difference->freedom = sum * sum /
				      (before * before / (difference->before.blocks - 1) +
				       after * after / (difference->after.blocks - 1));
	difference->error = quantile(CONFIDENCE, difference->freedom) * sqrt(sum);
	if (sum > 0) {
		difference->t = difference->difference / sqrt(sum);
		difference->p = noise_student(difference->t, difference->freedom);
	} else {
		/* Both were the same all the time. */
		difference->p = difference->difference == 0;
	}
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
	difference->t = NAN;
	difference->freedom = 0;
	difference->p = NAN;
	difference->verdict = NOISE_NONE;
	if (!difference->before.known || !difference->after.known)
		return;
	difference->verdict = NOISE_UNKNOWN;
	if (!is_certain(&difference->before) || !is_certain(&difference->after))
		return;
	test(difference);
	difference->verdict = NOISE_WITHIN;
	if (difference->p < NOISE_ALPHA / comparisons &&
	    fabs(difference->difference) >= NOISE_LEAST)
		difference->verdict = NOISE_BEYOND;
}

/**
 * noise_word - what can be said of a difference
 * @verdict: verdict
 *
 * Return: a word.
 */
const char *noise_word(enum noise_verdict verdict)
{
	switch (verdict) {
	case NOISE_UNKNOWN:
		return "unknown";
	case NOISE_WITHIN:
		return "noise";
	case NOISE_BEYOND:
		return "changed";
	default:
		return "none";
	}
}
