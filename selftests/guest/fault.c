// SPDX-License-Identifier: GPL-2.0
/*
 * fault NAME: something is wrong with the emulated machine from now on.
 *
 * Names: none, those of enum td_bd_fault (width, dead, ...), truncate, round, rest, filter
 * (only architectural events count, and PERF_METRICS are 0), guest (the counters stand still half
 * of the time), restore-bytes and restore-exact.  "none" leaves alone how bytes are made.
 */
#include <string.h>

#include "guest.h"

static const char *const names[TD_BD_FAULTS] = {
	"none", "width", "dead", "stuck", "sum", "stale", "late", "event", "filtered", "sibling",
	"slow",
};

static bool unset(void)
{
	return backdoor_set_fault(TD_BD_FAULT_NONE) && backdoor_set_filter(false) &&
	       backdoor_set_guest(TD_BD_GUEST_NONE);
}

static bool set(const char *name)
{
	unsigned int i;

	if (!strcmp(name, "filter"))
		return backdoor_set_filter(true);
	if (!strcmp(name, "guest"))
		return backdoor_set_guest(TD_BD_GUEST_ALL);
	if (!strcmp(name, "restore-bytes"))
		return backdoor_set_restore(TD_BD_RESTORE_BYTES);
	if (!strcmp(name, "restore-exact"))
		return backdoor_set_restore(TD_BD_RESTORE_EXACT);
	if (!strcmp(name, "none"))
		return unset();
	for (i = 0; i < TD_BD_FAULTS; i++) {
		if (!strcmp(name, names[i]))
			return backdoor_set_fault(i);
	}
	return backdoor_set_quant_named(name);
}

int main(int argc, char **argv)
{
	if (argc != 2 || !backdoor_open() || !set(argv[1])) {
		fprintf(stderr, "Usage: fault NAME, on the emulated machine\n");
		return 2;
	}
	/* Where time passes with instructions nothing is slow. */
	if (!strcmp(argv[1], "slow") && backdoor_exact()) {
		unset();
		return 1;
	}
	return 0;
}
