// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown export.
 */
#include "export-options.h"

#include <getopt.h>
#include <string.h>
#include <topdown.h>

#include "events.h"
#include "message.h"
#include "options.h"
#include "parse.h"

enum {
	OPT_TEXTFILE = OPTIONS_OWN,
	OPT_CGROUPS,
	OPT_MAX_CGROUPS,
	OPT_MAX_ENDED,
	OPT_LATENCY,
	OPT_OPENMETRICS,
	OPT_LISTEN,
	OPT_ADDRESS,
	OPT_PORT,
	OPT_CONNECTIONS,
	OPT_TLS_CERT,
	OPT_TLS_KEY,
	OPT_AUTH,
};

static const struct option long_options[] = {
	{ "per-cpu", no_argument, NULL, 'A' },
	/* topdown stat has this name. */
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "cgroups", optional_argument, NULL, OPT_CGROUPS },
	{ "max-cgroups", required_argument, NULL, OPT_MAX_CGROUPS },
	{ "max-ended", required_argument, NULL, OPT_MAX_ENDED },
	{ "latency", required_argument, NULL, OPT_LATENCY },
	{ "textfile", required_argument, NULL, OPT_TEXTFILE },
	{ "openmetrics", no_argument, NULL, OPT_OPENMETRICS },
	{ "listen", no_argument, NULL, OPT_LISTEN },
	{ "address", required_argument, NULL, OPT_ADDRESS },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "connections", required_argument, NULL, OPT_CONNECTIONS },
	{ "tls-cert", required_argument, NULL, OPT_TLS_CERT },
	{ "tls-key", required_argument, NULL, OPT_TLS_KEY },
	{ "auth", required_argument, NULL, OPT_AUTH },
	{ "device", required_argument, NULL, OPTIONS_DEVICE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

#define LETTERS	"+:Ah"

static const char usage[] =
	"Usage: topdown export [options]\n"
	"\n"
	"Print the slots of all CPUs for Prometheus, or serve them by HTTP. They are read from\n"
	"memory that the module shares, so no CPU is interrupted, but for cgroups. If there is\n"
	"no module, topdown_up is 0.\n"
	"\n"
	"  -A, --per-cpu        series of each CPU, in place of those of their sum\n"
	"      --no-aggr        the same\n"
	"      --cgroups[=DEPTH]  also series of each cgroup, with --listen; those below level\n"
	"                       DEPTH (1..31) count at their ancestor\n"
	"      --max-cgroups N  at most N cgroups have series (1..4096), default 500; the others\n"
	"                       count where their parent does\n"
	"      --max-ended N    N of those that have ended keep theirs (0..4096), default 100\n"
	"      --latency LIST   also sample how long instructions take to retire, with --listen:\n"
	"                       events of 'topdown latency --list', with commas, or all\n"
	"      --textfile PATH  replace this file, instead of standard output\n"
	"      --openmetrics    print OpenMetrics 1.0, instead of Prometheus' text 0.0.4\n"
	"      --listen         serve until SIGTERM; each request says which format it wants\n"
	"      --address IP     listen at this address; default 127.0.0.1\n"
	"      --port N         listen at this port (1..65535), default 18673\n"
	"      --connections N  at most N at the same time (2..1000), default 64\n"
	"      --tls-cert PATH  serve by TLS with this certificate; a PEM file\n"
	"      --tls-key PATH   the key of the certificate; a PEM file\n"
	"      --auth PATH      ask for one of the USER:PASSWORD lines of this file\n"
	"      --device PATH    device node; default " TOPDOWN_DEVICE "\n"
	"  -h, --help           print this help\n"
	"\n"
	"Examples:\n"
	"  topdown export\n"
	"  topdown export --textfile /var/lib/prometheus/node-exporter/topdown.prom\n"
	"  topdown export --listen\n"
	"  topdown export --listen --cgroups\n"
	"  topdown export --listen --latency MEM_LOAD_RETIRED.L3_HIT\n";

static bool parse_path(const char *option, const char *text, const char **path)
{
	if (!*text) {
		message_error("%s: the path is empty (allowed: a file)", option);
		return false;
	}
	*path = text;
	return true;
}

static bool parse_cgroups(struct export_options *options, const char *depth)
{
	options->cgroups = true;
	options->depth = 0;
	return !depth || parse_number("--cgroups", depth, 1, EXPORT_DEPTH_MAX, "levels",
				      &options->depth);
}

static bool parse_option(struct export_options *options, int option)
{
	switch (option) {
	case 'A':
		options->per_cpu = true;
		return true;
	case OPT_CGROUPS:
		return parse_cgroups(options, optarg);
	case OPT_MAX_CGROUPS:
		options->limited = true;
		return parse_number("--max-cgroups", optarg, 1, EXPORT_CGROUPS_MAX, "cgroups",
				    &options->max_cgroups);
	case OPT_MAX_ENDED:
		options->limited = true;
		return parse_number("--max-ended", optarg, 0, EXPORT_CGROUPS_MAX, "cgroups",
				    &options->max_ended);
	case OPT_LATENCY:
		return events_parse("--latency", optarg, &options->latency);
	case OPT_TEXTFILE:
		return parse_path("--textfile", optarg, &options->textfile);
	case OPT_OPENMETRICS:
		options->format = EXPORT_OPENMETRICS;
		return true;
	case OPT_LISTEN:
		options->listen = true;
		return true;
	case OPT_ADDRESS:
		options->address = optarg;
		return true;
	case OPT_PORT:
		return parse_number("--port", optarg, 1, 65535, "as the port", &options->port);
	case OPT_CONNECTIONS:
		return parse_number("--connections", optarg, 2, EXPORT_CONNECTIONS_MAX,
				    "connections", &options->connections);
	case OPT_TLS_CERT:
		return parse_path("--tls-cert", optarg, &options->tls_certificate);
	case OPT_TLS_KEY:
		return parse_path("--tls-key", optarg, &options->tls_key);
	case OPT_AUTH:
		return parse_path("--auth", optarg, &options->auth);
	case OPTIONS_DEVICE:
		return options_device(&options->device, optarg);
	}
	return false;
}

static bool check_together(const struct export_options *options)
{
	bool serves = options->address || options->port || options->connections ||
		      options->tls_certificate || options->tls_key || options->auth;

	if (!options->listen && serves) {
		message_error("--address, --port, --connections, --tls-cert, --tls-key and --auth need --listen");
		return false;
	}
	if (options->listen && (options->textfile || options->format != EXPORT_PROMETHEUS)) {
		message_error("--listen excludes --textfile and --openmetrics (a request says which format it wants)");
		return false;
	}
	if (options->limited && !options->cgroups) {
		message_error("--max-cgroups and --max-ended are about cgroups (add --cgroups)");
		return false;
	}
	/* Sums of cgroups begin when somebody asks for them. */
	if (options->cgroups && !options->listen) {
		message_error("--cgroups needs --listen, as cgroups are summed up while the exporter runs (for one look: 'topdown stat --by cgroup')");
		return false;
	}
	/* The samples of one run are over with it. */
	if (options->latency && !options->listen) {
		message_error("--latency needs --listen, as events are sampled while the exporter runs (for one look: 'topdown latency')");
		return false;
	}
	if (!options->tls_certificate != !options->tls_key) {
		message_error("--tls-cert and --tls-key need each other");
		return false;
	}
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
	int option;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->max_cgroups = EXPORT_CGROUPS_DEFAULT;
	options->max_ended = EXPORT_ENDED_DEFAULT;
	*done = false;
	options_first(argc, argv, LETTERS, long_options);
	while ((option = options_next(argc, argv, LETTERS, long_options)) != -1) {
		if (option == 'h') {
			*done = true;
			return options_help(usage);
		}
		if (option == OPTIONS_ERROR || !parse_option(options, option))
			return EXIT_USAGE;
	}
	return options_no_more(argc, argv) && check_together(options) ? 0 : EXIT_USAGE;
}
