// SPDX-License-Identifier: GPL-2.0
/*
 * Messages for people, all of them on stderr.
 */
#include "message.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Messages go here while a screen is up. */
static char *held;
static size_t held_size;

static void put(const char *format, va_list args)
{
	if (held) {
		vsnprintf(held, held_size, format, args);
		return;
	}
	fputs("topdown: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void message_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(format, args);
	va_end(args);
}

/**
 * message_hold - keep the last message instead of printing it
 * @text: where to, empty if there was none; NULL to print again
 * @size: room in @text
 *
 * A message on stderr would destroy a screen.
 */
void message_hold(char *text, size_t size)
{
	held = text;
	held_size = size;
	if (text)
		*text = '\0';
}

/**
 * message_fail - print why something fails
 * @code: exit code, or what else stands for a failure
 * @format: as of printf()
 *
 * Return: @code.
 */
int message_fail(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(format, args);
	va_end(args);
	return code;
}

/**
 * message_write - say why output cannot be written, unless a reader has closed the pipe
 * @name: name of the file or stream
 * @error: errno
 *
 * Return: the exit code.
 */
int message_write(const char *name, int error)
{
	if (error == EPIPE)
		return EXIT_SIGNAL + SIGPIPE;
	return message_fail(EXIT_RUNTIME, "cannot write to %s: %s", name, strerror(error));
}
