/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown record: write all windows of CPUs, or what tasks use, to a file.
 */
#ifndef TOPDOWN_CLI_RECORD_H
#define TOPDOWN_CLI_RECORD_H

#include "run.h"

#define SAMPLE_MIN_MS		10
#define SAMPLE_MAX_MS		3600000
#define SAMPLE_DEFAULT_MS	100
#define RECORD_RUNS_MAX		1000
/* Events of latencies have turns of 100 ms. */
#define LATENCY_DEFAULT_MS	1000
#define OWNER_DEFAULT_MS	1000
#define RECORD_TIMEOUT_MIN_MS	10
#define RECORD_TIMEOUT_MAX_MS	2147483647
#define ROTATE_MIN_BYTES	(64ULL << 10)
#define ROTATE_MAX_BYTES	(1ULL << 40)
#define ROTATE_MIN_MS		1000
#define ROTATE_MAX_MS		1800000000
#define ROTATE_FILES_MAX	1000

int record_main(int argc, char **argv);
int record_parse(struct record_options *options, int argc, char **argv, bool *done);

int record_open(struct record_run *run);

bool rotate_read(const struct option_row *row, const char *text, void *field);
uint64_t record_due_ns(const struct record_run *run);
bool rotate_due(const struct record_run *run);
int rotate_names(const char *path, unsigned int files);

int sampling_choose(struct record_run *run);
int sampling_start_cpus(struct record_run *run);
int sampling_start_tasks(struct record_run *run, const struct tasks *tasks);
int sampling_begin(struct record_run *run);
int sampling_again(struct record_run *run);
uint64_t sampling_next(const struct record_run *run);
int sampling_write(struct record_run *run);
int sampling_tick(struct record_run *run);
int sampling_finish(struct record_run *run);
void sampling_end(struct record_run *run);

void cpu_describe(const struct topdown_record *record, struct record_cpu *cpu);
int cpu_check(const struct topdown_record *record);

int record_cpus(struct record_run *run);
int record_tasks(struct record_run *run);

int owned_start(struct record_run *run);
int owned_begin(struct record_run *run);
int owned_again(struct record_run *run);
uint64_t owned_next(const struct record_run *run);
int owned_tick(struct record_run *run);
int owned_write(struct record_run *run);
void owned_end(struct record_run *run);

#endif /* TOPDOWN_CLI_RECORD_H */
