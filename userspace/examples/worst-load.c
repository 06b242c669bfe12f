// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The load of a program that costs most cycles, in ten seconds: worst-load PID
 *
 *   cc worst-load.c -o worst-load $(pkg-config --cflags --libs libtopdown)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <topdown.h>

#define PLACES 65536

/* A load, its cost, and its last record. */
static struct place {
	__u64 ip;
	double cost;
	struct topdown_stall last;
} place[PLACES];

int main(int argc, char **argv)
{
	struct place *worst = place, *at;
	struct topdown_stall_options options = { 0 };
	struct topdown_stalls *stalls = NULL;
	struct topdown_stall stall;
	time_t end = time(NULL) + 10;
	char text[256];
	int ret;

	options.nodes = 1U << TOPDOWN_MEMORY_BOUND;
	options.pid = argc > 1 ? atoi(argv[1]) : 0;
	ret = topdown_stalls_open(&stalls, NULL, 0, &options, sizeof(options));
	while (!ret && time(NULL) < end) {
		if (topdown_stalls_next(stalls, 100, &stall, sizeof(stall)))
			continue;
		for (at = place + stall.ip % PLACES; at->ip && at->ip != stall.ip; )
			at = at + 1 < place + PLACES ? at + 1 : place;
		at->ip = stall.ip;
		at->cost += topdown_stall_cost(&stall, TOPDOWN_MEMORY_BOUND);
		at->last = stall;
		worst = at->cost > worst->cost ? at : worst;
	}
	topdown_stalls_close(stalls);
	if (ret || !worst->ip) {
		fprintf(stderr, "worst-load: %s\n", ret ? strerror(-ret) : "no load was sampled");
		return 1;
	}
	topdown_stall_text(&worst->last, text, sizeof(text));
	printf("0x%llx: %s\n", worst->ip, text);
	return 0;
}
