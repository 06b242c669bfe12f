// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that are measured with ordinary counters.  The emulator has event rates whose
 * results the published formulas give.  CPUs and a task have to have these results, by
 * the ioctls, by "topdown stat -j" and by perf's events.  It must not matter whether
 * somebody has a counter for good, as the NMI watchdog, or how many threads a core has.
 *
 * TOPDOWN_SPAN_MS     length of a measurement (1500)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest.h"
#include "fact.h"
#include "perf.h"
#include "source_rows.h"
#include "source_setup.h"
#include "source_stat.h"

/* One percentage point. */
#define LIMIT		0.01
/* The limit for a count.  Other code that the CPU executes in the span has other rates. */
#define LIMIT_EVENTS	0.05
#define CONFIG_SLOTS	0x400
#define TRIES		3
#define PERIOD		"period_ms=200"

/* Every group shall have had a turn that is the worker's. */
#define TURNS_MS	500
/* The groups are made again, perhaps more than once. */
#define SMALLER_MS	4000
/* A command has started, and others have, by then; it measures so much longer at each end. */
#define COMMAND_MS	100

/* The test puts the machine in these states, one after the other. */
struct state {
	const char *name;
	enum { AS_BOOTED, ONE_THREAD, TWO_THREADS } cores;
	bool watchdog;
	/* The module is loaded again. */
	bool load;
	/*
	 * Somebody else has one more counter of each CPU.  There are more groups then, and what
	 * commands do at the ends of a span is in the turn of one of them: it weighs more.
	 */
	bool taken;
	unsigned int settle_ms;
};

static const struct state states[] = {
	{ "watchdog_off", AS_BOOTED, false, true, false, TURNS_MS },
	{ "watchdog_on", AS_BOOTED, true, false, false, SMALLER_MS },
	{ "counter_taken", AS_BOOTED, true, false, true, SMALLER_MS },
	/* The counters are still those of a core with two threads. */
	{ "smt_off", ONE_THREAD, false, false, false, TURNS_MS },
	{ "smt_off_loaded", ONE_THREAD, false, true, false, TURNS_MS },
	{ "smt_off_watchdog_on", ONE_THREAD, true, false, false, SMALLER_MS },
	/* And now those of a core with one are not right any more. */
	{ "smt_on_again", TWO_THREADS, true, false, false, SMALLER_MS },
};

#define STATES	(sizeof(states) / sizeof(states[0]))

/* The sources of figures that are checked; each is a test of every state. */
enum { OF_CPUS, OF_A_SESSION, OF_EVENTS, BY_STAT, BY_STAT_OF_A_TASK, BY_PERF, CHECKS };

static const char * const check_name[CHECKS] = {
	"cpus_are_right", "a_session_is_right", "events_are_right", "stat_is_right",
	"stat_of_a_task_is_right", "perf_is_right",
};

static const struct source_row *row;
static unsigned int span_ms, span_short_ms;
static int device = -1;

static const struct source_row *find_row(void)
{
	struct topdown_info info;
	bool smt = setup_smt_is_on();
	unsigned int i;

	if (device_info(device, &info) || info.out_source == TOPDOWN_SOURCE_PERF_METRICS)
		return NULL;
	for (i = 0; i < source_rows_nr; i++) {
		const struct source_row *it = &source_rows[i];

		/* Others count the same with two threads as with one. */
		if (it->family == info.out_cpu_family && it->model == info.out_cpu_model &&
		    (it->smt == smt || it->source != TOPDOWN_SOURCE_GENERIC))
			return it;
	}
	return NULL;
}

static bool set_rates(void)
{
	return source_rates(row);
}

/* @node: NAN is a node that there is not. */
static bool nodes_right(const char *what, const double node[TD_NR_NODES])
{
	uint32_t nodes = row->nodes ? row->nodes : nodes_of_level(row->level);
	double off, worst = 0;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++) {
		bool has = nodes >> i & 1;

		if (!has && isnan(node[i]))
			continue;
		off = fabs(node[i] - row->node[i]);
		worst = fmax(worst, off);
		/* NAN is within no limit. */
		if (has && off <= LIMIT)
			continue;
		ksft_print_msg("%s: %s is %.4f, and %.4f was to be expected\n", what,
			       node_name[i], node[i], row->node[i]);
		ok = false;
	}
	ksft_print_msg("%s: %.2f points off at worst\n", what, worst * 100);
	return ok;
}

static bool figures_right(const char *what, const struct topdown_figures *figures)
{
	double node[TD_NR_NODES];
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++)
		node[i] = figures->ratio[i] == TOPDOWN_RATIO_NONE ? NAN :
			  (double)figures->ratio[i] / TOPDOWN_RATIO_ONE;
	ksft_print_msg("%s: %llu slots, measured %llu of %llu ms\n", what,
		       (unsigned long long)figures->slots,
		       (unsigned long long)figures->running_ns / 1000000,
		       (unsigned long long)figures->enabled_ns / 1000000);
	return nodes_right(what, node) && figures->slots && figures->running_ns;
}

/* The last window may be clamped, because other tasks run at times too. */
static bool record_is(const struct topdown_record *record)
{
	ksft_print_msg("source %u, level %u, state %u, flags %#x\n", record->source,
		       record->level, record->state, record->flags);
	return fact_same("source", record->source, row->source) &
	       fact_same("level", record->level, row->level) &
	       fact(record->state == TOPDOWN_STATE_OK ||
		    record->state == TOPDOWN_STATE_CONTENDED) &
	       fact(!(record->flags & ~(TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_CLAMPED))) &
	       /* Counts of groups that take turns are scaled. */
	       fact(!record->turns || record->flags & TOPDOWN_RECORD_SCALED) &
	       fact(!(record->clamped & ~record->nodes)) &
	       fact(!!record->clamped == !!(record->flags & TOPDOWN_RECORD_CLAMPED));
}

static bool cpus_right(const struct topdown_record *record, unsigned int nr)
{
	bool ok = true;
	char what[32];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		snprintf(what, sizeof(what), "CPU %u", record[i].cpu);
		ok &= record_is(&record[i]) && figures_right(what, &record[i].total);
	}
	return ok;
}

static bool session_right(const struct topdown_session *seen)
{
	return fact_same("source", seen->out_source, row->source) &
	       fact_same("level", seen->out_level, row->level) &
	       figures_right("session", &seen->out_figures);
}

/* The events in the file of a CPU, in the order of their table. */
struct events {
	unsigned int nr;
	struct {
		unsigned long long config, count;
	} event[SOURCE_RATES];
};

static bool events_read(unsigned int cpu, struct events *events)
{
	char path[64], line[512], *numbers;
	FILE *file;

	snprintf(path, sizeof(path), TD_SYSFS "/events/cpu%u", cpu);
	file = fopen(path, "re");
	events->nr = 0;
	while (file && events->nr < SOURCE_RATES && fgets(line, sizeof(line), file)) {
		numbers = strstr(line, " 0x");
		if (!numbers || sscanf(numbers, "%llx %llu", &events->event[events->nr].config,
				       &events->event[events->nr].count) != 2)
			break;
		events->nr++;
	}
	if (file)
		fclose(file);
	return events->nr;
}

static double rate_of(unsigned long long config)
{
	unsigned int i;

	for (i = 0; i < SOURCE_RATES && row->rate[i].config; i++) {
		if (row->rate[i].config == config)
			return row->rate[i].rate;
	}
	return NAN;
}

/* The counts from then to now are those of the row's rates, for rates that are high enough. */
static bool events_right(const struct topdown_record *record, const struct events *then,
			 const struct events *now)
{
	double cycles, seen, want, worst = 0;
	unsigned int i, compared = 0;

	if (then->nr != now->nr)
		return false;
	/* The first is cycles, or slots. */
	cycles = now->event[0].count - then->event[0].count;
	if (now->event[0].config == CONFIG_SLOTS)
		cycles /= record->slots_per_cycle;
	for (i = 1; i < now->nr; i++) {
		want = rate_of(now->event[i].config);
		if (isnan(want) || want < LIMIT * 1000000)
			continue;
		seen = (now->event[i].count - then->event[i].count) / cycles * 1000000;
		worst = fmax(worst, fabs(seen / want - 1));
		compared++;
	}
	ksft_print_msg("events of CPU %u: %u of %u compared, %.2f percent off at worst\n",
		       record->cpu, compared, now->nr, worst * 100);
	return compared && worst <= LIMIT_EVENTS;
}

static bool line_right(const char *line)
{
	const char *subject = strstr(line, "\"cpu\":") ?: strstr(line, "\"pid\":");
	double node[TD_NR_NODES];
	char what[32] = "stat";

	if (subject)
		snprintf(what, sizeof(what), "stat %.*s", (int)strcspn(subject, ","), subject);
	json_nodes(line, node);
	return nodes_right(what, node) && json_number(line, "", "level") == row->level;
}

/* Its output: so many lines, and all are right. */
static bool stat_right(FILE *output, unsigned int lines)
{
	unsigned int n = 0;
	char line[4096];
	bool ok = true;

	if (!output)
		return false;
	while (fgets(line, sizeof(line), output)) {
		ok &= line_right(line);
		n++;
	}
	return !pclose(output) && ok && n == lines;
}

/* The events of the PMU topdown: slots and the nodes, of a task or a CPU; negative for none. */
static void perf_begin(int fd[1 + TD_NR_NODES], int pid, int cpu)
{
	unsigned int i;

	for (i = 0; i <= TD_NR_NODES; i++) {
		const struct perf_event_attr attr = {
			.config		= i,
			.read_format	= PERF_FORMAT_TOTAL_TIME_ENABLED |
					  PERF_FORMAT_TOTAL_TIME_RUNNING,
			.exclude_guest	= 1,
		};

		fd[i] = perf_open(&attr, pid, cpu, -1, 0);
	}
}

struct perf_seen {
	uint64_t count, enabled, running;
};

static void perf_look(const int fd[1 + TD_NR_NODES], struct perf_seen seen[1 + TD_NR_NODES])
{
	unsigned int i;

	for (i = 0; i <= TD_NR_NODES; i++) {
		if (fd[i] < 0 || read(fd[i], &seen[i], sizeof(seen[i])) != sizeof(seen[i]))
			seen[i] = (struct perf_seen){ };
	}
}

/* A count as perf stat prints it, scaled by the time in which it was not counted. */
static double perf_count(const struct perf_seen *then, const struct perf_seen *now)
{
	uint64_t running = now->running - then->running;

	if (!running)
		return NAN;
	return (double)(now->count - then->count) * (now->enabled - then->enabled) / running;
}

static bool perf_right(const char *what, const struct perf_seen then[1 + TD_NR_NODES],
		       const struct perf_seen now[1 + TD_NR_NODES])
{
	double node[TD_NR_NODES], slots = perf_count(&then[PERF_SLOTS], &now[PERF_SLOTS]);
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++)
		node[i] = perf_count(&then[PERF_NODE(i)], &now[PERF_NODE(i)]) / slots;
	return nodes_right(what, node);
}

/* One counter of a CPU for good, as the NMI watchdog takes one: a descriptor. */
static int take_counter(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_HARDWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.pinned	= 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* One user of a task or a CPU. */
struct perf_of {
	int fd[1 + TD_NR_NODES];
	struct perf_seen then[1 + TD_NR_NODES], now[1 + TD_NR_NODES];
};

static void perf_close(const int fd[1 + TD_NR_NODES])
{
	unsigned int i;

	for (i = 0; i <= TD_NR_NODES; i++)
		close(fd[i]);
}

/*
 * In a span of its own, which begins when the events are there: the kernel's work to open so
 * many has other rates, and is all in the turn of one group.
 */
static bool measure_perf(int worker, unsigned int cpu)
{
	struct perf_of task, whole;

	perf_begin(task.fd, worker, -1);
	perf_begin(whole.fd, -1, cpu);
	sleep_ms(COMMAND_MS);
	perf_look(task.fd, task.then);
	perf_look(whole.fd, whole.then);
	sleep_ms(span_ms);
	perf_look(task.fd, task.now);
	perf_look(whole.fd, whole.now);
	perf_close(task.fd);
	perf_close(whole.fd);
	return perf_right("perf of the task", task.then, task.now) &
	       perf_right("perf of the CPU", whole.then, whole.now);
}

/* All that is read at the begin of a span and at its end, before anything of it is judged. */
struct span {
	struct topdown_record begun[TD_CPUS_MAX], record[TD_CPUS_MAX];
	struct topdown_session attached, session;
	struct events then, now;
};

static bool cpus_read(struct topdown_record *record, const unsigned int *cpu, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (device_read_cpu(device, TOPDOWN_READ_FRESH, cpu[i], &record[i]))
			return false;
	}
	return true;
}

static bool span_read(struct span *span, const unsigned int *cpu, unsigned int nr, int session)
{
	unsigned int i;

	if (!cpus_read(span->begun, cpu, nr) ||
	    device_session(session, TOPDOWN_SESSION_FRESH, &span->attached) ||
	    !events_read(cpu[0], &span->then))
		return false;
	sleep_ms(span_ms);
	if (!events_read(cpu[0], &span->now) ||
	    device_session(session, TOPDOWN_SESSION_FRESH, &span->session))
		return false;
	if (!cpus_read(span->record, cpu, nr))
		return false;
	session_since(&span->session, &span->attached);
	for (i = 0; i < nr; i++)
		figures_since(&span->record[i].total, &span->begun[i].total, span->record[i].nodes);
	return true;
}

/*
 * Measure by all other ways for the same span.  Nothing starts, ends or prints in the spans of
 * the commands: what that executes does not have the row's rates.
 */
static bool measure(const unsigned int *cpu, unsigned int nr, int worker, bool right[CHECKS])
{
	FILE *of_worker = stat_start(2 * COMMAND_MS, span_ms + 2 * COMMAND_MS, 1, worker);
	FILE *of_cpus = stat_start(2 * COMMAND_MS, span_ms + 2 * COMMAND_MS, 1, 0);
	int session = device_attach(device, 0, worker);
	static struct span span;
	bool ok;

	sleep_ms(3 * COMMAND_MS);
	ok = session > 0 && span_read(&span, cpu, nr, session);
	sleep_ms(COMMAND_MS);
	/* A row for each, and one for all. */
	right[BY_STAT] = stat_right(of_cpus, nr + 1);
	right[BY_STAT_OF_A_TASK] = stat_right(of_worker, 1);
	right[OF_EVENTS] = ok && events_right(&span.record[0], &span.then, &span.now);
	right[OF_CPUS] = ok && cpus_right(span.record, nr);
	right[OF_A_SESSION] = ok && session_right(&span.session);
	right[BY_PERF] = measure_perf(worker, cpu[0]);
	close(session);
	return right[OF_CPUS] && right[OF_A_SESSION] && right[OF_EVENTS] && right[BY_STAT] &&
	       right[BY_STAT_OF_A_TASK] && right[BY_PERF];
}

/* The kernel's own work in such a span can be too much, but not always. */
static void measure_soon(const struct state *state, const unsigned int *cpu, unsigned int nr,
			 int worker, bool right[CHECKS])
{
	unsigned int tries;

	for (tries = 1; tries <= TRIES; tries++) {
		ksft_print_msg("%s, measurement %u\n", state->name, tries);
		if (tries > 1)
			say_again(state->name);
		if (measure(cpu, nr, worker, right))
			return;
	}
}

static void show_sources(void)
{
	FILE *file = fopen(TD_SYSFS "/sources", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		ksft_print_msg("%s", line);
	if (file)
		fclose(file);
}

/* With a worker on each CPU, and one counter taken of each if that is the state. */
static bool state_measure(const struct state *state, bool right[CHECKS])
{
	int worker[TD_CPUS_MAX] = { }, taken[TD_CPUS_MAX] = { };
	unsigned int cpu[TD_CPUS_MAX], nr = cpus_online(cpu), i;
	bool ok = true;

	for (i = 0; i < nr; i++) {
		worker[i] = spin_start_with(cpu[i], NULL, set_rates);
		taken[i] = state->taken ? take_counter(cpu[i]) : -1;
		ok &= worker[i] > 0 && (taken[i] >= 0 || !state->taken);
	}
	sleep_ms(state->settle_ms);
	show_sources();
	if (ok)
		measure_soon(state, cpu, nr, worker[0], right);
	for (i = 0; i < nr; i++) {
		if (taken[i] >= 0)
			close(taken[i]);
		if (worker[i] > 0)
			spin_stop(worker[i]);
	}
	return ok;
}

static bool module_end(void)
{
	if (device >= 0)
		close(device);
	device = -1;
	return !module_loaded() || !module_unload();
}

static bool module_begin(void)
{
	if (!module_loaded() && module_load(PERIOD))
		return false;
	if (device < 0)
		device = device_open();
	return device >= 0;
}

/* Put the machine in the state, and find the row of the machine in it; false on error. */
static bool state_begin(const struct state *state)
{
	if (state->load && !module_end())
		return false;
	if ((state->cores != AS_BOOTED && !setup_smt(state->cores == TWO_THREADS)) ||
	    !setup_watchdog(state->watchdog) || !module_begin())
		return false;
	row = find_row();
	return row;
}

/* Return: why this state is impossible here, or NULL.  The watchdog has to be tried. */
static const char *state_lacking(const struct state *state)
{
	if (state->cores != AS_BOOTED && !setup_smt_is_possible())
		return "the cores have one thread";
	if (state->watchdog && !setup_watchdog(true))
		return "the NMI watchdog cannot be switched on here";
	return NULL;
}

static void test_state(const struct state *state)
{
	const char *lacking = state_lacking(state);
	bool right[CHECKS] = { };
	unsigned int i;

	span_ms = state->taken ? 2 * span_short_ms : span_short_ms;
	if (!lacking && (!state_begin(state) || !state_measure(state, right)))
		ksft_print_msg("%s: the machine cannot be made so\n", state->name);
	for (i = 0; i < CHECKS; i++) {
		if (lacking)
			ksft_test_result_skip("%s_%s: %s\n", check_name[i], state->name,
					      lacking);
		else
			ksft_test_result(right[i], "%s_%s\n", check_name[i], state->name);
	}
}

int main(void)
{
	int ret = module_need();
	unsigned int i;

	if (ret)
		return ret;
	if (!backdoor_open())
		ksft_exit_skip("this is not the emulated PMU\n");
	if (!module_begin())
		ksft_exit_fail_msg("cannot open " TD_DEVICE "\n");
	row = find_row();
	if (!row)
		ksft_exit_skip("there are no rates for this machine\n");
	span_short_ms = env_number("TOPDOWN_SPAN_MS", 1500);
	ksft_print_header();
	ksft_set_plan(STATES * CHECKS);
	if (realtime())
		ksft_exit_fail_msg("cannot set the priority\n");
	setup_save();
	ksft_print_msg("as booted: the NMI watchdog is %s, %s\n",
		       setup_watchdog_is_on() ? "on" : "off",
		       setup_smt_is_on() ? "two threads a core" : "one thread a core");
	atexit(setup_restore);
	for (i = 0; i < STATES; i++)
		test_state(&states[i]);
	ksft_finished();
}
