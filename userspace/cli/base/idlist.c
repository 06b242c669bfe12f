// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of processes or threads, such as 1234,5678.
 */
#include "idlist.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "parse.h"

static bool add(struct idlist *list, const char *option, int id)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->id[i] != id)
			continue;
		return message_refuse("%s: %d is named twice (allowed: each once)", option, id);
	}
	if (list->nr == IDLIST_MAX)
		return message_refuse("%s: the list is too long (allowed: %d)", option, IDLIST_MAX);
	list->id[list->nr++] = id;
	return true;
}

/**
 * idlist_join - add a list
 * @list: the ids are added at its end, in their order
 * @option: name of the option, for the message
 * @unit: what the ids are, for the message
 * @text: its argument
 *
 * Return: false after a message.
 */
bool idlist_join(struct idlist *list, const char *option, const char *unit,
		 const char *text)
{
	char *copy = strdup(text), *at = copy, *item;
	bool ok = true;
	uint64_t id;

	/* A shell leaves nothing of $(pgrep NAME) where there is no such process. */
	if (!*text || !strncmp(text, "--", 2)) {
		message_error("%s has no value%s%s%s: did the command that was to print it print nothing?",
			      option, *text ? ", as '" : "", text, *text ? "' is an option" : "");
		free(copy);
		return false;
	}
	if (!copy)
		return message_refuse("%s: out of memory", option);
	/* strtok() does not see that an item is missing. */
	while (ok && (item = strsep(&at, ",")))
		ok = parse_number(option, item, 1, ID_MAX, unit, &id) &&
		     add(list, option, id);
	free(copy);
	return ok;
}
