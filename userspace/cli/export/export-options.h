/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of topdown export.
 */
#ifndef TOPDOWN_CLI_EXPORT_OPTIONS_H
#define TOPDOWN_CLI_EXPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "export-text.h"

/* In no list of ports that exporters share, and below the ports that kernels give out. */
#define EXPORT_PORT_DEFAULT		18673
#define EXPORT_CONNECTIONS_DEFAULT	64
#define EXPORT_CONNECTIONS_MAX		1000

/* A cgroup has some 20 series. */
#define EXPORT_CGROUPS_DEFAULT		500
#define EXPORT_CGROUPS_MAX		4096
#define EXPORT_ENDED_DEFAULT		100
/* The module has no deeper level. */
#define EXPORT_DEPTH_MAX		31

/**
 * struct export_options - the command line
 * @device: path of the device
 * @per_cpu: a series of each CPU, in place of their sum
 * @cgroups: series of cgroups too
 * @depth: those that are deeper count at their ancestor of this level; 0 for none
 * @max_cgroups: at most so many have series
 * @max_ended: at most so many of those that have ended
 * @limited: one of these was given
 * @latency: events to be sampled, as of events_parse(); 0 for none
 * @format: of the text that is not asked for by HTTP
 * @textfile: path of the file to be replaced; NULL for standard output
 * @listen: be a daemon
 * @address: to listen at, as a number; NULL for the loopback address
 * @port: to listen at; 0 for EXPORT_PORT_DEFAULT
 * @connections: at most so many at the same time
 * @tls_certificate: path of a file; NULL for no TLS
 * @tls_key: path of a file, if there is a certificate
 * @auth: path of the file of users; NULL if all may read
 */
struct export_options {
	const char *device;
	bool per_cpu;
	bool cgroups;
	uint64_t depth;
	uint64_t max_cgroups;
	uint64_t max_ended;
	bool limited;
	uint64_t latency;
	enum export_format format;
	const char *textfile;
	bool listen;
	const char *address;
	uint64_t port;
	uint64_t connections;
	const char *tls_certificate;
	const char *tls_key;
	const char *auth;
};

int export_parse(struct export_options *options, int argc, char **argv, bool *done);

#endif /* TOPDOWN_CLI_EXPORT_OPTIONS_H */
