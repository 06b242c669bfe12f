// SPDX-License-Identifier: GPL-2.0
/*
 * The times of a recording: as time of day, where it begins and ends, and which of it are taken.
 *
 * A moment may be counted from the end, which a file says last. So such a file is read twice, and
 * standard input is copied for that.
 */
#include "recording.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"

/**
 * recording_epoch_ns - a time of a recording as time of day
 * @recording: recording
 * @at_ns: CLOCK_MONOTONIC of its machine
 *
 * Return: nanoseconds since the epoch.
 */
uint64_t recording_epoch_ns(const struct recording *recording, uint64_t at_ns)
{
	const struct record_clock *clock = &recording->info.begin;
	size_t from = 0, to = recording->nr_clocks, middle;

	/* A file may have many of them, and asks this for each of its windows. */
	while (from < to) {
		middle = from + (to - from) / 2;
		if (recording->clock[middle].monotonic_ns <= at_ns)
			from = middle + 1;
		else
			to = middle;
	}
	if (from)
		clock = &recording->clock[from - 1];
	return at_ns - clock->monotonic_ns + clock->realtime_ns;
}

/**
 * recording_epoch - a time of a recording as time of day
 * @recording: recording
 * @at_ns: CLOCK_MONOTONIC of its machine
 *
 * Return: seconds since the epoch.
 */
double recording_epoch(const struct recording *recording, uint64_t at_ns)
{
	return recording_epoch_ns(recording, at_ns) / (double)NS_PER_S;
}

/* The other way round. A time of day that was there twice is the later one. */
static uint64_t monotonic_ns(const struct recording *recording, uint64_t epoch_ns)
{
	const struct record_clock *clock = &recording->info.begin;
	uint64_t then_ns, next_ns;
	size_t i = recording->nr_clocks;

	while (i && recording->clock[i - 1].realtime_ns > epoch_ns)
		i--;
	if (i)
		clock = &recording->clock[i - 1];
	then_ns = epoch_ns + clock->monotonic_ns > clock->realtime_ns ?
		  epoch_ns + clock->monotonic_ns - clock->realtime_ns : 1;
	next_ns = i < recording->nr_clocks ? recording->clock[i].monotonic_ns : UINT64_MAX;
	return then_ns < next_ns ? then_ns : next_ns;
}

/**
 * recording_begin_ns - when what is taken of a recording begins
 * @recording: recording
 *
 * Return: CLOCK_MONOTONIC of its machine.
 */
uint64_t recording_begin_ns(const struct recording *recording)
{
	uint64_t begin_ns = recording->info.begin.monotonic_ns;

	if (recording->info.flags & RECORD_PAST && recording->first_ns &&
	    recording->first_ns < begin_ns)
		begin_ns = recording->first_ns;
	return begin_ns > recording->since_ns ? begin_ns : recording->since_ns;
}

/**
 * recording_end_ns - when what is taken of a recording ends
 * @recording: recording
 *
 * Return: CLOCK_MONOTONIC of its machine.
 */
uint64_t recording_end_ns(const struct recording *recording)
{
	uint64_t end_ns = recording->whole ? recording->end.end.monotonic_ns : recording->last_ns;

	return recording->until_ns && recording->until_ns < end_ns ? recording->until_ns : end_ns;
}

/**
 * recording_in_part - is only some time of it taken?
 * @recording: recording
 *
 * Return: true or false.
 */
bool recording_in_part(const struct recording *recording)
{
	return recording->since_ns || recording->until_ns;
}

/**
 * recording_gap_ns - how much of a time is in none of the files
 * @recording: recording
 * @from_ns: begin of the time, CLOCK_MONOTONIC of its machine
 * @to_ns: its end
 *
 * Return: nanoseconds.
 */
uint64_t recording_gap_ns(const struct recording *recording, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum_ns = 0, begin_ns, end_ns;
	size_t i;

	for (i = 0; i < recording->nr_gaps; i++) {
		begin_ns = recording->gap[i].begin_ns;
		end_ns = recording->gap[i].end_ns;
		if (begin_ns < from_ns)
			begin_ns = from_ns;
		if (end_ns > to_ns)
			end_ns = to_ns;
		if (end_ns > begin_ns)
			sum_ns += end_ns - begin_ns;
	}
	return sum_ns;
}

/* Standard input can be read once only. */
static FILE *spool(FILE *from)
{
	FILE *to = tmpfile();
	char bytes[65536];
	size_t nr;

	while (to && (nr = fread(bytes, 1, sizeof(bytes), from))) {
		if (fwrite(bytes, 1, nr, to) == nr)
			continue;
		fclose(to);
		to = NULL;
	}
	if (to && !ferror(from) && !fflush(to) && !fseek(to, 0, SEEK_SET))
		return to;
	message_error("cannot keep standard input, to read it twice: %s", strerror(errno));
	if (to)
		fclose(to);
	return NULL;
}

/**
 * recording_put_time - a time as people read it
 * @text: where to
 * @size: room in @text
 * @epoch_ns: nanoseconds since the epoch
 */
void recording_put_time(char *text, size_t size, uint64_t epoch_ns)
{
	time_t seconds = epoch_ns / NS_PER_S;
	struct tm local;
	size_t used;

	if (!localtime_r(&seconds, &local)) {
		snprintf(text, size, "?");
		return;
	}
	used = strftime(text, size, "%Y-%m-%d %H:%M:%S", &local);
	snprintf(text + used, size - used, ".%03u",
		 (unsigned int)(epoch_ns % NS_PER_S / NS_PER_MS));
}

/* topdown record --rotate gives a full file this name: the older ones have greater numbers. */
static bool has_older(const char *name)
{
	const char *point = strrchr(name, '.');
	int base = strlen(name);
	char path[PATH_MAX];
	unsigned int number = 0;

	if (point && point[1] && strspn(point + 1, "0123456789") == strlen(point + 1)) {
		number = strtoul(point + 1, NULL, 10);
		base = point - name;
	}
	snprintf(path, sizeof(path), "%.*s.%u", base, name, number + 1);
	return !access(path, F_OK);
}

static const char has_older_text[] =
	"; --rotated also reads the older files of 'topdown record --rotate': .1, .2, and so on";

static int refuse(const struct recording *recording, const char *option,
		  const struct moment *moment, uint64_t begin_ns, uint64_t end_ns)
{
	char begin[64], end[64];

	recording_put_time(begin, sizeof(begin), begin_ns);
	recording_put_time(end, sizeof(end), end_ns);
	return message_fail(EXIT_USAGE,
			    "%s %s: nothing of %s is in this time (it is from %s to %s)%s", option,
			    moment->text, recording->name, begin, end,
			    has_older(recording->name) ? has_older_text : "");
}

/* The times that are asked for, of a time that there is: since the epoch. */
static void ask(const struct recording_choice *choice, uint64_t begin_ns, uint64_t end_ns,
		uint64_t *since_ns, uint64_t *until_ns)
{
	*since_ns = begin_ns;
	*until_ns = end_ns;
	if (choice->since.kind)
		*since_ns = moment_epoch_ns(&choice->since, begin_ns, end_ns);
	if (choice->until.kind)
		*until_ns = moment_epoch_ns(&choice->until, begin_ns, end_ns);
}

/**
 * recording_overlaps - does a recording have something of the times that are asked for?
 * @whole: the recording, of which all times are known
 * @choice: the moments
 *
 * Return: true or false.
 */
bool recording_overlaps(const struct recording *whole, const struct recording_choice *choice)
{
	uint64_t begin_ns = recording_epoch_ns(whole, recording_begin_ns(whole));
	uint64_t end_ns = recording_epoch_ns(whole, recording_end_ns(whole));
	uint64_t since_ns, until_ns;

	ask(choice, begin_ns, end_ns, &since_ns, &until_ns);
	return since_ns < end_ns && until_ns > begin_ns;
}

static void note_older(const struct recording *recording, const struct moment *since,
		       uint64_t begin_ns)
{
	char begin[64];

	if (!has_older(recording->name))
		return;
	recording_put_time(begin, sizeof(begin), begin_ns);
	message_note("%s begins at %s, after --since %s: --rotated with the latest file also reads the older ones",
		     recording->name, begin, since->text);
}

/**
 * recording_set_times - set which times are taken
 * @recording: its times are set
 * @whole: the recording, of which all times are known
 * @choice: the moments
 *
 * Return: 0, or an exit code after a message.
 */
int recording_set_times(struct recording *recording, const struct recording *whole,
			const struct recording_choice *choice)
{
	uint64_t begin_ns = recording_epoch_ns(whole, recording_begin_ns(whole));
	uint64_t end_ns = recording_epoch_ns(whole, recording_end_ns(whole));
	uint64_t since_ns, until_ns;

	ask(choice, begin_ns, end_ns, &since_ns, &until_ns);
	if (since_ns >= end_ns)
		return refuse(recording, "--since", &choice->since, begin_ns, end_ns);
	if (until_ns <= begin_ns)
		return refuse(recording, "--until", &choice->until, begin_ns, end_ns);
	if (since_ns >= until_ns)
		return message_fail(EXIT_USAGE, "--since %s is not before --until %s",
				    choice->since.text, choice->until.text);
	if (since_ns < begin_ns)
		note_older(recording, &choice->since, begin_ns);
	if (choice->since.kind)
		recording->since_ns = monotonic_ns(whole, since_ns);
	if (choice->until.kind)
		recording->until_ns = monotonic_ns(whole, until_ns);
	return 0;
}

/**
 * recording_choose_times - find out which times are taken
 * @recording: its times are set
 * @file: the file, which is at its begin afterwards; another one in place of standard input
 * @choice: the moments
 *
 * Return: 0, or an exit code after a message.
 */
int recording_choose_times(struct recording *recording, FILE **file,
			   const struct recording_choice *choice)
{
	const struct recording_choice all = { .partial = choice->partial, .quiet = true };
	const struct recording_sink none = { .data = NULL };
	struct recording whole = { .name = recording->name };
	FILE *again = *file == stdin ? spool(stdin) : *file;
	int ret;

	if (!again)
		return EXIT_RUNTIME;
	*file = again;
	ret = recording_read_stream(&whole, again, &all, &none);
	if (!ret)
		ret = recording_set_times(recording, &whole, choice);
	recording_free(&whole);
	rewind(again);
	return ret;
}
