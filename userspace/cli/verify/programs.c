// SPDX-License-Identifier: GPL-2.0
/*
 * Small programs of known character, each a loop without a library call.
 *
 * The instructions here say what each executes: bands.c derives from that what fractions it must
 * have.
 */
#include "programs.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE		64
#define MB		(1024UL * 1024)

/* Beyond any last cache, and beyond any second one. */
#define CHASE_LEAST	(64 * MB)
#define CHASE_MOST	(1024 * MB)
#define CODE_LEAST	(16 * MB)
#define CODE_MOST	(128 * MB)
/* A page table's worth at least, or a chase has no page to go to. */
#define MEMORY_LEAST	(64 * 1024UL)

/* The bytes of an instruction that jumps, and of the program that writes to itself. */
#define JUMP		0xe9
#define JUMP_SIZE	5
#define CLEARS_NOPS	96

static const struct {
	const char *name;
	const char *text;
} programs[PROGRAMS] = {
	[PROGRAM_ADDITIONS]	= { "additions", "independent additions: nearly all slots retire" },
	[PROGRAM_DIVISIONS]	= { "divisions", "a chain of divisions: waits for one unit" },
	[PROGRAM_CHASE]		= { "chase", "a chain of loads far beyond the caches" },
	[PROGRAM_BRANCHES]	= { "branches", "branches that nothing can predict" },
	[PROGRAM_CODE]		= { "code", "code larger than the caches" },
	[PROGRAM_MICROCODE]	= { "microcode", "instructions of many micro-operations" },
	[PROGRAM_CLEARS]	= { "clears", "writes to the code that it executes" },
	[PROGRAM_TAKEN]		= { "taken", "a taken branch after each instruction" },
};

/* A program needs these, and they are made before it is measured. */
struct stock {
	void *memory;
	void *alias;
	size_t size;
};

#ifdef __x86_64__

/* Four chains of one cycle each, and as many slots that need no unit. */
static void execute_additions(void)
{
	asm volatile("1:\n\t"
		     ".rept 16\n\t"
		     "add $1, %%rax\n\tnop\n\tadd $1, %%rcx\n\tnop\n\t"
		     "add $1, %%rdx\n\tnop\n\tadd $1, %%rsi\n\tnop\n\t"
		     ".endr\n\t"
		     "jmp 1b"
		     : : : "rax", "rcx", "rdx", "rsi", "cc");
}

/* Each needs the quotient of the last one: x = 2 / x, so that no operand ever gets special. */
static void execute_divisions(void)
{
	double two = 2, x = 1.1;

	asm volatile("1:\n\t"
		     ".rept 16\n\t"
		     "movapd %1, %%xmm2\n\tdivsd %0, %%xmm2\n\tmovapd %%xmm2, %0\n\t"
		     ".endr\n\t"
		     "jmp 1b"
		     : "+x" (x) : "x" (two) : "xmm2");
}

static void execute_chase(const struct stock *stock)
{
	void *at = stock->memory;

	asm volatile("1:\n\t"
		     ".rept 16\n\tmov (%0), %0\n\t.endr\n\t"
		     "jmp 1b"
		     : "+r" (at) : : "memory");
}

/* Xorshift makes the bits; four of them decide four branches. */
static void execute_branches(void)
{
	uint64_t state = 0x9e3779b97f4a7c15ULL, copy, sum = 0;

	asm volatile("1:\n\t"
		     "mov %0, %1\n\tshl $13, %1\n\txor %1, %0\n\t"
		     "mov %0, %1\n\tshr $7, %1\n\txor %1, %0\n\t"
		     "mov %0, %1\n\tshl $17, %1\n\txor %1, %0\n\t"
		     ".irp bit, 0x100, 0x1000, 0x10000, 0x100000\n\t"
		     "test $\\bit, %k0\n\tjz 2f\n\tadd $1, %2\n\t2:\n\t"
		     ".endr\n\t"
		     "jmp 1b"
		     : "+r" (state), "=&r" (copy), "+r" (sum) : : "cc");
}

/* The sine is a microprogram of tens of operations; the other two are one each. */
static void execute_microcode(void)
{
	double angle = 0.7;

	asm volatile("1:\n\t"
		     ".rept 8\n\tfldl %0\n\tfsin\n\tfstp %%st(0)\n\t.endr\n\t"
		     "jmp 1b"
		     : : "m" (angle) : "st");
}

/*
 * Two instructions in a line of their own, and on to the next line: 16 KiB, more operations than a
 * loop buffer has room for.
 */
static void execute_taken(void)
{
	asm volatile(".p2align 6\n"
		     "1:\n\t"
		     ".rept 255\n\tadd $1, %%eax\n\tjmp 2f\n\t.p2align 6\n2:\n\t.endr\n\t"
		     "add $1, %%eax\n\tjmp 1b"
		     : : : "rax", "cc");
}

static void execute_code(const struct stock *stock)
{
	asm volatile("jmp *%0" : : "r" (stock->memory) : "memory");
}

/* It stores %al where %rdi points: to its own code. */
static void execute_clears(const struct stock *stock)
{
	asm volatile("jmp *%0"
		     : : "r" (stock->memory), "D" ((char *)stock->alias + 3 + CLEARS_NOPS), "a" (1)
		     : "rcx", "memory");
}

#endif /* __x86_64__ */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* One cycle through all of 0..@nr - 1, in random order (Sattolo). */
static void make_cycle(uint32_t *next, uint32_t nr)
{
	uint64_t state = 0x2545f4914f6cdd1dULL;
	uint32_t i, j, swap;

	for (i = 0; i < nr; i++)
		next[i] = i;
	for (i = nr - 1; i > 0; i--) {
		j = next_random(&state) % i;
		swap = next[i];
		next[i] = next[j];
		next[j] = swap;
	}
}

/**
 * program_memory - what programs may use
 * @limit: the most that they may use
 *
 * Return: @limit, but never more than a quarter of what is free now.
 */
size_t program_memory(size_t limit)
{
	long pages = sysconf(_SC_AVPHYS_PAGES);
	size_t quarter = (size_t)pages * sysconf(_SC_PAGESIZE) / 4;

	return pages > 0 && limit > quarter ? quarter : limit;
}

static size_t cache_size(int name, size_t least, size_t times, size_t most, size_t limit)
{
	long cache = sysconf(name);
	size_t size = cache > 0 ? cache * times : 0;

	limit = program_memory(limit);
	size = size < least ? least : size;
	size = size > most ? most : size;
	size = size > limit ? limit : size;
	size = size < MEMORY_LEAST ? MEMORY_LEAST : size;
	return size / LINE * LINE;
}

static uint32_t *cycle_of_lines(const struct stock *stock)
{
	uint32_t nr = stock->size / LINE, *next;

	next = mmap(NULL, nr * sizeof(*next), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (next == MAP_FAILED)
		return NULL;
	make_cycle(next, nr);
	return next;
}

static int make_memory(struct stock *stock, void (*set)(char *memory, uint32_t from, uint32_t to))
{
	uint32_t *next, i, nr = stock->size / LINE;

	stock->memory = mmap(NULL, stock->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	if (stock->memory == MAP_FAILED)
		return -errno;
	next = cycle_of_lines(stock);
	if (!next)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		set(stock->memory, i, next[i]);
	munmap(next, nr * sizeof(*next));
	return 0;
}

static void set_pointer(char *memory, uint32_t from, uint32_t to)
{
	*(void **)(void *)(memory + (size_t)from * LINE) = memory + (size_t)to * LINE;
}

static void set_jump(char *memory, uint32_t from, uint32_t to)
{
	int32_t by = ((int64_t)to - from) * LINE - JUMP_SIZE;
	char *at = memory + (size_t)from * LINE;

	*at = (char)JUMP;
	memcpy(at + 1, &by, sizeof(by));
}

static int make_chase(struct stock *stock, size_t limit)
{
	stock->size = cache_size(_SC_LEVEL3_CACHE_SIZE, CHASE_LEAST, 4, CHASE_MOST, limit);
	return make_memory(stock, set_pointer);
}

static int make_code(struct stock *stock, size_t limit)
{
	int error;

	stock->size = cache_size(_SC_LEVEL2_CACHE_SIZE, CODE_LEAST, 8, CODE_MOST, limit);
	error = make_memory(stock, set_jump);
	if (error)
		return error;
	return mprotect(stock->memory, stock->size, PROT_READ | PROT_EXEC) ? -errno : 0;
}

/* mov %al, (%rdi); nops; mov $0, %cl, whose operand is stored to; a jump to the beginning. */
static void clears_code(void *to)
{
	unsigned char code[2 + CLEARS_NOPS + 2 + JUMP_SIZE];
	int32_t back = -(int32_t)sizeof(code);

	memset(code, 0x90, sizeof(code));
	code[0] = 0x88;
	code[1] = 0x07;
	code[2 + CLEARS_NOPS] = 0xb1;
	code[3 + CLEARS_NOPS] = 0;
	code[4 + CLEARS_NOPS] = JUMP;
	memcpy(code + 5 + CLEARS_NOPS, &back, sizeof(back));
	memcpy(to, code, sizeof(code));
}

/* A policy may refuse memory that is written to and executed at one address: at two then. */
static int make_alias(struct stock *stock)
{
	int fd = memfd_create("topdown", MFD_CLOEXEC), error;

	if (fd < 0)
		return -errno;
	error = ftruncate(fd, stock->size) ? -errno : 0;
	if (!error) {
		stock->alias = mmap(NULL, stock->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		stock->memory = mmap(NULL, stock->size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
		if (stock->alias == MAP_FAILED || stock->memory == MAP_FAILED)
			error = -errno;
	}
	close(fd);
	return error;
}

/*
 * One address for both, if possible: a cache is checked by the physical address of a store, but
 * what has been fetched already by the linear one (SDM 3A, self-modifying code).
 */
static int make_clears(struct stock *stock)
{
	int error = 0;

	stock->size = sysconf(_SC_PAGESIZE);
	stock->memory = mmap(NULL, stock->size, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stock->alias = stock->memory;
	if (stock->memory == MAP_FAILED)
		error = make_alias(stock);
	if (!error)
		clears_code(stock->alias);
	return error;
}

static int make_stock(enum program program, struct stock *stock, size_t limit)
{
	switch (program) {
	case PROGRAM_CHASE:
		return make_chase(stock, limit);
	case PROGRAM_CODE:
		return make_code(stock, limit);
	case PROGRAM_CLEARS:
		return make_clears(stock);
	default:
		return 0;
	}
}

static int execute(enum program program, const struct stock *stock)
{
#ifdef __x86_64__
	switch (program) {
	case PROGRAM_ADDITIONS:
		execute_additions();
		break;
	case PROGRAM_DIVISIONS:
		execute_divisions();
		break;
	case PROGRAM_CHASE:
		execute_chase(stock);
		break;
	case PROGRAM_BRANCHES:
		execute_branches();
		break;
	case PROGRAM_CODE:
		execute_code(stock);
		break;
	case PROGRAM_MICROCODE:
		execute_microcode();
		break;
	case PROGRAM_CLEARS:
		execute_clears(stock);
		break;
	default:
		execute_taken();
		break;
	}
#else
	(void)program;
	(void)stock;
#endif
	return -EOPNOTSUPP;
}

const char *program_name(enum program program)
{
	return programs[program].name;
}

const char *program_text(enum program program)
{
	return programs[program].text;
}

/**
 * program_find - a program by its name
 * @name: the name
 * @program: the program, if there is one
 *
 * Return: whether there is one.
 */
bool program_find(const char *name, enum program *program)
{
	unsigned int i;

	for (i = 0; i < PROGRAMS; i++) {
		if (!strcmp(name, programs[i].name)) {
			*program = i;
			return true;
		}
	}
	return false;
}

/* Make what it needs, say so on @ready, and execute it. */
static int begin(enum program program, size_t memory, int ready)
{
	struct stock stock = { NULL, NULL, 0 };
	char name[16];
	int error = make_stock(program, &stock, memory);

	if (error)
		return error;
	snprintf(name, sizeof(name), PROGRAM_TASK "%s", programs[program].name);
	prctl(PR_SET_NAME, name);
	if (ready >= 0 && write(ready, "", 1) != 1)
		return -errno;
	return execute(program, &stock);
}

/**
 * program_execute - execute a program in this process, for ever
 * @program: the program
 * @memory: the most that it may use
 *
 * Return: only if it cannot begin: a negative errno.
 */
int program_execute(enum program program, size_t memory)
{
	return begin(program, memory, -1);
}

/* Where memory becomes short, a program here is the first to go, and nobody else's. */
static void offer_memory(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) != 4)
		errno = 0;
	close(fd);
}

static int child(enum program program, unsigned int cpu, size_t memory, int ready, pid_t parent)
{
	cpu_set_t set;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have gone before that. */
	if (getppid() != parent)
		return -ESRCH;
	offer_memory();
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return -errno;
	return begin(program, memory, ready);
}

/**
 * program_stop - end a child
 * @pid: what program_start() returned
 */
void program_stop(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/**
 * program_start - execute a program in a child
 * @program: the program
 * @cpu: where
 * @memory: the most that it may use
 *
 * Return: the child, which executes it already, or a negative errno.
 */
pid_t program_start(enum program program, unsigned int cpu, size_t memory)
{
	int ready[2], status = 0, error;
	pid_t pid, parent = getpid();
	ssize_t size;
	char byte;

	if (pipe(ready))
		return -errno;
	pid = fork();
	if (!pid)
		_exit(-child(program, cpu, memory, ready[1], parent));
	error = errno;
	close(ready[1]);
	if (pid < 0) {
		close(ready[0]);
		return -error;
	}
	size = read(ready[0], &byte, 1);
	error = errno;
	close(ready[0]);
	if (size == 1)
		return pid;
	if (size < 0) {
		/* A signal: nobody waits for the seconds that a gigabyte takes. */
		program_stop(pid);
		return -error;
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) ? -WEXITSTATUS(status) : -EIO;
}
