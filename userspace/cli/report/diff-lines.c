// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --diff: what lines say together, lines for programs, and their schema.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "diff-lines.h"
#include "message.h"
#include "options.h"
#include "owner-pairs.h"
#include "schema.h"
#include "text.h"

/* A key of JSON, and a column of CSV; its heading in tables, NULL for none. */
struct field {
	const char *name;
	const char *heading;
	const char *type;
	unsigned int digits;
	double (*get)(const struct line *line);
	const char *help;
};

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
	{ "before", "before", "number", 9, get_before, "mean before" },
	{ "after", "after", "number", 9, get_after, "mean after" },
	{ "difference", DIFF_CHANGE, "number", 9, get_difference, "after less before" },
	{ "error", NULL, "number", 9, get_error,
	  "half of the 95% confidence interval of the difference" },
	{ "t", NULL, "number", 6, get_t, "t of means of blocks or runs" },
	{ "freedom", NULL, "number", 3, get_freedom, "degrees of freedom of t" },
	{ "p", NULL, "number", 9, get_p,
	  "probability of such a t by chance alone, if blocks or runs are independent" },
	{ "blocks_before", NULL, "integer", 0, get_blocks_before, "blocks, or runs, before" },
	{ "steps_before", NULL, "integer", 0, get_steps_before,
	  "steps of a block before; null for runs" },
	{ "blocks_after", NULL, "integer", 0, get_blocks_after, "blocks, or runs, after" },
	{ "steps_after", NULL, "integer", 0, get_steps_after,
	  "steps of a block after; null for runs" },
	{ "margin", DIFF_MARGIN, "number", 9, get_margin,
	  "what the difference must exceed to be more than noise, as all lines are tested together"
	},
};

#define NR_FIELDS	(sizeof(fields) / sizeof(fields[0]))

/* Keys with a text, or a number of owners. */
static const struct schema_key owner_keys[] = {
	{ "row", "string", .help = "process, cgroup, idle, others or ended" },
	{ "owner", "string", .help = "path of the cgroup, or name of the processes" },
	{ "owners_before", "integer", .help = "processes or cgroups of that name before" },
	{ "owners_after", "integer", .help = "the same after" },
	{ "only", "string", true,
	  .help = "before or after, if the other recording has no such owner" },
	{ "node", "string",
	  .help = "share: of the slots of all owners; name of the node, or ipc" },
};

static const char *const units[] = { "cycles", "s", "slots", "instructions", NULL };

static const struct schema_key slots_keys[] = {
	{ "node", "string",
	  .help = "name of the node, ipc, elapsed, slots, instructions or cycles" },
	{ "event", "string", .help = "Intel's name of the event, with --latency" },
	{ "unit", "string", .words = units,
	  .help = "unit of before, after, difference and error, unless they are ratios" },
};

static const struct schema_key verdict_key = {
	"verdict", "string", .help = "changed, noise, unknown or none",
};

#define NR_OWNER_KEYS	(sizeof(owner_keys) / sizeof(owner_keys[0]))
#define NR_SLOTS_KEYS	(sizeof(slots_keys) / sizeof(slots_keys[0]))

/**
 * diff_has - does any line have a verdict?
 * @lines: lines
 * @nr: number of @lines
 * @verdict: the verdict
 */
bool diff_has(const struct line *lines, unsigned int nr, enum noise_verdict verdict)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (lines[i].difference.verdict == verdict)
			return true;
	}
	return false;
}

/**
 * diff_code - the exit code of a comparison
 * @options: the command line
 * @beyond: a difference is more than noise
 * @within: one is not
 *
 * Return: the code; a difference that cannot be judged may be one.
 */
int diff_code(const struct report_options *options, bool beyond, bool within)
{
	if (!options->fail_on_change)
		return EXIT_OK;
	if (beyond)
		return EXIT_CHANGED;
	return within ? EXIT_OK : EXIT_PARTIAL;
}

/* In which of the recordings an owner is, if not in both. */
static const char *only_in(const struct owner_pair *pair)
{
	if (owner_pair_both(pair))
		return NULL;
	return pair->half[0].nr ? "before" : "after";
}

static const char *kind_of(const struct owner_pair *pair)
{
	const struct row row = { .kind = pair->kind };

	return row_kind_name(&row);
}

/* All but the node, which all lines have. */
static void put_owner_header(const struct output *output)
{
	unsigned int i;

	for (i = 0; i + 1 < NR_OWNER_KEYS; i++)
		fprintf(output->file, "%s%c", owner_keys[i].name, output->separator);
}

/**
 * diff_lines_header - print the headings of CSV
 * @options: the command line
 */
void diff_lines_header(const struct report_options *options)
{
	const struct output *output = &options->output;
	unsigned int i;

	if (options->owners)
		put_owner_header(output);
	if (options->latency)
		fprintf(output->file, "event%cunit", output->separator);
	else
		fputs("node", output->file);
	fprintf(output->file, "%cverdict", output->separator);
	for (i = 0; i < NR_FIELDS; i++)
		fprintf(output->file, "%c%s", output->separator, fields[i].name);
	putc('\n', output->file);
}

/* Names are chosen by users. RFC 4180 says how they are quoted. */
static void put_csv_owner(const struct output *output, const struct owner_pair *pair)
{
	const char *only = only_in(pair), *name = pair->name;
	bool quoted = strchr(name, output->separator) || strchr(name, '"');
	FILE *file = output->file;

	fprintf(file, "%s%c", kind_of(pair), output->separator);
	if (quoted)
		putc('"', file);
	for (; *name; name++) {
		if (*name == '"')
			putc('"', file);
		putc(*name, file);
	}
	if (quoted)
		putc('"', file);
	fprintf(file, "%c%u%c%u%c%s%c", output->separator, pair->half[0].nr, output->separator,
		pair->half[1].nr, output->separator, only ? only : "", output->separator);
}

static void put_csv(const struct report_options *options, const struct line *lines,
		    unsigned int nr)
{
	const struct output *output = &options->output;
	char text[NUMBER_SIZE];
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		if (lines[i].owner)
			put_csv_owner(output, lines[i].owner);
		fputs(lines[i].name, output->file);
		if (options->latency)
			fprintf(output->file, "%c%s", output->separator, DIFF_LATENCY_UNIT);
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

static int add_owner(struct json_object *object, const struct owner_pair *pair)
{
	const char *only = only_in(pair);

	return json_object_object_add(object, "row", json_object_new_string(kind_of(pair))) |
	       json_object_object_add(object, "owner", json_object_new_string(pair->name)) |
	       json_object_object_add(object, "owners_before",
				      json_object_new_uint64(pair->half[0].nr)) |
	       json_object_object_add(object, "owners_after",
				      json_object_new_uint64(pair->half[1].nr)) |
	       json_object_object_add(object, "only",
				      only ? json_object_new_string(only) : NULL);
}

static int put_object(FILE *file, const struct line *line, bool latency)
{
	const char *verdict = noise_word(line->difference.verdict), *text = NULL;
	struct json_object *object = json_object_new_object();
	unsigned int i;
	int ret = !object;

	if (object)
		ret |= json_object_object_add(object, "schema", json_object_new_uint64(SCHEMA));
	if (object && line->owner)
		ret |= add_owner(object, line->owner);
	if (object)
		ret |= json_object_object_add(object, latency ? "event" : "node",
					      json_object_new_string(line->name));
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

/**
 * diff_lines_put - print lines for programs
 * @options: the command line, with JSON or CSV
 * @lines: lines
 * @nr: number of @lines
 *
 * Return: 0 or -ENOMEM.
 */
int diff_lines_put(const struct report_options *options, const struct line *lines,
		   unsigned int nr)
{
	if (options->output.format == OUTPUT_JSON)
		return put_objects(options, lines, nr);
	put_csv(options, lines, nr);
	return 0;
}

/**
 * report_diff_schema - print the JSON Schema of a line
 * @owners: a line of owners
 *
 * Return: exit code.
 */
int report_diff_schema(bool owners)
{
	const struct schema_key *keys = owners ? owner_keys : slots_keys;
	unsigned int nr = owners ? NR_OWNER_KEYS : NR_SLOTS_KEYS, i;

	schema_begin(owners ? "report --owners --diff" : "report --diff");
	schema_required(verdict_key.name);
	for (i = 0; owners && i < nr; i++)
		schema_required(keys[i].name);
	for (i = 0; i < NR_FIELDS; i++)
		schema_required(fields[i].name);
	schema_properties(owners ? "" :
			  "\"oneOf\":[{\"required\":[\"node\"]},{\"required\":[\"event\",\"unit\"]}],\n");
	for (i = 0; i < nr; i++)
		schema_key(&keys[i]);
	schema_key(&verdict_key);
	for (i = 0; i < NR_FIELDS; i++) {
		const struct schema_key key = {
			fields[i].name, fields[i].type, true, NULL, fields[i].help,
		};

		schema_key(&key);
	}
	return schema_end();
}

static const char *key_meaning(const struct schema_key *keys, unsigned int nr, const char *word)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(keys[i].name, word))
			return keys[i].help;
	}
	return NULL;
}

/**
 * report_diff_meaning - what a word of --diff means
 * @word: key, heading, name of a line or verdict
 *
 * Return: some words; NULL for another word.
 */
const char *report_diff_meaning(const char *word)
{
	const char *meaning = noise_word_meaning(word);
	unsigned int i;

	if (!meaning)
		meaning = key_meaning(&verdict_key, 1, word);
	if (!meaning)
		meaning = key_meaning(owner_keys, NR_OWNER_KEYS, word);
	if (!meaning)
		meaning = key_meaning(slots_keys, NR_SLOTS_KEYS, word);
	for (i = 0; i < NR_FIELDS && !meaning; i++) {
		if (!strcmp(fields[i].name, word) ||
		    (fields[i].heading && !strcmp(fields[i].heading, word)))
			meaning = fields[i].help;
	}
	for (i = 0; i < RUNS_AMOUNTS && !meaning; i++) {
		if (!strcmp(runs_amounts[i].name, word))
			meaning = runs_amounts[i].meaning;
	}
	return meaning;
}
