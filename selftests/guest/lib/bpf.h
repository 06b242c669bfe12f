/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A BPF program that reads a perf event, made by hand: the tests need no library for it.
 */
#ifndef TOPDOWN_SELFTESTS_BPF_H
#define TOPDOWN_SELFTESTS_BPF_H

#include <stdint.h>

/* Descriptors of the program and of its maps. */
struct bpf_reader {
	int program;
	int events;
	int result;
};

/* A program that reads the perf event @event; 0 or a negative errno. */
int bpf_reader_open(struct bpf_reader *reader, int event);
/* Run it on this CPU, on which the event counts; 0 or a negative errno. */
int bpf_reader_run(const struct bpf_reader *reader, uint64_t *count);
void bpf_reader_close(const struct bpf_reader *reader);

#endif /* TOPDOWN_SELFTESTS_BPF_H */
