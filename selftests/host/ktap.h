/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KTAP for the programs that run on the build machine: a plan, one line for
 * each test, and diagnostics in front of the line they belong to.
 */
#ifndef TOPDOWN_HOST_KTAP_H
#define TOPDOWN_HOST_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct ktap {
	unsigned int planned;
	unsigned int run;
	unsigned int failed;
};

static inline void ktap_begin(struct ktap *ktap, unsigned int planned)
{
	*ktap = (struct ktap){ .planned = planned };
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", planned);
}

__attribute__((format(printf, 3, 4)))
static inline void ktap_result(struct ktap *ktap, bool ok, const char *name, ...)
{
	va_list args;

	ktap->run++;
	ktap->failed += !ok;
	printf("%s %u ", ok ? "ok" : "not ok", ktap->run);
	va_start(args, name);
	vprintf(name, args);
	printf("\n");
	va_end(args);
}

static inline void ktap_skip(struct ktap *ktap, const char *why)
{
	ktap->run++;
	printf("ok %u # SKIP %s\n", ktap->run, why);
}

__attribute__((format(printf, 1, 2)))
static inline void ktap_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

/* The exit status: also wrong if a test was left out without a word. */
static inline int ktap_end(const struct ktap *ktap)
{
	return ktap->failed || ktap->run != ktap->planned;
}

#endif /* TOPDOWN_HOST_KTAP_H */
