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

void message_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (held) {
		vsnprintf(held, held_size, format, args);
	} else {
		fputs("topdown: ", stderr);
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
	}
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
 * message_refuse - print why something is refused
 * @why: sentence
 *
 * Return: false.
 */
bool message_refuse(const char *why)
{
	message_error("%s", why);
	return false;
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
	message_error("cannot write to %s: %s", name, strerror(error));
	return EXIT_RUNTIME;
}
