// SPDX-License-Identifier: GPL-2.0
/*
 * Names of nodes that people type.
 */
#include "node.h"

#include <string.h>
#include <topdown.h>

#include "message.h"

/* More letters off, and it is another word. */
#define FAR_MAX		3
/* Longer than any name of a node. */
#define NAME_MAX_LETTERS	31

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* How many letters have to be put in, left out or changed to make one of the other. */
static unsigned int distance(const char *one, const char *other)
{
	size_t nr = strlen(other), i, j;
	unsigned int row[NAME_MAX_LETTERS + 1], above, before;

	for (j = 0; j <= nr; j++)
		row[j] = j;
	for (i = 1; one[i - 1]; i++) {
		before = row[0];
		row[0] = i;
		for (j = 1; j <= nr; j++) {
			above = row[j];
			row[j] = least(least(above, row[j - 1]) + 1,
				       before + (one[i - 1] != other[j - 1]));
			before = above;
		}
	}
	return row[nr];
}

static const char *plain(const char *name)
{
	return strncmp(name, "tma_", strlen("tma_")) ? name : name + strlen("tma_");
}

/* Headings of tables are short, and so is what people type: mem, fetch, backend. */
static bool begins(const char *name, const char *typed)
{
	return strlen(typed) >= 3 && !strncmp(name, typed, strlen(typed));
}

/**
 * node_like - the node whose name is most like a word
 * @word: not the name of a node
 *
 * Return: its name; NULL if none is like it.
 */
const char *node_like(const char *word)
{
	const char *typed = plain(word), *like = NULL;
	unsigned int node, far, best = FAR_MAX + 1;

	if (!*typed || strlen(typed) > NAME_MAX_LETTERS)
		return NULL;
	for (node = 0; topdown_node_name(node); node++) {
		const char *name = plain(topdown_node_name(node));

		far = begins(name, typed) ? 1 : distance(typed, name);
		/* Three letters off is another word, if it has no more than six. */
		if (far < best && 2 * far < strlen(typed)) {
			best = far;
			like = topdown_node_name(node);
		}
	}
	return like;
}

/**
 * node_unknown - say that there is no such node
 * @before: the option or argument
 * @word: what was typed
 * @allowed: what is
 */
void node_unknown(const char *before, const char *word, const char *allowed)
{
	const char *like = node_like(word);

	if (like)
		message_error("%s: there is no node '%s'; did you mean %s?", before, word, like);
	else
		message_error("%s: there is no node '%s' (allowed: %s)", before, word, allowed);
}
