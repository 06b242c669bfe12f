// SPDX-License-Identifier: GPL-2.0
/*
 * The library above a kernel that answers anything: structures, records, maps and watch events.
 * The kernel writes only where it was asked to, as no program could guard against the rest.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <topdown.h>
#include <unistd.h>

#include "fuzz.h"

#define MAP_SIZE_MAX	(1U << 16)
/* Each reading has room for all of them, and more only cost time. */
#define CPUS_MAX	64
#define SESSIONS	4
/* Its descriptor, whatever ATTACH said. */
#define SESSION		99
#define RECORDS		8
#define STEPS_MAX	32

#define DEVICE		makedev(10, 100)
#define LATENCY_DEVICE	makedev(10, 101)

static struct input input;
/* The device of latencies was looked at, and will be opened. */
static bool opening;

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_stat(const char *path, struct stat *st);
int __real_stat(const char *path, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
ssize_t __wrap_readlink(const char *path, char *to, size_t size);
int __wrap_fcntl(int fd, int command, ...);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_poll(struct pollfd *fds, nfds_t nr, int timeout);
ssize_t __wrap_preadv2(int fd, const struct iovec *iov, int nr, off_t offset, int flags);

/* The records that a command has besides its own structure. */
static void answer_records(unsigned long request, const void *arg)
{
	const struct topdown_latency_read *latencies = arg;
	const struct topdown_read *read = arg;

	if (request == TOPDOWN_READ)
		input_take(&input, (void *)(uintptr_t)read->records,
			   (size_t)read->nr_records * read->record_size);
	else if (request == TOPDOWN_LATENCY_READ)
		input_take(&input, (void *)(uintptr_t)latencies->records,
			   (size_t)latencies->nr_records * latencies->record_size);
}

/* The structures of all commands begin with their size, which is not written. */
static void answer_structure(void *arg)
{
	uint32_t size = *(const uint32_t *)arg;

	input_take(&input, (char *)arg + sizeof(size), size - sizeof(size));
}

/* How many records there are is all that these commands say in their own structure. */
static void answer(unsigned long request, void *arg)
{
	switch (request) {
	case TOPDOWN_READ:
		input_take(&input, &((struct topdown_read *)arg)->nr_records, sizeof(uint32_t));
		break;
	case TOPDOWN_LATENCY_READ:
		input_take(&input, &((struct topdown_latency_read *)arg)->nr_records,
			   sizeof(uint32_t));
		break;
	default:
		answer_structure(arg);
	}
}

/* Numbers that the library takes, so that the input gets to what comes after them. */
static void answer_well(struct topdown_info *info)
{
	info->out_nr_cpus = 1 + info->out_nr_cpus % CPUS_MAX;
	info->out_map_size = info->out_map_size % MAP_SIZE_MAX / 8 * 8;
	info->out_session_map_size = info->out_session_map_size % MAP_SIZE_MAX / 8 * 8;
	info->out_features = ~info->out_features;
	info->out_flags |= TOPDOWN_INFO_MAY_READ;
	/* Granite Rapids, of which the library knows events. */
	info->out_cpu_family = 6;
	info->out_cpu_model = 173;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	uint8_t how = input_byte(&input);
	va_list args;
	void *arg;

	(void)fd;
	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	answer_records(request, arg);
	if (how != 1)
		answer(request, arg);
	if (!how && request == TOPDOWN_INFO)
		answer_well(arg);
	if (how < 2)
		return 0;
	/* The library asks again after EINTR, and would do so for ever at the end of the input. */
	errno = how == EINTR ? EMSGSIZE : how;
	return how < 134 ? -1 : how;
}

static bool is_latency_device(const char *path)
{
	size_t length = strlen(path);

	return length >= 8 && !strcmp(path + length - 8, "_latency");
}

int __wrap_open(const char *path, int flags, ...)
{
	return is_latency_device(path) ? dup(STDIN_FILENO) : __real_open(path, flags);
}

int __wrap_stat(const char *path, struct stat *st)
{
	/* The fuzzer looks for its inputs. */
	if (!is_latency_device(path))
		return __real_stat(path, st);
	opening = true;
	*st = (struct stat){ .st_mode = S_IFCHR | 0600, .st_rdev = LATENCY_DEVICE };
	return 0;
}

int __wrap_fstat(int fd, struct stat *st)
{
	(void)fd;
	*st = (struct stat){ .st_mode = S_IFCHR | 0600,
			     .st_rdev = opening ? LATENCY_DEVICE : DEVICE };
	opening = false;
	return 0;
}

ssize_t __wrap_readlink(const char *path, char *to, size_t size)
{
	const char *link = opening ? "../topdown_latency" : "../topdown";
	size_t length = strlen(link);

	(void)path;
	if (size < length)
		abort();
	memcpy(to, link, length);
	return length;
}

int __wrap_fcntl(int fd, int command, ...)
{
	(void)fd;
	(void)command;
	return 0;
}

/* A writer that never sleeps cannot be had here, so a sequence number that is odd stays so. */
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	uint8_t how = input_byte(&input);
	void *pages;

	(void)offset;
	if (size > MAP_SIZE_MAX || how == 1) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	pages = __real_mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return pages;
	(void)flags;
	input_take(&input, pages, size < 4096 ? size : 4096);
	if (!how && size >= sizeof(uint64_t))
		*(uint64_t *)pages = fd == SESSION ? TOPDOWN_SESSION_MAP_MAGIC : TOPDOWN_MAP_MAGIC;
	if (mprotect(pages, size, protection))
		abort();
	return pages;
}

int __wrap_poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	nfds_t i;

	(void)timeout;
	for (i = 0; i < nr; i++)
		fds[i].revents = 0;
	fds[nr - 1].revents = input_byte(&input);
	return !!fds[nr - 1].revents;
}

ssize_t __wrap_preadv2(int fd, const struct iovec *iov, int nr, off_t offset, int flags)
{
	size_t size = iov[0].iov_len;
	uint8_t how = input_byte(&input);

	(void)fd;
	(void)nr;
	(void)offset;
	(void)flags;
	if (!how || how > 64) {
		errno = how & 1 ? EINVAL : EAGAIN;
		return -1;
	}
	if ((size_t)how * 8 < size)
		size = how * 8;
	input_take(&input, iov[0].iov_base, size);
	return size;
}

static void use_figures(const struct topdown_figures *figures)
{
	unsigned int node;

	for (node = 0; node < TOPDOWN_MAX_NODES; node++) {
		topdown_figures_has(figures, node);
		topdown_figures_ratio(figures, node);
	}
	topdown_figures_ipc(figures);
	topdown_figures_busy(figures, 1000);
}

static void use_reading(struct topdown *td, const struct topdown_map_view *map)
{
	struct topdown_reading *then, *now;
	struct topdown_figures between;
	unsigned int i, nr = RECORDS;

	if (topdown_reading_create(&then, td, NULL, 0))
		return;
	if (!topdown_reading_create(&now, td, NULL, 0)) {
		topdown_reading_update(then, 0);
		topdown_reading_update(now, TOPDOWN_READ_FRESH);
		if (map)
			topdown_reading_update_map(now, map, TOPDOWN_READ_FRESH);
		for (i = 0; i < topdown_reading_nr(now) && i < nr; i++) {
			const struct topdown_record *record = topdown_reading_record(now, i);

			use_figures(&record->total);
			use_figures(&record->window);
			topdown_reading_find(then, record->cpu);
			if (!topdown_reading_between(then, now, record->cpu, 2, &between))
				use_figures(&between);
		}
		topdown_reading_destroy(now);
	}
	topdown_reading_destroy(then);
}

static void use_map(const struct topdown_map_view *map)
{
	uint32_t cpu = input_byte(&input);
	struct topdown_window window;
	struct topdown_record record;
	struct topdown_figures open;
	uint64_t number;

	input_take(&input, &number, sizeof(number));
	topdown_map_nr_cpus(map);
	topdown_map_history(map);
	if (!topdown_map_read_record(map, cpu, &record, sizeof(record), &open))
		use_figures(&record.total);
	if (!topdown_map_read_window(map, cpu, number, 2, &window, sizeof(window)))
		use_figures(&window.figures);
}

static void use_sessions(struct topdown *td)
{
	struct topdown_session seen[SESSIONS];
	struct topdown_session_kind kind[2][3];
	struct topdown_figures between;
	struct topdown_session_map_view *map;
	unsigned int i, nr;
	int made;

	topdown_session_attach(td, 0, 0, &made);
	topdown_session_view(SESSION, &made);
	topdown_session_control(SESSION, TOPDOWN_CONTROL_DISABLE);
	memset(seen, 0, sizeof(seen));
	for (i = 0; i < SESSIONS; i++)
		topdown_session_read(SESSION, 0, &seen[i], sizeof(seen[i]));
	memset(kind, 0, sizeof(kind));
	nr = 3;
	topdown_session_read_kinds(SESSION, 0, &seen[0], sizeof(seen[0]), kind[0], &nr,
				   sizeof(*kind[0]));
	if (!topdown_session_map_open(&map, SESSION)) {
		nr = 3;
		topdown_session_map_read_kinds(map, &seen[1], sizeof(seen[1]), kind[1], &nr,
					       sizeof(*kind[1]));
		topdown_session_map_close(map);
	}
	for (i = 1; i < SESSIONS; i++) {
		if (!topdown_session_between(&seen[i - 1], &seen[i], 2, &between))
			use_figures(&between);
		topdown_session_kind_between(&kind[0][i % 3], &kind[1][i % 3], 2, &between);
	}
}

static void use_watch(struct topdown *td)
{
	struct topdown_event event[SESSIONS];
	unsigned int nr = SESSIONS;

	topdown_watch_remove(td, 0);
	topdown_watch_read(td, 0, event, &nr, sizeof(event[0]));
	topdown_watch_wait(td, 0, event, sizeof(event[0]));
}

static void use_latencies(struct topdown_latencies *latencies)
{
	struct topdown_latency_record record[RECORDS], between, sum = { 0 };
	unsigned int nr = RECORDS, i;

	if (topdown_latencies_read(latencies, record, sizeof(record[0]), &nr))
		return;
	for (i = 1; i < nr; i++) {
		topdown_latency_event_name(record[i].event);
		if (topdown_latency_between(&record[i - 1], &record[i], &between))
			continue;
		topdown_latency_add(&sum, &between);
		topdown_latency_mean(&between);
		topdown_latency_variance(&sum);
		topdown_latency_quantile(&sum, 0.99);
	}
}

static void use_latency(struct topdown *td)
{
	const uint64_t all = 0xf, wanted = 1ULL << TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT |
					   1ULL << TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L3_HIT;
	struct topdown_latency_event raw[3] = { { .config = 0x01d3 } };
	struct topdown_latencies *latencies;
	unsigned int nr, refusal;
	uint64_t events;

	if (!topdown_latency_events(td, &events, &refusal))
		topdown_latency_refusal_text(refusal);
	if (!topdown_latencies_start(td, &all, 1, wanted, &latencies, &nr)) {
		use_latencies(latencies);
		topdown_latencies_end(latencies);
	}
	if (!topdown_latencies_start_raw(td, NULL, 0, SESSION, raw, 3, sizeof(raw[0]), &latencies,
					 &nr)) {
		use_latencies(latencies);
		topdown_latencies_end(latencies);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topdown_map_view *map = NULL;
	struct topdown *td;
	unsigned int step;
	int fd;

	input = (struct input){ .at = data, .left = size };
	fd = dup(STDIN_FILENO);
	if (topdown_open_fd(&td, fd)) {
		close(fd);
		return 0;
	}
	if (topdown_info_get(td)->out_nr_cpus <= CPUS_MAX) {
		topdown_map_open(&map, td);
		for (step = 0; input.left && step < STEPS_MAX; step++) {
			switch (input_byte(&input) % 6) {
			case 0:
				use_reading(td, map);
				break;
			case 1:
				if (map)
					use_map(map);
				break;
			case 2:
				use_sessions(td);
				break;
			case 3:
				use_watch(td);
				break;
			case 4:
				use_latency(td);
				break;
			default:
				topdown_info_update(td);
			}
		}
	}
	topdown_map_close(map);
	topdown_close(td);
	return 0;
}
