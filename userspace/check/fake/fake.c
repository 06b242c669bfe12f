// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's side of /dev/topdown for tests on a machine without the module:
 * a library to be preloaded, which answers for the node $FAKE_NODE.  The
 * environment sets its answers, so it can be an older or a newer module, or
 * one that refuses.  It knows nothing of pipelines.  The real module is tested
 * on the emulated machine.
 *
 *   FAKE_NODE      path of the node; that of latencies has "_latency" after it
 *   FAKE_CPU_FAMILY, FAKE_CPU_MODEL   of CPUID (6, 173: Granite Rapids)
 *   FAKE_CPUS      number of CPUs (4)
 *   FAKE_OFFLINE   a CPU that is offline
 *   FAKE_HOLE      a CPU that there cannot be, below others
 *   FAKE_UNTOUCHED  a CPU that nobody may read freshly
 *   FAKE_ABSENT    a CPU that there could be, but has not been before reading FAKE_ARRIVAL
 *   FAKE_ARRIVAL   number of that reading (never)
 *   FAKE_PRESENT   file that says which CPUs are plugged in
 *   FAKE_LOST      a CPU that goes offline at the third reading
 *   FAKE_LEVEL     level (2)
 *   FAKE_NODES     nodes of all CPUs, bit n for node n (those of PERF_METRICS)
 *   FAKE_SINCE     since when the children of frontend bound are counted, in steps
 *   FAKE_SHARE     percent of the time in which the group ran (100)
 *   FAKE_CONTENDED a CPU whose group ran in 97 percent of the time
 *   FAKE_IDLE      no slots are counted
 *   FAKE_BUSY      percent of the time in which all CPUs were busy
 *   FAKE_STATE     state of all CPUs that are online
 *   FAKE_SOURCE    source of all CPUs
 *   FAKE_FLAGS     flags of all CPUs
 *   FAKE_FLAGS_LATER  their flags from the second reading on
 *   FAKE_TURNS     turns of all CPUs
 *   FAKE_TURNS_LATER  their turns from the second reading on
 *   FAKE_FLAGS_OF  a CPU that alone has these flags and turns
 *   FAKE_FEATURES  feature bits (7)
 *   FAKE_PERIOD    file that has the period in ms, which INFO reads each time (1000)
 *   FAKE_INSTANCE  the load of the module
 *   FAKE_INFO_SIZE bytes of struct topdown_info that the module knows (all)
 *   FAKE_MIX       each CPU retires one percent more than the last, up to 30
 *   FAKE_STEP      milliseconds of a step in the counts (1000)
 *   FAKE_STEPS     steps that the map has when it is opened first (10)
 *   FAKE_TICK      milliseconds between writes to the map (50); 0 for never, -1 for
 *                  at once
 *   FAKE_OLD       the windows in the map have closed 100 s ago
 *   FAKE_HISTORY   windows of each CPU in the map (4), or 0 for none
 *   FAKE_FILL      windows of each CPU, a second apart, that it has when it is opened first (1)
 *   FAKE_TOGETHER  READ says what the map has, which asking afresh moves on by a step
 *   FAKE_STUCK     the writer of the map stopped in the middle of CPU 1;
 *                  a path that begins with / : as long as there is this file
 *   FAKE_MAP_BAD   what is wrong with the map's header: a word of bad_header()
 *   FAKE_MAP_GROW  bytes by which records and windows in the map are longer
 *   FAKE_GROW      CPUs that appear after INFO was asked
 *   FAKE_LOADED    file without which the module is not loaded
 *   FAKE_ATOMS     the first CPU of those that are E-cores
 *   FAKE_BACK      counts go backwards at the third reading
 *   FAKE_DELAY     milliseconds that a reading takes
 *   FAKE_EINTR     the first ioctl of each command fails with EINTR
 *   FAKE_EVENT     CPU of the event that read() gives
 *   FAKE_EVENT_FLAGS  its flags (0)
 *   FAKE_EVENT_NONE   it has no ratio
 *   FAKE_EVENTS    how many of it, one after the other (1)
 *   FAKE_EVENT_TAKEN  how often poll() reports an event that another reader has taken
 *   FAKE_INFO_ERRNO, FAKE_READ_ERRNO, FAKE_OPEN_ERRNO
 *   FAKE_MAP_ERRNO, FAKE_WATCH_ERRNO
 *   FAKE_INFO_RETURN  what INFO returns instead of 0
 *   FAKE_MINOR_OF  name that sysfs has for the device (topdown)
 *   FAKE_LATER     file; the clock of measurements is later by a second for each byte that it has
 *   FAKE_RENAME_SIGNAL  signal that comes before a file is renamed
 *   FAKE_PMUS      directory that has the PMU topdown
 *
 * fake-ioctl.c takes the commands apart.  fake-map.c has the map, fake-session.c the sessions,
 * fake-latency.c the device of latencies, fake-owner.c all processes and cgroups, fake-poll.c the
 * watches and poll().
 */
#include "fake.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/topdown.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "sums.h"

#define FAKE_RDEV	makedev(10, 250)
#define FAKE_LINK	"/sys/dev/char/10:250"
#define FAKE_LATENCY_RDEV	makedev(10, 251)
#define FAKE_LATENCY_LINK	"/sys/dev/char/10:251"
#define FAKE_CPUS_PRESENT	"/sys/devices/system/cpu/present"
#define NS_PER_STEP	1000000000ULL
#define SLOTS_PER_STEP	6000000000ULL

static int fake_fd = -1;
static unsigned int fake_reads;

long setting(const char *name, long otherwise)
{
	const char *value = getenv(name);

	return value && *value ? atol(value) : otherwise;
}

/* Seconds that a test does not wait for. */
static time_t seconds_later(void)
{
	const char *path = getenv("FAKE_LATER");
	struct stat st;

	return path && !stat(path, &st) ? st.st_size : 0;
}

/* A suspend, or somebody who sets the time: both clocks jump as soon as there is that file. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int (*real)(clockid_t clock, struct timespec *now);
	const char *jump = getenv("FAKE_JUMP");

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	if (real(clock, now))
		return -1;
	if ((clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME) && jump && !access(jump, F_OK))
		now->tv_sec += 3600;
	if (clock == CLOCK_MONOTONIC)
		now->tv_sec += seconds_later();
	return 0;
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

bool fake_is_device(int fd)
{
	return fd >= 0 && fd == fake_fd;
}

static bool is_node(const char *path)
{
	const char *node = getenv("FAKE_NODE");

	return node && !strcmp(path, node);
}

/* The node of latencies, which is there while its module is loaded. */
static bool is_latency_node(const char *path)
{
	const char *node = getenv("FAKE_NODE");
	size_t length = node ? strlen(node) : 0;

	return node && !strncmp(path, node, length) && !strcmp(path + length, "_latency");
}

static void fake_stat(struct stat *st, dev_t device)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFCHR | 0660;
	st->st_rdev = device;
}

int stat(const char *path, struct stat *st)
{
	int (*real)(const char *path, struct stat *st) = dlsym(RTLD_NEXT, "stat");

	if (is_latency_node(path)) {
		if (getenv("FAKE_LATENCY_UNLOADED"))
			return refuse(ENOENT);
		fake_stat(st, FAKE_LATENCY_RDEV);
		return 0;
	}
	if (!is_node(path))
		return real(path, st);
	fake_stat(st, FAKE_RDEV);
	return 0;
}

int fstat(int fd, struct stat *st)
{
	int (*real)(int fd, struct stat *st) = dlsym(RTLD_NEXT, "fstat");

	if (!fake_is_device(fd) && !fake_is_latency(fd))
		return real(fd, st);
	fake_stat(st, fake_is_latency(fd) ? FAKE_LATENCY_RDEV : FAKE_RDEV);
	return 0;
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *from, const char *to) = dlsym(RTLD_NEXT, "rename");
	int sent = setting("FAKE_RENAME_SIGNAL", 0);

	if (sent)
		kill(getpid(), sent);
	return real(from, to);
}

ssize_t readlink(const char *path, char *buffer, size_t size)
{
	ssize_t (*real)(const char *path, char *buffer, size_t size) =
		dlsym(RTLD_NEXT, "readlink");
	bool latency = !strcmp(path, FAKE_LATENCY_LINK);
	const char *name = getenv(latency ? "FAKE_LATENCY_MINOR_OF" : "FAKE_MINOR_OF");
	int len;

	if ((!latency && strcmp(path, FAKE_LINK)) || !getenv("FAKE_NODE"))
		return real(path, buffer, size);
	if (!name)
		name = latency ? "topdown_latency" : "topdown";
	len = snprintf(buffer, size, "../../devices/virtual/misc/%s", name);
	return len;
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *path, int flags, ...) = dlsym(RTLD_NEXT, "open");
	const char *loaded;
	va_list args;
	mode_t mode;

	if (is_node(path)) {
		errno = setting("FAKE_OPEN_ERRNO", 0);
		loaded = getenv("FAKE_LOADED");
		if (loaded && access(loaded, F_OK))
			errno = ENOENT;
		if (errno)
			return -1;
		fake_fd = real("/dev/null", flags);
		fake_sessions_begin();
		fake_watches_begin();
		return fake_fd;
	}
	if (is_latency_node(path))
		return fake_latency_open(flags);
	if (!strcmp(path, FAKE_CPUS_PRESENT) && getenv("FAKE_PRESENT"))
		path = getenv("FAKE_PRESENT");
	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return real(path, flags, mode);
}

/* The next file may get the same descriptor number. */
int close(int fd)
{
	if (fake_is_device(fd))
		fake_fd = -1;
	fake_perf_closed(fd);
	fake_session_closed(fd);
	fake_latency_closed(fd);
	return syscall(SYS_close, fd);
}

int refuse(int error)
{
	errno = error;
	return -1;
}

unsigned int nr_cpus(void)
{
	return setting("FAKE_CPUS", 4);
}

static unsigned int period_ms(void)
{
	const char *name = getenv("FAKE_PERIOD");
	FILE *file = name ? fopen(name, "re") : NULL;
	unsigned int ms = 1000;

	if (file) {
		if (fscanf(file, "%u", &ms) != 1)
			ms = 1000;
		fclose(file);
	}
	return ms;
}

int fake_info(struct topdown_info *arg)
{
	struct topdown_info info = {
		.size = arg->size,
		.out_features = setting("FAKE_FEATURES", 7),
		.out_flags = setting("FAKE_READ_ERRNO", 0) == EACCES ? 0 :
			     TOPDOWN_INFO_MAY_READ,
		.out_nr_cpus = nr_cpus(),
		.out_source = setting("FAKE_SOURCE", TOPDOWN_SOURCE_PERF_METRICS),
		.out_level = setting("FAKE_LEVEL", 2),
		.out_slots_per_cycle = 6,
		.out_record_size = sizeof(struct topdown_record),
		.out_period_ms = period_ms(),
		.out_period_min_ms = 10,
		.out_period_max_ms = 60000,
		.out_cpu_family = setting("FAKE_CPU_FAMILY", 6),
		.out_cpu_model = setting("FAKE_CPU_MODEL", 173),
		.out_cpu_stepping = 8,
		.out_cpu_vendor = "GenuineIntel",
		.out_cpu_name = "A CPU of the test",
		.out_codename = "test-lake",
		.out_version = "9.8.7",
		.out_map_size = FAKE_MAP_SIZE,
		.out_session_map_size = FAKE_SESSION_MAP_SIZE,
		.out_instance = setting("FAKE_INSTANCE", 0x1234567890abcdef),
		.out_load_time_ns = 5000000000,
	};

	if (setting("FAKE_INFO_ERRNO", 0))
		return refuse(setting("FAKE_INFO_ERRNO", 0));
	FAKE_GROWN(&info);
	memcpy(arg, &info, setting("FAKE_INFO_SIZE", sizeof(info)));
	return setting("FAKE_INFO_RETURN", 0);
}

static bool is_offline(unsigned int cpu)
{
	return cpu == setting("FAKE_OFFLINE", -1) ||
	       (fake_reads > 2 && cpu == setting("FAKE_LOST", -1));
}

static bool is_absent(unsigned int cpu)
{
	return cpu == setting("FAKE_ABSENT", -1) && fake_reads < setting("FAKE_ARRIVAL", INT_MAX);
}

uint32_t fake_nodes(void)
{
	uint32_t nodes = td_nodes_of_level(setting("FAKE_LEVEL", 2));

	return nodes & setting("FAKE_NODES", TD_NODES_METRICS_L2);
}

/* Each reading is a step later, and each CPU has a little fewer slots than the one before. */
void fill_counts(struct topdown_figures *figures, unsigned int cpu, uint64_t steps)
{
	struct td_counts counts = { .slots = steps * SLOTS_PER_STEP / 100 * (100 - cpu % 100) };
	static const unsigned int percent[TD_METRIC_NR] = { 40, 5, 10, 45, 10, 4, 6, 30 };
	long share = cpu == setting("FAKE_CONTENDED", -1) ? 97 : setting("FAKE_SHARE", 100);
	unsigned int i;

	figures->enabled_ns = steps * setting("FAKE_STEP", 1000) * 1000000;
	figures->running_ns = figures->enabled_ns / 100 * share;
	if (getenv("FAKE_IDLE"))
		counts.slots = 0;
	figures->slots = counts.slots;
	if (setting("FAKE_FEATURES", 7) & TOPDOWN_FEATURE_CYCLES) {
		figures->cycles = counts.slots / 6;
		figures->instructions = counts.slots / 4;
	}
	if (setting("FAKE_FEATURES", 7) & TOPDOWN_FEATURE_BUSY)
		figures->busy_ns = figures->enabled_ns / 100 *
				   setting("FAKE_BUSY", 100 - cpu % 100);
	for (i = 0; i < TD_METRIC_NR; i++)
		counts.metric[i] = counts.slots / 100 * percent[i];
	if (getenv("FAKE_MIX")) {
		counts.metric[TD_METRIC_RETIRING] += counts.slots / 100 * (cpu % 30);
		counts.metric[TD_METRIC_BE_BOUND] -= counts.slots / 100 * (cpu % 30);
	}
	td_counts_to_nodes(&counts, setting("FAKE_LEVEL", 2), figures->node);
	for (i = 0; i < TD_NR_NODES; i++) {
		if (!(fake_nodes() >> i & 1))
			figures->node[i] = 0;
		else if (i >= TD_NODES_METRICS)
			figures->node[i] = counts.slots / 20;
	}
	td_figures_children(figures, fake_nodes());
	td_figures_ratios(figures, fake_nodes());
}

/* The children of frontend bound were not counted in the first steps of these. */
void fill_since(struct topdown_figures *figures, unsigned int cpu, uint64_t steps)
{
	struct topdown_figures lacking = { .slots = 0 };
	uint64_t since = setting("FAKE_SINCE", 0);
	unsigned int i;

	if (!since)
		return;
	fill_counts(&lacking, cpu, steps < since ? steps : since);
	figures->children_slots[TOPDOWN_FRONTEND_BOUND] -= lacking.slots;
	for (i = TOPDOWN_FETCH_LATENCY; i <= TOPDOWN_FETCH_BANDWIDTH; i++)
		figures->node[i] -= lacking.node[i];
	td_figures_ratios(figures, fake_nodes());
}

/* A hybrid machine. */
static void fill_kind(struct topdown_record *record, unsigned int cpu)
{
	record->kind = TOPDOWN_KIND_CORE;
	if (cpu < setting("FAKE_ATOMS", 0))
		return;
	record->kind = TOPDOWN_KIND_ATOM;
	record->source = TOPDOWN_SOURCE_ATOM;
	record->slots_per_cycle = 5;
}

void fill_record(struct topdown_record *record, unsigned int cpu)
{
	uint64_t steps = 10 + fake_reads;

	memset(record, 0, sizeof(*record));
	FAKE_GROWN(record);
	record->cpu = cpu;
	if (is_absent(cpu)) {
		record->state = TOPDOWN_STATE_OFFLINE;
		td_figures_ratios(&record->total, 0);
		td_figures_ratios(&record->window, 0);
		return;
	}
	record->state = setting("FAKE_STATE", TOPDOWN_STATE_OK);
	record->source = setting("FAKE_SOURCE", TOPDOWN_SOURCE_PERF_METRICS);
	record->level = setting("FAKE_LEVEL", 2);
	record->nodes = fake_nodes();
	if (setting("FAKE_FLAGS_OF", cpu) == cpu)
		record->flags = setting("FAKE_FLAGS", 0);
	if (fake_reads > 1)
		record->flags = setting("FAKE_FLAGS_LATER", record->flags);
	if (setting("FAKE_FLAGS_OF", cpu) == cpu)
		record->turns = setting("FAKE_TURNS", 0);
	if (fake_reads > 1)
		record->turns = setting("FAKE_TURNS_LATER", record->turns);
	record->slots_per_cycle = 6;
	if (getenv("FAKE_ATOMS"))
		fill_kind(record, cpu);
	record->nr_cpus = 1;
	if (is_offline(cpu)) {
		record->state = TOPDOWN_STATE_OFFLINE;
		steps = cpu == setting("FAKE_LOST", -1) ? 12 : 3;
	}
	if (getenv("FAKE_BACK") && fake_reads > 2)
		steps = 1;
	record->windows = steps;
	record->time_ns = steps * NS_PER_STEP;
	fill_counts(&record->total, cpu, steps);
	fill_since(&record->total, cpu, steps);
	fill_counts(&record->window, cpu, 1);
	fill_since(&record->window, cpu, steps <= (uint64_t)setting("FAKE_SINCE", 0));
}

static void add_record(struct topdown_record *total, struct td_wide_sum *sum,
		       const struct topdown_record *record)
{
	/* One that has never been there adds nothing. */
	if (record->state == TOPDOWN_STATE_OFFLINE && !record->level)
		return;
	total->source = record->source;
	total->level = record->level;
	total->nodes = record->nodes;
	total->flags |= record->flags;
	total->nr_cpus++;
	if (record->state == TOPDOWN_STATE_OFFLINE)
		total->state = total->nr_cpus == 1 ? TOPDOWN_STATE_OFFLINE : total->state;
	else if (record->state > total->state || total->state == TOPDOWN_STATE_OFFLINE)
		total->state = record->state;
	td_wide_sum_add(sum, &record->total);
}

static bool is_asked(const struct topdown_read *arg, unsigned int cpu)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)arg->cpus;

	if (!arg->cpus_words)
		return cpu != setting("FAKE_HOLE", -1);
	return cpu / 64 < arg->cpus_words && words[cpu / 64] >> cpu % 64 & 1;
}

static unsigned int count_asked(const struct topdown_read *arg)
{
	unsigned int cpu, n = 0, possible = nr_cpus() + setting("FAKE_GROW", 0);

	for (cpu = 0; cpu < possible; cpu++)
		n += is_asked(arg, cpu);
	return n;
}

/* At the caller's stride, cut or padded to its size. */
static void put_record(const struct topdown_read *arg, unsigned int index,
		       const struct topdown_record *record)
{
	size_t size = arg->record_size < sizeof(*record) ? arg->record_size : sizeof(*record);
	char *to = (char *)(uintptr_t)arg->records + (size_t)index * arg->record_size;

	memcpy(to, record, size);
	memset(to + size, 0, arg->record_size - size);
}

static int count_mapped(const struct topdown_read *arg)
{
	if (arg->flags != (TOPDOWN_READ_FRESH | TOPDOWN_READ_MAPPED) || arg->record_size ||
	    arg->records || arg->nr_records)
		return refuse(EINVAL);
	usleep(setting("FAKE_DELAY", 0) * 1000);
	fake_reads++;
	return fake_count_mapped();
}

int fake_read(struct topdown_read *arg)
{
	unsigned int cpu, n = 0, possible = nr_cpus() + setting("FAKE_GROW", 0);
	struct td_wide_sum sum = { .slots = 0 };
	struct topdown_record record, total = { .cpu = TOPDOWN_CPU_ALL };
	uint64_t features = setting("FAKE_FEATURES", 7);
	unsigned int needed;

	if (setting("FAKE_READ_ERRNO", 0))
		return refuse(setting("FAKE_READ_ERRNO", 0));
	if (getenv("FAKE_UNTOUCHED") && arg->flags & TOPDOWN_READ_FRESH &&
	    is_asked(arg, setting("FAKE_UNTOUCHED", -1)))
		return refuse(EIO);
	if ((arg->flags & TOPDOWN_READ_FRESH && !(features & TOPDOWN_FEATURE_FRESH)) ||
	    (arg->flags & TOPDOWN_READ_TOTAL && !(features & TOPDOWN_FEATURE_TOTAL)) ||
	    arg->flags & ~TD_READ_FLAGS)
		return refuse(EOPNOTSUPP);
	if (arg->flags & TOPDOWN_READ_MAPPED)
		return count_mapped(arg);
	if (arg->record_size < FAKE_RECORD_SIZE_MIN || arg->__reserved ||
	    arg->cpus_words > TOPDOWN_CPUS_WORDS_MAX)
		return refuse(EINVAL);

	needed = count_asked(arg) + !!(arg->flags & TOPDOWN_READ_TOTAL);
	if (needed > arg->nr_records) {
		arg->nr_records = needed;
		return refuse(EMSGSIZE);
	}
	usleep(setting("FAKE_DELAY", 0) * 1000);
	fake_reads++;
	for (cpu = 0; cpu < possible; cpu++) {
		if (!is_asked(arg, cpu))
			continue;
		if (!fake_together(arg->flags & TOPDOWN_READ_FRESH, &record, cpu))
			fill_record(&record, cpu);
		add_record(&total, &sum, &record);
		put_record(arg, n++, &record);
	}
	td_wide_sum_ratios(&sum, total.nodes);
	total.total = sum.figures;
	if (arg->flags & TOPDOWN_READ_TOTAL)
		put_record(arg, n, &total);
	arg->nr_records = needed;
	return 0;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (fake_is_perf(fd))
		return fake_perf_map(size);
	if (fd >= 0 && fake_session_of(fd) >= 0)
		return fake_session_map(size, fd);
	if (!fake_is_device(fd))
		return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
	return fake_map(size, protection, flags);
}

ssize_t read(int fd, void *to, size_t size)
{
	ssize_t (*real)(int fd, void *to, size_t size) = dlsym(RTLD_NEXT, "read");

	if (fake_is_perf(fd))
		return fake_perf_read(to, size);
	if (!fake_is_device(fd))
		return real(fd, to, size);
	return fake_event(to, size, true);
}

ssize_t preadv2(int fd, const struct iovec *to, int nr, off_t offset, int flags)
{
	ssize_t (*real)(int fd, const struct iovec *to, int nr, off_t offset, int flags) =
		dlsym(RTLD_NEXT, "preadv2");

	if (!fake_is_device(fd))
		return real(fd, to, nr, offset, flags);
	/* A stream has only offset -1, and the library reads into one buffer. */
	if (nr != 1 || offset != -1)
		return refuse(ESPIPE);
	return fake_event(to->iov_base, to->iov_len, !(flags & RWF_NOWAIT));
}
