/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the selection of rows and columns, and the keys for it.
 */
#ifndef TOPDOWN_CLI_VIEW_H
#define TOPDOWN_CLI_VIEW_H

#include "columns.h"
#include "owner-keys.h"
#include "top-data.h"

/* Keys without a character, with numbers that curses does not use. */
enum {
	TOP_KEY_UP	= 0x1000,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_BACKSPACE,
};

#define TOP_KEY_ESCAPE		27
#define TOP_KEY_ENTER		'\n'

enum top_prompt {
	TOP_PROMPT_NONE,
	TOP_PROMPT_CPUS,
	TOP_PROMPT_SLOTS,
	TOP_PROMPT_NAME,
};

/**
 * struct top_view - the selection of rows and columns
 * @level: 1 or 2
 * @by: the owners that rows are of; OWNER_BY_NONE for CPUs
 * @sort: the column of top_view_columns() that rows are sorted by
 * @kept: the same of the other rows, while they are not shown; NULL for their first order
 * @reverse: the other way round: smallest first, but for CPU numbers
 * @filtered: only @cpus are shown
 * @cpus: set of CPUs
 * @name: only owners with this text in their names are shown; empty for all
 * @self: cgroups are a list of which each is by itself, not a tree with sums
 * @latencies: latencies are shown, in place of slots
 * @each: latencies of each CPU, not their sum
 * @min_rate: rows with fewer slots per second are hidden
 * @hide_idle: rows without slots, or samples, are hidden
 * @frozen: the screen does not change
 * @help: the help screen is up
 * @quit: end
 * @first: row at the top
 * @prompt: the input that is being typed
 * @text: the text that was typed so far
 * @message: message until the next key
 */
struct top_view {
	unsigned int level;
	enum owner_by by;
	const struct column *sort;
	const struct column *kept[OWNER_BY_KINDS];
	bool reverse;
	bool filtered;
	struct cpulist cpus;
	char name[128];
	bool self;
	bool latencies;
	bool each;
	uint64_t min_rate;
	bool hide_idle;
	bool frozen;
	bool help;
	bool quit;
	unsigned int first;
	enum top_prompt prompt;
	char text[128];
	char message[256];
};

void top_view_key(struct top_view *view, const struct top_data *data, int key,
		  unsigned int nr_rows, unsigned int page);
unsigned int top_view_rows(const struct top_view *view, const struct top_data *data,
			   const struct row **rows);
bool top_view_has(const struct top_view *view, unsigned int cpu);
void top_view_clamp(struct top_view *view, unsigned int nr_rows, unsigned int page);
void top_view_sort_first(struct top_view *view);
bool top_view_owners(const struct top_view *view);
void top_view_columns(const struct top_view *view, uint32_t nodes, struct column_list *list);
void top_view_show(struct top_view *view, enum owner_by by);
void top_view_sort(struct top_view *view, const struct owner_sort *sort);
bool top_view_owner_sort(const struct top_view *view, struct owner_sort *sort);

#endif /* TOPDOWN_CLI_VIEW_H */
