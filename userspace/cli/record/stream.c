// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record: the stream that a recording is written to.
 *
 * A file takes what is written. A pipe takes it when its reader does, and until then the recorder
 * would sleep in write(), where it sees no signal, as these come through a descriptor. So it waits
 * for the pipe and for the signals, and then writes no more than a pipe takes at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "record.h"

/* A reader that was told by a signal that this is the end has so long to take the rest. */
#define REST_MS		1000

/* Wait until the reader takes more. A second signal is not patient. */
static int await_reader(struct record_run *run)
{
	struct pollfd fds[] = {
		{ .fd = run->fd, .events = POLLOUT },
		{ .fd = run->signals, .events = POLLIN },
	};
	bool ends = run->signal;
	int ready;

	for (;;) {
		ready = poll(fds, 2, run->signal ? REST_MS : -1);
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready > 0 && fds[0].revents)
			return 0;
		if (ready > 0 && fds[1].revents)
			record_take_signal(run);
		if (!ready || (ready > 0 && ends))
			return -EINTR;
		ends = run->signal;
	}
}

static ssize_t write_some(void *cookie, const char *bytes, size_t size)
{
	struct record_run *run = cookie;
	size_t done = 0;
	ssize_t nr;
	int ret = run->stalled ? -EINTR : 0;

	while (done < size && !ret) {
		ret = await_reader(run);
		if (ret)
			break;
		nr = write(run->fd, bytes + done, size - done < PIPE_BUF ? size - done : PIPE_BUF);
		if (nr >= 0)
			done += nr;
		else if (errno != EINTR && errno != EAGAIN)
			ret = -errno;
	}
	run->stalled |= ret == -EINTR;
	errno = -ret;
	/* As the C library asks for it: 0 is an error. */
	return ret ? 0 : (ssize_t)size;
}

static int close_some(void *cookie)
{
	struct record_run *run = cookie;

	return run->fd == STDOUT_FILENO ? 0 : close(run->fd);
}

static FILE *open_stream(struct record_run *run, bool regular)
{
	const cookie_io_functions_t functions = { .write = write_some, .close = close_some };

	return regular ? fdopen(run->fd, "w") : fopencookie(run, "w", functions);
}

static int open_path(struct record_run *run)
{
	const char *path = run->options->path;

	if (!strcmp(path, "-")) {
		run->name = "standard output";
		return STDOUT_FILENO;
	}
	run->name = path;
	run->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	run->created = run->fd >= 0;
	return run->created ? run->fd : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
}

static int cannot_open(struct record_run *run)
{
	return message_fail(EXIT_RUNTIME, "cannot open %s for writing: %s", run->name,
			    strerror(errno));
}

/**
 * record_open - open what the recording is written to
 * @run: the recording
 *
 * Nothing is written yet, and an earlier file stays as it is.
 *
 * Return: 0, or an exit code after a message.
 */
int record_open(struct record_run *run)
{
	bool regular;
	struct stat st;

	run->fd = open_path(run);
	if (run->fd < 0 || fstat(run->fd, &st))
		return cannot_open(run);
	if (isatty(run->fd))
		return message_fail(EXIT_USAGE, "-o %s: a recording is no text for a terminal (allowed: a file or a pipe)",
				    run->options->path);
	regular = S_ISREG(st.st_mode);
	if (!regular && run->options->rotation.files)
		return message_fail(EXIT_USAGE, "--rotate: %s is no file (allowed: -o with a file)",
				    run->name);
	/* File systems that know no locks have files nevertheless. */
	if (regular && run->fd != STDOUT_FILENO && flock(run->fd, LOCK_EX | LOCK_NB) &&
	    errno == EWOULDBLOCK)
		return message_fail(EXIT_USAGE, "%s: another topdown record writes to it (allowed: another file)",
				    run->name);
	run->stale = regular && st.st_size;
	run->writer.file = open_stream(run, regular);
	return run->writer.file ? 0 : cannot_open(run);
}

/* The stream keeps its descriptor, and the earlier file, which has another name, its contents. */
static int open_next(struct record_run *run)
{
	int fd = open(run->options->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return -errno;
	/* File systems that know no locks have files nevertheless. */
	flock(fd, LOCK_EX | LOCK_NB);
	if (dup3(fd, run->fd, O_CLOEXEC) < 0) {
		close(fd);
		return -errno;
	}
	close(fd);
	return 0;
}

/**
 * record_renew - empty the file, now that there is something to record
 * @run: the recording
 *
 * An earlier recording with the name that is the default is kept under another one, as perf does.
 *
 * Return: 0, or an exit code after a message.
 */
int record_renew(struct record_run *run)
{
	int ret = 0;

	if (!run->stale)
		return 0;
	if (run->options->rotation.files)
		return record_next_file(run);
	if (!strcmp(run->options->path, RECORD_PATH))
		ret = rename(RECORD_PATH, RECORD_PATH ".old") ? -errno : open_next(run);
	else if (ftruncate(run->fd, 0))
		ret = -errno;
	return ret ? record_failed(run, -ret) : 0;
}

/**
 * record_next_file - go on in a new file, and keep those before under other names
 * @run: the recording, whose file has ended
 *
 * Return: 0, or an exit code after a message.
 */
int record_next_file(struct record_run *run)
{
	int ret = rotate_names(run->options->path, run->options->rotation.files);

	if (!ret)
		ret = open_next(run);
	return ret ? record_failed(run, -ret) : 0;
}
