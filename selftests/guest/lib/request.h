/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments of all commands with which they succeed, and changes of a field that make them
 * fail, in memory that callers with 32 bits reach too.
 */
#ifndef TOPDOWN_SELFTESTS_REQUEST_H
#define TOPDOWN_SELFTESTS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/topdown_latency.h>

#define PAGE		4096
/* The commands of /dev/topdown and of its sessions; after these those of /dev/topdown_latency. */
#define COMMANDS	(TOPDOWN_CMD_CONTROL + 1)
#define LATENCY_START	COMMANDS
#define LATENCY_READ	(COMMANDS + 1)
#define ALL_COMMANDS	(COMMANDS + 2)

/*
 * Addresses: the argument, with a page after it; CPU sets of one CPU, of none, and with a CPU that
 * no machine has; room for answers; memory that cannot be written; memory that cannot be read; an
 * event, with zeros after it.
 */
#define ARGUMENT	0x20000000UL
#define CPU_ONE		(ARGUMENT + 2 * PAGE)
#define CPU_NONE	(ARGUMENT + 3 * PAGE)
#define CPU_IMPOSSIBLE	(ARGUMENT + 4 * PAGE)
#define ANSWERS		(ARGUMENT + 5 * PAGE)
#define READONLY	(ARGUMENT + 21 * PAGE)
#define NOWHERE		(ARGUMENT + 22 * PAGE)
#define EVENTS		(ARGUMENT + 23 * PAGE)
#define REQUEST_END	(ARGUMENT + 25 * PAGE)

/* Lengths as they were released, and flags, which all arguments have after their size. */
struct command {
	const char *name;
	unsigned int cmd;
	unsigned int size;
	unsigned int min_size;
	uint32_t flags;
	/* The argument is written. */
	bool answers;
};

/* By TOPDOWN_CMD_*, LATENCY_START and LATENCY_READ. */
extern const struct command commands[ALL_COMMANDS];

struct field {
	unsigned int at;
	unsigned int size;
	uint64_t value;
};

#define FIELD(type, name, value) \
	{ offsetof(struct topdown_##type, name), sizeof(((struct topdown_##type *)0)->name), value }

/* A command, and what of its argument is otherwise. */
struct row {
	unsigned int nr;
	struct field field[4];
};

/* The descriptor of a session, for the commands of one. */
extern int request_session;

/* Make the memory: 0 or a negative errno. */
int request_memory(void);
/* An argument with which the command succeeds. */
void request_make(unsigned int nr);
void request_set(const struct field *field);
bool request_is_of_session(unsigned int nr);
/* The descriptor that a command is for: @fd, that of the device, or that of the session. */
int request_file(int fd, unsigned int nr);
/* A command with the argument that is there. */
long request_try(unsigned int bits, int fd, unsigned int nr);
/* The descriptor of a new session, or a negative errno. */
int request_attach(unsigned int bits, int fd, int pid);
/* Does each row fail with this errno, or succeed with 0?  Says which does not. */
bool rows_fail(unsigned int bits, int fd, const struct row *rows, unsigned int nr, int error);
/* Is it the errno that is expected?  Says so if not. */
bool fails(const char *what, long ret, int error);

#define ROWS_FAIL(bits, fd, rows, error) \
	rows_fail(bits, fd, rows, sizeof(rows) / sizeof((rows)[0]), error)

#endif /* TOPDOWN_SELFTESTS_REQUEST_H */
