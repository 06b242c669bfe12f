// SPDX-License-Identifier: GPL-2.0
/* Facts that a test expects, printed if they do not hold. */
#include <math.h>
#include <stdio.h>

#include "fact.h"

bool fact_holds(bool holds, const char *text)
{
	if (!holds)
		printf("# not so: %s\n", text);
	return holds;
}

bool fact_most(const char *what, double value, double limit)
{
	if (value <= limit)
		return true;
	printf("# not so: %s is %.6g, and at most %.6g was expected\n", what, value, limit);
	return false;
}

bool fact_near(const char *what, double value, double want, double limit)
{
	if (fabs(value - want) <= limit)
		return true;
	printf("# not so: %s is %.6g, and %.6g was expected, give or take %.3g\n", what, value,
	       want, limit);
	return false;
}

bool fact_same(const char *what, unsigned long long value, unsigned long long want)
{
	if (value == want)
		return true;
	printf("# not so: %s is %llu (%#llx), and %llu (%#llx) was expected\n", what, value,
	       value, want, want);
	return false;
}
