// SPDX-License-Identifier: GPL-2.0
/*
 * The table of events with a retire latency against what is published, latencies.csv: each
 * event of each model, and no others; and the names of the events.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "ktap.h"
#include "latency-table.h"

#define LISTS_MAX	8
#define ROWS_MAX	64
/* How far numbers are tried that should not be there. */
#define MODELS		256
#define EVENTS		64

#define LIST_COLUMNS	3
#define EVENT_COLUMNS	7

struct list {
	const char *name, *models;
};

struct row {
	const char *name, *lists;
	uint64_t config, config1;
};

static char lines[LISTS_MAX + ROWS_MAX + 32][160];
static struct list lists[LISTS_MAX];
static struct row rows[ROWS_MAX];
static unsigned int nr_lists, nr_rows;

/* A number of enum topdown_latency_number, and its name there. */
static const struct {
	unsigned int number;
	const char *name;
} events[] = {
#define EVENT(name)	{ TOPDOWN_LATENCY_ ## name, #name }
	EVENT(BR_MISP_RETIRED_COND_NTAKEN_COST),
	EVENT(BR_MISP_RETIRED_COND_TAKEN_BWD_COST),
	EVENT(BR_MISP_RETIRED_COND_TAKEN_COST),
	EVENT(BR_MISP_RETIRED_COND_TAKEN_FWD_COST),
	EVENT(BR_MISP_RETIRED_INDIRECT_CALL_COST),
	EVENT(BR_MISP_RETIRED_INDIRECT_COST),
	EVENT(BR_MISP_RETIRED_RET_COST),
	EVENT(FRONTEND_RETIRED_ANY_DSB_MISS),
	EVENT(FRONTEND_RETIRED_ITLB_MISS),
	EVENT(FRONTEND_RETIRED_L1I_MISS),
	EVENT(FRONTEND_RETIRED_L2_MISS),
	EVENT(FRONTEND_RETIRED_MS_FLOWS),
	EVENT(FRONTEND_RETIRED_STLB_MISS),
	EVENT(FRONTEND_RETIRED_UNKNOWN_BRANCH),
	EVENT(MEM_INST_RETIRED_LOCK_LOADS),
	EVENT(MEM_INST_RETIRED_SPLIT_LOADS),
	EVENT(MEM_INST_RETIRED_SPLIT_STORES),
	EVENT(MEM_INST_RETIRED_STLB_HIT_LOADS),
	EVENT(MEM_INST_RETIRED_STLB_HIT_STORES),
	EVENT(MEM_INST_RETIRED_STLB_MISS_LOADS),
	EVENT(MEM_INST_RETIRED_STLB_MISS_STORES),
	EVENT(MEM_LOAD_L3_HIT_RETIRED_XSNP_FWD),
	EVENT(MEM_LOAD_L3_HIT_RETIRED_XSNP_HITM),
	EVENT(MEM_LOAD_L3_HIT_RETIRED_XSNP_MISS),
	EVENT(MEM_LOAD_L3_HIT_RETIRED_XSNP_NO_FWD),
	EVENT(MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM),
	EVENT(MEM_LOAD_L3_MISS_RETIRED_REMOTE_DRAM),
	EVENT(MEM_LOAD_L3_MISS_RETIRED_REMOTE_FWD),
	EVENT(MEM_LOAD_L3_MISS_RETIRED_REMOTE_HITM),
	EVENT(MEM_LOAD_RETIRED_L1_HIT_L1),
	EVENT(MEM_LOAD_RETIRED_L2_HIT),
	EVENT(MEM_LOAD_RETIRED_L3_HIT),
#undef EVENT
};

#define NR_EVENTS	(sizeof(events) / sizeof(events[0]))

/* Is the constant @constant the event that Intel calls @name? */
static bool is_called(const char *constant, const char *name)
{
	for (; *constant && *name; constant++, name++) {
		if (*name != *constant && (*name != '.' || *constant != '_'))
			return false;
	}
	return !*constant && !*name;
}

/* The bits of perf's raw config: SDM 3B, IA32_PERFEVTSELx; the longer umask is from 40 on. */
static bool parse(char *line)
{
	char *field[EVENT_COLUMNS];
	unsigned int n = csv_split(line, field, EVENT_COLUMNS);

	if (n < 2 || !strcmp(field[1], "name"))
		return n >= 2;
	if (!strcmp(field[0], "list") && n == LIST_COLUMNS && nr_lists < LISTS_MAX) {
		lists[nr_lists++] = (struct list){ field[1], field[2] };
		return true;
	}
	if (strcmp(field[0], "event") || n != EVENT_COLUMNS || nr_rows == ROWS_MAX)
		return false;
	rows[nr_rows++] = (struct row){
		field[1], field[2],
		strtoull(field[3], NULL, 0) | strtoull(field[4], NULL, 0) << 8 |
		strtoull(field[5], NULL, 0) << 40, strtoull(field[6], NULL, 0),
	};
	return true;
}

static bool read_rows(const char *name)
{
	FILE *file = fopen(name, "r");
	unsigned int i = 0;
	bool ok = file;

	while (ok && i < sizeof(lines) / sizeof(lines[0]) &&
	       fgets(lines[i], sizeof(lines[0]), file)) {
		if (*lines[i] != '#')
			ok = parse(lines[i++]);
	}
	if (file)
		fclose(file);
	return ok && nr_lists && nr_rows;
}

/* The list of a model; NULL for none. */
static const struct list *list_of(unsigned int model)
{
	char text[8];
	unsigned int i;

	snprintf(text, sizeof(text), "0x%02x", model);
	for (i = 0; i < nr_lists; i++) {
		if (strstr(lists[i].models, text))
			return &lists[i];
	}
	return NULL;
}

/* The row of an event of a list; NULL for none. */
static const struct row *row_of(const struct list *list, const char *constant)
{
	unsigned int i;

	for (i = 0; i < nr_rows && list; i++) {
		if (is_called(constant, rows[i].name) && strstr(rows[i].lists, list->name))
			return &rows[i];
	}
	return NULL;
}

static const char *constant_of(unsigned int number)
{
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++) {
		if (events[i].number == number)
			return events[i].name;
	}
	return "";
}

static bool event_ok(unsigned int model, unsigned int number)
{
	const struct row *row = row_of(list_of(model), constant_of(number));
	__u64 config = 0, config1 = 0;
	bool has = td_latency_encode(model, number, &config, &config1);
	bool listed = td_latency_events(model) >> number & 1;

	if (has == listed && has == !!row &&
	    (!row || (config == row->config && config1 == row->config1)))
		return true;
	ktap_note("model %#x event %u: %s, has %d, listed %d, %#llx %#llx", model, number,
		  row ? row->name : "not published", has, listed, (unsigned long long)config,
		  (unsigned long long)config1);
	return false;
}

static void test_events(struct ktap *ktap)
{
	unsigned int model, number;
	bool ok = true;

	for (model = 0; model < MODELS; model++) {
		for (number = 0; number < EVENTS; number++)
			ok &= event_ok(model, number);
	}
	ktap_result(ktap, ok, "models have the events and the codes that are published");
}

/* Each list differs from the others, and a model that is not known has none. */
static void test_lists(struct ktap *ktap)
{
	unsigned int one, other;
	bool ok = true;

	for (one = 0; one < MODELS; one++) {
		ok &= !td_latency_lists(one) == !list_of(one);
		for (other = 0; other < MODELS; other++)
			ok &= (td_latency_lists(one) == td_latency_lists(other)) ==
			      (list_of(one) == list_of(other));
	}
	ktap_result(ktap, ok, "models share the lists that they are published with");
}

static void test_names(struct ktap *ktap)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < NR_EVENTS; i++) {
		const char *name = td_latency_name(events[i].number);

		if (name && is_called(events[i].name, name))
			continue;
		ktap_note("%s is called %s", events[i].name, name ? name : "nothing");
		ok = false;
	}
	for (i = 0; i < nr_rows; i++) {
		unsigned int number = 0;

		while (number < EVENTS && (!td_latency_name(number) ||
					   strcmp(td_latency_name(number), rows[i].name)))
			number++;
		ok &= number < EVENTS;
	}
	ok &= !td_latency_name(NR_EVENTS) && !td_latency_name(1000);
	ktap_result(ktap, ok, "events have Intel's names");
}

int main(int argc, char **argv)
{
	struct ktap ktap;

	if (argc != 2 || !read_rows(argv[1])) {
		fprintf(stderr, "usage: latencies FILE\n");
		return 1;
	}
	ktap_begin(&ktap, 3);
	test_events(&ktap);
	test_lists(&ktap);
	test_names(&ktap);
	return ktap_end(&ktap);
}
