/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The owners of two recordings, paired by what is the same in both.
 */
#ifndef TOPDOWN_CLI_OWNER_PAIRS_H
#define TOPDOWN_CLI_OWNER_PAIRS_H

#include "owner-listing.h"

/**
 * struct owner_half - what the owners of a name had in one of the recordings
 * @nr: number of @owner; 0 if the recording has none
 * @owner: their numbers
 * @sum: what they had together, with ratios
 * @share: their share of the slots of all owners
 * @doubtful: they have too few slots to judge their nodes
 */
struct owner_half {
	uint32_t nr;
	const uint32_t *owner;
	struct owner_sum sum;
	double share;
	bool doubtful;
};

/**
 * struct owner_pair - a name, and its owners in both recordings
 * @name: path of a cgroup, name of processes, or the name of what has no other owner
 * @kind: its kind
 * @value: what pairs are sorted by
 * @half: before and after
 */
struct owner_pair {
	const char *name;
	enum row_kind kind;
	double value;
	struct owner_half half[2];
};

/**
 * struct owner_entry - an owner of one of the recordings
 * @name: as of owner_pair
 * @kind: its kind
 * @half: in which recording
 * @owner: its number there
 */
struct owner_entry {
	char *name;
	enum row_kind kind;
	unsigned int half;
	uint32_t owner;
};

/**
 * struct owner_pairs - the owners of two recordings
 * @listing: of all that owners had before and after
 * @nr_entries: number of @entry and of @number
 * @entry: owners of both, by name
 * @number: their numbers, in the same order
 * @nr: number of @pair
 * @pair: names, the one with most is the first, and idle time the last
 */
struct owner_pairs {
	struct owner_listing *listing[2];
	size_t nr_entries;
	struct owner_entry *entry;
	uint32_t *number;
	uint32_t nr;
	struct owner_pair *pair;
};

int owner_pairs_make(struct owner_pairs *pairs, const struct report_options *options,
		     const struct summary *before, const struct summary *after,
		     unsigned int level);
bool owner_pair_both(const struct owner_pair *pair);
int owner_pair_series(const struct owner_pairs *pairs, const struct owner_pair *pair,
		      unsigned int half, struct series *own, struct series *share);
void owner_pairs_free(struct owner_pairs *pairs);

#endif /* TOPDOWN_CLI_OWNER_PAIRS_H */
