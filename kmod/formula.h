/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Formula families: from counts of ordinary events to slots per node.
 *
 * For CPUs whose figures do not come from PERF_METRICS, or not from these alone.  A
 * family is one table of events and one function; both are pure data and integer
 * arithmetic, compiled by the module and by the host tests.
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

/*
 * Counts of this size and more are none of a window: with up to eight slots for
 * each cycle their sums would not fit.  It is three years of cycles.
 */
#define TD_COUNT_BITS		58

/*
 * Cycles in which the CPU was not halted, for where events are counted in turns.
 * CPU_CLK_UNHALTED.REF_TSC as the Intel driver knows it is the one event of fixed
 * counter 2, which no family needs and the NMI watchdog does not take.
 */
#define TD_REFERENCE_INTEL	0x300
#define TD_REFERENCE_AMD	0x76

/*
 * What an event of a family is for, struct td_event.parents: level 1, or the children
 * of these of its nodes.
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
 * @TD_ALWAYS: on all
 * @TD_SMT: where cores have two threads
 * @TD_NO_SMT: where they have one
 */
enum td_when {
	TD_ALWAYS,
	TD_SMT,
	TD_NO_SMT,
};

/**
 * struct td_event - an event of a family's table
 * @name: as in Intel's and AMD's event lists
 * @config: perf's raw config
 * @other: another one that counts the same, for where @config cannot be had; or 0
 * @parents: TD_LEVEL1, or whose children need it
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
 * struct td_sample - what was counted in a span of time
 * @count: of each event, in the order of the family's table; 0 for one that is
 *	not counted on this machine
 * @width: slots per cycle
 * @level: up to which there are counts
 * @closed: bit n: what only the children of level 1 node n need was not counted
 * @smt: the core's other thread is online
 */
struct td_sample {
	__u64 count[TD_EVENTS_MAX];
	__u32 width;
	__u32 level;
	__u32 closed;
	int smt;
};

/**
 * struct td_slots - what a formula makes of a sample
 * @slots: all slots
 * @node: slots of each node, at most @slots; 0 for those the family lacks
 * @clamped: bit n: what was published for node n has no value here, is below 0
 *	or more than its parent, or it is so for the other child of that parent
 */
struct td_slots {
	__u64 slots;
	__u64 node[TOPDOWN_MAX_NODES];
	__u32 clamped;
};

/**
 * struct td_formula - a family
 * @name: its name
 * @source: enum topdown_source
 * @level: highest level that it has
 * @nodes: the nodes that it has, bit n for node n
 * @nr_events: length of @events
 * @events: those of level 1 come first; what belongs together stands together
 * @reference: perf's raw config of the reference
 * @eval: the formula; of @slots all is 0, and the sample is sane
 * @thresholds: those that are published for its nodes; NULL for none
 * @refined: what corrects PERF_METRICS of the same cores where they are not hidden; or
 *	NULL
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

/* PERF_METRICS themselves, corrected: see formula-metrics.c. */
extern const struct td_formula td_refined_icl;
extern const struct td_formula td_refined_glc;

__u32 td_formula_over(const struct td_formula *formula, const struct topdown_figures *figures,
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
