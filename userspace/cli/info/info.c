// SPDX-License-Identifier: GPL-2.0
/*
 * topdown info: how the machine is measured.
 */
#include "info.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cpulist.h"
#include "holders.h"
#include "options.h"
#include "refusal.h"
#include "rights.h"
#include "text.h"

#define WATCHDOG_FILE	"/proc/sys/kernel/nmi_watchdog"
#define SOURCES_FILE	"/sys/kernel/topdown/sources"
#define ODD_FILE	"/sys/kernel/topdown/odd_windows"
#define SCHEMA		1

struct info_options {
	const char *device;
	bool json;
};

#define AT(at)	.field = offsetof(struct info_options, at)

static const struct option_row option_rows[] = {
	{ 'j', "json", NULL, "one JSON object", option_flag, AT(json) },
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown info [options]\n"
		"\n"
		"Say how the loaded module measures each CPU, and what this user may see.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown info\n"
		"  topdown info -j | jq .level\n",
	.rest = OPTIONS_ALONE,
};

static const struct {
	uint64_t bit;
	const char *name;
} features[] = {
	{ TOPDOWN_FEATURE_FRESH, "fresh" },
	{ TOPDOWN_FEATURE_TOTAL, "total" },
	{ TOPDOWN_FEATURE_MAP, "map" },
	{ TOPDOWN_FEATURE_WATCH, "watch" },
	{ TOPDOWN_FEATURE_SESSION, "session" },
	{ TOPDOWN_FEATURE_CYCLES, "cycles" },
	{ TOPDOWN_FEATURE_BUSY, "busy" },
	{ TOPDOWN_FEATURE_OWNERS, "owners" },
};

static struct json_object *feature_array(const struct topdown *td)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		if (topdown_has(td, features[i].bit))
			json_object_array_add(array, json_object_new_string(features[i].name));
	}
	return array;
}

/* CPUs that are in the same state and measured in the same way. */
struct cpu_kind {
	unsigned int state;
	unsigned int source;
	unsigned int level;
	unsigned int width;
	unsigned int flags;
	struct cpulist cpus;
};

/* These flags of a CPU never change. TOPDOWN_RECORD_CLAMPED changes with each window. */
static const struct {
	unsigned int bit;
	const char *name;
} flags[] = {
	{ TOPDOWN_RECORD_SCALED, "scaled" },
	{ TOPDOWN_RECORD_REFINED, "refined" },
	{ TOPDOWN_RECORD_DRILLDOWN, "drilldown" },
};

static unsigned int known_flags(unsigned int all)
{
	unsigned int known = 0;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		known |= flags[i].bit & all;
	return known;
}

static struct json_object *flag_array(unsigned int set)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (set & flags[i].bit)
			json_object_array_add(array, json_object_new_string(flags[i].name));
	}
	return array;
}

static struct cpu_kind kind_of(const struct topdown_record *record)
{
	struct cpu_kind kind = {
		.state = record->state,
		.source = record->source,
		.level = record->level,
		.width = record->slots_per_cycle,
		.flags = known_flags(record->flags),
	};

	return kind;
}

static bool same_kind(const struct cpu_kind *a, const struct cpu_kind *b)
{
	return a->state == b->state && a->source == b->source && a->level == b->level &&
	       a->width == b->width && a->flags == b->flags;
}

static struct json_object *kind_object(const struct cpu_kind *kind)
{
	struct json_object *object = json_object_new_object();
	char *text = cpulist_text(&kind->cpus);

	json_object_object_add(object, "cpus", json_object_new_string(text ? text : "?"));
	json_object_object_add(object, "state",
			       json_object_new_string(topdown_state_name(kind->state)));
	json_object_object_add(object, "source",
			       json_object_new_string(topdown_source_name(kind->source)));
	json_object_object_add(object, "level", json_object_new_int64(kind->level));
	json_object_object_add(object, "slots_per_cycle",
			       json_object_new_int64(kind->width));
	json_object_object_add(object, "flags", flag_array(kind->flags));
	free(text);
	return object;
}

/* There is one entry for each kind, in the order of the first CPU of each kind. */
static void add_kinds(struct json_object *array, const struct topdown_reading *reading)
{
	unsigned int i, j, nr = topdown_reading_nr(reading);
	bool *done = calloc(nr + 1, sizeof(*done));

	for (i = 0; done && i < nr; i++) {
		struct cpu_kind kind = kind_of(topdown_reading_record(reading, i));

		if (done[i])
			continue;
		for (j = i; j < nr; j++) {
			const struct topdown_record *record;
			struct cpu_kind other;

			record = topdown_reading_record(reading, j);
			other = kind_of(record);
			if (record->cpu >= CPULIST_MAX || !same_kind(&kind, &other))
				continue;
			cpulist_set(&kind.cpus, record->cpu);
			done[j] = true;
		}
		json_object_array_add(array, kind_object(&kind));
	}
	free(done);
}

static void add_string(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, *value ? json_object_new_string(value) : NULL);
}

static void add_number(struct json_object *object, const char *key, int64_t value)
{
	json_object_object_add(object, key, json_object_new_int64(value));
}

static void add_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

static void add_file_number(struct json_object *object, const char *key, const char *path)
{
	FILE *file = fopen(path, "re");
	int value, n = 0;

	if (file) {
		n = fscanf(file, "%d", &value);
		fclose(file);
	}
	json_object_object_add(object, key, n == 1 ? json_object_new_int64(value) : NULL);
}

/* The lines of a file as an array of strings; null if there is no file. */
static void add_file_lines(struct json_object *object, const char *key, const char *path)
{
	struct json_object *array = NULL;
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (file) {
		array = json_object_new_array();
		while (getline(&line, &size, file) > 0) {
			line[strcspn(line, "\n")] = '\0';
			json_object_array_add(array, json_object_new_string(line));
		}
		free(line);
		fclose(file);
	}
	json_object_object_add(object, key, array);
}

static void add_cpu_model(struct json_object *object, const struct topdown_info *info)
{
	add_string(object, "cpu_name", info->out_cpu_name);
	add_string(object, "cpu_vendor", info->out_cpu_vendor);
	add_number(object, "cpu_family", info->out_cpu_family);
	add_number(object, "cpu_model", info->out_cpu_model);
	add_number(object, "cpu_stepping", info->out_cpu_stepping);
	add_string(object, "codename", info->out_codename);
}

/* How many events can be sampled, or why none; null for the one that does not apply. */
static void add_latency(struct json_object *object, struct topdown *td)
{
	struct json_object *nr = NULL, *why = NULL;
	unsigned int refusal;
	uint64_t events;
	int ret;

	ret = topdown_latency_events(td, &events, &refusal);
	if (ret == -ENOENT)
		why = json_object_new_string("not loaded: 'modprobe topdown_latency' loads the module");
	else if (ret)
		why = json_object_new_string(strerror(-ret));
	else if (refusal)
		why = json_object_new_string(topdown_latency_refusal_text(refusal));
	else
		nr = json_object_new_int64(__builtin_popcountll(events));
	json_object_object_add(object, "latency_events", nr);
	json_object_object_add(object, "latency_refusal", why);
}

/* The value of the module's parameter; "never" also if the kernel lacks a tracepoint. */
static const char *aside_name(uint32_t info_flags)
{
	if (!(info_flags & TOPDOWN_INFO_ASIDE))
		return "never";
	return info_flags & TOPDOWN_INFO_ASIDE_ALL ? "all" : "tasks";
}

/* Processes that may have counters.  They say so themselves; the kernel does not. */
static struct json_object *holder_array(struct holders *holders)
{
	struct json_object *array = json_object_new_array(), *object;
	unsigned int i;

	for (i = 0; i < holders->nr; i++) {
		object = json_object_new_object();
		add_number(object, "pid", holders->holder[i].pid);
		add_string(object, "comm", holders->holder[i].name);
		add_number(object, "events", holders->holder[i].events);
		json_object_array_add(array, object);
	}
	return array;
}

static void add_holders(struct json_object *object)
{
	struct holders holders;

	holders_find(&holders);
	json_object_object_add(object, "perf_users", holder_array(&holders));
	add_number(object, "perf_users_hidden", holders.hidden);
	add_bool(object, "perf_users_whole", holders.whole);
	holders_free(&holders);
}

/* CPUs in a state. */
static void add_state(char *text, size_t size, const struct topdown_reading *reading,
		      unsigned int state)
{
	unsigned int i, nr = 0;
	size_t n = strlen(text);

	for (i = 0; i < topdown_reading_nr(reading); i++)
		nr += topdown_reading_record(reading, i)->state == state;
	if (nr)
		snprintf(text + n, size - n, ", %u %s", nr, topdown_state_name(state));
}

/* Is a CPU meant to be measured now? */
static bool is_wanted(unsigned int state)
{
	return state != TOPDOWN_STATE_OFFLINE && state != TOPDOWN_STATE_EXCLUDED;
}

/* One line that says whether all is well. */
static void verdict_text(char *text, size_t size, const struct topdown_reading *reading)
{
	unsigned int i, nr = topdown_reading_nr(reading), wanted = 0, ok = 0, level = ~0U;
	const struct topdown_record *record;

	for (i = 0; i < nr; i++) {
		record = topdown_reading_record(reading, i);
		wanted += is_wanted(record->state);
		ok += record->state == TOPDOWN_STATE_OK;
		if (record->state == TOPDOWN_STATE_OK && record->level < level)
			level = record->level;
	}
	if (wanted && ok == wanted) {
		snprintf(text, size, "good: %u CPU%s measured, level %u", ok,
			 ok == 1 ? " is" : "s are", level);
		return;
	}
	if (!wanted) {
		snprintf(text, size, "bad: no CPU is to be measured");
		return;
	}
	snprintf(text, size, "%s: %u of %u CPUs are measured all the time", ok ? "partly" : "bad",
		 ok, wanted);
	add_state(text, size, reading, TOPDOWN_STATE_CONTENDED);
	add_state(text, size, reading, TOPDOWN_STATE_ASIDE);
	add_state(text, size, reading, TOPDOWN_STATE_UNSUPPORTED);
	add_state(text, size, reading, TOPDOWN_STATE_ERROR);
}

/* The array is empty if the CPUs cannot be read; @error says why. */
static void add_cpus(struct json_object *object, struct topdown *td, int *error)
{
	struct json_object *array = json_object_new_array();
	struct topdown_reading *reading = NULL;
	char verdict[160] = "not known: the CPUs cannot be read";

	*error = topdown_reading_create(&reading, td, NULL, 0);
	if (!*error)
		*error = topdown_reading_update(reading, 0);
	if (!*error) {
		add_kinds(array, reading);
		verdict_text(verdict, sizeof(verdict), reading);
	}
	topdown_reading_destroy(reading);
	json_object_object_add(object, "cpus", array);
	add_string(object, "verdict", verdict);
}

static struct json_object *collect(struct topdown *td, const char *device, int *error)
{
	const struct topdown_info *info = topdown_info_get(td);
	struct json_object *object = json_object_new_object();
	struct utsname system;

	add_number(object, "schema", SCHEMA);
	add_string(object, "command", TOPDOWN_VERSION);
	add_string(object, "library", topdown_version());
	add_string(object, "module", info->out_version);
	add_string(object, "device", device);
	if (!uname(&system))
		add_string(object, "kernel", system.release);
	add_cpu_model(object, info);
	add_string(object, "source", topdown_source_name(info->out_source));
	add_number(object, "level", info->out_level);
	add_number(object, "slots_per_cycle", info->out_slots_per_cycle);
	add_number(object, "period_ms", info->out_period_ms);
	add_number(object, "period_min_ms", info->out_period_min_ms);
	add_number(object, "period_max_ms", info->out_period_max_ms);
	json_object_object_add(object, "features", feature_array(td));
	add_latency(object, td);
	add_bool(object, "pinned", info->out_flags & TOPDOWN_INFO_PINNED);
	add_string(object, "aside", aside_name(info->out_flags));
	add_bool(object, "refined", info->out_flags & TOPDOWN_INFO_REFINED);
	add_bool(object, "drilldown", info->out_flags & TOPDOWN_INFO_DRILLDOWN);
	add_bool(object, "may_read_cpus", info->out_flags & TOPDOWN_INFO_MAY_READ);
	add_bool(object, "cap_perfmon", rights_perfmon());
	add_file_number(object, "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
	add_file_number(object, "nmi_watchdog", WATCHDOG_FILE);
	add_file_lines(object, "chosen", SOURCES_FILE);
	add_file_lines(object, "odd_windows", ODD_FILE);
	add_holders(object);
	add_cpus(object, td, error);
	return object;
}

static const char *array_string(struct json_object *array, size_t i)
{
	return json_object_get_string(json_object_array_get_idx(array, i));
}

static void print_kind(FILE *file, struct json_object *kind)
{
	struct json_object *set = json_object_object_get(kind, "flags");
	size_t i;

	fprintf(file, "cpus %s: %s, source %s, level %s, %s slots per cycle",
		json_object_get_string(json_object_object_get(kind, "cpus")),
		json_object_get_string(json_object_object_get(kind, "state")),
		json_object_get_string(json_object_object_get(kind, "source")),
		json_object_get_string(json_object_object_get(kind, "level")),
		json_object_get_string(json_object_object_get(kind, "slots_per_cycle")));
	for (i = 0; i < json_object_array_length(set); i++)
		fprintf(file, ", %s", array_string(set, i));
	putc('\n', file);
}

static void print_lines(FILE *file, const char *key, struct json_object *array)
{
	size_t i;

	for (i = 0; i < json_object_array_length(array); i++)
		fprintf(file, "%s: %s\n", key, array_string(array, i));
}

static void print_holders(FILE *file, const struct json_object *array)
{
	size_t i, nr = json_object_array_length(array);

	for (i = 0; i < nr; i++) {
		struct json_object *holder = json_object_array_get_idx(array, i);
		int64_t events = json_object_get_int64(json_object_object_get(holder, "events"));

		fprintf(file, "perf_users: %s (%s), %" PRId64 " event%s\n",
			json_object_get_string(json_object_object_get(holder, "comm")),
			json_object_get_string(json_object_object_get(holder, "pid")), events,
			plural_text(events));
	}
	if (!nr)
		fputs("perf_users: none that this user may see\n", file);
}

static void print_value(FILE *file, const char *key, struct json_object *value)
{
	size_t i;

	fprintf(file, "%s:", key);
	if (json_object_is_type(value, json_type_array)) {
		for (i = 0; i < json_object_array_length(value); i++)
			fprintf(file, " %s", array_string(value, i));
	} else if (json_object_is_type(value, json_type_boolean)) {
		fprintf(file, " %s", json_object_get_boolean(value) ? "yes" : "no");
	} else {
		fprintf(file, " %s", value ? json_object_get_string(value) : "-");
	}
	putc('\n', file);
}

static void print_text(FILE *file, struct json_object *object)
{
	json_object_object_foreach(object, key, value) {
		size_t i;

		if (!strcmp(key, "schema"))
			continue;
		if ((!strcmp(key, "chosen") || !strcmp(key, "odd_windows")) && value) {
			print_lines(file, key, value);
			continue;
		}
		if (!strcmp(key, "perf_users")) {
			print_holders(file, value);
			continue;
		}
		if (strcmp(key, "cpus")) {
			print_value(file, key, value);
			continue;
		}
		for (i = 0; i < json_object_array_length(value); i++)
			print_kind(file, json_object_array_get_idx(value, i));
	}
}

/* Say how each CPU is measured, if the kernel says it. */
static void print_chosen(FILE *to)
{
	FILE *file = fopen(SOURCES_FILE, "re");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return;
	while (getline(&line, &size, file) > 0)
		fprintf(to, "topdown: CPU %s", line);
	free(line);
	fclose(file);
}

/**
 * info_summary - print the line that a report of a problem should begin with
 * @file: where to
 * @td: open device
 */
void info_summary(FILE *file, struct topdown *td)
{
	const struct topdown_info *info = topdown_info_get(td);

	fprintf(file, "topdown: command %s, module %s; %s (%s), source %s, level %u, %u slots per cycle; period %u ms%s%s%s\n",
		TOPDOWN_VERSION, info->out_version, info->out_cpu_name,
		*info->out_codename ? info->out_codename : "not in the module's table",
		topdown_source_name(info->out_source), info->out_level,
		info->out_slots_per_cycle, info->out_period_ms,
		info->out_flags & TOPDOWN_INFO_PINNED ? ", pinned" : "",
		info->out_flags & TOPDOWN_INFO_REFINED ? ", refined" : "",
		info->out_flags & TOPDOWN_INFO_DRILLDOWN ? ", drilldown" : "");
	print_chosen(file);
}

/**
 * info_version - print the versions of all parts
 *
 * Return: exit code.
 */
int info_version(void)
{
	struct topdown *td;
	int ret;

	printf("topdown %s\nlibtopdown %s\n", TOPDOWN_VERSION, topdown_version());
	ret = topdown_open(&td, NULL);
	if (ret) {
		printf("module: cannot open %s: %s\n", TOPDOWN_DEVICE, strerror(-ret));
	} else {
		printf("module %s\n", topdown_info_get(td)->out_version);
		topdown_close(td);
	}
	return options_help("");
}

static int print_info(const char *device, bool json)
{
	struct json_object *object;
	struct topdown *td;
	int ret, error;

	ret = topdown_open(&td, device);
	if (ret) {
		error = refusal_open(device, -ret);
		if (ret == -ENOENT && !json)
			info_machine(stdout);
		return error;
	}

	object = collect(td, device, &error);
	if (json)
		printf("%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
						JSON_C_TO_STRING_NOSLASHESCAPE));
	else
		print_text(stdout, object);
	json_object_put(object);
	ret = options_help("");
	if (topdown_info_get(td)->out_flags & TOPDOWN_INFO_MAY_READ) {
		if (error && !ret)
			ret = refusal_read(device, -error);
	} else if (!json) {
		rights_explain(RIGHTS_CPUS);
	}
	topdown_close(td);
	return ret;
}

int info_main(int argc, char **argv)
{
	struct info_options options = { .device = TOPDOWN_DEVICE };
	bool done;
	int ret;

	ret = options_parse(&table, argc, argv, &options, &done);
	if (ret || done)
		return ret;
	return print_info(options.device, options.json);
}
