// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top without a terminal: intervals, filters, orders, keys and cells.
 */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "frame.h"
#include "top-owners.h"
#include "../check.h"

#define MANY		256

static struct top_data data;
static struct top_view view;
static struct top_frame frame;
static const struct row *rows[MANY];
static unsigned int nr_rows;
static struct top_latency latency;
static struct top_owners owners;

/* CPU n retires n % 50 + 10 percent and has 256 - n million slots a second. */
static struct topdown_record record_of(unsigned int cpu, unsigned int seconds)
{
	struct topdown_record record = {
		.cpu = cpu, .source = TOPDOWN_SOURCE_PERF_METRICS, .level = 2,
		.nodes = (1U << (TOPDOWN_CORE_BOUND + 1)) - 1,
		.time_ns = (100 + seconds) * NS_PER_S, .windows = seconds,
	};
	struct topdown_figures *total = &record.total;
	uint64_t slots = (256 - cpu) * 1000000ULL * seconds;
	unsigned int parent;

	total->enabled_ns = seconds * NS_PER_S;
	total->running_ns = total->enabled_ns;
	total->slots = slots;
	total->cycles = slots / 4;
	total->instructions = total->cycles / 2 * 3;
	total->busy_ns = total->enabled_ns / 2;
	for (parent = 0; parent < TOPDOWN_MAX_PARENTS; parent++)
		total->children_slots[parent] = slots;
	total->node[TOPDOWN_RETIRING] = slots / 100 * (cpu % 50 + 10);
	total->node[TOPDOWN_LIGHT_OPERATIONS] = total->node[TOPDOWN_RETIRING];
	total->node[TOPDOWN_BAD_SPECULATION] = slots / 100 * 5;
	total->node[TOPDOWN_MACHINE_CLEARS] = total->node[TOPDOWN_BAD_SPECULATION];
	total->node[TOPDOWN_FRONTEND_BOUND] = slots / 100 * 10;
	total->node[TOPDOWN_FETCH_LATENCY] = total->node[TOPDOWN_FRONTEND_BOUND];
	total->node[TOPDOWN_BACKEND_BOUND] = slots / 100 * (75 - cpu % 50);
	total->node[TOPDOWN_MEMORY_BOUND] = total->node[TOPDOWN_BACKEND_BOUND];
	return record;
}

static bool sorted_by(const char *name)
{
	return !strcmp(view.sort->look.sort, name);
}

static void put(unsigned int cpu, unsigned int seconds, unsigned int now_s)
{
	struct topdown_record record = record_of(cpu, seconds);

	top_data_put(&data, cpu, &record, (100 + now_s) * NS_PER_S);
}

static void begin(unsigned int nr)
{
	unsigned int cpu;

	top_data_close(&data);
	top_data_open(&data, nr, NS_PER_S, 2);
	data.busy = true;
	for (cpu = 0; cpu < nr; cpu++) {
		put(cpu, 1, 1);
		put(cpu, 2, 2);
	}
	memset(&view, 0, sizeof(view));
	view.level = 1;
	top_view_sort_first(&view);
}

static void build(unsigned int lines, unsigned int columns)
{
	struct top_screen screen = {
		.view = &view, .data = &data, .rows = rows, .clock = "01:02:03",
		.period_ms = 1000, .delay_ms = 500,
	};

	top_frame_resize(&frame, lines, columns);
	if (top_view_owners(&view))
		nr_rows = top_owners_rows(&owners, &view, rows);
	else
		nr_rows = view.latencies ? top_latency_rows(&latency, &view) :
			  top_view_rows(&view, &data, rows);
	screen.latency = view.latencies ? &latency : NULL;
	top_view_clamp(&view, nr_rows, top_frame_page(&frame));
	screen.nr_rows = nr_rows;
	screen.rate = top_data_total(&data, view.filtered ? &view.cpus : NULL, &screen.total);
	if (view.help)
		top_frame_help(&frame, &view);
	else
		top_frame_build(&frame, &screen);
}

static const char *line_of(unsigned int line)
{
	static char text[512];
	unsigned int i;

	for (i = 0; i < frame.columns; i++)
		text[i] = frame.cell[line * frame.columns + i].letter;
	while (i && text[i - 1] == ' ')
		i--;
	text[i] = '\0';
	return text;
}

static bool line_is(unsigned int line, const char *text)
{
	if (!strcmp(line_of(line), text))
		return true;
	ktap_note("line %u: '%s', not '%s'", line, line_of(line), text);
	return false;
}

static bool line_has(unsigned int line, const char *text)
{
	if (strstr(line_of(line), text))
		return true;
	ktap_note("line %u: '%s' lacks '%s'", line, line_of(line), text);
	return false;
}

static void keys(const char *typed)
{
	for (; *typed; typed++)
		top_view_key(&view, &data, *typed, nr_rows, top_frame_page(&frame));
	build(frame.lines, frame.columns);
}

static void key(int pressed)
{
	top_view_key(&view, &data, pressed, nr_rows, top_frame_page(&frame));
	build(frame.lines, frame.columns);
}

static void test_intervals(void)
{
	const struct top_cpu *cpu;
	struct row total;
	double rate;

	top_data_open(&data, 4, NS_PER_S, 2);
	put(1, 10, 10);
	cpu = &data.cpu[1];
	check(!cpu->row.figures.slots &&
	      cpu->row.figures.ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE,
	      "one record is no interval");
	put(1, 12, 12);
	check(cpu->row.figures.slots == 510000000 && cpu->own.rate == 255e6 &&
	      cpu->row.figures.ratio[TOPDOWN_RETIRING] == 110000000, "two records are an interval");
	put(1, 12, 13);
	put(1, 12, 14);
	check(cpu->row.figures.slots == 510000000, "it is shown until the next");
	put(1, 12, 15);
	check(!cpu->row.figures.slots && !cpu->own.rate &&
	      cpu->row.figures.ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE,
	      "a CPU without a new record becomes idle");
	put(1, 13, 16);
	check(cpu->row.figures.slots == 255000000, "an idle CPU that has a new record is not idle");
	put(1, 3, 17);
	check(!cpu->row.figures.slots, "counts that go backwards are no interval");
	put(1, 4, 18);
	check(cpu->row.figures.slots == 255000000, "an interval begins after counts go back");

	put(2, 4, 18);
	put(2, 5, 18);
	rate = top_data_total(&data, NULL, &total);
	check(total.nr_cpus == 2 && total.figures.slots == 509000000 && rate == 509e6 &&
	      total.figures.enabled_ns == 2 * NS_PER_S, "the sum is that of those that are there");
	check(total.figures.ratio[TOPDOWN_RETIRING] == 114990176, "the sum weighs by slots");
	data.cpu[2].row.state = TOPDOWN_STATE_OFFLINE;
	top_data_total(&data, NULL, &total);
	check(total.nr_cpus == 1 && total.state == TOPDOWN_STATE_OK, "offline CPUs do not count");
}

static void test_small(void)
{
	static const char title[] =
		"topdown top  01:02:03  3 CPUs  511.0M slots/s  period 1000 ms  every 500 ms";
	static const char machine[] =
		"R retiring 10.5  S bad spec 5.0  F frontend 10.0  B backend 74.5  running 100.0";
	static const char row[] =
		"   0  10.0   5.0  10.0  75.0* 256.0M 100.0  1.50  50.0 RRRSFFBBBBBBBBBBBBBBBBBBB";
	static const char headings[] =
		" CPU RETIR light heavy BADSP mispr clear FRONT f.lat  f.bw  BACK   mem  core";
	static const char row2[] =
		"   1  11.0  11.0   0.0   5.0   0.0   5.0  10.0  10.0   0.0  74.0* 74.0*  0.0";

	begin(4);
	data.cpu[2].row.state = TOPDOWN_STATE_OFFLINE;
	put(3, 2, 9);
	build(24, 80);
	check(line_is(0, title), "the title is there");
	check(line_is(1, machine), "the machine is described");
	check(line_is(3, "sorted by CPU; rows 1-4 of 4"), "the status says the order and the rows");
	check(line_is(4, " CPU RETIR BADSP FRONT  BACK slots/s   RUN   IPC  BUSY"),
	      "headings are those of level 1");
	check(line_is(5, row), "a row has its bar");
	check(line_has(7, "offline") && !strchr(line_of(7), 'R'), "offline has no bar");
	check(line_is(8, "   3     -     -     -     -       0     -     -     - idle"), "an idle CPU has no figures");
	check(line_is(9, ""), "nothing is behind the last");
	check(line_has(23, "q quit") && strlen(line_of(23)) < 80, "the foot has the keys");
	check(frame.cell[5 * 80 + 55].look == TOP_LOOK_RETIRING &&
	      frame.cell[5 * 80 + 79].look == TOP_LOOK_BACKEND_BOUND &&
	      frame.cell[5 * 80 + 24].look == TOP_LOOK_MARK, "cells have their looks");
	data.cpu[0].row.figures.running_ns /= 2;
	build(24, 80);
	check(line_has(5, " 50.0  1.50  50.0 RRR") && line_has(1, "running 75.0"),
	      "the running share is shown");

	data.cpu[1].row.flags = TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_CLAMPED;
	build(24, 80);
	check(line_is(3, "sorted by CPU; rows 1-4 of 4; counted in turns; clamped"), "flags show");
	data.cpu[1].row.flags = 0;

	keys("l");
	check(line_is(4, headings), "headings of level 2 are there");
	check(line_is(6, row2), "a row of level 2 has its nodes");
	check(line_has(8, "   3 idle"), "an idle CPU is so at level 2");
	build(24, 200);
	check(line_has(6, "0.0  255.0M 100.0  1.50  50.0 RRRR") && strlen(line_of(6)) == 200,
	      "a wide screen has all");
	data.level = 1;
	view.level = 1;
	keys("l");
	check(view.level == 1 && line_is(23, "this machine has no level 2"),
	      "a machine without level 2 says so");
}

static void test_many(void)
{
	begin(MANY);
	build(24, 80);
	check(nr_rows == 256 && line_is(3, "sorted by CPU; rows 1-18 of 256"), "256 CPUs fit in");
	key(TOP_KEY_PAGE_DOWN);
	check(view.first == 17 && line_has(5, "  17 "), "a page down leaves a row");
	key(TOP_KEY_END);
	check(line_has(3, "rows 239-256 of 256") && line_has(22, " 255 "), "the last row is shown");
	keys("j");
	check(view.first == 238, "the screen goes no further");
	keys("kk");
	check(view.first == 236, "the screen goes up");
	build(100, 80);
	check(view.first == 162 && line_has(98, " 255 "), "a higher screen is filled");
	key(TOP_KEY_HOME);
	check(view.first == 0, "the first row is shown");
	build(24, 80);

	keys("s");
	check(sorted_by("slots") && line_has(5, "   0 ") &&
	      line_has(3, "sorted by slots"), "s sorts by slots");
	keys("r");
	check(line_has(5, " 255 ") && line_has(3, "slots, reversed"), "r puts the fewest first");
	keys("rs");
	check(sorted_by("IPC") && line_has(3, "sorted by IPC"), "s sorts by IPC");
	keys("s");
	check(sorted_by("busy share") && line_has(3, "busy share"), "s sorts by the busy share");
	keys("s");
	check(view.sort == column_of_node(TOPDOWN_RETIRING) && line_has(5, "  49 ") &&
	      line_has(6, "  99 ") && line_has(3, "tma_retiring"),
	      "s sorts by a node, then by CPU");
	keys("sss");
	check(view.sort == column_of_node(TOPDOWN_BACKEND_BOUND) && line_has(5, "   0 ") &&
	      line_has(6, "  50 "), "s sorts by another");
	keys("s");
	check(sorted_by("CPU"), "s goes round to the first order");
	keys("SlS");
	check(view.sort == column_of_node(TOPDOWN_FETCH_BANDWIDTH) && line_has(4, "f.bw"),
	      "S goes backwards, in level 2");
	view.sort = column_of_node(TOPDOWN_MEMORY_BOUND);
	keys("l");
	check(view.sort == column_of_node(TOPDOWN_BACKEND_BOUND),
	      "level 1 is not sorted by level 2");
	put(0, 2, 9);
	keys("r");
	build(24, 80);
	key(TOP_KEY_END);
	check(line_has(22, "   0     -"), "no figure is last, whatever the order");
	keys("c");
	check(sorted_by("CPU") && !view.reverse, "c sorts by CPU");
}

static void test_filters(void)
{
	begin(MANY);
	build(24, 80);
	put(7, 2, 9);
	keys("i");
	check(nr_rows == 255 && line_has(3, "; no idle"), "i hides idle ones");
	keys("f6-9,2\n");
	check(nr_rows == 4 && line_has(5, "   2 ") && line_has(8, "   9 ") &&
	      line_has(3, "; CPUs 2,6-9") && line_has(0, "  5 CPUs"), "f leaves a list");
	keys("i");
	check(nr_rows == 5, "idle ones are back");
	keys("f1");
	check(line_is(23, "CPUs (such as 0-3,8; empty: all): 1_"), "typing is shown");
	keys("q\x7f\x7f\063");
	check(line_has(23, ": 3_") && !view.quit, "letters are text, and can be taken back");
	key(TOP_KEY_ESCAPE);
	check(nr_rows == 5 && line_has(23, "q quit"), "escape leaves it as it was");
	keys("f3-1\n");
	check(nr_rows == 5 && line_has(23, "the range '3-1' is reversed"), "a bad list is refused");
	keys("f300\n");
	check(nr_rows == 5 && line_has(23, "CPU 300 is not in this machine"), "CPU 300 is refused");
	keys("f\n");
	check(nr_rows == 256 && !view.filtered, "an empty list shows all again");
	keys("m250000000\n");
	check(nr_rows == 7 && line_has(3, "; from 250.0M slots/s"), "m sets the least slots");
	keys("mx\n");
	check(nr_rows == 7 && line_has(23, "'x' is not a whole number"),
	      "a text that is no number is refused");
	keys("m\n");
	check(nr_rows == 256, "an empty number sets no least");
}

static void test_screens(void)
{
	unsigned int lines, columns;

	begin(MANY);
	build(24, 80);
	keys("h");
	check(view.help && line_has(0, "topdown top") && line_has(22, "Any key goes back"),
	      "h shows the help");
	keys("x");
	check(!view.help && line_has(5, "   0 "), "any key leaves the help");
	keys("hq");
	check(view.quit, "q quits the help, too");
	view.quit = false;
	keys(" ");
	check(view.frozen && line_has(0, "01:02:03 FROZEN"), "space freezes the screen");
	keys(" ");
	check(!view.frozen, "space thaws the screen");
	build(5, 30);
	check(line_is(0, "too small: 30 x 5"), "too small a screen says so");
	/* Under the sanitizers. */
	for (lines = 0; lines < 30; lines++) {
		for (columns = 0; columns < 110; columns += 3) {
			build(lines, columns);
			view.level = 3 - view.level;
		}
	}
	check(true, "any size can be drawn");
	keys("q");
	check(view.quit, "q quits");
}

#define LATENCY_CPUS	3
#define NS_PER_TURN	100000000ULL

static const unsigned int events[] = {
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_NTAKEN_COST,
};

#define NR_PARTS	(LATENCY_CPUS * (sizeof(events) / sizeof(events[0])))

/* After each turn CPU n has n + 1 samples more, nine of ten of which are 100 and the others 400. */
static void turn(unsigned int event, unsigned int turns, unsigned int asked)
{
	struct topdown_latency_record *record;
	unsigned int cpu;

	for (cpu = 0; cpu < LATENCY_CPUS; cpu++) {
		record = &latency.session.record[event * LATENCY_CPUS + cpu];
		*record = (struct topdown_latency_record){
			.event = events[event], .cpu = cpu,
			.samples = turns * (cpu + 1), .events = turns * (cpu + 1) * 10,
			.sum = turns * (cpu + 1) * 1300, .min = turns ? 100 : 0,
			.max = turns ? 400 : 0, .running_ns = turns * NS_PER_TURN,
			.elapsed_ns = asked * NS_PER_TURN,
		};
		record->bin[36] = turns * (cpu + 1) * 9;
		record->bin[52] = turns * (cpu + 1);
	}
}

static void put_turns(unsigned int first, unsigned int second, unsigned int asked)
{
	turn(0, first, asked);
	turn(1, second, asked);
	top_latency_put(&latency, NS_PER_S + asked * NS_PER_TURN);
	build(24, 80);
}

static void begin_latencies(void)
{
	begin(4);
	latency.session.nr = NR_PARTS;
	latency.session.record = calloc(NR_PARTS, sizeof(*latency.session.record));
	turn(0, 5, 0);
	turn(1, 4, 0);
	top_latency_room(&latency);
	top_latency_put(&latency, NS_PER_S);
	view.latencies = true;
	build(24, 80);
}

static void test_latencies(void)
{
	static const char none[] =
		"~SP_RETIRED.COND_NTAKEN_COST       0       -       -       -       -     -     -";
	static const char four[] =
		"~_L3_MISS_RETIRED.LOCAL_DRAM      24   130.0    99.5    99.5   399.5   400  40.0";
	static const char no_turn[] =
		"~SP_RETIRED.COND_NTAKEN_COST       0       -       -       -       -     -   0.0";
	static const char one_cpu[] =
		"~ISS_RETIRED.LOCAL_DRAM    2      12   130.0    99.5    99.5   399.5   400  40.0";
	static const char headings[] =
		"EVENT                        samples    mean     p50     p90     p99   max   RUN";
	unsigned int lines, columns, cpu;

	begin_latencies();
	check(latency.events == 2 && nr_rows == 2, "each event has a row");
	check(line_is(3, "latencies in cycles; rows 1-2 of 2") && line_is(4, headings),
	      "latencies have headings");
	check(line_is(6, none), "one record is no interval");
	put_turns(9, 4, 10);
	check(line_is(5, four), "four turns of ten are a share, and a name lacks its beginning");
	check(line_is(6, none), "no turn is not yet a reason for 0");
	put_turns(9, 4, 20);
	check(line_is(5, four), "it is shown until the next");
	put_turns(9, 4, 25);
	check(!strncmp(line_of(5), "~_L3_MISS_RETIRED.LOCAL_DRAM       0 ", 37) &&
	      line_is(6, no_turn), "a latency is not shown for ever");
	put_turns(13, 4, 35);
	check(line_is(5, four), "a turn after that is shown");
	build(24, 100);
	check(!strncmp(line_of(5), "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM      24   130.0", 51),
	      "a wide screen has the whole name");
	build(8, 40);
	check(line_is(4, "EVENT            samples    mean     p50") && nr_rows == 2,
	      "a small one leaves columns out");
	build(24, 80);
	keys("l");
	check(nr_rows == 6 && line_is(7, one_cpu) && line_has(4, "  CPU samples"), "l splits CPUs");
	keys("f1-2\n");
	check(nr_rows == 4 && line_has(5, "DRAM    1       8   130.0"), "f shows those of a list");
	keys("li");
	check(nr_rows == 1 && line_has(5, "      20   130.0") &&
	      line_is(3, "latencies in cycles; rows 1-1 of 1; with samples; CPUs 1-2"),
	      "l shows their sum, and i only those with samples");
	keys("ifl\033f\nsScrm");
	check(nr_rows == 2 && view.prompt == TOP_PROMPT_NONE && sorted_by("CPU") && !view.reverse,
	      "keys of slots do nothing");
	check(line_has(23, "are for slots"), "keys of slots say that they do nothing");
	keys("x");
	check(line_has(23, "q quit"), "other keys do not");
	keys("h");
	check(line_has(16, "A row is the interval up to the last turn of its event") &&
	      line_is(22, "Any key goes back."), "the help is that of latencies");
	keys("h");
	latency.session.record[1].flags = TOPDOWN_LATENCY_RECORD_AWAY;
	latency.session.record[1 + LATENCY_CPUS].flags = TOPDOWN_LATENCY_RECORD_AWAY;
	top_latency_put(&latency, 5 * NS_PER_S);
	build(24, 100);
	check(line_has(3, "; 1 aside") && strstr(line_of(5), "aside"),
	      "a CPU that is left to others is said");
	for (cpu = 0; cpu < LATENCY_CPUS; cpu++) {
		latency.session.record[cpu].flags = TOPDOWN_LATENCY_RECORD_COUNTED;
		latency.session.record[cpu].samples += 2;
		latency.session.record[cpu].events += 190;
		latency.session.record[cpu].lost += 10;
		latency.session.record[cpu].bin[36] += 190;
	}
	top_latency_put(&latency, 5 * NS_PER_S + 1);
	build(24, 100);
	check(line_has(5, "lost 5.0%") && line_has(3, "; up to 5.0% lost"),
	      "samples that were lost are said");
	keys("l");
	build(24, 120);
	check(line_has(5, "lost 5.0%") && line_has(7, "lost 5.0%"), "each CPU says what it lost");
	keys("l");
	turn(0, 1, 36);
	top_latency_put(&latency, 6 * NS_PER_S);
	build(24, 80);
	check(line_has(5, "DRAM       0 "), "counts that go backwards are no interval");
	for (lines = 0; lines < 12; lines++) {
		for (columns = 0; columns < 110; columns++) {
			snprintf(view.message, sizeof(view.message), "%*s", lines * 20, "x");
			build(lines, columns);
			view.each = !view.each;
		}
	}
	check(true, "latencies can be drawn at any size");
	view.each = false;
	snprintf(view.message, sizeof(view.message), "%-79s %s", "a reason", "what to do");
	build(24, 80);
	check(line_is(22, "a reason") && line_is(23, "what to do"), "a message has two lines");
	keys("L");
	check(!view.latencies && line_has(4, " CPU RETIR") && line_has(23, "L latency"),
	      "L goes back");
	top_latency_end(&latency);
	check(!latency.session.record && !latency.part, "L frees the latencies");
}

/*
 * An owner had @slots million slots in a second and @percent of one CPU, a tenth of the slots was
 * retiring, and the memory had @memory percent of them.
 */
static void owner(enum row_kind kind, uint64_t id, uint64_t parent, const char *name,
		  unsigned int slots, unsigned int percent, unsigned int memory)
{
	struct row *row = &owners.interval.row[owners.interval.nr];
	struct owner_row *own = &owners.owners.row[owners.interval.nr++];
	struct topdown_figures *figures = &row->figures;
	unsigned int node, parts;

	snprintf(own->path, sizeof(own->path), "%s", kind == ROW_CGROUP ? name : "");
	snprintf(own->name, sizeof(own->name), "%s",
		 kind == ROW_CGROUP && strcmp(name, "/") ? strrchr(name, '/') + 1 : name);
	own->task.pid = kind == ROW_PROCESS ? id : 0;
	own->id = id;
	own->parent = parent;
	*row = (struct row){ .kind = kind, .task = &own->task, .owner = own,
			     .state = TOPDOWN_SESSION_STATE_RUNNING, .level = 2,
			     .source = TOPDOWN_SOURCE_PERF_METRICS };
	figures->enabled_ns = percent * (NS_PER_S / 100);
	figures->running_ns = figures->enabled_ns;
	figures->slots = slots * 1000000ULL;
	figures->cycles = figures->slots / 4;
	figures->instructions = figures->slots / 100 * (slots % 100);
	for (node = 0; node <= TOPDOWN_CORE_BOUND; node++) {
		parts = node == TOPDOWN_MEMORY_BOUND || node == TOPDOWN_BACKEND_BOUND ? memory :
			node == TOPDOWN_FRONTEND_BOUND ? 90 - memory :
			node == TOPDOWN_RETIRING ? 10 : 0;
		figures->node[node] = figures->slots / 100 * parts;
		figures->ratio[node] = TOPDOWN_RATIO_ONE / 100 * parts;
	}
	for (; node < TOPDOWN_MAX_NODES; node++)
		figures->ratio[node] = TOPDOWN_RATIO_NONE;
}

static void begin_owners(enum owner_by by)
{
	begin(4);
	top_owners_end(&owners);
	owners.interval.row = calloc(MANY, sizeof(*owners.interval.row));
	owners.owners.row = calloc(MANY, sizeof(*owners.owners.row));
	top_view_show(&view, by);
}

static void test_processes(void)
{
	static const char headings[] =
		"    PID NAME                  RETIR BADSP FRONT  BACK   CPU% slots/s   RUN   IPC";
	static const char row[] =
		"     42 server                 10.0   0.0  80.0* 10.0  150.0  600.0M 100.0  0.00";

	begin_owners(OWNER_BY_PROCESS);
	owner(ROW_IDLE_TASKS, 0, 0, "idle", 900, 200, 90);
	owner(ROW_PROCESS, 7, 0, "database", 450, 50, 80);
	owner(ROW_PROCESS, 42, 0, "server", 600, 150, 10);
	owner(ROW_PROCESS, 43, 0, "a name that is wider than it", 20, 10, 90);
	owners.interval.row[3].state = TOPDOWN_SESSION_STATE_EXITED;
	top_owners_link(&owners, NS_PER_S);
	build(24, 80);
	check(line_is(3, "processes sorted by slots; rows 1-4 of 4"), "slots sort processes");
	check(line_is(4, headings) && line_is(5, row), "headings are there, and the busiest");
	check(line_has(6, "      7 database") && line_has(7, "     43 a name that is wider~") &&
	      line_has(8, "        idle  "), "idle time is last, and names are cut");
	check(line_has(23, "v view") && line_has(23, "f name") && strlen(line_of(23)) < 80,
	      "the foot has the keys");
	keys("r");
	check(line_has(5, "     43 ") && line_has(8, "idle  "), "idle time is always last");
	keys("r");
	build(24, 120);
	check(line_has(7, " ended") && line_has(6, "RRR"), "a row has a bar, or an end");
	build(24, 80);
	keys("sss");
	check(view.sort == column_of_node(TOPDOWN_BAD_SPECULATION), "s sorts by the nodes");
	keys("ss");
	check(line_has(3, "tma_backend_bound") && line_has(5, " database") &&
	      line_has(6, " server") && line_has(7, "     43 "), "nodes sort by their slots");
	keys("S");
	check(line_has(3, "tma_frontend_bound") && line_has(5, " server"), "S sorts by the next");
	keys("c");
	check(line_has(3, "by name") && line_has(5, "     43 ") && line_has(6, " database"),
	      "c sorts by name");
	keys("SSSSS");
	check(line_has(3, "by IPC") && line_has(5, " database"), "s sorts by IPC");
	keys("fSERV\n");
	check(nr_rows == 1 && line_has(5, " server") && line_has(3, "; names with 'SERV'"),
	      "f takes a part of names");
	keys("fx");
	check(line_is(23, "names that have this text (empty: all): x_"), "typing is shown");
	key(TOP_KEY_ESCAPE);
	keys("f\nm460000000\n");
	check(nr_rows == 2 && line_has(5, " server"), "m sets the least slots of owners");
	keys("m\ni");
	check(nr_rows == 3 && line_has(3, "; no idle"), "i hides idle time");
	keys("it");
	check(!view.self && line_has(23, "only cgroups are a tree"), "t is not for processes");
	keys("h");
	check(line_has(16, "A row is a process or cgroup") && line_is(22, "Any key goes back."),
	      "owners have their help");
	keys("xl");
	check(line_has(4, "RETIR heavy BADSP mispr FRONT f.lat  BACK   mem  core") &&
	      line_has(6, "     43 a name ~  "), "level 2 keeps the memory");
	build(24, 200);
	check(line_has(4, "light heavy BADSP mispr clear FRONT f.lat  f.bw"),
	      "a wide screen has all nodes");
}

static void test_cgroups(void)
{
	begin_owners(OWNER_BY_CGROUP);
	owner(ROW_IDLE_TASKS, 0, 0, "idle", 5000, 200, 90);
	owner(ROW_CGROUP, 1, 0, "/", 1000, 200, 30);
	owner(ROW_CGROUP, 9, 1, "/user", 400, 80, 90);
	owner(ROW_CGROUP, 4, 1, "/sys", 600, 120, 10);
	owner(ROW_CGROUP, 5, 9, "/user/x", 300, 60, 90);
	owner(ROW_CGROUP, 6, 9, "/user/y", 100, 20, 90);
	top_owners_link(&owners, NS_PER_S);
	build(24, 80);
	check(line_is(3, "cgroups sorted by slots; rows 1-6 of 6") && line_has(4, "CGROUP "),
	      "cgroups are shown");
	check(line_has(5, "/ ") && !strncmp(line_of(6), "  sys ", 6) &&
	      !strncmp(line_of(7), "  user ", 7) && !strncmp(line_of(8), "    x ", 6) &&
	      !strncmp(line_of(9), "    y ", 6) && line_has(10, "idle "),
	      "the tree is sorted by slots");
	keys("r");
	check(line_has(5, "/ ") && !strncmp(line_of(6), "  user ", 7) &&
	      !strncmp(line_of(7), "    y ", 6) && !strncmp(line_of(9), "  sys ", 6) &&
	      line_has(10, "idle "), "they stay below their parents the other way round");
	view.sort = column_of_node(TOPDOWN_BACKEND_BOUND);
	keys("r");
	check(!strncmp(line_of(6), "  user ", 7) && !strncmp(line_of(9), "  sys ", 6),
	      "the tree is sorted by a node");
	keys("fUSER\n");
	check(nr_rows == 4 && line_has(5, "/ ") && line_has(7, "    x ") && line_has(8, "    y "),
	      "a name in the path has all below it, and its ancestors");
	keys("f/x\n");
	check(nr_rows == 3 && line_has(7, "    x "), "a name may have one of them");
	keys("f\nt");
	check(view.self && line_has(3, "cgroups by themselves sorted by"), "t leaves out children");
	keys("c");
	check(line_has(7, "/user ") && line_has(8, "/user/x ") && line_has(9, "/user/y "),
	      "a list has paths");
	snprintf(owners.owners.row[4].path, sizeof(owners.owners.row[4].path), "/%099d/end", 0);
	build(24, 80);
	check(!strncmp(line_of(6), "~0000000", 8) && line_has(6, "00/end "),
	      "a path keeps its end");
	keys("v");
	check(view.by == OWNER_BY_NONE && sorted_by("CPU") && line_has(4, " CPU RETIR"),
	      "v shows CPUs");
	keys("V");
	check(view.by == OWNER_BY_CGROUP && sorted_by("name"), "V goes back to their order");
	keys(" v");
	check(!view.frozen, "a screen that was frozen goes on");
	top_owners_end(&owners);
}

static void test_owners_of_any_size(void)
{
	unsigned int lines, columns;

	begin_owners(OWNER_BY_CGROUP);
	/* The first one claims to be below the last one. */
	for (lines = 0; lines < 100; lines++)
		owner(ROW_CGROUP, lines + 1, lines ? lines : 100, "/deep", 100, 80, 90);
	top_owners_link(&owners, NS_PER_S);
	for (lines = 0; lines < 30; lines++) {
		for (columns = 0; columns < 130; columns += 3) {
			build(lines, columns);
			view.level = 3 - view.level;
		}
	}
	check(nr_rows == 100 && !top_parent(&owners.interval.row[0]),
	      "a deep tree can be drawn at any size");
	top_owners_end(&owners);
}

int main(void)
{
	ktap_begin(&ktap, 122);
	test_intervals();
	test_small();
	test_many();
	test_filters();
	test_screens();
	test_latencies();
	test_processes();
	test_cgroups();
	test_owners_of_any_size();
	top_frame_free(&frame);
	top_data_close(&data);
	return ktap_end(&ktap);
}
