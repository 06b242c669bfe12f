// SPDX-License-Identifier: GPL-2.0
/*
 * Ticks: which clock they are of, and how long they are.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <asm/cpufeature.h>
#include <asm/tsc.h>

#include "ticks.h"

bool td_ticks_tsc __ro_after_init;

/**
 * td_ticks_init() - choose the clock, before anybody looks at it
 *
 * The rate of the TSC has to be constant, as it is on all CPUs that have a meter.  So do not ask
 * for X86_FEATURE_CONSTANT_TSC: newer kernels have that from CPUID alone, and from the model only
 * of old CPUs.  Idle drivers tell the kernel where the TSC halts in idle states, and then it is
 * unstable.  A hypervisor may move its guest to a machine with another rate, unless it promises
 * not to.
 */
void __init td_ticks_init(void)
{
	bool promised = boot_cpu_has(X86_FEATURE_NONSTOP_TSC) ||
			!boot_cpu_has(X86_FEATURE_HYPERVISOR);

	td_ticks_tsc = promised && !check_tsc_unstable() && tsc_khz;
}

/**
 * td_ticks_to_ns() - how long are so many ticks?
 * @ticks: difference of two td_ticks() of one CPU
 *
 * Return: nanoseconds.
 */
u64 td_ticks_to_ns(u64 ticks)
{
	/* The rate is not 0 if the TSC is the clock; in kHz, so ticks a millisecond. */
	return td_ticks_tsc ? mul_u64_u32_div(ticks, NSEC_PER_MSEC, tsc_khz) : ticks;
}
