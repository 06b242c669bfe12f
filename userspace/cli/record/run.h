/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording that goes on: its state, which all parts of topdown record share.
 */
#ifndef TOPDOWN_CLI_RUN_H
#define TOPDOWN_CLI_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

#include "command.h"
#include "control.h"
#include "cpulist.h"
#include "idlist.h"
#include "latency-blocks.h"
#include "latency.h"
#include "owner-blocks.h"
#include "owner-rows.h"
#include "task.h"

/**
 * struct rotation - when a recording goes on in a new file
 * @bytes: the file has so many; 0 for no such limit
 * @ns: it is so old; 0 for no such limit
 * @files: number of files that are kept, with the one that is written to; 0 for one that has all
 */
struct rotation {
	uint64_t bytes;
	uint64_t ns;
	unsigned int files;
};

/**
 * struct record_options - the command line of topdown record
 * @device: node
 * @all_cpus: -a
 * @has_cpus: -C
 * @cpus: arguments of -C
 * @pids: -p; empty without
 * @tree: --tree
 * @argv: the command and its arguments, or NULL
 * @runs: -r; 0 without
 * @past: --past
 * @interval_ms: -I; 0 without, and of CPUs
 * @latencies: --latency, bit n for event n; 0 without
 * @latency_ms: distance of latencies; 0 without
 * @by: --by; whose slots are recorded too
 * @depth: --depth; 0 for no limit
 * @owner_ms: distance of their intervals; 0 without
 * @timeout_ms: --timeout; 0 for no limit
 * @path: -o
 * @rotation: --rotate
 * @control: --control, or NULL
 * @waits: -D -1: record nothing until a word of --control
 * @strict: --strict
 * @quiet: -q
 * @words: the command line, with @nr_words
 * @nr_words: number of words
 */
struct record_options {
	const char *device;
	bool all_cpus;
	bool has_cpus;
	struct cpulist cpus;
	struct idlist pids;
	bool tree;
	char **argv;
	uint64_t runs;
	bool past;
	uint64_t interval_ms;
	uint64_t latencies;
	uint64_t latency_ms;
	enum owner_by by;
	uint64_t depth;
	uint64_t owner_ms;
	uint64_t timeout_ms;
	const char *path;
	struct rotation rotation;
	const char *control;
	bool waits;
	bool strict;
	bool quiet;
	char **words;
	int nr_words;
};

/**
 * struct sampling - the latencies that are recorded
 * @events: bit n for event n
 * @sessions: the latency sessions; none if no latencies are recorded
 * @then: for each record, the one since which nothing is in the file
 * @now: the records of now
 * @piece: what is about to be written
 * @begin_ns: when the interval began, CLOCK_MONOTONIC
 * @next_ns: when it ends
 * @seen: events that have a sample, bit n for event n
 * @due: number of events that should have been sampled
 * @lost: of these, those that were lost
 * @counted: it is known what was lost
 */
struct sampling {
	uint64_t events;
	struct latency_parts sessions;
	struct topdown_latency_record *then;
	struct topdown_latency_record *now;
	struct latency_piece *piece;
	uint64_t begin_ns;
	uint64_t next_ns;
	uint64_t seen;
	double due;
	double lost;
	bool counted;
};

/**
 * struct sampled - what was sampled in all
 * @events: number of events
 * @empty: number of those without a sample
 * @counted: it is known what was lost
 * @lost: share that was lost of what should have been sampled
 */
struct sampled {
	unsigned int events;
	unsigned int empty;
	bool counted;
	double lost;
};

/**
 * struct owned_name - what the file says of an owner that the last reading had
 * @what: enum topdown_owner_what; this and the next two are its key
 * @id: as in topdown_owner
 * @start_ns: as in topdown_owner
 * @number: its number in the file; OWNED_UNNUMBERED if it is not there yet
 * @name: its name there
 */
struct owned_name {
	uint32_t what;
	uint64_t id;
	uint64_t start_ns;
	uint32_t number;
	char name[TOPDOWN_OWNER_NAME_MAX];
};

#define OWNED_UNNUMBERED	UINT32_MAX

/**
 * struct owned_heir - an owner that has what others had, who have gone since the last reading
 * @heir: its record in the present reading
 * @figures: what they had until the last reading
 * @switches: their switches
 */
struct owned_heir {
	const struct topdown_owner *heir;
	struct topdown_figures figures;
	uint64_t switches;
};

/**
 * struct owned - the owners that are recorded
 * @owners: the present and the last reading; without a view none are recorded
 * @nr_names: number of @name
 * @name: owners of the last reading, in the order of their keys
 * @next_number: number in the file of the next owner that it does not have
 * @nr_heirs: number of @heir
 * @heir: heirs in the present interval
 * @nr_entries: number of @entry
 * @entry: owners that are about to be written
 * @nr_shares: number of @share
 * @share: what is about to be written
 * @begin_ns: when the interval began, CLOCK_MONOTONIC
 * @next_ns: when it ends
 */
struct owned {
	struct owners owners;
	unsigned int nr_names;
	struct owned_name *name;
	uint32_t next_number;
	unsigned int nr_heirs;
	struct owned_heir *heir;
	unsigned int nr_entries;
	struct record_owner *entry;
	unsigned int nr_shares;
	struct record_share *share;
	uint64_t begin_ns;
	uint64_t next_ns;
};

/**
 * struct record_run - a recording going on
 * @options: the command line
 * @td: device
 * @writer: the file
 * @begin_bytes: what the file has of CPUs before its first window
 * @name: name of the file, for messages
 * @fd: descriptor of the file
 * @stalled: its reader did not take what was written, and a signal ended the recording
 * @created: there was no such file before
 * @stale: the file still has its earlier contents
 * @started: the file has been begun
 * @signals: descriptor that reports signals
 * @control: words from outside
 * @word: the last of them, which the caller of record_wait() obeys; of tasks only
 * @disabled: nothing is recorded until one of them; of tasks only
 * @command: the command, if there is one
 * @start_ns: CLOCK_MONOTONIC of the begin
 * @first_ns: CLOCK_MONOTONIC of the begin of the oldest window; 0 if there is none
 * @end_ns: CLOCK_MONOTONIC at which --timeout ends the recording; 0 for none
 * @clock: the clocks, when they were last known to be apart in another way
 * @clock_set: descriptor that tells when the time of day has jumped; -1 for none
 * @end: when it ended
 * @signal: the signal that ended the recording; 0 for none
 * @status: exit code of the command; of several runs that of the first that failed
 * @history: windows that the module keeps for each CPU
 * @subjects: number of CPUs or tasks
 * @first: number of the first task of this run, as each run of the command is a task
 * @windows: windows or samples that were written to this file
 * @lost: windows that were lost of it
 * @files: number of files that were ended
 * @begin_ns: CLOCK_MONOTONIC of the begin of the first
 * @all_windows: windows or samples that were written to them
 * @all_lost: windows that were lost of them
 * @all_bytes: their size
 * @sampling: the latencies
 * @owned: the owners
 * @sampled: what there was of them, when the recording has ended
 */
struct record_run {
	const struct record_options *options;
	struct topdown *td;
	struct record_writer writer;
	uint64_t begin_bytes;
	const char *name;
	int fd;
	bool stalled;
	bool created;
	bool stale;
	bool started;
	int signals;
	struct control control;
	enum control_word word;
	bool disabled;
	struct command command;
	uint64_t start_ns;
	uint64_t first_ns;
	uint64_t end_ns;
	struct record_clock clock;
	int clock_set;
	struct record_clock end;
	int signal;
	int status;
	unsigned int history;
	unsigned int subjects;
	unsigned int first;
	uint64_t windows;
	uint64_t lost;
	unsigned int files;
	uint64_t begin_ns;
	uint64_t all_windows;
	uint64_t all_lost;
	uint64_t all_bytes;
	struct sampling sampling;
	struct owned owned;
	struct sampled sampled;
};

/**
 * enum record_event - why a wait is over
 *
 * @RECORD_READY: the device has something
 * @RECORD_TIME: the time to wait until
 * @RECORD_SET: the time of day has jumped, as after a suspend
 * @RECORD_CONTROL: a word that the caller obeys
 * @RECORD_OVER: the recording ends
 * @RECORD_ERROR: errno says why
 */
enum record_event {
	RECORD_READY,
	RECORD_TIME,
	RECORD_SET,
	RECORD_CONTROL,
	RECORD_OVER,
	RECORD_ERROR,
};

struct record_clock record_now(void);
int record_failed(const struct record_run *run, int error);
int record_clock(struct record_run *run);
int record_start_file(struct record_run *run, unsigned int subject);
int record_end_file(struct record_run *run);
int record_renew(struct record_run *run);
int record_next_file(struct record_run *run);
void record_take_signal(struct record_run *run);
void record_end_command(struct record_run *run);
enum record_event record_wait(struct record_run *run, short device, uint64_t until_ns);

#endif /* TOPDOWN_CLI_RUN_H */
