/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The blocks of a recording that have latencies.
 */
#ifndef TOPDOWN_CLI_LATENCY_BLOCKS_H
#define TOPDOWN_CLI_LATENCY_BLOCKS_H

#include <topdown.h>

#include "reader.h"
#include "writer.h"

/* Events have numbers below this. */
#define LATENCY_EVENTS	64

/**
 * struct latency_piece - what was sampled of an event, on a CPU or in a task, in an interval
 * @subject: number of the CPU, or of the task in the file
 * @begin_ns: when the interval began, CLOCK_MONOTONIC
 * @end_ns: when it ended
 * @record: the latencies of the interval
 */
struct latency_piece {
	uint32_t subject;
	uint64_t begin_ns;
	uint64_t end_ns;
	struct topdown_latency_record record;
};

/**
 * struct latency_block - a block that is being read
 * @reader: the file, whose present block it is
 * @head: its start
 * @entries: entries that were read
 * @bins: bins that were read
 */
struct latency_block {
	struct record_reader *reader;
	struct record_latencies head;
	uint32_t entries;
	uint32_t bins;
};

int record_write_latencies(struct record_writer *writer, const struct latency_piece *pieces,
			   unsigned int nr);
bool latency_block_begin(struct record_reader *reader, struct latency_block *block);
bool latency_block_next(struct latency_block *block, struct latency_piece *piece);
bool latency_block_end(struct latency_block *block);

#endif /* TOPDOWN_CLI_LATENCY_BLOCKS_H */
