/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the selection of rows and columns, and the keys for it.
 */
#ifndef TOPDOWN_CLI_VIEW_H
#define TOPDOWN_CLI_VIEW_H

#include "columns.h"
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

/* The lines of a screen that have no rows of CPUs. */
#define TOP_LINES_HEAD		5
#define TOP_LINES_FOOT		1

enum top_prompt {
	TOP_PROMPT_NONE,
	TOP_PROMPT_CPUS,
	TOP_PROMPT_SLOTS,
};

/**
 * struct top_view - the selection of rows and columns
 * @level: 1 or 2
 * @sort: the column of TABLE_TOP that rows are sorted by
 * @reverse: the other way round: smallest first, but for CPU numbers
 * @filtered: only @cpus are shown
 * @cpus: set of CPUs
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
	const struct column *sort;
	bool reverse;
	bool filtered;
	struct cpulist cpus;
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
			   const struct top_cpu **rows);
bool top_view_has(const struct top_view *view, unsigned int cpu);
void top_view_clamp(struct top_view *view, unsigned int nr_rows, unsigned int page);
void top_view_sort_cpu(struct top_view *view);

#endif /* TOPDOWN_CLI_VIEW_H */
