// SPDX-License-Identifier: GPL-2.0
/*
 * Measure what a command needs that prints a value every 100 ms: the delay to the first
 * value, the processes, the bytes that they write, and instructions.  The program spins on all
 * CPUs but one, where an event happens once in EVENT_CYCLES cycles, and the command runs
 * on that one.
 *
 *   interval CONFIG MS
 *   interval CONFIG VALUES PATTERN COMMAND ARG...
 *
 * PATTERN is an extended regular expression.  A line of the command that matches is a value,
 * which is what the expression's last group matches.  After so many the command and what it
 * has started get SIGINT.  With MS there is no command, for what the machine does alone.
 *
 * Prints a line "at=NS instructions=N value=X" for each value, and one line of sums.
 * Instructions are those of all CPUs without the spinning's own, and times begin with
 * the command.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* Instructions of one turn of spin(): the inner loop's and three more. */
#define INNER		1000
#define TURN		(2 * INNER + 3)
#define EVENT_CYCLES	1000
#define VALUES_MAX	1000
#define GROUPS_MAX	4
/* A command that is silent for so long has no more values. */
#define SILENCE_MS	60000

struct shared {
	uint32_t ready;
	uint64_t turns[TD_CPUS_MAX];
};

struct value {
	uint64_t time_ns;
	uint64_t instructions;
	char text[32];
};

static struct shared *shared;
static struct value values[VALUES_MAX];

static _Noreturn void spin(uint64_t *turns)
{
	asm volatile("1:	movl %[inner], %%ecx\n"
		     "2:	decl %%ecx\n"
		     "	jnz 2b\n"
		     "	incq %[turns]\n"
		     "	jmp 1b\n"
		     : [turns] "+m" (*turns)
		     : [inner] "i" (INNER)
		     : "ecx", "memory", "cc");
	__builtin_unreachable();
}

static void spinner(unsigned int cpu, uint64_t event)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(cpu))
		die("cannot run on CPU %u: %s", cpu, strerror(errno));
	if (!backdoor_set_rate(event, TD_BD_FRACTION / EVENT_CYCLES))
		die("event %#" PRIx64 " cannot happen", event);
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
	spin(&shared->turns[cpu]);
}

/* Their ids are in @pid. */
static void start_spinners(unsigned int nr, uint64_t event, pid_t *pid)
{
	unsigned int cpu;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || cpu_pin(HOME_CPU))
		die("no memory, or no CPU %d", HOME_CPU);
	for (cpu = 0; cpu < nr; cpu++) {
		if (cpu == HOME_CPU)
			continue;
		pid[cpu] = fork();
		if (!pid[cpu])
			spinner(cpu, event);
	}
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < nr - 1)
		sleep_ms(1);
}

/* Without what the spinners executed themselves. */
static void moment(unsigned int nr, struct value *value)
{
	struct td_bd_truth truth;
	unsigned int cpu;

	value->instructions = 0;
	for (cpu = 0; cpu < nr; cpu++) {
		if (!backdoor_truth_cpu(cpu, &truth))
			die("no truth about CPU %u", cpu);
		value->instructions += truth.instructions - shared->turns[cpu] * TURN;
		value->time_ns = truth.time_ns;
	}
}

/* A line of a file of /proc that begins with @key. */
static uint64_t number_of(const char *path, const char *key)
{
	uint64_t number = 0;
	char line[8192];
	FILE *file;

	file = fopen(path, "r");
	if (!file)
		die("cannot open %s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, key, strlen(key)))
			number = strtoull(line + strlen(key), NULL, 10);
	}
	fclose(file);
	return number;
}

/* Threads count, too. */
static uint64_t started(void)
{
	return number_of("/proc/stat", "processes ");
}

/* Bytes that this program has written, and all that it has waited for. */
static uint64_t written(void)
{
	return number_of("/proc/self/io", "wchar: ");
}

static pid_t start(char **command, int *from)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		die("no pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (!pid) {
		setpgid(0, 0);
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execvp(command[0], command);
		die("cannot run %s: %s", command[0], strerror(errno));
	}
	setpgid(pid, pid);
	close(ends[1]);
	*from = ends[0];
	return pid;
}

/* Whether there is something to read, or the end, within @ms. */
static bool comes(int from, int ms)
{
	struct pollfd fd = { .fd = from, .events = POLLIN };

	return poll(&fd, 1, ms) > 0;
}

/* One line without its end; false at the end of the output. */
static bool read_line(int from, char *line, size_t size)
{
	size_t length = 0;
	char c;

	/* By characters, so that what is counted does not depend on what comes next. */
	while (comes(from, SILENCE_MS) && read(from, &c, 1) == 1) {
		if (c == '\n') {
			line[length] = 0;
			return true;
		}
		if (length < size - 1)
			line[length++] = c;
	}
	return false;
}

static bool match(const regex_t *pattern, const char *line, char *text, size_t size)
{
	regmatch_t group[GROUPS_MAX];
	size_t last = pattern->re_nsub;

	if (regexec(pattern, line, GROUPS_MAX, group, 0))
		return false;
	snprintf(text, size, "%.*s", (int)(group[last].rm_eo - group[last].rm_so),
		 line + group[last].rm_so);
	return true;
}

static unsigned int take_values(int from, const regex_t *pattern, unsigned int want,
				unsigned int nr)
{
	unsigned int got = 0;
	char line[4096];

	while (got < want && read_line(from, line, sizeof(line))) {
		moment(nr, &values[got]);
		if (match(pattern, line, values[got].text, sizeof(values[got].text)))
			got++;
		else
			fprintf(stderr, "no value: %s\n", line);
	}
	return got;
}

/* The command's own processes and those that these have left behind. */
static void stop(pid_t pid, int from, pid_t *spinners, unsigned int nr)
{
	char rest[4096];
	unsigned int cpu;

	kill(-pid, SIGINT);
	while (comes(from, SILENCE_MS) && read(from, rest, sizeof(rest)) > 0)
		;
	kill(-pid, SIGTERM);
	for (cpu = 0; cpu < nr; cpu++) {
		if (cpu != HOME_CPU)
			kill(spinners[cpu], SIGKILL);
	}
	while (wait(NULL) > 0)
		;
}

static void compile(regex_t *pattern, const char *text)
{
	if (regcomp(pattern, text, REG_EXTENDED) || !pattern->re_nsub ||
	    pattern->re_nsub >= GROUPS_MAX)
		die("%s: not an expression with 1 to %d groups", text, GROUPS_MAX - 1);
}

static void run(char **argv, unsigned int want, unsigned int nr, pid_t *spinners)
{
	uint64_t processes, bytes;
	struct value zero;
	regex_t pattern;
	unsigned int i, got;
	pid_t pid;
	int from;

	compile(&pattern, argv[0]);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	processes = started();
	bytes = written();
	moment(nr, &zero);
	pid = start(argv + 1, &from);
	got = take_values(from, &pattern, want, nr);
	stop(pid, from, spinners, nr);
	processes = started() - processes;
	bytes = written() - bytes;
	for (i = 0; i < got; i++)
		printf("time_ns=%" PRIu64 " at=%" PRIu64 " instructions=%" PRIu64 " value=%s\n",
		       values[i].time_ns, values[i].time_ns - zero.time_ns,
		       values[i].instructions - zero.instructions, values[i].text);
	printf("values=%u processes=%" PRIu64 " bytes=%" PRIu64 "\n", got, processes, bytes);
}

static void alone(unsigned int ms, unsigned int nr)
{
	struct value then, now;

	moment(nr, &then);
	sleep_ms(ms);
	moment(nr, &now);
	printf("at=%" PRIu64 " instructions=%" PRIu64 "\n", now.time_ns - then.time_ns,
	       now.instructions - then.instructions);
}

int main(int argc, char **argv)
{
	pid_t spinners[TD_CPUS_MAX];
	unsigned int nr, number;

	if (argc != 3 && argc < 5)
		die("usage: interval CONFIG MS | CONFIG VALUES PATTERN COMMAND ARG...");
	number = strtoul(argv[2], NULL, 10);
	nr = sysconf(_SC_NPROCESSORS_CONF);
	if (nr < 2 || nr > TD_CPUS_MAX)
		die("%u CPUs are too few or too many", nr);
	if (!backdoor_open())
		die("this is not the emulated PMU, or not root");
	start_spinners(nr, strtoull(argv[1], NULL, 0), spinners);
	if (argc == 3)
		alone(number, nr);
	else if (number < 2 || number > VALUES_MAX)
		die("2 to %d values", VALUES_MAX);
	else
		run(argv + 3, number, nr, spinners);
	return 0;
}
