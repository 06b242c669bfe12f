// SPDX-License-Identifier: GPL-2.0
/*
 * topdown-export, which topdown export executes: the sums of the CPUs as Prometheus and others
 * read them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export-data.h"
#include "export-metrics.h"
#include "export-options.h"
#include "http.h"
#include "message.h"
#include "socket.h"
#include "streams.h"

static bool write_all(int fd, const char *at, size_t length)
{
	ssize_t written;

	for (; length; at += written, length -= written) {
		written = write(fd, at, length);
		if (written < 0 && errno != EINTR)
			return false;
		if (written < 0)
			written = 0;
	}
	return true;
}

static int cannot_replace(const char *path, char *temporary, int error)
{
	unlink(temporary);
	free(temporary);
	return message_write(path, error);
}

/* A reader sees the old text or the new one. The temporary file does not end in .prom. */
static int replace_whole(const char *path, const struct export_text *text)
{
	char *temporary;
	int fd;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return message_write(path, ENOMEM);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		free(temporary);
		return message_write(path, errno);
	}
	/* The reader is another user, whatever the umask of a timer or a shell is. */
	if (!write_all(fd, text->at, text->length) || fchmod(fd, 0644)) {
		int error = errno;

		close(fd);
		return cannot_replace(path, temporary, error);
	}
	if (close(fd) || rename(temporary, path))
		return cannot_replace(path, temporary, errno);
	free(temporary);
	return EXIT_OK;
}

/* Signals that would leave the temporary file behind wait until it is gone. */
static int replace_file(const char *path, const struct export_text *text)
{
	struct stat status;
	sigset_t set, old;
	int ret;

	/* rename() would put a file in the place of a device as well, even of /dev/null. */
	if (!lstat(path, &status) && !S_ISREG(status.st_mode))
		return message_fail(EXIT_RUNTIME, "--textfile: %s is there, and is no regular file",
				    path);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	ret = replace_whole(path, text);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

static int print(const struct export_options *options, const struct export_text *text)
{
	if (text->failed)
		return message_write(options->textfile ? options->textfile : "standard output",
				     ENOMEM);
	if (options->textfile)
		return replace_file(options->textfile, text);
	if (!write_all(STDOUT_FILENO, text->at, text->length))
		return message_write("standard output", errno);
	return EXIT_OK;
}

static int export_once(const struct export_options *options)
{
	struct export_data data = { .device = options->device, .per_cpu = options->per_cpu };
	struct export_text text = { .format = options->format };
	int ret;

	export_data_update(&data);
	export_metrics(&text, &data);
	ret = print(options, &text);
	free(text.at);
	export_data_end(&data);
	return ret;
}

int main(int argc, char **argv)
{
	char name[] = "export";
	struct export_options options;
	bool done;
	int ret;

	if (!streams_keep())
		return EXIT_RUNTIME;
	/* Messages name the command that people type. */
	if (argc)
		argv[0] = name;
	ret = export_parse(&options, argc, argv, &done);
	if (ret || done)
		return ret;
	if (options.address && !export_address_check(options.address))
		return EXIT_USAGE;
	return options.listen ? export_serve(&options) : export_once(&options);
}
