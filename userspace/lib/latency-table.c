// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * The events whose retire latency can be sampled: names, models and encodings.
 *
 * Pure data and searches.  The module takes encodings only, so a new CPU needs a row here, and no
 * new module.  Source: Intel's lists of events (perfmon), and the metrics that name events with a
 * retire latency.
 */
#include "latency-table.h"

#define TD_REDWOOD	(TD_MTL | TD_GNR)
#define TD_LION		(TD_LNL | TD_ARL)
#define TD_ALL		(TD_REDWOOD | TD_LION | TD_PTL)

static const struct {
	__u8 model;
	__u8 list;
} td_lists[] = {
	{ 0xaa, TD_MTL },
	{ 0xac, TD_MTL },
	{ 0xb5, TD_MTL },
	{ 0xad, TD_GNR },
	{ 0xae, TD_GNR },
	{ 0xbd, TD_LNL },
	{ 0xc5, TD_ARL },
	{ 0xc6, TD_ARL },
	{ 0xcc, TD_PTL },
	{ 0xd5, TD_PTL },
	{ 0xe5, TD_PTL },
};

#define ROW(event, ...)	{ TOPDOWN_LATENCY_##event, __VA_ARGS__ }

/* An event may have several rows, for different CPUs. */
static const struct {
	__u8 event;
	__u8 lists;
	__u64 config;
	__u64 config1;
} td_encodings[] = {
	ROW(BR_MISP_RETIRED_COND_NTAKEN_COST, TD_ALL & ~TD_PTL, 0x50c5, 0x0),
	ROW(BR_MISP_RETIRED_COND_NTAKEN_COST, TD_PTL, 0x8000000004c5, 0x0),
	ROW(BR_MISP_RETIRED_COND_TAKEN_BWD_COST, TD_LION, 0x41c5, 0x0),
	ROW(BR_MISP_RETIRED_COND_TAKEN_BWD_COST, TD_PTL, 0x8000000001c5, 0x0),
	ROW(BR_MISP_RETIRED_COND_TAKEN_COST, TD_REDWOOD, 0x41c5, 0x0),
	ROW(BR_MISP_RETIRED_COND_TAKEN_FWD_COST, TD_LION, 0x100000040c5, 0x0),
	ROW(BR_MISP_RETIRED_COND_TAKEN_FWD_COST, TD_PTL, 0x8000000002c5, 0x0),
	ROW(BR_MISP_RETIRED_INDIRECT_CALL_COST, TD_ALL & ~TD_PTL, 0x42c5, 0x0),
	ROW(BR_MISP_RETIRED_INDIRECT_CALL_COST, TD_PTL, 0x8000000010c5, 0x0),
	ROW(BR_MISP_RETIRED_INDIRECT_COST, TD_ALL & ~TD_PTL, 0xc0c5, 0x0),
	ROW(BR_MISP_RETIRED_INDIRECT_COST, TD_PTL, 0x8000000050c5, 0x0),
	ROW(BR_MISP_RETIRED_RET_COST, TD_ALL & ~TD_PTL, 0x48c5, 0x0),
	ROW(BR_MISP_RETIRED_RET_COST, TD_PTL, 0x8000000008c5, 0x0),
	ROW(FRONTEND_RETIRED_ANY_DSB_MISS, TD_ALL, 0x03c6, 0x1),
	ROW(FRONTEND_RETIRED_ITLB_MISS, TD_ALL, 0x03c6, 0x14),
	ROW(FRONTEND_RETIRED_L1I_MISS, TD_ALL, 0x03c6, 0x12),
	ROW(FRONTEND_RETIRED_L2_MISS, TD_ALL, 0x03c6, 0x13),
	ROW(FRONTEND_RETIRED_MS_FLOWS, TD_ALL, 0x03c6, 0x8),
	ROW(FRONTEND_RETIRED_STLB_MISS, TD_ALL, 0x03c6, 0x15),
	ROW(FRONTEND_RETIRED_UNKNOWN_BRANCH, TD_ALL, 0x03c6, 0x17),
	ROW(MEM_INST_RETIRED_LOCK_LOADS, TD_ALL, 0x21d0, 0x0),
	ROW(MEM_INST_RETIRED_SPLIT_LOADS, TD_ALL, 0x41d0, 0x0),
	ROW(MEM_INST_RETIRED_SPLIT_STORES, TD_ALL, 0x42d0, 0x0),
	ROW(MEM_INST_RETIRED_STLB_HIT_LOADS, TD_ALL, 0x09d0, 0x0),
	ROW(MEM_INST_RETIRED_STLB_HIT_STORES, TD_ALL, 0x0ad0, 0x0),
	ROW(MEM_INST_RETIRED_STLB_MISS_LOADS, TD_ALL, 0x11d0, 0x0),
	ROW(MEM_INST_RETIRED_STLB_MISS_STORES, TD_ALL, 0x12d0, 0x0),
	ROW(MEM_LOAD_L3_HIT_RETIRED_XSNP_FWD, TD_REDWOOD, 0x04d2, 0x0),
	ROW(MEM_LOAD_L3_HIT_RETIRED_XSNP_FWD, TD_LION | TD_PTL, 0x10d2, 0x0),
	ROW(MEM_LOAD_L3_HIT_RETIRED_XSNP_HITM, TD_LION | TD_PTL, 0x04d2, 0x0),
	ROW(MEM_LOAD_L3_HIT_RETIRED_XSNP_MISS, TD_ALL, 0x01d2, 0x0),
	ROW(MEM_LOAD_L3_HIT_RETIRED_XSNP_NO_FWD, TD_ALL, 0x02d2, 0x0),
	ROW(MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM, TD_REDWOOD, 0x01d3, 0x0),
	ROW(MEM_LOAD_L3_MISS_RETIRED_REMOTE_DRAM, TD_GNR, 0x02d3, 0x0),
	ROW(MEM_LOAD_L3_MISS_RETIRED_REMOTE_FWD, TD_GNR, 0x08d3, 0x0),
	ROW(MEM_LOAD_L3_MISS_RETIRED_REMOTE_HITM, TD_GNR, 0x04d3, 0x0),
	ROW(MEM_LOAD_RETIRED_L1_HIT_L1, TD_LION | TD_PTL, 0x100000000d1, 0x0),
	ROW(MEM_LOAD_RETIRED_L2_HIT, TD_ALL, 0x02d1, 0x0),
	ROW(MEM_LOAD_RETIRED_L3_HIT, TD_ALL, 0x04d1, 0x0),
};

#define NAME(of, part)	\
	[TOPDOWN_LATENCY_##of##_##part] = #of "." #part

static const char * const td_names[] = {
	NAME(BR_MISP_RETIRED, COND_NTAKEN_COST),
	NAME(BR_MISP_RETIRED, COND_TAKEN_BWD_COST),
	NAME(BR_MISP_RETIRED, COND_TAKEN_COST),
	NAME(BR_MISP_RETIRED, COND_TAKEN_FWD_COST),
	NAME(BR_MISP_RETIRED, INDIRECT_CALL_COST),
	NAME(BR_MISP_RETIRED, INDIRECT_COST),
	NAME(BR_MISP_RETIRED, RET_COST),
	NAME(FRONTEND_RETIRED, ANY_DSB_MISS),
	NAME(FRONTEND_RETIRED, ITLB_MISS),
	NAME(FRONTEND_RETIRED, L1I_MISS),
	NAME(FRONTEND_RETIRED, L2_MISS),
	NAME(FRONTEND_RETIRED, MS_FLOWS),
	NAME(FRONTEND_RETIRED, STLB_MISS),
	NAME(FRONTEND_RETIRED, UNKNOWN_BRANCH),
	NAME(MEM_INST_RETIRED, LOCK_LOADS),
	NAME(MEM_INST_RETIRED, SPLIT_LOADS),
	NAME(MEM_INST_RETIRED, SPLIT_STORES),
	NAME(MEM_INST_RETIRED, STLB_HIT_LOADS),
	NAME(MEM_INST_RETIRED, STLB_HIT_STORES),
	NAME(MEM_INST_RETIRED, STLB_MISS_LOADS),
	NAME(MEM_INST_RETIRED, STLB_MISS_STORES),
	NAME(MEM_LOAD_L3_HIT_RETIRED, XSNP_FWD),
	NAME(MEM_LOAD_L3_HIT_RETIRED, XSNP_HITM),
	NAME(MEM_LOAD_L3_HIT_RETIRED, XSNP_MISS),
	NAME(MEM_LOAD_L3_HIT_RETIRED, XSNP_NO_FWD),
	NAME(MEM_LOAD_L3_MISS_RETIRED, LOCAL_DRAM),
	NAME(MEM_LOAD_L3_MISS_RETIRED, REMOTE_DRAM),
	NAME(MEM_LOAD_L3_MISS_RETIRED, REMOTE_FWD),
	NAME(MEM_LOAD_L3_MISS_RETIRED, REMOTE_HITM),
	NAME(MEM_LOAD_RETIRED, L1_HIT_L1),
	NAME(MEM_LOAD_RETIRED, L2_HIT),
	NAME(MEM_LOAD_RETIRED, L3_HIT),
};

#define TD_COUNT(array)		(sizeof(array) / sizeof((array)[0]))

/**
 * td_latency_lists() - the list of events of a CPU model
 * @model: CPUID model of an Intel CPU of family 6
 *
 * Return: TD_MTL and the like; 0 for a model that is not known.
 */
__u8 td_latency_lists(unsigned int model)
{
	unsigned int i;

	for (i = 0; i < TD_COUNT(td_lists); i++) {
		if (td_lists[i].model == model)
			return td_lists[i].list;
	}
	return 0;
}

/**
 * td_latency_events() - the events of a CPU model
 * @model: CPUID model of an Intel CPU of family 6
 *
 * Return: bit n for event n; 0 for a model that is not known.
 */
__u64 td_latency_events(unsigned int model)
{
	__u8 list = td_latency_lists(model);
	__u64 events = 0;
	unsigned int i;

	for (i = 0; i < TD_COUNT(td_encodings); i++) {
		if (td_encodings[i].lists & list)
			events |= 1ULL << td_encodings[i].event;
	}
	return events;
}

/**
 * td_latency_encode() - what perf calls an event
 * @model: as for td_latency_events()
 * @event: enum topdown_latency_number
 * @config: written
 * @config1: written
 *
 * Return: false if the model lacks the event.
 */
bool td_latency_encode(unsigned int model, unsigned int event, __u64 *config, __u64 *config1)
{
	__u8 list = td_latency_lists(model);
	unsigned int i;

	for (i = 0; i < TD_COUNT(td_encodings); i++) {
		if (td_encodings[i].event != event || !(td_encodings[i].lists & list))
			continue;
		*config = td_encodings[i].config;
		*config1 = td_encodings[i].config1;
		return true;
	}
	return false;
}

/**
 * td_latency_name() - Intel's name of an event
 * @event: enum topdown_latency_number
 *
 * Return: the name; NULL for a number that is not known.
 */
const char *td_latency_name(unsigned int event)
{
	return event < TD_COUNT(td_names) ? td_names[event] : NULL;
}
