// SPDX-License-Identifier: GPL-2.0
/*
 * Standard input, output and errors, which a program may be started without.
 */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

/**
 * streams_keep - take care that nothing else gets descriptor 0, 1 or 2
 *
 * If the caller closed one of them, the device would get this number, and output would be
 * written to the device. So open /dev/null in the direction in which it cannot be used.
 *
 * Return: false after a message.
 */
bool streams_keep(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) != fd)
			return message_refuse("cannot open /dev/null in place of a standard descriptor: %s",
					      strerror(errno));
	}
	return true;
}
