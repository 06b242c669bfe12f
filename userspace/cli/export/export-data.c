// SPDX-License-Identifier: GPL-2.0
/*
 * The sums that are exported, as the map of the device has them.
 *
 * No module is not an error here: a machine without one says so, and is looked at again.
 */
#include "export-data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "cpulist.h"
#include "refusal.h"
#include "sums.h"

#define TRY_NS		(EXPORT_TRY_MS * NS_PER_MS)

static void close_device(struct export_data *data)
{
	topdown_reading_destroy(data->reading);
	topdown_map_close(data->map);
	topdown_close(data->td);
	data->reading = NULL;
	data->map = NULL;
	data->td = NULL;
}

/*
 * The clock of the load does not count from the epoch, and the date is corrected all the time.
 * To whole seconds, so that two programs say the same.
 */
static uint64_t loaded_at(const struct topdown_info *info)
{
	struct timespec boot, real;
	uint64_t ns;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &real);
	ns = (real.tv_sec - boot.tv_sec) * NS_PER_S + real.tv_nsec - boot.tv_nsec +
	     info->out_load_time_ns;
	return (ns + NS_PER_S / 2) / NS_PER_S;
}

/* Say it once, and not at each scrape. */
static void tell(struct export_data *data, int error,
		 int (*report)(const char *path, int error))
{
	if (data->told != error)
		report(data->device, error);
	data->told = error;
}

static bool open_device(struct export_data *data)
{
	int ret;

	if (data->td)
		return true;
	ret = topdown_open(&data->td, data->device);
	if (ret) {
		tell(data, -ret, refusal_open);
		return false;
	}
	data->info = topdown_info_get(data->td);
	data->loaded_s = loaded_at(data->info);
	ret = topdown_map_open(&data->map, data->td);
	if (!ret)
		ret = topdown_reading_create(&data->reading, data->td, NULL, 0);
	if (ret) {
		tell(data, -ret, refusal_read);
		close_device(data);
	}
	return !ret;
}

/* After a success: what the module said of each CPU. */
static int keep_records(struct export_data *data)
{
	unsigned int nr = topdown_reading_nr(data->reading), i;
	struct topdown_record *records;

	records = reallocarray(data->records, nr + 1, sizeof(*records));
	if (!records)
		return -ENOMEM;
	data->records = records;
	for (i = 0; i < nr; i++)
		records[i] = *topdown_reading_record(data->reading, i);
	data->nr_records = nr;
	return 0;
}

/*
 * A CPU does not end its write. It stays as it was, and the others go on. Without any copy of
 * it the sums would be smaller than they were, so there must be one.
 */
static int read_others(struct export_data *data)
{
	struct topdown_record record;
	int ret = -EAGAIN;
	unsigned int i;

	for (i = 0; i < data->nr_records; i++) {
		if (topdown_map_read_record(data->map, data->records[i].cpu, &record,
					    sizeof(record), NULL))
			continue;
		data->records[i] = record;
		ret = 0;
	}
	return ret;
}

static bool read_device(struct export_data *data)
{
	const struct timespec pause = { .tv_nsec = TRY_NS };
	unsigned int tries;
	int ret;

	for (tries = 0; tries < EXPORT_TRIES; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		ret = topdown_reading_update_map(data->reading, data->map, 0);
		if (ret != -EAGAIN)
			break;
	}
	if (!ret)
		ret = keep_records(data);
	else if (ret == -EAGAIN)
		ret = read_others(data);
	if (!ret)
		ret = topdown_info_update(data->td);
	if (ret)
		tell(data, -ret, refusal_read);
	return !ret;
}

/* The row of a record, which is new if there is none yet. */
static struct export_row *find_row(struct export_data *data, const struct topdown_record *record)
{
	struct export_row *row;
	unsigned int i;

	for (i = 0; i < data->nr && !data->per_cpu; i++) {
		if (data->rows[i].kind == record->kind)
			return &data->rows[i];
	}
	if (data->nr == data->room) {
		unsigned int room = data->room ? 2 * data->room : 4;

		row = reallocarray(data->rows, room, sizeof(*row));
		if (!row)
			return NULL;
		data->rows = row;
		data->room = room;
	}
	row = &data->rows[data->nr++];
	*row = (struct export_row){
		.cpu = data->per_cpu ? record->cpu : TOPDOWN_CPU_ALL,
		.kind = record->kind,
		.source = record->source,
		.slots_per_cycle = record->slots_per_cycle,
		.turns = 1,
	};
	return row;
}

static void add_figures(struct export_row *row, const struct topdown_figures *figures)
{
	unsigned int i;

	row->enabled_ns += figures->enabled_ns;
	row->running_ns += figures->running_ns;
	row->busy_ns += figures->busy_ns;
	row->slots += figures->slots;
	row->cycles += figures->cycles;
	row->instructions += figures->instructions;
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++)
		row->children_slots[i] += figures->children_slots[i];
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		row->node[i] += figures->node[i];
		/* With drilldown a node is not counted all the time, but its series stays. */
		if (figures->node[i])
			row->nodes |= 1ULL << i;
	}
}

static void add_record(struct export_row *row, const struct topdown_record *record)
{
	if (row->source != record->source)
		row->source = TOPDOWN_SOURCE_MIXED;
	if (row->slots_per_cycle != record->slots_per_cycle)
		row->slots_per_cycle = 0;
	if (row->level < record->level)
		row->level = record->level;
	row->turns = td_turns_more(row->turns, record->turns);
	row->measured++;
	row->expected_ppb += EXPORT_WHOLE_PPB / (record->turns ? record->turns : 1);
	row->nodes |= record->nodes;
	add_figures(row, &record->total);
}

/*
 * The sum of a kind keeps CPUs that are offline, so that it never falls. By itself such a CPU
 * has no series.
 */
static bool is_row(const struct export_data *data, const struct topdown_record *record)
{
	return record->level && !(data->per_cpu && record->state == TOPDOWN_STATE_OFFLINE);
}

static bool add_all(struct export_data *data)
{
	const struct topdown_record *record;
	struct export_row *row;
	unsigned int i;

	data->nr = 0;
	memset(data->cpus, 0, sizeof(data->cpus));
	for (i = 0; i < data->nr_records; i++) {
		record = &data->records[i];
		data->cpus[record->state < EXPORT_STATES ? record->state : EXPORT_STATES - 1]++;
		if (!is_row(data, record))
			continue;
		row = find_row(data, record);
		if (!row)
			return false;
		add_record(row, record);
	}
	return true;
}

static void find_offline(struct cpulist *offline, const struct export_data *data)
{
	unsigned int i;

	memset(offline, 0, sizeof(*offline));
	for (i = 0; i < data->nr_records; i++) {
		if (data->records[i].state == TOPDOWN_STATE_OFFLINE)
			cpulist_set(offline, data->records[i].cpu);
	}
}

/**
 * export_data_update - look again
 * @data: device, per_cpu, those of cgroups and latency, and otherwise zeroed before the first time
 *
 * data->up says whether the module could be read.
 */
void export_data_update(struct export_data *data)
{
	struct cpulist offline;

	data->up = open_device(data) && read_device(data);
	if (data->up && !add_all(data)) {
		tell(data, ENOMEM, refusal_read);
		data->up = false;
	}
	if (data->up)
		data->told = 0;
	export_cgroups_update(&data->cgroups, data->up ? data->td : NULL);
	find_offline(&offline, data);
	export_latency_update(&data->latency, data->up ? data->td : NULL, &offline);
}

/**
 * export_data_end - close the device
 * @data: data
 */
void export_data_end(struct export_data *data)
{
	export_cgroups_end(&data->cgroups);
	export_latency_end(&data->latency);
	close_device(data);
	free(data->records);
	free(data->rows);
	data->records = NULL;
	data->rows = NULL;
	data->nr_records = 0;
	data->room = 0;
	data->nr = 0;
}
