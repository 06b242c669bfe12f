// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * The time that a CPU spends in virtual machines.
 *
 * Our events leave guests out, so their counters stand still while a guest runs.  perf takes
 * that time for one in which they run, but where a guest has the PMU for itself.
 * The kernel accounts for the time of guests, mostly by ticks: a whole tick shows at its end,
 * and a part between two folds may be shorter than that.  So what does not fit one
 * part is taken off the next ones.
 */
#include "guest.h"

#ifdef __KERNEL__
#include <linux/math64.h>
#endif

/**
 * td_guest_begin - what was until now is nobody's
 * @guest: written
 * @total: the CPU's time in guests since it was booted, nanoseconds
 * @apart: the part of it that perf does not take for running
 */
void td_guest_begin(struct td_guest *guest, __u64 total, __u64 apart)
{
	*guest = (struct td_guest){ .seen = total, .apart = apart };
}

/* part * running / enabled, where none is as long as 2^63. */
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
 * td_guest_running - how long the counters ran since the last fold
 * @guest: of the CPU; updated
 * @total: as for td_guest_begin(), now
 * @apart: likewise
 * @enabled_ns: time since the last fold
 * @running_ns: the part of it in which the group had the counters, never more
 *
 * Others who have the counters at times have them in guests as often as elsewhere.
 *
 * Return: @running_ns without what of it was spent in guests.
 */
__u64 td_guest_running(struct td_guest *guest, __u64 total, __u64 apart, __u64 enabled_ns,
		       __u64 running_ns)
{
	__s64 spent = (__s64)(total - guest->seen) - (__s64)(apart - guest->apart);
	__u64 taken;

	guest->seen = total;
	guest->apart = apart;
	/* The two clocks differ: what was too little is taken off the next time. */
	if (spent < 0 && guest->owed < -(__u64)spent)
		guest->owed = 0;
	else
		guest->owed += spent;
	taken = guest->owed < enabled_ns ? guest->owed : enabled_ns;
	guest->owed -= taken;
	return running_ns - td_guest_share(taken, running_ns, enabled_ns);
}
