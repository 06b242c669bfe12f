// SPDX-License-Identifier: GPL-2.0
/*
 * Which files are one recording: those of one rotation and one load of the module.
 *
 * After a restart of the machine or of the module, or with other options, a recorder goes on in the
 * same files. Of files that were found the newest such group is taken, or the newest with the time
 * that is asked for.  Files that were named one by one have to be one group.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "recording-files.h"

#define NOTES_MAX	3

static int compare(const void *one, const void *other)
{
	const struct record_clock *at = &((const struct recording_file *)one)->head.info.begin;
	const struct record_clock *than = &((const struct recording_file *)other)->head.info.begin;

	return (at->monotonic_ns > than->monotonic_ns) - (at->monotonic_ns < than->monotonic_ns);
}

/* CLOCK_MONOTONIC begins again with the machine. */
static int compare_dates(const void *one, const void *other)
{
	const struct record_clock *at = &((const struct recording_file *)one)->head.info.begin;
	const struct record_clock *than = &((const struct recording_file *)other)->head.info.begin;

	return (at->realtime_ns > than->realtime_ns) - (at->realtime_ns < than->realtime_ns);
}

static int refuse_plain(void)
{
	return message_fail(EXIT_USAGE, "a report is of one recording (--diff A B compares them)");
}

/* Give EXIT_USAGE after a message if the files are no parts of one recording. */
static int check(const struct recording_file *one, const struct recording_file *two)
{
	bool tasks = one->head.info.subject == RECORD_OF_TASKS;
	char options[64];

	if (tasks || two->head.info.subject == RECORD_OF_TASKS)
		return message_fail(EXIT_USAGE, "%s is of tasks, which is whole by itself (allowed: one file, or those of a 'topdown record --rotate')",
				    tasks ? one->path : two->path);
	if (!one->head.rotated || !two->head.rotated)
		return refuse_plain();
	recording_head_differ(&one->head, &two->head, options, sizeof(options));
	if (!recording_same_machine(&one->head, &two->head))
		message_error("%s is of the machine %s with %u CPUs, and %s of %s with %u (allowed: files of one machine)",
			      one->path, one->head.info.host, one->head.info.nr_cpus, two->path,
			      two->head.info.host, two->head.info.nr_cpus);
	else if (!recording_same_load(&one->head, &two->head))
		message_error("between %s and %s the module was loaded again (allowed: files of one load; a directory or --rotated takes the newest)",
			      one->path, two->path);
	else if (*options)
		message_error("%s and %s differ in %s (allowed: files of one 'topdown record --rotate')",
			      one->path, two->path, options);
	else
		return 0;
	return EXIT_USAGE;
}

static int check_all(struct recording_files *files)
{
	size_t i;
	int ret = 0;

	for (i = 1; i < files->nr && !ret; i++)
		ret = check(&files->file[0], &files->file[i]);
	return ret;
}

static bool any_rotated(const struct recording_files *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++) {
		if (files->file[i].head.rotated)
			return true;
	}
	return false;
}

/* Move the files of the group of the last one to the end, in their order. Returns the first. */
static size_t gather(struct recording_file *file, size_t nr)
{
	struct recording_file moved;
	size_t i, first = nr - 1;

	for (i = nr - 1; i--; ) {
		if (!recording_same_run(&file[i].head, &file[nr - 1].head))
			continue;
		moved = file[i];
		first--;
		memmove(&file[i], &file[i + 1], (first - i) * sizeof(*file));
		file[first] = moved;
	}
	qsort(&file[first], nr - first, sizeof(*file), compare);
	return first;
}

/* The names as a shell reads them; "" if they are too many. */
static void put_names(const struct recording_file *file, size_t nr, char *text, size_t size)
{
	size_t i, used = 0;

	*text = '\0';
	for (i = 0; i < nr && used < size; i++)
		used += snprintf(text + used, size - used, "%s%s", i ? " " : "", file[i].path);
	if (used >= size)
		*text = '\0';
}

static void note_left_out(const struct recording_file *file, size_t nr, const char *which)
{
	char names[512];

	put_names(file, nr, names, sizeof(names));
	if (nr == 1)
		message_note("%s is of %s run and left out ('topdown report %s' reads it)", names,
			     which, names);
	else if (*names)
		message_note("left out are %zu files of %s run ('topdown report %s' reads them)",
			     nr, which, names);
	else
		message_note("left out are %zu files of %s run: %s to %s", nr, which, file[0].path,
			     file[nr - 1].path);
}

static void note_groups(const struct recording_file *file, size_t nr, const char *which)
{
	unsigned int notes;
	size_t first;

	for (notes = 0; nr && notes < NOTES_MAX; notes++) {
		first = gather((struct recording_file *)file, nr);
		note_left_out(&file[first], nr - first, which);
		nr = first;
	}
	if (nr)
		message_note("left out are %zu more files of %s runs", nr,
			     *which == 'a' ? "earlier" : "later");
}

/* Keep the files from @first to @end, and note the others. */
static void keep(struct recording_files *files, size_t first, size_t end)
{
	size_t i;

	note_groups(files->file, first, "an earlier");
	note_groups(files->file + end, files->nr - end, "a later");
	for (i = 0; i < files->nr; i++) {
		if (i < first || i >= end)
			recording_file_close(&files->file[i]);
	}
	memmove(files->file, files->file + first, (end - first) * sizeof(*files->file));
	files->nr = end - first;
}

static int choose_group(struct recording_files *files, const struct recording_choice *choice)
{
	size_t end = files->nr, first = gather(files->file, end);
	size_t newest = first;
	int ret = 0;

	if (!first)
		return 0;
	if (!any_rotated(files))
		return refuse_plain();
	while ((choice->since.kind || choice->until.kind) && end) {
		struct recording_files group = {
			.nr = end - first, .file = files->file + first, .label = "these files",
		};

		if (recording_has_time(&group, choice, &ret))
			break;
		if (ret)
			return ret;
		end = first;
		first = end ? gather(files->file, end) : 0;
	}
	/* If none has it, the newest says which time it has. */
	if (!end) {
		first = newest;
		end = files->nr;
	}
	keep(files, first, end);
	return 0;
}

static int read_heads(struct recording_files *files, bool partial)
{
	char why[160];
	size_t i = 0;
	bool cut;

	while (i < files->nr) {
		struct recording_file *file = &files->file[i];

		if (recording_head_read(&file->head, file->file, why, sizeof(why), &cut)) {
			i++;
			continue;
		}
		if (!partial || !cut)
			return message_fail(EXIT_RUNTIME, "cannot read %s: %s%s", file->path, why,
					    cut ? " (--partial leaves it out)" : "");
		message_note("nothing of %s can be read, and it is left out: %s", file->path, why);
		recording_file_close(file);
		files->nr--;
		memmove(file, file + 1, (files->nr - i) * sizeof(*file));
	}
	if (files->nr)
		return 0;
	return message_fail(EXIT_RUNTIME, "no file has anything that can be read");
}

static void put_label(struct recording_files *files)
{
	if (files->nr_names == 1 && !files->rotated)
		snprintf(files->label, sizeof(files->label), "%s", files->name[0]);
	else
		snprintf(files->label, sizeof(files->label), "%s to %s", files->file[0].path,
			 files->file[files->nr - 1].path);
}

/**
 * recording_files_choose - put several files in the order of time, and leave out other runs
 * @files: files that are open
 * @choice: the times that are asked for
 *
 * Return: 0, or an exit code after a message: they are no parts of one recording.
 */
int recording_files_choose(struct recording_files *files, const struct recording_choice *choice)
{
	int ret;

	if (files->nr < 2)
		return 0;
	ret = read_heads(files, choice->partial);
	if (ret)
		return ret;
	qsort(files->file, files->nr, sizeof(*files->file),
	      files->found ? compare_dates : compare);
	ret = files->found ? choose_group(files, choice) : check_all(files);
	if (!ret)
		put_label(files);
	return ret;
}
