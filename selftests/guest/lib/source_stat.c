// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source_stat.h"

const char * const node_name[TD_NR_NODES] = {
	"retiring", "bad_speculation", "frontend_bound", "backend_bound",
	"heavy_operations", "light_operations", "branch_mispredicts", "machine_clears",
	"fetch_latency", "fetch_bandwidth", "memory_bound", "core_bound",
	"resource_bound", "smt_contention",
};

FILE *stat_start(unsigned int delay_ms, unsigned int ms, unsigned int count, int pid)
{
	char command[128], whom[32] = "-a -A";

	if (pid)
		snprintf(whom, sizeof(whom), "-p %d", pid);
	snprintf(command, sizeof(command), "topdown stat -j %s -D %u -I %u --count %u", whom,
		 delay_ms, ms, count);
	return popen(command, "re");
}

double json_number(const char *object, const char *prefix, const char *name)
{
	char key[64], *end;
	const char *value;
	double number;

	snprintf(key, sizeof(key), "\"%s%s\":", prefix, name);
	value = strstr(object, key);
	if (!value)
		return NAN;
	value += strlen(key);
	number = strtod(value, &end);
	return end == value ? NAN : number;
}

void json_nodes(const char *object, double node[TD_NR_NODES])
{
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++)
		node[i] = json_number(object, "tma_", node_name[i]);
}
