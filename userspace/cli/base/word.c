// SPDX-License-Identifier: GPL-2.0
/*
 * Words that people type, and those that they may have meant.
 */
#include "word.h"

#include <string.h>

/* Longer than any name of a node or a command. */
#define NAME_MAX_LETTERS	31

/**
 * word_place - where a list has a word
 * @words: words with a comma and a space between
 * @word: the word
 *
 * Return: its place, from 0; -1 if it is not there.
 */
int word_place(const char *words, const char *word)
{
	size_t length;
	int place;

	for (place = 0; ; place++) {
		length = strcspn(words, ",");
		if (strlen(word) == length && !strncmp(words, word, length))
			return place;
		if (!words[length])
			return -1;
		words += length + strlen(", ");
	}
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Are the letters before @i and @j those of the other word, the other way round? */
static bool is_swapped(const char *one, size_t i, const char *other, size_t j)
{
	return i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
}

/* How many letters have to be put in, left out, changed or swapped to make one of the other. */
static unsigned int distance(const char *one, const char *other)
{
	unsigned int row[3][NAME_MAX_LETTERS + 1] = { { 0 } };
	size_t rows = strlen(one), nr = strlen(other), i, j;

	for (j = 0; j <= nr; j++)
		row[0][j] = j;
	for (i = 1; i <= rows; i++) {
		const unsigned int *above = row[(i - 1) % 3], *over = row[(i + 1) % 3];
		unsigned int *this = row[i % 3];

		this[0] = i;
		for (j = 1; j <= nr; j++) {
			this[j] = least(least(above[j], this[j - 1]) + 1,
					above[j - 1] + (one[i - 1] != other[j - 1]));
			if (is_swapped(one, i, other, j))
				this[j] = least(this[j], over[j - 2] + 1);
		}
	}
	return row[rows % 3][nr];
}

/* Headings of tables are short, and so is what people type: mem, fetch, backend. */
static bool begins(const char *name, const char *typed)
{
	return strlen(typed) >= 3 && !strncmp(name, typed, strlen(typed));
}

/**
 * word_nearer - is a name more like a word than others before it?
 * @word: what was typed
 * @name: what it may mean
 * @best: WORD_FAR at first; how far off the nearest name is
 *
 * Return: true if it is like the word, and nearer than @best, which is written then.
 */
bool word_nearer(const char *word, const char *name, unsigned int *best)
{
	unsigned int far;

	if (!*word || strlen(word) > NAME_MAX_LETTERS || strlen(name) > NAME_MAX_LETTERS)
		return false;
	far = begins(name, word) ? 1 : distance(word, name);
	/* Three letters off is another word, if it has no more than six. */
	if (far >= *best || 2 * far >= strlen(word))
		return false;
	*best = far;
	return true;
}
