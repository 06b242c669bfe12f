// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency --save: write what was sampled as a table.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "latency.h"
#include "message.h"

/* No errno: what is there cannot be replaced by a file. */
#define NO_FILE	(-1)

static int cannot_save(const char *path, int error)
{
	return message_fail(EXIT_RUNTIME, "--save: cannot write %s: %s", path, strerror(error));
}

/* The rights that fopen() would give a file. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Rows and messages would go on to the file that is replaced. */
static bool is_output(const struct stat *status, int rows)
{
	const int fds[] = { STDOUT_FILENO, STDERR_FILENO, rows };
	struct stat output;
	unsigned int i;

	for (i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (!fstat(fds[i], &output) && output.st_dev == status->st_dev &&
		    output.st_ino == status->st_ino)
			return true;
	}
	return false;
}

/* The file itself, as rename() would replace a link to it.  Return: 0, an errno or NO_FILE. */
static int resolve(struct latency_save *save, const char *path, int rows)
{
	struct stat status;

	save->mode = usual_mode();
	save->owner = -1;
	save->group = -1;
	if (lstat(path, &status)) {
		if (errno != ENOENT)
			return errno;
		save->path = strdup(path);
		return save->path ? 0 : ENOMEM;
	}
	save->path = realpath(path, NULL);
	if (!save->path || stat(save->path, &status))
		return errno;
	if (!S_ISREG(status.st_mode) || is_output(&status, rows))
		return NO_FILE;
	save->mode = status.st_mode & 0777;
	save->owner = status.st_uid;
	save->group = status.st_gid;
	return access(save->path, W_OK) ? errno : 0;
}

/* As the file that it replaces.  Rights that were for another group are for nobody. */
static int set_rights(const struct latency_save *save, int fd)
{
	mode_t mode = save->mode;

	/* Only root can give a file away. */
	if (fchown(fd, save->owner, save->group) && fchown(fd, -1, save->group))
		mode &= ~070;
	return fchmod(fd, mode);
}

/* A new file beside the table.  NULL with an errno; the caller frees @temporary. */
static FILE *open_temporary(const struct latency_save *save, char **temporary)
{
	FILE *file;
	int fd, error;

	if (asprintf(temporary, "%s.XXXXXX", save->path) < 0) {
		*temporary = NULL;
		errno = ENOMEM;
		return NULL;
	}
	fd = mkostemp(*temporary, O_CLOEXEC);
	if (fd < 0)
		return NULL;
	file = set_rights(save, fd) ? NULL : fdopen(fd, "w");
	if (file)
		return file;
	error = errno;
	close(fd);
	unlink(*temporary);
	errno = error;
	return NULL;
}

/**
 * save_prepare - look whether the table can be written, before anything is sampled
 * @save: written
 * @path: the argument of --save
 * @rows: descriptor to which rows are printed
 *
 * Return: 0, or an exit code after a message.
 */
int save_prepare(struct latency_save *save, const char *path, int rows)
{
	int error = resolve(save, path, rows);
	char *temporary;
	FILE *file;

	if (error == NO_FILE)
		return message_fail(EXIT_USAGE, "--save: %s is no regular file, or output goes there (allowed: a file, which is replaced as a whole, or a new one)",
				    path);
	if (error)
		return cannot_save(path, error);
	file = open_temporary(save, &temporary);
	if (file) {
		fclose(file);
		unlink(temporary);
	} else {
		error = errno;
	}
	free(temporary);
	return error ? cannot_save(path, error) : 0;
}

static void write_record(FILE *file, const struct topdown_latency_record *record)
{
	fprintf(file, "# %llu samples\n%s %.6f %llu %.1f %.1f %.1f %llu\n",
		(unsigned long long)record->samples, topdown_latency_event_name(record->event),
		known_sampled(record, KNOWN_MEAN), (unsigned long long)record->min,
		known_sampled(record, KNOWN_P50), known_sampled(record, KNOWN_P90),
		known_sampled(record, KNOWN_P99), (unsigned long long)record->max);
}

static void write_heading(FILE *file, const struct topdown_info *info)
{
	time_t now = time(NULL);
	struct tm utc;
	char date[32];

	gmtime_r(&now, &utc);
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &utc);
	fprintf(file, "# Retire latencies in cycles, for topdown latency --table.\n"
		KNOWN_CPU_LINE " %.*s\n"
		"# date %s UTC\n"
		"# event mean min p50 p90 p99 max\n",
		info->out_cpu_family, info->out_cpu_model, (int)sizeof(info->out_cpu_name),
		info->out_cpu_name, date);
}

/* Return: 0 or an errno. */
static int write_table(FILE *file, const struct topdown_info *info,
		       const struct topdown_latency_record *records, unsigned int nr)
{
	unsigned int i;
	bool failed;

	errno = 0;
	write_heading(file, info);
	for (i = 0; i < nr; i++) {
		if (records[i].samples)
			write_record(file, &records[i]);
	}
	failed = ferror(file);
	return fclose(file) || failed ? (errno ? errno : EIO) : 0;
}

static bool any_sample(const struct topdown_latency_record *records, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && !records[i].samples; i++)
		;
	return i < nr;
}

/**
 * save_write - write the table
 * @save: prepared; the file is replaced only by a whole one
 * @info: the machine
 * @records: one for each event
 * @nr: number of @records; those without a sample are left out
 *
 * Return: 0, or an exit code after a message.
 */
int save_write(const struct latency_save *save, const struct topdown_info *info,
	       const struct topdown_latency_record *records, unsigned int nr)
{
	char *temporary;
	FILE *file;
	int error;

	if (!any_sample(records, nr))
		return message_fail(EXIT_RUNTIME,
				    "--save: no event had a sample, so nothing is written to %s",
				    save->path);
	file = open_temporary(save, &temporary);
	error = file ? write_table(file, info, records, nr) : errno;
	if (!error && rename(temporary, save->path)) {
		message_error("--save: cannot replace %s: %s; the table is in %s", save->path,
			      strerror(errno), temporary);
		free(temporary);
		return EXIT_RUNTIME;
	}
	if (file && error)
		unlink(temporary);
	free(temporary);
	return error ? cannot_save(save->path, error) : 0;
}
