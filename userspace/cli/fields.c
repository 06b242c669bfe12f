// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of a row for programs, in the order of CSV columns.  A new field goes to
 * the end: then no column of any kind of row moves.
 */
#include "fields.h"

#include "repeat.h"
#include "task.h"

static struct field_value integer(uint64_t value)
{
	return (struct field_value){ .integer = value };
}

static struct field_value number(double value)
{
	return (struct field_value){ .number = value };
}

static struct field_value string(const char *value)
{
	return (struct field_value){ .string = value };
}

static struct field_value none(void)
{
	return (struct field_value){ .none = true };
}

static struct field_value positive(int value)
{
	return value > 0 ? integer(value) : none();
}

static struct field_value place(int value)
{
	return value >= 0 ? integer(value) : none();
}

#define GETTER(name, value)							\
	static struct field_value get_##name(const struct field *field,		\
					     const struct interval *interval,	\
					     const struct row *row)		\
	{									\
		(void)field;							\
		(void)interval;							\
		(void)row;							\
		return value;							\
	}

GETTER(time, number(interval->time))
GETTER(interval, number(interval->length))
GETTER(row, string(row_kind_name(row)))
GETTER(cpu, row->kind == ROW_CPU ? integer(row->cpu) : none())
GETTER(core_id, place(row->core_id))
GETTER(socket, place(row->socket))
GETTER(node, place(row->numa))
GETTER(pid, positive(row->task->pid))
GETTER(tid, positive(row->task->tid))
GETTER(comm, string(row->task->name))
GETTER(state, string(row_state(row)))
GETTER(source, string(topdown_source_name(row->source)))
GETTER(level, integer(row->level))
GETTER(enabled_ns, integer(row->figures.enabled_ns))
GETTER(running_ns, integer(row->figures.running_ns))
GETTER(slots, integer(row->figures.slots))
GETTER(oncpu_ns, integer(row->figures.enabled_ns))
GETTER(merged_ns, integer(row->merged_ns))
GETTER(switches, integer(row->switches))
GETTER(incomplete, integer(row->incomplete))
GETTER(runs, integer(interval->repeat->runs))

static struct field_value get_running(const struct field *field, const struct interval *interval,
				      const struct row *row)
{
	double share;

	(void)field;
	(void)interval;
	return row_running(row, &share) ? number(share) : none();
}

static struct field_value get_ratio(const struct field *field, const struct interval *interval,
				    const struct row *row)
{
	uint32_t ratio = row->figures.ratio[field->node];

	(void)interval;
	return ratio == TOPDOWN_RATIO_NONE ? none() :
					     number((double)ratio / TOPDOWN_RATIO_ONE);
}

/* @node is the flag here; sessions have no last window. */
static struct field_value get_flag(const struct field *field, const struct interval *interval,
				   const struct row *row)
{
	bool known = row->flags_known && !(row->task && field->node == TOPDOWN_RECORD_CLAMPED);

	(void)interval;
	return known ? integer(!!(row->flags & field->node)) : none();
}

static struct field_value error_of(const struct spread *spread)
{
	double error;

	return spread_relative(spread, &error) ? number(error) : none();
}

GETTER(interval_rse, error_of(&interval->repeat->length))
GETTER(slots_rse, error_of(&interval->repeat->slots))
GETTER(ratio_rse, error_of(&interval->repeat->node[field->node]))

#define INTEGER(name, rows, help)						\
	{ #name, FIELD_INTEGER, rows, 0, false, 0, get_##name, help }
#define MAYBE(name, rows, help)							\
	{ #name, FIELD_INTEGER, rows, 0, true, 0, get_##name, help }
#define NUMBER(name, rows, digits, nullable, help)				\
	{ #name, FIELD_NUMBER, rows, digits, nullable, 0, get_##name, help }
#define STRING(name, rows, help)						\
	{ #name, FIELD_STRING, rows, 0, false, 0, get_##name, help }
#define FLAG(name, flag, help)							\
	{ #name, FIELD_BOOLEAN, FIELD_ALL, 0, true, flag, get_flag, help }
#define NODE(name, node, help)							\
	{ "tma_" #name, FIELD_NUMBER, FIELD_ALL, 9, true, node, get_ratio, help }
#define ERROR(name, node)							\
	{ "tma_" #name "_rse", FIELD_NUMBER, FIELD_RUNS, 6, true, node, get_ratio_rse,	\
	  "relative standard error of tma_" #name }

const struct field fields[] = {
	NUMBER(time, FIELD_ALL, 6, false, "end of the interval, seconds since the epoch"),
	NUMBER(interval, FIELD_ALL, 9, false, "length of the interval in seconds"),
	STRING(row, FIELD_ALL, "all, cpu, core, socket, node, process, thread or runs"),
	MAYBE(cpu, FIELD_CPUS, "number of the CPU"),
	MAYBE(pid, FIELD_TASKS, "number of the process"),
	MAYBE(tid, FIELD_TASKS, "number of the thread"),
	STRING(comm, FIELD_TASKS, "name of the task"),
	STRING(state, FIELD_ALL, "how it is measured, or what has become of the task"),
	STRING(source, FIELD_ALL, "what the figures are made of"),
	INTEGER(level, FIELD_ALL, "highest level of the figures"),
	NUMBER(running, FIELD_ALL, 6, true, "share of the time that was measured"),
	INTEGER(enabled_ns, FIELD_ALL, "time, in nanoseconds"),
	INTEGER(running_ns, FIELD_ALL, "the part of it that was measured, in nanoseconds"),
	INTEGER(slots, FIELD_ALL, "slots counted"),
	NODE(retiring, TOPDOWN_RETIRING, "level 1"),
	NODE(bad_speculation, TOPDOWN_BAD_SPECULATION, "level 1"),
	NODE(frontend_bound, TOPDOWN_FRONTEND_BOUND, "level 1"),
	NODE(backend_bound, TOPDOWN_BACKEND_BOUND, "level 1"),
	NODE(heavy_operations, TOPDOWN_HEAVY_OPERATIONS, "of tma_retiring"),
	NODE(light_operations, TOPDOWN_LIGHT_OPERATIONS, "of tma_retiring"),
	NODE(branch_mispredicts, TOPDOWN_BRANCH_MISPREDICTS, "of tma_bad_speculation"),
	NODE(machine_clears, TOPDOWN_MACHINE_CLEARS, "of tma_bad_speculation"),
	NODE(fetch_latency, TOPDOWN_FETCH_LATENCY, "of tma_frontend_bound"),
	NODE(fetch_bandwidth, TOPDOWN_FETCH_BANDWIDTH, "of tma_frontend_bound"),
	NODE(memory_bound, TOPDOWN_MEMORY_BOUND, "of tma_backend_bound"),
	NODE(core_bound, TOPDOWN_CORE_BOUND, "of tma_backend_bound"),
	NODE(resource_bound, TOPDOWN_RESOURCE_BOUND, "of tma_backend_bound; Atom cores"),
	NODE(smt_contention, TOPDOWN_SMT_CONTENTION, "level 1; AMD"),
	INTEGER(oncpu_ns, FIELD_TASKS, "time on CPUs, the same as enabled_ns"),
	INTEGER(merged_ns, FIELD_TASKS, "time on CPUs between switches too close to measure"),
	INTEGER(switches, FIELD_TASKS, "how often it was given a CPU"),
	{ "incomplete", FIELD_BOOLEAN, FIELD_TASKS, 0, false, 0, get_incomplete,
	  "some child could not be followed" },
	FLAG(scaled, TOPDOWN_RECORD_SCALED, "the events are counted in turns and scaled"),
	FLAG(clamped, TOPDOWN_RECORD_CLAMPED, "a formula of the last window was cut"),
	FLAG(refined, TOPDOWN_RECORD_REFINED, "PERF_METRICS are corrected with general counters"),
	FLAG(drilldown, TOPDOWN_RECORD_DRILLDOWN, "level 2 is counted where level 1 asks for it"),
	MAYBE(core_id, FIELD_CPUS, "number of the core in its socket, of rows of cores"),
	MAYBE(socket, FIELD_CPUS, "number of the socket, of rows of cores and sockets"),
	MAYBE(node, FIELD_CPUS, "number of the NUMA node, of rows of nodes"),
	INTEGER(runs, FIELD_RUNS, "number of runs of which the other figures are the mean"),
	NUMBER(interval_rse, FIELD_RUNS, 6, true, "relative standard error of interval"),
	NUMBER(slots_rse, FIELD_RUNS, 6, true, "relative standard error of slots"),
	ERROR(retiring, TOPDOWN_RETIRING),
	ERROR(bad_speculation, TOPDOWN_BAD_SPECULATION),
	ERROR(frontend_bound, TOPDOWN_FRONTEND_BOUND),
	ERROR(backend_bound, TOPDOWN_BACKEND_BOUND),
	ERROR(heavy_operations, TOPDOWN_HEAVY_OPERATIONS),
	ERROR(light_operations, TOPDOWN_LIGHT_OPERATIONS),
	ERROR(branch_mispredicts, TOPDOWN_BRANCH_MISPREDICTS),
	ERROR(machine_clears, TOPDOWN_MACHINE_CLEARS),
	ERROR(fetch_latency, TOPDOWN_FETCH_LATENCY),
	ERROR(fetch_bandwidth, TOPDOWN_FETCH_BANDWIDTH),
	ERROR(memory_bound, TOPDOWN_MEMORY_BOUND),
	ERROR(core_bound, TOPDOWN_CORE_BOUND),
	ERROR(resource_bound, TOPDOWN_RESOURCE_BOUND),
	ERROR(smt_contention, TOPDOWN_SMT_CONTENTION),
};

const unsigned int fields_nr = sizeof(fields) / sizeof(fields[0]);
