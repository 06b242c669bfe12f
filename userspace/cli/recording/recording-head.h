/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The begin of a file: which recording it belongs to.
 */
#ifndef TOPDOWN_CLI_RECORDING_HEAD_H
#define TOPDOWN_CLI_RECORDING_HEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cpulist.h"
#include "format.h"

/**
 * struct recording_head - how a file begins
 * @info: the recording as a whole
 * @rotated: it was made with --rotate
 * @cpus: the CPUs that it is of
 * @events: events whose latency was sampled, bit n for event n
 * @owners: owners were recorded
 * @kind: enum topdown_owners_kind
 * @depth: level of cgroups, 0 for all
 */
struct recording_head {
	struct record_info info;
	bool rotated;
	struct cpulist cpus;
	uint64_t events;
	bool owners;
	uint32_t kind;
	uint32_t depth;
};

bool recording_head_read(struct recording_head *head, FILE *file, char *why, size_t size,
			 bool *cut);
bool recording_same_load(const struct recording_head *one, const struct recording_head *other);
bool recording_same_machine(const struct recording_head *one, const struct recording_head *other);
void recording_head_differ(const struct recording_head *one, const struct recording_head *other,
			   char *text, size_t size);
bool recording_same_run(const struct recording_head *one, const struct recording_head *other);

#endif /* TOPDOWN_CLI_RECORDING_HEAD_H */
