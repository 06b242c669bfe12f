/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contents of one interval, independent of how it is printed.
 */
#ifndef TOPDOWN_CLI_ROWS_H
#define TOPDOWN_CLI_ROWS_H

#include <topdown.h>

#include "cpulist.h"

/* Below this share of the time a row is partial. The module uses the same share. */
#define ROW_RUNNING_FULL	0.99
/* CPUs that are less busy run little more than what the kernel does now and then. */
#define ROW_BUSY_LEAST		0.05
/* What was measured in less of the time that is expected may be a biased sample. */
#define ROW_RUNNING_LEAST	0.5

struct command;
struct owner_row;
struct repeat;
struct series_ranks;
struct task;

/**
 * enum row_kind - the subject of a row
 *
 * @ROW_ALL: the sum over the CPUs
 * @ROW_CPU: one CPU
 * @ROW_CORE: the CPUs of a core
 * @ROW_SOCKET: the CPUs of a socket
 * @ROW_NODE: the CPUs of a NUMA node
 * @ROW_PROCESS: a process
 * @ROW_THREAD: a thread
 * @ROW_RUNS: the mean of several runs of a command
 * @ROW_WINDOW: one closed window of a CPU
 * @ROW_EVENT: a watch event
 * @ROW_CGROUP: a cgroup
 * @ROW_IDLE_TASKS: idle tasks
 * @ROW_OTHERS: owners for whom there was no room
 * @ROW_ENDED: processes that ended a while ago
 * @ROW_KINDS: number of kinds
 */
enum row_kind {
	ROW_ALL,
	ROW_CPU,
	ROW_CORE,
	ROW_SOCKET,
	ROW_NODE,
	ROW_PROCESS,
	ROW_THREAD,
	ROW_RUNS,
	ROW_WINDOW,
	ROW_EVENT,
	ROW_CGROUP,
	ROW_IDLE_TASKS,
	ROW_OTHERS,
	ROW_ENDED,
	ROW_KINDS,
};

/**
 * enum row_doubt - why no bottleneck can be named
 *
 * @ROW_JUDGED: one can be named
 * @ROW_IDLE: the CPUs were nearly idle
 * @ROW_LITTLE: too little of the time was measured
 */
enum row_doubt {
	ROW_JUDGED,
	ROW_IDLE,
	ROW_LITTLE,
};

/**
 * struct row_recorded - what a recording says of a row
 * @windows: windows or samples that the row adds up
 * @lost: windows that were lost
 * @gap_ns: how much of the interval is in no file
 * @unrecorded: nothing else is in the interval
 * @ranks: ratios of each node over time; NULL for the row of a step
 */
struct row_recorded {
	uint64_t windows;
	uint64_t lost;
	uint64_t gap_ns;
	bool unrecorded;
	const struct series_ranks *ranks;
};

/**
 * struct row_cores - figures on the kinds of core of a hybrid machine
 * @core: those on P-cores
 * @atom: those on E-cores
 */
struct row_cores {
	struct topdown_figures core;
	struct topdown_figures atom;
};

/**
 * struct row_session - what the rows of tasks have beside figures
 * @merged_ns: on-CPU time between switches too close to measure
 * @switches: how often the task was given a CPU
 * @incomplete: some new thread could not be followed
 * @cores: the figures by kind of core; NULL if they are not known
 */
struct row_session {
	uint64_t merged_ns;
	uint64_t switches;
	bool incomplete;
	const struct row_cores *cores;
};

/**
 * struct row - one CPU, the sum, or one task, in one interval
 * @kind: the subject
 * @task: the task; NULL for CPUs
 * @cpu: CPU number or TOPDOWN_CPU_ALL; 0 for tasks
 * @core_id: number of the core in its socket, of ROW_CORE; else -1
 * @socket: number of the socket, of ROW_CORE and ROW_SOCKET; else -1
 * @numa: number of the node, of ROW_NODE; else -1
 * @state: enum topdown_state of the interval; of a task enum topdown_session_state
 * @flags: TOPDOWN_RECORD_* at the end of the interval; of tasks those of any CPU of the
 *	machine that hold for sessions
 * @turns: the same of topdown_record.turns, of which the most
 * @flags_known: this user may see them
 * @source: enum topdown_source
 * @level: highest level that is shown
 * @nr_cpus: CPUs that were measured in the interval; of the sum only
 * @time_ns: length of the interval, for all of its CPUs together; 0 if it is not known how
 *	much of it was busy
 * @figures: slots, times and ratios
 * @expected_ns: running_ns to be expected if nobody else uses the counters
 * @window: number of the window; of windows only
 * @recorded: what only rows of recordings have; NULL for others
 * @session: what only rows of tasks have
 * @owner: what only rows of owners have; NULL for others
 * @own: what only rows of its kind have, for the columns that they bring; NULL for nothing
 */
struct row {
	enum row_kind kind;
	const struct task *task;
	uint32_t cpu;
	int core_id;
	int socket;
	int numa;
	unsigned int state;
	unsigned int flags;
	unsigned int turns;
	bool flags_known;
	unsigned int source;
	unsigned int level;
	unsigned int nr_cpus;
	uint64_t time_ns;
	struct topdown_figures figures;
	uint64_t expected_ns;
	uint64_t window;
	const struct row_recorded *recorded;
	struct row_session session;
	struct owner_row *owner;
	void *own;
};

/**
 * struct interval - the contents of one interval
 * @time: end of the interval, seconds since the epoch
 * @elapsed: seconds from the start of the measurement to that end
 * @length: length of the interval in seconds
 * @level: highest level that was asked for
 * @nr: number of @row
 * @room: rows that there is room for
 * @row: rows: first the sum, then the CPUs; or those of tasks
 * @cores: room for the figures by kind of core of each row, from interval_cores(); else NULL
 * @tasks: the rows are of tasks
 * @owners: the rows are of owners, which are tasks too
 * @command: the command that has ended and that the one row is of; else NULL
 * @repeat: the runs, if the one row is their mean; else NULL
 */
struct interval {
	double time;
	double elapsed;
	double length;
	unsigned int level;
	unsigned int nr;
	unsigned int room;
	struct row *row;
	struct row_cores *cores;
	bool tasks;
	bool owners;
	const struct command *command;
	const struct repeat *repeat;
};

/**
 * struct row_flag - a limit of what ratios say
 * @flag: TOPDOWN_RECORD_*
 * @word: its name for people
 */
struct row_flag {
	unsigned int flag;
	const char *word;
};

#define ROW_FLAGS	4

extern const struct row_flag row_flags[ROW_FLAGS];

uint32_t interval_nodes(const struct interval *interval);
unsigned int row_level(unsigned int level, const struct interval *interval);
int interval_make(struct interval *interval, unsigned int nr);
int interval_cores(struct interval *interval);
void row_cores_add(struct row_cores *sum, const struct row_cores *more, unsigned int level);
void interval_free(struct interval *interval);
const char *row_kind_name(const struct row *row);
const char *row_state(const struct row *row);
bool row_turns(const struct row *row);
bool row_hybrid(const struct row *row);
bool row_running(const struct row *row, double *share);
bool row_expected(const struct row *row, double *share);
void row_expect(struct row *row);
bool row_short(const struct row *row);
unsigned int row_interval_state(const struct row *row);
bool row_partial(const struct row *row);
enum row_doubt row_doubt(const struct row *row);
const char *row_doubt_text(const struct row *row);
bool row_differs(const struct row *row, unsigned int node);
uint32_t row_over(const struct row *row);
int row_bottleneck(const struct row *row);
int row_bottleneck_child(const struct row *row, int parent);
bool row_marked(const struct row *row, unsigned int node);

#endif /* TOPDOWN_CLI_ROWS_H */
