// SPDX-License-Identifier: GPL-2.0
/*
 * The output: opening, flushing, and noticing failures.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meaning.h"
#include "message.h"
#include "reader.h"

static void look_at_terminal(struct output *output)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	output->bars = isatty(fileno(output->file));
	output->colour = output->bars && !(no_color && *no_color) && term && *term &&
			 strcmp(term, "dumb");
}

static FILE *open_file(const char *path, bool append)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : 0);
	FILE *file;
	int fd;

	fd = open(path, flags, 0666);
	if (fd < 0)
		return NULL;
	file = fdopen(fd, append ? "a" : "w");
	if (!file)
		close(fd);
	return file;
}

/* A stream of our own writes whole lines, which no other writer of the file can split. */
static FILE *open_errors(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *file;

	if (fd < 0)
		return NULL;
	file = fdopen(fd, "w");
	if (!file)
		close(fd);
	return file;
}

static FILE *open_stream(struct output *output, const char *path, bool append)
{
	if (path) {
		output->name = path;
		return open_file(path, append);
	}
	output->name = output->errors ? "standard error" : "standard output";
	return output->errors ? open_errors() : stdout;
}

static char *heading_of(const struct output *output)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	output_csv_header(output, file);
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}

/* Rows of another kind below a heading would be misread. */
static bool has_our_heading(const struct output *output, const char *path)
{
	FILE *file = fopen(path, "re");
	char *ours = heading_of(output), *first = NULL;
	size_t size = 0;
	bool same = true;

	if (file && ours && getline(&first, &size, file) > 0)
		same = !strcmp(first, ours);
	if (file)
		fclose(file);
	free(first);
	free(ours);
	return same;
}

/**
 * output_open - open the output
 * @output: format, separator, header, tree, tasks, repeat and errors are set by the
 *	caller
 * @path: file, or NULL for standard output or error
 * @append: write after the contents of the file
 *
 * Return: 0, or an exit code after a message.
 */
int output_open(struct output *output, const char *path, bool append)
{
	struct stat st;

	if (path && append && output->format == OUTPUT_CSV && output->header &&
	    !stat(path, &st) && S_ISREG(st.st_mode) && !has_our_heading(output, path))
		return message_fail(EXIT_USAGE, "--append: %s has other columns than these rows (allowed: a file that began with rows of the same kind, or --no-header)",
				    path);
	output->file = open_stream(output, path, append);
	if (!output->file)
		return message_fail(EXIT_RUNTIME, "cannot open %s for writing: %s", output->name,
				    strerror(errno));
	look_at_terminal(output);
	if (!path || fstat(fileno(output->file), &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	/* Headings in the middle of a file would be misread as data. */
	output->started = append;
	output->stale = !append;
	return 0;
}

/**
 * output_begin - empty the file, now that there will be something to print
 * @output: output
 *
 * So a run that cannot measure keeps the output of an earlier run.
 *
 * Return: 0, or an exit code.
 */
int output_begin(struct output *output)
{
	if (output->stale && ftruncate(fileno(output->file), 0))
		return message_write(output->name, errno);
	output->stale = false;
	return 0;
}

/**
 * output_target - open and empty the file that a page or a trace goes to
 * @output: output
 * @option: the option that names it
 * @path: file, or - for standard output
 *
 * A recording cannot be made again, so none is overwritten.
 *
 * Return: 0, or an exit code after a message.
 */
int output_target(struct output *output, const char *option, const char *path)
{
	bool standard = !strcmp(path, "-");
	int ret;

	if (!standard && record_is_file(path))
		return message_fail(EXIT_USAGE,
				    "%s: %s is a recording (allowed: another file, or -)", option,
				    path);
	ret = output_open(output, standard ? NULL : path, false);
	return ret ? ret : output_begin(output);
}

/**
 * output_flush - let readers see what was printed
 * @output: output
 *
 * Return: 0, or an exit code.
 */
int output_flush(struct output *output)
{
	errno = 0;
	if (fflush(output->file) || ferror(output->file))
		return message_write(output->name, errno ? errno : EIO);
	return 0;
}

/* Say once to a person what the marked node means, and how to go on. */
static void advise(struct output *output, const struct row *row)
{
	int node = row_bottleneck(row);
	int child = row_bottleneck_child(row, node);

	if (child >= 0)
		node = child;
	if (node < 0 || !output->bars || output->advised >> node & 1)
		return;
	output->advised |= 1U << node;
	fprintf(output->file, "%s:\n  %s\n", topdown_node_name(node), meaning_of_node(node));
	fprintf(output->file, "  code: option --locate; more: topdown help %s\n",
		topdown_node_name(node));
}

/**
 * output_interval - print one interval
 * @output: output
 * @interval: the interval
 *
 * Return: 0, or an exit code.
 */
int output_interval(struct output *output, const struct interval *interval)
{
	int ret = 0;

	switch (output->format) {
	case OUTPUT_TABLE:
		output_table(output, interval);
		if (output->tree)
			advise(output, &interval->row[0]);
		break;
	case OUTPUT_CSV:
		if (output->header && !output->started)
			output_csv_header(output, output->file);
		output_csv(output, interval);
		break;
	case OUTPUT_JSON:
		ret = output_json(output, interval);
		break;
	}
	output->started = true;
	if (ret)
		return message_fail(EXIT_RUNTIME, "cannot print: %s", strerror(-ret));
	return output_flush(output);
}

/**
 * output_close - close, as some file systems report errors only then
 * @output: output
 *
 * Return: 0, or an exit code.
 */
int output_close(struct output *output)
{
	if (fclose(output->file))
		return message_write(output->name, errno);
	return 0;
}
