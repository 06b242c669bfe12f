/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Formula families: from counts of ordinary events to slots per node.
 *
 * They are for CPUs without PERF_METRICS, and for refining PERF_METRICS.  A family is one
 * table of events and one function: pure data and integer arithmetic.  The module and the
 * host tests compile both.
 */
#ifndef TOPDOWN_FORMULA_H
#define TOPDOWN_FORMULA_H

#include "formula-thresholds.h"
#include "metrics.h"

#ifdef __KERNEL__
#include <linux/stddef.h>
#else
#include <stddef.h>
#endif

/* Room for the events of the largest family. */
#define TD_EVENTS_MAX		20

/* In td_sample.count: td_formula.retired.  No family that has it has so many events. */
#define TD_EVENT_RETIRED	(TD_EVENTS_MAX - 1)

/*
 * Counts of 2^58 and more are rejected: that is three years of cycles, and sums at eight
 * slots a cycle would overflow.
 */
#define TD_COUNT_BITS		58

/*
 * The reference of groups that have turns: cycles in which the CPU was not halted.  For
 * Intel it is CPU_CLK_UNHALTED.REF_TSC by the driver's code.  It uses fixed counter 2,
 * which no family needs and the NMI watchdog does not take.
 */
#define TD_REFERENCE_INTEL	0x300
#define TD_REFERENCE_AMD	0x76

/*
 * td_event.parents: the event is for level 1, or for the children of these level 1 nodes.
 */
#define TD_LEVEL1		0
#define TD_RETIRING		(1U << TOPDOWN_RETIRING)
#define TD_BAD			(1U << TOPDOWN_BAD_SPECULATION)
#define TD_FRONTEND		(1U << TOPDOWN_FRONTEND_BOUND)
#define TD_BACKEND		(1U << TOPDOWN_BACKEND_BOUND)
#define TD_PARENTS		(TD_RETIRING | TD_BAD | TD_FRONTEND | TD_BACKEND)

/**
 * enum td_when - on which machines an event is counted
 *
 * @TD_ALWAYS: on all machines
 * @TD_SMT: on cores with two threads
 * @TD_NO_SMT: on cores with one thread
 */
enum td_when {
	TD_ALWAYS,
	TD_SMT,
	TD_NO_SMT,
};

/**
 * struct td_event - an event of a family's table
 * @name: name in Intel's or AMD's event list
 * @config: perf's raw config
 * @other: another config with the same count, in case the driver refuses @config; or 0
 * @parents: TD_LEVEL1, or the level 1 nodes whose children need the event
 * @when: enum td_when
 */
struct td_event {
	const char *name;
	__u64 config;
	__u64 other;
	__u8 parents;
	__u8 when;
};

/**
 * struct td_sample - the counts of a span of time
 * @count: count of each event, in the order of the family's table; 0 for an event that
 *	is not counted on this machine
 * @width: slots per cycle
 * @level: highest level with counts
 * @undrilled: bit n: level 1 node n is not drilled, so events for its children have no count
 * @smt: the core's other thread is online
 */
struct td_sample {
	__u64 count[TD_EVENTS_MAX];
	__u32 width;
	__u32 level;
	__u32 undrilled;
	int smt;
};

/**
 * struct td_slots - the result of a formula
 * @slots: all slots
 * @node: slots of each node, at most @slots; 0 for nodes that the family lacks
 * @level1: the level 1 nodes together as published, before any is cut to @slots; nodes below 0
 *	are left out, because what is missing there is too much in another
 * @clamped: bit n: for node n, or for the other child of its parent, the published formula
 *	has no value here, or one below 0 or above the parent
 */
struct td_slots {
	__u64 slots;
	__u64 node[TOPDOWN_MAX_NODES];
	__u64 level1;
	__u32 clamped;
};

/**
 * struct td_formula - a family
 * @name: name of the family
 * @source: enum topdown_source
 * @level: highest level of the family
 * @nodes: nodes of the family, bit n for node n
 * @nr_events: length of @events
 * @events: events; those of level 1 come first, and events for the same nodes are
 *	neighbours
 * @reference: perf's raw config of the reference
 * @eval: the formula; @slots is zeroed before, and the sample is sane
 * @thresholds: published thresholds of its nodes; NULL for none
 * @refined: the family that refines PERF_METRICS of the same cores; or NULL
 * @instructions: index of the event that counts retired instructions, if the first event
 *	counts cycles in which the CPU was not halted; 0 for none
 * @retired: perf's raw config of retired instructions, to be counted too if the last group
 *	leaves a counter free, and if the first event counts cycles; 0 for no such event
 * @rivals: perf's raw configs of two events that only one and the same general counter can
 *	count, if level 2 has such an event; 0 for none
 * @mates: perf's raw configs of two events that need two general counters, of which a driver
 *	may believe that they need the same; 0 for none
 */
struct td_formula {
	const char *name;
	__u32 source;
	__u32 level;
	__u32 nodes;
	__u32 nr_events;
	const struct td_event *events;
	__u64 reference;
	void (*eval)(const struct td_sample *sample, struct td_slots *slots);
	const struct td_thresholds *thresholds;
	const struct td_formula *refined;
	__u32 instructions;
	__u64 retired;
	__u64 rivals[2];
	__u64 mates[2];
};

extern const struct td_formula td_generic_snb;
extern const struct td_formula td_generic_ivb;
extern const struct td_formula td_generic_hsw;
extern const struct td_formula td_generic_bdw;
extern const struct td_formula td_generic_skl;
extern const struct td_formula td_fallback_icl;
extern const struct td_formula td_fallback_glc;
extern const struct td_formula td_fallback_lnc;
extern const struct td_formula td_fallback_coc;
extern const struct td_formula td_atom_glm;
extern const struct td_formula td_atom_tnt;
extern const struct td_formula td_atom_grt;
extern const struct td_formula td_atom_cmt;
extern const struct td_formula td_atom_skt;
extern const struct td_formula td_atom_arw;
extern const struct td_formula td_zen4;
extern const struct td_formula td_zen5;
extern const struct td_formula td_zen6;

/* Families that refine PERF_METRICS: see formula-metrics.c. */
extern const struct td_formula td_refined_icl;
extern const struct td_formula td_refined_glc;

__u32 td_formula_over(const struct td_formula *formula, const struct topdown_sums *sums,
		      __u32 nodes);
void td_formula_eval(const struct td_formula *formula, const struct td_sample *sample,
		     struct td_slots *slots);

/* For the families' functions. */
__u64 td_times(__u64 a, __u64 b, __u64 c);
void td_set_level1(struct td_slots *slots, enum topdown_node node, __s64 value);
void td_set_pair(struct td_slots *slots, enum topdown_node parent, __s64 first);
void td_set_pair_of(struct td_slots *slots, enum topdown_node parent, enum topdown_node child,
		    enum topdown_node rest, __s64 value);
void td_set_both(struct td_slots *slots, enum topdown_node parent, __s64 first, __s64 second);
void td_set_split(struct td_slots *slots, enum topdown_node parent, __s64 part, __s64 whole);

#endif /* TOPDOWN_FORMULA_H */
