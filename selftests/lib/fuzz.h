/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random calls of the module, as bytes.  A program is up to FUZZ_BYTES bytes, and fuzz_call.c
 * executes whatever they say, so each change of a byte is another program that can be executed.
 * fuzz_cover.c keeps those that reach code which none before did, where the kernel says so.
 */
#ifndef TOPDOWN_SELFTESTS_FUZZ_H
#define TOPDOWN_SELFTESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_BYTES	400
#define FUZZ_CORPUS	4096
#define FUZZ_LINES	(1U << 16)

/* Who makes the calls. */
enum fuzz_role {
	FUZZ_ROOT,
	FUZZ_MEMBER,		/* Of the group of the device. */
	FUZZ_NOBODY,		/* Has a descriptor from somebody else. */
	FUZZ_ROLES,
};

struct fuzz_program {
	uint32_t size;
	uint8_t byte[FUZZ_BYTES];
};

/* Shared by all workers. */
struct fuzz_shared {
	uint64_t calls;
	uint64_t succeeded;
	uint64_t attached;
	uint64_t hotplugs;
	uint32_t corpus_nr;
	uint32_t places_nr;
	/* Offsets in the module's text that were executed, a hash table; 0 is free. */
	uint32_t place[FUZZ_LINES];
	struct fuzz_program corpus[FUZZ_CORPUS];
};

/* xorshift64: the same calls for the same seed. */
static inline uint64_t fuzz_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* fuzz_call.c */
/* Before all other calls; @open_file: a descriptor that the role could not open, or -1. */
bool fuzz_call_setup(struct fuzz_shared *shared, int open_file);
/* Execute a program, and close what it left open. */
void fuzz_call_run(const struct fuzz_program *program);

/* fuzz_cover.c */
/* The calling process.  false where the kernel has no KCOV, or the module is not built for it. */
bool fuzz_cover_open(void);
void fuzz_cover_begin(void);
/* Return: whether code was executed that none has executed before. */
bool fuzz_cover_end(struct fuzz_shared *shared);
void fuzz_corpus_add(struct fuzz_shared *shared, const struct fuzz_program *program);
/* Programs of a file, a line of hexadecimal digits each; how many. */
unsigned int fuzz_corpus_load(struct fuzz_shared *shared, const char *path);
/* On stdout: the places that were executed, and the programs. */
void fuzz_cover_print(const struct fuzz_shared *shared);
/* A new program: of the corpus with changes, or of random bytes. */
void fuzz_program_make(const struct fuzz_shared *shared, uint64_t *random,
		       struct fuzz_program *program);

#endif /* TOPDOWN_SELFTESTS_FUZZ_H */
