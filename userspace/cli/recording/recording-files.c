// SPDX-License-Identifier: GPL-2.0
/*
 * Read the files of a recording, one after the other.
 */
#include "recording-files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "message.h"

/**
 * recording_files_add - name a file, or a directory for all of its recordings
 * @files: files; the caller frees them in any case
 * @name: file or directory, or - for standard input; it is not copied
 *
 * Return: 0, or an exit code after a message.
 */
int recording_files_add(struct recording_files *files, const char *name)
{
	const char **more = reallocarray(files->name, files->nr_names + 1, sizeof(*more));

	if (!more)
		return message_fail(EXIT_RUNTIME, "cannot list the files: %s", strerror(ENOMEM));
	files->name = more;
	more[files->nr_names++] = name;
	return 0;
}

/**
 * recording_files_open - open what was named, and put several files in the order of time
 * @files: files
 * @choice: the times that are asked for
 *
 * Return: 0, or an exit code after a message: they are no parts of one recording.
 */
int recording_files_open(struct recording_files *files, const struct recording_choice *choice)
{
	int ret = recording_files_find(files);

	return ret ? ret : recording_files_choose(files, choice);
}

/**
 * recording_files_free - close and free
 * @files: files
 */
void recording_files_free(struct recording_files *files)
{
	while (files->nr)
		recording_file_close(&files->file[--files->nr]);
	free(files->file);
	free(files->name);
	files->file = NULL;
	files->name = NULL;
}

static int read_one(struct recording *recording, const struct recording_file *from,
		    const struct recording_choice *choice, const struct recording_sink *sink)
{
	FILE *file = from->file;
	int ret = 0;

	recording->name = file == stdin ? "standard input" : from->path;
	/* Its head may have been read, or its times. */
	if (file != stdin)
		rewind(file);
	if (choice->since.kind || choice->until.kind)
		ret = recording_choose_times(recording, &file, choice);
	if (!ret)
		ret = recording_read_stream(recording, file, choice, sink);
	if (file != from->file)
		fclose(file);
	return ret;
}

static int read_each(struct recording *recording, const struct recording_files *files,
		     const struct recording_choice *choice, const struct recording_sink *sink)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < files->nr && !ret; i++) {
		recording->before = i ? files->file[i - 1].path : NULL;
		recording->name = files->file[i].path;
		rewind(files->file[i].file);
		ret = recording_read_stream(recording, files->file[i].file, choice, sink);
	}
	if (!ret)
		recording->name = files->label;
	return ret;
}

static int choose_times(struct recording *recording, const struct recording_files *files,
			const struct recording_choice *choice)
{
	const struct recording_choice all = { .partial = choice->partial, .quiet = true };
	const struct recording_sink none = { .data = NULL };
	struct recording whole = { .name = files->label };
	int ret = read_each(&whole, files, &all, &none);

	if (!ret)
		ret = recording_set_times(recording, &whole, choice);
	recording_free(&whole);
	return ret;
}

/**
 * recording_has_time - do files have something of the times that are asked for?
 * @files: files of one recording
 * @choice: the times
 * @ret: set to 0, or to an exit code after a message
 *
 * Return: true or false.
 */
bool recording_has_time(const struct recording_files *files,
			const struct recording_choice *choice, int *ret)
{
	const struct recording_choice all = { .partial = choice->partial, .quiet = true };
	const struct recording_sink none = { .data = NULL };
	struct recording whole = { .name = files->label };
	bool has;

	*ret = read_each(&whole, files, &all, &none);
	has = !*ret && recording_overlaps(&whole, choice);
	recording_free(&whole);
	return has;
}

static void note_gaps(const struct recording *recording)
{
	char begin[64], end[64];
	size_t i;

	for (i = 0; i < recording->nr_gaps; i++) {
		const struct recording_gap *gap = &recording->gap[i];

		if (!recording_gap_ns(recording, gap->begin_ns, gap->end_ns) ||
		    gap->end_ns <= recording_begin_ns(recording) ||
		    gap->begin_ns >= recording_end_ns(recording))
			continue;
		recording_put_time(begin, sizeof(begin),
				   recording_epoch_ns(recording, gap->begin_ns));
		recording_put_time(end, sizeof(end), recording_epoch_ns(recording, gap->end_ns));
		message_note("nothing was recorded from %s to %s, %.3f s", begin, end,
			     (gap->end_ns - gap->begin_ns) / (double)NS_PER_S);
	}
}

/**
 * recording_read - read a recording
 * @recording: to be filled; the caller frees it in any case
 * @files: its files, in the order of time
 * @choice: what is taken
 * @sink: who gets the pieces
 *
 * Return: 0, or an exit code after a message.
 */
int recording_read(struct recording *recording, const struct recording_files *files,
		   const struct recording_choice *choice, const struct recording_sink *sink)
{
	int ret = 0;

	*recording = (struct recording){ .name = files->label };
	if (files->nr == 1)
		return read_one(recording, &files->file[0], choice, sink);
	if (choice->since.kind || choice->until.kind)
		ret = choose_times(recording, files, choice);
	if (!ret)
		ret = read_each(recording, files, choice, sink);
	if (!ret)
		note_gaps(recording);
	return ret;
}
