// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown export.
 */
#include "export-options.h"

#include <string.h>
#include <topdown.h>

#include "events.h"
#include "message.h"
#include "options.h"

static bool read_cgroups(const struct option_row *row, const char *text, void *field)
{
	*(uint64_t *)field = 0;
	return !text || option_number(row, text, field);
}

#define AT(at)	.field = offsetof(struct export_options, at)
#define GIVEN(at)	.given = offsetof(struct export_options, at)

static const struct option_row option_rows[] = {
	{ 'A', "per-cpu", NULL,
	  "series of each CPU, in place of those of their sum", option_flag, AT(per_cpu) },
	{ 0, "no-aggr", NULL, "the same", option_flag, AT(per_cpu) },
	{ 0, "cgroups", "[=DEPTH]", "also series of each cgroup, with --listen; those below level\n"
	  "DEPTH (1..31) count at their ancestor",
	  read_cgroups, AT(depth), 1, EXPORT_DEPTH_MAX, "levels", GIVEN(cgroups) },
	{ 0, "max-cgroups", "N",
	  "at most N cgroups have series (1..4096), default 500; the others\n"
	  "count where their parent does",
	  option_number, AT(max_cgroups), 1, EXPORT_CGROUPS_MAX, "cgroups",
	  GIVEN(limited) },
	{ 0, "max-ended", "N", "N of those that have ended keep theirs (0..4096), default 100",
	  option_number, AT(max_ended), 0, EXPORT_CGROUPS_MAX, "cgroups",
	  GIVEN(limited) },
	{ 0, "latency", "LIST", "also sample how long instructions take to retire, with --listen:\n"
	  "events of 'topdown latency --list', with commas, or all", events_read, AT(latency) },
	{ 0, "textfile", "PATH", "replace this file, instead of standard output",
	  option_path, AT(textfile), .words = "path", .unit = "a file" },
	{ 0, "openmetrics", NULL, "print OpenMetrics 1.0, instead of Prometheus' text 0.0.4",
	  option_value, AT(format), EXPORT_OPENMETRICS },
	{ 0, "listen", NULL,
	  "serve until SIGTERM; each request says which format it wants", option_flag, AT(listen) },
	{ 0, "address", "IP",
	  "listen at this address; default 127.0.0.1", option_text, AT(address) },
	{ 0, "port", "N", "listen at this port (1..65535), default 18673",
	  option_number, AT(port), 1, 65535, "as the port" },
	{ 0, "connections", "N", "at most N at the same time (2..1000), default 64",
	  option_number, AT(connections), 2, EXPORT_CONNECTIONS_MAX, "connections" },
	{ 0, "tls-cert", "PATH", "serve by TLS with this certificate; a PEM file",
	  option_path, AT(tls_certificate), .words = "path", .unit = "a file" },
	{ 0, "tls-key", "PATH", "the key of the certificate; a PEM file",
	  option_path, AT(tls_key), .words = "path", .unit = "a file" },
	{ 0, "auth", "PATH", "ask for one of the USER:PASSWORD lines of this file",
	  option_path, AT(auth), .words = "path", .unit = "a file" },
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown export [options]\n"
		"\n"
		"Print the slots of all CPUs for Prometheus, or serve them by HTTP. They are read from\n"
		"memory that the module shares, so no CPU is interrupted, but for cgroups. If there is\n"
		"no module, topdown_up is 0.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown export\n"
		"  topdown export --textfile /var/lib/prometheus/node-exporter/topdown.prom\n"
		"  topdown export --listen\n"
		"  topdown export --listen --cgroups\n"
		"  topdown export --listen --latency MEM_LOAD_RETIRED.L3_HIT\n",
	.rest = OPTIONS_ALONE,
};

static bool check_together(const struct export_options *options)
{
	bool serves = options->address || options->port || options->connections ||
		      options->tls_certificate || options->tls_key || options->auth;

	if (!options->listen && serves)
		return message_refuse("--address, --port, --connections, --tls-cert, --tls-key and --auth need --listen");
	if (options->listen && (options->textfile || options->format != EXPORT_PROMETHEUS))
		return message_refuse("--listen excludes --textfile and --openmetrics (a request says which format it wants)");
	if (options->limited && !options->cgroups)
		return message_refuse("--max-cgroups and --max-ended are about cgroups (add --cgroups)");
	/* Sums of cgroups begin when somebody asks for them. */
	if (options->cgroups && !options->listen)
		return message_refuse("--cgroups needs --listen, as cgroups are summed up while the exporter runs (for one look: 'topdown stat --by cgroup')");
	/* The samples of one run are over with it. */
	if (options->latency && !options->listen)
		return message_refuse("--latency needs --listen, as events are sampled while the exporter runs (for one look: 'topdown latency')");
	if (!options->tls_certificate != !options->tls_key)
		return message_refuse("--tls-cert and --tls-key need each other");
	return true;
}

/**
 * export_parse - read the command line
 * @options: the options
 * @argc: number of @argv
 * @argv: "export" and its arguments
 * @done: help was printed, so nothing is left to do
 *
 * Return: 0, or an exit code after a message.
 */
int export_parse(struct export_options *options, int argc, char **argv, bool *done)
{
	int ret;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->max_cgroups = EXPORT_CGROUPS_DEFAULT;
	options->max_ended = EXPORT_ENDED_DEFAULT;
	ret = options_parse(&table, argc, argv, options, done);
	if (ret || *done)
		return ret;
	return check_together(options) ? 0 : EXIT_USAGE;
}
