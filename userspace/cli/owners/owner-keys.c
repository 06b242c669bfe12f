// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of owners, and keys that their rows are sorted by, as users name them.
 */
#include "owner-keys.h"

#include <math.h>
#include <string.h>

#include "message.h"
#include "node.h"

/**
 * owner_by_parse - read the argument of --by
 * @text: argument
 * @by: the kind; untouched on error
 *
 * Return: false after a message.
 */
bool owner_by_parse(const char *text, enum owner_by *by)
{
	if (!strcmp(text, "process")) {
		*by = OWNER_BY_PROCESS;
		return true;
	}
	if (!strcmp(text, "cgroup")) {
		*by = OWNER_BY_CGROUP;
		return true;
	}
	message_error("--by: '%s' is no kind of owner (allowed: process, cgroup)", text);
	return false;
}

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
 * owner_sort_parse - read the argument of --sort
 * @text: argument
 * @sort: the key
 *
 * Return: false after a message.
 */
bool owner_sort_parse(const char *text, struct owner_sort *sort)
{
	int node = topdown_node_by_name(text);

	sort->given = true;
	sort->node = node < 0 ? 0 : node;
	if (!strcmp(text, "slots"))
		sort->key = OWNER_KEY_SLOTS;
	else if (!strcmp(text, "time"))
		sort->key = OWNER_KEY_TIME;
	else if (!strcmp(text, "ipc"))
		sort->key = OWNER_KEY_IPC;
	else
		sort->key = OWNER_KEY_NODE;
	if (sort->key != OWNER_KEY_NODE || node >= 0)
		return true;
	node_unknown("--sort", text, "slots, time, ipc, or a node such as tma_memory_bound");
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
 * owner_compare - which row is before another, the largest first
 * @one: a row of an owner
 * @other: another
 * @sort: the key
 *
 * Return: as a function of qsort().
 */
int owner_compare(const struct row *one, const struct row *other, const struct owner_sort *sort)
{
	double left = owner_sort_value(&one->figures, sort);
	double right = owner_sort_value(&other->figures, sort);

	return (left < right) - (left > right);
}
