// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a recording.
 *
 * Several files are one recording if they belong to one rotation: the same machine and the same
 * load of the module, so that clocks and sums go on, the same command line, and no time twice.
 */
#include "recording-files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "reader.h"
#include "times.h"

/**
 * struct head - how a file begins
 * @path: its name
 * @info: the recording as a whole
 * @command: its command line
 */
struct head {
	char *path;
	struct record_info info;
	char command[512];
};

static int no_memory(void)
{
	message_error("cannot list the files: %s", strerror(ENOMEM));
	return EXIT_RUNTIME;
}

static int cannot_open(const char *path)
{
	message_error("cannot open %s: %s (topdown record writes such files)", path,
		      strerror(errno));
	return EXIT_RUNTIME;
}

static int add(struct recording_files *files, const char *path)
{
	char **more = reallocarray(files->path, files->nr + 1, sizeof(*more));

	if (!more)
		return no_memory();
	files->path = more;
	more[files->nr] = strdup(path);
	if (!more[files->nr])
		return no_memory();
	files->nr++;
	return 0;
}

/* There may be other files beside recordings. */
static int add_all(struct recording_files *files, const char *path, DIR *directory)
{
	const struct dirent *entry;
	char name[PATH_MAX];
	int ret = 0;

	while (!ret && (entry = readdir(directory))) {
		if (snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) < (int)sizeof(name) &&
		    record_is_file(name))
			ret = add(files, name);
	}
	return ret;
}

/**
 * recording_files_add - add a file, or all recordings of a directory
 * @files: files; the caller frees them in any case
 * @path: file or directory, or - for standard input
 *
 * Return: 0, or an exit code after a message.
 */
int recording_files_add(struct recording_files *files, const char *path)
{
	DIR *directory = strcmp(path, "-") ? opendir(path) : NULL;
	size_t before = files->nr;
	int ret;

	if (!directory)
		return add(files, path);
	ret = add_all(files, path, directory);
	closedir(directory);
	if (ret || files->nr > before)
		return ret;
	message_error("%s has no recording (topdown record writes such files)", path);
	return EXIT_RUNTIME;
}

/**
 * recording_files_rotated - add the older files of a rotation
 * @files: its latest file
 *
 * Return: 0, or an exit code after a message.
 */
int recording_files_rotated(struct recording_files *files)
{
	char name[PATH_MAX];
	unsigned int i;
	int ret = 0;

	for (i = 1; !ret; i++) {
		if (snprintf(name, sizeof(name), "%s.%u", files->path[0], i) >= (int)sizeof(name) ||
		    access(name, F_OK))
			break;
		ret = add(files, name);
	}
	return ret;
}

/* The recording as a whole and the command line come first. */
static bool read_blocks(struct record_reader *reader, struct head *head)
{
	if (record_read(reader) != RECORD_BLOCK ||
	    !record_struct(reader, &head->info, sizeof(head->info), sizeof(head->info)))
		return false;
	record_tidy(head->info.host, sizeof(head->info.host));
	if (record_read(reader) != RECORD_BLOCK)
		return false;
	if (reader->block.type == RECORD_COMMAND)
		record_words(reader, head->command, sizeof(head->command));
	return true;
}

static int read_head(struct head *head, char *path)
{
	FILE *file = fopen(path, "re");
	struct record_reader reader;
	bool right;

	*head = (struct head){ .path = path };
	if (!file)
		return cannot_open(path);
	right = !record_read_start(&reader, file) && read_blocks(&reader, head);
	if (!right)
		message_error("cannot read %s: %s", path, *reader.why ? reader.why : strerror(ENOMEM));
	record_read_end(&reader);
	fclose(file);
	return right ? 0 : EXIT_RUNTIME;
}

static int compare(const void *one, const void *other)
{
	uint64_t at_ns = ((const struct head *)one)->info.begin.monotonic_ns;
	uint64_t than_ns = ((const struct head *)other)->info.begin.monotonic_ns;

	return (at_ns > than_ns) - (at_ns < than_ns);
}

/* Give EXIT_USAGE after a message if the files are no parts of one recording. */
static int check(const struct head *first, const struct head *other)
{
	const struct record_info *one = &first->info, *two = &other->info;

	if (one->subject == RECORD_OF_TASKS || two->subject == RECORD_OF_TASKS)
		message_error("%s is of tasks, which is whole by itself (allowed: one file, or those of a 'topdown record --rotate')",
			      one->subject == RECORD_OF_TASKS ? first->path : other->path);
	else if (strcmp(one->host, two->host) || one->nr_cpus != two->nr_cpus)
		message_error("%s is of the machine %s with %u CPUs, and %s of %s with %u (allowed: files of one machine)",
			      first->path, one->host, one->nr_cpus, other->path, two->host,
			      two->nr_cpus);
	else if (one->instance != two->instance)
		message_error("between %s and %s the module was loaded again, and its sums and perhaps the clocks began again (allowed: files of one time)",
			      first->path, other->path);
	else if (strcmp(first->command, other->command))
		message_error("%s is of 'topdown %s', and %s of 'topdown %s' (allowed: files of one 'topdown record --rotate'; --diff compares two recordings)",
			      first->path, first->command, other->path, other->command);
	else
		return 0;
	return EXIT_USAGE;
}

static int order(struct recording_files *files, struct head *heads)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < files->nr; i++) {
		if (!strcmp(files->path[i], "-")) {
			message_error("standard input is one recording (allowed: - alone)");
			return EXIT_USAGE;
		}
	}
	for (i = 0; i < files->nr && !ret; i++)
		ret = read_head(&heads[i], files->path[i]);
	for (i = 1; i < files->nr && !ret; i++)
		ret = check(&heads[0], &heads[i]);
	if (ret)
		return ret;
	qsort(heads, files->nr, sizeof(*heads), compare);
	for (i = 0; i < files->nr; i++)
		files->path[i] = heads[i].path;
	return 0;
}

/**
 * recording_files_order - put several files in the order of time
 * @files: files
 *
 * Return: 0, or an exit code after a message: they are no parts of one recording.
 */
int recording_files_order(struct recording_files *files)
{
	struct head *heads;
	int ret;

	snprintf(files->label, sizeof(files->label), "these %zu files", files->nr);
	if (files->nr < 2)
		return 0;
	heads = calloc(files->nr, sizeof(*heads));
	ret = heads ? order(files, heads) : no_memory();
	free(heads);
	return ret;
}

/**
 * recording_files_free - free
 * @files: files
 */
void recording_files_free(struct recording_files *files)
{
	while (files->nr)
		free(files->path[--files->nr]);
	free(files->path);
	files->path = NULL;
}

static int read_one(struct recording *recording, const char *path,
		    const struct recording_choice *choice, const struct recording_sink *sink)
{
	bool standard = !strcmp(path, "-");
	FILE *file = standard ? stdin : fopen(path, "re");
	int ret = 0;

	recording->name = standard ? "standard input" : path;
	if (!file)
		return cannot_open(path);
	if (choice->since.kind || choice->until.kind)
		ret = recording_choose_times(recording, &file, choice);
	if (!ret)
		ret = recording_read_stream(recording, file, choice, sink);
	if (file != stdin)
		fclose(file);
	return ret;
}

static int read_each(struct recording *recording, const struct recording_files *files,
		     const struct recording_choice *choice, const struct recording_sink *sink)
{
	size_t i;
	FILE *file;
	int ret = 0;

	for (i = 0; i < files->nr && !ret; i++) {
		recording->name = files->path[i];
		file = fopen(files->path[i], "re");
		if (!file)
			return cannot_open(files->path[i]);
		ret = recording_read_stream(recording, file, choice, sink);
		fclose(file);
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
		return read_one(recording, files->path[0], choice, sink);
	if (choice->since.kind || choice->until.kind)
		ret = choose_times(recording, files, choice);
	if (!ret)
		ret = read_each(recording, files, choice, sink);
	if (!ret)
		note_gaps(recording);
	return ret;
}
