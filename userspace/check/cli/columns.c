// SPDX-License-Identifier: GPL-2.0
/*
 * The table of columns: each has the value of its own figure, and fits where it is shown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "../check.h"
#include "owner-rows.h"
#include "repeat.h"
#include "task.h"
#include "top-row.h"

/* Keys of programs by kind of row, with what the rows below have, in released order. */
static const char cpus[] =
	"time=1.5;interval=2.5;row=core;cpu=-;state=contended;source=amd;level=2;running=0.75;"
	"enabled_ns=400;running_ns=300;slots=500;tma_retiring=0.01;tma_bad_speculation=0.02;"
	"tma_frontend_bound=0.03;tma_backend_bound=0.04;tma_heavy_operations=0.05;"
	"tma_light_operations=0.06;tma_branch_mispredicts=0.07;tma_machine_clears=0.08;"
	"tma_fetch_latency=0.09;tma_fetch_bandwidth=0.1;tma_memory_bound=0.11;"
	"tma_core_bound=0.12;tma_resource_bound=-;tma_smt_contention=0.14;scaled=1;clamped=0;"
	"refined=1;drilldown=0;core_id=21;socket=22;node=23;cycles=200;instructions=300;ipc=1.5;"
	"busy=0.25;expected=0.8;";
static const char runs[] =
	"time=1.5;interval=2.5;row=runs;pid=31;tid=32;comm=name;state=exited;source=amd;level=2;"
	"running=0.75;enabled_ns=400;running_ns=300;slots=500;tma_retiring=0.01;"
	"tma_bad_speculation=0.02;tma_frontend_bound=0.03;tma_backend_bound=0.04;"
	"tma_heavy_operations=0.05;tma_light_operations=0.06;tma_branch_mispredicts=0.07;"
	"tma_machine_clears=0.08;tma_fetch_latency=0.09;tma_fetch_bandwidth=0.1;"
	"tma_memory_bound=0.11;tma_core_bound=0.12;tma_resource_bound=-;"
	"tma_smt_contention=0.14;oncpu_ns=400;merged_ns=33;switches=34;incomplete=1;scaled=1;"
	"clamped=-;refined=1;drilldown=0;runs=2;interval_rse=0.5;slots_rse=0.25;"
	"tma_retiring_rse=0.01;tma_bad_speculation_rse=0.02;tma_frontend_bound_rse=0.03;"
	"tma_backend_bound_rse=0.04;tma_heavy_operations_rse=0.05;tma_light_operations_rse=0.06;"
	"tma_branch_mispredicts_rse=0.07;tma_machine_clears_rse=0.08;tma_fetch_latency_rse=0.09;"
	"tma_fetch_bandwidth_rse=0.1;tma_memory_bound_rse=0.11;tma_core_bound_rse=0.12;"
	"tma_resource_bound_rse=-;tma_smt_contention_rse=0.14;cycles=200;instructions=300;"
	"ipc=1.5;expected=0.8;cgroup=-;path=-;";
static const char kinds[] =
	"oncpu_ns=400;running_ns=300;slots=500;tma_retiring=0.01;tma_bad_speculation=0.02;"
	"tma_frontend_bound=0.03;tma_backend_bound=0.04;tma_heavy_operations=0.05;"
	"tma_light_operations=0.06;tma_branch_mispredicts=0.07;tma_machine_clears=0.08;"
	"tma_fetch_latency=0.09;tma_fetch_bandwidth=0.1;tma_memory_bound=0.11;"
	"tma_core_bound=0.12;tma_resource_bound=-;tma_smt_contention=0.14;cycles=200;"
	"instructions=300;ipc=1.5;";

static const struct task task = { .pid = 31, .tid = 32, .name = "name" };

/* Two values of which the standard error is a share of the mean. */
static struct spread spread_of(double error)
{
	return (struct spread){ .nr = 2, .mean = 1, .squares = 2 * error * error };
}

static struct row row_of(enum row_kind kind)
{
	static struct top_row top = { .rate = 1234567 };
	struct row row = {
		.kind = kind, .cpu = 20, .core_id = 21, .socket = 22, .numa = 23,
		.state = TOPDOWN_STATE_CONTENDED, .source = TOPDOWN_SOURCE_AMD, .level = 2,
		.flags = TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_REFINED, .flags_known = true,
		.figures = { .enabled_ns = 400, .running_ns = 300, .slots = 500, .cycles = 200,
			     .instructions = 300, .busy_ns = 250 },
		.time_ns = 1000, .expected_ns = 320,
		.session = { .merged_ns = 33, .switches = 34, .incomplete = true },
		.own = &top,
	};
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++)
		row.figures.ratio[node] = TOPDOWN_RATIO_ONE / 100 * (node + 1);
	row.figures.ratio[TOPDOWN_RESOURCE_BOUND] = TOPDOWN_RATIO_NONE;
	if (kind == ROW_RUNS) {
		row.task = &task;
		row.state = TOPDOWN_SESSION_STATE_EXITED;
	}
	return row;
}

static struct repeat repeat_of(void)
{
	struct repeat repeat = {
		.runs = 2, .length = spread_of(0.5), .slots = spread_of(0.25),
	};
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++) {
		if (node != TOPDOWN_RESOURCE_BOUND)
			repeat.node[node] = spread_of((node + 1) / 100.0);
	}
	return repeat;
}

static void put_value(FILE *file, const struct column *column, const struct column_value *value)
{
	fprintf(file, "%s=", column->name);
	if (value->none)
		fputs("-", file);
	else if (column->type == COLUMN_STRING)
		fputs(value->string, file);
	else if (column->type == COLUMN_NUMBER)
		fprintf(file, "%g", value->number);
	else
		fprintf(file, "%" PRIu64, value->integer);
	putc(';', file);
}

static void test_values(unsigned int views, enum row_kind kind, const char *want,
			const char *name)
{
	struct repeat repeat = repeat_of();
	struct interval interval = { .time = 1.5, .length = 2.5, .repeat = &repeat };
	struct row row = row_of(kind);
	struct column_value value;
	struct column_list list;
	bool honest = true;
	char text[4096];
	unsigned int i;
	FILE *file = fmemopen(text, sizeof(text), "w");

	columns_select(&list, views, 0, 0);
	columns_add(&list, &owner_columns, views);
	for (i = 0; i < list.nr; i++) {
		column_value(list.column[i], &interval, &row, &value);
		put_value(file, list.column[i], &value);
		honest &= list.column[i]->nullable || !value.none;
	}
	fclose(file);
	if (strcmp(text, want))
		ktap_note("has  %s", text);
	check(!strcmp(text, want) && honest, name);
}

/* Tables show these texts of the same rows. */
static void test_texts(unsigned int table, enum row_kind kind, bool wide, const char *want,
		       const char *name)
{
	struct row row = row_of(kind);
	struct column_list list;
	char text[32], all[512] = "";
	bool fits = true;
	unsigned int i;

	columns_select(&list, table, wide ? 1 : 2, (1U << TD_NR_NODES) - 1);
	columns_add(&list, &top_columns, table);
	for (i = 0; i < list.nr; i++) {
		const struct column_look *look = &list.column[i]->look;
		const char *heading = wide ? look->wide_heading : look->heading;
		int width = abs(wide ? look->wide_width : look->width);

		column_text(text, sizeof(text), list.column[i], &row, wide);
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s=%s;",
			 heading ? heading : "?", text);
		fits &= heading && *heading && (int)strlen(heading) <= width;
		fits &= !i || list.column[i - 1]->look.place < look->place;
	}
	if (strcmp(all, want))
		ktap_note("has  %s", all);
	check(!strcmp(all, want) && fits, name);
}

static void test_nodes(void)
{
	struct column_list list;
	unsigned int node;
	bool all = !column_of_node(TD_NR_NODES);

	for (node = 0; node < TD_NR_NODES; node++) {
		const struct column *column = column_of_node(node);

		all &= column && !strcmp(column->name, topdown_node_name(node));
	}
	check(all, "each node has a column of its name");
	columns_select(&list, TABLE_CPUS, 1, 0);
	check(list.nr == 8, "level 1 of most CPUs has who, four nodes, IPC, busy, slots");
	columns_select(&list, TABLE_TOP, 2, 1U << TOPDOWN_SMT_CONTENTION);
	columns_add(&list, &top_columns, TABLE_TOP);
	check(list.nr == 18,
	      "level 2 of top has who, 12 nodes and one that is there, rate, share, IPC, busy");
}

int main(void)
{
	ktap_begin(&ktap, 10);
	test_values(COLUMNS_CPUS, ROW_CORE, cpus, "CPUs have their values");
	test_values(COLUMNS_TASKS | COLUMNS_RUNS, ROW_RUNS, runs, "runs have their values");
	test_values(COLUMNS_KINDS, ROW_RUNS, kinds, "a kind of core has its values");
	test_texts(TABLE_CPUS, ROW_CORE, true,
		   "CPU=S22-C21;retiring=1.0;bad spec=2.0;frontend=3.0;backend=4.0;"
		   "SMT cont=14.0;IPC=1.50;busy=25%;slots=500;", "a table of CPUs has level 1");
	test_texts(TABLE_CPUS, ROW_SOCKET, false,
		   "CPU=S22;RETIR=1.0;light=6.0;heavy=5.0;BADSP=2.0;mispr=7.0;clear=8.0;"
		   "FRONT=3.0;f.lat=9.0;f.bw=10.0;BACK=4.0;mem=11.0;core=12.0;resrc=-;SMT=14.0;"
		   "slot=500;", "a table of CPUs has level 2");
	test_texts(TABLE_TASKS, ROW_RUNS, true,
		   "ID=32;name=name;retiring=1.0;bad spec=2.0;frontend=3.0;backend=4.0;"
		   "SMT cont=14.0;on CPU s=0.000;run%=75.0;IPC=1.50;", "a table of tasks has its columns");
	test_texts(TABLE_TOP, ROW_CPU, false,
		   "CPU=20;RETIR=1.0;light=6.0;heavy=5.0;BADSP=2.0;mispr=7.0;clear=8.0;"
		   "FRONT=3.0;f.lat=9.0;f.bw=10.0;BACK=4.0;mem=11.0;core=12.0;resrc=-;SMT=14.0;"
		   "slots/s=1.2M;RUN=75.0;IPC=1.50;BUSY=25.0;", "a table of top has its columns");
	test_nodes();
	return ktap_end(&ktap);
}
