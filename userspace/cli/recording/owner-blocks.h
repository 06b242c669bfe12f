/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The blocks of a recording that have owners.
 */
#ifndef TOPDOWN_CLI_OWNER_BLOCKS_H
#define TOPDOWN_CLI_OWNER_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader.h"
#include "writer.h"

/* The size in the first release. */
#define OWNER_SIZE_MIN		168

/**
 * struct owner_list - the owners of a recording
 * @there: owners were recorded
 * @kind: enum topdown_owners_kind
 * @depth: cgroups below this level count at their ancestor; 0 for no limit
 * @interval_ms: the distance of intervals
 * @nr: number of @owner
 * @owner: owners by number, with their last names
 * @file_nr: owners of the file that is read; their numbers begin again in each file
 * @number: their numbers in @owner
 * @buckets: number of @bucket, a power of 2
 * @bucket: numbers of @owner plus 1, by what an owner is; 0 for none
 */
struct owner_list {
	bool there;
	uint32_t kind;
	uint32_t depth;
	uint32_t interval_ms;
	uint32_t nr;
	struct record_owner *owner;
	uint32_t file_nr;
	uint32_t *number;
	uint32_t buckets;
	uint32_t *bucket;
};

/**
 * struct owner_block - a block that is being read
 * @reader: the file
 * @list: the owners so far
 * @head: begin of the block
 * @entries: entries that were read
 */
struct owner_block {
	struct record_reader *reader;
	const struct owner_list *list;
	struct record_owned head;
	uint32_t entries;
};

int record_write_owned(struct record_writer *writer, const struct record_owned *interval,
		       const struct record_share *share, unsigned int nr);
void owner_list_next_file(struct owner_list *list);
void owner_list_free(struct owner_list *list);
bool owner_list_take(struct record_reader *reader, uint32_t i, struct owner_list *list);
size_t owner_list_path(const struct owner_list *list, uint32_t owner, char *path, size_t size);
bool owner_block_begin(struct record_reader *reader, struct owner_list *list,
		       struct owner_block *block);
bool owner_block_next(struct owner_block *block, struct record_share *share);

#endif /* TOPDOWN_CLI_OWNER_BLOCKS_H */
