// SPDX-License-Identifier: GPL-2.0
/*
 * topdown where: programs of others. Nothing but the file that was sampled is
 * opened, and no name that they have chosen controls a terminal or looks like another line.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"
#include "where-output.h"

#define NODE_SHOWN	TOPDOWN_MEMORY_BOUND
#define TIME_NS		1000
/* Names in this program, and those in the copy that a hostile user has. */
#define SOURCE		"mapped.c"
#define HOSTILE_SOURCE	"m\033p\nd;.c"
#define SHOWN_SOURCE	"m?p?d;.c"
#define FUNCTION	"loop_of_somebody"
#define HOSTILE		"l\033[2J_of;some\ndy"
#define SHOWN		"l?[2J_of;some?dy"
#define SHOWN_FRAME	"l?[2J_of:some?dy"
#define PROGRAM		"pr\033og;\nram"
#define SHOWN_PROGRAM	"pr?og;?ram"

int __wrap_topdown_stalls_event_get(const struct topdown_stalls *stalls, unsigned int number,
				    struct topdown_stalls_event *out, size_t size);
uint64_t __wrap_topdown_stalls_lost(const struct topdown_stalls *stalls);
uint64_t loop_of_somebody(uint64_t turns);

#define DIRECTORY	"/tmp/topdown-mapped.XXXXXX"

static char directory[sizeof(DIRECTORY)];

int __wrap_topdown_stalls_event_get(const struct topdown_stalls *stalls, unsigned int number,
				    struct topdown_stalls_event *out, size_t size)
{
	const struct topdown_stalls_event event = {
		.name = "LOADS", .pmu = "cpu", .nodes = 1ULL << NODE_SHOWN, .samples = 1,
		.role = TOPDOWN_STALLS_LOCATES,
	};

	(void)stalls;
	if (number)
		return -ENOENT;
	memcpy(out, &event, size);
	return 0;
}

uint64_t __wrap_topdown_stalls_lost(const struct topdown_stalls *stalls)
{
	(void)stalls;
	return 0;
}

__attribute__((noinline, noclone)) uint64_t loop_of_somebody(uint64_t turns)
{
	__asm__ volatile("" : "+r"(turns));
	return turns;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct where_identity identity_of(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		fail(path);
	return (struct where_identity){
		.inode = status.st_ino,
		.dev_major = major(status.st_dev),
		.dev_minor = minor(status.st_dev),
	};
}

static void put_file(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, size) != (ssize_t)size || close(fd))
		fail(path);
}

static bool opens_of(const char *path, pid_t pid, struct where_identity identity)
{
	int fd = where_file_open(path, pid, &identity);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool opens(const char *path, struct where_identity identity)
{
	return opens_of(path, getpid(), identity);
}

/* A number whose process has ended. */
static pid_t ended(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		fail("fork");
	return pid;
}

static bool has_own_devices(void)
{
	struct statfs system;

	if (statfs(".", &system))
		fail("statfs");
	return system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC;
}

static void test_files(void)
{
	struct where_identity identity, another;

	put_file("file", "1", 1);
	put_file("other", "2", 1);
	identity = identity_of("file");
	check(opens("file", identity) && opens_of("file", ended(), identity),
	      "the file is opened, also of a process that has ended");
	another = identity;
	another.inode ^= 1;
	check(!opens("file", (struct where_identity){ 0 }) && !opens("file", another),
	      "none is opened that is not known to be the one that was mapped");
	another = identity;
	another.dev_minor ^= 1;
	if (has_own_devices())
		ktap_skip(&ktap, "files here have other devices than maps");
	else
		check(!opens("file", another), "a file of the same inode on another device is not opened");
	if (rename("other", "file"))
		fail("rename");
	check(!opens("file", identity) && !opens_of("file", ended(), identity),
	      "a file that was replaced is not opened");
	if (mkfifo("fifo", 0600))
		fail("fifo");
	check(!opens("fifo", identity_of("fifo")), "a FIFO is not opened");
	check(!opens("/dev/null", identity_of("/dev/null")), "a device is not opened");
	check(!opens("/proc/self/exe", identity_of("/proc/self/exe")),
	      "a link of the kernel is not followed");
}

/* Whether all of them could be done. */
static bool enter_root(void)
{
	if (geteuid() && (unshare(CLONE_NEWUSER) || prctl(PR_SET_DUMPABLE, 1)))
		return false;
	return !chroot("root") && !chdir("/");
}

/* A process with a root of its own, until the pipe is closed. Return: 0 if there can be none. */
static pid_t other_root(int *until)
{
	int fds[2], ready[2];
	bool entered;
	char byte;
	pid_t pid;

	if (pipe(fds) || pipe(ready))
		fail("pipe");
	pid = fork();
	if (!pid) {
		close(fds[1]);
		entered = enter_root();
		if (write(ready[1], &entered, 1) == 1 && read(fds[0], &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	if (pid < 0 || read(ready[0], &entered, 1) != 1)
		fail("fork");
	close(ready[0]);
	close(ready[1]);
	close(fds[0]);
	*until = fds[1];
	if (entered)
		return pid;
	close(fds[1]);
	waitpid(pid, NULL, 0);
	return 0;
}

static void test_root(void)
{
	char outside[64], inside[96], parent[96];
	int until;
	pid_t pid;

	snprintf(outside, sizeof(outside), "%s/outside", directory);
	snprintf(inside, sizeof(inside), "%s/root/inside", directory);
	snprintf(parent, sizeof(parent), "/../../..%s", outside);
	if (mkdir("root", 0755) || symlink(outside, "root/absolute") ||
	    symlink(parent, "root/relative") || symlink("/inside", "root/link"))
		fail("root");
	put_file(outside, "1", 1);
	put_file(inside, "2", 1);
	pid = other_root(&until);
	if (!pid) {
		ktap_skip(&ktap, "no process can have another root here");
		ktap_skip(&ktap, "no process can have another root here");
		return;
	}
	check(opens_of("/inside", pid, identity_of(inside)) &&
	      opens_of("/link", pid, identity_of(inside)),
	      "a file is found in the root of its process");
	check(!opens_of("/absolute", pid, identity_of(outside)) &&
	      !opens_of("/relative", pid, identity_of(outside)),
	      "a link does not lead out of the root of its process");
	close(until);
	waitpid(pid, NULL, 0);
}

/* The file in memory, to be freed. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	struct stat status;
	char *bytes;

	if (!file || fstat(fileno(file), &status))
		fail(path);
	bytes = malloc(status.st_size);
	if (!bytes || fread(bytes, 1, status.st_size, file) != (size_t)status.st_size)
		fail(path);
	fclose(file);
	*size = status.st_size;
	return bytes;
}

static void replace(char *bytes, size_t size, const char *from, const char *to)
{
	char *at = bytes, *end = bytes + size;

	while ((at = memmem(at, end - at, from, strlen(from)))) {
		memcpy(at, to, strlen(to));
		at += strlen(to);
	}
}

/* This program without sections, so that its symbols are looked for elsewhere. */
static void put_stripped(const char *path)
{
	ElfW(Ehdr) header;
	size_t size;
	char *bytes = read_file("/proc/self/exe", &size);

	memcpy(&header, bytes, sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = 0;
	header.e_shstrndx = SHN_UNDEF;
	memcpy(bytes, &header, sizeof(header));
	put_file(path, bytes, size);
	free(bytes);
}

/* The map of this program in which the function is. */
static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	struct topdown_stalls_map *map = data;
	uint64_t ip = (uintptr_t)loop_of_somebody;
	unsigned int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) header = info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + header.p_vaddr;

		if (header.p_type != PT_LOAD || ip < start || ip >= start + header.p_memsz)
			continue;
		map->start = start;
		map->end = start + header.p_memsz;
		map->offset = header.p_offset;
		return 1;
	}
	return 0;
}

/*
 * As if a process had mapped that file in the place of this program, and was sampled.  @known is
 * its path here.
 */
static struct where_place place_of(struct where_symbols *symbols, pid_t pid, const char *path,
				   const char *known)
{
	const struct where_identity identity = identity_of(known);
	const struct topdown_stall stall = { .pid = pid, .time_ns = TIME_NS + 1 };
	struct topdown_stalls_map map = {
		.time_ns = TIME_NS,
		.pid = pid,
		.change = TOPDOWN_STALLS_MAPPED,
		.inode = identity.inode,
		.dev_major = identity.dev_major,
		.dev_minor = identity.dev_minor,
	};
	struct where_place place = { 0 };

	if (!dl_iterate_phdr(find_code, &map) || where_symbols_change(symbols, &map, path) ||
	    where_symbols_place(symbols, &stall, (uintptr_t)loop_of_somebody, &place))
		fail("place");
	return place;
}

static struct where_place place_in(struct where_symbols *symbols, const char *path)
{
	return place_of(symbols, getpid(), path, path);
}

static bool knows_function(struct where_symbols *symbols, pid_t pid, const char *known)
{
	struct where_place place = place_of(symbols, pid, "/program", known);
	const struct where_symbol *symbol = where_symbols_find(symbols, &place);

	return symbol && symbol->name && !strcmp(symbol->name, FUNCTION);
}

static void put_program(const char *path)
{
	size_t size;
	char *bytes = read_file("/proc/self/exe", &size);

	put_file(path, bytes, size);
	free(bytes);
}

/* The number of a file that a process has mapped. */
static uint32_t object_of(struct where_symbols *symbols, uint32_t dev_major, uint32_t dev_minor)
{
	const struct topdown_stall stall = { .pid = getpid(), .time_ns = TIME_NS + 1 };
	struct topdown_stalls_map map = {
		.time_ns = TIME_NS,
		.pid = getpid(),
		.change = TOPDOWN_STALLS_MAPPED,
		.inode = 2,
		.dev_major = dev_major,
		.dev_minor = dev_minor,
	};
	struct where_place place = { 0 };

	if (!dl_iterate_phdr(find_code, &map) || where_symbols_change(symbols, &map, "/none") ||
	    where_symbols_place(symbols, &stall, (uintptr_t)loop_of_somebody, &place))
		fail("place");
	return place.object;
}

/* The first file of each tmpfs has the same inode; some kernels have two devices for an overlay. */
static void test_devices(void)
{
	struct where_symbols *symbols = where_symbols_new(false);
	uint32_t first = object_of(symbols, 0, 39);

	check(object_of(symbols, 0, 40) != first && object_of(symbols, 8, 2) == first,
	      "files of two devices are two, but for an overlay and what is below it");
	where_symbols_free(symbols);
}

/* A program that a container runs again and again, and whose first process has ended. */
static void test_again(void)
{
	struct where_symbols *symbols = where_symbols_new(false);
	const char *program = "root/program";
	int until;
	pid_t pid;

	put_program(program);
	pid = other_root(&until);
	if (!pid) {
		ktap_skip(&ktap, "no process can have another root here");
		ktap_skip(&ktap, "no process can have another root here");
		return;
	}
	check(!knows_function(symbols, ended(), program) && where_symbols_missed(symbols) == 1,
	      "a file that cannot be found is counted");
	check(knows_function(symbols, pid, program) && !where_symbols_missed(symbols),
	      "it is found when another process has mapped it");
	close(until);
	waitpid(pid, NULL, 0);
	where_symbols_free(symbols);
}

static void test_beside(void)
{
	struct where_symbols *symbols = where_symbols_new(false);
	char path[64];
	struct where_place place;

	snprintf(path, sizeof(path), "%s/stripped", directory);
	put_stripped(path);
	if (mkfifo("stripped.debug", 0600) || mkdir(".debug", 0755) ||
	    mkfifo(".debug/stripped.debug", 0600) || mkfifo(".debug/stripped", 0600))
		fail("fifo");
	place = place_in(symbols, path);
	/* It would wait for somebody who writes. */
	alarm(20);
	check(where_symbols_find(symbols, &place), "no file beside a program is opened");
	alarm(0);
	where_symbols_free(symbols);
}

/* Nothing but these: 9, 10, and 32 to 126. */
static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if ((*text < ' ' || *text > '~') && *text != '\n' && *text != '\t')
			return false;
	}
	return true;
}

static unsigned int lines_of(const char *text)
{
	unsigned int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

enum form {
	FORM_TABLE,
	FORM_CSV,
	FORM_JSON,
	FORM_FOLDED,
	FORM_PAGE,
	FORM_LISTING,
};

static void print(FILE *file, enum form form, const struct where_run *run,
		  const struct where_domain *domain, const struct where_rows *rows)
{
	switch (form) {
	case FORM_TABLE:
		where_table(file, run, domain, rows);
		break;
	case FORM_CSV:
		where_csv(file, run, domain, rows);
		break;
	case FORM_JSON:
		where_json(file, run, domain, rows);
		break;
	case FORM_FOLDED:
		where_folded(file, run, domain, rows);
		break;
	case FORM_PAGE:
		where_page_node(file, run, domain, rows);
		break;
	case FORM_LISTING:
		where_annotate(file, run, rows);
		break;
	}
}

/* @lines: how many there are; 0 for any */
static bool shows(enum form form, const struct where_run *run, const struct where_rows *rows,
		  const char *part, unsigned int lines)
{
	struct where_domain domain = { .nodes = 1U << NODE_SHOWN };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	bool good;

	if (!file)
		fail("memory");
	print(file, form, run, &domain, rows);
	fclose(file);
	good = strstr(text, part) && is_plain(text) && (!lines || lines_of(text) == lines);
	if (!good)
		printf("# '%s'\n", text);
	free(text);
	return good;
}

static void check_forms(const struct where_run *run, const struct where_rows *rows)
{
	check(shows(FORM_TABLE, run, rows, SHOWN, 3), "a table has printable names");
	check(shows(FORM_CSV, run, rows, SHOWN, 1) &&
	      shows(FORM_CSV, run, rows, "/" SHOWN_PROGRAM ",", 1) &&
	      shows(FORM_CSV, run, rows, SHOWN_SOURCE, 1), "CSV has printable names");
	check(shows(FORM_JSON, run, rows, SHOWN, 1) &&
	      shows(FORM_JSON, run, rows, SHOWN_PROGRAM, 1) &&
	      shows(FORM_JSON, run, rows, SHOWN_SOURCE, 1), "JSON has printable names");
	check(shows(FORM_FOLDED, run, rows, ";" SHOWN_FRAME ";[", 1),
	      "a stack is one line, and has no frame but its own");
	check(shows(FORM_PAGE, run, rows, SHOWN, 0), "a page has printable names");
	check(shows(FORM_LISTING, run, rows, SHOWN " of ", 0) &&
	      shows(FORM_LISTING, run, rows, "/" SHOWN_PROGRAM "\n", 0),
	      "a listing has a printable heading");
	check(shows(FORM_LISTING, run, rows, "call\t1 <?[2J>\n", 0),
	      "a listing has printable instructions, of the file that has the symbols");
	check(shows(FORM_LISTING, run, rows, "limits\t60 2097152\n", 0),
	      "objdump has limits of time and memory");
}

static void test_names(void)
{
	const struct topdown_stall stall = {
		.has = TOPDOWN_STALL_HAS_IP | TOPDOWN_STALL_HAS_WHOLE, .whole = 100,
		.stage = TOPDOWN_STAGE_MEMORY,
	};
	struct where_options options = { .rows = 1, .output.separator = ',' };
	struct where_symbols *symbols = where_symbols_new(false);
	struct where_points *points = where_points_new();
	const struct where_run run = { .options = &options, .symbols = symbols, .points = points };
	struct where_row row = { .share = 1, .slots = 1, .samples = 1 };
	struct where_rows rows = {
		.node = NODE_SHOWN, .node_share = 1, .node_slots = 100, .samples = 1, .cost = 100,
		.nr = 1, .row = &row,
	};
	size_t size;
	char *bytes = read_file("/proc/self/exe", &size), path[64];

	snprintf(path, sizeof(path), "%s/%s", directory, PROGRAM);
	replace(bytes, size, SOURCE, HOSTILE_SOURCE);
	replace(bytes, size, FUNCTION, HOSTILE);
	put_file(path, bytes, size);
	put_file("copy", bytes, size);
	free(bytes);
	row.place = place_in(symbols, path);
	row.symbol = where_symbols_find(symbols, &row.place);
	if (!row.symbol || where_points_add(points, &stall, &row.place) ||
	    where_points_add_stack(points, &stall, &row.place, 1))
		fail("row");
	check_forms(&run, &rows);
	where_symbols_free(symbols);
	where_points_free(points);
}

#define MAPS		60000
#define CHILDREN	80
#define MAP_SIZE	4096

static uint32_t object_at(struct where_symbols *symbols, uint32_t pid)
{
	const struct topdown_stall stall = { .pid = pid, .time_ns = TIME_NS + 1 };
	struct where_place place = { 0 };

	if (where_symbols_place(symbols, &stall, MAP_SIZE, &place))
		fail("place");
	return place.object;
}

/* They have no files, and no such processes are there. */
static void test_many(void)
{
	struct where_symbols *symbols = where_symbols_new(false);
	struct topdown_stalls_map map = {
		.time_ns = TIME_NS, .pid = 1U << 30, .change = TOPDOWN_STALLS_MAPPED,
	};
	unsigned int i;

	for (i = 1; i <= MAPS; i++) {
		map.start = (uint64_t)i * MAP_SIZE;
		map.end = map.start + MAP_SIZE;
		if (where_symbols_change(symbols, &map, "//anon"))
			fail("map");
	}
	map.change = TOPDOWN_STALLS_FORKED;
	map.parent = map.pid;
	for (i = 1; i <= CHILDREN; i++) {
		map.pid = map.parent + i;
		if (where_symbols_change(symbols, &map, ""))
			fail("fork");
	}
	check(object_at(symbols, map.parent) != WHERE_NO_OBJECT &&
	      object_at(symbols, map.parent + 1) != WHERE_NO_OBJECT,
	      "a process has the maps of its parent");
	check(object_at(symbols, map.pid) == WHERE_NO_OBJECT && where_symbols_full(symbols),
	      "processes with many maps do not fill the memory");
	where_symbols_free(symbols);
}

static bool demangles(const char *name, const char *to)
{
	char *text = where_demangle(name);
	bool same = text && !strcmp(text, to);

	free(text);
	return same;
}

/* Each parameter is twice the one before, so this is some 35 MB. */
static void test_demangle(void)
{
	char name[256] = "_Z1f1AIiiE", all[10000] = "", *text;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		char last = i < 10 ? '0' + i : 'A' + i - 10;

		snprintf(name + strlen(name), sizeof(name) - strlen(name), "S_IS%c_S%c_E", last,
			 last);
	}
	check(demangles("_Z1fi", "f(int)") && demangles("_RNvC1a1b", "a::b") &&
	      demangles("main", "main"), "names are as people write them");
	check(demangles(name, name), "a name that would be endless stays as it is");
	memset(all, 'a', sizeof(all) - 1);
	text = where_demangle(all);
	check(text && strlen(text) == 4096, "a long name is cut, as each place has a copy");
	free(text);
}

/* Some write control characters as two others, so this one is ours. */
static void put_objdump(void)
{
	static const char script[] =
		"#!/bin/sh\n"
		"for last; do :; done\n"
		"cmp -s \"$last\" copy && printf '  1:\\tcall\\t1 <\\033[2J>\\n'\n"
		"printf '  2:\\tlimits\\t%s %s\\n' \"$(ulimit -t)\" \"$(ulimit -d)\"\n";

	put_file("objdump", script, sizeof(script) - 1);
	if (chmod("objdump", 0755) || setenv("PATH", ".:/usr/bin:/bin", true))
		fail("objdump");
}

int main(void)
{
	char command[64];

	ktap_begin(&ktap, 26);
	memcpy(directory, DIRECTORY, sizeof(directory));
	if (!mkdtemp(directory) || chdir(directory))
		fail(directory);
	/* A test that waits for a FIFO fails. */
	alarm(60);
	test_files();
	test_root();
	alarm(0);
	unsetenv("DEBUGINFOD_URLS");
	test_again();
	test_devices();
	test_beside();
	put_objdump();
	test_names();
	test_demangle();
	test_many();
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	if (chdir("/") || system(command))
		fail(directory);
	return ktap_end(&ktap);
}
