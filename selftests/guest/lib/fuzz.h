/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random calls of the module, as bytes.  A program is up to FUZZ_BYTES bytes, and fuzz_call_run()
 * executes whatever they say, so each change of a byte is a program too.  The corpus has programs
 * that are worth a change: each reached code that none before it did.
 */
#ifndef TOPDOWN_SELFTESTS_FUZZ_H
#define TOPDOWN_SELFTESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_BYTES	400
#define FUZZ_PROGRAMS	4096
#define FUZZ_PLACES	(1U << 16)

/* A program of root's that gives its rights to whom executes it. */
#define FUZZ_SET_UID	"/tmp/topdown-fuzz-set-uid"

/* The user who makes the calls. */
enum fuzz_role {
	FUZZ_ROOT,
	FUZZ_MEMBER,		/* In the group of the device. */
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
	/* The first of the programs are from a file, and each is executed once as it is. */
	uint32_t programs, loaded, executed;
	uint32_t places;
	/* Offsets in the module's text that were executed, a hash table; 0 is free. */
	uint32_t place[FUZZ_PLACES];
	struct fuzz_program program[FUZZ_PROGRAMS];
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

/* fuzz_corpus.c */
/* Programs of a file: a line of hexadecimal digits each, or a comment.  Return: how many. */
unsigned int fuzz_corpus_load(struct fuzz_shared *shared, const char *path);
/* The next program: of the file, or then one of the corpus with changes, or random bytes. */
void fuzz_corpus_make(struct fuzz_shared *shared, uint64_t *random, struct fuzz_program *program);
void fuzz_corpus_add(struct fuzz_shared *shared, const struct fuzz_program *program);
/* On stdout those that were added later, a line "# program DIGITS" each. */
void fuzz_corpus_print(const struct fuzz_shared *shared);

/* fuzz_cover.c */
/* By root, of the calling process.  Return: whether kernel and module are built with KCOV. */
bool fuzz_cover_open(void);
void fuzz_cover_begin(void);
/* Return: whether the module executed code since the begin that it never did before. */
bool fuzz_cover_end(struct fuzz_shared *shared);

#endif /* TOPDOWN_SELFTESTS_FUZZ_H */
