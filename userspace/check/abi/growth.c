// SPDX-License-Identifier: GPL-2.0
/*
 * libtopdown of one release of the ABI reads what another has written.
 *
 *   growth maps CPUS-FILE SESSION-FILE HEADERS    maps of growth-maps.c
 *   growth device HEADERS                         the node that fake.so answers for
 *
 * HEADERS are those that the other side was compiled with: now or longer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metrics.h"
#include "../../lib/internal.h"
#include "../check.h"
#include "growth.h"

/* More than there are today. */
#define KINDS	6

static bool newer;

#ifdef TOPDOWN_GROWN
/* A field that only this side has is 0.  If the other side has it too, it has its value. */
static bool grown(const void *at, size_t size)
{
	const unsigned char *byte = at;
	size_t i;

	for (i = 0; i < size; i++) {
		if (byte[i] != (newer ? GROWTH_BYTE : 0))
			return false;
	}
	return true;
}

#define grown_right(of) grown((of)->grown, sizeof((of)->grown))

/* The slots of a node of level 3 come first. */
static bool deep_right(const struct topdown_record *record)
{
	__u64 slots = newer ? record->total.slots / GROWTH_DEEP_PART : 0;

	return record->grown[0] == slots && record->nodes >> GROWTH_DEEP & 1 &&
	       grown(&record->grown[1], sizeof(record->grown) - sizeof(record->grown[0]));
}
#else
#define grown_right(of) ((void)(of), true)
#define deep_right(of) ((void)(of), true)
#endif

/* Expected figures, with the ratios that this library can say something of. */
static bool figures_are(const struct topdown_figures *figures, struct topdown_figures *want)
{
	unsigned int i;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		want->ratio[i] = TOPDOWN_RATIO_NONE;
		if (i == GROWTH_CHILD && want->children_slots[GROWTH_PARENT] != want->slots)
			continue;
		if (GROWTH_NODES >> i & 1 && i < TD_NR_NODES)
			want->ratio[i] = want->node[i] * TOPDOWN_RATIO_ONE / want->slots;
	}
	return !memcmp(figures, want, sizeof(*want));
}

static bool figures_of(const struct topdown_figures *figures, unsigned int seed)
{
	struct topdown_figures want;
	struct topdown_sums sums;

	growth_sums(&sums, seed);
	td_figures_put(&want, &sums);
	return figures_are(figures, &want);
}

static struct topdown *handle(const char *path, uint64_t feature)
{
	struct topdown *td = calloc(1, sizeof(*td));
	struct stat st;

	td->fd = open(path, O_RDONLY | O_CLOEXEC);
	td->cancel_fd = -1;
	td->info.out_features = feature;
	if (td->fd < 0 || fstat(td->fd, &st))
		exit(2);
	td->info.out_map_size = st.st_size;
	return td;
}

static bool record_right(const struct topdown_record *record, unsigned int cpu)
{
	return record->cpu == cpu && record->state == TOPDOWN_STATE_CONTENDED &&
	       record->source == TOPDOWN_SOURCE_PERF_METRICS && record->level == 2 &&
	       record->kind == growth_kind(cpu, newer) && record->slots_per_cycle == 6 &&
	       record->nr_cpus == 1 && record->flags == TOPDOWN_RECORD_CLAMPED &&
	       record->nodes == GROWTH_NODES && record->clamped == GROWTH_CLAMPED &&
	       record->windows == GROWTH_WINDOWS && record->time_ns == 1005 &&
	       record->window_time_ns == 1005 &&
	       figures_of(&record->total, GROWTH_TOTAL(cpu)) &&
	       figures_of(&record->window, GROWTH_WINDOW(cpu, GROWTH_WINDOWS)) &&
	       deep_right(record);
}

/* A difference also has the nodes that only a newer release gives a name to. */
static bool difference_right(const struct topdown_record *record)
{
	struct topdown_record then = *record;
	struct topdown_figures figures;
	struct topdown_sums want;
	unsigned int i;
	__u64 *word = (__u64 *)&then.total;

	growth_sums(&want, GROWTH_TOTAL(record->cpu));
	for (i = 0; i < offsetof(struct topdown_figures, ratio) / 8; i++)
		word[i] /= 2;
	if (topdown_record_between(&then, record, 2, &figures))
		return false;
	word = (__u64 *)&want;
	for (i = 0; i < offsetof(struct topdown_figures, ratio) / 8; i++) {
		if (((__u64 *)&figures)[i] != word[i] - word[i] / 2)
			return false;
	}
	return true;
}

static void test_cpus(const char *path)
{
	struct topdown *td = handle(path, TOPDOWN_FEATURE_MAP);
	bool record_ok = true, open_ok = true, window_ok = true, between_ok = true;
	struct topdown_map_view *map = NULL;
	struct topdown_window window;
	struct topdown_record record;
	struct topdown_figures open;
	unsigned int cpu, number;

	check(!topdown_map_open(&map, td) && topdown_map_nr_cpus(map) == GROWTH_CPUS &&
	      topdown_map_history(map) == GROWTH_HISTORY, "the map of CPUs can be read");
	for (cpu = 0; cpu < GROWTH_CPUS; cpu++) {
		record_ok = record_ok &&
			    !topdown_map_read_record(map, cpu, &record, sizeof(record), &open) &&
			    record_right(&record, cpu);
		open_ok = open_ok && figures_of(&open, GROWTH_OPEN(cpu));
		between_ok = between_ok && difference_right(&record);
		for (number = 1; number <= GROWTH_WINDOWS; number++)
			window_ok = window_ok &&
				    !topdown_map_read_window(map, cpu, number, 2, &window,
							     sizeof(window)) &&
				    window.number == number && window.time_ns == 1000 + number &&
				    window.nodes == GROWTH_NODES &&
				    window.clamped == GROWTH_CLAMPED && grown_right(&window) &&
				    figures_of(&window.figures, GROWTH_WINDOW(cpu, number));
	}
	check(record_ok, "records have what both know");
	check(open_ok, "open windows have what both know");
	check(window_ok, "windows of the history have what both know");
	check(between_ok, "differences have what both know");
	topdown_map_close(map);
	topdown_close(td);
}

/* The credits of CPUs of one kind, or of all of them. */
static bool credits_are(const struct topdown_figures *figures, int kind)
{
	struct topdown_figures want = { .slots = 0 };
	struct topdown_sums one;
	unsigned int cpu, i;

	for (cpu = 0; cpu < GROWTH_CPUS; cpu++) {
		if (kind >= 0 && growth_kind(cpu, newer) != (unsigned int)kind)
			continue;
		growth_sums(&one, GROWTH_CREDIT(cpu));
		want.enabled_ns += one.enabled_ns;
		want.running_ns += one.running_ns;
		want.slots += one.slots;
		for (i = 0; i < TOPDOWN_MAX_PARENTS; i++)
			want.children_slots[i] += one.children_slots[i];
		for (i = 0; i < TOPDOWN_MAX_NODES; i++)
			want.node[i] += one.node[i];
		want.cycles += one.cycles;
		want.instructions += one.instructions;
	}
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		want.ratio[i] = GROWTH_NODES_KNOWN >> i & 1 ?
				want.node[i] * TOPDOWN_RATIO_ONE / want.slots :
				TOPDOWN_RATIO_NONE;
	return !memcmp(figures, &want, sizeof(want));
}

static void test_session(const char *path)
{
	int session = open(path, O_RDONLY | O_CLOEXEC);
	struct topdown_session_kind kind[KINDS] = { 0 };
	struct topdown_session_map_view *map = NULL;
	struct topdown_session seen;
	unsigned int nr = KINDS;

	check(!topdown_session_map_open(&map, session), "the map of a session opens");
	check(!topdown_session_map_read_kinds(map, &seen, sizeof(seen), kind, &nr,
					      sizeof(*kind)) &&
	      nr == (newer ? 4 : 3) && seen.nr_kinds == nr &&
	      seen.out_nr_kinds == nr && seen.out_serial == GROWTH_SESSION &&
	      seen.out_state == TOPDOWN_SESSION_STATE_DISABLED &&
	      seen.out_flags == TOPDOWN_SESSION_OUT_INCOMPLETE && seen.out_tasks == 7 &&
	      seen.out_dropped == GROWTH_DROPPED &&
	      seen.out_source == TOPDOWN_SOURCE_PERF_METRICS && seen.out_level == 2 &&
	      seen.out_nodes == GROWTH_NODES_KNOWN, "it says what the session has");
	check(seen.out_switches == 123 && seen.out_merged_ns == 123, "shares have their sums");
	check(credits_are(&seen.out_figures, -1), "all kinds of core have their figures");
	check(credits_are(&kind[TOPDOWN_KIND_CORE].figures, TOPDOWN_KIND_CORE),
	      "P-cores have their figures");
	check(credits_are(&kind[TOPDOWN_KIND_ATOM].figures, TOPDOWN_KIND_ATOM),
	      "E-cores have their figures");
	check(!newer || (kind[GROWTH_KIND].kind == GROWTH_KIND &&
			 credits_are(&kind[GROWTH_KIND].figures, GROWTH_KIND)),
	      "cores of an unknown kind have their figures");
	topdown_session_map_close(map);
	close(session);
}

static void test_info(struct topdown *td)
{
	const struct topdown_info *info = topdown_info_get(td);

	check(info->out_nr_cpus == 4 && !strcmp(info->out_version, "9.8.7") &&
	      info->out_load_time_ns == 5000000000 && grown_right(info), "INFO has what both know");
}

static bool reading_right(const struct topdown_reading *reading)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		const struct topdown_record *record = topdown_reading_record(reading, i);

		if (!record || record->cpu != i || record->total.slots % 60000000 ||
		    record->total.ratio[TOPDOWN_RETIRING] != 400000000 ||
		    record->window.ratio[TOPDOWN_CORE_BOUND] != 150000000 ||
		    !grown_right(record))
			return false;
	}
	return topdown_reading_nr(reading) == 4 &&
	       topdown_reading_find(reading, TOPDOWN_CPU_ALL)->nr_cpus == 4;
}

static void test_reading(struct topdown *td)
{
	struct topdown_reading *then, *now;
	struct topdown_figures figures;

	topdown_reading_create(&then, td, NULL, 0);
	topdown_reading_create(&now, td, NULL, 0);
	check(!topdown_reading_update(then, TOPDOWN_READ_FRESH) &&
	      !topdown_reading_update(now, TOPDOWN_READ_FRESH) && reading_right(then) &&
	      reading_right(now), "READ has what both know");
	check(!topdown_reading_between(then, now, 2, 2, &figures) &&
	      figures.slots == 5880000000 && figures.ratio[TOPDOWN_MEMORY_BOUND] == 300000000,
	      "a difference has what both know");
	topdown_reading_destroy(then);
	topdown_reading_destroy(now);
}

static void test_tasks(struct topdown *td)
{
	struct topdown_figures figures;
	struct topdown_session then, now;
	int session = -1, view = -1;

	check(!topdown_session_attach(td, getpid(), 0, &session) && session > 0,
	      "ATTACH gives a session");
	check(!topdown_session_read(session, TOPDOWN_SESSION_FRESH, &then, sizeof(then)) &&
	      !topdown_session_read(session, TOPDOWN_SESSION_FRESH, &now, sizeof(now)) &&
	      !topdown_session_between(&then, &now, 2, &figures) &&
	      figures.enabled_ns == 1000000000 && figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      grown_right(&now), "SESSION has what both know");
	check(!topdown_session_control(session, TOPDOWN_CONTROL_DISABLE) &&
	      !topdown_session_view(session, &view), "CONTROL does what it is asked for");
	close(session);
	check(!topdown_session_read(view, 0, &now, sizeof(now)) &&
	      now.out_state == TOPDOWN_SESSION_STATE_DETACHED && grown_right(&now),
	      "a view reads what the session has");
	close(view);
}

static void test_events(struct topdown *td)
{
	const struct topdown_watch what = { .size = sizeof(what), .node = TOPDOWN_WATCH_ANY };
	struct topdown_event event;
	uint32_t watch = 0;

	setenv("FAKE_EVENT", "2", 1);
	check(topdown_watch_wait(td, 0, &event, sizeof(event)) == -EAGAIN,
	      "without a watch there is no event");
	check(!topdown_watch_add(td, NULL, 0, &what, &watch) && watch == 1, "WATCH adds a watch");
	memset(&event, 0xff, sizeof(event));
	check(!topdown_watch_wait(td, -1, &event, sizeof(event)) && event.cpu == 2 &&
	      event.time_ns == 77 && event.watch == 1 && event.count == 3 &&
	      event.ratio == 250000000 && grown_right(&event), "an event has what both know");
	check(!topdown_watch_remove(td, watch), "a watch can be removed");
}

static void test_device(void)
{
	struct topdown *td = NULL;

	setenv("FAKE_FEATURES", "255", 1);
	check(!topdown_open(&td, NODE), "the node opens");
	test_info(td);
	test_reading(td);
	test_tasks(td);
	test_events(td);
	topdown_close(td);
}

int main(int argc, char **argv)
{
	bool maps = argc == 5;
	const char *headers = argv[argc - 1];

	newer = !strcmp(headers, "longer");
	if (maps) {
		ktap_begin(&ktap, 12);
		test_cpus(argv[2]);
		test_session(argv[3]);
	} else {
		ktap_begin(&ktap, 13);
		test_device();
	}
	return ktap_end(&ktap);
}
