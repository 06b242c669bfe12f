/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sums that are exported, as the map of the device has them.
 */
#ifndef TOPDOWN_CLI_EXPORT_DATA_H
#define TOPDOWN_CLI_EXPORT_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

#include "export-cgroups.h"
#include "export-latency.h"
#include "export-text.h"

/* A hypervisor took a CPU away in the middle of a write: look again so often, so many ms later. */
#define EXPORT_TRIES	5
#define EXPORT_TRY_MS	1

/* States that are counted: those of enum topdown_state, and the ones of a newer module. */
#define EXPORT_STATES	(TOPDOWN_STATE_ASIDE + 2)

/* All of the time, in parts. */
#define EXPORT_WHOLE_PPB	1000000000ULL

/**
 * struct export_row - sums of a CPU, or of all CPUs of a kind
 * @cpu: its number; TOPDOWN_CPU_ALL for all of the kind
 * @kind: enum topdown_kind
 * @source: enum topdown_source; TOPDOWN_SOURCE_MIXED if they differ
 * @level: highest level
 * @slots_per_cycle: pipeline width; 0 if it is not known, or they differ
 * @turns: level 1 has one turn of so many; of a kind: the largest number
 * @measured: CPUs that @expected_ppb is of
 * @expected_ppb: parts of the time in which level 1 is to have the counters, added up
 * @nodes: bit n: enum topdown_node n is counted now, or was
 * @enabled_ns: as in struct topdown_figures, as are those below
 * @running_ns: the part in which the group had the counters
 * @busy_ns: the part in which the CPUs were not idle
 * @slots: slots
 * @cycles: cycles
 * @instructions: instructions
 * @children_slots: slots in which the children of a level 1 node were counted
 * @node: slots of each node
 *
 * A sum over many CPUs does not fit 64 bits for long, and a counter must not fall.
 */
struct export_row {
	uint32_t cpu;
	uint32_t kind;
	uint32_t source;
	uint32_t level;
	uint32_t slots_per_cycle;
	uint32_t turns;
	uint32_t measured;
	uint64_t expected_ppb;
	uint64_t nodes;
	__uint128_t enabled_ns;
	__uint128_t running_ns;
	__uint128_t busy_ns;
	__uint128_t slots;
	__uint128_t cycles;
	__uint128_t instructions;
	__uint128_t children_slots[TOPDOWN_MAX_PARENTS];
	__uint128_t node[TOPDOWN_MAX_NODES];
};

/**
 * struct export_data - the module, and what it said last
 * @device: path of the device
 * @per_cpu: a row of each CPU, not of each kind
 * @up: the module could be read, so that all below is known
 * @told: the error that a message was about; 0 after a success
 * @td: handle; NULL while there is none
 * @map: map
 * @reading: the last copy of the map
 * @records: the last copy of each CPU that is there
 * @nr_records: number of @records
 * @loaded_s: when the module was loaded, since the epoch
 * @info: what the module is
 * @cpus: CPUs in each state
 * @rows: rows, those with figures only
 * @nr: number of @rows
 * @room: room in @rows
 * @cgroups: the account of cgroups, if there is to be one
 * @latency: the latency session, if there is to be one
 */
struct export_data {
	const char *device;
	bool per_cpu;
	bool up;
	int told;
	struct topdown *td;
	struct topdown_map_view *map;
	struct topdown_reading *reading;
	struct topdown_record *records;
	unsigned int nr_records;
	uint64_t loaded_s;
	const struct topdown_info *info;
	unsigned int cpus[EXPORT_STATES];
	struct export_row *rows;
	unsigned int nr;
	unsigned int room;
	struct export_cgroups cgroups;
	struct export_latency latency;
};

void export_data_update(struct export_data *data);
void export_data_end(struct export_data *data);

#endif /* TOPDOWN_CLI_EXPORT_DATA_H */
