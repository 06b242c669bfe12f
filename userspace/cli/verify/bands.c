// SPDX-License-Identifier: GPL-2.0
/*
 * The fractions that the programs of programs.c must have, derived from what they execute and
 * from what is published of the cores (widths in kmod/meter/model-table.c).
 *
 * W is the width of the core, 4 to 8 slots, or 3 on Goldmont, whose bands hold too.  Bands are as
 * wide as the derivation allows, since a wrong figure (a dead node, another node's counts, a wrong
 * width) is off by far more.
 *
 * Numbers that are no arithmetic are of these, by the names that the text uses:
 *   Opt     Intel 64 and IA-32 Architectures Optimization Reference Manual (248966).  Its chapters
 *           are numbered differently in each edition, so they have their titles here.
 *   SOG     Software Optimization Guide for the AMD Zen4 Microarchitecture (57647)
 *   Events  Intel's event lists, github.com/intel/perfmon
 *   Agner   Agner Fog, Instruction tables: measured by somebody who is no vendor
 * "Assumed": not published by a vendor.  From which number on the bands hold is said there.
 *
 * additions   128 instructions and a jump.  No unit limits them: half of the slots are nops, and W
 *             / 2 additions a cycle are no more than there are units (Zen 4: W 6, four units, SOG
 *             2.10.2; Golden Cove: W 6, five, Opt, Golden Cove Microarchitecture; others assumed).
 *             At most one cycle in 16 is lost to the jump.  So at least 80% retire, and nothing is
 *             thrown away but at the very few ends of a time slice.
 * divisions   A division takes 10 cycles or more (Agner: 10 to 22 by its operands up to Broadwell,
 *             13 or 14 from Skylake on, 13 on Zen 3; more on Atom), and with it three slots are
 *             used: at most 3 / (10 * 4) = 8% retire, and all others wait.  They wait for no
 *             memory.
 * chase       A load takes 50 ns or more, some 150 cycles (assumed): one slot in 600 retires, all
 *             wait for memory.  The walk over page tables is memory too.  5% of the slots would be
 *             five cycles a load, as many as the first cache takes (SOG 2.6.2).
 * branches    Two of four branches are wrong.  Each costs 11 cycles or more (SOG 2.8: 11 to 18, 13
 *             as a rule; others assumed), in which the core works for nothing or fetches again,
 *             against 22 instructions that are useful.  How the cost divides between bad
 *             speculation and fetch latency is the core's affair.  Assumed: a quarter at least is
 *             bad speculation, so 2 * 11 * 4 / 4 slots of 2 * 11 * 4 + 22 are, 20%, and the band
 *             begins at 12%.  It ends where hardly anything else would be left.  No machine clears
 *             are among them.
 * code        Each jump goes to another line, which no cache of the core has.  The second one
 *             alone takes 14 cycles (Opt, Skylake Server Microarchitecture, cache parameters;
 *             others assumed), so less than 1 / (14 * 4) retires; the rest waits for fetches.  A
 *             jump that is not predicted is found while decoding, and is no bad speculation.
 * microcode   About 48 of 50 operations that retire are of a microprogram (assumed).  An
 *             instruction of more than four operations is one (Opt, decoding), and the band holds
 *             from five on: 5 of 7.1, with a load, a pop and an eighth of a jump.
 * clears      Each store to the code empties the pipeline (Events, MACHINE_CLEARS.SMC: "severe
 *             penalty"), for 100 cycles or more (assumed), in which 99 instructions retire.  It is
 *             the front end that waits after a clear, on some cores for most of it: so little is
 *             said of bad speculation, but what there is are clears and not mispredicts.  40%
 *             retire if W is 4 and the penalty 37 cycles.
 * taken       Most cores fetch from one place a cycle (assumed), so two slots of W are used at
 *             most, with two places a cycle four: at least 1 - 4 / 8, less what retires beside.
 *             512 operations are more than a loop buffer holds (Opt, Golden Cove
 *             Microarchitecture: 144 at most).  Where the cache of decoded operations has no room
 *             for 256 lines they are decoded; on Zen 4 it has (64 sets, 6.75K operations, SOG
 *             2.9.1).  No band needs one or the other.  They fit the first cache, so some of it is
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
