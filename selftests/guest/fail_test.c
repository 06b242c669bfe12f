// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation fails once: of the module's start, and of every command.
 * Nothing may be left behind, leak or warn; the kernel's log and its leak
 * detector say so at the end.  This is about the kernel's integrity, so it wants
 * a kernel with failslab, fail-nth, KASAN and kmemleak: the one called "debug".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest.h"
#include "caller.h"
#include "guest.h"
#include "latency.h"
#include "request.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
/* More than any of the operations allocates. */
#define NTH_MAX		4000
/* The loader does not need as many allocations each time. */
#define LOADER_TRIES	5
#define LOADER_SPREAD	32

static int fail_nth = -1;

static void fault_setting(const char *dir, const char *name, const char *value)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", dir, name);
	ret = file_write(path, 0, value);
	if (ret && ret != -ENOENT)
		fprintf(stderr, "%s: %s\n", path, strerror(-ret));
}

/* Also allocations that could wait, and without a trace in the log for each. */
static void fault_setup(void)
{
	static const char * const dirs[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	unsigned int i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		fault_setting(dirs[i], "ignore-gfp-wait", "N");
		fault_setting(dirs[i], "ignore-gfp-highmem", "N");
		fault_setting(dirs[i], "min-order", "0");
		fault_setting(dirs[i], "verbose", "0");
	}
}

/* The copy that disarms can be what fails; then it is disarmed already. */
static void arm(unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);
	unsigned int try;

	for (try = 0; try < 3; try++) {
		if (pwrite(fail_nth, text, n, 0) == n)
			return;
	}
	ksft_exit_fail_msg("cannot write " FAIL_NTH ": %s\n", strerror(errno));
}

/* Was the fault injected?  If not, there was no such allocation. */
static bool disarm(void)
{
	char text[16] = { };
	bool injected;

	injected = pread(fail_nth, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
	arm(0);
	return injected;
}

static int do_load(void)
{
	return module_load("period_ms=100");
}

/* The loader has left what it warns of when it looks at the parameters. */
static int do_load_refused(void)
{
	return module_load("period_ms=0");
}

static int do_open(void)
{
	int fd = device_open();

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int do_read(void)
{
	static struct topdown_record records[TD_CPUS_MAX + 1];
	int fd = device_open(), ret;
	__u32 nr = TD_CPUS_MAX + 1;

	if (fd < 0)
		return fd;
	ret = device_read(fd, TOPDOWN_READ_FRESH | TOPDOWN_READ_TOTAL, NULL, 0, records, &nr);
	close(fd);
	return ret;
}

static int do_map(void)
{
	struct topdown_info info;
	int fd = device_open(), ret;
	void *map;

	if (fd < 0)
		return fd;
	ret = device_info(fd, &info);
	if (!ret) {
		map = mmap(NULL, info.out_map_size, PROT_READ, MAP_SHARED, fd, 0);
		ret = map == MAP_FAILED ? -errno : 0;
		if (!ret)
			munmap(map, info.out_map_size);
	}
	close(fd);
	return ret;
}

static int do_watch(void)
{
	struct topdown_watch watch = {
		.size = sizeof(watch), .node = TOPDOWN_RETIRING,
		.event_size = sizeof(struct topdown_event),
	};
	int fd = device_open(), ret;

	if (fd < 0)
		return fd;
	ret = ioctl(fd, TOPDOWN_WATCH, &watch) ? -errno : 0;
	watch.out_watch = 0;
	watch.flags = TOPDOWN_WATCH_SUM;
	if (!ret)
		ret = ioctl(fd, TOPDOWN_WATCH, &watch) ? -errno : 0;
	close(fd);
	return ret;
}

static int do_attach(void)
{
	struct topdown_session session;
	int fd = device_open(), ret, view;
	void *map;

	if (fd < 0)
		return fd;
	ret = device_attach(fd, 0, 0);
	close(fd);
	if (ret < 0)
		return ret;
	fd = ret;
	ret = device_session(fd, TOPDOWN_SESSION_FRESH, &session);
	view = ret ? ret : device_control(fd, TOPDOWN_CONTROL_VIEW);
	if (view >= 0)
		close(view);
	else
		ret = view;
	map = ret ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (!ret && map == MAP_FAILED)
		ret = -errno;
	if (map != MAP_FAILED)
		munmap(map, 4096);
	close(fd);
	return ret;
}

static int do_sysfs(void)
{
	char text[4096];
	int fd = open(TD_SYSFS "/total", O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* A machine without latencies has a device, which refuses. */
static int do_latency(void)
{
	struct topdown_latency_record record[2];
	int fd = latency_open(), ret;

	if (fd < 0)
		return fd;
	ret = latency_begin(fd, EVENT(SPLIT_LOADS) | EVENT(L2_HIT));
	if (!ret)
		ret = latency_read(fd, record, 2);
	close(fd);
	return ret > 0 || ret == -EOPNOTSUPP ? 0 : ret;
}

static int do_period(void)
{
	return period_set("200");
}

/* A failed load must have left no device, no files and no PMU. */
static bool clean_after(int (*operation)(void))
{
	if (operation != do_load)
		return true;
	return access(TD_DEVICE, F_OK) && access(TD_SYSFS, F_OK) &&
	       access("/sys/bus/event_source/devices/topdown", F_OK);
}

static bool plausible(int ret)
{
	/* perf may return one of these instead of -ENOMEM. */
	return !ret || ret == -ENOMEM || ret == -ENODEV || ret == -EINVAL || ret == -EFAULT ||
	       ret == -ENOENT || ret == -EEXIST;
}

static void unload_for(int (*operation)(void))
{
	bool loads = operation == do_load || operation == do_load_refused;
	unsigned int i;

	/* The kernel may still be letting go of what failed to load. */
	for (i = 0; loads && module_loaded() && module_unload(); i++) {
		if (i == 50)
			ksft_exit_fail_msg("cannot unload the module\n");
		sleep_ms(20);
	}
}

/* Does the operation have an @nth allocation?  Its result with that one failing. */
static bool inject(int (*operation)(void), unsigned int nth, int *ret)
{
	unload_for(operation);
	arm(nth);
	*ret = operation();
	return disarm();
}

/* How many allocations the operation has: what is left of more than it can have. */
static unsigned int allocations(int (*operation)(void))
{
	char text[16] = { };
	unsigned int left = 0;

	unload_for(operation);
	arm(NTH_MAX);
	operation();
	if (pread(fail_nth, text, sizeof(text) - 1, 0) > 0)
		left = atoi(text);
	arm(0);
	return left ? NTH_MAX - left : 0;
}

/* Did the loader call the module's own start since the trace was emptied? */
static bool trace_has_load(void)
{
	static char text[65536];
	int fd = open(TRACING "trace", O_RDONLY | O_CLOEXEC);
	ssize_t size, length = 0;

	if (fd < 0)
		ksft_exit_fail_msg("cannot read " TRACING "trace: %s\n", strerror(errno));
	while ((size = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += size;
	close(fd);
	text[length] = '\0';
	return strstr(text, "module_load: topdown");
}

/* Does a load end before the module has begun, by one of these that fails? */
static bool loader_allocates(unsigned int first, unsigned int n)
{
	unsigned int nth;
	int ret;

	for (nth = first; nth < first + n; nth++) {
		unload_for(do_load);
		if (file_write(TRACING "trace", O_TRUNC, ""))
			return false;
		inject(do_load, nth, &ret);
		if (ret && !trace_has_load())
			return true;
	}
	return false;
}

/*
 * The kernel warns of some of the loader's.  After those it makes files in sysfs, of
 * which it does not: what is skipped ends among them, and none of it is the module's.
 */
static unsigned int loader_allocations(void)
{
	unsigned int most = 0, skipped, n, i;
	bool theirs;

	for (i = 0; i < LOADER_TRIES; i++) {
		n = allocations(do_load_refused);
		most = n > most ? n : most;
	}
	skipped = most + LOADER_SPREAD;
	theirs = !file_write(TRACING "events/module/module_load/enable", 0, "1") &&
		 loader_allocates(skipped + 1, LOADER_TRIES);
	ksft_test_result(most && theirs, "the first %u allocations of a load are the loader's\n",
			 skipped);
	return skipped;
}

/* All after the first ones of others, or if they are very many, evenly spread. */
static void sweep(const char *name, int (*operation)(void), unsigned int others)
{
	unsigned int most = getenv("TOPDOWN_FULL") ? 120 : 60;
	unsigned int n = allocations(operation), step = (n - others) / most + 1;
	unsigned int nth, tried = 0, failed = 0;
	bool ok = n > others;
	int ret;

	for (nth = others + 1; nth <= n; nth += step) {
		inject(operation, nth, &ret);
		tried++;
		failed += ret != 0;
		if (!plausible(ret) || (ret && !clean_after(operation))) {
			ksft_print_msg("%s, allocation %u: %s\n", name, nth, strerror(-ret));
			ok = false;
		}
	}
	unload_for(operation);
	ret = operation();
	ksft_test_result(ok && !ret && failed,
			 "%s: %u of %u allocations failed, which made %u calls fail\n",
			 name, tried, n - others, failed);
}

/* The calls that need memory; after these open() and mmap(). */
static const struct row hungry[] = {
	{ TOPDOWN_CMD_READ, { FIELD(read, flags, TOPDOWN_READ_TOTAL) } },
	{ TOPDOWN_CMD_WATCH }, { TOPDOWN_CMD_ATTACH },
	{ TOPDOWN_CMD_CONTROL, { FIELD(control, action, TOPDOWN_CONTROL_VIEW) } },
};

#define HUNGRY_OPEN	(sizeof(hungry) / sizeof(hungry[0]))
#define HUNGRY_MAP	(HUNGRY_OPEN + 1)

/* An error of perf is no lack of rights: an open that succeeds may read. */
static int open_hungry(unsigned int bits)
{
	int fd = caller_open(bits, TD_DEVICE, O_RDWR | O_CLOEXEC), ret;
	struct topdown_info info;

	if (fd < 0)
		return fd;
	ret = device_info(fd, &info);
	close(fd);
	return ret || info.out_flags & TOPDOWN_INFO_MAY_READ ? ret : -EACCES;
}

static long call_hungry(unsigned int bits, int fd, unsigned int i)
{
	if (i == HUNGRY_MAP)
		return caller_map(bits, fd, PAGE, PROT_READ, MAP_SHARED, 0);
	return i < HUNGRY_OPEN ? request_try(bits, fd, hungry[i].nr) : open_hungry(bits);
}

/* A descriptor, and a session. */
static int fresh_open(void)
{
	int fd = device_open();

	request_make(TOPDOWN_CMD_ATTACH);
	request_session = fd < 0 ? fd : request_try(64, fd, TOPDOWN_CMD_ATTACH);
	if (request_session < 0)
		ksft_exit_fail_msg("there is no session\n");
	return fd;
}

/* The call with the @nth of its allocations and copies failing; without one for 0. */
static long call_nth(unsigned int bits, unsigned int i, unsigned int nth, bool *injected)
{
	int fd = fresh_open();
	long ret;

	request_make(hungry[i % HUNGRY_OPEN].nr);
	request_set(&hungry[i % HUNGRY_OPEN].field[0]);
	arm(nth);
	ret = call_hungry(bits, fd, i);
	*injected = nth && disarm();
	close(fd);
	close(request_session);
	if (ret <= 0)
		return ret;
	/* It is a descriptor. */
	close(ret);
	return 0;
}

/*
 * An allocation that fails is ENOMEM, and a copy EFAULT.  The code that reads whether something
 * has failed can itself fail, so a call may succeed with an injected fault.
 */
static bool is_enomem(unsigned int bits, unsigned int i)
{
	bool ok = true, injected;
	long right = call_nth(bits, i, 0, &injected), ret;
	unsigned int nth, seen = 0;

	for (nth = 1; nth < NTH_MAX; nth++) {
		ret = call_nth(bits, i, nth, &injected);
		if (!injected)
			break;
		seen += ret == -ENOMEM;
		if (ret == right || ret == -ENOMEM || ret == -EFAULT)
			continue;
		ksft_print_msg("call %u, allocation %u: %s\n", i, nth, strerror(-ret));
		ok = false;
	}
	if (!seen)
		ksft_print_msg("call %u: no ENOMEM in %u\n", i, nth);
	return ok && seen;
}

static void out_of_memory(unsigned int bits)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i <= HUNGRY_MAP; i++)
		ok &= is_enomem(bits, i);
	ksft_test_result(ok, "callers of %u bits are told ENOMEM\n", bits);
}

int main(void)
{
	int ret;

	fail_nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		ksft_exit_skip("this kernel has no fail-nth\n");
	ret = module_need_latency();
	if (ret)
		return ret;
	fault_setup();

	ksft_print_header();
	ksft_set_plan(13);
	if (request_memory())
		ksft_exit_fail_msg("there is no memory for arguments\n");
	out_of_memory(64);
	out_of_memory(32);
	sweep("open", do_open, 0);
	sweep("read", do_read, 0);
	sweep("map", do_map, 0);
	sweep("watch", do_watch, 0);
	sweep("attach", do_attach, 0);
	sweep("sysfs", do_sysfs, 0);
	sweep("latencies", do_latency, 0);
	sweep("load", do_load, loader_allocations());
	ret = do_period();
	ksft_test_result(!ret, "the period can be set\n");
	ret = do_read();
	ksft_test_result(!ret, "the device can be read\n");
	ksft_finished();
}
