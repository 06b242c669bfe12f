// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where the pipeline slots of the whole machine go, in one second.
 *
 *   cc machine.c -o machine $(pkg-config --cflags --libs libtopdown)
 */
#include <stdio.h>
#include <string.h>
#include <topdown.h>
#include <unistd.h>

static void print(const struct topdown_figures *figures)
{
	unsigned int node;

	printf("%llu slots\n", figures->slots);
	for (node = 0; node < TOPDOWN_MAX_NODES; node++) {
		if (topdown_figures_has(figures, node))
			printf("%-24s %5.1f%%\n", topdown_node_name(node),
			       100 * topdown_figures_ratio(figures, node));
	}
}

int main(void)
{
	struct topdown_reading *then = NULL, *now = NULL;
	struct topdown_figures figures;
	struct topdown *td = NULL;
	int ret;

	ret = topdown_open(&td, NULL);
	if (!ret)
		ret = topdown_reading_create(&then, td, NULL, 0);
	if (!ret)
		ret = topdown_reading_create(&now, td, NULL, 0);
	if (!ret)
		ret = topdown_reading_update(then, TOPDOWN_READ_FRESH);
	if (!ret) {
		sleep(1);
		ret = topdown_reading_update(now, TOPDOWN_READ_FRESH);
	}
	if (!ret)
		ret = topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures);
	if (ret)
		fprintf(stderr, "machine: %s\n", strerror(-ret));
	else
		print(&figures);
	topdown_reading_destroy(now);
	topdown_reading_destroy(then);
	topdown_close(td);
	return ret ? 1 : 0;
}
