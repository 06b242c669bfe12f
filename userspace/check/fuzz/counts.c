// SPDX-License-Identifier: GPL-2.0
/*
 * topdown perf --ratios and --folded: what perf prints, or anything else.
 */
#include <stdio.h>
#include <stdlib.h>

#include "perf.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* NULL is by function, and by counts of perf stat. */
	static const char * const by[] = { NULL, "comm", "pid", "sym" };
	static FILE *out;
	FILE *in;

	if (size < 2)
		return 0;
	if (!out)
		out = fopen("/dev/null", "we");
	in = fmemopen((void *)(data + 1), size - 1, "r");
	if (!in || !out)
		abort();
	if (data[0] % 5 < 4)
		perf_ratios(in, out, by[data[0] % 5]);
	else
		perf_folded(in, out, "topdown/slots/");
	fclose(in);
	return 0;
}
