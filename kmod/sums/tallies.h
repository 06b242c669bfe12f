/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TALLIES_H
#define TOPDOWN_TALLIES_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <uapi/linux/topdown_latency.h>

struct td_task_tally;

/**
 * struct td_tally_time - the time of the tasks of a session on one CPU
 * @elapsed: nanoseconds that they had the CPU
 * @running: the part of it in which each event had its turn
 *
 * Written there with interrupts off, read from anywhere.
 */
struct td_tally_time {
	u64 elapsed;
	u64 running[TOPDOWN_LATENCY_EVENTS_MAX];
};

/**
 * struct td_tallies - what the samples in the tasks of a session add up to
 * @from: local_clock() of td_tallies_begin()
 * @time: the time of the tasks since then
 * @tally: the tally of each event; NULL for events that nobody asked for
 * @rcu: frees it
 */
struct td_tallies {
	u64 from;
	struct td_tally_time __percpu *time;
	struct td_task_tally *tally[TOPDOWN_LATENCY_EVENTS_MAX];
	struct rcu_head rcu;
};

/* Number of tallies that exist; credit.c has nothing to do for them without any. */
extern atomic_t td_nr_tallies;

/**
 * td_tallies_any() - does any session want samples of its tasks?
 *
 * Return: true or false; may change at any time.
 */
static __always_inline bool td_tallies_any(void)
{
	return atomic_read(&td_nr_tallies);
}

struct td_tallies *td_tallies_create(u64 events);
void td_tallies_begin(struct td_tallies *tallies);
void td_tallies_destroy(struct td_tallies *tallies);
bool td_tallies_on(const struct td_tallies *tallies, int cpu);
void td_tallies_sample(struct td_tallies *tallies, unsigned int number, u16 latency,
		       unsigned int bin, u64 weight);
void td_tallies_ran(struct td_tallies *tallies, unsigned int turn, u64 since, u64 now);
void td_tallies_read(const struct td_tallies *tallies, unsigned int number,
		     struct topdown_latency_record *record);

#endif /* TOPDOWN_TALLIES_H */
