// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of libtopdown: attaching, reading, views, and their maps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

static void test_session_attach(void)
{
	struct topdown_session out;
	struct topdown *td;
	int session = 77;

	setenv("FAKE_FEATURES", "31", 1);
	td = open_fake();
	check(topdown_session_attach(td, 0, 0, &session) == -EOPNOTSUPP,
	      "a module without sessions is seen");
	topdown_close(td);
	setenv("FAKE_FEATURES", "63", 1);
	td = open_fake();
	check(topdown_session_attach(td, 4194304, 0, &session) == -ESRCH,
	      "an unknown process is seen");
	check(topdown_session_attach(td, 0, 1U << 31, &session) == -EOPNOTSUPP,
	      "an unknown flag is refused");
	check(topdown_session_attach(td, 0, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_CHILDREN,
				     &session) == -EINVAL,
				     "flags that exclude each other are refused");
	check(session == 77, "the descriptor is untouched by errors");
	check(!topdown_session_attach(td, 0, TOPDOWN_ATTACH_DISABLED, &session) &&
	      !topdown_session_read(session, 0, &out, sizeof(out)) && out.out_serial == 1,
	      "a process can attach to itself");
	close(session);
	check(!topdown_session_attach(td, getpid(), TOPDOWN_ATTACH_THREAD, &session) &&
	      !topdown_session_read(session, 0, &out, sizeof(out)) && out.out_serial == 2,
	      "a thread can be attached to");
	close(session);
	topdown_close(td);
}

/* Children of two nodes are counted since @then, and were not when the session began. */
static void make_late(struct topdown_session *then, struct topdown_session *now)
{
	struct topdown_figures *figures = &then->out_figures;
	unsigned int i;

	memset(then, 0, sizeof(*then));
	then->out_serial = 1;
	then->out_source = TOPDOWN_SOURCE_GENERIC;
	figures->slots = 1000;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		figures->ratio[i] = i < 4 ? TOPDOWN_RATIO_ONE / 4 : TOPDOWN_RATIO_NONE;
	for (i = 0; i < 4; i++)
		figures->node[i] = 250;
	*now = *then;
	figures = &now->out_figures;
	figures->slots = 3000;
	figures->children_slots[TOPDOWN_BAD_SPECULATION] = 2000;
	figures->children_slots[TOPDOWN_BACKEND_BOUND] = 2000;
	for (i = 0; i < 4; i++)
		figures->node[i] = 750;
	figures->node[TOPDOWN_BRANCH_MISPREDICTS] = 500;
	figures->node[TOPDOWN_MEMORY_BOUND] = 100;
	figures->node[TOPDOWN_CORE_BOUND] = 400;
}

/* The nodes that have a ratio between two reads. */
static uint32_t nodes_between(const struct topdown_session *then, const struct topdown_session *now)
{
	struct topdown_session_kind before = { .source = then->out_source }, after = before;
	struct topdown_figures figures, of_kind;
	uint32_t nodes = 0;
	unsigned int i;

	before.figures = then->out_figures;
	after.figures = now->out_figures;
	if (topdown_session_between(then, now, 2, &figures) ||
	    topdown_session_kind_between(&before, &after, 2, &of_kind) ||
	    memcmp(&figures, &of_kind, sizeof(figures)))
		return 0;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		nodes |= (uint32_t)(figures.ratio[i] != TOPDOWN_RATIO_NONE) << i;
	return nodes;
}

static void test_late_children(void)
{
	const uint32_t late = 1U << TOPDOWN_MEMORY_BOUND | 1U << TOPDOWN_CORE_BOUND;
	const uint32_t always = 0xf | 1U << TOPDOWN_BRANCH_MISPREDICTS |
				1U << TOPDOWN_MACHINE_CLEARS;
	struct topdown_session then, now;
	struct topdown_figures figures;

	make_late(&then, &now);
	check(nodes_between(&then, &now) == (always | late) &&
	      !topdown_session_between(&then, &now, 2, &figures) &&
	      figures.ratio[TOPDOWN_CORE_BOUND] == TOPDOWN_RATIO_ONE / 5,
	      "children that are counted since the first read have figures");
	then.out_source = TOPDOWN_SOURCE_MIXED;
	now.out_source = TOPDOWN_SOURCE_MIXED;
	check(nodes_between(&then, &now) == 0xf, "kinds of core that differ in them have none");
	make_late(&then, &now);
	now.out_figures.children_slots[TOPDOWN_BACKEND_BOUND]--;
	check(nodes_between(&then, &now) == always,
	      "children that were counted since later have none");
	make_late(&then, &now);
	now.out_figures.ratio[TOPDOWN_CORE_BOUND] = TOPDOWN_RATIO_ONE / 5;
	check(nodes_between(&then, &now) == (always | 1U << TOPDOWN_CORE_BOUND),
	      "children beside one that all of the session has have none");
}

static void test_session_read(void)
{
	unsigned char small[496], large[sizeof(struct topdown_session) + 8];
	struct topdown_session then = { .size = 0 }, now = then, none = then;
	struct topdown_session *grown = (struct topdown_session *)large;
	struct topdown_figures figures = { .slots = 5 };
	struct topdown *td = open_fake();
	int session = -1, other = -1;
	bool ok;

	ok = !topdown_session_attach(td, 0, TOPDOWN_ATTACH_DISABLED, &session) &&
	     !topdown_session_attach(td, 0, 0, &other);
	check(ok && !topdown_session_read(session, 0, &then, sizeof(then)) &&
	      then.out_serial && then.out_state == TOPDOWN_SESSION_STATE_DISABLED &&
	      !then.out_figures.slots, "a disabled session has nothing");
	check(!topdown_session_control(session, TOPDOWN_CONTROL_ENABLE) &&
	      !topdown_session_read(session, TOPDOWN_SESSION_FRESH, &then, sizeof(then)) &&
	      then.out_state == TOPDOWN_SESSION_STATE_RUNNING && then.out_figures.slots,
	      "an enabled one counts");
	check(!topdown_session_read(session, 0, &now, sizeof(now)) &&
	      now.out_figures.slots == then.out_figures.slots,
	      "a read may have what is known already");
	check(!topdown_session_read(session, TOPDOWN_SESSION_FRESH, &now, sizeof(now)) &&
	      !topdown_session_between(&then, &now, 2, &figures) &&
	      figures.enabled_ns == 1000000000 && figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      figures.ratio[TOPDOWN_CORE_BOUND] == 150000000,
	      "figures are those between two reads");
	check(!topdown_session_between(&then, &now, 1, &figures) &&
	      figures.ratio[TOPDOWN_CORE_BOUND] == TOPDOWN_RATIO_NONE,
	      "figures may be those of level 1");
	figures.slots = 5;
	check(topdown_session_between(&now, &then, 2, &figures) == -ERANGE,
	      "the wrong way round is refused");
	then.out_serial++;
	check(topdown_session_between(&then, &now, 2, &figures) == -EINVAL,
	      "reads of two sessions are refused");
	then.out_serial--;
	check(!topdown_session_between(&none, &now, 2, &figures) &&
	      figures.slots == now.out_figures.slots, "figures may begin where it was made");
	figures.slots = 5;
	now.out_figures.node[TOPDOWN_RETIRING] = then.out_figures.node[TOPDOWN_RETIRING] - 1;
	check(topdown_session_between(&then, &now, 2, &figures) == -ERANGE,
	      "a node that fell is refused");
	check(figures.slots == 5, "the figures are untouched by errors");

	check(topdown_session_read(session, 0, &now, 495) == -EINVAL &&
	      topdown_session_read(topdown_fd(td), 0, &now, sizeof(now)) == -ENOTTY &&
	      topdown_session_read(-1, 0, &now, sizeof(now)) == -EBADF &&
	      topdown_session_read(session, 1U << 31, &now, sizeof(now)) == -EOPNOTSUPP,
	      "wrong reads are refused");
	memset(small, 0xff, sizeof(small));
	check(!topdown_session_read(session, 0, (void *)small, sizeof(small)),
	      "the first released size is taken");
	memset(large, 0xff, sizeof(large));
	check(!topdown_session_read(session, TOPDOWN_SESSION_FRESH, grown, sizeof(large)) &&
	      grown->out_figures.slots && !large[sizeof(large) - 1] &&
	      !large[sizeof(*grown)], "a larger one has zeros behind");
	close(session);
	check(topdown_session_control(session, TOPDOWN_CONTROL_ENABLE) == -EBADF &&
	      topdown_session_read(session, 0, &now, sizeof(now)) == -EBADF,
	      "a closed session is gone");
	check(!topdown_session_read(other, 0, &now, sizeof(now)), "the other is there");
	close(other);
	setenv("FAKE_FEATURES", "31", 1);
	topdown_close(td);
}

#define KINDS	5

/* Each kind of core has its part, and as many are written as fit. */
static void test_session_kinds(void)
{
	struct topdown_session_kind kind[KINDS], then[KINDS], none = { 0 };
	struct topdown_figures figures = { .slots = 5 };
	struct topdown_session seen;
	unsigned int nr = 1;
	struct topdown *td;
	int session = -1;

	setenv("FAKE_FEATURES", "63", 1);
	setenv("FAKE_HYBRID", "1", 1);
	td = open_fake();
	topdown_session_attach(td, 0, 0, &session);
	memset(then, 0xff, sizeof(then));
	check(!topdown_session_read_kinds(session, TOPDOWN_SESSION_FRESH, &seen, sizeof(seen), then,
					  &nr, sizeof(*then)) &&
	      nr == 1 && seen.nr_kinds == 1 && seen.out_nr_kinds == 3 && !seen.kinds &&
	      !seen.kind_size &&
	      !then[TOPDOWN_KIND_ONLY].figures.slots && then[1].kind == ~0U,
	      "room for one kind gets one");
	nr = KINDS;
	check(!topdown_session_read_kinds(session, TOPDOWN_SESSION_FRESH, &seen, sizeof(seen), then,
					  &nr, sizeof(*then)) &&
	      nr == 3 && then[TOPDOWN_KIND_CORE].kind == TOPDOWN_KIND_CORE &&
	      then[TOPDOWN_KIND_ATOM].kind == TOPDOWN_KIND_ATOM &&
	      then[TOPDOWN_KIND_CORE].figures.slots + then[TOPDOWN_KIND_ATOM].figures.slots ==
	      seen.out_figures.slots && then[3].kind == ~0U,
	      "room for more than there are gets all");
	nr = 3;
	check(topdown_session_read_kinds(session, 0, &seen, sizeof(seen), kind, &nr, 439) ==
	      -EINVAL && nr == 3, "too small a kind is refused");
	check(topdown_session_read_kinds(session, 0, &seen, sizeof(seen), NULL, &nr,
					 sizeof(*kind)) == -EINVAL && nr == 3,
					 "room at NULL is refused");
	nr = 0;
	check(!topdown_session_read_kinds(session, 0, &seen, sizeof(seen), NULL, &nr,
					  sizeof(*kind)) &&
	      !topdown_session_read_kinds(session, 0, &seen, sizeof(seen), kind, &nr, 1) &&
	      !nr && !seen.nr_kinds && seen.out_nr_kinds == 3, "no room at all gets their number");
	nr = 3;
	topdown_session_read_kinds(session, TOPDOWN_SESSION_FRESH, &seen, sizeof(seen), kind, &nr,
				   sizeof(*kind));
	topdown_session_read_kinds(session, TOPDOWN_SESSION_FRESH, &seen, sizeof(seen), kind, &nr,
				   sizeof(*kind));
	check(!topdown_session_kind_between(&then[1], &kind[1], 2, &figures) &&
	      figures.enabled_ns == 1000000000 && figures.ratio[TOPDOWN_CORE_BOUND] == 150000000,
	      "a kind has figures between two reads");
	check(!topdown_session_kind_between(&then[1], &kind[1], 1, &figures) &&
	      figures.ratio[TOPDOWN_CORE_BOUND] == TOPDOWN_RATIO_NONE,
	      "a kind may have those of level 1");
	check(!topdown_session_kind_between(&none, &kind[2], 2, &figures) &&
	      figures.slots == kind[2].figures.slots, "a kind may have those since it was made");
	figures.slots = 5;
	check(topdown_session_kind_between(&then[1], &kind[2], 2, &figures) == -EINVAL &&
	      topdown_session_kind_between(&kind[1], &then[1], 2, &figures) == -ERANGE &&
	      figures.slots == 5, "two kinds, and the wrong way round, are refused");
	close(session);
	topdown_close(td);
	unsetenv("FAKE_HYBRID");
	setenv("FAKE_FEATURES", "31", 1);
}

/* Whoever has a view reads, and does nothing else. */
static void test_session_view(void)
{
	struct topdown_session seen = { .size = 0 };
	struct topdown_session_map_view *map = NULL;
	int session = -1, view = -1, other = 77;
	struct topdown *td;

	setenv("FAKE_FEATURES", "63", 1);
	td = open_fake();
	topdown_session_attach(td, getpid(), 0, &session);
	topdown_close(td);
	check(!topdown_session_view(session, &view) && view != session, "a view can be made");
	check(!topdown_session_read(view, TOPDOWN_SESSION_FRESH, &seen, sizeof(seen)) &&
	      seen.out_state == TOPDOWN_SESSION_STATE_RUNNING && seen.out_figures.slots,
	      "a view reads without the device");
	check(!topdown_session_map_open(&map, view), "a view is mapped");
	topdown_session_map_close(map);
	check(topdown_session_control(view, TOPDOWN_CONTROL_DISABLE) == -EBADF &&
	      topdown_session_view(view, &other) == -EBADF && other == 77, "a view alters nothing");
	check(topdown_session_control(session, TOPDOWN_CONTROL_VIEW) == -EINVAL,
	      "no descriptor gets lost");
	close(session);
	check(!topdown_session_read(view, 0, &seen, sizeof(seen)) &&
	      seen.out_state == TOPDOWN_SESSION_STATE_DETACHED, "a view does not keep the session");
	close(view);
	setenv("FAKE_FEATURES", "31", 1);
}

static void test_session_map(void)
{
	struct topdown_session seen = { .size = 0 };
	struct topdown_session_map_view *map = NULL;
	struct topdown_session_kind kind[2];
	unsigned int i, nr = 1;
	struct topdown *td;
	char name[32], bad[3];
	int session;

	setenv("FAKE_FEATURES", "63", 1);
	td = open_fake();
	check(topdown_session_map_open(&map, topdown_fd(td)) < 0 &&
	      topdown_session_map_open(&map, -1) == -EBADF && !map,
	      "what is no session has no map");
	topdown_session_attach(td, 0, 0, &session);
	check(!topdown_session_map_open(&map, session), "the map of a session opens");
	check(!topdown_session_map_read(map, &seen, sizeof(seen)) && seen.out_serial == 1 &&
	      seen.size == sizeof(seen) && seen.out_state == TOPDOWN_SESSION_STATE_RUNNING &&
	      seen.out_tasks == 1 && seen.out_level == 2 &&
	      seen.out_source == TOPDOWN_SOURCE_PERF_METRICS, "the map says what the session has");
	/* 2 + 2 steps, and a share without any. */
	check(seen.out_switches == 20 && seen.out_merged_ns == 200 &&
	      seen.out_figures.enabled_ns == 4000000000 &&
	      seen.out_figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      seen.out_figures.ratio[TOPDOWN_CORE_BOUND] == 150000000,
	      "the map has the shares");
	check(topdown_session_map_read(map, &seen, 495) == -EINVAL,
	      "a size that never was is refused");
	memset(kind, 0xff, sizeof(kind));
	check(!topdown_session_map_read_kinds(map, &seen, sizeof(seen), kind, &nr, sizeof(*kind)) &&
	      nr == 1 && seen.nr_kinds == 1 && seen.out_nr_kinds == 3 &&
	      kind[1].kind == ~0U && kind[0].switches == 20 &&
	      !memcmp(&kind[0].figures, &seen.out_figures, sizeof(seen.out_figures)),
	      "room for one kind of its map gets one");
	check(topdown_session_map_read_kinds(map, &seen, sizeof(seen), kind, &nr, 439) == -EINVAL,
	      "too small a kind of its map is refused");
	check(topdown_session_map_read_kinds(map, &seen, sizeof(seen), NULL, &nr,
					     sizeof(*kind)) == -EINVAL && nr == 1,
	      "room at NULL for those of its map is refused");
	nr = 0;
	check(!topdown_session_map_read_kinds(map, &seen, sizeof(seen), NULL, &nr,
					      sizeof(*kind)) &&
	      !topdown_session_map_read_kinds(map, &seen, sizeof(seen), kind, &nr, 1) &&
	      !nr && !seen.nr_kinds && seen.out_nr_kinds == 3,
	      "no room for those of its map gets their number");
	topdown_session_map_close(map);
	topdown_session_map_close(NULL);

	setenv("FAKE_SHARES_BUSY", "1", 1);
	check(!topdown_session_map_open(&map, session) &&
	      topdown_session_map_read(map, &seen, sizeof(seen)) == -EAGAIN &&
	      seen.out_switches == 20, "a share that is being written for ever is seen");
	topdown_session_map_close(map);
	unsetenv("FAKE_SHARES_BUSY");
	map = NULL;
	for (i = 1; i <= 11; i++) {
		snprintf(name, sizeof(name), "bad map %u", i);
		snprintf(bad, sizeof(bad), "%u", i);
		setenv("FAKE_SHARES_BAD", bad, 1);
		check(topdown_session_map_open(&map, session) == -EPROTO && !map, name);
	}
	unsetenv("FAKE_SHARES_BAD");
	setenv("FAKE_FEATURES", "31", 1);
	topdown_close(td);
}

int main(void)
{
	ktap_begin(&ktap, 62);
	test_session_attach();
	test_session_read();
	test_late_children();
	test_session_kinds();
	test_session_view();
	test_session_map();
	return ktap_end(&ktap);
}
