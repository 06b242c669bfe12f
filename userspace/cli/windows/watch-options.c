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

#define AT(at)	.field = offsetof(struct watch_options, at)
#define GIVEN(at)	.given = offsetof(struct watch_options, at)

static const struct option_row option_rows[] = {
	{ 'a', "all-cpus", NULL,
	  "all CPUs, which is the default without -C", option_flag, AT(all_cpus) },
	OPTION_CPUS("only these", AT(cpus), GIVEN(has_cpus)),
	{ 's', "sum", NULL, "compare the sum over the CPUs, not each CPU", option_flag, AT(sum) },
	{ 'b', "back", NULL,
	  "also say when a CPU is back within the threshold", option_flag, AT(back) },
	{ 0, "hold", "TIME", "only after this time beyond the threshold (0..3600000 ms)",
	  option_time, AT(hold_ms), 0, HOLD_MAX_MS },
	{ 0, "min-slots", "N", "a window of fewer slots is within any threshold",
	  option_number, AT(min_slots), 1, MIN_SLOTS_MAX, "slots" },
	{ 0, "count", "N",
	  "end after N events", option_number, AT(count), 1, EVENTS_MAX, "events" },
	{ 0, "timeout", "TIME", "end after this time (10..2147483647 ms)",
	  option_time, AT(timeout_ms), WATCH_TIMEOUT_MIN_MS, WATCH_TIMEOUT_MAX_MS },
	OPTION_JSON(AT(output)),
	OPTION_CSV(AT(output)),
	OPTION_NO_HEADER(AT(output)),
	OPTION_SCHEMA(COLUMNS_EVENTS, &watch_columns),
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown watch [options] [THRESHOLD...]\n"
		"\n"
		"Say when a CPU crosses a threshold. Nothing is read until then, and no CPU is\n"
		"interrupted. A THRESHOLD is the name of a node, '>' or '<', and percent of the slots.\n"
		"Without a THRESHOLD: say when a window of a CPU closes. A TIME is in milliseconds, or\n"
		"has a unit: 500ms, 2s, 1m.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown watch 'tma_memory_bound>60'\n"
		"  topdown watch --sum --back 'retiring<20' 'backend_bound>70'\n"
		"  topdown watch -C 2 --hold 10s --count 1 'frontend_bound>40' && notify\n",
	.rest = OPTIONS_WORDS,
};

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

	if (options->nr == WATCHES_MAX)
		return message_refuse("'%s' is one threshold too many (allowed: %u)", text,
				      WATCHES_MAX);
	equal = text[length] && text[length + 1] == '=';
	if (!text[length] || length >= sizeof(name) ||
	    !parse_value(text + length + 1 + equal, &watched->ratio))
		return message_refuse("'%s' is no threshold (allowed: a node, <, <=, > or >=, and 0..100, in quotes, such as 'tma_memory_bound>60')",
				      text);
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
	return message_refuse("--sum, --back and --hold need a threshold (add one, such as 'tma_memory_bound>60')");
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
	int ret;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->output.file = stdout;
	options->output.name = "standard output";
	options->output.header = true;
	options->output.views = COLUMNS_EVENTS;
	options->output.own = &watch_columns;
	ret = options_parse(&table, argc, argv, options, done);
	if (ret || *done)
		return ret;
	for (; optind < argc; optind++) {
		if (!parse_threshold(options, argv[optind]))
			return EXIT_USAGE;
	}
	return check_together(options) && options_cpus(options->all_cpus, options->has_cpus) ?
	       0 : EXIT_USAGE;
}
