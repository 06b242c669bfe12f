// SPDX-License-Identifier: GPL-2.0
/*
 * The fractions that the programs of programs.c must have, derived from what they execute and
 * from what the vendors publish of their cores (widths in kmod/meter/model-table.c).
 *
 * W is the width of the core, 4 to 8 slots.  Bands are as wide as the derivation allows, since
 * a wrong figure (a dead node, another node's counts, a wrong width) is off by far more.
 *
 * additions   128 instructions and a jump.  No unit limits them: half of the slots are nops,
 *             and W / 2 additions a cycle are fewer than any of these cores can do.  At most
 *             one cycle in 16 is lost to the jump.  So at least 80% retire, and nothing is
 *             thrown away but at the very few ends of a time slice.
 * divisions   A division takes 10 cycles or more, and with it three slots are used: at most
 *             3 / (10 * 4) = 8% retire, and all others wait.  They wait for no memory.
 * chase       A load takes 50 ns or more, some 150 cycles: one slot in 600 retires, all wait
 *             for memory.  The walk over page tables is memory too.
 * branches    Two of four branches are wrong.  Each costs 12 cycles or more, in which the
 *             core works for nothing or fetches again, against 22 instructions that are useful.
 *             How the cost divides between bad speculation and fetch latency is the core's
 *             affair: a quarter to a half of it is bad speculation in all published examples, so
 *             at least 12% of all.  No machine clears are among them.
 * code        Each jump goes to another line, which no cache of the core has: 14 cycles or more
 *             for one instruction, so 1 / (14 * 4) retires; the rest waits for fetches.  A jump
 *             that is not predicted is found while decoding, and is no bad speculation.
 * microcode   About 48 of 50 operations that retire are of a microprogram.
 * clears      Each store to the code empties the pipeline, for 100 cycles or more, in which 99
 *             instructions retire.  It is the front end that waits after a clear, on some
 *             cores for most of it: so little is said of bad speculation, but what there is
 *             are clears and not mispredicts.
 * taken       Most cores fetch from one place a cycle, so two slots of W are used at most, with
 *             two places a cycle four: at least 1 - 4 / 8, less what retires beside.  256 lines
 *             are more than a loop buffer holds (144 operations at most), and than the cache of
 *             decoded operations has sets for.  They fit the first cache, so some of it is
 *             bandwidth: with one jump in four cycles (W - 2) / (4 * W - 2), 14% or more.
 *
 * Sources differ: on Atom and AMD cores machine clears are counted by other events that leave
 * out stores to code, and heavy operations of AMD are those of microcode alone.  Core bound of
 * Gracemont and later are restrictions of allocation, and a chain of divisions fills the
 * scheduler instead, so the Atom line has no band for it.
 */
#include "bands.h"

#define S(source)	(1U << TOPDOWN_SOURCE_##source)
#define INTEL_CORE	(S(PERF_METRICS) | S(GENERIC) | S(FALLBACK))
#define BIG		(INTEL_CORE | S(AMD))
#define ANY		(BIG | S(ATOM))

const struct band bands[] = {
	{ PROGRAM_ADDITIONS, TOPDOWN_RETIRING, BAND_ALL, 0.80, 1, ANY },
	{ PROGRAM_ADDITIONS, TOPDOWN_BAD_SPECULATION, BAND_ALL, 0, 0.05, ANY },
	{ PROGRAM_ADDITIONS, TOPDOWN_HEAVY_OPERATIONS, TOPDOWN_RETIRING, 0, 0.15, ANY },
	{ PROGRAM_DIVISIONS, TOPDOWN_BACKEND_BOUND, BAND_ALL, 0.85, 1, ANY },
	{ PROGRAM_DIVISIONS, TOPDOWN_RETIRING, BAND_ALL, 0, 0.12, ANY },
	{ PROGRAM_DIVISIONS, TOPDOWN_CORE_BOUND, TOPDOWN_BACKEND_BOUND, 0.80, 1, BIG },
	{ PROGRAM_CHASE, TOPDOWN_BACKEND_BOUND, BAND_ALL, 0.85, 1, ANY },
	{ PROGRAM_CHASE, TOPDOWN_RETIRING, BAND_ALL, 0, 0.05, ANY },
	{ PROGRAM_CHASE, TOPDOWN_MEMORY_BOUND, TOPDOWN_BACKEND_BOUND, 0.80, 1, BIG },
	{ PROGRAM_BRANCHES, TOPDOWN_BAD_SPECULATION, BAND_ALL, 0.12, 0.80, ANY },
	{ PROGRAM_BRANCHES, TOPDOWN_BRANCH_MISPREDICTS, TOPDOWN_BAD_SPECULATION, 0.85, 1, ANY },
	{ PROGRAM_CODE, TOPDOWN_FRONTEND_BOUND, BAND_ALL, 0.60, 1, ANY },
	{ PROGRAM_CODE, TOPDOWN_RETIRING, BAND_ALL, 0, 0.10, ANY },
	{ PROGRAM_CODE, TOPDOWN_FETCH_LATENCY, TOPDOWN_FRONTEND_BOUND, 0.70, 1, ANY },
	{ PROGRAM_MICROCODE, TOPDOWN_HEAVY_OPERATIONS, TOPDOWN_RETIRING, 0.70, 1, BIG },
	{ PROGRAM_CLEARS, TOPDOWN_MACHINE_CLEARS, TOPDOWN_BAD_SPECULATION, 0.60, 1, INTEL_CORE },
	{ PROGRAM_CLEARS, TOPDOWN_RETIRING, BAND_ALL, 0, 0.40, ANY },
	{ PROGRAM_TAKEN, TOPDOWN_FRONTEND_BOUND, BAND_ALL, 0.25, 1, ANY },
	{ PROGRAM_TAKEN, TOPDOWN_FETCH_BANDWIDTH, TOPDOWN_FRONTEND_BOUND, 0.10, 1, ANY },
};

const unsigned int bands_nr = sizeof(bands) / sizeof(bands[0]);
