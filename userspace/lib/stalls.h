/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A handle that samples stalls: its events, its rings, and what was read of them.
 */
#ifndef TOPDOWN_LIB_STALLS_H
#define TOPDOWN_LIB_STALLS_H

#include <stdbool.h>
#include <topdown_stalls.h>

#include "stall-events.h"
#include "stall-ring.h"

#define TD_STALL_EVENTS_MAX	16
/*
 * Events of a turn miss all that happens in the turns of others, so what lasts a few turns has
 * too many or too few of its samples: turns are short, and as long as a change costs at most
 * one part in TD_TURN_COST of them, but no longer than the time between looks at the rings.
 */
#define TD_TURN_MIN_NS		10000000ULL
#define TD_TURN_COST		100
#define TD_LOOK_NS		50000000ULL
/*
 * Once a task needs its counters the module stands aside for 192 to 216 ms, and if they are needed
 * then for as long again. So a stretch of samples ends before that, and the rest goes on for
 * longer. They vary, so as not to fall into step with the program.
 */
#define TD_STRETCH_MIN_NS	120000000ULL
#define TD_STRETCH_JITTER_NS	50000000ULL
#define TD_REST_LONGER_NS	100000000ULL

/**
 * struct td_stall_fd - an event of one CPU and one thread, or of all threads
 * @fd: descriptor
 * @leader: descriptor of the group's leader; -1 if it is the event itself
 * @id: number that samples have
 * @event: number of the event
 */
struct td_stall_fd {
	int fd;
	int leader;
	uint64_t id;
	unsigned int event;
};

/**
 * struct td_stall_event - an event of the handle
 * @spec: what it is
 * @pmu: the PMU's name
 * @attr: what its samples have
 * @config: perf_event_attr.config
 * @config1: perf_event_attr.config1
 * @leader_config: config of the leader; 0 for none
 * @type: perf_event_attr.type
 * @error: positive errno; 0 if it is sampled
 * @precise: precise_ip
 * @branches: samples have branches
 * @user: kernel mode is left out for lack of the right
 * @wide: it samples whole CPUs, as the PMU cannot sample tasks
 * @rests: it leaves its counter to others for three fifths of the time
 * @turn: number of its turn; -1 if it is always counted
 * @samples: records
 */
struct td_stall_event {
	const struct td_stall_spec *spec;
	const char *pmu;
	struct topdown_stall_attr attr;
	uint64_t config;
	uint64_t config1;
	uint64_t leader_config;
	uint32_t type;
	int error;
	unsigned int precise;
	bool branches;
	bool user;
	bool wide;
	bool rests;
	int turn;
	uint64_t samples;
};

/* A record that was read, and its callers. */
struct td_stall_entry_read {
	struct topdown_stall stall;
	unsigned int chain_nr;
	__u64 *chain;
};

/* A change that was read, with a copy of its name. */
struct td_stall_change {
	struct topdown_stalls_map map;
	char *name;
};

struct topdown_stalls {
	struct topdown_stall_options options;
	unsigned int events_nr;
	struct td_stall_event event[TD_STALL_EVENTS_MAX];
	/* Descriptors: of samples, sorted by id; and of changes. */
	size_t fds_nr, fds_room;
	struct td_stall_fd *fds;
	size_t changes_fds_nr, changes_fds_room;
	int *changes_fds;
	/* One ring for each CPU of the list. */
	unsigned int cpus_nr;
	unsigned int *cpus;
	struct td_ring *rings;
	int *ring_fds;
	/* Threads to be sampled; none for whole CPUs. */
	unsigned int tids_nr;
	int *tids;
	/* Processes whose samples count, where an event samples whole CPUs. */
	size_t pids_nr, pids_room;
	uint32_t *pids;
	unsigned int turns;
	unsigned int turn;
	uint64_t turn_ns;
	uint64_t turn_length_ns;
	uint64_t change_ns;
	uint64_t took_ns[TD_STALL_EVENTS_MAX];	/* The last time of each turn, or 0. */
	bool between;
	/* Stretches in which the events that rest do so, and others. */
	bool some_rest, all_rest, resting;
	unsigned int stretch;
	uint64_t stretch_ns;
	uint64_t stretch_length_ns;
	/* What was read and not yet handed over. */
	size_t queue_nr, queue_room, queue_at;
	struct td_stall_entry_read *queue;
	size_t changes_nr, changes_room, changes_at;
	struct td_stall_change *changes;
	uint64_t lost;
	uint64_t throttled;
	bool stopped;
};

/* Room for one more element; false without memory. */
bool td_grow(void *array, size_t nr, size_t *room, size_t size);

/* stall-open.c */
int td_stalls_find_events(struct topdown_stalls *stalls);
int td_stalls_open_events(struct topdown_stalls *stalls);
void td_stalls_close_events(struct topdown_stalls *stalls);
void td_stalls_turn(struct topdown_stalls *stalls, int turn, bool on);
void td_stalls_rest(struct topdown_stalls *stalls, bool rest);

/* stall-read.c */
int td_stalls_drain(struct topdown_stalls *stalls);
void td_stalls_forget(struct topdown_stalls *stalls);

#endif /* TOPDOWN_LIB_STALLS_H */
