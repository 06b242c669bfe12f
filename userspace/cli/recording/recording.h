/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording, read from its file and checked.
 */
#ifndef TOPDOWN_CLI_RECORDING_H
#define TOPDOWN_CLI_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cpulist.h"
#include "latency-blocks.h"
#include "moment.h"
#include "owner-blocks.h"

/* As many as the list of -p or -t can have. */
#define RECORDING_TASKS_MAX	1024

/**
 * struct recording_cpu - a CPU of a recording
 * @there: it was recorded
 * @cpu: the CPU in the beginning
 * @has_begin: there is @begin
 * @has_start: there is @start
 * @has_finish: there is @finish
 * @begin: the CPU when the recording began
 * @start: the CPU when the file began, of which there may be several
 * @finish: the CPU when the recording ended
 * @next: number of the next window; 0 if any number may be the first
 * @windows: windows that the file has
 * @lost: windows that were lost
 * @last_ns: when the last window ended, before a loss
 */
struct recording_cpu {
	bool there;
	struct record_cpu cpu;
	bool has_begin;
	bool has_start;
	bool has_finish;
	struct record_edge begin;
	struct record_edge start;
	struct record_edge finish;
	uint64_t next;
	uint64_t windows;
	uint64_t lost;
	uint64_t last_ns;
};

/**
 * struct recording_choice - what is taken of a file
 * @partial: what a file has whose end is missing
 * @quiet: without a remark that it is
 * @has_cpus: some CPUs only
 * @cpus: these
 * @since: only what has ended since then
 * @until: only what has ended until then
 */
struct recording_choice {
	bool partial;
	bool quiet;
	bool has_cpus;
	struct cpulist cpus;
	struct moment since;
	struct moment until;
};

/**
 * struct recording_gap - a time that is in none of several files
 * @begin_ns: its begin, CLOCK_MONOTONIC
 * @end_ns: its end
 */
struct recording_gap {
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * struct recording - a recording
 * @name: name of the file, or of several, for messages
 * @before: name of the file before it
 * @files: files that were read
 * @info: the recording as a whole
 * @command: its command line; the words have spaces between
 * @nr_cpus: number of @cpu
 * @cpu: CPUs by number
 * @nr_tasks: number of @task
 * @task: tasks by number
 * @nr_clocks: number of @clock
 * @clock: moments since which the clocks are apart in another way
 * @owners: owners that were recorded
 * @nr_gaps: number of @gap
 * @gap: times that are in no file, in their order
 * @seen_ns: when the last window ended, or sample, that was taken or left out
 * @end: the end, if it is @whole
 * @whole: the file has its end
 * @windows: windows with a number, or samples
 * @lost: windows that were lost
 * @since_ns: what has ended before was left out; 0 for nothing
 * @until_ns: what has ended later was left out; 0 for nothing
 * @first_ns: when the first piece began
 * @last_ns: when the last piece ended
 */
struct recording {
	const char *name;
	const char *before;
	size_t files;
	struct record_info info;
	char command[512];
	unsigned int nr_cpus;
	struct recording_cpu *cpu;
	unsigned int nr_tasks;
	struct record_task *task;
	size_t nr_clocks;
	struct record_clock *clock;
	struct owner_list owners;
	size_t nr_gaps;
	struct recording_gap *gap;
	uint64_t seen_ns;
	struct record_end end;
	bool whole;
	uint64_t windows;
	uint64_t lost;
	uint64_t since_ns;
	uint64_t until_ns;
	uint64_t first_ns;
	uint64_t last_ns;
};

/**
 * struct recording_piece - what one CPU or one task did in a span of time
 * @subject: number of the CPU or of the task
 * @begin_ns: begin of the span, CLOCK_MONOTONIC
 * @end_ns: its end
 * @source: enum topdown_source
 * @level: highest level
 * @flags: TOPDOWN_RECORD_*; of tasks as in struct record_task
 * @turns: topdown_record.turns; of tasks as in struct record_task
 * @figures: figures of the span. Of a window that began before the recording, those since then
 * @window: the window as the file has it; NULL for a sample
 * @sample: the sample as the file has it; NULL for a window
 */
struct recording_piece {
	uint32_t subject;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t source;
	uint32_t level;
	uint32_t flags;
	uint32_t turns;
	struct topdown_figures figures;
	const struct record_window *window;
	const struct record_sample *sample;
};

/**
 * struct owner_piece - what an owner had in an interval
 * @begin_ns: when the interval began, CLOCK_MONOTONIC
 * @end_ns: when it ended
 * @share: what it had; its owner is in recording.owners
 */
struct owner_piece {
	uint64_t begin_ns;
	uint64_t end_ns;
	struct record_share share;
};

/**
 * struct recording_sink - who gets the pieces
 * @begin: the recording as a whole is known, and which CPUs it has
 * @piece: the next piece of a CPU or of a task; those of one subject are in the order of time
 * @latency: what was sampled of an event in an interval; NULL if nobody wants it
 * @owned: what an owner had in an interval; NULL if nobody wants it.  Owners are of all CPUs, so
 *	there are none if some CPUs only were chosen
 * @data: for all of them
 *
 * All return 0, or an exit code after a message.
 */
struct recording_sink {
	int (*begin)(void *data, const struct recording *recording);
	int (*piece)(void *data, const struct recording *recording,
		     const struct recording_piece *piece);
	int (*latency)(void *data, const struct recording *recording,
		       const struct latency_piece *piece);
	int (*owned)(void *data, const struct recording *recording,
		     const struct owner_piece *piece);
	void *data;
};

void recording_free(struct recording *recording);
uint64_t recording_begin_ns(const struct recording *recording);
uint64_t recording_end_ns(const struct recording *recording);
bool recording_in_part(const struct recording *recording);
uint64_t recording_gap_ns(const struct recording *recording, uint64_t from_ns, uint64_t to_ns);
uint64_t recording_epoch_ns(const struct recording *recording, uint64_t at_ns);
double recording_epoch(const struct recording *recording, uint64_t at_ns);

/* times.c */
int recording_set_times(struct recording *recording, const struct recording *whole,
			const struct recording_choice *choice);
bool recording_overlaps(const struct recording *whole, const struct recording_choice *choice);
void recording_put_time(char *text, size_t size, uint64_t epoch_ns);
int recording_choose_times(struct recording *recording, FILE **file,
			   const struct recording_choice *choice);
int recording_read_stream(struct recording *recording, FILE *file,
			  const struct recording_choice *choice,
			  const struct recording_sink *sink);

#endif /* TOPDOWN_CLI_RECORDING_H */
