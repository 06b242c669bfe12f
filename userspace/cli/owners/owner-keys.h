/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of owners, and keys that their rows are sorted by, as users name them.
 */
#ifndef TOPDOWN_CLI_OWNER_KEYS_H
#define TOPDOWN_CLI_OWNER_KEYS_H

#include <stdbool.h>

#include "options.h"
#include "rows.h"

/* The words of --sort, which may also be a node. Not all recordings have the last of them. */
#define OWNER_SORT_BASE		"share, slots, time"
#define OWNER_SORT_IPC		"ipc"
#define OWNER_SORT_WORDS	OWNER_SORT_BASE ", " OWNER_SORT_IPC
#define OWNER_SORT_NODE		"a node such as tma_memory_bound"

/* Its help begins and ends with what differs. */
#define OPTION_SORT(at, begin, end)						\
	{ 0, "sort", "KEY", begin " " OWNER_SORT_WORDS ", or\n" OWNER_SORT_NODE end, \
	  owner_sort_read, at, .words = OWNER_SORT_WORDS, .choice = topdown_node_name }

/* Cgroups can have no more levels than these. */
#define OWNER_DEPTH_MAX	31

/**
 * enum owner_by - whose slots have rows
 * @OWNER_BY_NONE: those of CPUs or tasks
 * @OWNER_BY_PROCESS: all processes
 * @OWNER_BY_CGROUP: all cgroups
 * @OWNER_BY_KINDS: number of these
 * @OWNER_BY_COMM: processes, those of a name together; of topdown stat only
 */
enum owner_by {
	OWNER_BY_NONE,
	OWNER_BY_PROCESS,
	OWNER_BY_CGROUP,
	OWNER_BY_KINDS,
	OWNER_BY_COMM = OWNER_BY_KINDS,
};

/**
 * enum owner_key - what rows of owners are sorted by
 * @OWNER_KEY_SLOTS: slots
 * @OWNER_KEY_TIME: time on CPUs
 * @OWNER_KEY_IPC: instructions per cycle
 * @OWNER_KEY_NODE: slots of a node
 */
enum owner_key {
	OWNER_KEY_SLOTS,
	OWNER_KEY_TIME,
	OWNER_KEY_IPC,
	OWNER_KEY_NODE,
};

/**
 * struct owner_sort - the argument of --sort
 * @given: there was one
 * @key: the key
 * @node: node of OWNER_KEY_NODE
 */
struct owner_sort {
	bool given;
	enum owner_key key;
	unsigned int node;
};

const char *owner_by_plural(enum owner_by by);
bool owner_named(const char *names, const char *path);
const char *owner_sort_name(const struct owner_sort *sort);
bool owner_sort_read(const struct option_row *row, const char *text, void *field);
double owner_sort_value(const struct topdown_figures *figures, const struct owner_sort *sort);
int owner_compare(const struct row *one, const struct row *other, const struct owner_sort *sort);

#endif /* TOPDOWN_CLI_OWNER_KEYS_H */
