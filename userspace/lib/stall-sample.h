/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples and changes of processes in perf's form, which may be cut or made up.
 */
#ifndef TOPDOWN_STALL_SAMPLE_H
#define TOPDOWN_STALL_SAMPLE_H

#include <stdbool.h>
#include <topdown_stalls.h>

/**
 * struct td_chain - callers, where they are in the sample
 * @ips: addresses; not aligned
 * @nr: number of them
 */
struct td_chain {
	const unsigned char *ips;
	uint64_t nr;
};

/* What the registers do not say, the event may. */
int td_stall_parse(const struct topdown_stall_attr *attr, const void *sample, size_t len,
		   struct topdown_stall *out, struct td_chain *chain);
/* The first word of a sample with PERF_SAMPLE_IDENTIFIER. */
bool td_sample_id(const void *sample, size_t len, uint64_t *id);
/*
 * PERF_RECORD_MMAP2, _COMM and _FORK with sample_id_all; false for another, and for one
 * that is not of interest. The name stays in the record.
 */
bool td_stall_parse_map(uint64_t sample_type, const void *record, size_t len,
			struct topdown_stalls_map *out, const char **name);

#endif /* TOPDOWN_STALL_SAMPLE_H */
