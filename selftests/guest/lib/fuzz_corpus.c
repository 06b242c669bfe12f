// SPDX-License-Identifier: GPL-2.0
/* Programs of the fuzzer: those that are kept, and new ones. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

static uint32_t programs_of(const struct fuzz_shared *shared)
{
	uint32_t programs = __atomic_load_n(&shared->programs, __ATOMIC_RELAXED);

	return programs < FUZZ_PROGRAMS ? programs : FUZZ_PROGRAMS;
}

void fuzz_corpus_add(struct fuzz_shared *shared, const struct fuzz_program *program)
{
	uint32_t n = __atomic_fetch_add(&shared->programs, 1, __ATOMIC_RELAXED);

	/* A worker that sees a part of it has a program all the same. */
	if (n < FUZZ_PROGRAMS)
		shared->program[n] = *program;
	else
		__atomic_store_n(&shared->programs, FUZZ_PROGRAMS, __ATOMIC_RELAXED);
}

unsigned int fuzz_corpus_load(struct fuzz_shared *shared, const char *path)
{
	char line[2 * FUZZ_BYTES + 2];
	struct fuzz_program program;
	FILE *file = fopen(path, "r");
	unsigned int byte, n = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		program.size = 0;
		while (program.size < FUZZ_BYTES &&
		       sscanf(line + 2 * program.size, "%2x", &byte) == 1)
			program.byte[program.size++] = byte;
		/* Comments have none. */
		if (!program.size)
			continue;
		fuzz_corpus_add(shared, &program);
		n++;
	}
	fclose(file);
	shared->loaded = programs_of(shared);
	return n;
}

void fuzz_corpus_print(const struct fuzz_shared *shared)
{
	uint32_t i, j;

	for (i = shared->loaded; i < programs_of(shared); i++) {
		printf("# program ");
		for (j = 0; j < shared->program[i].size; j++)
			printf("%02x", shared->program[i].byte[j]);
		printf("\n");
	}
}

static void make_random(uint64_t *random, struct fuzz_program *program)
{
	uint32_t i;

	program->size = 8 + fuzz_random(random) % (FUZZ_BYTES - 8);
	for (i = 0; i < program->size; i++)
		program->byte[i] = fuzz_random(random) >> 24;
}

/* The end of one program behind the beginning of another one. */
static void join(const struct fuzz_program *other, uint64_t *random, struct fuzz_program *program)
{
	uint32_t at = fuzz_random(random) % (program->size + 1);
	uint32_t from = fuzz_random(random) % (other->size + 1), n = other->size - from;

	if (n > FUZZ_BYTES - at)
		n = FUZZ_BYTES - at;
	memcpy(program->byte + at, other->byte + from, n);
	program->size = at + n;
}

/* One that no worker has executed yet as it is. */
static const struct fuzz_program *next_loaded(struct fuzz_shared *shared)
{
	uint32_t i;

	if (__atomic_load_n(&shared->executed, __ATOMIC_RELAXED) >= shared->loaded)
		return NULL;
	i = __atomic_fetch_add(&shared->executed, 1, __ATOMIC_RELAXED);
	return i < shared->loaded ? &shared->program[i] : NULL;
}

void fuzz_corpus_make(struct fuzz_shared *shared, uint64_t *random, struct fuzz_program *program)
{
	const struct fuzz_program *loaded = next_loaded(shared);
	uint32_t programs = programs_of(shared), changes;

	if (loaded) {
		*program = *loaded;
		return;
	}
	if (!programs || !(fuzz_random(random) % 4)) {
		make_random(random, program);
		return;
	}
	*program = shared->program[fuzz_random(random) % programs];
	if (!(fuzz_random(random) % 3))
		join(&shared->program[fuzz_random(random) % programs], random, program);
	for (changes = fuzz_random(random) % 8; changes && program->size; changes--)
		program->byte[fuzz_random(random) % program->size] = fuzz_random(random) >> 24;
	/* Room for more calls behind. */
	while (program->size < FUZZ_BYTES && fuzz_random(random) % 8)
		program->byte[program->size++] = fuzz_random(random) >> 24;
}
