/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two settings of a machine change its counters: the NMI watchdog, which has a
 * counter for good, and whether the cores' other threads are online.
 */
#ifndef TOPDOWN_SELFTESTS_SOURCE_SETUP_H
#define TOPDOWN_SELFTESTS_SOURCE_SETUP_H

#include <stdbool.h>

/* How the machine is now; setup_restore() makes it so again. */
void setup_save(void);
void setup_restore(void);

/* False if it is not as wanted afterwards. */
bool setup_watchdog(bool on);
bool setup_smt(bool on);

bool setup_watchdog_is_on(void);
/* Have the cores of this machine two threads now, and could they have? */
bool setup_smt_is_on(void);
bool setup_smt_is_possible(void);

#endif /* TOPDOWN_SELFTESTS_SOURCE_SETUP_H */
