// SPDX-License-Identifier: GPL-2.0
/*
 * The socket that topdown export listens at: one of its own, or one of systemd's.
 */
#include "socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "message.h"
#include "parse.h"

/* sd_listen_fds(3): descriptors are given from this number on. */
#define GIVEN_FIRST	3
#define LOOPBACK	"127.0.0.1"
/* Bytes of an answer that the kernel takes before they can be sent, and counts as our memory. */
#define UNSENT_MAX	(128 << 10)

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool is_number(const char *text, uint64_t number)
{
	uint64_t value;
	const char *end = text ? parse_digits(text, &value) : NULL;

	return end && !*end && value == number;
}

static bool is_listening(int fd)
{
	socklen_t size = sizeof(int);
	int listening = 0;

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) && listening;
}

/* The variables may have been meant for our parent. */
static bool was_given(void)
{
	return is_number(getenv("LISTEN_PID"), getpid()) && getenv("LISTEN_FDS");
}

static int given_socket(void)
{
	bool one = is_number(getenv("LISTEN_FDS"), 1);

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!one || !is_listening(GIVEN_FIRST))
		return message_fail(-1, "export: systemd's socket is not one that listens (allowed: one ListenStream=)");
	if (fcntl(GIVEN_FIRST, F_SETFD, FD_CLOEXEC) ||
	    fcntl(GIVEN_FIRST, F_SETFL, O_RDWR | O_NONBLOCK))
		return message_fail(-1, "export: cannot use systemd's socket: %s", strerror(errno));
	return GIVEN_FIRST;
}

static bool parse_address(const char *text, uint16_t port, union address *address)
{
	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
		address->v4.sin_family = AF_INET;
		address->v4.sin_port = htons(port);
		return true;
	}
	if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) == 1) {
		address->v6.sin6_family = AF_INET6;
		address->v6.sin6_port = htons(port);
		return true;
	}
	return false;
}

/**
 * export_address_check - is it an address that can be listened at?
 * @text: argument of --address
 *
 * Return: false after a message.
 */
bool export_address_check(const char *text)
{
	union address address;

	if (parse_address(text, 0, &address))
		return true;
	return message_refuse("--address: '%s' is no address (allowed: a number such as 127.0.0.1, ::1 or 0.0.0.0)",
			      text);
}

static bool is_loopback(const union address *address)
{
	const struct in6_addr *v6 = &address->v6.sin6_addr;

	if (address->any.sa_family != AF_INET6)
		return ntohl(address->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	/* IPv4 has its addresses in the last four bytes of those of IPv6. */
	return IN6_IS_ADDR_LOOPBACK(v6) ||
	       (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == IN_LOOPBACKNET);
}

/**
 * export_socket_is_local - was it made from this machine, by IP?
 * @fd: socket of a connection
 *
 * One that listens at all addresses has connections of the loopback too.
 *
 * Return: true if our address of it is one of the loopback's.
 */
bool export_socket_is_local(int fd)
{
	union address address = { };
	socklen_t size = sizeof(address);

	return !getsockname(fd, &address.any, &size) &&
	       (address.any.sa_family == AF_INET || address.any.sa_family == AF_INET6) &&
	       is_loopback(&address);
}

/**
 * export_socket_peer - who made a connection?
 * @fd: its socket
 *
 * One machine has all addresses of IPv6 with the same first half.
 *
 * Return: a number of the address; 0 if it has none.
 */
uint64_t export_socket_peer(int fd)
{
	union address address = { };
	socklen_t size = sizeof(address);
	const uint8_t *at = address.v6.sin6_addr.s6_addr;
	uint64_t peer = 0;
	unsigned int i;

	if (getpeername(fd, &address.any, &size))
		return 0;
	if (address.any.sa_family == AF_INET)
		return address.v4.sin_addr.s_addr;
	if (address.any.sa_family != AF_INET6)
		return 0;
	if (IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr))
		at += sizeof(peer);
	for (i = 0; i < sizeof(peer); i++)
		peer = peer << 8 | at[i];
	return peer;
}

static bool begin_listening(int fd, const union address *address)
{
	int yes = 1;

	/* A daemon that is started again must not wait for connections of the old one. */
	return !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) &&
	       !bind(fd, &address->any, sizeof(*address)) && !listen(fd, SOMAXCONN);
}

static int own_socket(const struct export_options *options)
{
	const char *text = options->address ? options->address : LOOPBACK;
	uint16_t port = options->port ? options->port : EXPORT_PORT_DEFAULT;
	union address address;
	int fd;

	if (!parse_address(text, port, &address))
		return -1;
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || !begin_listening(fd, &address)) {
		message_error("export: cannot listen at %s, port %u: %s", text, port,
			      strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	message_note("export: listening at %s, port %u", text, port);
	if (!is_loopback(&address) && !(options->tls_certificate && options->auth))
		message_note("export: other machines can read this (--auth and --tls-cert protect it)");
	return fd;
}

/**
 * export_socket - begin to listen
 * @options: the command line
 *
 * A socket of systemd's comes first, so that its unit alone says where to listen.
 *
 * Return: descriptor that does not block; -1 after a message.
 */
int export_socket(const struct export_options *options)
{
	int fd = was_given() ? given_socket() : own_socket(options), unsent = UNSENT_MAX;

	/* Connections have it from there. A socket that is none of TCP does without. */
	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
	return fd;
}
