// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as people read them.
 */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <topdown.h>

/**
 * percent_text - a ratio in percent, "-" for none
 * @text: where to
 * @size: room in @text, 8 at least
 * @ratio: in units of 1 / TOPDOWN_RATIO_ONE
 * @unit: what follows a number
 */
void percent_text(char *text, size_t size, uint32_t ratio, const char *unit)
{
	if (ratio == TOPDOWN_RATIO_NONE)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.1f%s", ratio * 100.0 / TOPDOWN_RATIO_ONE, unit);
}

/**
 * grouped_text - a whole number with a comma between groups of three digits
 * @text: where to
 * @number: number
 */
void grouped_text(char text[GROUPED_SIZE], uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number), i;

	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = '\0';
}

/* The unit in which a number is below @limit, and the number in it. */
static char scale(double *number, double limit)
{
	static const char units[] = " kMGTPE";
	unsigned int unit = 0;

	while (*number >= limit && unit + 2 < sizeof(units)) {
		*number /= 1000;
		unit++;
	}
	return units[unit];
}

/**
 * rate_text - a large number, with one digit after the point and a unit
 * @text: where to
 * @size: room in @text, 8 at least
 * @rate: number
 */
void rate_text(char *text, size_t size, double rate)
{
	char unit = scale(&rate, 999.95);

	if (unit == ' ')
		snprintf(text, size, "%.0f", rate);
	else
		snprintf(text, size, "%.1f%c", rate, unit);
}

/**
 * weight_text - the same in four characters, where a column must be narrow
 * @text: where to
 * @size: room in @text, 8 at least
 * @weight: number
 */
void weight_text(char *text, size_t size, double weight)
{
	char unit = scale(&weight, 999.5);

	if (unit == ' ')
		snprintf(text, size, "%.0f", weight);
	else
		snprintf(text, size, "%.*f%c", weight < 9.95, weight, unit);
}
