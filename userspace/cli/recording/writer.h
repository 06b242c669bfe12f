/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write the file of a recording, block by block.
 */
#ifndef TOPDOWN_CLI_WRITER_H
#define TOPDOWN_CLI_WRITER_H

#include <stddef.h>
#include <stdio.h>

#include "format.h"

/**
 * struct record_writer - a file that is written
 * @file: the stream
 * @blocks: number of blocks
 * @bytes: bytes so far
 */
struct record_writer {
	FILE *file;
	uint32_t blocks;
	uint64_t bytes;
};

int record_write_start(struct record_writer *writer, FILE *file);
int record_write(struct record_writer *writer, enum record_type type, const void *what,
		 size_t size);
int record_write_array(struct record_writer *writer, enum record_type type,
		       const void *entries, size_t entry_size, size_t nr);

#endif /* TOPDOWN_CLI_WRITER_H */
