// SPDX-License-Identifier: GPL-2.0
/*
 * A BPF program that reads a perf event, made by hand: the tests need no library for it.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf.h"

#define LOG_SIZE	4096

/* Instructions, as <linux/bpf.h> names their fields. */
#define MOVE(to, from) \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define SET(to, value) \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (value) }
#define ADD(to, value) \
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (value) }
#define CALL(function) \
	{ .code = BPF_JMP | BPF_CALL, .imm = (function) }
#define EXIT \
	{ .code = BPF_JMP | BPF_EXIT }
/* The first half of an instruction of 16 bytes, of which the second is 0. */
#define SET_MAP(to, fd) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (to), .src_reg = BPF_PSEUDO_MAP_FD, \
	  .imm = (fd) }
#define SECOND_HALF \
	{ }

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

static int map_create(enum bpf_map_type type, unsigned int value_size)
{
	union bpf_attr attr = {
		.map_type	= type,
		.key_size	= sizeof(uint32_t),
		.value_size	= value_size,
		.max_entries	= 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

/* Read or write the only entry of a map. */
static int map_entry(enum bpf_cmd command, int map, void *value)
{
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_fd	= map,
		.key	= (uintptr_t)&key,
		.value	= (uintptr_t)value,
	};

	return bpf(command, &attr);
}

/* result[0] = bpf_perf_event_read(events, 0) */
static int program_load(int events, int result)
{
	const struct bpf_insn program[] = {
		SET_MAP(BPF_REG_1, events),
		SECOND_HALF,
		SET(BPF_REG_2, 0),
		CALL(BPF_FUNC_perf_event_read),
		MOVE(BPF_REG_6, BPF_REG_0),
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4 },
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -4),
		SET_MAP(BPF_REG_1, result),
		SECOND_HALF,
		CALL(BPF_FUNC_map_lookup_elem),
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 1 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_0,
		  .src_reg = BPF_REG_6 },
		SET(BPF_REG_0, 0),
		EXIT,
	};
	static const char license[] = "GPL";
	static char log[LOG_SIZE];
	union bpf_attr attr = {
		.prog_type	= BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insn_cnt	= sizeof(program) / sizeof(program[0]),
		.insns		= (uintptr_t)program,
		.license	= (uintptr_t)license,
		.log_level	= 1,
		.log_size	= sizeof(log),
		.log_buf	= (uintptr_t)log,
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

int bpf_reader_open(struct bpf_reader *reader, int event)
{
	int ret;

	reader->program = -1;
	reader->events = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t));
	reader->result = map_create(BPF_MAP_TYPE_ARRAY, sizeof(uint64_t));
	ret = reader->events < 0 ? reader->events : reader->result;
	if (ret >= 0)
		ret = map_entry(BPF_MAP_UPDATE_ELEM, reader->events, &event);
	if (ret >= 0)
		reader->program = program_load(reader->events, reader->result);
	if (reader->program >= 0)
		return 0;
	ret = ret < 0 ? ret : reader->program;
	bpf_reader_close(reader);
	return ret;
}

int bpf_reader_run(const struct bpf_reader *reader, uint64_t *count)
{
	union bpf_attr attr = { .test = { .prog_fd = reader->program } };
	int ret = bpf(BPF_PROG_TEST_RUN, &attr);

	return ret ? ret : map_entry(BPF_MAP_LOOKUP_ELEM, reader->result, count);
}

void bpf_reader_close(const struct bpf_reader *reader)
{
	close(reader->program);
	close(reader->result);
	close(reader->events);
}
