// SPDX-License-Identifier: GPL-2.0
/*
 * The text formats of Prometheus: 0.0.4, and OpenMetrics 1.0.
 *
 * A scrape of many CPUs is thousands of lines, so printf() is not used for them.
 */
#include "export-text.h"

#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "clock.h"
#include "text.h"

/* 10^19, the largest power of ten that fits 64 bits, and its digits. */
#define CHUNK		10000000000000000000ULL
#define CHUNK_DIGITS	19
#define NS_DIGITS	9

#define NODE_PREFIX	"tma_"

static void put(struct export_text *text, const char *from, size_t length)
{
	size_t room = text->room ? text->room : 4096;
	char *at;

	if (text->failed)
		return;
	while (room - text->length < length)
		room *= 2;
	if (room != text->room) {
		at = realloc(text->at, room);
		text->failed = !at;
		if (!at)
			return;
		text->at = at;
		text->room = room;
	}
	memcpy(text->at + text->length, from, length);
	text->length += length;
}

static void put_string(struct export_text *text, const char *from)
{
	put(text, from, strlen(from));
}

static size_t plain_length(const char *value)
{
	size_t n = 0;

	while (value[n] >= ' ' && value[n] <= '~' && value[n] != '"' && value[n] != '\\')
		n++;
	return n;
}

/* The value of a label. A strange byte would make the whole text invalid. */
static void put_escaped(struct export_text *text, const char *value)
{
	size_t plain = plain_length(value);

	for (put(text, value, plain); value[plain]; put(text, value, plain)) {
		value += plain;
		if (*value == '"' || *value == '\\') {
			put(text, "\\", 1);
			put(text, value, 1);
		} else {
			put(text, "?", 1);
		}
		value++;
		plain = plain_length(value);
	}
}

/* The name of its series, which Prometheus before OpenMetrics also has in the headings. */
static void put_name(struct export_text *text, const struct export_family *family)
{
	put_string(text, family->name);
	if (family->type == EXPORT_COUNTER)
		put_string(text, "_total");
	else if (family->type == EXPORT_INFO)
		put_string(text, "_info");
}

static void put_heading(struct export_text *text, const char *what,
			const struct export_family *family, const char *value)
{
	put_string(text, "# ");
	put_string(text, what);
	put(text, " ", 1);
	if (text->format == EXPORT_OPENMETRICS)
		put_string(text, family->name);
	else
		put_name(text, family);
	put(text, " ", 1);
	put_string(text, value);
	put(text, "\n", 1);
}

/**
 * export_text_type - the media type of a format
 * @format: format
 *
 * Return: text for Content-Type.
 */
const char *export_text_type(enum export_format format)
{
	if (format == EXPORT_OPENMETRICS)
		return "application/openmetrics-text; version=1.0.0; charset=utf-8";
	return "text/plain; version=0.0.4; charset=utf-8";
}

/**
 * export_text_family - begin a family
 * @text: text
 * @family: its samples must follow
 */
void export_text_family(struct export_text *text, const struct export_family *family)
{
	static const char * const types[] = {
		[EXPORT_GAUGE] = "gauge",
		[EXPORT_COUNTER] = "counter",
		[EXPORT_INFO] = "info",
		[EXPORT_HISTOGRAM] = "histogram",
	};
	bool modern = text->format == EXPORT_OPENMETRICS;

	put_heading(text, "HELP", family, family->help);
	put_heading(text, "TYPE", family,
		    family->type == EXPORT_INFO && !modern ? "gauge" : types[family->type]);
	if (family->unit && modern)
		put_heading(text, "UNIT", family, family->unit);
}

/**
 * export_text_sample - begin a sample
 * @text: text; labels and one value must follow
 * @family: the family that was begun last
 */
void export_text_sample(struct export_text *text, const struct export_family *family)
{
	put_name(text, family);
}

/**
 * export_text_part - begin a sample of a family with several kinds of them
 * @text: text; labels and one value must follow
 * @family: the family that was begun last
 * @part: end of the name
 */
void export_text_part(struct export_text *text, const struct export_family *family,
		      const char *part)
{
	put_string(text, family->name);
	put_string(text, part);
}

/**
 * export_text_label - add a label to a sample
 * @text: text
 * @name: name of the label
 * @value: its value; bytes that are no printable ASCII become question marks
 */
void export_text_label(struct export_text *text, const char *name, const char *value)
{
	bool first = text->length && text->at[text->length - 1] != '}';

	/* The next label takes the place of the brace. */
	if (!first && !text->failed)
		text->length--;
	put(text, first ? "{" : ",", 1);
	put_string(text, name);
	put_string(text, "=\"");
	put_escaped(text, value);
	put_string(text, "\"}");
}

/**
 * export_text_node - add a label that names a node
 * @text: text
 * @name: name of the label
 * @node: enum topdown_node
 *
 * Nodes are named as everywhere, but without the letters that all of them begin with.
 */
void export_text_node(struct export_text *text, const char *name, int node)
{
	const char *value = topdown_node_name(node);

	if (!strncmp(value, NODE_PREFIX, strlen(NODE_PREFIX)))
		value += strlen(NODE_PREFIX);
	export_text_label(text, name, value);
}

/**
 * export_has_node - is a node among those of a level?
 * @nodes: nodes that were counted, bit n for node n
 * @node: enum topdown_node
 * @level: level
 *
 * Return: true or false.
 */
bool export_has_node(uint64_t nodes, unsigned int node, unsigned int level)
{
	return nodes >> node & 1 && topdown_node_level(node) == level;
}

/**
 * export_has_children - was a child of a node counted?
 * @nodes: nodes that were counted, bit n for node n
 * @parent: a node of level 1
 *
 * Return: true or false.
 */
bool export_has_children(uint64_t nodes, int parent)
{
	unsigned int node;

	for (node = 0; node < TOPDOWN_MAX_NODES; node++) {
		if (export_has_node(nodes, node, 2) && topdown_node_parent(node) == parent)
			return true;
	}
	return false;
}

static void put_padded(struct export_text *text, uint64_t value, size_t digits)
{
	char number[NUMBER_SIZE];
	size_t length = integer_text(number, value);

	for (; digits > length; digits--)
		put(text, "0", 1);
	put(text, number, length);
}

static void put_count(struct export_text *text, unsigned __int128 value)
{
	/* 2^128 has 39 digits: two chunks and one more digit. */
	if (value < CHUNK) {
		put_padded(text, value, 1);
		return;
	}
	put_count(text, value / CHUNK);
	put_padded(text, value % CHUNK, CHUNK_DIGITS);
}

/**
 * export_text_count - end a sample with a whole number
 * @text: text
 * @value: number
 */
void export_text_count(struct export_text *text, unsigned __int128 value)
{
	put(text, " ", 1);
	put_count(text, value);
	put(text, "\n", 1);
}

/**
 * export_text_ns - end a sample with seconds
 * @text: text
 * @value: time in ns
 */
void export_text_ns(struct export_text *text, unsigned __int128 value)
{
	put(text, " ", 1);
	put_count(text, value / NS_PER_S);
	put(text, ".", 1);
	put_padded(text, value % NS_PER_S, NS_DIGITS);
	put(text, "\n", 1);
}

/**
 * export_text_end - end the text
 * @text: text
 */
void export_text_end(struct export_text *text)
{
	if (text->format == EXPORT_OPENMETRICS)
		put_string(text, "# EOF\n");
}
