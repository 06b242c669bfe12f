/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words that people type, and those that they may have meant.
 */
#ifndef TOPDOWN_CLI_WORD_H
#define TOPDOWN_CLI_WORD_H

#include <stdbool.h>

/* So many letters off, and it is another word. */
#define WORD_FAR	4

int word_place(const char *words, const char *word);
bool word_nearer(const char *word, const char *name, unsigned int *best);

#endif /* TOPDOWN_CLI_WORD_H */
