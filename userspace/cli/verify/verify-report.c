// SPDX-License-Identifier: GPL-2.0
/*
 * The report of a run, as one JSON object.  It names the CPU, the kernel's release and the
 * module, and no person, host, file or program of this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "message.h"
#include "verify.h"

#define SCHEMA		1

static struct json_object *text(const char *value)
{
	return json_object_new_string(value);
}

static struct json_object *number(int64_t value)
{
	return json_object_new_int64(value);
}

static struct json_object *machine_of(const struct verify *verify)
{
	const struct topdown_info *info = topdown_info_get(verify->td);
	struct json_object *machine = json_object_new_object();
	struct utsname system;

	json_object_object_add(machine, "vendor", text(info->out_cpu_vendor));
	json_object_object_add(machine, "family", number(info->out_cpu_family));
	json_object_object_add(machine, "model", number(info->out_cpu_model));
	json_object_object_add(machine, "stepping", number(info->out_cpu_stepping));
	json_object_object_add(machine, "cpu_name", text(info->out_cpu_name));
	json_object_object_add(machine, "codename", text(info->out_codename));
	json_object_object_add(machine, "cpus", number(info->out_nr_cpus));
	json_object_object_add(machine, "module", text(info->out_version));
	json_object_object_add(machine, "command", text(TOPDOWN_VERSION));
	if (!uname(&system))
		json_object_object_add(machine, "kernel", text(system.release));
	return machine;
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
	message_error("cannot write the report to '%s': %s", path, strerror(error));
	return EXIT_RUNTIME;
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
 * @verify: a run that has ended
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
	json_object_object_add(report, "machine", machine_of(verify));
	json_object_object_add(report, "cpu", number(verify->home));
	json_object_object_add(report, "source", text(topdown_source_name(verify->source)));
	json_object_object_add(report, "level", number(verify->level));
	json_object_object_add(report, "width", number(verify->width));
	json_object_object_add(report, "ms", number(verify->ms));
	json_object_object_add(report, "right", number(verify->outcomes[OUTCOME_RIGHT]));
	json_object_object_add(report, "off", number(verify->outcomes[OUTCOME_OFF]));
	json_object_object_add(report, "unchecked", number(verify->outcomes[OUTCOME_UNCHECKED]));
	json_object_object_add(report, "lines", json_object_get(verify->lines));
	json_object_object_add(report, "programs", programs_of(verify));
	lines = json_object_to_json_string_ext(report, JSON_C_TO_STRING_PRETTY);
	if (fprintf(file, "%s\n", lines) < 0)
		error = errno;
	if ((file == stdout ? fflush(file) : fclose(file)) && !error)
		error = errno;
	json_object_put(report);
	return error ? cannot_write(path, error) : EXIT_OK;
}
