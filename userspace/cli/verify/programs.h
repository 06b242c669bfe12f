/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small programs of known character.
 */
#ifndef TOPDOWN_CLI_PROGRAMS_H
#define TOPDOWN_CLI_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum program {
	PROGRAM_ADDITIONS,
	PROGRAM_DIVISIONS,
	PROGRAM_CHASE,
	PROGRAM_BRANCHES,
	PROGRAM_CODE,
	PROGRAM_MICROCODE,
	PROGRAM_CLEARS,
	PROGRAM_TAKEN,
	PROGRAMS,
};

/* The tasks are called this and the name of the program. */
#define PROGRAM_TASK		"td-"
#define PROGRAM_NO_LIMIT	((size_t)-1)

const char *program_name(enum program program);
const char *program_text(enum program program);
bool program_find(const char *name, enum program *program);
/* Execute it here, for ever; returns a negative errno if it cannot begin. */
int program_execute(enum program program, size_t memory);
size_t program_memory(size_t limit);
pid_t program_start(enum program program, unsigned int cpu, size_t memory);
void program_stop(pid_t pid);

#endif /* TOPDOWN_CLI_PROGRAMS_H */
