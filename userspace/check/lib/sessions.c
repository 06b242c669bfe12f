// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of libtopdown: attaching, reading one and many, and their maps.
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
	uint32_t session = 77;
	struct topdown *td;

	setenv("FAKE_FEATURES", "31", 1);
	td = open_fake();
	check(topdown_session_attach(td, 0, 0, &session) == -EOPNOTSUPP &&
	      topdown_session_read(td, 1, 0, &out, sizeof(out)) == -EOPNOTSUPP &&
	      topdown_session_control(td, 1, TOPDOWN_CONTROL_RESET) == -EOPNOTSUPP,
	      "a module without sessions");
	topdown_close(td);
	setenv("FAKE_FEATURES", "63", 1);
	td = open_fake();
	check(topdown_session_attach(td, 4194304, 0, &session) == -ESRCH, "no such process");
	check(topdown_session_attach(td, 0, 1U << 31, &session) == -EOPNOTSUPP, "unknown flag");
	check(topdown_session_attach(td, 0, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_CHILDREN,
				     &session) == -EINVAL, "flags that exclude each other");
	check(session == 77, "the number is untouched by errors");
	check(!topdown_session_attach(td, 0, TOPDOWN_ATTACH_DISABLED, &session) && session == 1,
	      "attach to oneself");
	check(!topdown_session_attach(td, getpid(), TOPDOWN_ATTACH_THREAD, &session) &&
	      session == 2, "attach to a thread");
	topdown_close(td);
}

static void test_session_read(void)
{
	unsigned char small[888], large[sizeof(struct topdown_session) + 8];
	struct topdown_session then = { .size = 0 }, now = then;
	struct topdown_session *grown = (struct topdown_session *)large;
	struct topdown_figures figures = { .slots = 5 };
	struct topdown *td = open_fake();
	uint32_t session = 0, other = 0;
	bool ok;

	ok = !topdown_session_attach(td, 0, TOPDOWN_ATTACH_DISABLED, &session) &&
	     !topdown_session_attach(td, 0, 0, &other);
	check(ok && !topdown_session_read(td, session, 0, &then, sizeof(then)) &&
	      then.session == session && then.out_state == TOPDOWN_SESSION_DISABLED &&
	      !then.out_figures.slots, "a disabled session has nothing");
	check(!topdown_session_control(td, session, TOPDOWN_CONTROL_ENABLE) &&
	      !topdown_session_read(td, session, TOPDOWN_SESSION_FRESH, &then, sizeof(then)) &&
	      then.out_state == TOPDOWN_SESSION_RUNNING && then.out_figures.slots,
	      "an enabled one counts");
	check(!topdown_session_read(td, session, 0, &now, sizeof(now)) &&
	      now.out_figures.slots == then.out_figures.slots, "what is known already");
	check(!topdown_session_read(td, session, TOPDOWN_SESSION_FRESH, &now, sizeof(now)) &&
	      !topdown_session_between(&then, &now, 2, &figures) &&
	      figures.enabled_ns == 1000000000 && figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      figures.ratio[TOPDOWN_CORE_BOUND] == 150000000, "between two reads");
	check(!topdown_session_between(&then, &now, 1, &figures) &&
	      figures.ratio[TOPDOWN_CORE_BOUND] == TOPDOWN_RATIO_NONE, "of level 1");
	figures.slots = 5;
	check(topdown_session_between(&now, &then, 2, &figures) == -ERANGE, "the wrong way round");
	then.session = other;
	check(topdown_session_between(&then, &now, 2, &figures) == -EINVAL, "of two sessions");
	then.session = session;
	now.out_figures.node[TOPDOWN_RETIRING] = then.out_figures.node[TOPDOWN_RETIRING] - 1;
	check(topdown_session_between(&then, &now, 2, &figures) == -ERANGE,
	      "with one node of before a reset");
	check(!topdown_session_control(td, session, TOPDOWN_CONTROL_RESET) &&
	      !topdown_session_read(td, session, 0, &now, sizeof(now)) &&
	      topdown_session_between(&then, &now, 2, &figures) == -ERANGE, "after a reset");
	check(figures.slots == 5, "the figures are untouched by errors");

	check(topdown_session_read(td, session, 0, &now, 879) == -EINVAL &&
	      topdown_session_read(td, 9, 0, &now, sizeof(now)) == -ENOENT &&
	      topdown_session_read(td, session, 1U << 31, &now, sizeof(now)) == -EINVAL,
	      "reads that are refused");
	memset(small, 0xff, sizeof(small));
	check(!topdown_session_read(td, session, 0, (void *)small, sizeof(small)),
	      "the first released size");
	memset(large, 0xff, sizeof(large));
	check(!topdown_session_read(td, session, TOPDOWN_SESSION_FRESH, grown, sizeof(large)) &&
	      grown->out_figures.slots && !large[sizeof(large) - 1] &&
	      !large[sizeof(*grown)], "a larger one has zeros behind");
	check(!topdown_session_control(td, session, TOPDOWN_CONTROL_DETACH) &&
	      topdown_session_control(td, session, TOPDOWN_CONTROL_DETACH) == -ENOENT &&
	      topdown_session_read(td, session, 0, &now, sizeof(now)) == -ENOENT,
	      "a detached session is gone");
	check(!topdown_session_read(td, other, 0, &now, sizeof(now)), "the other is there");
	setenv("FAKE_FEATURES", "31", 1);
	topdown_close(td);
}

static void test_session_read_many(void)
{
	struct topdown_session seen[3], one;
	uint32_t session[3] = { 0, 9, 0 };
	unsigned int nr = 3, none = 0, many = 1025;
	struct topdown *td;
	bool ok;

	setenv("FAKE_FEATURES", "127", 1);
	td = open_fake();
	topdown_session_attach(td, 0, TOPDOWN_ATTACH_DISABLED, &session[0]);
	topdown_session_attach(td, getpid(), 0, &session[2]);
	check(topdown_session_read_many(td, session, &nr, 0, seen, sizeof(*seen)) == -EOPNOTSUPP,
	      "a module that reads one by one");
	setenv("FAKE_FEATURES", "255", 1);
	topdown_info_update(td);
	ok = !topdown_session_read_many(td, session, &nr, TOPDOWN_SESSION_FRESH, seen,
					sizeof(*seen));
	check(ok && seen[0].session == session[0] && seen[2].session == session[2] &&
	      seen[0].out_state == TOPDOWN_SESSION_DISABLED &&
	      seen[2].out_state == TOPDOWN_SESSION_RUNNING && seen[2].size == sizeof(*seen),
	      "many sessions");
	check(seen[1].session == 9 && seen[1].out_state == TOPDOWN_SESSION_DETACHED &&
	      !seen[1].out_figures.slots, "and one that there is not");
	check(!topdown_session_read(td, session[2], 0, &one, sizeof(one)) &&
	      !memcmp(&one.out_figures, &seen[2].out_figures, sizeof(one.out_figures)),
	      "as one by one");
	check(topdown_session_read_many(td, session, &none, 0, seen, sizeof(*seen)) == -EINVAL &&
	      topdown_session_read_many(td, session, &nr, 0, seen, 879) == -EINVAL &&
	      topdown_session_read_many(td, session, &many, 0, seen, sizeof(*seen)) == -E2BIG &&
	      topdown_session_read_many(td, session, &nr, 2, seen, sizeof(*seen)) == -EOPNOTSUPP,
	      "what is refused");
	check(!topdown_session_read_many(td, NULL, &nr, 0, seen, sizeof(*seen)) && nr == 2 &&
	      seen[0].session == session[0] && seen[1].session == session[2] &&
	      !memcmp(&one.out_figures, &seen[1].out_figures, sizeof(one.out_figures)),
	      "all that there are");
	nr = 1;
	check(topdown_session_read_many(td, NULL, &nr, 0, seen, sizeof(*seen)) == -EMSGSIZE &&
	      nr == 2 &&
	      topdown_session_read_many(td, NULL, &none, 0, NULL, sizeof(*seen)) == -EMSGSIZE &&
	      none == 2, "in too little room");
	topdown_session_control(td, session[0], TOPDOWN_CONTROL_DETACH);
	topdown_session_control(td, session[2], TOPDOWN_CONTROL_DETACH);
	none = 0;
	check(!topdown_session_read_many(td, NULL, &none, 0, NULL, sizeof(*seen)) && !none,
	      "none is no error");
	setenv("FAKE_FEATURES", "31", 1);
	topdown_close(td);
}

static void test_session_map(void)
{
	struct topdown_session seen = { .session = 99 };
	struct topdown_session_view *map = NULL;
	struct topdown *td;
	char name[32], bad[3];
	uint32_t session;
	unsigned int i;

	setenv("FAKE_FEATURES", "63", 1);
	td = open_fake();
	check(topdown_session_map_open(&map, td, 1) == -EOPNOTSUPP, "no maps of sessions");
	topdown_close(td);
	setenv("FAKE_FEATURES", "127", 1);
	td = open_fake();
	check(topdown_session_map_open(&map, td, 1) == -ENOENT &&
	      topdown_session_map_open(&map, td, 0) == -ENOENT && !map, "no such session");
	topdown_session_attach(td, 0, 0, &session);
	check(!topdown_session_map_open(&map, td, session), "the map of a session");
	check(!topdown_session_map_read(map, &seen, sizeof(seen)) && seen.session == session &&
	      seen.size == sizeof(seen) && seen.out_state == TOPDOWN_SESSION_RUNNING &&
	      seen.out_tasks == 1 && seen.out_level == 2 &&
	      seen.out_source == TOPDOWN_SOURCE_PERF_METRICS, "what it says of the session");
	/* 2 + 2 - 3 steps, and a share without any. */
	check(seen.out_switches == 15 && seen.out_merged_ns == 130 &&
	      seen.out_figures.enabled_ns == 1000000000 &&
	      seen.out_figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      seen.out_figures.ratio[TOPDOWN_CORE_BOUND] == 150000000,
	      "the shares, less the baseline");
	check(topdown_session_map_read(map, &seen, 879) == -EINVAL, "a size that never was");
	topdown_session_map_close(map);
	topdown_session_map_close(NULL);

	setenv("FAKE_SHARES_BUSY", "1", 1);
	check(!topdown_session_map_open(&map, td, session) &&
	      topdown_session_map_read(map, &seen, sizeof(seen)) == -EAGAIN &&
	      seen.out_switches == 15, "a share that is being written for ever");
	topdown_session_map_close(map);
	unsetenv("FAKE_SHARES_BUSY");
	map = NULL;
	for (i = 1; i <= 14; i++) {
		snprintf(name, sizeof(name), "bad map %u", i);
		snprintf(bad, sizeof(bad), "%u", i);
		setenv("FAKE_SHARES_BAD", bad, 1);
		check(topdown_session_map_open(&map, td, session) == -EPROTO && !map, name);
	}
	unsetenv("FAKE_SHARES_BAD");
	setenv("FAKE_FEATURES", "31", 1);
	topdown_close(td);
}

int main(void)
{
	ktap_begin(&ktap, 51);
	test_session_attach();
	test_session_read();
	test_session_read_many();
	test_session_map();
	return ktap_end(&ktap);
}
