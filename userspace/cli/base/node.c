// SPDX-License-Identifier: GPL-2.0
/*
 * Names of nodes that people type.
 */
#include "node.h"

#include <string.h>
#include <topdown.h>

#include "message.h"
#include "word.h"

static const char *plain(const char *name)
{
	return strncmp(name, "tma_", strlen("tma_")) ? name : name + strlen("tma_");
}

/**
 * node_like - the node whose name is most like a word
 * @word: not the name of a node
 * @best: WORD_FAR, or how far off another name is; written as by word_nearer()
 *
 * Return: its name; NULL if none is nearer than @best.
 */
const char *node_like(const char *word, unsigned int *best)
{
	const char *typed = plain(word), *like = NULL;
	unsigned int node;

	for (node = 0; topdown_node_name(node); node++) {
		if (word_nearer(typed, plain(topdown_node_name(node)), best))
			like = topdown_node_name(node);
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
	unsigned int best = WORD_FAR;
	const char *like = node_like(word, &best);

	if (like)
		message_error("%s: there is no node '%s'; did you mean %s?", before, word, like);
	else
		message_error("%s: there is no node '%s' (allowed: %s)", before, word, allowed);
}
