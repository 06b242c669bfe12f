/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages for people, all of them on stderr.
 */
#ifndef TOPDOWN_CLI_MESSAGE_H
#define TOPDOWN_CLI_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Exit codes; a signal is 128 + its number. */
enum {
	EXIT_OK		= 0,
	EXIT_RUNTIME	= 1,
	EXIT_USAGE	= 2,
	EXIT_DEVICE	= 3,
	EXIT_PARTIAL	= 4,
	EXIT_CHANGED	= 5,
	EXIT_SIGNAL	= 128,
};

void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A note has the same form as an error, and the same destination. */
#define message_note	message_error

int message_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For functions that say by false that something is refused. */
#define message_refuse(...)	message_fail(false, __VA_ARGS__)

void message_hold(char *text, size_t size);
int message_write(const char *name, int error);

#endif /* TOPDOWN_CLI_MESSAGE_H */
