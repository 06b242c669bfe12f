// SPDX-License-Identifier: GPL-2.0
/*
 * What the module had counted at one time, for all metrics of one fetch.
 */
#include "snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int keep_records(struct snapshot *snapshot, const struct topdown_reading *reading)
{
	unsigned int nr = topdown_reading_nr(reading), i;
	struct topdown_record *records = snapshot->records;

	if (nr > snapshot->room) {
		records = realloc(records, nr * sizeof(*records));
		if (!records)
			return -ENOMEM;
		snapshot->records = records;
		snapshot->room = nr;
	}
	for (i = 0; i < nr; i++)
		records[i] = *topdown_reading_record(reading, i);
	snapshot->nr = nr;
	return 0;
}

/* By system call, of a module that has no map. */
static int update(struct topdown_reading *reading, struct topdown *td)
{
	struct topdown_map_view *map;
	int ret = topdown_map_open(&map, td);

	if (ret == -EOPNOTSUPP)
		return topdown_reading_update(reading, 0);
	if (ret)
		return ret;
	ret = topdown_reading_update_map(reading, map, 0);
	topdown_map_close(map);
	return ret;
}

static int read_cpus(struct snapshot *snapshot, struct topdown *td)
{
	struct topdown_reading *reading;
	int ret = topdown_reading_create(&reading, td, NULL, 0);

	if (ret)
		return ret;
	ret = update(reading, td);
	if (!ret)
		ret = keep_records(snapshot, reading);
	topdown_reading_destroy(reading);
	return ret;
}

void snapshot_take(struct snapshot *snapshot, const char *device)
{
	struct topdown *td;

	snapshot->nr = 0;
	memset(&snapshot->info, 0, sizeof(snapshot->info));
	snapshot->error = topdown_open(&td, device);
	if (snapshot->error)
		return;
	snapshot->info = *topdown_info_get(td);
	snapshot->error = read_cpus(snapshot, td);
	topdown_close(td);
}

const struct topdown_record *snapshot_find(const struct snapshot *snapshot, unsigned int cpu)
{
	unsigned int low = 0, high = snapshot->nr;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (snapshot->records[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == snapshot->nr || snapshot->records[low].cpu != cpu)
		return NULL;
	return &snapshot->records[low];
}
