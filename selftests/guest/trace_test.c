// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints: each window once, with its figures in the history; each node with the
 * window's ratio; a session when it ends.  Nothing is traced while they are disabled.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "map.h"

#define EVENTS		TRACING "events/topdown/"
#define LINE_MAX_LEN	1024

/* A line of topdown_window. */
struct traced {
	uint64_t number, begin_ns, end_ns, enabled_ns, running_ns, slots, nodes, clamped;
	uint64_t node[TOPDOWN_MAX_NODES];
	unsigned int cpu, source, state, flags, turns;
};

static int tracing(const char *file, const char *text)
{
	return file_write(file, 0, text);
}

/* "node={0x1,0x2}" at the end of a line. */
static bool nodes_parse(const char *line, uint64_t *node)
{
	const char *at = strstr(line, "node={");
	unsigned int i;

	if (!at)
		return false;
	at += strlen("node={");
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		char *end;

		node[i] = strtoull(at, &end, 0);
		if (end == at || *end != (i + 1 < TOPDOWN_MAX_NODES ? ',' : '}'))
			return false;
		at = end + 1;
	}
	return true;
}

static bool window_parse(const char *line, struct traced *traced)
{
	const char *at = strstr(line, "topdown_window: ");

	return at && sscanf(at, "topdown_window: cpu=%u number=%" SCNu64 " begin_ns=%" SCNu64
			    " end_ns=%" SCNu64 " enabled_ns=%" SCNu64 " running_ns=%" SCNu64
			    " slots=%" SCNu64 " nodes=%" SCNx64 " clamped=%" SCNx64
			    " source=%u state=%u flags=%x turns=%u ",
			    &traced->cpu, &traced->number, &traced->begin_ns, &traced->end_ns,
			    &traced->enabled_ns, &traced->running_ns, &traced->slots,
			    &traced->nodes, &traced->clamped, &traced->source, &traced->state,
			    &traced->flags, &traced->turns) == 13 &&
	       nodes_parse(line, traced->node);
}

/* Return: what differs from the window in the history, or NULL. */
static const char *window_differs(const struct traced *traced,
				  const struct topdown_map_window *window)
{
	const struct topdown_sums *sums = &window->sums;

	if (traced->number != window->number)
		return "number";
	if (traced->end_ns != window->time_ns)
		return "end_ns";
	if (traced->begin_ns != window->time_ns - sums->enabled_ns)
		return "begin_ns";
	if (traced->enabled_ns != sums->enabled_ns)
		return "enabled_ns";
	if (traced->running_ns != sums->running_ns)
		return "running_ns";
	if (traced->slots != sums->slots)
		return "slots";
	if (traced->nodes != window->nodes)
		return "nodes";
	if (traced->clamped != window->clamped)
		return "clamped";
	if (memcmp(traced->node, sums->node, sizeof(traced->node)))
		return "node";
	return NULL;
}

FIXTURE(trace) {
	struct map map;
	unsigned int cpus[TD_CPUS_MAX], nr;
};

FIXTURE_SETUP(trace)
{
	ASSERT_EQ(0, module_need());
	if (access(TRACING "trace", R_OK))
		SKIP(return, "there is no tracefs");
	if (module_loaded())
		ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("period_ms=60000 history=1024"));
	ASSERT_EQ(0, map_open(&self->map));
	self->nr = cpus_online(self->cpus);
	ASSERT_EQ(0, tracing(TRACING "trace", ""));
	ASSERT_EQ(0, tracing(TRACING "tracing_on", "1"));
}

FIXTURE_TEARDOWN(trace)
{
	tracing(EVENTS "enable", "0");
	if (self->map.header)
		map_close(&self->map);
}

/* Where a test reads what was traced so far. */
static FILE *trace_open(void)
{
	tracing(EVENTS "enable", "0");
	return fopen(TRACING "trace", "r");
}

/* Let windows close on all CPUs while the events are, or are not, enabled. */
static int run_all(const struct map *map, const unsigned int *cpus, unsigned int nr,
		   unsigned int windows)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = windows_run(map, cpus[i], windows);
	return ret;
}

TEST_F_TIMEOUT(trace, windows_are_those_of_the_history, 120)
{
	uint64_t first[TD_CPUS_MAX] = { 0 }, last[TD_CPUS_MAX] = { 0 };
	struct topdown_map_window window;
	struct topdown_map_record copy;
	struct traced traced;
	char line[LINE_MAX_LEN];
	unsigned int i;
	FILE *trace;

	/* A window may close at any time, so the events are enabled until all is read. */
	ASSERT_EQ(0, tracing(EVENTS "topdown_window/enable", "1"));
	ASSERT_EQ(0, run_all(&self->map, self->cpus, self->nr, 20));
	trace = trace_open();
	ASSERT_NE(NULL, trace);
	while (fgets(line, sizeof(line), trace)) {
		if (line[0] == '#')
			continue;
		ASSERT_TRUE(window_parse(line, &traced)) {
			TH_LOG("%s", line);
		}
		ASSERT_EQ(MAP_FOUND, map_window(&self->map, traced.cpu, traced.number, &window));
		EXPECT_EQ(NULL, window_differs(&traced, &window)) {
			TH_LOG("%s: %s", window_differs(&traced, &window), line);
		}
		ASSERT_TRUE(map_read(&self->map, traced.cpu, &copy));
		EXPECT_EQ(copy.source, traced.source);
		EXPECT_EQ(copy.flags, traced.flags);
		EXPECT_EQ(copy.turns, traced.turns);
		EXPECT_EQ(TOPDOWN_STATE_OK, traced.state);
		/* Each window once, in order. */
		if (!first[traced.cpu])
			first[traced.cpu] = traced.number;
		else
			EXPECT_EQ(last[traced.cpu] + 1, traced.number);
		last[traced.cpu] = traced.number;
	}
	fclose(trace);
	for (i = 0; i < self->nr; i++)
		EXPECT_LE(first[self->cpus[i]] + 19, last[self->cpus[i]]);
}

/* In millionths, of the window that is traced just before. */
TEST_F_TIMEOUT(trace, nodes_are_ratios_of_the_window, 120)
{
	unsigned int seen = 0, windows = 0;
	struct traced traced = { 0 };
	char line[LINE_MAX_LEN];
	FILE *trace;

	ASSERT_EQ(0, tracing(EVENTS "enable", "1"));
	/* Windows of other CPUs must not be taken for those of CPU 0. */
	ASSERT_EQ(0, run_all(&self->map, self->cpus, self->nr, 5));
	trace = trace_open();
	ASSERT_NE(NULL, trace);
	while (fgets(line, sizeof(line), trace)) {
		const char *at = strstr(line, "topdown_node: ");
		long long value;
		char name[64];
		int cpu, fields;
		double want;

		if (window_parse(line, &traced)) {
			windows += !traced.cpu;
			continue;
		}
		if (!at)
			continue;
		fields = sscanf(at, "topdown_node: track_name=%63s scope_cpu=%d counter_value=%lld",
				name, &cpu, &value);
		ASSERT_EQ(3, fields);
		/* The CPUs' lines are sorted by time: look at one CPU alone. */
		if (cpu)
			continue;
		ASSERT_EQ(0, strncmp(name, "tma_", 4));
		/* Level 1 comes first, in the order of enum topdown_node. */
		if (!strcmp(name, "tma_retiring")) {
			want = 1e6 * traced.node[TOPDOWN_RETIRING] / traced.slots;
			EXPECT_LE(fabs(want - value), 1.0) {
				TH_LOG("%s", line);
			}
			seen++;
		} else if (!strcmp(name, "tma_core_bound")) {
			want = 1e6 * traced.node[TOPDOWN_CORE_BOUND] / traced.slots;
			EXPECT_LE(fabs(want - value), 1.0) {
				TH_LOG("%s", line);
			}
			seen++;
		}
	}
	fclose(trace);
	EXPECT_LE(5, windows);
	EXPECT_EQ(2 * windows, seen);
}

/* The names by which Perfetto finds a counter and its scope. */
TEST_F(trace, formats_have_the_fields)
{
	static const struct {
		const char *event;
		const char *field;
	} fields[] = {
		{ "topdown_window", "field:u32 cpu;" },
		{ "topdown_window", "field:u64 number;" },
		{ "topdown_window", "field:u64 node[24];" },
		{ "topdown_node", "field:s64 counter_value;" },
		{ "topdown_node", "field:int scope_cpu;" },
		{ "topdown_node", "field:__data_loc char[] track_name;" },
		{ "topdown_session", "field:u64 serial;" },
		{ "topdown_session", "field:pid_t owner;" },
		{ "topdown_session", "field:u32 source;" },
		{ "topdown_session", "field:u64 node[24];" },
	};
	char path[128], text[8192];
	unsigned int i;
	size_t n;
	FILE *file;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		snprintf(path, sizeof(path), EVENTS "%s/format", fields[i].event);
		file = fopen(path, "r");
		ASSERT_NE(NULL, file);
		n = fread(text, 1, sizeof(text) - 1, file);
		text[n] = '\0';
		fclose(file);
		EXPECT_NE(NULL, strstr(text, fields[i].field)) {
			TH_LOG("%s lacks '%s'", fields[i].event, fields[i].field);
		}
	}
}

TEST_F_TIMEOUT(trace, disabled_says_nothing, 120)
{
	char line[LINE_MAX_LEN];
	FILE *trace;

	ASSERT_EQ(0, tracing(EVENTS "enable", "0"));
	ASSERT_EQ(0, windows_run(&self->map, 0, 5));
	trace = trace_open();
	ASSERT_NE(NULL, trace);
	while (fgets(line, sizeof(line), trace))
		EXPECT_EQ('#', line[0]);
	fclose(trace);
}

/* Once, when its task exits; a close adds nothing. */
TEST_F_TIMEOUT(trace, a_session_is_traced_when_it_ends, 120)
{
	struct topdown_session answer = { 0 };
	unsigned int state, lines = 0;
	uint64_t node[TOPDOWN_MAX_NODES];
	uint64_t serial, enabled, running, merged, switches, slots, nodes;
	char line[LINE_MAX_LEN];
	int session, owner, pid, tries, fields;
	FILE *trace;

	pid = spin_start(0, &profiles[0].profile);
	ASSERT_LT(0, pid);
	session = device_attach(self->map.fd, 0, pid);
	ASSERT_LT(0, session);
	ASSERT_EQ(0, tracing(EVENTS "topdown_session/enable", "1"));
	sleep_ms(300);
	spin_stop(pid);
	for (tries = 0; tries < 100; tries++) {
		ASSERT_EQ(0, device_session(session, 0, &answer));
		if (answer.out_state == TOPDOWN_SESSION_STATE_EXITED)
			break;
		sleep_ms(20);
	}
	ASSERT_EQ(TOPDOWN_SESSION_STATE_EXITED, answer.out_state);
	ASSERT_EQ(0, close(session));
	trace = trace_open();
	ASSERT_NE(NULL, trace);
	while (fgets(line, sizeof(line), trace)) {
		const char *at = strstr(line, "topdown_session: ");

		if (!at)
			continue;
		lines++;
		fields = sscanf(at, "topdown_session: serial=%" SCNu64 " owner=%d state=%u enabled_ns=%"
				SCNu64 " running_ns=%" SCNu64 " merged_ns=%" SCNu64
				" switches=%" SCNu64 " slots=%" SCNu64 " nodes=%" SCNx64,
				&serial, &owner, &state, &enabled, &running, &merged, &switches,
				 &slots, &nodes);
		ASSERT_EQ(9, fields);
		EXPECT_EQ(answer.out_serial, serial);
		EXPECT_LT(0, serial);
		EXPECT_EQ(getpid(), owner);
		ASSERT_TRUE(nodes_parse(line, node));
		EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, state);
		EXPECT_EQ(answer.out_figures.enabled_ns, enabled);
		EXPECT_EQ(answer.out_figures.running_ns, running);
		EXPECT_EQ(answer.out_merged_ns, merged);
		EXPECT_EQ(answer.out_switches, switches);
		EXPECT_EQ(answer.out_figures.slots, slots);
		EXPECT_EQ(answer.out_nodes, nodes);
		EXPECT_EQ(0, memcmp(answer.out_figures.node, node, sizeof(node)));
		EXPECT_LT(0, slots);
	}
	fclose(trace);
	EXPECT_EQ(1, lines);
}

#define SESSIONS	3

/*
 * Each session has a serial number of its own, and it does not tell how many there were before:
 * three in a row by chance are once in 10^31.
 */
TEST_F_TIMEOUT(trace, sessions_differ_by_serial, 120)
{
	uint64_t serials[SESSIONS] = { 0 }, serial;
	unsigned int i, j, lines = 0;
	char line[LINE_MAX_LEN];
	int sessions[SESSIONS], pid;
	FILE *trace;

	pid = spin_start(0, &profiles[0].profile);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, tracing(EVENTS "topdown_session/enable", "1"));
	for (i = 0; i < SESSIONS; i++) {
		sessions[i] = device_attach(self->map.fd, 0, pid);
		ASSERT_LT(0, sessions[i]);
	}
	for (i = 0; i < SESSIONS; i++)
		ASSERT_EQ(0, close(sessions[i]));
	spin_stop(pid);
	trace = trace_open();
	ASSERT_NE(NULL, trace);
	while (fgets(line, sizeof(line), trace)) {
		const char *at = strstr(line, "topdown_session: ");
		int owner, fields;

		if (!at)
			continue;
		ASSERT_GT(SESSIONS, lines);
		fields = sscanf(at, "topdown_session: serial=%" SCNu64 " owner=%d ", &serial,
				&owner);
		ASSERT_EQ(2, fields);
		EXPECT_EQ(getpid(), owner);
		for (j = 0; j < lines; j++)
			EXPECT_NE(serials[j], serial);
		serials[lines++] = serial;
	}
	fclose(trace);
	EXPECT_EQ(SESSIONS, lines);
	EXPECT_FALSE(serials[1] == serials[0] + 1 && serials[2] == serials[1] + 1);
}

/*
 * A session has as much to free as its process had threads, so that is not for a softirq.
 * kmem:kfree says who frees: "TASK-PID [CPU] FLAGS TIME: kfree: call_site=...", with s or h in an
 * interrupt.
 */
TEST_F_TIMEOUT(trace, sessions_are_freed_by_a_task, 120)
{
	unsigned int tries, freed = 0, interrupts = 0;
	char line[LINE_MAX_LEN], flags[16];
	FILE *trace;

	for (tries = 0; tries < 50 && !freed; tries++) {
		ASSERT_EQ(0, tracing(TRACING "events/kmem/kfree/enable", "1"));
		ASSERT_EQ(0, close(device_attach(self->map.fd, 0, 0)));
		usleep(100000);
		ASSERT_EQ(0, tracing(TRACING "events/kmem/kfree/enable", "0"));
		trace = trace_open();
		ASSERT_NE(NULL, trace);
		while (fgets(line, sizeof(line), trace)) {
			const char *at = strstr(line, "] ");

			if (!at || !strstr(line, "call_site=td_session_free+") ||
			    sscanf(at, "] %15s", flags) != 1)
				continue;
			freed++;
			interrupts += !!strpbrk(flags, "sShH");
		}
		fclose(trace);
	}
	EXPECT_LT(0, freed);
	EXPECT_EQ(0, interrupts);
}

TEST_HARNESS_MAIN
