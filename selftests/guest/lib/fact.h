/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facts: conditions of a measurement that a test expects.  A fact that does not hold is
 * printed, with its numbers.  Join facts by &, not by &&, so that all of them are.
 */
#ifndef TOPDOWN_SELFTESTS_FACT_H
#define TOPDOWN_SELFTESTS_FACT_H

#include <stdbool.h>

bool fact_holds(bool holds, const char *text);
/* @value is at most @limit. */
bool fact_most(const char *what, double value, double limit);
/* @value is @want, or at most @limit away from it. */
bool fact_near(const char *what, double value, double want, double limit);
bool fact_same(const char *what, unsigned long long value, unsigned long long want);

/* A condition whose text says enough. */
#define fact(condition)	fact_holds((condition), #condition)

#endif /* TOPDOWN_SELFTESTS_FACT_H */
