// SPDX-License-Identifier: GPL-2.0
/*
 * topdown perf --ratios: what perf prints, or anything else.
 */
#include <stdio.h>
#include <stdlib.h>

#include "perf.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	FILE *in;

	if (!size)
		return 0;
	if (!out)
		out = fopen("/dev/null", "we");
	in = fmemopen((void *)data, size, "r");
	if (!in || !out)
		abort();
	perf_ratios(in, out);
	fclose(in);
	return 0;
}
