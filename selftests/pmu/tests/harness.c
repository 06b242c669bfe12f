// SPDX-License-Identifier: GPL-2.0
/* Back door, perf events, registers and work for the tests. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pmu_test.h"

/* Four of retiring, bad speculation, front end, back end, and one child of each. */
const struct td_bd_profile profiles[] = {
	{ { 250000, 250000, 250000, 250000, 100000, 100000, 100000, 100000 } },
	{ { 1000000, 0, 0, 0, 0, 0, 0, 0 } },
	{ { 0, 0, 0, 1000000, 0, 0, 0, 1000000 } },
	{ { 123456, 234567, 345678, 296299, 12345, 234567, 1, 145678 } },
	{ { 2000, 3000, 5000, 990000, 1000, 2000, 3000, 700000 } },
	{ { 700001, 99999, 120000, 80000, 333333, 66666, 111111, 0 } },
	{ { 401000, 199000, 301000, 99000, 1000, 198000, 15000, 97000 } },
};

const unsigned int profiles_nr = sizeof(profiles) / sizeof(*profiles);

uint32_t door(uint32_t request, uint64_t arg, void *data)
{
	uint32_t answer;

	asm volatile("inl %%dx, %%eax"
		     : "=a" (answer)
		     : "a" (TD_BD_MAGIC), "b" ((uint64_t)request), "c" (arg),
		       "d" (TD_BD_PORT), "D" (data)
		     : "memory");
	return answer;
}

void set_profile(const struct td_bd_profile *profile)
{
	struct td_bd_profile copy = *profile;

	expect(door(TD_BD_SET_PROFILE, TD_BD_RESTART, &copy) == TD_BD_OK,
	       "the back door refused a profile");
}

void set_default(const struct td_bd_profile *profile)
{
	struct td_bd_profile copy = *profile;

	expect(door(TD_BD_SET_DEFAULT, 0, &copy) == TD_BD_OK,
	       "the back door refused a default profile");
}

void set_rate(uint64_t config, uint64_t rate)
{
	struct td_bd_rate copy = { .config = config, .rate = rate };

	expect(door(TD_BD_SET_RATE, 0, &copy) == TD_BD_OK,
	       "the back door refused a rate for %#llx", (unsigned long long)config);
}

struct td_bd_truth truth_space(void)
{
	struct td_bd_truth truth;

	expect(door(TD_BD_TRUTH_SPACE, 0, &truth) == TD_BD_OK, "no truth");
	return truth;
}

struct td_bd_truth truth_cpu(unsigned int cpu)
{
	struct td_bd_truth truth;

	expect(door(TD_BD_TRUTH_CPU, cpu, &truth) == TD_BD_OK,
	       "no truth of CPU %u", cpu);
	return truth;
}

unsigned int byte_of(const struct td_bd_profile *profile, unsigned int category)
{
	uint64_t scaled = (uint64_t)profile->fraction[category] * 0xff;

	if (machine.quant == TD_BD_QUANT_REST && category == TD_BD_BAD_SPEC)
		return 0xff - byte_of(profile, TD_BD_RETIRING) - byte_of(profile, TD_BD_FE_BOUND) -
		       byte_of(profile, TD_BD_BE_BOUND);
	if (machine.quant == TD_BD_QUANT_ROUND)
		scaled += TD_BD_FRACTION / 2;
	return scaled / TD_BD_FRACTION;
}

double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : 0;
}

void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	expect(!sched_setaffinity(0, sizeof(set), &set), "cannot run on CPU %u: %s",
	       cpu, strerror(errno));
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Pure user code with known bounds, so that a sample can be told to be in it. */
asm(".text\n\t"
	".globl spin_loop, spin_begin, spin_end\n\t"
	".type spin_loop, @function\n"
	"spin_loop:\n"
	"spin_begin:\n"
	"1: sub $1, %rdi\n\t"
	"jnz 1b\n"
	"spin_end:\n\t"
	"ret\n");

void spin_ms(unsigned int ms)
{
	uint64_t end = now_ns() + ms * 1000000ull;

	do {
		spin_loop(100000);
	} while (now_ns() < end);
}

void in_child(void (*body)(void *), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	expect(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		body(arg);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	expect(!status, "the child failed");
}

int event_try(uint64_t config, struct event *leader, uint64_t flags)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.disabled = !!(flags & EVENT_DISABLED),
		.exclude_kernel = !!(flags & EVENT_USER),
		.read_format = PERF_FORMAT_GROUP,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, leader ? leader->fd : -1,
		       PERF_FLAG_FD_CLOEXEC);
}

struct event event_open(uint64_t config, struct event *leader, uint64_t flags)
{
	struct event event = { .fd = event_try(config, leader, flags) };

	expect(event.fd >= 0, "perf_event_open %#llx: %s",
	       (unsigned long long)config, strerror(errno));
	return event;
}

void event_map(struct event *event)
{
	event->page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, event->fd, 0);
	expect(event->page != MAP_FAILED, "mmap of an event: %s", strerror(errno));
}

void event_unmap(struct event *event)
{
	munmap(event->page, 4096);
	event->page = NULL;
}

void event_close(struct event *event)
{
	if (event->page)
		event_unmap(event);
	close(event->fd);
}

void group_open(struct event *events, unsigned int metrics, uint64_t flags)
{
	unsigned int i;

	events[0] = event_open(CONFIG_SLOTS, NULL, flags | EVENT_DISABLED);
	for (i = 0; i < metrics; i++)
		events[1 + i] = event_open(CONFIG_METRIC(i), events,
					   flags & ~EVENT_DISABLED);
}

void group_close(struct event *events, unsigned int metrics)
{
	unsigned int i;

	for (i = 0; i <= metrics; i++)
		event_close(&events[metrics - i]);
}

void group_enable(struct event *events, bool on)
{
	expect(!ioctl(events[0].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
		      PERF_IOC_FLAG_GROUP), "cannot switch a group: %s", strerror(errno));
}

void group_read(struct event *events, uint64_t *values, unsigned int nr)
{
	uint64_t data[1 + 1 + TD_BD_CATEGORIES];
	ssize_t want = (1 + nr) * sizeof(*data);

	expect(read(events[0].fd, data, sizeof(data)) == want, "cannot read a group");
	memcpy(values, data + 1, nr * sizeof(*data));
}

static sigjmp_buf faulted;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(faulted, 1);
}

bool rdpmc_try(uint32_t index, uint64_t *value)
{
	struct sigaction action = { .sa_handler = on_fault };
	struct sigaction old;
	volatile bool done = false;
	uint32_t low, high;

	sigaction(SIGSEGV, &action, &old);
	if (!sigsetjmp(faulted, 1)) {
		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index));
		*value = low | (uint64_t)high << 32;
		done = true;
	}
	sigaction(SIGSEGV, &old, NULL);
	return done;
}

static int msr_open(unsigned int cpu)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = open(path, O_RDWR | O_CLOEXEC);
	expect(fd >= 0, "%s: %s", path, strerror(errno));
	return fd;
}

bool msr_try_read(unsigned int cpu, uint32_t msr, uint64_t *value)
{
	int fd = msr_open(cpu);
	bool done = pread(fd, value, sizeof(*value), msr) == sizeof(*value);

	expect(done || errno == EIO, "reading MSR %#x: %s", msr, strerror(errno));
	close(fd);
	return done;
}

bool msr_try_write(unsigned int cpu, uint32_t msr, uint64_t value)
{
	int fd = msr_open(cpu);
	bool done = pwrite(fd, &value, sizeof(value), msr) == sizeof(value);

	expect(done || errno == EIO, "writing MSR %#x: %s", msr, strerror(errno));
	close(fd);
	return done;
}

uint64_t msr_read(unsigned int cpu, uint32_t msr)
{
	uint64_t value;

	expect(msr_try_read(cpu, msr, &value), "MSR %#x cannot be read", msr);
	return value;
}

void msr_write(unsigned int cpu, uint32_t msr, uint64_t value)
{
	expect(msr_try_write(cpu, msr, value), "MSR %#x does not take %#llx", msr,
	       (unsigned long long)value);
}
