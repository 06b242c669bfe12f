/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the file of a recording, block by block.
 */
#ifndef TOPDOWN_CLI_READER_H
#define TOPDOWN_CLI_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "format.h"

/**
 * enum record_found - the next thing in a file
 *
 * @RECORD_BLOCK: a block
 * @RECORD_NOTHING: the end of a file that is whole
 * @RECORD_BAD: the rest cannot be read; record_reader.why has the reason
 */
enum record_found {
	RECORD_BLOCK,
	RECORD_NOTHING,
	RECORD_BAD,
};

/**
 * struct record_reader - a file that is read
 * @file: the stream
 * @offset: bytes so far
 * @block: the present block
 * @payload: its bytes; room for RECORD_BLOCK_MAX
 * @blocks: number of blocks so far
 * @ended: the block that ends the file was there
 * @cut: the reason is that the rest of the file is missing
 * @why: why the rest cannot be read
 */
struct record_reader {
	FILE *file;
	uint64_t offset;
	struct record_block block;
	unsigned char *payload;
	uint32_t blocks;
	bool ended;
	bool cut;
	char why[160];
};

bool record_is_file(const char *path);
int record_read_start(struct record_reader *reader, FILE *file);
enum record_found record_read(struct record_reader *reader);
bool record_struct(struct record_reader *reader, void *to, size_t size, size_t least);
bool record_entries(struct record_reader *reader, size_t least, uint32_t *nr);
void record_entry(const struct record_reader *reader, uint32_t i, void *to, size_t size);
void record_tidy(char *text, size_t size);
void record_words(const struct record_reader *reader, char *text, size_t size);
void record_read_end(struct record_reader *reader);

#endif /* TOPDOWN_CLI_READER_H */
