// SPDX-License-Identifier: GPL-2.0
/*
 * The report of a run, as one JSON object.  It names the CPU, the kernel's release and the
 * module, and no person, host or program of this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bands.h"
#include "message.h"
#include "verify.h"

#define SCHEMA		1
#define CPUINFO		"/proc/cpuinfo"

static struct json_object *text(const char *value)
{
	return json_object_new_string(value);
}

static struct json_object *number(int64_t value)
{
	return json_object_new_int64(value);
}

/* The value of the first line "NAME : VALUE" of a file; NULL if there is none.  For free(). */
static char *field(const char *path, const char *name)
{
	char *line = NULL, *colon, *value = NULL;
	FILE *file = fopen(path, "re");
	size_t size = 0;

	if (!file)
		return NULL;
	while (!value && getline(&line, &size, file) > 0) {
		colon = strchr(line, ':');
		if (!colon || strncmp(line, name, strlen(name)) ||
		    line + strlen(name) + strspn(line + strlen(name), "\t ") != colon)
			continue;
		colon[strcspn(colon, "\n")] = '\0';
		value = strdup(colon + 1 + strspn(colon + 1, " "));
	}
	free(line);
	fclose(file);
	return value;
}

static void add_field(struct json_object *object, const char *key, const char *path,
		      const char *name)
{
	char *value = field(path, name);

	json_object_object_add(object, key, value ? text(value) : NULL);
	free(value);
}

static void add_number(struct json_object *object, const char *key, const char *path,
		       const char *name)
{
	char *value = field(path, name);

	json_object_object_add(object, key, value ? number(strtoll(value, NULL, 10)) : NULL);
	free(value);
}

/* "hypervisor" is a flag that all hypervisors set for their guests. */
static bool is_guest(void)
{
	char *flags = field(CPUINFO, "flags"), *at = flags, *word;
	bool guest = false;

	while (at && (word = strsep(&at, " ")))
		guest |= !strcmp(word, "hypervisor");
	free(flags);
	return guest;
}

static bool has_siblings(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/smt/active", "re");
	bool active = file && fgetc(file) == '1';

	if (file)
		fclose(file);
	return active;
}

/* As the kernel has it, since there may be no module to ask. */
static struct json_object *machine_of(void)
{
	struct json_object *machine = json_object_new_object();
	struct utsname system;

	add_field(machine, "vendor", CPUINFO, "vendor_id");
	add_number(machine, "family", CPUINFO, "cpu family");
	add_number(machine, "model", CPUINFO, "model");
	add_number(machine, "stepping", CPUINFO, "stepping");
	add_field(machine, "microcode", CPUINFO, "microcode");
	add_field(machine, "cpu_name", CPUINFO, "model name");
	json_object_object_add(machine, "hypervisor", json_object_new_boolean(is_guest()));
	json_object_object_add(machine, "smt", json_object_new_boolean(has_siblings()));
	json_object_object_add(machine, "cpus", number(sysconf(_SC_NPROCESSORS_ONLN)));
	add_number(machine, "memory_kib", "/proc/meminfo", "MemTotal");
	json_object_object_add(machine, "kernel", uname(&system) ? NULL : text(system.release));
	return machine;
}

static void add_run(struct json_object *report, const struct verify *verify)
{
	const struct topdown_info *info = topdown_info_get(verify->td);

	json_object_object_add(report, "module", text(info->out_version));
	json_object_object_add(report, "codename", text(info->out_codename));
	json_object_object_add(report, "cpu", number(verify->home));
	json_object_object_add(report, "source", text(topdown_source_name(verify->source)));
	json_object_object_add(report, "level", number(verify->level));
	json_object_object_add(report, "width", number(verify->width));
	json_object_object_add(report, "turns", number(verify->turns));
	json_object_object_add(report, "ms", number(verify->ms));
}

static struct json_object *hundredths(double value)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%.2f", value);
	return json_object_new_double_s(value, digits);
}

/* The bands are the command's, and may change with it. */
static struct json_object *bands_of(const struct verify *verify)
{
	struct json_object *list = json_object_new_array(), *object;
	unsigned int i;

	for (i = 0; i < bands_nr; i++) {
		if (!(bands[i].sources >> verify->source & 1))
			continue;
		object = json_object_new_object();
		json_object_object_add(object, "program", text(program_name(bands[i].program)));
		json_object_object_add(object, "node", text(topdown_node_name(bands[i].node)));
		json_object_object_add(object, "of", bands[i].of == BAND_ALL ? NULL :
				       text(topdown_node_name(bands[i].of)));
		json_object_object_add(object, "low", hundredths(bands[i].low));
		json_object_object_add(object, "high", hundredths(bands[i].high));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *figures_of(const struct topdown_figures *figures)
{
	struct json_object *object = json_object_new_object(), *ratio;
	unsigned int i;

	json_object_object_add(object, "slots", number(figures->slots));
	json_object_object_add(object, "cycles", number(figures->cycles));
	json_object_object_add(object, "instructions", number(figures->instructions));
	json_object_object_add(object, "enabled_ns", number(figures->enabled_ns));
	json_object_object_add(object, "running_ns", number(figures->running_ns));
	for (i = 0; i < TOPDOWN_MAX_NODES && topdown_node_name(i); i++) {
		if (!topdown_figures_has(figures, i))
			continue;
		ratio = json_object_new_double(topdown_figures_ratio(figures, i));
		json_object_object_add(object, topdown_node_name(i), ratio);
	}
	return object;
}

static struct json_object *programs_of(const struct verify *verify)
{
	struct json_object *object = json_object_new_object();
	unsigned int i;

	for (i = 0; i < PROGRAMS; i++) {
		if (verify->alone[i].slots)
			json_object_object_add(object, program_name(i),
					       figures_of(&verify->alone[i]));
	}
	return object;
}

static int cannot_write(const char *path, int error)
{
	return message_fail(EXIT_RUNTIME, "cannot write the report to '%s': %s", path,
			    strerror(error));
}

/**
 * verify_report_open - open the report, before anything is measured
 * @verify: run
 * @path: the file; "-" for standard output, to which no lines go then; NULL for no report
 *
 * Return: the exit code.
 */
int verify_report_open(struct verify *verify, const char *path)
{
	verify->text = stdout;
	if (!path)
		return EXIT_OK;
	if (!strcmp(path, "-"))
		verify->text = stderr;
	verify->report = strcmp(path, "-") ? fopen(path, "we") : stdout;
	return verify->report ? EXIT_OK : cannot_write(path, errno);
}

/**
 * verify_report - write the report, and close it
 * @verify: a run that has ended, or could not begin
 * @path: as verify_report_open() has it
 *
 * Return: the exit code.
 */
int verify_report(struct verify *verify, const char *path)
{
	struct json_object *report = json_object_new_object();
	FILE *file = verify->report;
	const char *lines;
	int error = 0;

	json_object_object_add(report, "schema", number(SCHEMA));
	json_object_object_add(report, "command", text(TOPDOWN_VERSION));
	json_object_object_add(report, "machine", machine_of());
	json_object_object_add(report, "refusal", *verify->refusal ? text(verify->refusal) : NULL);
	json_object_object_add(report, "interrupted", json_object_new_boolean(verify->stopped));
	if (!*verify->refusal)
		add_run(report, verify);
	json_object_object_add(report, "right", number(verify->outcomes[OUTCOME_RIGHT]));
	json_object_object_add(report, "off", number(verify->outcomes[OUTCOME_OFF]));
	json_object_object_add(report, "seen", number(verify->outcomes[OUTCOME_SEEN]));
	json_object_object_add(report, "unchecked", number(verify->outcomes[OUTCOME_UNCHECKED]));
	json_object_object_add(report, "lines", json_object_get(verify->lines));
	json_object_object_add(report, "sums", json_object_get(verify->sums));
	json_object_object_add(report, "bands", bands_of(verify));
	json_object_object_add(report, "programs", programs_of(verify));
	lines = json_object_to_json_string_ext(report, JSON_C_TO_STRING_PRETTY);
	if (fprintf(file, "%s\n", lines) < 0)
		error = errno;
	if ((file == stdout ? fflush(file) : fclose(file)) && !error)
		error = errno;
	json_object_put(report);
	return error ? cannot_write(path, error) : EXIT_OK;
}
