// SPDX-License-Identifier: GPL-2.0
/*
 * The CPUs of cores, sockets and NUMA nodes, as sysfs has them.
 */
#include "topology.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "sums.h"

#define CPU_DIR	"/sys/devices/system/cpu/cpu%u"

/* The id from sysfs; -1 if the kernel does not say it, as for a CPU that is offline. */
static int read_id(unsigned int cpu, const char *name)
{
	char path[96];
	FILE *file;
	int id = -1;

	snprintf(path, sizeof(path), CPU_DIR "/topology/%s", cpu, name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &id) != 1)
		id = -1;
	fclose(file);
	return id;
}

/* The directory of a CPU has a link to its NUMA node. */
static int read_node(unsigned int cpu)
{
	struct dirent *entry;
	char path[64], end;
	int id = -1, found;
	DIR *dir;

	snprintf(path, sizeof(path), CPU_DIR, cpu);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (sscanf(entry->d_name, "node%d%c", &found, &end) == 1)
			id = found;
	}
	closedir(dir);
	return id;
}

/**
 * topology_of_cpu - where a CPU is
 * @cpu: number of the CPU
 * @core_id: number of the core in its socket; -1 if not known, as the others
 * @socket: number of the socket
 * @numa: number of the NUMA node
 */
void topology_of_cpu(unsigned int cpu, int *core_id, int *socket, int *numa)
{
	*core_id = read_id(cpu, "core_id");
	*socket = read_id(cpu, "physical_package_id");
	*numa = read_node(cpu);
}

static void look_up(struct row *row, enum topology by)
{
	if (by == TOPOLOGY_NODE) {
		row->numa = read_node(row->cpu);
		return;
	}
	row->socket = read_id(row->cpu, "physical_package_id");
	if (by == TOPOLOGY_CORE)
		row->core_id = read_id(row->cpu, "core_id");
}

static bool is_same(const struct row *one, const struct row *other)
{
	return one->core_id == other->core_id && one->socket == other->socket &&
	       one->numa == other->numa;
}

static bool is_before(const struct row *one, const struct row *other)
{
	if (one->numa != other->numa)
		return one->numa < other->numa;
	if (one->socket != other->socket)
		return one->socket < other->socket;
	return one->core_id < other->core_id;
}

static enum row_kind kind_of(enum topology by)
{
	switch (by) {
	case TOPOLOGY_CORE:
		return ROW_CORE;
	case TOPOLOGY_SOCKET:
		return ROW_SOCKET;
	default:
		return ROW_NODE;
	}
}

/* Find the row for @cpu after the sum, and make it if there is none. */
static struct row *find(struct interval *interval, unsigned int *nr, const struct row *cpu)
{
	struct row *row = interval->row;
	unsigned int at = 1;

	while (at < *nr && is_before(&row[at], cpu))
		at++;
	if (at < *nr && is_same(&row[at], cpu))
		return &row[at];
	memmove(&row[at + 1], &row[at], (*nr - at) * sizeof(*row));
	++*nr;
	memset(&row[at], 0, sizeof(*row));
	row[at].core_id = cpu->core_id;
	row[at].socket = cpu->socket;
	row[at].numa = cpu->numa;
	row[at].state = TOPDOWN_STATE_UNSUPPORTED;
	row[at].flags_known = true;
	return &row[at];
}

static void add(struct row *row, const struct row *cpu)
{
	bool counts = cpu->level && cpu->figures.enabled_ns;

	row->state = td_state_worse(row->state, cpu->state);
	row->flags |= cpu->flags;
	row->turns = td_turns_more(row->turns, cpu->turns);
	row->expected_ns += cpu->expected_ns;
	if (!row->nr_cpus || (counts && cpu->level < row->level))
		row->level = cpu->level;
	if (row->nr_cpus && row->source != cpu->source)
		row->source = TOPDOWN_SOURCE_MIXED;
	else
		row->source = cpu->source;
	row->nr_cpus++;
	row->time_ns += cpu->time_ns;
	topdown_figures_add(&row->figures, &cpu->figures, row->level);
}

/**
 * topology_rows - add up the rows of CPUs
 * @interval: rows of the sum and of CPUs; afterwards of the sum and of cores, sockets or
 *	NUMA nodes, in the order of their numbers
 * @by: cores, sockets or NUMA nodes
 */
void topology_rows(struct interval *interval, enum topology by)
{
	unsigned int i, nr = 1;

	/* Each CPU makes at most one row, so the rows always fit. */
	for (i = 1; i < interval->nr; i++) {
		struct row cpu = interval->row[i], *row;

		look_up(&cpu, by);
		row = find(interval, &nr, &cpu);
		row->kind = kind_of(by);
		add(row, &cpu);
	}
	interval->nr = nr;
}
