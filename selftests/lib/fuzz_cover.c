// SPDX-License-Identifier: GPL-2.0
/* Programs of the fuzzer, and which of them reach new code. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* Documentation/dev-tools/kcov.rst. */
#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_TRACE_PC	0
#define KCOV_WORDS	(64 << 10)

static uint64_t *trace;
static uint64_t text, text_end;

/* The module is elsewhere each time that it is loaded. */
static bool find_text(void)
{
	char line[256];
	unsigned long long address, size;
	FILE *file = fopen("/sys/module/topdown/sections/.text", "r");

	if (!file)
		return false;
	text = fscanf(file, "%llx", &address) == 1 ? address : 0;
	fclose(file);
	file = fopen("/proc/modules", "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "topdown %llu", &size) == 1)
			text_end = text + size;
	}
	if (file)
		fclose(file);
	return text && text_end > text;
}

bool fuzz_cover_open(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR);

	if (fd < 0)
		return false;
	if (find_text() && !ioctl(fd, KCOV_INIT_TRACE, KCOV_WORDS)) {
		trace = mmap(NULL, KCOV_WORDS * sizeof(*trace), PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
		if (trace == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
			trace = NULL;
	}
	/* The mapping keeps it. */
	close(fd);
	return trace;
}

void fuzz_cover_begin(void)
{
	if (trace)
		__atomic_store_n(trace, 0, __ATOMIC_RELAXED);
}

/* Is this place new? */
static bool add_place(struct fuzz_shared *shared, uint32_t place)
{
	uint32_t i = place * 2654435761U % FUZZ_LINES, tries, seen;

	for (tries = 0; tries < FUZZ_LINES; tries++, i = (i + 1) % FUZZ_LINES) {
		seen = 0;
		/* Workers add at the same time: one of them has it new. */
		if (__atomic_compare_exchange_n(&shared->place[i], &seen, place, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_add_fetch(&shared->places_nr, 1, __ATOMIC_RELAXED);
			return true;
		}
		if (seen == place)
			return false;
	}
	return false;
}

bool fuzz_cover_end(struct fuzz_shared *shared)
{
	uint64_t i, n;
	bool new = false;

	if (!trace)
		return false;
	n = __atomic_load_n(trace, __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < KCOV_WORDS; i++) {
		if (trace[i] > text && trace[i] < text_end)
			new |= add_place(shared, trace[i] - text);
	}
	return new;
}

void fuzz_corpus_add(struct fuzz_shared *shared, const struct fuzz_program *program)
{
	uint32_t n = __atomic_fetch_add(&shared->corpus_nr, 1, __ATOMIC_RELAXED);

	/* A reader may see a part of it: it is a program all the same. */
	if (n < FUZZ_CORPUS)
		shared->corpus[n] = *program;
	else
		__atomic_store_n(&shared->corpus_nr, FUZZ_CORPUS, __ATOMIC_RELAXED);
}

unsigned int fuzz_corpus_load(struct fuzz_shared *shared, const char *path)
{
	char line[2 * FUZZ_BYTES + 2];
	FILE *file = fopen(path, "r");
	struct fuzz_program program;
	unsigned int byte, n = 0;

	while (file && fgets(line, sizeof(line), file)) {
		program.size = 0;
		while (program.size < FUZZ_BYTES &&
		       sscanf(line + 2 * program.size, "%2x", &byte) == 1)
			program.byte[program.size++] = byte;
		if (!program.size)
			continue;
		fuzz_corpus_add(shared, &program);
		n++;
	}
	if (file)
		fclose(file);
	return n;
}

void fuzz_cover_print(const struct fuzz_shared *shared)
{
	uint32_t i, j;

	for (i = 0; i < FUZZ_LINES; i++) {
		if (shared->place[i])
			printf("# place %x\n", shared->place[i]);
	}
	for (i = 0; shared->places_nr && i < shared->corpus_nr && i < FUZZ_CORPUS; i++) {
		printf("# program ");
		for (j = 0; j < shared->corpus[i].size; j++)
			printf("%02x", shared->corpus[i].byte[j]);
		printf("\n");
	}
}

static void program_random(uint64_t *random, struct fuzz_program *program)
{
	uint32_t i;

	program->size = 8 + fuzz_random(random) % (FUZZ_BYTES - 8);
	for (i = 0; i < program->size; i++)
		program->byte[i] = fuzz_random(random) >> 24;
}

/* The end of one program behind the beginning of another one. */
static void program_join(const struct fuzz_program *other, uint64_t *random,
			 struct fuzz_program *program)
{
	uint32_t at = fuzz_random(random) % (program->size + 1);
	uint32_t from = fuzz_random(random) % (other->size + 1), n = other->size - from;

	if (n > FUZZ_BYTES - at)
		n = FUZZ_BYTES - at;
	memcpy(program->byte + at, other->byte + from, n);
	program->size = at + n;
}

void fuzz_program_make(const struct fuzz_shared *shared, uint64_t *random,
		       struct fuzz_program *program)
{
	uint32_t corpus = __atomic_load_n(&shared->corpus_nr, __ATOMIC_RELAXED), i, changes;

	if (corpus > FUZZ_CORPUS)
		corpus = FUZZ_CORPUS;
	if (!corpus || !(fuzz_random(random) % 4)) {
		program_random(random, program);
		return;
	}
	*program = shared->corpus[fuzz_random(random) % corpus];
	if (program->size > FUZZ_BYTES)
		program->size = FUZZ_BYTES;
	if (!(fuzz_random(random) % 3))
		program_join(&shared->corpus[fuzz_random(random) % corpus], random, program);
	changes = fuzz_random(random) % 8;
	for (i = 0; i < changes && program->size; i++)
		program->byte[fuzz_random(random) % program->size] = fuzz_random(random) >> 24;
	/* Room for more calls behind. */
	while (program->size < FUZZ_BYTES && fuzz_random(random) % 8)
		program->byte[program->size++] = fuzz_random(random) >> 24;
}
