/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fixture of the tests of latencies: a load with events of all shapes on one CPU.
 */
#ifndef TD_LATENCY_FIXTURE_H
#define TD_LATENCY_FIXTURE_H

#include <signal.h>
#include <unistd.h>

#include "../../kselftest_harness.h"
#include "guest.h"
#include "latency.h"

FIXTURE(latency) {
	int fd;
	int load;
};

/* A sampler that had to leave before stays away longer each time, so each test has new ones. */
FIXTURE_SETUP(latency)
{
	self->load = -1;
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
	ASSERT_EQ(0, module_load_latency());
	ASSERT_EQ(0, file_write("/proc/sys/kernel/nmi_watchdog", 0, "0"));
	/* First of all, or it has the descriptor too. */
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
	ASSERT_LT(0, self->load);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	if (!latency_granted())
		SKIP(return, "this machine samples no latency");
}

FIXTURE_TEARDOWN(latency)
{
	if (self->load > 0)
		spin_stop(self->load);
	/* A test that failed may have left another one, and then nobody can set the sample rate. */
	file_write("/proc/sys/kernel/perf_cpu_time_max_percent", 0, "25");
	close(self->fd);
}

static int latency_main(int argc, char **argv)
{
	int ret = module_need_latency();

	if (ret)
		return ret;
	if (!backdoor_open()) {
		printf("1..0 # SKIP no emulated PMU\n");
		return KSFT_SKIP;
	}
	return test_harness_run(argc, argv);
}

#endif /* TD_LATENCY_FIXTURE_H */
