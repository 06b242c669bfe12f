/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * The time that a CPU spends in virtual machines, while our counters stand still.
 *
 * Pure integer functions of their arguments.  The module and the host tests compile them.
 */
#ifndef TOPDOWN_GUEST_H
#define TOPDOWN_GUEST_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <linux/types.h>
#include <stdint.h>
#endif

/**
 * struct td_guest - the time of a CPU in guests
 * @seen: guest time that was accounted at the last fold, nanoseconds
 * @apart: guest time at the last fold that perf did not count as running
 * @owed: guest time that still has to be subtracted from running time
 */
struct td_guest {
	__u64 seen;
	__u64 apart;
	__u64 owed;
};

void td_guest_begin(struct td_guest *guest, __u64 total, __u64 apart);
__u64 td_guest_running(struct td_guest *guest, __u64 total, __u64 apart, __u64 enabled_ns,
		       __u64 running_ns);

#endif /* TOPDOWN_GUEST_H */
