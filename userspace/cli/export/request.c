// SPDX-License-Identifier: GPL-2.0
/*
 * The headers of a request say what it asks for (RFC 9110, 7.2 and 12.5).
 *
 * But for Host a header is a list of elements between commas. An element is a name with
 * parameters, each after a semicolon. The parameter q is the weight, 0 to 1.
 */
#include "request.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define BLANKS		" \t"
/* The weight of an element without one, in thousandths. */
#define WEIGHT_ONE	1000

/* A part of a header: not a copy, and not ended by a NUL. */
struct piece {
	const char *at;
	size_t length;
};

/* Cut off all up to one of the separators, without blanks around it. */
static struct piece take(struct piece *rest, char separator)
{
	const char *end = memchr(rest->at, separator, rest->length);
	struct piece piece = { rest->at, end ? (size_t)(end - rest->at) : rest->length };
	size_t taken = piece.length + !!end;

	rest->at += taken;
	rest->length -= taken;
	while (piece.length && strchr(BLANKS, piece.at[0])) {
		piece.at++;
		piece.length--;
	}
	while (piece.length && strchr(BLANKS, piece.at[piece.length - 1]))
		piece.length--;
	return piece;
}

static bool is(struct piece piece, const char *name)
{
	return piece.length == strlen(name) && !strncasecmp(piece.at, name, piece.length);
}

/* Weights that are none count as 0: what cannot be understood is not asked for. */
static unsigned int weight_of(struct piece value)
{
	unsigned int weight = 0, unit = WEIGHT_ONE;
	size_t i;

	for (i = 0; i < value.length; i++) {
		if (i == 1 && value.at[i] == '.')
			continue;
		if (i == 1 || value.at[i] < '0' || value.at[i] > '9')
			return 0;
		weight += (value.at[i] - '0') * unit;
		unit /= 10;
	}
	return weight > WEIGHT_ONE ? 0 : weight;
}

/* The weight of an element; 0 too if it wants another version than @version. */
static unsigned int weigh(struct piece parameters, const char *version)
{
	unsigned int weight = WEIGHT_ONE;

	while (parameters.length) {
		struct piece value = take(&parameters, ';');
		struct piece name = take(&value, '=');

		if (is(name, "q"))
			weight = weight_of(value);
		else if (version && is(name, "version") && !is(value, version))
			return 0;
	}
	return weight;
}

/* The largest weight of an element called @name. */
static unsigned int weight_in(const char *header, const char *name, const char *version)
{
	struct piece rest = { header, header ? strlen(header) : 0 };
	unsigned int largest = 0;

	while (rest.length) {
		struct piece element = take(&rest, ',');
		unsigned int weight;

		if (!is(take(&element, ';'), name))
			continue;
		weight = weigh(element, version);
		if (weight > largest)
			largest = weight;
	}
	return largest;
}

/**
 * export_request_format - the format to answer in
 * @accept: value of the header Accept, NULL for none
 *
 * OpenMetrics is for those who name it. Whoever accepts neither gets the older format, as
 * from other exporters.
 *
 * Return: the format.
 */
enum export_format export_request_format(const char *accept)
{
	unsigned int modern = weight_in(accept, "application/openmetrics-text", "1.0.0");

	if (modern && modern >= weight_in(accept, "text/plain", "0.0.4"))
		return EXPORT_OPENMETRICS;
	return EXPORT_PROMETHEUS;
}

/* Without the port, and the brackets of IPv6; false if it is too long for a name. */
static bool name_in(const char *host, char name[HOST_NAME_MAX + 1])
{
	bool v6 = host[0] == '[';
	size_t length = strcspn(host + v6, v6 ? "]" : ":");

	if (length > HOST_NAME_MAX)
		return false;
	memcpy(name, host + v6, length);
	name[length] = '\0';
	return true;
}

static bool is_loopback(const char *address)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (inet_pton(AF_INET, address, &v4) == 1)
		return ntohl(v4.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
	return inet_pton(AF_INET6, address, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

/* The full name of a machine is there, and others that it calls itself.  No server is asked. */
static bool hosts_have(const char *name)
{
	FILE *hosts = fopen(_PATH_HOSTS, "re");
	char *line = NULL, *word, *rest;
	bool found = false;
	size_t size = 0;

	while (hosts && !found && getline(&line, &size, hosts) > 0) {
		line[strcspn(line, "#\n")] = '\0';
		word = strtok_r(line, " \t", &rest);
		if (!word || !is_loopback(word))
			continue;
		while (!found && (word = strtok_r(NULL, " \t", &rest)))
			found = !strcasecmp(name, word);
	}
	free(line);
	if (hosts)
		fclose(hosts);
	return found;
}

/**
 * export_request_is_local - whether a request names this machine
 * @host: value of the header Host, NULL for none
 *
 * The page of a stranger that a browser here shows may let its own name stand for the address of
 * the loopback, and then read the answer.
 *
 * Return: true for an address, localhost, the name of this machine, one that it has for the
 * loopback, and no name at all.
 */
bool export_request_is_local(const char *host)
{
	char name[HOST_NAME_MAX + 1], own[HOST_NAME_MAX + 1];
	struct in6_addr address;

	if (!host)
		return true;
	if (!name_in(host, name))
		return false;
	if (inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1)
		return true;
	return !strcasecmp(name, "localhost") ||
	       (!gethostname(own, sizeof(own)) && !strcasecmp(name, own)) || hosts_have(name);
}

/**
 * export_request_gzip - whether the answer may be compressed
 * @accept_encoding: value of the header Accept-Encoding, NULL for none
 *
 * Return: true if gzip is named.
 */
bool export_request_gzip(const char *accept_encoding)
{
	return weight_in(accept_encoding, "gzip", NULL) ||
	       weight_in(accept_encoding, "x-gzip", NULL);
}
