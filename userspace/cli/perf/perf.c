// SPDX-License-Identifier: GPL-2.0
/*
 * topdown perf: command lines of perf with the events of the PMU topdown.
 *
 * Each line is as perf 6.1 and newer ones take it.  Newer ones move events of other PMUs out
 * of the group of a hardware event, so a software event leads groups that sample.  perf 6.1
 * takes "topdown:" for the beginning of an event of the CPU, so the tracepoint has a star.
 */
#include "perf.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>
#include <unistd.h>

#include "command.h"
#include "known.h"
#include "idlist.h"
#include "message.h"
#include "options.h"
#include "rights.h"
#include "shell.h"

#define PMU		"/sys/bus/event_source/devices/topdown"
#define RATIOS		" | topdown perf --ratios\n"
#define SECONDS		" -- sleep 10"
/* A sample each millisecond: shorter than what 8 bits of PERF_METRICS resolve is no use. */
#define SAMPLE		"perf record -o perf.data -c 1000000 -e "

#define SCRIPT		"perf script -i perf.data"

/* A longer one where the whole machine is sampled. */
#define SAMPLE_CPUS	"perf record -o perf.data -a -c 10000000 -e "

/* Where lines go: standard output, or a text that a shell runs. */
static FILE *out;

/* The lines measure this. */
struct subject {
	bool all_cpus;
	const char *cgroup;
	struct idlist pids;
	char **argv;
	uint64_t level;
	bool ratios;
	bool run;
	const char *by;
	const char *folded;
};

static bool has_subject(const struct subject *subject)
{
	return subject->all_cpus || subject->cgroup || subject->pids.nr || subject->argv;
}

/* An event that no CPU has is not there. */
static bool has_event(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), PMU "/events/%s", name);
	return !access(path, F_OK);
}

/* A group, with a leader that samples or without, as a shell takes it. */
static void put_events(const struct subject *subject, const char *leader)
{
	unsigned int node;

	fprintf(out, "'{%stopdown/slots/", leader);
	for (node = 0; node < TD_NR_NODES; node++) {
		const char *name = topdown_node_name(node);

		if (topdown_node_level(node) <= subject->level && has_event(name))
			fprintf(out, ",topdown/%s/", name);
	}
	fputs(*leader ? "}:S'" : "}'", out);
}

static void put_command(const struct subject *subject)
{
	char **word;

	fputs(" --", out);
	if (!subject->argv)
		fputs(" COMMAND", out);
	for (word = subject->argv; word && *word; word++) {
		putc(' ', out);
		shell_word(out, *word);
	}
}

static void put_pids(const struct subject *subject)
{
	if (subject->pids.nr)
		shell_ids(out, " -p ", &subject->pids);
	else
		fputs(" -p PID", out);
}

static void put_stat(const struct subject *subject, const char *options)
{
	fprintf(out, "perf stat -x, %s-e ", options);
	put_events(subject, "");
}

/* Where standard input is a pipe, perf would read it instead of the file. */
static void put_functions(void)
{
	fputs(SCRIPT " -F event,period,ip,sym" RATIOS "\n", out);
}

/* The figures do not go where the command writes. */
static void put_command_lines(const struct subject *subject)
{
	fputs("# A command and what it starts\n", out);
	put_stat(subject, "--log-fd 3 ");
	put_command(subject);
	fputs(" 3>&1 >&2" RATIOS "\n", out);
	fputs("# Its functions\n", out);
	fputs(SAMPLE, out);
	put_events(subject, "cpu-clock,");
	put_command(subject);
	putc('\n', out);
	put_functions();
}

static void put_pid_lines(const struct subject *subject)
{
	fputs("# Processes, for 10 s\n", out);
	put_stat(subject, "");
	put_pids(subject);
	fputs(SECONDS " 2>&1" RATIOS "\n", out);
	fputs("# Their functions\n", out);
	fputs(SAMPLE, out);
	put_events(subject, "cpu-clock,");
	put_pids(subject);
	fputs(SECONDS "\n", out);
	put_functions();
}

static void put_cpu_lines(const struct subject *subject)
{
	fputs("# Each CPU, every second, for 10 s\n", out);
	put_stat(subject, "-a -A -I 1000 ");
	fputs(SECONDS " 2>&1" RATIOS "\n", out);
	fputs("# Which processes have the slots\n" SAMPLE_CPUS, out);
	put_events(subject, "cpu-clock,");
	fputs(SECONDS "\n", out);
	fputs(SCRIPT " -F comm,pid,event,period | topdown perf --ratios --by comm\n", out);
	if (subject->run)
		return;
	fputs("# Windows as they end, from the tracepoint\n", out);
	fputs("perf record -a -e 'topdown*:topdown_window'" SECONDS "\n", out);
	fputs(SCRIPT "\n\n", out);
}

/* A cgroup without a controller is not known to perf. */
static void put_cgroup_lines(const struct subject *subject)
{
	fputs("# A cgroup, for 10 s\n", out);
	put_stat(subject, "-a ");
	fputs(" --for-each-cgroup ", out);
	shell_word(out, subject->cgroup ? subject->cgroup : "CGROUP");
	fputs(SECONDS " 2>&1" RATIOS "\n", out);
}

static void put_lines(const struct subject *subject)
{
	bool all = !has_subject(subject);

	if (all || subject->argv)
		put_command_lines(subject);
	if (all || subject->pids.nr)
		put_pid_lines(subject);
	if (all || subject->all_cpus)
		put_cpu_lines(subject);
	if (all || subject->cgroup)
		put_cgroup_lines(subject);
}

/* perf counts the kernel too: of tasks up to 1 of the sysctl, of whole CPUs up to 0. */
static int paranoid_allowed(const struct subject *subject)
{
	return !subject->all_cpus && !subject->cgroup;
}

static bool may_count(const struct subject *subject)
{
	int value;

	return rights_perfmon() || !rights_paranoid(&value) || value <= paranoid_allowed(subject);
}

/* perf itself may have more rights than this process, by capabilities of its file. */
static int perf_trial(const struct subject *subject)
{
	return system(subject->all_cpus || subject->cgroup ?
		      "perf stat -a -e topdown/slots/ -- true > /dev/null 2>&1" :
		      "perf stat -e topdown/slots/ -- true > /dev/null 2>&1");
}

/* Else each line of perf's would say it, and each line after it that nothing was measured. */
static int refuse_run(const struct subject *subject)
{
	int value = 0;

	rights_paranoid(&value);
	message_error("--run: perf needs CAP_PERFMON to count %s (this process lacks it), or kernel.perf_event_paranoid at %d or less (it is %d); %s",
		      paranoid_allowed(subject) ? "tasks" : "whole CPUs",
		      paranoid_allowed(subject), value,
		      subject->argv && paranoid_allowed(subject) > 0 ?
		      "'topdown stat -- COMMAND' needs no such right" :
		      "'topdown info' says what you may see");
	return EXIT_DEVICE;
}

/* Does perf count there?  It may have rights that this process lacks. */
static int check_run(const struct subject *subject)
{
	if (!subject->run)
		return 0;
	if (system("command -v perf > /dev/null 2>&1"))
		return message_fail(EXIT_DEVICE, "--run: there is no program perf in PATH");
	return may_count(subject) || !perf_trial(subject) ? 0 : refuse_run(subject);
}

/* The lines use pipes and descriptors, so a shell runs them. */
static int run_lines(const struct subject *subject)
{
	char *text = NULL;
	size_t size;

	out = open_memstream(&text, &size);
	if (out) {
		put_lines(subject);
		if (fclose(out))
			text = NULL;
	}
	if (text)
		execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	message_error("--run: cannot run the lines: %s", strerror(errno));
	free(text);
	return EXIT_RUNTIME;
}

static int lines(const struct subject *subject)
{
	int ret;

	if (access(PMU, F_OK))
		return message_fail(EXIT_DEVICE, "there is no PMU topdown: %s: %s (the module topdown is not loaded, or is older than this command)",
				    PMU, strerror(errno));
	ret = check_run(subject);
	if (ret)
		return ret;
	if (subject->run)
		return run_lines(subject);
	out = stdout;
	put_lines(subject);
	return options_help("");
}

static bool read_by(const struct option_row *row, const char *text, void *field)
{
	*(const char **)field = text;
	if (!strcmp(text, "comm") || !strcmp(text, "pid") || !strcmp(text, "sym"))
		return true;
	return message_refuse("%s: '%s' is no kind of block (allowed: comm, pid, sym)",
			      option_name(row), text);
}

static bool read_folded(const struct option_row *row, const char *text, void *field)
{
	*(const char **)field = text;
	if (perf_event_is_known(text))
		return true;
	return message_refuse("%s: '%s' is no node (allowed: slots, or a name such as tma_memory_bound)",
			      option_name(row), text);
}

#define AT(at)	.field = offsetof(struct subject, at)

static const struct option_row option_rows[] = {
	{ 'a', "all-cpus", NULL, "only lines for all CPUs", option_flag, AT(all_cpus) },
	{ 'p', "pid", "LIST", "only lines for these processes, such as 1234,5678",
	  option_ids, AT(pids), .unit = "processes" },
	{ 'G', "cgroup", "CGROUP", "only lines for this cgroup",
	  option_path, AT(cgroup),
	  .words = "name", .unit = "the path of a cgroup below the root" },
	{ 'l', "level", "N", "1 or 2; default: all",
	  option_number, AT(level), 1, 2, "levels", .words = "1, 2" },
	{ 0, "run", NULL, "run the lines instead of printing them", option_flag, AT(run) },
	{ 0, "ratios", NULL,
	  "read what \"perf stat -x,\" or \"perf script\" prints", option_flag, AT(ratios) },
	{ 0, "by", "KIND",
	  "of samples: a block for each comm, pid or sym; default sym", read_by, AT(by),
	  .words = "comm, pid, sym" },
	{ 0, "folded", "NODE", "print the stacks of samples for a flame graph of the slots of a\n"
	  "node, or of all with slots", read_folded, AT(folded),
	  .words = "slots", .choice = topdown_node_name },
	{ 'h', "help", NULL, "print this", .print = options_usage },
};

static const struct option_table table = {
	.usage =
		"Usage: topdown perf [options] [[--] COMMAND [ARG]...]\n"
		"       perf ... | topdown perf --ratios [--by comm|pid|sym]\n"
		"       perf script -F comm,pid,event,period,ip,sym | topdown perf --folded NODE\n"
		"\n"
		"Print command lines of perf for this machine, which count and sample the events of the\n"
		"PMU topdown; or turn the counts that perf prints into ratios. Any number of users of\n"
		"these events count all the time. Without a subject there are lines for each kind, with\n"
		"words in capitals to be replaced.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown perf                     all lines\n"
		"  topdown perf -- make -j8         those that measure a command\n"
		"  topdown perf --run -p 1234       run those that measure a process\n"
		"  topdown perf --run -a            all CPUs, and which processes had the slots\n",
	.rest = OPTIONS_COMMAND,
	.command = offsetof(struct subject, argv),
};

static bool check_together(const struct subject *subject)
{
	bool reads = subject->ratios || subject->folded;

	if (reads && has_subject(subject))
		return message_refuse("--ratios and --folded read what perf prints and take no subject (try 'topdown perf --help')");
	if (reads && subject->run)
		return message_refuse("--ratios and --folded read what perf prints (allowed: without --run)");
	if (subject->ratios && subject->folded)
		return message_refuse("--ratios and --folded exclude each other (allowed: one of them)");
	if (subject->by && !subject->ratios)
		return message_refuse("--by is about the blocks of --ratios (add --ratios)");
	if (subject->run && !has_subject(subject))
		return message_refuse("--run needs a subject (allowed: with -a, -p, -G or a COMMAND)");
	return true;
}

/* Ctrl-C is for perf, whose last counts come after it. */
static int print_ratios(const struct subject *subject)
{
	if (!isatty(STDIN_FILENO))
		signal(SIGINT, SIG_IGN);
	return subject->folded ? perf_folded(stdin, stdout, subject->folded) :
				 perf_ratios(stdin, stdout, subject->by);
}

int perf_main(int argc, char **argv)
{
	static struct subject subject;
	bool done;
	int ret;

	subject.level = 2;
	ret = options_parse(&table, argc, argv, &subject, &done);
	if (ret || done)
		return ret;
	if (!check_together(&subject))
		return EXIT_USAGE;
	if (subject.ratios || subject.folded)
		return print_ratios(&subject);
	ret = lines(&subject);
	/* Only --run would have started the command. */
	return command_failure(subject.run ? subject.argv : NULL, ret);
}
