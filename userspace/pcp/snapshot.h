/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module had counted at one time, for all metrics of one fetch.
 */
#ifndef TOPDOWN_PCP_SNAPSHOT_H
#define TOPDOWN_PCP_SNAPSHOT_H

#include <topdown.h>

/**
 * struct snapshot - the records of all CPUs at one time
 * @error: 0, or why there are none: a negative errno of the library
 * @info: what the module can do; zeros without one
 * @nr: number of @records
 * @room: room in @records
 * @records: in the order of the CPU numbers; their sums count since the module was loaded
 */
struct snapshot {
	int error;
	struct topdown_info info;
	unsigned int nr;
	unsigned int room;
	struct topdown_record *records;
};

/**
 * snapshot_take() - read all CPUs, from the map if there is one
 * @snapshot: zeros, or an earlier one, which is replaced
 * @device: path of the device; NULL for the usual one
 *
 * The device is open only meanwhile, so that the module can be unloaded and loaded again
 * between two fetches.
 */
void snapshot_take(struct snapshot *snapshot, const char *device);

/**
 * snapshot_find() - the record of a CPU
 * @snapshot: the snapshot
 * @cpu: CPU number
 *
 * Return: the record; NULL if there is none.
 */
const struct topdown_record *snapshot_find(const struct snapshot *snapshot, unsigned int cpu);

#endif /* TOPDOWN_PCP_SNAPSHOT_H */
