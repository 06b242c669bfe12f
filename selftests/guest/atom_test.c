// SPDX-License-Identifier: GPL-2.0
/*
 * The E-cores of a hybrid machine, with event rates that do not follow from a profile:
 * what the published formula makes of them comes out, as in source_test of CPUs of one
 * kind.  hybrid_test compares with profiles, from which the emulator makes the rates by
 * the same formula.
 */
#include <math.h>
#include <stdio.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "session.h"
#include "source_rows.h"

#define MODEL		0x97
/* One percentage point. */
#define LIMIT		0.01
/* Every group shall have had turns that are the spinner's. */
#define TURNS_MS	800
#define SPAN_MS		1500

static const struct source_row *row;
static unsigned int atom;

static const struct source_row *find_row(void)
{
	unsigned int i;

	for (i = 0; i < source_rows_nr; i++) {
		if (source_rows[i].model == MODEL && source_rows[i].source == TOPDOWN_SOURCE_ATOM)
			return &source_rows[i];
	}
	return NULL;
}

static bool find_atom(void)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), i;
	int fd = device_open();
	struct topdown_record record;
	bool found = false;

	for (i = 0; i < n && !found; i++) {
		found = !device_read_cpu(fd, 0, cpu[i], &record) &&
			record.kind == TOPDOWN_KIND_ATOM;
		atom = cpu[i];
	}
	if (fd >= 0)
		close(fd);
	return found;
}

static bool set_rates(void)
{
	return source_rates(row);
}

static bool node_right(const struct topdown_figures *figures, unsigned int node)
{
	bool has = figures->ratio[node] != TOPDOWN_RATIO_NONE;
	double seen = (double)figures->ratio[node] / TOPDOWN_RATIO_ONE;

	if (has != (row->nodes >> node & 1))
		return false;
	if (has)
		printf("# node %u: %.4f, published %.4f\n", node, seen, row->node[node]);
	return !has || fabs(seen - row->node[node]) <= LIMIT;
}

static bool measure(int fd, int pid)
{
	int session = device_attach(fd, 0, pid);
	struct topdown_session then, seen;
	unsigned int i;
	bool ok;

	sleep_ms(TURNS_MS);
	ok = !device_session(session, TOPDOWN_SESSION_FRESH, &then);
	sleep_ms(SPAN_MS);
	ok = ok && !device_session(session, TOPDOWN_SESSION_FRESH, &seen);
	if (ok)
		session_since(&seen, &then);
	ok = ok && seen.out_figures.slots;
	for (i = 0; ok && i < TOPDOWN_MAX_NODES; i++)
		ok = node_right(&seen.out_figures, i);
	close(session);
	return ok;
}

TEST(e_core_figures_are_as_published)
{
	int fd = device_open(), pid;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(backdoor_open());
	pid = spin_start_with(atom, NULL, set_rates);
	ASSERT_LT(0, pid);
	EXPECT_SOON(measure(fd, pid));
	spin_stop(pid);
	close(fd);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	if (ret)
		return ret;
	row = find_row();
	if (!row || !find_atom()) {
		printf("1..0 # SKIP no CPU is an E-core\n");
		return KSFT_SKIP;
	}
	return test_harness_run(argc, argv);
}
