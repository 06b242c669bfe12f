// SPDX-License-Identifier: GPL-2.0
/*
 * Which general counters can count an event, as data.  On any other counter the event counts
 * nothing, without a fault.
 *
 * Sources: the tables of event constraints in Linux, arch/x86/events/intel/core.c, with which
 * "Counter" of Intel's lists of events (perfmon) agrees where a core has two threads.  README.md
 * has the events of cores with one thread of which it does not.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "topdown-pmu.h"

/* Any unit mask. */
#define ANY	0x100

/* Bits of counters. */
#define ONLY(n)	(1u << (n))
#define LOW	0x0fu
#define ALL	0xffu

/* Golden Cove; of Redwood Cove the same. */
const TdConstraint td_cove_constraints[] = {
	{ 0x2e, 0x2e, ANY, ALL },
	{ 0x3c, 0x3c, ANY, ALL },
	{ 0x01, 0x8f, ANY, LOW },
	{ 0xa3, 0xa3, 0x01, LOW },
	{ 0xa3, 0xa3, 0x02, LOW },
	{ 0xa3, 0xa3, 0x08, LOW },
	{ 0xa4, 0xa4, 0x04, ONLY(0) },
	{ 0xa4, 0xa4, 0x08, ONLY(0) },
	{ 0xcd, 0xcd, 0x02, ONLY(0) },
	{ 0xce, 0xce, ANY, ONLY(0) },
	{ 0xd0, 0xdf, ANY, LOW },
	{ }
};

/* Sunny Cove. */
const TdConstraint td_sunny_constraints[] = {
	{ 0x03, 0x0a, ANY, LOW },
	{ 0x1f, 0x28, ANY, LOW },
	{ 0x32, 0x32, ANY, LOW },
	{ 0x48, 0x56, ANY, LOW },
	{ 0x60, 0x8b, ANY, LOW },
	{ 0xa3, 0xa3, 0x04, ALL },
	{ 0xa3, 0xa3, 0x10, ALL },
	{ 0xa3, 0xa3, 0x14, ALL },
	{ 0xa3, 0xa3, ANY, LOW },
	{ 0xa8, 0xb0, ANY, LOW },
	{ 0xb7, 0xbd, ANY, LOW },
	{ 0xd0, 0xe6, ANY, LOW },
	{ 0xef, 0xef, ANY, LOW },
	{ 0xf0, 0xf4, ANY, LOW },
	{ }
};

const TdConstraint td_sandy_constraints[] = {
	{ 0x48, 0x48, 0x01, ONLY(2) },
	{ 0xa3, 0xa3, 0x02, ONLY(2) },
	{ 0xa3, 0xa3, 0x06, ONLY(2) },
	{ 0xa3, 0xa3, ANY, LOW },
	{ 0xc0, 0xc0, 0x01, ONLY(1) },
	{ 0xcd, 0xcd, ANY, ONLY(3) },
	{ 0xd0, 0xd3, ANY, LOW },
	{ }
};

const TdConstraint td_ivy_constraints[] = {
	{ 0x48, 0x48, 0x01, ONLY(2) },
	{ 0x79, 0x79, 0x02, LOW },
	{ 0x9c, 0x9c, 0x01, LOW },
	{ 0xa3, 0xa3, 0x08, ONLY(2) },
	{ 0xa3, 0xa3, 0x0c, ONLY(2) },
	{ 0xa3, 0xa3, ANY, LOW },
	{ 0xc0, 0xc0, 0x01, ONLY(1) },
	{ 0xcd, 0xcd, ANY, ONLY(3) },
	{ 0xd0, 0xd3, ANY, LOW },
	{ }
};

const TdConstraint td_haswell_constraints[] = {
	{ 0x48, 0x48, 0x01, ONLY(2) },
	{ 0xa3, 0xa3, 0x08, ONLY(2) },
	{ 0xa3, 0xa3, 0x0c, ONLY(2) },
	{ 0xa3, 0xa3, 0x04, LOW },
	{ 0xc0, 0xc0, 0x01, ONLY(1) },
	{ 0xcd, 0xcd, ANY, ONLY(3) },
	{ 0xd0, 0xd3, ANY, LOW },
	{ }
};

const TdConstraint td_broadwell_constraints[] = {
	{ 0x48, 0x48, 0x01, ONLY(2) },
	{ 0xa3, 0xa3, 0x08, ONLY(2) },
	{ 0xa3, 0xa3, 0x0c, ONLY(2) },
	{ 0xc0, 0xc0, 0x01, ONLY(1) },
	{ 0xcd, 0xcd, ANY, ONLY(3) },
	{ 0xd0, 0xd3, ANY, LOW },
	{ }
};

/* Skylake to Cascade Lake. */
const TdConstraint td_lake_constraints[] = {
	{ 0xc0, 0xc0, 0x01, ONLY(1) },
	{ 0xc6, 0xc6, ANY, LOW },
	{ 0xcd, 0xcd, ANY, LOW },
	{ 0xd0, 0xd2, ANY, LOW },
	{ }
};

/* The bits of the general counters that can count @config; the first row that fits is right. */
uint32_t td_counters_of(const TdPreset *preset, uint64_t config)
{
	unsigned int code = config & 0xff, unit = config >> 8 & 0xff;
	const TdConstraint *row;

	for (row = preset->constraints; row && row->counters; row++)
		if (code >= row->first && code <= row->last &&
		    (row->unit == ANY || row->unit == unit))
			return row->counters;
	return UINT32_MAX;
}
