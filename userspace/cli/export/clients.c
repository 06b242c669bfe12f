// SPDX-License-Identifier: GPL-2.0
/*
 * The connections of topdown export, and when they have to go.
 *
 * A client that sends its request, or takes the answer, a byte at a time could stay for
 * ever. So each request has a time in all. If all connections are taken, one goes of the address
 * that has the most: one without an answer on the way if there is one, and of these the one that
 * has waited longest.  So a scraper gets in and stays whatever one other address does.  Clients
 * that keep large answers from being freed go too.
 */
#include "clients.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "clock.h"
#include "socket.h"

/* A new client has asked by then, unless its network is slow. */
#define ASKS_NS		(100 * NS_PER_MS)

static uint64_t end_of(const struct export_client *client)
{
	return client->since_ns + NS_PER_S * (client->answered ? EXPORT_NEXT_S : EXPORT_FIRST_S);
}

/* The library sees the end of the stream, and closes it. */
static void expire(const struct export_client *client)
{
	shutdown(client->fd, SHUT_RDWR);
}

/* Without an answer on the way, and not the only one of its address that is just about to ask. */
static bool is_idle(const struct export_client *client, uint64_t now)
{
	return !client->length && (client->answered || client->nr_peer > 1 ||
				   now - client->since_ns > ASKS_NS);
}

/* Whether @one has to go before @other. */
static bool goes_first(const struct export_client *one, const struct export_client *other,
		       uint64_t now)
{
	if (one->nr_peer != other->nr_peer)
		return one->nr_peer > other->nr_peer;
	if (is_idle(one, now) != is_idle(other, now))
		return is_idle(one, now);
	return one->since_ns < other->since_ns;
}

static void expire_one(struct export_clients *clients)
{
	const struct export_client *first = NULL;
	uint64_t now = clock_now_ns();
	size_t i;

	for (i = 0; i < clients->max; i++) {
		const struct export_client *client = clients->client[i];

		if (client && (!first || goes_first(client, first, now)))
			first = client;
	}
	if (first)
		expire(first);
}

static void count_peer(struct export_clients *clients, uint64_t peer)
{
	size_t i, nr = 0;

	for (i = 0; i < clients->max; i++)
		nr += clients->client[i] && clients->client[i]->peer == peer;
	for (i = 0; i < clients->max; i++) {
		if (clients->client[i] && clients->client[i]->peer == peer)
			clients->client[i]->nr_peer = nr;
	}
}

/**
 * export_clients_add - a connection was made
 * @clients: all connections
 * @fd: its socket
 *
 * Return: the connection; NULL if there is no room or no memory, so it cannot expire.
 */
struct export_client *export_clients_add(struct export_clients *clients, int fd)
{
	struct export_client *client;
	size_t i;

	for (i = 0; i < clients->max && clients->client[i]; i++)
		;
	client = i < clients->max ? malloc(sizeof(*client)) : NULL;
	if (!client)
		return NULL;
	/* The library accepts nobody while the last place is taken. */
	if (clients->nr + 1 >= clients->max)
		expire_one(clients);
	*client = (struct export_client){
		.fd = fd, .peer = export_socket_peer(fd), .since_ns = clock_now_ns(),
	};
	clients->client[i] = client;
	clients->nr++;
	count_peer(clients, client->peer);
	return client;
}

/**
 * export_clients_remove - a connection has ended
 * @clients: all connections
 * @client: the connection, or NULL
 */
void export_clients_remove(struct export_clients *clients, struct export_client *client)
{
	size_t i;

	for (i = 0; i < clients->max && client; i++) {
		if (clients->client[i] != client)
			continue;
		clients->client[i] = NULL;
		clients->nr--;
		clients->nr_closing -= client->closing;
		count_peer(clients, client->peer);
		free(client);
		return;
	}
}

/**
 * export_clients_send - an answer begins
 * @client: its connection, or NULL
 * @length: bytes of it
 */
void export_clients_send(struct export_client *client, size_t length)
{
	if (!client)
		return;
	client->asked_ns = clock_now_ns();
	client->length = length;
}

static struct export_client *longest_sending(const struct export_clients *clients)
{
	struct export_client *longest = NULL;
	size_t i;

	for (i = 0; i < clients->max; i++) {
		struct export_client *client = clients->client[i];

		if (client && client->length && (!longest || client->asked_ns < longest->asked_ns))
			longest = client;
	}
	return longest;
}

/**
 * export_clients_limit - close those whose answers are sent longest, until the others are not large
 * @clients: all connections
 * @most: bytes of all answers that are sent
 */
void export_clients_limit(struct export_clients *clients, size_t most)
{
	size_t i, length = 0;

	for (i = 0; i < clients->max; i++)
		length += clients->client[i] ? clients->client[i]->length : 0;
	while (length > most) {
		struct export_client *client = longest_sending(clients);

		length -= client->length;
		client->length = 0;
		client->closing = true;
		clients->nr_closing++;
		expire(client);
	}
}

/**
 * export_clients_answered - an answer is complete
 * @client: its connection, or NULL
 */
void export_clients_answered(struct export_client *client)
{
	if (!client)
		return;
	client->answered = true;
	client->length = 0;
	client->since_ns = clock_now_ns();
}

/**
 * export_clients_expire - end the connections whose time is over
 * @clients: all connections
 *
 * Return: ms until the next one; -1 if there is none.
 */
int export_clients_expire(struct export_clients *clients)
{
	uint64_t now = clock_now_ns(), next = UINT64_MAX;
	size_t i;

	for (i = 0; i < clients->max; i++) {
		const struct export_client *client = clients->client[i];

		if (client && end_of(client) <= now)
			expire(client);
		else if (client && end_of(client) < next)
			next = end_of(client);
	}
	if (next == UINT64_MAX)
		return -1;
	return (next - now) / NS_PER_MS + 1;
}
