// SPDX-License-Identifier: GPL-2.0
/*
 * topdown where: how each form of output says that the events of a node have no sample, and where
 * a row without a function is.  The events are those below, as the linker hands us the library's
 * calls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "where-output.h"

#define LOSER	TOPDOWN_MEMORY_BOUND

int __wrap_topdown_stalls_event_get(const struct topdown_stalls *stalls, unsigned int number,
				    struct topdown_stalls_event *out, size_t size);
uint64_t __wrap_topdown_stalls_lost(const struct topdown_stalls *stalls);
const char *__wrap_where_symbols_object(const struct where_symbols *symbols, uint32_t object);

static const struct topdown_stalls_event events[] = {
	{ .name = "LOADS<&", .pmu = "cpu", .nodes = 1ULL << LOSER, .error = EMFILE },
	{ .name = "SAMPLED", .pmu = "cpu", .nodes = 1ULL << LOSER, .samples = 7 },
	{ .name = "OTHER", .pmu = "cpu", .nodes = 1ULL << TOPDOWN_CORE_BOUND },
	{ .name = "ATOM", .pmu = "cpu_atom", .nodes = 1ULL << LOSER },
	{ .name = "RARE", .pmu = "cpu", .nodes = 1ULL << LOSER, .enabled_ns = 1,
	  .running_ns = 2000000000 },
};

int __wrap_topdown_stalls_event_get(const struct topdown_stalls *stalls, unsigned int number,
				    struct topdown_stalls_event *out, size_t size)
{
	(void)stalls;
	if (number >= sizeof(events) / sizeof(events[0]))
		return -ENOENT;
	memcpy(out, &events[number], size);
	return 0;
}

uint64_t __wrap_topdown_stalls_lost(const struct topdown_stalls *stalls)
{
	(void)stalls;
	return 0;
}

/* The place of the one row that has one: see has_place(). */
static const char *file_name;

const char *__wrap_where_symbols_object(const struct where_symbols *symbols, uint32_t object)
{
	(void)symbols;
	(void)object;
	return file_name;
}

enum form {
	FORM_TABLE,
	FORM_PAGE,
	FORM_JSON,
	FORM_CSV,
};

/* A node that no sample locates.  Return: what is printed, to be freed. */
static char *print(const struct where_options *options, unsigned int node, enum form form)
{
	struct where_run run = { .options = options };
	struct where_domain domain = { .nodes = 1U << node };
	struct where_rows rows = { .node = node, .node_share = 0.25 };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	if (form == FORM_TABLE)
		where_table(file, &run, &domain, &rows);
	else if (form == FORM_PAGE)
		where_page_node(file, &run, &domain, &rows);
	else if (form == FORM_JSON)
		where_json(file, &run, &domain, &rows);
	else
		where_csv(file, &run, &domain, &rows);
	fclose(file);
	return text;
}

static bool has(const struct where_options *options, unsigned int node, enum form form,
		const char *part)
{
	char *text = print(options, node, form);
	bool there = text && strstr(text, part);

	if (!there)
		printf("# %s\n", text ? text : "no memory");
	free(text);
	return there;
}

static bool lacks(const struct where_options *options, enum form form, const char *part)
{
	char *text = print(options, LOSER, form);
	bool there = !text || strstr(text, part);

	free(text);
	return !there;
}

/* The place of a row of that file. */
static bool has_place(const char *file, const char *function, const char *place)
{
	const struct where_symbol symbol = { .name = function };
	const struct where_row row = { .place.address = 0x1a2b0, .symbol = &symbol };
	const struct where_options options = { 0 };
	const struct where_run run = { .options = &options };
	char text[256];

	file_name = file;
	where_place_text(text, sizeof(text), &run, &row);
	if (strcmp(text, place))
		printf("# %s\n", text);
	return !strcmp(text, place);
}

int main(void)
{
	static const char * const open_files[] = {
		"not opened: Too many open files (raise 'ulimit -n', or sample fewer CPUs by -C)",
	};
	static const char never[] = "counted for 2.000 s (all CPUs together), and never happened";
	struct where_options cpus = { .output.separator = '|' };
	struct where_options quiet = { .quiet = true };
	struct where_options process = { .pid = 1 };
	char text[1024];

	ktap_begin(&ktap, 11);
	snprintf(text, sizeof(text), "no sample of LOADS<&: %s\nno sample of RARE: %s\n",
		 open_files[0], never);
	check(has(&cpus, LOSER, FORM_TABLE, text), "lines are below the table of the node");
	check(lacks(&quiet, FORM_TABLE, "no sample of"), "-q leaves out the lines below the table");
	check(has(&process, LOSER, FORM_TABLE, "counted for 2.000 s, and"),
	      "a process has its times");
	snprintf(text, sizeof(text),
		 "no sample says where</p>\n<p>no sample of LOADS&lt;&amp;: %s</p>\n<p>no sample of RARE: %s</p>\n</section>\n",
		 open_files[0], never);
	check(has(&cpus, LOSER, FORM_PAGE, text), "the page says it, escaped");
	check(lacks(&cpus, FORM_PAGE, "<table"), "the page has no empty table");
	snprintf(text, sizeof(text),
		 "\"unsampled\":[{\"event\":\"LOADS<&\",\"reason\":\"%s\"},{\"event\":\"RARE\",\"reason\":\"%s\"}]}\n",
		 open_files[0], never);
	check(has(&cpus, LOSER, FORM_JSON, text), "JSON has an array");
	check(has(&cpus, TOPDOWN_BAD_SPECULATION, FORM_JSON, "\"unsampled\":null}"),
	      "JSON has null for a node without such events");
	snprintf(text, sizeof(text), "|LOADS<&: %s; RARE: %s\n", open_files[0], never);
	check(has(&cpus, LOSER, FORM_CSV, text), "CSV has one text");
	check(lacks(&cpus, FORM_CSV, "OTHER") && lacks(&cpus, FORM_CSV, "ATOM") &&
	      lacks(&cpus, FORM_CSV, "SAMPLED"), "events of others are left out");
	check(has_place("/usr/lib/libz.so.1", NULL, "libz.so.1+0x1a2b0") &&
	      has_place("/usr/lib/libz.so.1", "inflate", "libz.so.1"),
	      "an address is printed where no function is known");
	check(has_place("/usr/lib/libcrypto-long.so.3", NULL, "libcrypto-long.so.3") &&
	      has_place("[kernel]", NULL, "[kernel]"), "only files are cut to their names");
	return ktap_end(&ktap);
}
