// SPDX-License-Identifier: GPL-2.0
/*
 * What nodes, words of states and columns mean, and what to do next.
 */
#include "words.h"

#include <stdio.h>
#include <string.h>
#include <topdown.h>

#include "columns.h"
#include "known.h"
#include "formula-thresholds.h"
#include "meaning.h"
#include "options.h"

#define WIDTH		80
#define NODE_WIDTH	24

/* Put words after the @at columns of a line; lines that follow begin at @indent. */
static void put_words(unsigned int at, unsigned int indent, const char *text)
{
	int length;

	for (;; text += length + 1) {
		length = strcspn(text, " ");
		if (at + 1 + length > WIDTH && at > indent) {
			printf("\n%*s", indent - 1, "");
			at = indent - 1;
		}
		at += printf(" %.*s", length, text);
		if (!text[length])
			break;
	}
	putchar('\n');
}

static void put_entry(const char *label, const char *text)
{
	put_words(printf("%s:", label), 2, text);
}

/* An entry of one table. */
static void put_entry_of(const char *table, const char *label, const char *text)
{
	put_words(printf("%s (%s):", label, table), 2, text);
}

static void put_threshold(const char *cores, unsigned int percent)
{
	if (percent < 100)
		printf("threshold: %u%% of the slots on %s\n", percent, cores);
}

static const char *where_to_look(unsigned int node)
{
	switch (node) {
	case TOPDOWN_RETIRING:
	case TOPDOWN_HEAVY_OPERATIONS:
	case TOPDOWN_LIGHT_OPERATIONS:
		return "'topdown perf --run -- COMMAND' shows the functions that have these slots";
	case TOPDOWN_CORE_BOUND:
		return "no event says where; 'topdown perf --run -- COMMAND' lists functions";
	default:
		return "'topdown where -- COMMAND' shows the functions that lose these slots; "
		       "'topdown stat --locate' prints perf's commands for that";
	}
}

static void put_node(unsigned int node)
{
	int parent = topdown_node_parent(node);

	printf("%s (level %u%s%s)\n", topdown_node_name(node), topdown_node_level(node),
	       parent < 0 ? "" : ", of ", parent < 0 ? "" : topdown_node_name(parent));
	put_entry("meaning", meaning_of_node(node));
	put_threshold("Intel's big cores", td_thresholds_core.percent[node]);
	put_threshold("Atom cores", td_thresholds_atom.percent[node]);
	put_entry("usual causes", causes_of_node(node));
	put_entry("next", where_to_look(node));
}

/**
 * words_help - explain a node, a state, a word of tables, or all nodes
 * @word: name of a node with or without tma_, a word of a state or of the glossary, or nodes
 * @ret: exit code
 *
 * Return: false if the word is none of these.
 */
bool words_help(const char *word, int *ret)
{
	const char *meaning = meaning_of_state(word);
	int node = topdown_node_by_name(word);
	unsigned int i;

	if (node < 0)
		node = column_node(word);
	if (node >= 0) {
		put_node(node);
		*ret = options_help("");
		return true;
	}
	for (i = 0; i < TD_NR_NODES && !strcmp(word, "nodes"); i++)
		put_words(printf("%-*s", NODE_WIDTH, topdown_node_name(i)), NODE_WIDTH + 1,
			  meaning_of_node(i));
	if (!strcmp(word, "nodes")) {
		*ret = options_help("");
		return true;
	}
	if (!meaning)
		meaning = meaning_of_word(word);
	if (!meaning)
		return false;
	put_entry(word, meaning);
	*ret = options_help("");
	return true;
}

/* Is it what a table before says too? */
static bool is_said(const struct words_table *tables, unsigned int nr, const char *word,
		    const char *meaning)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const char *before = tables[i].meaning(word);

		if (before && !strcmp(before, meaning))
			return true;
	}
	return false;
}

/**
 * words_column - explain a column
 * @tables: tables that may have it
 * @nr: number of @tables
 * @word: its name or heading
 * @ret: exit code
 *
 * Where several tables have it, each meaning is said, and which table has it.
 *
 * Return: false if none has it.
 */
bool words_column(const struct words_table *tables, unsigned int nr, const char *word, int *ret)
{
	unsigned int i, known = 0;

	for (i = 0; i < nr; i++)
		known += tables[i].meaning(word) &&
			 !is_said(tables, i, word, tables[i].meaning(word));
	for (i = 0; i < nr; i++) {
		const char *meaning = tables[i].meaning(word);

		if (!meaning || is_said(tables, i, word, meaning))
			continue;
		if (known > 1 || tables[i].labelled)
			put_entry_of(tables[i].name, word, meaning);
		else
			put_entry(word, meaning);
	}
	if (known)
		*ret = options_help("");
	return known;
}
