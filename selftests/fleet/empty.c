// SPDX-License-Identifier: GPL-2.0
/*
 * A server with nothing to say: each request gets status 200 and no bytes, so what a scrape of
 * it costs is the client, and the kernel's part of a connection that is there already.
 *
 *   empty PORT
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

static int listen_at(unsigned short port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 8))
		err(1, "port %u", port);
	return fd;
}

/* False at the end of the connection, or of a request that does not fit. */
static bool take_request(int fd)
{
	size_t have = 0;
	char text[4096];
	ssize_t n;

	do {
		n = read(fd, text + have, sizeof(text) - 1 - have);
		if (n <= 0)
			return false;
		have += n;
		text[have] = '\0';
	} while (!strstr(text, "\r\n\r\n"));
	return true;
}

int main(int argc, char **argv)
{
	const int on = 1;
	int listener, fd;

	if (argc != 2)
		errx(1, "usage: empty PORT");
	listener = listen_at(strtoul(argv[1], NULL, 10));
	for (;;) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			err(1, "no connection");
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		while (take_request(fd)) {
			if (write(fd, answer, sizeof(answer) - 1) != sizeof(answer) - 1)
				err(1, "no answer");
		}
		close(fd);
	}
}
