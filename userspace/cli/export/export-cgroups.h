/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cgroups that are exported, and their sums.
 */
#ifndef TOPDOWN_CLI_EXPORT_CGROUPS_H
#define TOPDOWN_CLI_EXPORT_CGROUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

#include "container.h"
#include "told.h"

/* Longer paths have no series: users make cgroups too, and each of some 20 series has the path. */
#define EXPORT_PATH_MAX		512

/* The sums of a cgroup, in the order of their metrics; then those of nodes. */
enum export_cgroup_sum {
	EXPORT_CGROUP_SLOTS,
	EXPORT_CGROUP_ENABLED,
	EXPORT_CGROUP_RUNNING,
	EXPORT_CGROUP_CYCLES,
	EXPORT_CGROUP_INSTRUCTIONS,
	EXPORT_CGROUP_SWITCHES,
	EXPORT_CGROUP_CHILDREN,
	EXPORT_CGROUP_NODES = EXPORT_CGROUP_CHILDREN + TOPDOWN_MAX_PARENTS,
	EXPORT_CGROUP_SUMS = EXPORT_CGROUP_NODES + TOPDOWN_MAX_NODES,
};

/**
 * struct export_cgroup - a cgroup with series
 * @id: its number; 0 if it has ended
 * @ended: of those that ended: larger for one that ended later
 * @path: its path, in printable characters, which no other has
 * @container: what the path names
 * @nodes: bit n: enum topdown_node n is counted now, or was
 * @seen: the sums of the module as they were last
 * @sum: sums of the cgroup and of all below it, which never fall
 *
 * The module's sums of many CPUs do not fit 64 bits for long, so @sum adds up by how much they
 * grow.
 */
struct export_cgroup {
	uint64_t id;
	uint64_t ended;
	char *path;
	struct container container;
	uint64_t nodes;
	uint64_t seen[EXPORT_CGROUP_SUMS];
	__uint128_t sum[EXPORT_CGROUP_SUMS];
};

/**
 * struct export_cgroups - all cgroups with series
 * @device: path of the device
 * @wanted: there are to be some
 * @depth: deeper ones count at their ancestor of this level; 0 for none
 * @max: at most so many have series while they live
 * @max_ended: at most so many keep their series when they have ended
 * @view: the account of the module; NULL while there is none
 * @up: it could be read, so that all below is known
 * @told: why it could not
 * @rows: those with series, @max + @max_ended at most
 * @nr: number of @rows
 * @nr_ended: how many of them have ended
 * @endings: how many have ended in all
 * @waiting: numbers of the cgroups that ran, and have no series, in their order
 * @nr_waiting: number of @waiting
 * @idle: slots of idle tasks, as the module has them
 * @others: slots of those for whom the module had no room, in the same way
 */
struct export_cgroups {
	const char *device;
	bool wanted;
	unsigned int depth;
	unsigned int max;
	unsigned int max_ended;
	struct topdown_owners_view *view;
	bool up;
	struct export_told told;
	struct export_cgroup *rows;
	unsigned int nr;
	unsigned int nr_ended;
	uint64_t endings;
	uint64_t *waiting;
	unsigned int nr_waiting;
	uint64_t idle;
	uint64_t others;
};

void export_cgroups_update(struct export_cgroups *cgroups, struct topdown *td);
void export_cgroups_end(struct export_cgroups *cgroups);

#endif /* TOPDOWN_CLI_EXPORT_CGROUPS_H */
