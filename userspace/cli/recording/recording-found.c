// SPDX-License-Identifier: GPL-2.0
/*
 * Find and open the files of a recording.
 *
 * A recorder that runs gives its files other names now and then. So each is opened once, and if the
 * names that are looked for are no longer those of the files that are open, all begins again.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "reader.h"
#include "recording-files.h"

/* Renaming takes microseconds. */
#define TRIES		20
#define TRY_NS		(5 * NS_PER_MS)
/* Descriptors for everything else. */
#define OTHERS		64

/* The names changed meanwhile: no exit code. */
#define CHANGED		(-1)

static int no_memory(void)
{
	return message_fail(EXIT_RUNTIME, "cannot list the files: %s", strerror(ENOMEM));
}

static int add(struct recording_files *files, const char *path)
{
	struct recording_file *more = reallocarray(files->file, files->nr + 1, sizeof(*more));

	if (!more)
		return no_memory();
	files->file = more;
	more[files->nr] = (struct recording_file){ .path = strdup(path) };
	if (!more[files->nr].path)
		return no_memory();
	files->nr++;
	return 0;
}

/* There may be other files beside recordings. */
static int list_directory(struct recording_files *files, const char *path, DIR *directory,
			  bool quiet)
{
	const struct dirent *entry;
	size_t before = files->nr;
	char name[PATH_MAX];
	int ret = 0;

	while (!ret && (entry = readdir(directory))) {
		if (snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) >= (int)sizeof(name))
			continue;
		errno = 0;
		if (record_is_file(name))
			ret = add(files, name);
		else if (errno == EACCES && !quiet)
			message_note("cannot open %s, which is left out: %s", name,
				     strerror(errno));
	}
	if (ret || files->nr > before)
		return ret;
	return message_fail(EXIT_RUNTIME, "%s has no recording (topdown record writes such files)",
			    path);
}

/* The number after the last point; 0 for none. @base: bytes before it */
static unsigned int number_of(const char *name, size_t *base)
{
	const char *point = strrchr(name, '.'), *at;

	*base = strlen(name);
	if (!point || point[1] < '1' || point[1] > '9' || strlen(point + 1) > 6)
		return 0;
	for (at = point + 1; *at; at++) {
		if (!isdigit((unsigned char)*at))
			return 0;
	}
	*base = point - name;
	return strtoul(point + 1, NULL, 10);
}

static int by_number(const void *one, const void *other)
{
	size_t base;
	unsigned int at = number_of(((const struct recording_file *)one)->path, &base);
	unsigned int than = number_of(((const struct recording_file *)other)->path, &base);

	return (at > than) - (at < than);
}

/* Some numbers may be missing. */
static int list_older(struct recording_files *files, const char *latest)
{
	const char *slash = strrchr(latest, '/'), *last = slash ? slash + 1 : latest;
	char where[PATH_MAX], name[PATH_MAX];
	const struct dirent *entry;
	DIR *directory;
	size_t base;
	int ret = 0;

	snprintf(where, sizeof(where), "%.*s", (int)(last - latest), latest);
	directory = opendir(slash ? where : ".");
	while (directory && !ret && (entry = readdir(directory))) {
		if (!number_of(entry->d_name, &base) || base != strlen(last) ||
		    strncmp(entry->d_name, last, base))
			continue;
		if (snprintf(name, sizeof(name), "%s%s", where, entry->d_name) < (int)sizeof(name))
			ret = add(files, name);
	}
	if (directory)
		closedir(directory);
	if (files->nr > 1)
		qsort(files->file + 1, files->nr - 1, sizeof(*files->file), by_number);
	return ret;
}

static int list_rotated(struct recording_files *files, const char *latest)
{
	char name[PATH_MAX];
	size_t base;
	int ret;

	if (number_of(latest, &base)) {
		snprintf(name, sizeof(name), "%.*s", (int)base, latest);
		if (!access(name, F_OK))
			return message_fail(EXIT_USAGE, "--rotated: %s is an older file of %s (allowed: name the latest file)",
					    latest, name);
	}
	ret = add(files, latest);
	return ret ? ret : list_older(files, latest);
}

static int list_name(struct recording_files *files, const char *name, bool quiet)
{
	DIR *directory = strcmp(name, "-") ? opendir(name) : NULL;
	int ret;

	if (directory && files->rotated) {
		ret = message_fail(EXIT_USAGE,
				   "--rotated: a directory has all of them: leave out --rotated");
	} else if (directory) {
		files->found = true;
		ret = list_directory(files, name, directory, quiet);
	} else if (files->rotated) {
		files->found = true;
		ret = list_rotated(files, name);
	} else {
		ret = add(files, name);
	}
	if (directory)
		closedir(directory);
	return ret;
}

static int list(struct recording_files *files, bool quiet)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < files->nr_names && !ret; i++)
		ret = list_name(files, files->name[i], quiet);
	for (i = 0; i < files->nr && !ret && files->nr > 1; i++) {
		if (strcmp(files->file[i].path, "-"))
			continue;
		ret = message_fail(EXIT_USAGE,
				   "standard input is one recording (allowed: - alone)");
	}
	return ret;
}

/* Each file needs a descriptor. */
static void make_room(size_t files)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= files + OTHERS)
		return;
	limit.rlim_cur = files + OTHERS < limit.rlim_max ? files + OTHERS : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_file(const struct recording_files *files, struct recording_file *file, bool last)
{
	struct stat st;

	if (!strcmp(file->path, "-")) {
		file->file = stdin;
		return 0;
	}
	file->file = fopen(file->path, "re");
	if (!file->file && errno == ENOENT && files->found && !last)
		return CHANGED;
	if (!file->file || fstat(fileno(file->file), &st))
		return message_fail(EXIT_RUNTIME, "cannot open %s: %s (topdown record writes such files)",
				    file->path, strerror(errno));
	file->device = st.st_dev;
	file->inode = st.st_ino;
	return 0;
}

static bool same_file(const struct recording_file *one, const struct recording_file *other)
{
	return one->device == other->device && one->inode == other->inode;
}

static int check_twice(const struct recording_files *files, bool last)
{
	size_t i, j;

	for (i = 0; i < files->nr; i++) {
		for (j = 0; j < i; j++) {
			if (!same_file(&files->file[i], &files->file[j]))
				continue;
			if (files->found && !last)
				return CHANGED;
			return message_fail(EXIT_USAGE,
					    "%s is named twice (allowed: each file once)",
					    files->file[i].path);
		}
	}
	return 0;
}

/* Are these still the files that have the names? */
static int check_names(const struct recording_files *files)
{
	struct recording_files now = {
		.nr_names = files->nr_names, .name = files->name, .rotated = files->rotated,
	};
	struct stat st;
	size_t i;
	int ret = list(&now, true);

	if (!ret && now.nr != files->nr)
		ret = CHANGED;
	for (i = 0; i < files->nr && !ret; i++) {
		if (stat(files->file[i].path, &st) || st.st_dev != files->file[i].device ||
		    st.st_ino != files->file[i].inode)
			ret = CHANGED;
	}
	for (i = 0; i < now.nr; i++)
		free(now.file[i].path);
	free(now.file);
	return ret;
}

static int find(struct recording_files *files, bool first, bool last)
{
	size_t i;
	int ret = list(files, !first);

	make_room(files->nr);
	for (i = 0; i < files->nr && !ret; i++)
		ret = open_file(files, &files->file[i], last);
	if (!ret && files->nr > 1)
		ret = check_twice(files, last);
	/* The last try takes what there is. */
	if (!ret && files->found && !last)
		ret = check_names(files);
	return ret;
}

/**
 * recording_file_close - close and free
 * @file: file
 */
void recording_file_close(struct recording_file *file)
{
	if (file->file && file->file != stdin)
		fclose(file->file);
	free(file->path);
	*file = (struct recording_file){ .path = NULL };
}

/**
 * recording_files_find - open the files that were named, or are found by what was named
 * @files: files
 *
 * Return: 0, or an exit code after a message.
 */
int recording_files_find(struct recording_files *files)
{
	const struct timespec pause = { .tv_nsec = TRY_NS };
	unsigned int i;
	int ret;

	for (i = 1; ; i++) {
		ret = find(files, i == 1, i == TRIES);
		if (ret != CHANGED)
			return ret;
		while (files->nr)
			recording_file_close(&files->file[--files->nr]);
		nanosleep(&pause, NULL);
	}
}
