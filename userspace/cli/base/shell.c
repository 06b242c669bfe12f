// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of command lines that are printed to be copied.
 */
#include "shell.h"

#include <string.h>

/**
 * shell_word - print a word as a shell takes it
 * @file: where to
 * @word: word
 */
void shell_word(FILE *file, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

	if (*word && word[strspn(word, plain)] == '\0') {
		fputs(word, file);
		return;
	}
	putc('\'', file);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", file);
		else
			putc(*word, file);
	}
	putc('\'', file);
}

/**
 * shell_ids - print a list of ids as the argument of an option
 * @file: where to
 * @option: what comes before the first
 * @ids: ids
 */
void shell_ids(FILE *file, const char *option, const struct idlist *ids)
{
	unsigned int i;

	for (i = 0; i < ids->nr; i++)
		fprintf(file, "%s%d", i ? "," : option, ids->id[i]);
}
