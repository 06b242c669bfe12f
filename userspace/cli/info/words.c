// SPDX-License-Identifier: GPL-2.0
/*
 * What nodes and words of states mean, and what to do next.
 */
#include "words.h"

#include <stdio.h>
#include <string.h>
#include <topdown.h>

#include "known.h"
#include "formula-thresholds.h"
#include "meaning.h"
#include "options.h"

static void put_threshold(const char *cores, unsigned int percent)
{
	if (percent < 100)
		printf("threshold: %u%% of the slots on %s\n", percent, cores);
}

static void put_node(unsigned int node)
{
	int parent = topdown_node_parent(node);

	printf("%s (level %u%s%s)\n", topdown_node_name(node), topdown_node_level(node),
	       parent < 0 ? "" : ", of ", parent < 0 ? "" : topdown_node_name(parent));
	printf("meaning: %s\n", meaning_of_node(node));
	put_threshold("Intel's big cores", td_thresholds_core.percent[node]);
	put_threshold("Atom cores", td_thresholds_atom.percent[node]);
	printf("usual causes: %s\n", causes_of_node(node));
	printf("next: 'topdown where -- COMMAND' shows the functions that lose these slots; 'topdown stat --locate' prints perf's commands for that\n");
}

/**
 * words_help - explain a node, a state, or all nodes
 * @word: name of a node with or without tma_, a word of a state, or nodes
 * @ret: exit code
 *
 * Return: false if the word is none of these.
 */
bool words_help(const char *word, int *ret)
{
	const char *meaning = meaning_of_state(word);
	int node = topdown_node_by_name(word);
	unsigned int i;

	if (node >= 0) {
		put_node(node);
		*ret = options_help("");
		return true;
	}
	for (i = 0; i < TD_NR_NODES && !strcmp(word, "nodes"); i++)
		printf("%-24s %s\n", topdown_node_name(i), meaning_of_node(i));
	if (!strcmp(word, "nodes")) {
		*ret = options_help("");
		return true;
	}
	if (!meaning)
		return false;
	printf("%s: %s\n", word, meaning);
	*ret = options_help("");
	return true;
}
