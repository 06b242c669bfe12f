/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fixture of the tests of watches and of their events.
 */
#ifndef TOPDOWN_SELFTESTS_WATCH_FIXTURE_H
#define TOPDOWN_SELFTESTS_WATCH_FIXTURE_H

#include <sys/mman.h>

#include "../../kselftest_harness.h"
#include "watch.h"

#define LONG_MS		20000

/* One CPU is kept busy, so its windows close; the test runs on another. */
FIXTURE(watch) {
	struct map map;
	/* The kernel's own look at an address beyond all would not ask the module. */
	char *nowhere;
	struct topdown_info info;
	unsigned int cpus[TD_CPUS_MAX], nr, busy;
	int fd, spinner;
};

FIXTURE_SETUP(watch)
{
	ASSERT_EQ(0, module_need());
	if (module_loaded())
		ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("period_ms=10"));
	self->nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->nowhere);
	cpus_set_online();
	self->nr = cpus_online(self->cpus);
	self->busy = self->cpus[self->nr - 1];
	/* First of all, or it has the descriptor too. */
	self->spinner = spin_start(self->busy, NULL);
	ASSERT_LT(0, self->spinner);
	ASSERT_EQ(0, cpu_pin(self->cpus[0]));
	ASSERT_EQ(0, map_open(&self->map));
	self->fd = self->map.fd;
	ASSERT_EQ(0, device_info(self->fd, &self->info));
}

FIXTURE_TEARDOWN(watch)
{
	cpus_set_online();
	spin_stop(self->spinner);
	map_close(&self->map);
	/* The next test reloads the module; a kernel that delays releases is slow at that. */
	EXPECT_EQ(0, period_set("1000"));
}

#endif /* TOPDOWN_SELFTESTS_WATCH_FIXTURE_H */
