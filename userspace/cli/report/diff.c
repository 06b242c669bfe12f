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
#include "latency-figures.h"
#include "message.h"
#include "noise.h"
#include "options.h"
#include "report.h"
#include "text.h"

/**
 * struct line - one value, before and after
 * @name: node, ipc, or event
 * @node: enum topdown_node, or NOISE_IPC; of an event the same, as its mean is such a quotient
 * @difference: the difference
 */
struct line {
	const char *name;
	unsigned int node;
	struct noise_difference difference;
};

/**
 * struct difference - what two recordings differ in
 * @before: the one
 * @after: the other
 * @nr: number of @line
 * @line: nodes, and IPC
 * @nr_latencies: number of @latency
 * @latency: mean latencies of events
 */
struct difference {
	const struct summary *before;
	const struct summary *after;
	unsigned int nr;
	struct line line[NOISE_VALUES];
	unsigned int nr_latencies;
	struct line latency[LATENCY_EVENTS];
};

/* A key of JSON, and a column of CSV. */
struct field {
	const char *name;
	const char *type;
	unsigned int digits;
	double (*get)(const struct line *line);
	const char *help;
};

/* For latencies; shares and IPC have none. */
#define UNIT	"cycles"

#define GETTER(key, value)						\
	static double get_##key(const struct line *line)		\
	{								\
		return value;						\
	}

GETTER(before, line->difference.before.mean)
GETTER(after, line->difference.after.mean)
GETTER(difference, line->difference.difference)
GETTER(error, line->difference.error)
GETTER(margin, line->difference.margin)
GETTER(t, line->difference.t)
GETTER(freedom, isnan(line->difference.p) ? NAN : line->difference.freedom)
GETTER(p, line->difference.p)
GETTER(blocks_before, line->difference.before.blocks)
GETTER(steps_before, line->difference.before.steps)
GETTER(blocks_after, line->difference.after.blocks)
GETTER(steps_after, line->difference.after.steps)

static const struct field fields[] = {
	{ "before", "number", 9, get_before, "mean before" },
	{ "after", "number", 9, get_after, "mean after" },
	{ "difference", "number", 9, get_difference, "after less before" },
	{ "error", "number", 9, get_error,
	  "half of the 95% confidence interval of the difference" },
	{ "t", "number", 6, get_t, "t of block means" },
	{ "freedom", "number", 3, get_freedom, "degrees of freedom of t" },
	{ "p", "number", 9, get_p,
	  "probability of such a t by chance alone, if blocks are independent" },
	{ "blocks_before", "integer", 0, get_blocks_before, "blocks before" },
	{ "steps_before", "integer", 0, get_steps_before, "steps of a block before" },
	{ "blocks_after", "integer", 0, get_blocks_after, "blocks after" },
	{ "steps_after", "integer", 0, get_steps_after, "steps of a block after" },
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
		       struct line *lines, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		take_mean(&lines[i].difference.before, before, lines[i].node);
		take_mean(&lines[i].difference.after, after, lines[i].node);
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
		lines[nr] = (struct line){ topdown_latency_event_name(event), NOISE_IPC,
					   { .t = 0 } };
		take_latency(&lines[nr].difference.before, before, event);
		take_latency(&lines[nr].difference.after, after, event);
		nr++;
	}
	return nr;
}

static void compare(struct line *lines, unsigned int nr)
{
	unsigned int i, known = 0;

	for (i = 0; i < nr; i++)
		known += lines[i].difference.before.known && lines[i].difference.after.known;
	for (i = 0; i < nr; i++)
		noise_compare(&lines[i].difference, known ? known : 1);
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
			lines[nr++] = (struct line){ topdown_node_name(node), node, { .t = 0 } };
	}
	lines[nr++] = (struct line){ "ipc", NOISE_IPC, { .t = 0 } };
	return nr;
}

static void put_recording(FILE *file, const char *when, const struct summary *summary)
{
	char slots[GROUPED_SIZE];

	grouped_text(slots, summary->all.total.slots);
	fprintf(file, "%-7s %s: %s, %.3f s, %zu step%s of %.3f s, %s slots\n", when,
		summary->recording.name, summary->recording.info.host, summary_seconds(summary),
		summary->all.series.nr, plural_text(summary->all.series.nr),
		summary->all.series.step_ns / (double)NS_PER_S, slots);
}

static void put_number(FILE *file, double number, bool percent, const char *sign)
{
	char text[NUMBER_SIZE];

	if (isnan(number)) {
		fprintf(file, " %9s", "-");
		return;
	}
	snprintf(text, sizeof(text), "%s%.2f", number >= 0 ? sign : "",
		 percent ? number * 100 : number);
	fprintf(file, " %9s", text);
}

static void put_line(FILE *file, const struct line *line, int width)
{
	const struct noise_difference *difference = &line->difference;
	bool percent = line->node != NOISE_IPC;
	int indent = percent ? 2 * topdown_node_level(line->node) : 2;

	fprintf(file, "%*s%-*s", indent, "", width - indent, line->name);
	put_number(file, difference->before.mean, percent, "");
	put_number(file, difference->after.mean, percent, "");
	put_number(file, difference->difference, percent, "+");
	put_number(file, difference->margin, percent, "");
	fprintf(file, "  %s\n", noise_word(difference->verdict));
}

static void put_conclusion(FILE *file, const struct line *lines, unsigned int nr, bool latency)
{
	unsigned int i, changed = 0, unknown = 0, none = 0;

	for (i = 0; i < nr; i++) {
		changed += lines[i].difference.verdict == NOISE_BEYOND;
		unknown += lines[i].difference.verdict == NOISE_UNKNOWN;
		none += lines[i].difference.verdict == NOISE_NONE;
	}
	putc('\n', file);
	if (changed)
		fprintf(file, "%u of %u differences are more than noise\n", changed, nr);
	else if (unknown + none < nr)
		fputs("no difference that can be judged is more than noise\n", file);
	if (unknown)
		fprintf(file, "nothing can be said of %u of %u lines: a recording has fewer than %d steps, or too long windows, or changes too slowly for its length\n",
			unknown, nr, NOISE_STEPS_MIN);
	if (none)
		fprintf(file, "%u of %u lines %s\n", none, nr, latency ?
			"have no sample in one of the recordings" : "are not in both recordings");
}

static void put_lines(const struct report_options *options, const char *unit, int width,
		      const struct line *lines, unsigned int nr, bool latency)
{
	FILE *file = options->output.file;
	unsigned int i;

	if (options->output.header)
		fprintf(file, "\n%-*s %9s %9s %9s %9s\n", width, unit, "before", "after", "change",
			"+-");
	for (i = 0; i < nr; i++)
		put_line(file, &lines[i], width);
	put_conclusion(file, lines, nr, latency);
}

static void put_sum(FILE *file, const char *name, double before, double after)
{
	if (!(before > 0) || !(after > 0))
		return;
	fprintf(file, "%-28s %17.*f %17.*f %+8.2f%%\n", name, before < 1e6 ? 3 : 0, before,
		after < 1e6 ? 3 : 0, after, 100 * (after / before - 1));
}

/* A change that does the same with less work has the same shares. */
static void put_sums(FILE *file, const struct difference *found)
{
	const struct topdown_figures *before = &found->before->all.total;
	const struct topdown_figures *after = &found->after->all.total;

	fprintf(file, "\n%-28s %17s %17s %9s\n", "in all", "before", "after", "change");
	put_sum(file, "elapsed, s", summary_seconds(found->before),
		summary_seconds(found->after));
	put_sum(file, "slots", before->slots, after->slots);
	put_sum(file, "instructions", before->instructions, after->instructions);
	put_sum(file, "cycles", before->cycles, after->cycles);
}

static void put_table(const struct report_options *options, const struct difference *found)
{
	FILE *file = options->output.file;

	if (options->output.header) {
		put_recording(file, "before", found->before);
		put_recording(file, "after", found->after);
	}
	if (!options->latency && options->output.header)
		put_sums(file, found);
	if (!options->latency)
		put_lines(options, "% of slots", 28, found->line, found->nr, false);
	if (found->nr_latencies)
		put_lines(options, "mean latency, cycles", 40, found->latency,
			  found->nr_latencies, true);
}

static void put_csv(const struct report_options *options, const struct line *lines,
		    unsigned int nr)
{
	const struct output *output = &options->output;
	char text[NUMBER_SIZE];
	unsigned int i, j;

	if (output->header) {
		if (options->latency)
			fprintf(output->file, "event%cunit", output->separator);
		else
			fputs("node", output->file);
		fprintf(output->file, "%cverdict", output->separator);
		for (j = 0; j < NR_FIELDS; j++)
			fprintf(output->file, "%c%s", output->separator, fields[j].name);
		putc('\n', output->file);
	}
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
	if (object && latency)
		ret |= json_object_object_add(object, "unit", json_object_new_string(UNIT));
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

static int print(const struct report_options *options, const struct difference *found)
{
	const struct line *lines = options->latency ? found->latency : found->line;
	unsigned int nr = options->latency ? found->nr_latencies : found->nr, i;
	int ret = 0;

	if (options->output.format == OUTPUT_TABLE)
		put_table(options, found);
	else if (options->output.format == OUTPUT_CSV)
		put_csv(options, lines, nr);
	for (i = 0; i < nr && options->output.format == OUTPUT_JSON && !ret; i++)
		ret = put_object(options->output.file, &lines[i], options->latency);
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

static bool has_change(const struct line *lines, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (lines[i].difference.verdict == NOISE_BEYOND)
			return true;
	}
	return false;
}

static int find(struct report_options *options, const struct summary *before,
		const struct summary *after)
{
	struct difference found = { .before = before, .after = after };
	bool changed;
	int ret;

	found.nr = choose_lines(before, after, found.line);
	take_means(before, after, found.line, found.nr);
	compare(found.line, found.nr);
	found.nr_latencies = choose_latencies(before, after, found.latency);
	compare(found.latency, found.nr_latencies);
	changed = (!options->latency && has_change(found.line, found.nr)) ||
		  has_change(found.latency, found.nr_latencies);
	if (found.nr_latencies || !options->latency) {
		ret = print(options, &found);
		return !ret && changed && options->fail_on_change ? EXIT_CHANGED : ret;
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
	struct summary after = before;
	int ret;

	ret = summary_read(&before, options->diff, &options->choice);
	if (!ret)
		ret = summary_read(&after, options->path, &options->choice);
	if (!ret) {
		warn(&before, &after);
		if (options->latency || options->output.format == OUTPUT_TABLE)
			warn_of_latencies(&before, &after);
		ret = find(options, &before, &after);
	}
	summary_free(&before);
	summary_free(&after);
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
	      "\"node\":{\"type\":\"string\",\"description\":\"name of the node, or ipc\"},\n"
	      "\"event\":{\"type\":\"string\",\"description\":\"Intel's name of the event, with --latency\"},\n"
	      "\"unit\":{\"type\":\"string\",\"const\":\"cycles\",\n"
	      "\"description\":\"unit of before, after, difference and error, with --latency\"},\n"
	      "\"verdict\":{\"type\":\"string\",\"description\":\"changed, noise, unknown or none\"}",
	      stdout);
	for (i = 0; i < NR_FIELDS; i++)
		printf(",\n\"%s\":{\"type\":[\"%s\",\"null\"],\"description\":\"%s\"}",
		       fields[i].name, fields[i].type, fields[i].help);
	fputs("\n}}\n", stdout);
	return options_help("");
}
