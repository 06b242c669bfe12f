/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The owners of a recording in their order, and their rows.
 */
#ifndef TOPDOWN_CLI_OWNER_LISTING_H
#define TOPDOWN_CLI_OWNER_LISTING_H

#include "owner-rows.h"
#include "report.h"

/* A recording may have a million processes, so not all have rows at a time. */
#define OWNER_ROWS	256

/**
 * struct owner_place - an owner in the order of rows
 * @owner: its number
 * @last: it is idle time, which is after all others
 * @value: what it is sorted by
 * @slots: its slots, which decide where values are equal
 */
struct owner_place {
	uint32_t owner;
	bool last;
	double value;
	uint64_t slots;
};

/**
 * struct owner_listing - owners that are about to be printed
 * @summary: the recording
 * @sort: what they are sorted by
 * @options: the command line
 * @self: cgroups without those below them
 * @nr_sums: number of @sum
 * @sum: what each owner has, by number; with those below it unless @self
 * @slots: slots of all owners
 * @nr: number of @place
 * @place: the owners that have something, in their order
 * @interval: the rows of some of them
 * @name: their names
 */
struct owner_listing {
	const struct summary *summary;
	const struct owner_sort *sort;
	const struct report_options *options;
	bool self;
	uint32_t nr_sums;
	struct owner_sum *sum;
	uint64_t slots;
	uint32_t nr;
	struct owner_place *place;
	struct interval interval;
	struct owner_row name[OWNER_ROWS];
};

void owner_sum_ratios(struct owner_sum *sum, unsigned int level);
uint32_t owner_listing_nodes(const struct summary *summary);
bool owner_listing_ipc(const struct summary *summary);
struct owner_listing *owner_listing_make(const struct report_options *options,
					 const struct summary *summary, unsigned int level);
void owner_listing_all(struct owner_listing *listing);
void owner_listing_step(struct owner_listing *listing, size_t step);
void owner_listing_row(const struct owner_listing *listing, uint32_t owner,
		       struct owner_row *name, struct row *row);
void owner_listing_rows(struct owner_listing *listing, uint32_t from, uint32_t until);
void owner_listing_free(struct owner_listing *listing);

#endif /* TOPDOWN_CLI_OWNER_LISTING_H */
