/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The map of /dev/topdown as its readers see it, and what must hold there.
 */
#ifndef TOPDOWN_SELFTESTS_MAP_H
#define TOPDOWN_SELFTESTS_MAP_H

#include "guest.h"

struct map {
	int fd;
	size_t size;
	const struct topdown_map *header;
};

enum map_found {
	MAP_FOUND,
	MAP_OVERWRITTEN,
	MAP_NOT_YET,
	MAP_STUCK,
};

/* 0 or a negative errno. */
int map_open(struct map *map);
void map_close(struct map *map);
const struct topdown_map_record *map_entry(const struct map *map, unsigned int cpu);
const struct topdown_map_window *map_slot(const struct map *map, unsigned int cpu,
					  uint64_t number);

/* As linux/topdown.h says to; false if the writer does not come to an end. */
bool map_read(const struct map *map, unsigned int cpu, struct topdown_map_record *copy);
enum map_found map_window(const struct map *map, unsigned int cpu, uint64_t number,
			  struct topdown_map_window *window);
/* A reader must not do this: these copies can be torn. */
void map_read_unguarded(const struct map *map, unsigned int cpu,
			struct topdown_map_record *copy);
void map_slot_unguarded(const struct topdown_map_window *slot,
			struct topdown_map_window *window);

/* A record of READ as the map would have it, without an open window. */
void entry_make(struct topdown_map_record *entry, const struct topdown_record *record);
/* Return: what is wrong in sums of the map; NULL if nothing is.  The first two ignore @open. */
const char *sums_wrong(const struct topdown_sums *sums, unsigned int level);
const char *record_wrong(const struct topdown_map_record *record);
const char *entry_wrong(const struct topdown_map_record *entry);

/* How many windows of @cpu have closed; 0 if that cannot be read. */
uint64_t windows_of(const struct map *map, unsigned int cpu);
/* Wait until so many more have closed; false if they do not. */
bool windows_wait(const struct map *map, unsigned int cpu, unsigned int number);
/*
 * Stay on @cpu until at least @number more windows have closed there, and then
 * see to it that none closes for most of a minute; 0 or a negative errno.
 */
int windows_run(const struct map *map, unsigned int cpu, unsigned int number);

#endif /* TOPDOWN_SELFTESTS_MAP_H */
