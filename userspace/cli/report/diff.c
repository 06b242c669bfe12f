// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --diff: a recording compared with one from before a change.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "columns.h"
#include "diff.h"
#include "message.h"
#include "options.h"
#include "text.h"

/* A key of JSON, and a column of CSV. */
struct field {
	const char *name;
	const char *type;
	unsigned int digits;
	double (*get)(const struct line *line);
	const char *help;
};

/* For latencies. */
#define UNIT	"cycles"

static double blocks_of(const struct noise_mean *mean)
{
	return mean->runs ? mean->runs : mean->blocks;
}

/* A run has as many steps as it takes. */
static double steps_of(const struct noise_mean *mean)
{
	return mean->runs ? NAN : mean->steps;
}

#define DIFFERENCE(key, value)						\
	static double get_##key(const struct line *line)		\
	{								\
		return value;						\
	}

DIFFERENCE(before, line->difference.before.mean)
DIFFERENCE(after, line->difference.after.mean)
DIFFERENCE(difference, line->difference.difference)
DIFFERENCE(error, line->difference.error)
DIFFERENCE(margin, line->difference.margin)
DIFFERENCE(t, line->difference.t)
DIFFERENCE(freedom, isnan(line->difference.p) ? NAN : line->difference.freedom)
DIFFERENCE(p, line->difference.p)
DIFFERENCE(blocks_before, blocks_of(&line->difference.before))
DIFFERENCE(steps_before, steps_of(&line->difference.before))
DIFFERENCE(blocks_after, blocks_of(&line->difference.after))
DIFFERENCE(steps_after, steps_of(&line->difference.after))

static const struct field fields[] = {
	{ "before", "number", 9, get_before, "mean before" },
	{ "after", "number", 9, get_after, "mean after" },
	{ "difference", "number", 9, get_difference, "after less before" },
	{ "error", "number", 9, get_error,
	  "half of the 95% confidence interval of the difference" },
	{ "t", "number", 6, get_t, "t of means of blocks or runs" },
	{ "freedom", "number", 3, get_freedom, "degrees of freedom of t" },
	{ "p", "number", 9, get_p,
	  "probability of such a t by chance alone, if blocks or runs are independent" },
	{ "blocks_before", "integer", 0, get_blocks_before, "blocks, or runs, before" },
	{ "steps_before", "integer", 0, get_steps_before,
	  "steps of a block before; null for runs" },
	{ "blocks_after", "integer", 0, get_blocks_after, "blocks, or runs, after" },
	{ "steps_after", "integer", 0, get_steps_after, "steps of a block after; null for runs" },
	{ "margin", "number", 9, get_margin,
	  "what the difference must exceed to be more than noise, as all lines are tested together"
	},
};

#define NR_FIELDS	(sizeof(fields) / sizeof(fields[0]))

/* Steps that have a node say nothing of those that lack it. */
static void take_mean(struct noise_mean *mean, const struct summary *summary, unsigned int value)
{
	noise_mean(mean, &summary->all.series, value);
	if (value == NOISE_IPC || topdown_figures_has(&summary->all.total, value))
		return;
	*mean = (struct noise_mean){ .mean = NAN, .error = NAN, .pairs = NAN };
}

static void take_means(const struct summary *before, const struct summary *after,
		       struct line *lines, unsigned int nr, bool runs)
{
	unsigned int i;

	for (i = 0; i < nr && runs; i++) {
		runs_mean(&lines[i].difference.before, before, lines[i].node);
		runs_mean(&lines[i].difference.after, after, lines[i].node);
	}
	for (i = 0; i < nr && !runs; i++) {
		take_mean(&lines[i].difference.before, before, lines[i].node);
		take_mean(&lines[i].difference.after, after, lines[i].node);
	}
}

static struct noise_mean total_of(const struct summary *summary, unsigned int value)
{
	double total = runs_total(summary, value);

	return (struct noise_mean){
		.known = !isnan(total), .mean = total, .error = NAN, .pairs = NAN,
	};
}

/* In all, or of a run. */
static void take_amounts(struct difference *found)
{
	static const struct line amounts[RUNS_AMOUNTS] = {
		{ "elapsed", "s", RUNS_ELAPSED, { .amount = true } },
		{ "slots", "slots", RUNS_SLOTS, { .amount = true } },
		{ "instructions", "instructions", RUNS_INSTRUCTIONS, { .amount = true } },
		{ "cycles", "cycles", RUNS_CYCLES, { .amount = true } },
	};
	unsigned int i;

	memcpy(found->amount, amounts, sizeof(amounts));
	if (found->runs) {
		take_means(found->before, found->after, found->amount, RUNS_AMOUNTS, true);
		return;
	}
	for (i = 0; i < RUNS_AMOUNTS; i++) {
		struct line *line = &found->amount[i];

		line->difference.before = total_of(found->before, line->node);
		line->difference.after = total_of(found->after, line->node);
	}
}

/* The mean latency of an event; of one that was not recorded there is none. */
static void take_latency(struct noise_mean *mean, const struct summary *summary,
			 unsigned int event)
{
	static const struct series none;

	noise_mean(mean, summary->latencies.events >> event & 1 ?
		   &summary->latencies.mean[event] : &none, NOISE_IPC);
}

/* Events of one of the recordings, in the order of their numbers. */
static unsigned int choose_latencies(const struct summary *before, const struct summary *after,
				     struct line *lines)
{
	uint64_t events = before->latencies.events | after->latencies.events;
	unsigned int event, nr = 0;

	for (; events; events &= events - 1) {
		event = __builtin_ctzll(events);
		lines[nr] = (struct line){ topdown_latency_event_name(event), UNIT, NOISE_IPC,
					   { .t = 0 } };
		take_latency(&lines[nr].difference.before, before, event);
		take_latency(&lines[nr].difference.after, after, event);
		nr++;
	}
	return nr;
}

static unsigned int count_known(const struct line *lines, unsigned int nr)
{
	unsigned int i, known = 0;

	for (i = 0; i < nr; i++)
		known += lines[i].difference.before.known && lines[i].difference.after.known;
	return known;
}

/* @together: lines that are tested together. */
static void compare(struct line *lines, unsigned int nr, unsigned int together)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		noise_compare(&lines[i].difference, together ? together : 1);
}

/* An amount has a test only where there are several. */
static void compare_slots(struct difference *found)
{
	unsigned int known = count_known(found->line, found->nr);

	if (found->runs)
		known += count_known(found->amount, RUNS_AMOUNTS);
	compare(found->line, found->nr, known);
	compare(found->amount, RUNS_AMOUNTS, known);
}

/* Nodes in the order of the tree, and IPC. */
static unsigned int choose_lines(const struct summary *before, const struct summary *after,
				 struct line *lines)
{
	unsigned int level = before->level, i, nr = 0;
	struct column_list list;
	uint32_t nodes = 0;

	for (i = 0; i < TD_NR_NODES; i++) {
		if (topdown_figures_has(&before->all.total, i) ||
		    topdown_figures_has(&after->all.total, i))
			nodes |= 1U << i;
	}
	columns_select(&list, TABLE_CPUS, level, nodes);
	for (i = 0; i < list.nr; i++) {
		unsigned int node = list.column[i]->of;

		if (column_is_node(list.column[i]) && nodes >> node & 1)
			lines[nr++] = (struct line){ topdown_node_name(node), NULL, node,
						    { .t = 0 } };
	}
	lines[nr++] = (struct line){ "ipc", NULL, NOISE_IPC, { .t = 0 } };
	return nr;
}

static void put_csv_header(const struct report_options *options)
{
	const struct output *output = &options->output;
	unsigned int i;

	if (options->latency)
		fprintf(output->file, "event%cunit", output->separator);
	else
		fputs("node", output->file);
	fprintf(output->file, "%cverdict", output->separator);
	for (i = 0; i < NR_FIELDS; i++)
		fprintf(output->file, "%c%s", output->separator, fields[i].name);
	putc('\n', output->file);
}

static void put_csv(const struct report_options *options, const struct line *lines,
		    unsigned int nr)
{
	const struct output *output = &options->output;
	char text[NUMBER_SIZE];
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		fputs(lines[i].name, output->file);
		if (options->latency)
			fprintf(output->file, "%c%s", output->separator, UNIT);
		fprintf(output->file, "%c%s", output->separator,
			noise_word(lines[i].difference.verdict));
		for (j = 0; j < NR_FIELDS; j++) {
			double value = fields[j].get(&lines[i]);

			putc(output->separator, output->file);
			if (isnan(value))
				continue;
			number_text(text, value, fields[j].digits);
			fputs(text, output->file);
		}
		putc('\n', output->file);
	}
}

static struct json_object *new_number(const struct field *field, double value)
{
	char text[NUMBER_SIZE];

	if (isnan(value))
		return NULL;
	number_text(text, value, field->digits);
	return field->digits ? json_object_new_double_s(value, text) :
			       json_object_new_uint64((uint64_t)value);
}

static int put_object(FILE *file, const struct line *line, bool latency)
{
	const char *verdict = noise_word(line->difference.verdict), *text = NULL;
	struct json_object *object = json_object_new_object();
	unsigned int i;
	int ret = !object;

	if (object) {
		ret |= json_object_object_add(object, "schema", json_object_new_uint64(1));
		ret |= json_object_object_add(object, latency ? "event" : "node",
					      json_object_new_string(line->name));
	}
	if (object && line->unit)
		ret |= json_object_object_add(object, "unit", json_object_new_string(line->unit));
	if (object)
		ret |= json_object_object_add(object, "verdict", json_object_new_string(verdict));
	for (i = 0; i < NR_FIELDS && !ret; i++)
		ret |= json_object_object_add(object, fields[i].name,
					      new_number(&fields[i], fields[i].get(line)));
	if (!ret)
		text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	if (text)
		fprintf(file, "%s\n", text);
	json_object_put(object);
	return text ? 0 : -ENOMEM;
}

static int put_objects(const struct report_options *options, const struct line *lines,
		       unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = put_object(options->output.file, &lines[i], options->latency);
	return ret;
}

static int put_all(const struct report_options *options, const struct line *lines,
		   unsigned int nr)
{
	if (options->output.format == OUTPUT_JSON)
		return put_objects(options, lines, nr);
	put_csv(options, lines, nr);
	return 0;
}

static int print(const struct report_options *options, const struct difference *found)
{
	int ret = 0;

	if (options->output.format == OUTPUT_CSV && options->output.header)
		put_csv_header(options);
	if (options->output.format == OUTPUT_TABLE)
		diff_table(options, found);
	else if (options->latency)
		ret = put_all(options, found->latency, found->nr_latencies);
	else
		ret = put_all(options, found->line, found->nr);
	if (!ret && options->output.format != OUTPUT_TABLE && !options->latency)
		ret = put_all(options, found->amount, RUNS_AMOUNTS);
	if (!ret)
		return output_flush((struct output *)&options->output);
	message_error("cannot print: %s", strerror(-ret));
	return EXIT_RUNTIME;
}

/* Shares of slots of CPUs that are counted in another way do not compare. */
static void warn(const struct summary *before, const struct summary *after)
{
	const unsigned int how = TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_REFINED |
				 TOPDOWN_RECORD_DRILLDOWN;
	const struct record_info *one = &before->recording.info, *other = &after->recording.info;

	if (one->subject != other->subject)
		message_note("one recording is of CPUs, and the other of tasks");
	else if (runs_recorded(before) != runs_recorded(after))
		message_note("only one recording is of runs ('topdown record -r'), so steps are compared");
	else if (before->all.source != after->all.source ||
		 before->all.level != after->all.level)
		message_note("the CPUs of the recordings are not measured in the same way (%s, level %u, and %s, level %u)",
			     topdown_source_name(before->all.source), before->all.level,
			     topdown_source_name(after->all.source), after->all.level);
	else if ((before->all.flags ^ after->all.flags) & how)
		message_note("the CPUs of the recordings are not measured in the same way: only one is refined, drilldown or counted in turns");
	else if (one->slots_per_cycle != other->slots_per_cycle)
		message_note("the CPUs of the recordings have other widths (%u and %u slots a cycle)",
			     one->slots_per_cycle, other->slots_per_cycle);
}

/* More may have other latencies than the rest. */
#define LOST_NOTE	0.01
/* An event that had the counter for other parts of the time saw other parts of the load. */
#define COVERED_NOTE	2

static double covered_of(const struct topdown_latency_record *record)
{
	return record->elapsed_ns ? (double)record->running_ns / record->elapsed_ns : 0;
}

static void warn_of_latencies(const struct summary *before, const struct summary *after)
{
	uint64_t events = before->latencies.events & after->latencies.events;
	unsigned int lost = 0, covered = 0, nr = __builtin_popcountll(events);

	for (; events; events &= events - 1) {
		unsigned int event = __builtin_ctzll(events);
		const struct topdown_latency_record *one = &before->latencies.all[event];
		const struct topdown_latency_record *other = &after->latencies.all[event];
		double first = covered_of(one), second = covered_of(other);

		lost += known_lost(one) > LOST_NOTE || known_lost(other) > LOST_NOTE;
		covered += fmax(first, second) > 0 &&
			   fmax(first, second) >= COVERED_NOTE * fmin(first, second);
	}
	if (lost)
		message_note("latencies of %u of %u events: in a recording more than 1%% of the events were lost, which may have had others",
			     lost, nr);
	if (covered)
		message_note("latencies of %u of %u events: one recording has sampled them in at least twice the share of the time of the other",
			     covered, nr);
}

static bool has(const struct line *lines, unsigned int nr, enum noise_verdict verdict)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (lines[i].difference.verdict == verdict)
			return true;
	}
	return false;
}

static bool found_any(const struct report_options *options, const struct difference *found,
		      enum noise_verdict verdict)
{
	return (!options->latency && (has(found->line, found->nr, verdict) ||
				      has(found->amount, RUNS_AMOUNTS, verdict))) ||
	       has(found->latency, found->nr_latencies, verdict);
}

/* A difference that cannot be judged may be one. */
static int verdict_code(const struct report_options *options, const struct difference *found)
{
	if (!options->fail_on_change)
		return EXIT_OK;
	if (found_any(options, found, NOISE_BEYOND))
		return EXIT_CHANGED;
	return found_any(options, found, NOISE_WITHIN) ? EXIT_OK : EXIT_PARTIAL;
}

static int find(struct report_options *options, const struct summary *before,
		const struct summary *after)
{
	struct difference found = {
		.before = before, .after = after,
		.runs = runs_recorded(before) && runs_recorded(after),
	};
	int ret;

	found.nr = choose_lines(before, after, found.line);
	take_means(before, after, found.line, found.nr, found.runs);
	take_amounts(&found);
	compare_slots(&found);
	found.nr_latencies = choose_latencies(before, after, found.latency);
	compare(found.latency, found.nr_latencies,
		count_known(found.latency, found.nr_latencies));
	if (found.nr_latencies || !options->latency) {
		ret = print(options, &found);
		return ret ? ret : verdict_code(options, &found);
	}
	message_error("--latency: neither recording has latencies (topdown record --latency records them)");
	return EXIT_USAGE;
}

/**
 * report_diff - compare two recordings
 * @options: the command line
 *
 * Return: exit code.
 */
int report_diff(struct report_options *options)
{
	struct summary before = {
		.step_ns = options->step_ms * NS_PER_MS,
		.level = options->level ? options->level : 2,
	};
	struct recording_files files = { .nr = 0 };
	struct summary after = before;
	int ret;

	ret = recording_files_add(&files, options->diff);
	if (!ret)
		ret = recording_files_open(&files, &options->choice);
	if (!ret)
		ret = summary_read(&before, &files, &options->choice);
	if (!ret)
		ret = summary_read(&after, &options->files, &options->choice);
	if (!ret) {
		warn(&before, &after);
		if (before.recording.owners.there || after.recording.owners.there)
			message_note("owners are not compared: --diff compares the CPUs ('topdown report --owners' of each recording prints them)");
		if (options->latency || options->output.format == OUTPUT_TABLE)
			warn_of_latencies(&before, &after);
		ret = find(options, &before, &after);
	}
	summary_free(&before);
	summary_free(&after);
	recording_files_free(&files);
	return ret;
}

/**
 * report_diff_schema - print the JSON Schema of a line
 *
 * Return: exit code.
 */
int report_diff_schema(void)
{
	unsigned int i;

	fputs("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
	      "\"title\":\"a line of topdown report --diff -j\",\n"
	      "\"type\":\"object\",\n"
	      "\"required\":[\"schema\",\"verdict\"", stdout);
	for (i = 0; i < NR_FIELDS; i++)
		printf(",\"%s\"", fields[i].name);
	fputs("],\n\"oneOf\":[{\"required\":[\"node\"]},{\"required\":[\"event\",\"unit\"]}],\n"
	      "\"properties\":{\n"
	      "\"schema\":{\"type\":\"integer\",\"const\":1,\n"
	      "\"description\":\"changes if the meaning of a key does\"},\n"
	      "\"node\":{\"type\":\"string\",\"description\":\"name of the node, ipc, elapsed, slots, instructions or cycles\"},\n"
	      "\"event\":{\"type\":\"string\",\"description\":\"Intel's name of the event, with --latency\"},\n"
	      "\"unit\":{\"type\":\"string\",\"enum\":[\"cycles\",\"s\",\"slots\",\"instructions\"],\n"
	      "\"description\":\"unit of before, after, difference and error, unless they are ratios\"},\n"
	      "\"verdict\":{\"type\":\"string\",\"description\":\"changed, noise, unknown or none\"}",
	      stdout);
	for (i = 0; i < NR_FIELDS; i++)
		printf(",\n\"%s\":{\"type\":[\"%s\",\"null\"],\"description\":\"%s\"}",
		       fields[i].name, fields[i].type, fields[i].help);
	fputs("\n}}\n", stdout);
	return options_help("");
}
