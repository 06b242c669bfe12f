/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown record --by: what every process or every cgroup has in each interval.
 */
#ifndef TOPDOWN_CLI_OWNED_H
#define TOPDOWN_CLI_OWNED_H

#include <stdint.h>

#include "owner-blocks.h"
#include "owner-rows.h"

/**
 * struct owned_name - what the file says of an owner that the last reading had
 * @what: enum topdown_owner_what; this and the next two are its key
 * @id: as in topdown_owner
 * @start_ns: as in topdown_owner
 * @number: its number in the file; OWNED_UNNUMBERED if it is not there yet
 * @name: its name there
 */
struct owned_name {
	uint32_t what;
	uint64_t id;
	uint64_t start_ns;
	uint32_t number;
	char name[TOPDOWN_OWNER_NAME_MAX];
};

#define OWNED_UNNUMBERED	UINT32_MAX

/**
 * struct owned_heir - an owner that has what others had, who have gone since the last reading
 * @heir: its record in the present reading
 * @figures: what they had until the last reading
 * @switches: their switches
 */
struct owned_heir {
	const struct topdown_owner *heir;
	struct topdown_figures figures;
	uint64_t switches;
};

/**
 * struct owned - the owners that are recorded
 * @owners: the present and the last reading; without a view none are recorded
 * @nr_names: number of @name
 * @name: owners of the last reading, in the order of their keys
 * @next_number: number in the file of the next owner that it does not have
 * @nr_heirs: number of @heir
 * @heir: heirs in the present interval
 * @nr_entries: number of @entry
 * @entry: owners that are about to be written
 * @nr_shares: number of @share
 * @share: what is about to be written
 * @begin_ns: when the interval began, CLOCK_MONOTONIC
 * @next_ns: when it ends
 */
struct owned {
	struct owners owners;
	unsigned int nr_names;
	struct owned_name *name;
	uint32_t next_number;
	unsigned int nr_heirs;
	struct owned_heir *heir;
	unsigned int nr_entries;
	struct record_owner *entry;
	unsigned int nr_shares;
	struct record_share *share;
	uint64_t begin_ns;
	uint64_t next_ns;
};

struct record_run;

int owned_start(struct record_run *run);
int owned_begin(struct record_run *run);
int owned_again(struct record_run *run);
uint64_t owned_next(const struct record_run *run);
int owned_tick(struct record_run *run);
int owned_write(struct record_run *run);
void owned_end(struct record_run *run);

#endif /* TOPDOWN_CLI_OWNED_H */
