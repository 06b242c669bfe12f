// SPDX-License-Identifier: GPL-2.0
/*
 * The table of CPU models and the events of the formula families against what is
 * published, models.csv and events.csv: each row and each code, and no others.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "formula.h"
#include "ktap.h"
#include "model.h"

/* Room, and how far CPUID is searched for rows that should not be there. */
#define MODELS_MAX	128
#define EVENTS_MAX	320
#define FAMILIES	64
#define NUMBERS		256
#define NATIVES		8

#define MODEL_COLUMNS	11
#define EVENT_COLUMNS	10

struct published_model {
	char text[160];
	unsigned int vendor, family, first, last, native, width, level;
	enum topdown_kind kind;
	const char *formula, *codename;
	bool confirmed;
	/* The row of the table that was found for it. */
	const struct td_model *row;
};

struct published_event {
	char text[256];
	const char *family, *name, *threads;
	uint64_t config, other;
	bool found;
};

static struct published_model models[MODELS_MAX];
static struct published_event events[EVENTS_MAX];
static unsigned int nr_models, nr_events;

static unsigned int number(const char *text)
{
	return strtoul(text, NULL, 0);
}

static enum topdown_kind kind_of(const char *name)
{
	if (!strcmp(name, "core"))
		return TOPDOWN_KIND_CORE;
	return strcmp(name, "atom") ? TOPDOWN_KIND_ONLY : TOPDOWN_KIND_ATOM;
}

static bool parse_model(struct published_model *model)
{
	char *field[MODEL_COLUMNS];

	if (csv_split(model->text, field, MODEL_COLUMNS) != MODEL_COLUMNS)
		return false;
	model->vendor = strcmp(field[0], "AMD") ? X86_VENDOR_INTEL : X86_VENDOR_AMD;
	model->family = number(field[1]);
	model->first = number(field[2]);
	model->last = number(field[3]);
	model->kind = kind_of(field[4]);
	model->native = number(field[5]);
	model->width = number(field[6]);
	model->formula = field[7];
	model->level = number(field[8]);
	model->confirmed = !strcmp(field[9], "yes");
	model->codename = field[10];
	return true;
}

/*
 * The bits of perf's raw config: SDM 3B, IA32_PERFEVTSELx; AMD's PERF_CTL has the four
 * upper bits of the code at 32.
 */
static bool parse_event(struct published_event *event)
{
	char *field[EVENT_COLUMNS];
	uint64_t code;

	if (csv_split(event->text, field, EVENT_COLUMNS) != EVENT_COLUMNS)
		return false;
	event->family = field[0];
	event->name = field[1];
	code = number(field[2]);
	event->config = (code & 0xff) | (code >> 8) << 32 | (uint64_t)number(field[3]) << 8 |
			(uint64_t)number(field[4]) << 24 | (uint64_t)number(field[5]) << 23 |
			(uint64_t)number(field[6]) << 18 | (uint64_t)number(field[7]) << 21;
	event->threads = field[8];
	event->other = number(field[9]);
	return true;
}

static bool is_data(const char *line)
{
	return *line != '#' && strncmp(line, "vendor,", 7) && strncmp(line, "family,", 7);
}

static bool read_models(const char *name)
{
	FILE *file = fopen(name, "r");
	bool ok = file;

	while (ok && nr_models < MODELS_MAX &&
	       fgets(models[nr_models].text, sizeof(models[0].text), file)) {
		if (is_data(models[nr_models].text))
			ok = parse_model(&models[nr_models++]);
	}
	if (file)
		fclose(file);
	return ok;
}

static bool read_events(const char *name)
{
	FILE *file = fopen(name, "r");
	bool ok = file;

	while (ok && nr_events < EVENTS_MAX &&
	       fgets(events[nr_events].text, sizeof(events[0].text), file)) {
		if (is_data(events[nr_events].text))
			ok = parse_event(&events[nr_events++]);
	}
	if (file)
		fclose(file);
	return ok;
}

static struct published_model *published_model(unsigned int vendor, unsigned int family,
					       unsigned int number, enum topdown_kind kind,
					       unsigned int native)
{
	unsigned int i;

	for (i = 0; i < nr_models; i++) {
		struct published_model *model = &models[i];

		if (model->vendor == vendor && model->family == family &&
		    model->first <= number && number <= model->last && model->kind == kind &&
		    (!model->native || model->native == native))
			return model;
	}
	return NULL;
}

static bool model_equal(const struct published_model *model, const struct td_model *row)
{
	return row->slots_per_cycle == model->width && row->formula &&
	       !strcmp(row->formula->name, model->formula) &&
	       row->formula->level == model->level &&
	       !strcmp(row->codename, model->codename) && !row->note == model->confirmed;
}

static bool model_ok(unsigned int vendor, unsigned int family, unsigned int number,
		     enum topdown_kind kind, unsigned int native)
{
	struct published_model *model = published_model(vendor, family, number, kind, native);
	const struct td_model *row = td_model_find(vendor, family, number, kind, native);

	if (!model && !row)
		return true;
	if (model && row && model_equal(model, row)) {
		model->row = row;
		return true;
	}
	ktap_note("vendor %u family %#x model %#x kind %d native %u: published %s, ours %s",
		  vendor, family, number, kind, native, model ? model->codename : "nothing",
		  row ? row->codename : "nothing");
	return false;
}

static bool models_of(unsigned int vendor, unsigned int family)
{
	static const enum topdown_kind kinds[] = {
		TOPDOWN_KIND_ONLY, TOPDOWN_KIND_CORE, TOPDOWN_KIND_ATOM,
	};
	unsigned int number, kind, native;
	bool ok = true;

	for (number = 0; number < NUMBERS; number++) {
		for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
			for (native = 0; native < NATIVES; native++)
				ok &= model_ok(vendor, family, number, kinds[kind], native);
		}
	}
	return ok;
}

static void test_models(struct ktap *ktap)
{
	unsigned int family;
	bool ok = true;

	for (family = 0; family < FAMILIES; family++) {
		ok &= models_of(X86_VENDOR_INTEL, family);
		ok &= models_of(X86_VENDOR_AMD, family);
	}
	ktap_result(ktap, ok, "models, widths and formulas are as published");
}

/* A row after another for the same CPU would never be found. */
static void test_rows(struct ktap *ktap)
{
	unsigned int i, j;
	bool ok = true;

	for (i = 0; i < nr_models; i++) {
		ok &= !!models[i].row;
		for (j = 0; j < i; j++)
			ok &= models[i].row != models[j].row;
	}
	ktap_result(ktap, ok, "each published model has a row of its own");
}

static bool threads_equal(const char *threads, enum td_when when)
{
	if (!strcmp(threads, "smt"))
		return when == TD_SMT;
	return strcmp(threads, "no_smt") ? when == TD_ALWAYS : when == TD_NO_SMT;
}

static bool event_ok(const struct td_formula *formula, const struct td_event *event)
{
	unsigned int i;

	for (i = 0; i < nr_events; i++) {
		struct published_event *it = &events[i];

		if (strcmp(it->family, formula->name) || strcmp(it->name, event->name))
			continue;
		it->found = true;
		if (event->config == it->config && event->other == it->other &&
		    threads_equal(it->threads, event->when))
			return true;
		ktap_note("%s %s: published %#llx or %#llx, threads '%s'; ours %#llx or %#llx, %u",
			  formula->name, event->name, (unsigned long long)it->config,
			  (unsigned long long)it->other, it->threads,
			  (unsigned long long)event->config, (unsigned long long)event->other,
			  event->when);
		return false;
	}
	ktap_note("%s %s: not published", formula->name, event->name);
	return false;
}

/* Instructions: an event of the formula, or AMD's, which no formula needs; or none. */
static bool instructions_ok(const struct td_formula *formula)
{
	const struct td_event retired = { "ex_ret_instr", formula->retired, 0, 0, TD_ALWAYS };

	if (formula->instructions)
		return !strcmp(formula->events[formula->instructions].name, "INST_RETIRED.ANY");
	return !formula->retired || event_ok(formula, &retired);
}

/* AMD's reference is the event of its cycles; fixed counter 2 has that of Intel. */
static bool formula_ok(const struct td_formula *formula)
{
	uint64_t reference = strncmp(formula->name, "zen", 3) ? 0x300 : 0x76;
	unsigned int i;
	bool ok;

	if (formula->source == TOPDOWN_SOURCE_PERF_METRICS)
		reference = 0;
	ok = formula->reference == reference;
	if (!ok)
		ktap_note("%s: the reference is %#llx", formula->name,
			  (unsigned long long)formula->reference);
	for (i = 0; i < formula->nr_events; i++)
		ok &= event_ok(formula, &formula->events[i]);
	if (!instructions_ok(formula)) {
		ktap_note("%s: another event counts instructions", formula->name);
		ok = false;
	}
	return ok;
}

/* The events of the families that rows name, and of the refined families that these name. */
static void test_events(struct ktap *ktap)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < nr_models; i++) {
		const struct td_formula *formula = models[i].row ? models[i].row->formula : NULL;

		if (!formula)
			continue;
		ok &= formula_ok(formula);
		if (formula->refined)
			ok &= formula_ok(formula->refined);
	}
	ktap_result(ktap, ok, "events have the codes that are published");
}

static void test_all_events(struct ktap *ktap)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < nr_events; i++) {
		if (events[i].found)
			continue;
		ktap_note("%s %s: no row's family has it", events[i].family, events[i].name);
		ok = false;
	}
	ktap_result(ktap, ok, "each published event is counted");
}

int main(int argc, char **argv)
{
	struct ktap ktap;
	bool ok;

	ktap_begin(&ktap, 5);
	ok = argc == 3 && read_models(argv[1]) && read_events(argv[2]);
	ktap_note("%u models, %u events", nr_models, nr_events);
	ktap_result(&ktap, ok && nr_models >= 84 && nr_events >= 245, "what is published was read");
	test_models(&ktap);
	test_rows(&ktap);
	test_events(&ktap);
	test_all_events(&ktap);
	return ktap_end(&ktap);
}
