// SPDX-License-Identifier: GPL-2.0
/* Execute a program of the fuzzer: each byte decides, and when there is none left it ends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_call.h"
#include <linux/topdown_latency.h>

#include "guest.h"

#define FILES		6
#define SESSIONS	8
#define MAPS		6
#define NUMBERS		8
#define ARENA_SIZE	0x10000UL

/* Bytes that are left of the program. */
static const uint8_t *next, *end;

static int file[FILES];
/* Which of them is a latency session, or may become one. */
static bool is_latency[FILES];
/* Sessions and views. */
static int session[SESSIONS];
static unsigned int sessions;
static struct {
	char *address;
	size_t length;
} map[MAPS];
/* Numbers of watches that the module gave, and tasks. */
static uint32_t number_seen[NUMBERS];
static int32_t task_seen[NUMBERS];
static unsigned int numbers, tasks;

/* Below 4 GiB, so that callers with 32 bits have it too; no page follows. */
static char *arena;
/* A page that takes a while to come, behind userfaultfd; NULL where the kernel has none. */
static char *slow;
static struct fuzz_shared *shared;
static int given = -1, perf_type;
static sigjmp_buf faulted;

/*
 * Fields: s size, f flags, m flags of a READ without records, n number of 32 bits, N of 64,
 * c count, z size of a record, p pointer, q pointer that may be NULL, S number of the module's,
 * i task, d session, e pointer to events of a latency session, o and O output, r and R reserved.
 */
static const struct {
	unsigned int nr, size;
	const char *fields;
} command[] = {
	{ TOPDOWN_CMD_INFO, sizeof(struct topdown_info), "sf" },
	{ TOPDOWN_CMD_READ, sizeof(struct topdown_read), "sfqczpcr" },
	/* Here too, as the programs of fuzz.corpus count from the first. */
	{ TOPDOWN_CMD_SESSION, sizeof(struct topdown_session), "sfqcz" },
	{ TOPDOWN_CMD_WATCH, sizeof(struct topdown_watch), "sfqcnnnNSzorrr" },
	{ TOPDOWN_CMD_ATTACH, sizeof(struct topdown_attach), "sfir" },
	{ TOPDOWN_CMD_ATTACH, sizeof(struct topdown_attach), "sfir" },
	{ TOPDOWN_CMD_SESSION, sizeof(struct topdown_session), "sfqcz" },
	{ TOPDOWN_CMD_CONTROL, sizeof(struct topdown_control), "sfnr" },
	{ TOPDOWN_CMD_LATENCY_START, sizeof(struct topdown_latency_start), "sfqcdecZOoo" },
	{ TOPDOWN_CMD_LATENCY_READ, sizeof(struct topdown_latency_read), "sfpcz" },
	{ TOPDOWN_CMD_READ, sizeof(struct topdown_read), "smqcrRrr" },
};

static const char * const path[] = {
	"/sys/kernel/topdown/total", "/sys/kernel/topdown/sources", "/sys/kernel/topdown/cpu0",
	"/sys/kernel/topdown/cpu1", "/sys/kernel/topdown/odd_windows",
	"/sys/kernel/topdown/events/cpu0", "/sys/kernel/topdown/events/cpu2",
	"/sys/kernel/topdown/period_ms", "/sys/module/topdown/parameters/period_ms",
	"/sys/module/topdown/parameters/trust_device", "/sys/module/topdown/parameters/aside",
	"/sys/bus/event_source/devices/topdown/type",
	"/sys/bus/event_source/devices/topdown/events/tma_retiring",
	"/proc/self/fdinfo/4", "/proc/self/fdinfo/5", "/proc/self/fdinfo/6",
};

static const char * const text[] = {
	"10", "20", "1000", "100\n", "0", "9", "60001", "-1", "99999999999999999999", "", " 50", "x",
	"1", "50 ", "0x40", "10\0 20",
};

uint8_t take8(void)
{
	return next < end ? *next++ : 0;
}

static uint64_t take(unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | take8();
	return value;
}

static uint64_t take_number(void)
{
	static const uint64_t edge[] = {
		0, 1, 2, 3, 4, 7, 8, 16, 63, 64, 65, 128, 255, 256, 4095, 4096, 4097, 65535,
		65536, 1ULL << 31, UINT32_MAX, 1ULL << 32, INT64_MAX, UINT64_MAX,
	};
	uint8_t how = take8();

	if (how < 160)
		return edge[take8() % (sizeof(edge) / sizeof(*edge))];
	if (how < 240)
		return take8();
	return take(how % 8 + 1);
}

static uint64_t take_pointer(void)
{
	static const uint64_t bad[] = {
		8, 0xfff, 1ULL << 63, 0xffff888000000000, 0xffffffffff600000, UINT64_MAX - 7,
		1ULL << 47, 0x7ffffffff000,
	};
	uint8_t how = take8();
	unsigned int i;

	if (how < 200)
		return (uintptr_t)arena + take8() * 64;
	if (how < 220)
		return (uintptr_t)arena + ARENA_SIZE - take8();
	if (how < 236)
		return bad[take8() % (sizeof(bad) / sizeof(*bad))];
	if (how < 240)
		return (uintptr_t)slow + take8() * 16;
	i = take8() % MAPS;
	return (uintptr_t)map[i].address + take8();
}

static int open_device(int flags)
{
	return given >= 0 ? dup(given) : open(TD_DEVICE, flags | O_CLOEXEC);
}

/* A call of a descriptor that is closed tries nothing, so that is rare. */
int take_file(void)
{
	uint8_t i = take8();

	i = i < 200 ? 0 : i % FILES;
	if (file[i] >= 0 || i == 1)
		return file[i];
	if (file[0] < 0)
		file[0] = open_device(O_RDWR);
	return file[0];
}

/* One of /dev/topdown_latency; the last file, if none is open. */
static int take_latency(void)
{
	unsigned int i, first = take8();

	for (i = 0; i < FILES; i++) {
		if (is_latency[(first + i) % FILES])
			return file[(first + i) % FILES];
	}
	if (file[FILES - 1] < 0) {
		file[FILES - 1] = open("/dev/topdown_latency", O_RDWR | O_CLOEXEC);
		is_latency[FILES - 1] = file[FILES - 1] >= 0;
	}
	return file[FILES - 1];
}

/* Some events, after the arguments of calls. */
static uint64_t take_events(void)
{
	static const struct topdown_latency_event known[] = {
		{ 0x41d0, 0 }, { 0x1d3, 0 }, { 0x4d1, 0 }, { 0x2d1, 0 }, { 0x42d0, 0 },
		{ 0x21d0, 0 }, { 0x3c6, 0x12 }, { 0xd1, 0 },
	};
	struct topdown_latency_event *events = (void *)(arena + ARENA_SIZE / 2);
	unsigned int i;

	for (i = 0; i < 8; i++) {
		events[i] = known[take8() % 8];
		if (take8() > 240)
			events[i].config = take_number();
	}
	return (uintptr_t)events;
}

/* An open one, if there is any. */
static int take_session(void)
{
	unsigned int i, first = take8();

	for (i = 0; i < SESSIONS; i++) {
		if (session[(first + i) % SESSIONS] >= 0)
			return session[(first + i) % SESSIONS];
	}
	return take_file();
}

static int take_any_file(void)
{
	return take8() < 128 ? take_file() : take_session();
}

void remember_session(int fd)
{
	int *slot = &session[sessions++ % SESSIONS];

	if (*slot >= 0)
		close(*slot);
	*slot = fd;
}

static uint32_t take_known(void)
{
	uint8_t how = take8();

	if (how < 180)
		return number_seen[how % NUMBERS];
	return how < 240 ? how % 16 : take_number();
}

int32_t take_task(void)
{
	uint8_t how = take8();

	if (how < 100)
		return 0;
	if (how < 200)
		return task_seen[how % NUMBERS];
	if (how < 220)
		return getpid();
	return how < 240 ? 1 : (int32_t)take_number();
}

void remember_number(uint32_t number)
{
	number_seen[numbers++ % NUMBERS] = number;
}

int file_first(void)
{
	return file[0];
}

char *arena_start(void)
{
	return arena;
}

void remember_task(int task)
{
	task_seen[tasks++ % NUMBERS] = task;
}

/* Fill a structure, mostly as its header says. */
static void fill(char *data, unsigned int which)
{
	const char *field;
	uint64_t value = 0;
	unsigned int wide;
	uint8_t how;

	for (field = command[which].fields; *field; field++) {
		wide = strchr("pqNeOR", *field) ? 8 : 4;
		switch (*field) {
		case 's':
			value = take8() < 230 ? command[which].size : take_number();
			break;
		case 'f':
			how = take8();
			value = how < 180 ? 0 : how < 245 ? how % 32 : take_number();
			break;
		case 'm':
			how = take8();
			value = how < 240 ? TOPDOWN_READ_FRESH | TOPDOWN_READ_MAPPED : how % 8;
			break;
		case 'c':
			/* Without an array there are none, mostly. */
			how = take8();
			value = how < 200 ? value ? how % 70 : 0 : take_number();
			break;
		case 'z':
			value = take8() < 230 ? 4096 - take8() * 8 : take_number();
			break;
		case 'q':
			value = take8() < 60 ? 0 : take_pointer();
			break;
		case 'p':
			value = take_pointer();
			break;
		case 'S':
			value = take_known();
			break;
		case 'i':
			value = take_task();
			break;
		case 'd':
			value = take8() < 200 ? (uint32_t)take_session() : take_number();
			break;
		case 'n':
			value = take8() < 128 ? take8() % 16 : take_number();
			break;
		case 'N':
			value = take_number();
			break;
		case 'e':
			value = take8() < 230 ? take_events() : take_pointer();
			break;
		case 'Z':
			value = take8() < 230 ? sizeof(struct topdown_latency_event) :
						take_number();
			break;
		default:
			value = take8() < 245 ? 0 : take_number();
		}
		memcpy(data, &value, wide);
		data += wide;
	}
}

/* As a program with 32 bits makes the call. */
static int ioctl_32(int fd, unsigned int request, void *data)
{
	int ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "a" (54), "b" (fd), "c" (request), "d" ((uint32_t)(uintptr_t)data)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret < 0 ? -1 : ret;
}

static bool is_of_session(unsigned int nr)
{
	return nr == TOPDOWN_CMD_SESSION || nr == TOPDOWN_CMD_CONTROL;
}

/* The argument, or now and then its copy in a page that is missing. */
static char *maybe_slow(char *data)
{
	if (take8() < 250 || !slow)
		return data;
	call_slow();
	return slow + (data - arena);
}

static int take_file_of(unsigned int nr)
{
	if (nr == TOPDOWN_CMD_LATENCY_START || nr == TOPDOWN_CMD_LATENCY_READ)
		return take8() < 240 ? take_latency() : take_any_file();
	if (is_of_session(nr))
		return take_session();
	return take8() < 240 ? take_file() : take_any_file();
}

static void call_ioctl(void)
{
	unsigned int which = take8() % (sizeof(command) / sizeof(*command));
	char *data = arena + take8() % 16 * 256;
	int ret, fd;

	fill(data, which);
	fd = take_file_of(command[which].nr);
	data = maybe_slow(data);
	if (take8() < 200)
		ret = ioctl(fd, _IO(TOPDOWN_IOC_TYPE, command[which].nr), data);
	else
		ret = ioctl_32(fd, _IO(TOPDOWN_IOC_TYPE, command[which].nr), data);
	if (ret < 0)
		return;
	__atomic_add_fetch(&shared->succeeded, 1, __ATOMIC_RELAXED);
	switch (command[which].nr) {
	case TOPDOWN_CMD_ATTACH:
		__atomic_add_fetch(&shared->attached, 1, __ATOMIC_RELAXED);
		remember_session(ret);
		break;
	case TOPDOWN_CMD_CONTROL:
		/* A view; no other descriptor of the worker is the first. */
		if (ret)
			remember_session(ret);
		break;
	case TOPDOWN_CMD_WATCH:
		remember_number(((struct topdown_watch *)data)->out_watch);
		break;
	}
}

static void call_ioctl_other(void)
{
	unsigned int request = take8() < 128 ? _IO(TOPDOWN_IOC_TYPE, take8()) : take(4);

	if (take8() < 128)
		ioctl(take_file(), request, take_pointer());
	else
		ioctl_32(take_file(), request, arena + take8());
}

static void call_open(void)
{
	static const int flags[] = { O_RDWR, O_RDONLY, O_WRONLY, O_PATH };
	int i = take8() % FILES;

	if (file[i] >= 0)
		close(file[i]);
	/* The first one stays one of the device. */
	is_latency[i] = i && take8() < 100;
	file[i] = open(is_latency[i] ? "/dev/topdown_latency" : TD_DEVICE,
		       flags[take8() % 8 % 4] | take8() % 2 * O_NONBLOCK | O_CLOEXEC);
	if (file[i] < 0 && given >= 0 && !is_latency[i])
		file[i] = dup(given);
}

static void call_close(void)
{
	uint8_t which = take8();
	int *fd = which % 2 ? &file[which / 2 % FILES] : &session[which / 2 % SESSIONS];

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	if (which % 2)
		is_latency[which / 2 % FILES] = false;
}

static void unmap(unsigned int i)
{
	if (map[i].address)
		munmap(map[i].address, map[i].length);
	map[i].address = NULL;
}

static void call_mmap(void)
{
	static const int protection[] = {
		PROT_READ, PROT_READ | PROT_WRITE, PROT_NONE, PROT_READ | PROT_EXEC,
	};
	unsigned int i = take8() % MAPS;
	uint64_t offset = take8() < 240 ? 0 : 4096;
	size_t length = (take8() % 64 + 1) << 12;
	void *address;

	if (take8() > 230)
		offset = take_number();
	if (take8() > 240)
		length = take_number();
	unmap(i);
	address = mmap(NULL, length, protection[take8() % 8 % 4],
		       take8() < 200 ? MAP_SHARED : MAP_PRIVATE, take_any_file(), offset);
	if (address == MAP_FAILED)
		return;
	map[i].address = address;
	map[i].length = length;
}

static void call_on_map(void)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DONTFORK, MADV_WILLNEED, MADV_PAGEOUT, MADV_HUGEPAGE,
		MADV_REMOVE,
	};
	unsigned int i = take8() % MAPS;
	size_t part = take8() % 64 << 12;
	void *address;

	if (!map[i].address)
		return;
	switch (take8() % 6) {
	case 0:
		madvise(map[i].address, map[i].length,
			advice[take8() % (sizeof(advice) / sizeof(*advice))]);
		return;
	case 1:
		mprotect(map[i].address, map[i].length, take8() % 4);
		return;
	case 2:
		address = mremap(map[i].address, map[i].length, part, MREMAP_MAYMOVE);
		if (address == MAP_FAILED)
			return;
		map[i].address = address;
		map[i].length = part;
		return;
	case 3:
		unmap(i);
		return;
	default:
		if (part < map[i].length)
			*(volatile char *)(map[i].address + part);
	}
}

static void call_poll(void)
{
	struct pollfd fds = { .fd = take_any_file(), .events = take(2) };

	poll(&fds, 1, take8() % 3);
}

static void call_read(void)
{
	struct iovec iov = { .iov_base = (void *)take_pointer(), .iov_len = take_number() };
	int fd = take_any_file();

	switch (take8() % 6) {
	case 0:
		pread(fd, iov.iov_base, iov.iov_len, take_number());
		return;
	case 1:
		readv(fd, &iov, 1);
		return;
	case 2:
		lseek(fd, take_number(), take8() % 6);
		return;
	case 3:
		write(fd, arena, iov.iov_len % ARENA_SIZE);
		return;
	case 4:
		sendfile(file[take8() % FILES], fd, NULL, take8());
		return;
	default:
		read(fd, iov.iov_base, iov.iov_len);
	}
}

static void call_sysfs(void)
{
	const char *name = path[take8() % (sizeof(path) / sizeof(*path))];
	int fd = open(name, take8() % 3 | O_CLOEXEC);
	const char *written = text[take8() % (sizeof(text) / sizeof(*text))];

	if (fd < 0)
		return;
	if (take8() < 160)
		pread(fd, arena, take_number() % ARENA_SIZE, take8() < 200 ? 0 : take_number());
	else
		write(fd, written, strlen(written) + (take8() > 240));
	close(fd);
}

static void call_perf(void)
{
	struct perf_event_attr attr = {
		.type		= take8() < 160 ? perf_type : PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.config		= take8() < 200 ? take8() % 32 : take_number(),
		.read_format	= take8() % 16,
		.disabled	= take8() % 2,
		.pinned		= take8() > 200,
		.inherit	= take8() > 200,
	};
	int task = take_task(), cpu = (int)(take8() % 6) - 1, fd;

	/* The driver takes AnyThread from root also where the CPU has it no more. */
	attr.config &= ~(1ULL << 21);

	fd = syscall(SYS_perf_event_open, &attr, take8() < 128 ? -1 : task, cpu, -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return;
	read(fd, arena, 512);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	read(fd, arena, 512);
	close(fd);
}

static void call_arena(void)
{
	size_t at = take8() * 64, n = take8() % 32, i;

	for (i = 0; i < n; i++)
		arena[at + i] = take8();
}

static void (* const calls[])(void) = {
	call_ioctl, call_ioctl, call_ioctl, call_ioctl, call_ioctl, call_ioctl, call_ioctl,
	call_ioctl_other, call_open, call_close, call_mmap, call_mmap, call_on_map, call_poll,
	call_read, call_sysfs, call_thread, call_cpu, call_arena, call_arena,
};

/* Such as take long: one in so many. */
#define RARE	240

static void call_one(void)
{
	uint8_t which = take8();

	__atomic_add_fetch(&shared->calls, 1, __ATOMIC_RELAXED);
	if (which < RARE)
		calls[which % (sizeof(calls) / sizeof(*calls))]();
	else if (which < RARE + 9)
		call_perf();
	else if (which < RARE + 14)
		call_task();
	else if (which < RARE + 15)
		call_many();
	else
		call_slow();
}

/* A mapping has fewer pages than were asked for, or the program has unmapped it. */
static void on_fault(int signal)
{
	siglongjmp(faulted, signal);
}

static void on_alarm(int signal)
{
	(void)signal;
}

bool fuzz_call_setup(struct fuzz_shared *to, int open_file)
{
	struct sigaction fault = { .sa_handler = on_fault }, alarm = { .sa_handler = on_alarm };
	struct itimerval timer = { { 0, PATIENCE_US }, { 0, PATIENCE_US } };
	FILE *type = fopen("/sys/bus/event_source/devices/topdown/type", "r");

	shared = to;
	given = open_file;
	if (type) {
		if (fscanf(type, "%d", &perf_type) != 1)
			perf_type = PERF_TYPE_RAW;
		fclose(type);
	}
	arena = mmap(NULL, 2 * ARENA_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (arena == MAP_FAILED || munmap(arena + ARENA_SIZE, ARENA_SIZE))
		return false;
	slow = slow_begin(arena);
	/* Children that nobody waits for are none. */
	signal(SIGCHLD, SIG_IGN);
	return !sigaction(SIGSEGV, &fault, NULL) && !sigaction(SIGBUS, &fault, NULL) &&
	       !sigaction(SIGALRM, &alarm, NULL) && !setitimer(ITIMER_REAL, &timer, NULL);
}

void fuzz_call_run(const struct fuzz_program *program)
{
	volatile unsigned int i;

	for (i = 0; i < FILES; i++) {
		file[i] = -1;
		is_latency[i] = false;
	}
	for (i = 0; i < SESSIONS; i++)
		session[i] = -1;
	file[0] = open_device(O_RDWR);
	memset(number_seen, 0, sizeof(number_seen));
	memset(task_seen, 0, sizeof(task_seen));
	numbers = 0;
	tasks = 0;
	next = program->byte;
	end = next + program->size;
	if (!sigsetjmp(faulted, 1)) {
		while (next < end)
			call_one();
	}
	for (i = 0; i < MAPS; i++)
		unmap(i);
	for (i = 0; i < FILES; i++) {
		if (file[i] >= 0)
			close(file[i]);
	}
	for (i = 0; i < SESSIONS; i++) {
		if (session[i] >= 0)
			close(session[i]);
	}
}
