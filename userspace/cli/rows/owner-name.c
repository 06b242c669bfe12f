// SPDX-License-Identifier: GPL-2.0
/*
 * How tables name owners: all alike, so that a name can be copied from one to the next.
 */
#include "owner-name.h"

#include <string.h>
#include <unistd.h>

#include "text.h"

/* A line on a terminal is not longer, so that it is one line there. */
#define WIDTH		100

/**
 * owner_name - the name of an owner
 * @row: its row
 *
 * Return: the path of a cgroup, as options take it, since many have one name; else the name.
 */
const char *owner_name(const struct row *row)
{
	return row->kind == ROW_CGROUP ? row->owner->path : row->owner->name;
}

/**
 * owner_id - the number of an owner, or of processes of a name
 * @text: where to; "-" if it has none
 * @row: its row
 */
void owner_id(char text[OWNER_ID_SIZE], const struct row *row)
{
	if (row->owner->processes)
		snprintf(text, OWNER_ID_SIZE, "%u", row->owner->processes);
	else if (row->kind == ROW_PROCESS)
		snprintf(text, OWNER_ID_SIZE, "%d", row->task->pid);
	else if (row->kind == ROW_CGROUP)
		snprintf(text, OWNER_ID_SIZE, "%llu", (unsigned long long)row->owner->id);
	else
		snprintf(text, OWNER_ID_SIZE, "-");
}

/**
 * owner_line_limit - how long a line with an owner may be
 * @file: where to
 *
 * Return: characters; 0 for no limit, as programs and files want whole names.
 */
unsigned int owner_line_limit(FILE *file)
{
	return isatty(fileno(file)) ? WIDTH : 0;
}

/**
 * owner_name_put - end a line with the number and the name of an owner
 * @file: where to
 * @row: its row
 * @used: characters that the line has
 * @limit: characters that it may have; 0 for no limit
 *
 * A name loses its middle where a line has a limit, but keeps what tells owners apart.
 */
void owner_name_put(FILE *file, const struct row *row, unsigned int used, unsigned int limit)
{
	const char *name = owner_name(row);
	char id[OWNER_ID_SIZE], text[WIDTH + 1];
	unsigned int room;

	owner_id(id, row);
	used += strlen("  ") + strlen(id) + 1;
	room = limit > used ? limit - used : 0;
	if (room < OWNER_NAMES_LEAST / 2)
		room = OWNER_NAMES_LEAST / 2;
	if (limit && strlen(name) > room) {
		middle_text(text, room, name);
		name = text;
	}
	fprintf(file, "  %s %s\n", id, name);
}
