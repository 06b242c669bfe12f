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

#include "known.h"
#include "idlist.h"
#include "message.h"
#include "options.h"
#include "parse.h"
#include "shell.h"

#define PMU		"/sys/bus/event_source/devices/topdown"
#define RATIOS		" | topdown perf --ratios\n"
#define SECONDS		" -- sleep 10"
/* A sample each millisecond: shorter than what 8 bits of PERF_METRICS resolve is no use. */
#define SAMPLE		"perf record -c 1000000 -e "

#define SCRIPT		"perf script -i perf.data"

enum {
	OPT_RATIOS = 256,
};

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "pid", required_argument, NULL, 'p' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "level", required_argument, NULL, 'l' },
	{ "ratios", no_argument, NULL, OPT_RATIOS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const char usage[] =
	"Usage: topdown perf [options] [[--] COMMAND [ARG]...]\n"
	"       perf ... | topdown perf --ratios\n"
	"\n"
	"Print command lines of perf for this machine, which count and sample the events of the\n"
	"PMU topdown; or turn the counts that perf prints into ratios. Any number of users of\n"
	"these events count all the time. Without a subject there are lines for each kind, with\n"
	"words in capitals to be replaced.\n"
	"\n"
	"  -a, --all-cpus       only lines for all CPUs\n"
	"  -p, --pid LIST       only lines for these processes, such as 1234,5678\n"
	"  -G, --cgroup NAME    only lines for this cgroup\n"
	"  -l, --level N        1 or 2; default: all\n"
	"      --ratios         read what \"perf stat -x,\" or \"perf script\" prints\n"
	"  -h, --help           print this\n"
	"\n"
	"Examples:\n"
	"  topdown perf                     all lines\n"
	"  topdown perf -- make -j8         those that measure a command\n"
	"  sh -c \"$(topdown perf -p 1234)\"  run those that measure a process\n";

/* The lines measure this. */
struct subject {
	bool all_cpus;
	const char *cgroup;
	struct idlist pids;
	char **argv;
	uint64_t level;
	bool ratios;
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

	printf("'{%stopdown/slots/", leader);
	for (node = 0; node < TD_NR_NODES; node++) {
		const char *name = topdown_node_name(node);

		if (topdown_node_level(node) <= subject->level && has_event(name))
			printf(",topdown/%s/", name);
	}
	fputs(*leader ? "}:S'" : "}'", stdout);
}

static void put_command(const struct subject *subject)
{
	char **word;

	fputs(" --", stdout);
	if (!subject->argv)
		fputs(" COMMAND", stdout);
	for (word = subject->argv; word && *word; word++) {
		putchar(' ');
		shell_word(stdout, *word);
	}
}

static void put_pids(const struct subject *subject)
{
	if (subject->pids.nr)
		shell_ids(stdout, " -p ", &subject->pids);
	else
		fputs(" -p PID", stdout);
}

static void put_stat(const struct subject *subject, const char *options)
{
	printf("perf stat -x, %s-e ", options);
	put_events(subject, "");
}

/* Where standard input is a pipe, perf would read it instead of the file. */
static void put_functions(void)
{
	puts(SCRIPT " -F event,period,ip,sym" RATIOS);
}

/* The figures do not go where the command writes. */
static void put_command_lines(const struct subject *subject)
{
	puts("# A command and what it starts");
	put_stat(subject, "--log-fd 3 ");
	put_command(subject);
	fputs(" 3>&1 >&2" RATIOS "\n", stdout);
	puts("# Its functions");
	fputs(SAMPLE, stdout);
	put_events(subject, "cpu-clock:u,");
	put_command(subject);
	putchar('\n');
	put_functions();
}

static void put_pid_lines(const struct subject *subject)
{
	puts("# Processes, for 10 s");
	put_stat(subject, "");
	put_pids(subject);
	fputs(SECONDS " 2>&1" RATIOS "\n", stdout);
	puts("# Their functions");
	fputs(SAMPLE, stdout);
	put_events(subject, "cpu-clock:u,");
	put_pids(subject);
	puts(SECONDS);
	put_functions();
}

static void put_cpu_lines(const struct subject *subject)
{
	puts("# Each CPU, every second, for 10 s");
	put_stat(subject, "-a -A -I 1000 ");
	fputs(SECONDS " 2>&1" RATIOS "\n", stdout);
	puts("# Windows as they end, from the tracepoint");
	puts("perf record -a -e 'topdown*:topdown_window'" SECONDS);
	puts(SCRIPT "\n");
}

/* A cgroup without a controller is not known to perf. */
static void put_cgroup_lines(const struct subject *subject)
{
	puts("# A cgroup, for 10 s");
	put_stat(subject, "-a ");
	fputs(" --for-each-cgroup ", stdout);
	shell_word(stdout, subject->cgroup ? subject->cgroup : "NAME");
	fputs(SECONDS " 2>&1" RATIOS "\n", stdout);
}

static int put_lines(const struct subject *subject)
{
	bool all = !has_subject(subject);

	if (access(PMU, F_OK)) {
		message_error("there is no PMU topdown: %s: %s (the module topdown is not loaded, or is older than this command)",
			      PMU, strerror(errno));
		return EXIT_DEVICE;
	}
	if (all || subject->argv)
		put_command_lines(subject);
	if (all || subject->pids.nr)
		put_pid_lines(subject);
	if (all || subject->all_cpus)
		put_cpu_lines(subject);
	if (all || subject->cgroup)
		put_cgroup_lines(subject);
	return options_help("");
}

static bool parse_option(struct subject *subject, int option)
{
	switch (option) {
	case 'a':
		subject->all_cpus = true;
		return true;
	case 'p':
		return idlist_join(&subject->pids, "-p", "processes", optarg);
	case 'G':
		subject->cgroup = optarg;
		if (*optarg)
			return true;
		message_error("-G: the name is empty (allowed: the path of a cgroup below the root)");
		return false;
	case 'l':
		return parse_number("-l", optarg, 1, 2, "levels", &subject->level);
	case OPT_RATIOS:
		subject->ratios = true;
		return true;
	}
	return false;
}

/* Ctrl-C is for perf, whose last counts come after it. */
static int print_ratios(void)
{
	if (!isatty(STDIN_FILENO))
		signal(SIGINT, SIG_IGN);
	return perf_ratios(stdin, stdout);
}

int perf_main(int argc, char **argv)
{
	static struct subject subject;
	int option, at = 1;

	subject.level = 2;
	while ((option = options_next(argc, argv, "+:ap:G:l:h", long_options)) != -1) {
		at = optind;
		if (option == 'h')
			return options_help(usage);
		if (option == OPTIONS_ERROR || !parse_option(&subject, option))
			return EXIT_USAGE;
	}
	if (optind < argc) {
		subject.argv = argv + optind;
	} else if (optind > at) {
		/* getopt went past "--", and a variable was empty perhaps. */
		message_error("'--' without a command (allowed: -- COMMAND [ARG...])");
		return EXIT_USAGE;
	}
	if (subject.ratios && has_subject(&subject)) {
		message_error("--ratios reads what perf prints and takes no subject (try 'topdown perf --help')");
		return EXIT_USAGE;
	}
	return subject.ratios ? print_ratios() : put_lines(&subject);
}
