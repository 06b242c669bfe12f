// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of owners, and keys that their rows are sorted by, as users name them.
 */
#include "owner-keys.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "node.h"
#include "word.h"

/**
 * owner_by_plural - the name of several owners
 * @by: their kind
 *
 * Return: a word.
 */
const char *owner_by_plural(enum owner_by by)
{
	return by == OWNER_BY_CGROUP ? "cgroups" : "processes";
}

/**
 * owner_named - does a list have a cgroup?
 * @names: names as perf has them: from the root of cgroups on, with or without a slash, with
 *	commas between
 * @path: path of the cgroup, "/" for the root
 */
bool owner_named(const char *names, const char *path)
{
	const char *end;
	size_t length;

	for (; *names; names = *end ? end + 1 : end) {
		end = strchrnul(names, ',');
		if (*names == '/')
			names++;
		else if (names == end)
			continue;
		length = end - names;
		if (strlen(path) == length + 1 && !strncmp(path + 1, names, length))
			return true;
	}
	return false;
}

/**
 * owner_sort_read - read the argument of --sort
 * @row: the option
 * @text: argument
 * @field: the struct owner_sort
 *
 * Return: false after a message.
 */
bool owner_sort_read(const struct option_row *row, const char *text, void *field)
{
	/* As OWNER_SORT_WORDS has them. */
	static const enum owner_key keys[] = {
		OWNER_KEY_SLOTS, OWNER_KEY_SLOTS, OWNER_KEY_TIME, OWNER_KEY_IPC,
	};
	int place = word_place(row->words,
			       strcasecmp(text, OWNER_SORT_IPC) ? text : OWNER_SORT_IPC);
	int node = topdown_node_by_name(text);
	struct owner_sort *sort = field;

	sort->given = true;
	sort->node = node < 0 ? 0 : node;
	sort->key = place < 0 ? OWNER_KEY_NODE : keys[place];
	if (place >= 0 || node >= 0)
		return true;
	node_unknown(option_name(row), text, OWNER_SORT_WORDS ", or " OWNER_SORT_NODE);
	return false;
}

/**
 * owner_sort_value - what an owner is sorted by
 * @figures: its figures
 * @sort: the key
 *
 * Return: a number; the owner with the largest is the first.
 */
double owner_sort_value(const struct topdown_figures *figures, const struct owner_sort *sort)
{
	double ipc;

	switch (sort->key) {
	case OWNER_KEY_TIME:
		return figures->enabled_ns;
	case OWNER_KEY_IPC:
		ipc = topdown_figures_ipc(figures);
		return isnan(ipc) ? -1 : ipc;
	case OWNER_KEY_NODE:
		return figures->node[sort->node];
	default:
		return figures->slots;
	}
}

/**
 * owner_sort_name - what rows are sorted by
 * @sort: the key
 *
 * Return: its name for people.
 */
const char *owner_sort_name(const struct owner_sort *sort)
{
	static const char *const names[] = {
		[OWNER_KEY_SLOTS] = "slots",
		[OWNER_KEY_TIME] = "time on CPUs",
		[OWNER_KEY_IPC] = "IPC",
	};

	return sort->key == OWNER_KEY_NODE ? topdown_node_name(sort->node) : names[sort->key];
}

/**
 * owner_compare - which row is before another, the largest first
 * @one: a row of an owner
 * @other: another
 * @sort: the key; of two that are equal, that with more slots is the first
 *
 * Return: as a function of qsort().
 */
int owner_compare(const struct row *one, const struct row *other, const struct owner_sort *sort)
{
	double left = owner_sort_value(&one->figures, sort);
	double right = owner_sort_value(&other->figures, sort);

	if (left != right)
		return left < right ? 1 : -1;
	return (one->figures.slots < other->figures.slots) -
	       (one->figures.slots > other->figures.slots);
}
