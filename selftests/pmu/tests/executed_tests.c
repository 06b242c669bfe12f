// SPDX-License-Identifier: GPL-2.0
/* Events by what is executed: pieces of code whose instructions and branches are known. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "pmu_test.h"

#define CONFIG_BRANCHES	(machine.amd ? 0x00c2 : 0x00c4)
/* Between the readings, besides what is measured: two moves and the second reading. */
#define AROUND		3
/* Instructions, two in each round of a loop; the kernel does not want samples more often. */
#define PERIOD		1000000
#define SAMPLES		20
#define PAGE		4096

static char *page;
static char buffer[128];
static unsigned int fault_length;

/* The count of the counter in EBX; below the red zone, as code may use the stack. */
#define PIECE(name, code)						\
static void name(uint32_t index, uint32_t *count)			\
{									\
	asm volatile("lea -128(%%rsp), %%rsp\n\t"			\
		     "mov %%ebx, %%ecx\n\t"				\
		     "rdpmc\n\t"					\
		     "mov %%eax, %%r12d\n\t"				\
		     code						\
		     "mov %%ebx, %%ecx\n\t"				\
		     "rdpmc\n\t"					\
		     "sub %%r12d, %%eax\n\t"				\
		     "lea 128(%%rsp), %%rsp"				\
		     : "=&a" (*count)					\
		     : "b" (index), "r" (page), "r" (buffer)		\
		     : "rcx", "rdx", "rsi", "rdi", "r11", "r12", "memory", "cc"); \
}

PIECE(nothing, "")
PIECE(loop, "mov $1000, %%ecx\n 1: dec %%ecx\n jnz 1b\n")
PIECE(old_loop, "mov $1000, %%ecx\n 1: loop 1b\n")
PIECE(not_taken, "cmp %%eax, %%eax\n jne 1f\n jne 1f\n jne 1f\n 1:\n")
PIECE(jumps, "jmp 1f\n nop\n 1: lea 2f(%%rip), %%rsi\n jmp *%%rsi\n nop\n 2:\n")
PIECE(calls, "call 1f\n jmp 2f\n 1: ret\n 2: lea 1b(%%rip), %%rsi\n call *%%rsi\n")
PIECE(repeated, "mov %3, %%rdi\n mov $100, %%ecx\n rep stosb\n")
PIECE(repeated_none, "mov %3, %%rdi\n xor %%ecx, %%ecx\n rep stosb\n")
PIECE(compared, "mov %3, %%rdi\n mov %3, %%rsi\n mov $100, %%ecx\n repe cmpsb\n")
PIECE(system_call, "mov $39, %%eax\n syscall\n")	/* getpid() */
PIECE(page_fault, "movb $1, (%2)\n")
PIECE(fault_translated, "xor %%esi, %%esi\n hlt\n")
PIECE(fault_executed, "xor %%esi, %%esi\n mov (%%rsi), %%al\n")

static const struct {
	const char *name;
	void (*run)(uint32_t index, uint32_t *count);
	uint32_t instructions, branches;
} pieces[] = {
	{ "nothing", nothing, 0, 0 },
	{ "a loop", loop, 2001, 1000 },
	{ "LOOP", old_loop, 1001, 1000 },
	{ "branches that are not taken", not_taken, 4, 3 },
	{ "jumps", jumps, 3, 2 },
	{ "calls", calls, 6, 5 },
	{ "REP", repeated, 3, 0 },
	{ "REP of nothing", repeated_none, 3, 0 },
	{ "REPE", compared, 4, 0 },
	{ "a system call", system_call, 2, 1 },
	{ "an instruction that faults once", page_fault, 1, 0 },
};

/* One by one, so that neither event takes the other's counter. */
static uint32_t count(uint64_t config, void (*piece)(uint32_t index, uint32_t *count))
{
	struct event event = event_open(config, NULL, EVENT_USER);
	uint32_t value;

	event_map(&event);
	expect(event.page->cap_user_rdpmc && event.page->index, "RDPMC is not allowed");
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(page != MAP_FAILED, "no memory");
	piece(event.page->index - 1, &value);
	munmap(page, PAGE);
	event_close(&event);
	return value;
}

static void need_executed(void)
{
	if (!machine.executed)
		unfit();
}

static void test_pieces(void)
{
	uint32_t instructions, branches;
	size_t i;

	need_executed();
	for (i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		instructions = count(CONFIG_INSNS, pieces[i].run) - AROUND;
		branches = count(CONFIG_BRANCHES, pieces[i].run);
		expect(instructions == pieces[i].instructions && branches == pieces[i].branches,
		       "%s: %u instructions and %u branches, not %u and %u", pieces[i].name,
		       instructions, branches, pieces[i].instructions, pieces[i].branches);
	}
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += fault_length;
}

/* QEMU knows of some faults when it translates and of others when it executes. */
static void test_faults(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	uint32_t translated, executed;

	need_executed();
	sigaction(SIGSEGV, &action, NULL);
	fault_length = 1;
	count(CONFIG_INSNS, fault_translated);
	translated = count(CONFIG_INSNS, fault_translated);
	fault_length = 2;
	executed = count(CONFIG_INSNS, fault_executed);
	expect(translated == executed, "%u instructions with the one fault, %u with the other",
	       translated, executed);
}

static void long_loop(void)
{
	uint64_t rounds = SAMPLES * PERIOD / 2 + PERIOD / 4;

	asm volatile("1: dec %0\n jnz 1b\n" : "+r" (rounds) : : "cc");
}

/* Read the samples from the ring of an event whose samples are an IP each. */
static unsigned int sampled(const struct perf_event_mmap_page *ring, uint64_t *ip, unsigned int nr)
{
	const struct { struct perf_event_header header; uint64_t ip; } *record;
	const char *data = (const char *)ring + PAGE;
	unsigned int count = 0;
	uint64_t at;

	for (at = 0; at < ring->data_head && count < nr; at += record->header.size) {
		record = (const void *)(data + at);
		if (record->header.type == PERF_RECORD_SAMPLE)
			ip[count++] = record->ip;
	}
	return count;
}

/* A counter interrupts after the instruction that makes it overflow, and not later. */
static void test_overflow(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = CONFIG_INSNS,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	uint64_t ip[2 * SAMPLES];
	unsigned int count, i;
	void *ring;
	int fd;

	need_executed();
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	expect(fd >= 0, "no event");
	ring = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	expect(ring != MAP_FAILED, "no ring");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	long_loop();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = sampled(ring, ip, 2 * SAMPLES);
	expect(count == SAMPLES, "%u samples, not %u", count, SAMPLES);
	for (i = 1; i < count; i++)
		expect(ip[i] == ip[0], "sample %u is at %#llx, the first at %#llx", i,
		       (unsigned long long)ip[i], (unsigned long long)ip[0]);
}

const struct test executed_tests[] = {
	{ "executed-pieces", test_pieces },
	{ "executed-faults", test_faults },
	{ "executed-overflow", test_overflow },
	{ NULL, NULL },
};
