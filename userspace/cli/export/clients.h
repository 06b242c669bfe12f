/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connections of topdown export, and when they have to go.
 */
#ifndef TOPDOWN_CLI_CLIENTS_H
#define TOPDOWN_CLI_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds for the first answer, and then for the next request and its answer. */
#define EXPORT_FIRST_S	10
#define EXPORT_NEXT_S	150

/**
 * struct export_client - a connection
 * @fd: its socket, which is the library's
 * @peer: who made it, as of export_socket_peer()
 * @nr_peer: how many connections that one has
 * @since_ns: when it was made, or its last answer was complete
 * @answered: it has had an answer
 * @asked_ns: when the answer that is sent to it was asked for
 * @length: bytes of that answer; 0 if none is sent, or it does not count
 * @closing: it was closed for that, and has not gone yet
 */
struct export_client {
	int fd;
	uint64_t peer;
	size_t nr_peer;
	uint64_t since_ns;
	bool answered;
	uint64_t asked_ns;
	size_t length;
	bool closing;
};

/**
 * struct export_clients - all connections
 * @client: connections, NULL where there is none
 * @max: room in @client
 * @nr: connections
 * @nr_closing: those of them that are closing
 */
struct export_clients {
	struct export_client **client;
	size_t max;
	size_t nr;
	size_t nr_closing;
};

struct export_client *export_clients_add(struct export_clients *clients, int fd);
void export_clients_remove(struct export_clients *clients, struct export_client *client);
void export_clients_send(struct export_client *client, size_t length);
void export_clients_limit(struct export_clients *clients, size_t most);
void export_clients_answered(struct export_client *client);
int export_clients_expire(struct export_clients *clients);

#endif /* TOPDOWN_CLI_CLIENTS_H */
