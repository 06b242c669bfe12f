// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record --rotate: a new file when one has its size or its time, and so many of them.
 *
 * FILE is the one that is written to, FILE.1 the one before, and so on, as logrotate(8) names them.
 * Each is a whole recording.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "clock.h"
#include "message.h"
#include "parse.h"
#include "record.h"

static bool refuse(const char *text)
{
	return message_refuse("--rotate: '%s' is no size or time with a number of files (allowed: 64K to 1024G, or 1s to 500h, and 2..%d files: 100M,10 or 1h,24)",
			      text, ROTATE_FILES_MAX);
}

/* The number of bytes in a unit; 0 for an unknown unit. */
static uint64_t unit_bytes(char unit)
{
	switch (unit) {
	case 'K':
		return 1ULL << 10;
	case 'M':
		return 1ULL << 20;
	case 'G':
		return 1ULL << 30;
	default:
		return 0;
	}
}

static bool parse_size(const char *text, uint64_t *bytes)
{
	uint64_t number, unit;
	const char *at = parse_digits(text, &number);

	unit = at ? unit_bytes(*at) : 0;
	if (!unit || at[1] || number > ROTATE_MAX_BYTES / unit)
		return false;
	*bytes = number * unit;
	return *bytes >= ROTATE_MIN_BYTES;
}

/**
 * rotate_read - read the argument of --rotate
 * @row: the option
 * @text: a size or a time, a comma, and a number of files
 * @field: the rotation
 *
 * Return: false after a message.
 */
bool rotate_read(const struct option_row *row, const char *text, void *field)
{
	struct rotation *rotation = field;
	const char *comma = strchr(text, ','), *end;
	uint64_t ms, files;
	char what[32];

	if (!comma || comma == text || comma - text >= (int)sizeof(what))
		return refuse(text);
	snprintf(what, sizeof(what), "%.*s", (int)(comma - text), text);
	end = parse_digits(comma + 1, &files);
	if (!end || *end || files < 2 || files > ROTATE_FILES_MAX)
		return refuse(text);
	*rotation = (struct rotation){ .files = files };
	/* A number alone could be both. */
	if (!strchr("smh", what[strlen(what) - 1]))
		return parse_size(what, &rotation->bytes) || refuse(text);
	if (!parse_time(option_name(row), what, ROTATE_MIN_MS, ROTATE_MAX_MS, &ms))
		return false;
	rotation->ns = ms * NS_PER_MS;
	return true;
}

static uint64_t rotate_next(const struct record_run *run)
{
	return run->options->rotation.ns ? run->start_ns + run->options->rotation.ns : 0;
}

static uint64_t earlier(uint64_t one_ns, uint64_t other_ns)
{
	if (!one_ns || !other_ns)
		return one_ns | other_ns;
	return one_ns < other_ns ? one_ns : other_ns;
}

/**
 * record_due_ns - when the file has its time, or an interval of latencies or of owners ends
 * @run: the recording
 *
 * Return: CLOCK_MONOTONIC; 0 for never.
 */
uint64_t record_due_ns(const struct record_run *run)
{
	return earlier(rotate_next(run), earlier(sampling_next(run), owned_next(run)));
}

/**
 * rotate_due - does the file have its size or its time?
 * @run: the recording
 *
 * Return: true or false.
 */
bool rotate_due(const struct record_run *run)
{
	const struct rotation *rotation = &run->options->rotation;

	if (rotation->bytes)
		return run->writer.bytes - run->begin_bytes >= rotation->bytes;
	return rotation->ns && clock_now_ns() >= rotate_next(run);
}

/**
 * rotate_names - give the files the names of older ones
 * @path: name of the file that is written to
 * @files: how many there are with it
 *
 * The oldest loses its name, and with it its room on the disk.
 *
 * Return: 0 or -errno.
 */
int rotate_names(const char *path, unsigned int files)
{
	char from[PATH_MAX], to[PATH_MAX];
	unsigned int i;

	for (i = files - 1; i; i--) {
		if (i == 1)
			snprintf(from, sizeof(from), "%s", path);
		else
			snprintf(from, sizeof(from), "%s.%u", path, i - 1);
		if (snprintf(to, sizeof(to), "%s.%u", path, i) >= (int)sizeof(to))
			return -ENAMETOOLONG;
		if (rename(from, to) && errno != ENOENT)
			return -errno;
	}
	return 0;
}
