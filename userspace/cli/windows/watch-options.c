// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown watch.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "message.h"
#include "node.h"
#include "options.h"
#include "parse.h"
#include "watch.h"

enum {
	OPT_COUNT = OPTIONS_OWN,
	OPT_TIMEOUT,
	OPT_HOLD,
	OPT_MIN_SLOTS,
	OPT_SCHEMA,
};

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "sum", no_argument, NULL, 's' },
	{ "back", no_argument, NULL, 'b' },
	{ "hold", required_argument, NULL, OPT_HOLD },
	{ "min-slots", required_argument, NULL, OPT_MIN_SLOTS },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", required_argument, NULL, 'x' },
	{ "no-header", no_argument, NULL, OPTIONS_NO_HEADER },
	{ "schema", no_argument, NULL, OPT_SCHEMA },
	{ "device", required_argument, NULL, OPTIONS_DEVICE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

#define LETTERS	"+:aC:sbjx:h"

static const char usage[] =
	"Usage: topdown watch [options] [THRESHOLD...]\n"
	"\n"
	"Say when a CPU crosses a threshold. Nothing is read until then, and no CPU is\n"
	"interrupted. A THRESHOLD is the name of a node, '>' or '<', and percent of the slots.\n"
	"Without a THRESHOLD: say when a window of a CPU closes. A TIME is in milliseconds, or\n"
	"has a unit: 500ms, 2s, 1m.\n"
	"\n"
	"  -a, --all-cpus       all CPUs, which is the default without -C\n"
	"  -C, --cpu LIST       only these CPUs, such as 0-3,8\n"
	"  -s, --sum            compare the sum over the CPUs, not each CPU\n"
	"  -b, --back           also say when a CPU is back within the threshold\n"
	"      --hold TIME      only after this time beyond the threshold (0..3600000 ms)\n"
	"      --min-slots N    a window of fewer slots is within any threshold\n"
	"      --count N        end after N events\n"
	"      --timeout TIME   end after this time (10..2147483647 ms)\n"
	"  -j, --json           one JSON object a line\n"
	"  -x, --csv SEP        values separated by the character SEP\n"
	"      --no-header      no column headings\n"
	"      --schema         print the JSON Schema of the lines of -j\n"
	"      --device PATH    device node; default " TOPDOWN_DEVICE "\n"
	"  -h, --help           print this help\n"
	"\n"
	"Examples:\n"
	"  topdown watch 'tma_memory_bound>60'\n"
	"  topdown watch --sum --back 'retiring<20' 'backend_bound>70'\n"
	"  topdown watch -C 2 --hold 10s --count 1 'frontend_bound>40' && notify\n";

static bool parse_option(struct watch_options *options, int option)
{
	switch (option) {
	case 'a':
		options->all_cpus = true;
		return true;
	case 'C':
		options->has_cpus = true;
		return cpulist_join(&options->cpus, "-C", optarg);
	case 's':
		options->sum = true;
		return true;
	case 'b':
		options->back = true;
		return true;
	case OPT_HOLD:
		return parse_time("--hold", optarg, 0, HOLD_MAX_MS, &options->hold_ms);
	case OPT_MIN_SLOTS:
		return parse_number("--min-slots", optarg, 1, MIN_SLOTS_MAX, "slots",
				    &options->min_slots);
	case OPT_COUNT:
		return parse_number("--count", optarg, 1, EVENTS_MAX, "events", &options->count);
	case OPT_TIMEOUT:
		return parse_time("--timeout", optarg, WATCH_TIMEOUT_MIN_MS,
				  WATCH_TIMEOUT_MAX_MS, &options->timeout_ms);
	}
	return options_common(option, &options->device, &options->output);
}

/* Read percent with up to seven digits after the point, as a ratio of the ABI. */
static bool parse_percent(const char *text, uint32_t *ratio)
{
	uint64_t unit = TOPDOWN_RATIO_ONE / 100, value;
	const char *at = parse_digits(text, &value);

	if (!at || value > 100)
		return false;
	value *= unit;
	if (*at == '.') {
		do {
			at++;
			unit /= 10;
			if (*at < '0' || *at > '9' || !unit)
				return false;
			value += (*at - '0') * unit;
		} while (at[1]);
		at++;
	}
	*ratio = value;
	return !*at && value <= TOPDOWN_RATIO_ONE;
}

/* With blanks before it, and a percent sign after it. */
static bool parse_value(const char *text, uint32_t *ratio)
{
	char number[32];
	size_t length;

	text += strspn(text, " ");
	length = strlen(text);
	if (length && text[length - 1] == '%')
		length--;
	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	return parse_percent(number, ratio);
}

static bool parse_threshold(struct watch_options *options, const char *text)
{
	struct watched *watched = &options->watched[options->nr];
	size_t length = strcspn(text, "<>");
	char name[32], quoted[80];
	bool equal;
	int node;

	if (options->nr == WATCHES_MAX) {
		message_error("'%s' is one threshold too many (allowed: %u)", text, WATCHES_MAX);
		return false;
	}
	equal = text[length] && text[length + 1] == '=';
	if (!text[length] || length >= sizeof(name) ||
	    !parse_value(text + length + 1 + equal, &watched->ratio)) {
		message_error("'%s' is no threshold (allowed: a node, <, <=, > or >=, and 0..100, in quotes, such as 'tma_memory_bound>60')",
			      text);
		return false;
	}
	memcpy(name, text, length);
	while (length && name[length - 1] == ' ')
		length--;
	name[length] = '\0';
	length = strcspn(text, "<>");
	node = topdown_node_by_name(name);
	if (node < 0) {
		snprintf(quoted, sizeof(quoted), "'%s'", text);
		node_unknown(quoted, name, "'topdown help nodes' lists them");
		return false;
	}
	watched->node = node;
	watched->below = text[length] == '<';
	if (equal && watched->below)
		watched->ratio++;
	else if (equal && watched->ratio)
		watched->ratio--;
	options->nr++;
	return true;
}

static bool check_together(const struct watch_options *options)
{
	if (options->nr || !(options->sum || options->back || options->hold_ms))
		return true;
	message_error("--sum, --back and --hold need a threshold (add one, such as 'tma_memory_bound>60')");
	return false;
}

/**
 * watch_parse - read the command line
 * @options: the options
 * @argc: number of @argv
 * @argv: "watch" and its arguments
 * @done: help was printed, so nothing is left to do
 *
 * Return: 0, or an exit code after a message.
 */
int watch_parse(struct watch_options *options, int argc, char **argv, bool *done)
{
	int option;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->output.file = stdout;
	options->output.name = "standard output";
	options->output.header = true;
	options->output.events = true;
	*done = false;

	options_first(argc, argv, LETTERS, long_options);
	while ((option = options_next(argc, argv, LETTERS, long_options)) != -1) {
		if (option == 'h') {
			*done = true;
			return options_help(usage);
		}
		if (option == OPT_SCHEMA) {
			*done = true;
			return output_json_schema("watch", COLUMNS_EVENTS);
		}
		if (option == OPTIONS_ERROR || !parse_option(options, option))
			return EXIT_USAGE;
	}
	for (; optind < argc; optind++) {
		if (!parse_threshold(options, argv[optind]))
			return EXIT_USAGE;
	}
	return check_together(options) && options_cpus(options->all_cpus, options->has_cpus) ?
	       0 : EXIT_USAGE;
}
