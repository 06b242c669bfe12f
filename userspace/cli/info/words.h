/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown help NODE, the words of states, and columns.
 */
#ifndef TOPDOWN_CLI_WORDS_H
#define TOPDOWN_CLI_WORDS_H

#include <stdbool.h>

/**
 * struct words_table - tables with words of their own
 * @name: the command that prints them
 * @labelled: say so with each word, as others print the word too and explain it elsewhere
 * @meaning: what a word means there; NULL for one that is not there
 */
struct words_table {
	const char *name;
	bool labelled;
	const char *(*meaning)(const char *word);
};

bool words_help(const char *word, int *ret);
bool words_column(const struct words_table *tables, unsigned int nr, const char *word, int *ret);

#endif /* TOPDOWN_CLI_WORDS_H */
