// SPDX-License-Identifier: GPL-2.0
/*
 * topdown verify: programs of known character, and what must hold on any CPU.
 */
#include "verify.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "message.h"
#include "options.h"
#include "refusal.h"

#define MS		1000
#define MS_QUICK	150
/* Some rounds, where events take turns. */
#define MS_TURNS	400
#define LINE_MAX_SIZE	320

static const struct check {
	const char *name;
	const char *text;
	void (*run)(struct verify *verify);
} checks[] = {
	{ "programs", "each program has the fractions that it must have", check_programs },
	{ "alive", "every level 1 node follows the programs", check_alive },
	{ "width", "slots over cycles are the width of the core", check_width },
	{ "bytes", "level 1 sums to all slots; how bytes are made", check_bytes },
	{ "windows", "short and long windows agree", check_windows },
	{ "tasks", "a task has what its CPU has", check_tasks },
	{ "points", "points at switches give each task what it has alone", check_points },
	{ "idle", "a CPU that sleeps counts nothing", check_idle },
	{ "falls", "sums only grow, and parts never exceed their whole", check_falls },
	{ "still", "a busy CPU counts all the time", check_still },
	{ "late", "how soon after a reset the bytes are right", check_late },
	{ "paired", "PERF_METRICS beside general events of the same program", check_paired },
	{ "restore", "PERF_METRICS that perf restores, and the module beside it", check_restore },
	{ "back", "the module is back after perf had the counters", check_back },
	{ "costs", "what a reading, a point, a fold and a switch cost here", check_costs },
	{ "perf", "perf's own figures of the same programs", check_perf },
};

#define CHECKS		(sizeof(checks) / sizeof(checks[0]))

static const char * const outcome_name[OUTCOMES] = {
	[OUTCOME_RIGHT]		= "right",
	[OUTCOME_OFF]		= "off",
	[OUTCOME_SEEN]		= "seen",
	[OUTCOME_UNCHECKED]	= "unchecked",
};

struct choice {
	const char *device;
	const char *report;
	const char *execute;
	bool list;
	bool quick;
	bool wanted[CHECKS];
	bool home_given;
	uint64_t home;
	uint64_t memory;
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	stopped = number;
}

/**
 * verify_stopped - was the run interrupted?
 *
 * Return: whether it was; no new measurement begins then.
 */
bool verify_stopped(void)
{
	return stopped;
}

/**
 * verify_why - the text of an error, and what to do
 * @error: errno
 *
 * Return: a text, valid until the next call.
 */
const char *verify_why(int error)
{
	static char text[160];
	const char *advice = "'dmesg' may say more";

	if (error == EACCES || error == EPERM)
		advice = "run it as root";
	else if (error == ENOMEM)
		advice = "give it less with --memory";
	else if (error == ENOENT || error == EINVAL)
		advice = "this kernel or CPU does not have it";
	snprintf(text, sizeof(text), "%s (%s)", strerror(error), advice);
	return text;
}

/**
 * verify_line - print a line, and keep it for the report
 * @verify: run
 * @outcome: what it says
 * @format: as printf()
 */
void verify_line(struct verify *verify, enum outcome outcome, const char *format, ...)
{
	struct json_object *line;
	char text[LINE_MAX_SIZE];
	va_list args;

	/* A measurement that was cut short says nothing. */
	if (stopped)
		return;
	line = json_object_new_object();
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(verify->text, "%-9s %-9s %s\n", outcome_name[outcome], verify->check, text);
	fflush(verify->text);
	verify->outcomes[outcome]++;
	json_object_object_add(line, "check", json_object_new_string(verify->check));
	json_object_object_add(line, "outcome", json_object_new_string(outcome_name[outcome]));
	json_object_object_add(line, "text", json_object_new_string(text));
	json_object_array_add(verify->lines, line);
}

static bool read_only(const struct option_row *row, const char *list, void *field)
{
	bool *wanted = field;
	char *copy = strdup(list), *at = copy, *name;
	bool known = copy;
	unsigned int i;

	memset(wanted, 0, CHECKS * sizeof(*wanted));
	while (known && (name = strsep(&at, ","))) {
		for (i = 0; i < CHECKS && strcmp(name, checks[i].name); i++)
			;
		known = i < CHECKS;
		if (known)
			wanted[i] = true;
		else
			message_error("%s: there is no check '%s' (try 'topdown verify --list')",
				      option_name(row), name);
	}
	free(copy);
	return known;
}

static bool read_memory(const struct option_row *row, const char *text, void *field)
{
	uint64_t *memory = field;

	if (!option_number(row, text, memory))
		return false;
	*memory *= 1024;
	return true;
}

static const char *check_choice(unsigned int i)
{
	return i < CHECKS ? checks[i].name : NULL;
}

static const char *program_choice(unsigned int i)
{
	return i < PROGRAMS ? program_name(i) : NULL;
}

#define AT(at)	.field = offsetof(struct choice, at)
#define GIVEN(at)	.given = offsetof(struct choice, at)

static const struct option_row option_rows[] = {
	{ 0, "list", NULL, "print the checks and the programs", option_flag, AT(list) },
	{ 0, "only", "LIST", "only these checks, such as width,bytes", read_only, AT(wanted),
	  .choice = check_choice },
	{ 0, "quick", NULL, "shorter measurements", option_flag, AT(quick) },
	{ 'o', "output", "FILE",
	  "write a report in JSON; with - to standard output, and the lines\n"
	  "to standard error", option_path, AT(report),
	  .unit = "a path to write to, or -" },
	{ 'C', "cpu", "CPU", "look at this CPU; default: the last one that is measured",
	  option_number, AT(home), 0, VERIFY_CPUS_MAX - 1, "",
	  GIVEN(home_given) },
	{ 0, "memory", "SIZE",
	  "the most that a program may use, in KiB; with less than the caches\n"
	  "have, \"chase\" and \"code\" are off", read_memory, AT(memory), 64, UINT32_MAX, "KiB" },
	{ 0, "execute", "NAME",
	  "only execute this program, until it is killed", option_text, AT(execute),
	  .choice = program_choice },
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown verify [options]\n"
		"\n"
		"Check that the module counts right on this machine: run small programs of known\n"
		"character, and look at what must hold on any CPU. It takes about two minutes, and wants\n"
		"a machine that is idle otherwise. A line says \"right\", \"off\" and by how much, \"seen\" for\n"
		"a figure that nothing is said about, or \"unchecked\" and why.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Exit status: 0 if nothing is off and something was looked at, 4 if something is off,\n"
		"1 if nothing could be checked.\n"
		"\n"
		"Examples:\n"
		"  topdown verify -o report.json\n"
		"  topdown verify --quick --only width,bytes\n",
	.rest = OPTIONS_ALONE,
};

static int print_list(void)
{
	unsigned int i;

	printf("Checks:\n");
	for (i = 0; i < CHECKS; i++)
		printf("  %-10s %s\n", checks[i].name, checks[i].text);
	printf("Programs:\n");
	for (i = 0; i < PROGRAMS; i++)
		printf("  %-10s %s\n", program_name(i), program_text(i));
	return EXIT_OK;
}

static int execute(const struct choice *choice)
{
	enum program program;
	int error;

	if (!program_find(choice->execute, &program))
		return message_fail(EXIT_USAGE, "--execute: there is no program '%s' (try 'topdown verify --list')",
				    choice->execute);
	error = -program_execute(program, choice->memory);
	return message_fail(EXIT_RUNTIME, "--execute: '%s' cannot begin: %s", choice->execute,
			    strerror(error));
}

static bool measured(const struct topdown_record *record)
{
	return record->cpu < VERIFY_CPUS_MAX && record->level &&
	       (record->state == TOPDOWN_STATE_OK || record->state == TOPDOWN_STATE_ASIDE ||
		record->state == TOPDOWN_STATE_CONTENDED);
}

/* The uapi header: 0 and 1 are all the time. */
static unsigned int turns_of(const struct topdown_record *record)
{
	return record->turns ? record->turns : 1;
}

/* Isolated CPUs and those outside of a cpuset are others', unless one is asked for. */
static void may_use(cpu_set_t *may)
{
	unsigned int i;

	if (!sched_getaffinity(0, sizeof(*may), may))
		return;
	for (i = 0; i < CPU_SETSIZE; i++)
		CPU_SET(i, may);
}

/* The CPU asked for, or the last one that we may use; better one that is measured now. */
static const struct topdown_record *find_home(const struct verify *verify,
					      const struct choice *choice, const cpu_set_t *may)
{
	const struct topdown_record *record, *home = NULL;
	unsigned int i;

	for (i = 0; i < topdown_reading_nr(verify->now); i++) {
		record = topdown_reading_record(verify->now, i);
		if (!measured(record) || (choice->home_given ? record->cpu != choice->home :
							       !CPU_ISSET(record->cpu, may)))
			continue;
		if (!home || home->state != TOPDOWN_STATE_OK || record->state == TOPDOWN_STATE_OK)
			home = record;
	}
	return home;
}

/* The CPU to look at, and the others that are measured as it is, the last first. */
static bool find_cpus(struct verify *verify, const struct choice *choice)
{
	const struct topdown_record *record, *home;
	cpu_set_t may;
	unsigned int i;

	may_use(&may);
	home = find_home(verify, choice, &may);
	if (!home) {
		if (choice->home_given)
			snprintf(verify->refusal, sizeof(verify->refusal), "CPU %u is not measured",
				 (unsigned int)choice->home);
		else
			snprintf(verify->refusal, sizeof(verify->refusal),
				 "no CPU that this process may use is measured");
		return message_refuse("%s ('topdown info' says why)", verify->refusal);
	}
	verify->home = home->cpu;
	verify->width = home->slots_per_cycle;
	verify->level = home->level;
	verify->source = home->source;
	verify->turns = turns_of(home);
	if (verify->turns > 1 && verify->ms < MS_TURNS)
		verify->ms = MS_TURNS;
	verify->cpu[verify->nr_cpus++] = home->cpu;
	for (i = topdown_reading_nr(verify->now); i-- > 0;) {
		record = topdown_reading_record(verify->now, i);
		if (record != home && measured(record) && CPU_ISSET(record->cpu, &may) &&
		    record->source == home->source && record->kind == home->kind &&
		    verify->nr_cpus < VERIFY_CPUS_MAX)
			verify->cpu[verify->nr_cpus++] = record->cpu;
	}
	return true;
}

static void run_checks(struct verify *verify, const struct choice *choice)
{
	unsigned int i;

	for (i = 0; i < CHECKS && !stopped; i++) {
		if (!choice->wanted[i])
			continue;
		verify->check = checks[i].name;
		checks[i].run(verify);
	}
}

static void add_cpu(uint64_t *words, unsigned int cpu)
{
	words[cpu / 64] |= 1ULL << cpu % 64;
}

/* A fresh reading interrupts all its CPUs that are busy, so it has those that are looked at. */
static int narrow_readings(struct verify *verify)
{
	uint64_t words[TOPDOWN_CPUS_WORDS_MAX] = { 0 };
	unsigned int i, sibling;
	int error;

	for (i = 0; i < verify->nr_cpus && i < TOGETHER_MAX; i++)
		add_cpu(words, verify->cpu[i]);
	if (verify_sibling(verify, verify->home, &sibling))
		add_cpu(words, sibling);
	topdown_reading_destroy(verify->then);
	topdown_reading_destroy(verify->now);
	verify->then = NULL;
	verify->now = NULL;
	error = topdown_reading_create(&verify->then, verify->td, words, VERIFY_CPUS_MAX / 64);
	if (!error)
		error = topdown_reading_create(&verify->now, verify->td, words,
					       VERIFY_CPUS_MAX / 64);
	return error;
}

static int write_report(struct verify *verify, const struct choice *choice)
{
	int ret;

	if (!choice->report)
		return EXIT_OK;
	verify->stopped = stopped;
	ret = verify_report(verify, choice->report);
	if (!ret && strcmp(choice->report, "-"))
		printf("The report has the CPU's model and microcode, the kernel's release, the size of the\n"
		       "memory, the lines above and the counts of these programs, and no name of a person,\n"
		       "a host or a program of yours. Send it, right or off, where the package or the\n"
		       "sources come from: as an issue of that project, with the report attached.\n");
	return ret;
}

static int conclude(struct verify *verify, const struct choice *choice)
{
	int ret;

	fprintf(verify->text, "%u right, %u off, %u seen, %u unchecked\n",
		verify->outcomes[OUTCOME_RIGHT], verify->outcomes[OUTCOME_OFF],
		verify->outcomes[OUTCOME_SEEN], verify->outcomes[OUTCOME_UNCHECKED]);
	ret = write_report(verify, choice);
	if (stopped)
		return EXIT_SIGNAL + stopped;
	if (!ret && verify->outcomes[OUTCOME_OFF])
		ret = EXIT_PARTIAL;
	if (!ret && verify->outcomes[OUTCOME_UNCHECKED] && !verify->outcomes[OUTCOME_RIGHT] &&
	    !verify->outcomes[OUTCOME_SEEN])
		ret = message_fail(EXIT_RUNTIME, "nothing could be checked: each line says why");
	return ret;
}

static int refuse(struct verify *verify, const char *what, int error)
{
	snprintf(verify->refusal, sizeof(verify->refusal), "%s: %s", what, strerror(error));
	return error;
}

/* All that can fail before something is measured. */
static int prepare(struct verify *verify, const struct choice *choice)
{
	int error = topdown_open(&verify->td, choice->device);

	if (error)
		return refusal_open(choice->device,
				    refuse(verify, "cannot open the device", -error));
	error = topdown_reading_create(&verify->then, verify->td, NULL, 0);
	if (!error)
		error = topdown_reading_create(&verify->now, verify->td, NULL, 0);
	if (!error)
		error = topdown_reading_update(verify->now, TOPDOWN_READ_FRESH);
	if (!error && !find_cpus(verify, choice))
		return EXIT_DEVICE;
	if (!error)
		error = narrow_readings(verify);
	if (error)
		return refusal_read(choice->device,
				    refuse(verify, "cannot read the CPUs", -error));
	return EXIT_OK;
}

static int measure(struct verify *verify, const struct choice *choice)
{
	const struct sigaction action = { .sa_handler = stop };

	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* Short windows are as short as was asked for. */
	prctl(PR_SET_TIMERSLACK, 1);
	fprintf(verify->text, "CPU %u: %s, %s, level %u, %u slots a cycle\n", verify->home,
		topdown_info_get(verify->td)->out_codename, topdown_source_name(verify->source),
		verify->level, verify->width);
	verify_unpin(verify);
	run_checks(verify, choice);
	return conclude(verify, choice);
}

static int run(const struct choice *choice)
{
	struct verify verify = {
		.device = choice->device,
		.ms = choice->quick ? MS_QUICK : MS,
		.memory = choice->memory,
		.lines = json_object_new_array(),
		.sums = json_object_new_object(),
	};
	int ret = verify_report_open(&verify, choice->report), error;

	if (!ret) {
		error = prepare(&verify, choice);
		/* A machine that cannot be measured is reported, too. */
		ret = error ? write_report(&verify, choice) : measure(&verify, choice);
		ret = ret ? ret : error;
	}
	topdown_reading_destroy(verify.now);
	topdown_reading_destroy(verify.then);
	topdown_close(verify.td);
	json_object_put(verify.sums);
	json_object_put(verify.lines);
	return ret;
}

/**
 * verify_main - topdown verify
 * @argc: number of words
 * @argv: words
 *
 * Return: the exit code.
 */
int verify_main(int argc, char **argv)
{
	struct choice choice = { .device = TOPDOWN_DEVICE, .memory = PROGRAM_NO_LIMIT };
	bool done;
	int ret;

	memset(choice.wanted, 1, sizeof(choice.wanted));
	ret = options_parse(&table, argc, argv, &choice, &done);
	if (ret || done)
		return ret;
#ifndef __x86_64__
	return message_fail(EXIT_RUNTIME, "verify: its programs are for x86-64");
#endif
	if (choice.list)
		return print_list();
	return choice.execute ? execute(&choice) : run(&choice);
}
