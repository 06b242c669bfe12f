/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown help NODE, the words of states, and columns.
 */
#ifndef TOPDOWN_CLI_WORDS_H
#define TOPDOWN_CLI_WORDS_H

#include <stdbool.h>

struct columns;

bool words_help(const char *word, int *ret);
bool words_column(const struct columns *own, const char *word, int *ret);

#endif /* TOPDOWN_CLI_WORDS_H */
