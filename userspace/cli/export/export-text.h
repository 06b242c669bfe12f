/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text formats of Prometheus: 0.0.4, and OpenMetrics 1.0.
 */
#ifndef TOPDOWN_CLI_EXPORT_TEXT_H
#define TOPDOWN_CLI_EXPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum export_format {
	EXPORT_PROMETHEUS,
	EXPORT_OPENMETRICS,
	EXPORT_FORMATS,
};

enum export_type {
	EXPORT_GAUGE,
	EXPORT_COUNTER,
	EXPORT_INFO,
	EXPORT_HISTOGRAM,
};

/**
 * struct export_family - what all series of a name have in common
 * @name: without the end that the type gives it
 * @type: type
 * @unit: base unit, which is the end of @name; NULL for none
 * @help: one sentence
 */
struct export_family {
	const char *name;
	enum export_type type;
	const char *unit;
	const char *help;
};

/**
 * struct export_text - a text that grows
 * @format: its format
 * @at: its characters, for free()
 * @length: how many
 * @room: how many there may be
 * @failed: out of memory: the text is not complete
 */
struct export_text {
	enum export_format format;
	char *at;
	size_t length;
	size_t room;
	bool failed;
};

const char *export_text_type(enum export_format format);
void export_text_family(struct export_text *text, const struct export_family *family);
void export_text_sample(struct export_text *text, const struct export_family *family);
void export_text_part(struct export_text *text, const struct export_family *family,
		      const char *part);
void export_text_label(struct export_text *text, const char *name, const char *value);
void export_text_node(struct export_text *text, const char *name, int node);
bool export_has_node(uint64_t nodes, unsigned int node, unsigned int level);
bool export_has_children(uint64_t nodes, int parent);
void export_text_count(struct export_text *text, unsigned __int128 value);
void export_text_ns(struct export_text *text, unsigned __int128 value);
void export_text_end(struct export_text *text);

#endif /* TOPDOWN_CLI_EXPORT_TEXT_H */
