/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random calls of the module, as bytes.  A program is up to FUZZ_BYTES bytes, and fuzz_call_run()
 * executes whatever they say.
 */
#ifndef TOPDOWN_SELFTESTS_FUZZ_H
#define TOPDOWN_SELFTESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_BYTES	400

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
};

/* xorshift64: the same calls for the same seed. */
static inline uint64_t fuzz_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Before all other calls; @open_file: a descriptor that the role could not open, or -1. */
bool fuzz_call_setup(struct fuzz_shared *shared, int open_file);
/* Execute a program, and close what it left open. */
void fuzz_call_run(const struct fuzz_program *program);

#endif /* TOPDOWN_SELFTESTS_FUZZ_H */
