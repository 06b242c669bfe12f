// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments of all commands.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "caller.h"
#include "guest.h"
#include "request.h"

#define COMMAND(NAME, type, min, known, writes)			\
	[TOPDOWN_CMD_##NAME] = COMMAND_AT(NAME, type, min, known, writes)

#define COMMAND_AT(NAME, type, min, known, writes)		\
	{							\
		.name		= #NAME,			\
		.cmd		= TOPDOWN_##NAME,		\
		.size		= sizeof(struct topdown_##type), \
		.min_size	= min,				\
		.flags		= known,			\
		.answers	= writes,			\
	}

const struct command commands[ALL_COMMANDS] = {
	COMMAND(INFO, info, 288, 0, true),
	COMMAND(READ, read, 40, 0x7, true),
	COMMAND(WATCH, watch, 64, 0xf, true),
	COMMAND(ATTACH, attach, 16, 0x1f, false),
	COMMAND(SESSION, session, 496, 0x1, true),
	COMMAND(CONTROL, control, 16, 0, false),
	[LATENCY_START] = COMMAND_AT(LATENCY_START, latency_start, 56, 0x3, true),
	[LATENCY_READ] = COMMAND_AT(LATENCY_READ, latency_read, 24, 0, true),
};

/* The fields of each that are not 0, but for the size. */
static const struct field right[ALL_COMMANDS][5] = {
	[TOPDOWN_CMD_READ] = {
		FIELD(read, cpus, CPU_ONE), FIELD(read, cpus_words, 1),
		FIELD(read, record_size, sizeof(struct topdown_record)),
		FIELD(read, records, ANSWERS), FIELD(read, nr_records, 4),
	},
	[TOPDOWN_CMD_WATCH] = {
		FIELD(watch, cpus, CPU_ONE), FIELD(watch, cpus_words, 1),
		FIELD(watch, event_size, sizeof(struct topdown_event)),
	},
	[LATENCY_START] = {
		FIELD(latency_start, cpus, CPU_ONE), FIELD(latency_start, cpus_words, 1),
		FIELD(latency_start, events, EVENTS), FIELD(latency_start, nr_events, 1),
		FIELD(latency_start, event_size, sizeof(struct topdown_latency_event)),
	},
	[LATENCY_READ] = {
		FIELD(latency_read, records, ANSWERS), FIELD(latency_read, nr_records, 4),
		FIELD(latency_read, record_size, sizeof(struct topdown_latency_record)),
	},
};

int request_session = -1;

int request_memory(void)
{
	void *memory = mmap((void *)ARGUMENT, REQUEST_END - ARGUMENT, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	*(uint64_t *)CPU_ONE = 1;
	/* MEM_INST_RETIRED.SPLIT_LOADS */
	*(uint64_t *)EVENTS = 0x41d0;
	((uint64_t *)CPU_IMPOSSIBLE)[0] = 1;
	((uint64_t *)CPU_IMPOSSIBLE)[TOPDOWN_CPUS_WORDS_MAX - 1] = 1ULL << 63;
	if (mprotect((void *)READONLY, PAGE, PROT_READ) ||
	    mprotect((void *)NOWHERE, PAGE, PROT_NONE))
		return -errno;
	return 0;
}

void request_set(const struct field *field)
{
	/* Little endian. */
	memcpy((char *)ARGUMENT + field->at, &field->value, field->size);
}

void request_make(unsigned int nr)
{
	unsigned int i;

	memset((void *)ARGUMENT, 0, 2 * PAGE);
	*(__u32 *)ARGUMENT = commands[nr].size;
	for (i = 0; i < 5; i++)
		request_set(&right[nr][i]);
}

bool request_is_of_session(unsigned int nr)
{
	return nr == TOPDOWN_CMD_SESSION || nr == TOPDOWN_CMD_CONTROL;
}

int request_file(int fd, unsigned int nr)
{
	return request_is_of_session(nr) ? request_session : fd;
}

long request_try(unsigned int bits, int fd, unsigned int nr)
{
	return caller_ioctl(bits, request_file(fd, nr), commands[nr].cmd, (void *)ARGUMENT);
}

int request_attach(unsigned int bits, int fd, int pid)
{
	struct field field = FIELD(attach, pid, 0);

	field.value = pid;
	request_make(TOPDOWN_CMD_ATTACH);
	request_set(&field);
	return request_try(bits, fd, TOPDOWN_CMD_ATTACH);
}

static const char *name_of(long ret)
{
	return ret < 0 ? strerrorname_np(-ret) : "no error";
}

bool fails(const char *what, long ret, int error)
{
	if (ret == -error)
		return true;
	printf("# %s: %s instead of %s\n", what, name_of(ret), name_of(-error));
	fflush(stdout);
	return false;
}

bool rows_fail(unsigned int bits, int fd, const struct row *rows, unsigned int nr, int error)
{
	unsigned int i, j;
	bool ok = true;
	char what[64];

	for (i = 0; i < nr; i++) {
		request_make(rows[i].nr);
		for (j = 0; j < sizeof(rows->field) / sizeof(*rows->field); j++)
			request_set(&rows[i].field[j]);
		snprintf(what, sizeof(what), "%s, byte %u is %llu", commands[rows[i].nr].name,
			 rows[i].field[0].at, (unsigned long long)rows[i].field[0].value);
		ok &= fails(what, request_try(bits, fd, rows[i].nr), error);
	}
	return ok;
}
