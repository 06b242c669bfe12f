// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * The time that a CPU spends in virtual machines.
 *
 * Our events exclude guests, so their counters stand still while a guest runs.  perf counts
 * that time as running time, unless the guest has the PMU for itself.  So the guest time
 * that the kernel accounts is subtracted here.  On nohz_full CPUs
 * that time is exact.  Elsewhere the kernel accounts whole ticks, at their ends, and a part
 * may be shorter than a tick.  So guest time that exceeds one part is subtracted from the
 * next parts.
 */
#include "guest.h"

#ifdef __KERNEL__
#include <linux/math64.h>
#endif

/**
 * td_guest_begin - ignore the guest time until now
 * @guest: written
 * @total: guest time of the CPU since boot, nanoseconds
 * @apart: guest time that perf does not count as running
 */
void td_guest_begin(struct td_guest *guest, __u64 total, __u64 apart)
{
	*guest = (struct td_guest){ .seen = total, .apart = apart };
}

/* part * running / enabled; no time reaches 2^63. */
static __u64 td_guest_share(__u64 part, __u64 running, __u64 enabled)
{
	if (running >= enabled)
		return part;
#ifdef __KERNEL__
	return mul_u64_u64_div_u64(part, running, enabled);
#else
	return (unsigned __int128)part * running / enabled;
#endif
}

/**
 * td_guest_running - running time since the last fold, without guests
 * @guest: guest time of the CPU; updated
 * @total: as for td_guest_begin(), now
 * @apart: as for td_guest_begin(), now
 * @enabled_ns: time since the last fold
 * @running_ns: time in which the group had the counters, at most @enabled_ns
 *
 * If perf users had the counters at times, they are assumed to have had them in guests
 * as often as elsewhere.
 *
 * Return: @running_ns minus the guest time in it.
 */
__u64 td_guest_running(struct td_guest *guest, __u64 total, __u64 apart, __u64 enabled_ns,
		       __u64 running_ns)
{
	__s64 spent = (__s64)(total - guest->seen) - (__s64)(apart - guest->apart);
	__u64 taken;

	guest->seen = total;
	guest->apart = apart;
	/* The two clocks differ, so the guest time may seem to go back a little. */
	if (spent < 0 && guest->owed < -(__u64)spent)
		guest->owed = 0;
	else
		guest->owed += spent;
	taken = guest->owed < enabled_ns ? guest->owed : enabled_ns;
	guest->owed -= taken;
	return running_ns - td_guest_share(taken, running_ns, enabled_ns);
}
