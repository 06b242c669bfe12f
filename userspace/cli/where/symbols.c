// SPDX-License-Identifier: GPL-2.0
/*
 * The maps of processes, as they were at the time of a sample, and the files in them. A map is
 * never forgotten, as a sample may be read after the process has unmapped it.
 */
#include "symbols.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define KALLSYMS	"/proc/kallsyms"
#define KERNEL_NAME	"[kernel]"
#define BUCKETS		4096
#define HASH		0x9e3779b97f4a7c15ULL
#define HASH_SHIFT	52
/* A file that cannot be opened is looked for in the roots of so many processes. */
#define TRIES		8
/*
 * Maps of all processes, 160 MB, of one process, and names of files. A process that is sampled can
 * have 65,000 maps at a time, and each that it makes has them all again.
 */
#define MAPS_MAX	(4U << 20)
#define MAPS_EACH_MAX	(128U << 10)
#define FILES_MAX	(128U << 10)
/* The end of a list of numbers. */
#define NONE		UINT32_MAX

/**
 * struct map - a part of a process, from some time on
 * @time_ns: that time, CLOCK_MONOTONIC as of the samples
 * @start: first address
 * @end: address after the last one
 * @offset: where it begins in the file, in bytes
 * @object: index of the file
 */
struct map {
	uint64_t time_ns;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t object;
};

/**
 * struct process - a process and what it has mapped
 * @pid: its number
 * @next: another one with the same hash, or NONE
 * @executed_ns: when it executed its program; older maps are of the program before
 * @nr: number of @map
 * @room: how many there is room for
 * @map: in the order of time
 */
struct process {
	uint32_t pid;
	uint32_t next;
	uint64_t executed_ns;
	size_t nr, room;
	struct map *map;
};

/**
 * struct file - a file of a name
 * @next: another one with the same hash, or NONE
 * @path: the name
 * @shown: the same for people and programs, as its owner may write anything into it
 * @identity: the file
 * @pid: a process that has mapped it
 * @tries: by so many processes in turn it was looked for
 * @missed: it is to be a file, and could not be opened
 * @object: its symbols, or NULL
 */
struct file {
	uint32_t next;
	char *path;
	char *shown;
	struct where_identity identity;
	uint32_t pid;
	unsigned int tries;
	bool missed;
	struct where_object *object;
};

/* A place that was looked at. */
struct known {
	struct known *next;
	struct where_place place;
	struct where_symbol symbol;
	char *name;
	char *source;
};

/**
 * struct where_symbols - all that is known
 * @processes_nr: number of @process
 * @processes_room: how many there is room for
 * @process: processes, as they came
 * @files_nr: number of @file
 * @files_room: how many there is room for
 * @file: files, as they came
 * @maps_nr: maps of all processes
 * @full: some were left out
 * @kernel: functions of the kernel, or NULL
 * @pids: the last process of each hash, or NONE
 * @paths: the first file of each hash, or NONE
 * @known: places of each hash
 * @no_kernel: a function of the kernel was looked for in vain
 */
struct where_symbols {
	size_t processes_nr, processes_room;
	struct process *process;
	size_t files_nr, files_room;
	struct file *file;
	size_t maps_nr;
	bool full;
	struct where_kernel *kernel;
	uint32_t pids[BUCKETS];
	uint32_t paths[BUCKETS];
	struct known *known[BUCKETS];
	bool no_kernel;
};

/* Room for one more; false without memory. */
static bool grow(void *array, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 64;
	void **at = array, *larger;

	if (nr < *room)
		return true;
	larger = realloc(*at, more * size);
	if (!larger)
		return false;
	*at = larger;
	*room = more;
	return true;
}

/**
 * where_symbols_new - know nothing yet, or the kernel alone
 * @kernel: read the functions of the kernel now; nobody takes records while they are read
 *
 * Return: symbols; NULL without memory.
 */
struct where_symbols *where_symbols_new(bool kernel)
{
	struct where_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	/* All of them are NONE. */
	memset(symbols->pids, 0xff, sizeof(symbols->pids));
	memset(symbols->paths, 0xff, sizeof(symbols->paths));
	if (!kernel)
		return symbols;
	symbols->kernel = where_kernel_open(KALLSYMS);
	if (symbols->kernel)
		return symbols;
	free(symbols);
	return NULL;
}

static void free_known(struct known *known)
{
	struct known *next;

	for (; known; known = next) {
		next = known->next;
		free(known->name);
		free(known->source);
		free(known);
	}
}

/**
 * where_symbols_free - forget all
 * @symbols: symbols, or NULL
 */
void where_symbols_free(struct where_symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < symbols->processes_nr; i++)
		free(symbols->process[i].map);
	for (i = 0; i < symbols->files_nr; i++) {
		where_object_close(symbols->file[i].object);
		free(symbols->file[i].path);
		free(symbols->file[i].shown);
	}
	for (i = 0; i < BUCKETS; i++)
		free_known(symbols->known[i]);
	where_kernel_close(symbols->kernel);
	free(symbols->process);
	free(symbols->file);
	free(symbols);
}

/* A copy to be printed, of as much as a path can have; NULL for NULL, and without memory. */
static char *printable_copy(const char *text)
{
	char *copy = text ? strndup(text, PATH_MAX) : NULL;

	if (copy)
		printable_text(copy, "");
	return copy;
}

/* Some kernels have two devices for a file of an overlay, one of them without a major number. */
static bool same_identity(const struct where_identity *one, const struct where_identity *other)
{
	return one->inode == other->inode &&
	       (!one->dev_major != !other->dev_major ||
		(one->dev_major == other->dev_major && one->dev_minor == other->dev_minor));
}

/* The device is left out, as its number may differ: see same_identity(). */
static unsigned int bucket_of_file(const char *path, uint64_t inode)
{
	uint64_t hash = inode;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * HASH;
	return hash >> HASH_SHIFT;
}

/* @number is WHERE_NO_OBJECT for a file that is too much. False without memory. */
static bool find_file(struct where_symbols *symbols, const char *path, uint32_t pid,
		      const struct where_identity *identity, uint32_t *number)
{
	uint32_t *head = &symbols->paths[bucket_of_file(path, identity->inode)], i, last = NONE;
	struct file *file;

	/* If two may be it, the first is. */
	for (i = *head; i != NONE; last = i, i = symbols->file[i].next) {
		if (same_identity(&symbols->file[i].identity, identity) &&
		    !strcmp(symbols->file[i].path, path)) {
			*number = i;
			return true;
		}
	}
	*number = WHERE_NO_OBJECT;
	/* The kernel and its modules are few. */
	if (pid && symbols->files_nr >= FILES_MAX) {
		symbols->full = true;
		return true;
	}
	if (!grow(&symbols->file, symbols->files_nr, &symbols->files_room,
		  sizeof(symbols->file[0])))
		return false;
	i = symbols->files_nr++;
	file = &symbols->file[i];
	*file = (struct file){
		.next = NONE,
		.path = strdup(path),
		.shown = printable_copy(path),
		.identity = *identity,
		.pid = pid,
	};
	if (!file->path || !file->shown)
		return false;
	if (last == NONE)
		*head = i;
	else
		symbols->file[last].next = i;
	*number = i;
	return true;
}

static uint32_t *bucket_of_pid(struct where_symbols *symbols, uint32_t pid)
{
	return &symbols->pids[pid % BUCKETS];
}

static struct process *find_process(struct where_symbols *symbols, uint32_t pid)
{
	uint32_t i;

	for (i = *bucket_of_pid(symbols, pid); i != NONE; i = symbols->process[i].next) {
		if (symbols->process[i].pid == pid)
			return &symbols->process[i];
	}
	return NULL;
}

/* Without one that is too much, samples in it are in no file. */
static int add_map(struct where_symbols *symbols, struct process *process, const struct map *map)
{
	if (map->object == WHERE_NO_OBJECT)
		return 0;
	if (symbols->maps_nr >= MAPS_MAX || process->nr >= MAPS_EACH_MAX) {
		symbols->full = true;
		return 0;
	}
	if (!grow(&process->map, process->nr, &process->room, sizeof(*map)))
		return -ENOMEM;
	process->map[process->nr++] = *map;
	symbols->maps_nr++;
	return 0;
}

/* "start-end perms offset dev inode path" */
static int read_maps(struct where_symbols *symbols, struct process *process)
{
	char path[32], line[4608], perms[5];
	unsigned long start, end, offset, inode;
	struct where_identity identity = { 0 };
	struct map map = { 0 };
	int at, ret = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/maps", process->pid);
	file = fopen(path, "re");
	/* It has ended, or is not ours. */
	if (!file)
		return 0;
	while (!ret && fgets(line, sizeof(line), file)) {
		at = 0;
		if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &start, &end, perms, &offset,
			   &identity.dev_major, &identity.dev_minor, &inode, &at) < 7 || !at ||
		    perms[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = '\0';
		map.start = start;
		map.end = end;
		map.offset = offset;
		identity.inode = inode;
		if (!find_file(symbols, line[at] ? line + at : "//anon", process->pid, &identity,
			       &map.object))
			ret = -ENOMEM;
		else
			ret = add_map(symbols, process, &map);
	}
	fclose(file);
	return ret;
}

static struct process *add_process(struct where_symbols *symbols, uint32_t pid)
{
	uint32_t *head = bucket_of_pid(symbols, pid);
	struct process *process;

	if (!grow(&symbols->process, symbols->processes_nr, &symbols->processes_room,
		  sizeof(*process)))
		return NULL;
	process = &symbols->process[symbols->processes_nr];
	*process = (struct process){ .pid = pid, .next = *head };
	*head = symbols->processes_nr++;
	return process;
}

/* A process that is not known yet has run before the begin. */
static struct process *get_process(struct where_symbols *symbols, uint32_t pid)
{
	struct process *process = find_process(symbols, pid);

	if (process)
		return process;
	process = add_process(symbols, pid);
	if (process && read_maps(symbols, process))
		return NULL;
	return process;
}

static int copy_parent(struct where_symbols *symbols, const struct topdown_stalls_map *change)
{
	struct process *parent = get_process(symbols, change->parent), *child;
	size_t i, parent_at;
	int ret = 0;

	if (!parent)
		return -ENOMEM;
	parent_at = parent - symbols->process;
	child = find_process(symbols, change->pid);
	if (!child)
		child = add_process(symbols, change->pid);
	if (!child)
		return -ENOMEM;
	/* A number that is used again is another process. */
	child->executed_ns = change->time_ns;
	parent = &symbols->process[parent_at];
	for (i = 0; i < parent->nr && !ret; i++) {
		struct map map = parent->map[i];

		if (map.time_ns < parent->executed_ns)
			continue;
		map.time_ns = change->time_ns;
		ret = add_map(symbols, child, &map);
	}
	return ret;
}

/**
 * where_symbols_change - a process has changed
 * @symbols: symbols
 * @change: what has changed
 * @name: name of a file
 *
 * Return: 0 or -ENOMEM.
 */
int where_symbols_change(struct where_symbols *symbols, const struct topdown_stalls_map *change,
			 const char *name)
{
	struct map map = {
		.time_ns = change->time_ns,
		.start = change->start,
		.end = change->end,
		.offset = change->offset,
	};
	const struct where_identity identity = {
		.inode = change->inode,
		.dev_major = change->dev_major,
		.dev_minor = change->dev_minor,
	};
	struct process *process;

	if (change->change == TOPDOWN_STALLS_FORKED)
		return copy_parent(symbols, change);
	process = find_process(symbols, change->pid);
	if (!process && change->change == TOPDOWN_STALLS_EXECUTED)
		process = add_process(symbols, change->pid);
	if (!process)
		process = get_process(symbols, change->pid);
	if (!process)
		return -ENOMEM;
	if (change->change == TOPDOWN_STALLS_EXECUTED) {
		process->executed_ns = change->time_ns;
		return 0;
	}
	if (!find_file(symbols, name, change->pid, &identity, &map.object))
		return -ENOMEM;
	return add_map(symbols, process, &map);
}

/* The last one that was there at that time. */
static const struct map *map_at(const struct process *process, uint64_t time_ns, uint64_t ip)
{
	size_t i;

	for (i = process->nr; i > 0; i--) {
		const struct map *map = &process->map[i - 1];

		if (ip < map->start || ip >= map->end || map->time_ns > time_ns)
			continue;
		if (process->executed_ns <= time_ns && map->time_ns < process->executed_ns)
			continue;
		return map;
	}
	return NULL;
}

static bool is_file(const struct file *file)
{
	return *file->path == '/' && strncmp(file->path, "//", 2) &&
	       strncmp(file->path, "/memfd:", strlen("/memfd:"));
}

/* The first process that mapped it may have ended, with the container that has the file. */
static struct where_object *open_file(struct file *file, uint32_t pid)
{
	int fd = -1;

	if (file->object || file->tries >= TRIES || (file->tries && file->pid == pid))
		return file->object;
	if (file->tries++)
		file->pid = pid;
	if (is_file(file)) {
		fd = where_file_open(file->path, file->pid, &file->identity);
		file->missed = fd < 0;
	}
	if (fd < 0)
		return NULL;
	file->object = where_object_open(fd, file->path);
	if (!file->object)
		file->tries = TRIES;
	return file->object;
}

static int place_in_kernel(struct where_symbols *symbols, uint64_t ip, struct where_place *place)
{
	const struct where_identity none = { 0 };
	struct where_symbol symbol;
	const char *module = NULL;

	/* An event that is not precise may be in kernel mode although that is left out. */
	if (!symbols->kernel)
		symbols->kernel = where_kernel_open(KALLSYMS);
	if (!symbols->kernel)
		return -ENOMEM;
	symbols->no_kernel |= !where_kernel_find(symbols->kernel, ip, &symbol, &module);
	place->address = ip;
	if (!find_file(symbols, module ? module : KERNEL_NAME, 0, &none, &place->object))
		return -ENOMEM;
	return 0;
}

/**
 * where_symbols_place - the place of an address
 * @symbols: symbols
 * @stall: the record: its process, and its time
 * @ip: address, of the record or of a caller
 * @place: written
 *
 * Return: 0 or -ENOMEM.
 */
int where_symbols_place(struct where_symbols *symbols, const struct topdown_stall *stall,
			uint64_t ip, struct where_place *place)
{
	struct where_object *object;
	struct process *process;
	const struct map *map;

	if ((int64_t)ip < 0)
		return place_in_kernel(symbols, ip, place);
	process = get_process(symbols, stall->pid);
	if (!process)
		return -ENOMEM;
	map = map_at(process, stall->time_ns, ip);
	*place = (struct where_place){ .object = WHERE_NO_OBJECT, .address = ip };
	if (!map)
		return 0;
	place->object = map->object;
	object = open_file(&symbols->file[map->object], stall->pid);
	if (object)
		where_object_address(object, ip - map->start + map->offset, &place->address);
	return 0;
}

static unsigned int bucket_of(const struct where_place *place)
{
	uint64_t hash = (place->address ^ (uint64_t)place->object << 40) * HASH;

	return hash >> HASH_SHIFT;
}

/* Names of functions and sources are as a user has written them, too. */
static void keep_names(struct known *known)
{
	struct where_symbol *symbol = &known->symbol;

	known->name = symbol->name ? where_demangle(symbol->name) : NULL;
	if (known->name)
		printable_text(known->name, "");
	known->source = printable_copy(symbol->file);
	symbol->name = known->name;
	symbol->file = known->source;
}

static void look_up(struct where_symbols *symbols, struct known *known)
{
	uint32_t number = known->place.object;
	struct where_object *object;
	const char *module;

	if (number == WHERE_NO_OBJECT)
		return;
	if (*symbols->file[number].path == '[' && (int64_t)known->place.address < 0) {
		where_kernel_find(symbols->kernel, known->place.address, &known->symbol, &module);
		return;
	}
	object = symbols->file[number].object;
	if (object && where_object_find(object, known->place.address, &known->symbol))
		keep_names(known);
}

/**
 * where_symbols_find - what is at a place
 * @symbols: symbols
 * @place: place
 *
 * Return: function and line, as far as they are known; NULL without memory.
 */
const struct where_symbol *where_symbols_find(struct where_symbols *symbols,
					      const struct where_place *place)
{
	struct known **head = &symbols->known[bucket_of(place)], *known;

	for (known = *head; known; known = known->next) {
		if (known->place.object == place->object &&
		    known->place.address == place->address)
			return &known->symbol;
	}
	known = calloc(1, sizeof(*known));
	if (!known)
		return NULL;
	known->place = *place;
	look_up(symbols, known);
	known->next = *head;
	*head = known;
	return &known->symbol;
}

/**
 * where_symbols_object - name of a file, to be printed
 * @symbols: symbols
 * @object: its number
 *
 * Return: "[unknown]" for no file.
 */
const char *where_symbols_object(const struct where_symbols *symbols, uint32_t object)
{
	return object < symbols->files_nr ? symbols->file[object].shown : "[unknown]";
}

/**
 * where_symbols_open - open a file again
 * @symbols: symbols
 * @object: its number
 *
 * Return: descriptor; -1 if there is another file now, or none that can be opened.
 */
int where_symbols_open(const struct where_symbols *symbols, uint32_t object)
{
	const struct file *file = object < symbols->files_nr ? &symbols->file[object] : NULL;

	return file ? where_file_open(file->path, file->pid, &file->identity) : -1;
}

/**
 * where_symbols_no_kernel - whether a function of the kernel was looked for in vain
 * @symbols: symbols
 */
bool where_symbols_no_kernel(const struct where_symbols *symbols)
{
	return symbols->no_kernel;
}

/**
 * where_symbols_full - whether there were more maps of processes, or files, than are kept
 * @symbols: symbols
 */
bool where_symbols_full(const struct where_symbols *symbols)
{
	return symbols->full;
}

/**
 * where_symbols_missed - how many files with places could not be opened
 * @symbols: symbols
 */
unsigned int where_symbols_missed(const struct where_symbols *symbols)
{
	unsigned int nr = 0;
	uint32_t i;

	for (i = 0; i < symbols->files_nr; i++)
		nr += symbols->file[i].missed;
	return nr;
}
