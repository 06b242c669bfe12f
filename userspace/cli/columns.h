/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The nodes in the order and with the headings that tables have.
 */
#ifndef TOPDOWN_CLI_COLUMNS_H
#define TOPDOWN_CLI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <topdown.h>

/**
 * struct column - a node as a column
 * @node: enum topdown_node
 * @heading: at most five characters
 * @heading_level1: at most nine; NULL for nodes that level 1 lacks
 */
struct column {
	unsigned int node;
	const char *heading;
	const char *heading_level1;
};

/* 64 bits in digits, commas and the end. */
#define GROUPED_SIZE	28

#define NR_COLUMNS	TOPDOWN_NR_NODES

extern const struct column columns[NR_COLUMNS];

bool column_shown(unsigned int node, unsigned int level, uint32_t nodes);
void grouped_text(char text[GROUPED_SIZE], uint64_t number);
void rate_text(char *text, size_t size, double rate);
void weight_text(char *text, size_t size, double rate);

#endif /* TOPDOWN_CLI_COLUMNS_H */
