/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: latencies, which say how long instructions take to retire.  The module
 * topdown_latency samples them.
 *
 * A part of topdown.h, which has the rules of all functions.  Include that one.
 */
#ifndef LIBTOPDOWN_LATENCY_H
#define LIBTOPDOWN_LATENCY_H

#include <linux/topdown_latency.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For topdown_open() without a path, and topdown_open_fd().  Else the path with "_latency". */
#define TOPDOWN_LATENCY_DEVICE	TOPDOWN_DEVICE "_latency"

/* The library knows no event of this CPU model.  The module never says so. */
#define TOPDOWN_LATENCY_NO_MODEL	(1U << 31)

/**
 * enum topdown_latency_number - events whose retire latency can be sampled
 *
 * The library's own numbers, which never change.  The module knows none of them: the library has
 * the encoding of each event on each CPU model.  topdown_latency_events() says which events a
 * machine has.  The names are Intel's.
 *
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_NTAKEN_COST: BR_MISP_RETIRED.COND_NTAKEN_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_BWD_COST: BR_MISP_RETIRED.COND_TAKEN_BWD_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_COST: BR_MISP_RETIRED.COND_TAKEN_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_FWD_COST: BR_MISP_RETIRED.COND_TAKEN_FWD_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_INDIRECT_CALL_COST: BR_MISP_RETIRED.INDIRECT_CALL_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_INDIRECT_COST: BR_MISP_RETIRED.INDIRECT_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_RET_COST: BR_MISP_RETIRED.RET_COST
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_ANY_DSB_MISS: FRONTEND_RETIRED.ANY_DSB_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_ITLB_MISS: FRONTEND_RETIRED.ITLB_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_L1I_MISS: FRONTEND_RETIRED.L1I_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_L2_MISS: FRONTEND_RETIRED.L2_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_MS_FLOWS: FRONTEND_RETIRED.MS_FLOWS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_STLB_MISS: FRONTEND_RETIRED.STLB_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_UNKNOWN_BRANCH: FRONTEND_RETIRED.UNKNOWN_BRANCH
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_LOCK_LOADS: MEM_INST_RETIRED.LOCK_LOADS
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS: MEM_INST_RETIRED.SPLIT_LOADS
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_STORES: MEM_INST_RETIRED.SPLIT_STORES
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_HIT_LOADS: MEM_INST_RETIRED.STLB_HIT_LOADS
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_HIT_STORES: MEM_INST_RETIRED.STLB_HIT_STORES
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_LOADS: MEM_INST_RETIRED.STLB_MISS_LOADS
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_STORES: MEM_INST_RETIRED.STLB_MISS_STORES
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_FWD: MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_HITM: MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_MISS: MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_NO_FWD: MEM_LOAD_L3_HIT_RETIRED.XSNP_NO_FWD
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM: MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_DRAM: MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_FWD: MEM_LOAD_L3_MISS_RETIRED.REMOTE_FWD
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_HITM: MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM
 * @TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L1_HIT_L1: MEM_LOAD_RETIRED.L1_HIT_L1
 * @TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT: MEM_LOAD_RETIRED.L2_HIT
 * @TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L3_HIT: MEM_LOAD_RETIRED.L3_HIT
 */
enum topdown_latency_number {
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_NTAKEN_COST	= 0,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_BWD_COST	= 1,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_COST		= 2,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_FWD_COST	= 3,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_INDIRECT_CALL_COST	= 4,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_INDIRECT_COST		= 5,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_RET_COST		= 6,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_ANY_DSB_MISS		= 7,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_ITLB_MISS		= 8,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_L1I_MISS		= 9,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_L2_MISS		= 10,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_MS_FLOWS		= 11,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_STLB_MISS		= 12,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_UNKNOWN_BRANCH		= 13,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_LOCK_LOADS		= 14,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS		= 15,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_STORES		= 16,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_HIT_LOADS		= 17,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_HIT_STORES	= 18,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_LOADS	= 19,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_STORES	= 20,
	TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_FWD	= 21,
	TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_HITM	= 22,
	TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_MISS	= 23,
	TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_NO_FWD	= 24,
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM	= 25,
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_DRAM	= 26,
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_FWD	= 27,
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_HITM	= 28,
	TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L1_HIT_L1		= 29,
	TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT			= 30,
	TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L3_HIT			= 31,
};

struct topdown_latencies;

/**
 * topdown_latency_event_name() - Intel's name of an event
 * @event: enum topdown_latency_number
 *
 * Return: for example "MEM_LOAD_RETIRED.L2_HIT"; NULL for an unknown event.
 */
const char *topdown_latency_event_name(unsigned int event);

/**
 * topdown_latency_event_by_name() - the event of a name
 * @name: Intel's name, in capital or small letters
 *
 * Return: an enum topdown_latency_number, or -ENOENT for an unknown name.
 */
int topdown_latency_event_by_name(const char *name);

/**
 * topdown_latency_refusal_text() - why a machine samples no latency
 * @refusal: enum topdown_latency_refusal, or TOPDOWN_LATENCY_NO_MODEL
 *
 * Return: a text for people, without a full stop.
 */
const char *topdown_latency_refusal_text(unsigned int refusal);

/**
 * topdown_latency_events() - the events that this machine can sample
 * @td: handle; needs no right but that of opening the device of latencies
 * @events: written: bit n for event n of enum topdown_latency_number; 0 if there is a refusal
 * @refusal: written: enum topdown_latency_refusal, or TOPDOWN_LATENCY_NO_MODEL
 *
 * The library has to know an event of this CPU model, and the kernel's driver has to take it.  The
 * driver is not asked for a caller who may not start a latency session.
 *
 * Return: 0; -ENOENT when the module topdown_latency is not loaded; -EACCES when the caller may not
 * open its device; or another error of topdown_open() or of the command.
 */
int topdown_latency_events(struct topdown *td, uint64_t *events, unsigned int *refusal);

/**
 * topdown_latencies_start() - start a latency session
 * @td: handle
 * @cpus: CPUs to sample
 * @words: number of words of @cpus
 * @events: bit n for event n of enum topdown_latency_number
 * @out: the new latency session, which goes on when @td is closed; untouched on error
 * @nr: number of records that topdown_latencies_read() gives; untouched on error
 *
 * Return: 0; -ENOENT when the module topdown_latency is not loaded; -EOPNOTSUPP if there is a
 * refusal, if the machine lacks one of the events, or if none of the CPUs can be sampled; -EACCES
 * if this process may not see whole CPUs; -EBADF if it may open the device for reading only;
 * -ENOSPC for too many latency sessions of the user or of all, or too many different events; or
 * another error of topdown_open() or of the command.
 */
int topdown_latencies_start(struct topdown *td, const uint64_t *cpus, unsigned int words,
			    uint64_t events, struct topdown_latencies **out, unsigned int *nr);

/**
 * topdown_latencies_start_tasks() - start a latency session for the tasks of a session
 * @td: handle
 * @session: descriptor of the session, of topdown_session_attach()
 * @events: bit n for event n of enum topdown_latency_number
 * @out: the new latency session, which goes on when @td is closed; untouched on error
 * @nr: number of records that topdown_latencies_read() gives, one for each event; untouched on
 *	error
 *
 * Needs the right to read CPUs, because all of them are sampled.
 *
 * Return: 0; -ENOENT when the module topdown_latency is not loaded; -EOPNOTSUPP if there is a
 * refusal, or if the machine lacks one of the events; -EACCES if this process may not see whole
 * CPUs; -EBADF if it is no session, or a view, or if this process may open the device for reading
 * only; -EBUSY if the session has a latency session, which has to end first; -ESRCH if the session
 * has ended; -ENOSPC for too many latency sessions of the user or of all, or too many different
 * events; or another error of topdown_open() or of the command.
 */
int topdown_latencies_start_tasks(struct topdown *td, int session, uint64_t events,
				  struct topdown_latencies **out, unsigned int *nr);

/**
 * topdown_latencies_start_raw() - start a latency session of events that the library does not know
 * @td: handle
 * @cpus: CPUs to sample
 * @words: number of words of @cpus; 0 if there is @session
 * @session: descriptor of the session whose tasks are to be sampled; -1 for @cpus
 * @events: the encodings of the events
 * @nr_events: number of @events, TOPDOWN_LATENCY_EVENTS_MAX at most
 * @size: sizeof(struct topdown_latency_event)
 * @out: the new latency session, which goes on when @td is closed; untouched on error
 * @nr: number of records that topdown_latencies_read() gives; untouched on error
 *
 * topdown_latency_record.event is then the index in @events, and none of enum
 * topdown_latency_number.
 *
 * Return: as topdown_latencies_start() and topdown_latencies_start_tasks(); -EOPNOTSUPP also if the
 * driver does not take an event, or not all of its encoding; -EINVAL also for no event or too many,
 * for a size that was never released, and for CPUs and a session.
 */
int topdown_latencies_start_raw(struct topdown *td, const uint64_t *cpus, unsigned int words,
				int session, const struct topdown_latency_event *events,
				unsigned int nr_events, size_t size, struct topdown_latencies **out,
				unsigned int *nr);

/**
 * topdown_latencies_fd() - the descriptor of a latency session, which the library goes on to own
 * @latencies: the latency session
 *
 * Return: the descriptor, which closes on exec.
 */
int topdown_latencies_fd(const struct topdown_latencies *latencies);

/**
 * topdown_latencies_read() - read a latency session
 * @latencies: the latency session
 * @records: written: event after event, and of each event CPU after CPU
 * @size: sizeof(struct topdown_latency_record)
 * @nr: room in @records; on return how many there are
 *
 * topdown_latency_record.event is one of enum topdown_latency_number, unless
 * topdown_latencies_start_raw() has started the session.
 *
 * Return: 0; -EMSGSIZE for too little room; -EPROTO if the answer makes no sense; or another error
 * of the command.
 */
int topdown_latencies_read(const struct topdown_latencies *latencies,
			   struct topdown_latency_record *records, size_t size, unsigned int *nr);

/**
 * topdown_latencies_end() - end a latency session
 * @latencies: the latency session, which is freed, or NULL
 */
void topdown_latencies_end(struct topdown_latencies *latencies);

/**
 * topdown_latency_between() - what was sampled between two records
 * @then: the earlier one
 * @now: the later one, of the same event and CPU
 * @out: written; may be @now.  Its minimum and maximum are ends of bins, because nobody can
 *	subtract them
 *
 * Return: 0; -EINVAL for records of different events or CPUs; -ERANGE if @now is not the later
 * one.
 */
int topdown_latency_between(const struct topdown_latency_record *then,
			    const struct topdown_latency_record *now,
			    struct topdown_latency_record *out);

/**
 * topdown_latency_add() - add a record of another CPU
 * @sum: zeroed at first; of TOPDOWN_CPU_ALL afterwards
 * @record: of the same event
 *
 * The times, what was counted and what was lost add up, too.
 */
void topdown_latency_add(struct topdown_latency_record *sum,
			 const struct topdown_latency_record *record);

/**
 * topdown_latency_mean() - mean of the latencies
 * @record: the record, or a difference or a sum of records
 *
 * Return: cycles; NaN without a sample.
 */
double topdown_latency_mean(const struct topdown_latency_record *record);

/**
 * topdown_latency_variance() - variance of the latencies, the square of their deviation
 * @record: as for topdown_latency_mean()
 *
 * Follows from the histogram, with the middle of each bin.
 *
 * Return: cycles squared; NaN without a sample.
 */
double topdown_latency_variance(const struct topdown_latency_record *record);

/**
 * topdown_latency_quantile() - the latency that a share of the events does not exceed
 * @record: as for topdown_latency_mean()
 * @share: 0.0 to 1.0; 0.5 for the median
 *
 * Return: the middle of the bin that has it, in cycles; NaN without a sample.
 */
double topdown_latency_quantile(const struct topdown_latency_record *record, double share);

/**
 * topdown_latency_default() - what others have measured
 * @family: CPUID family, as in topdown_info.out_cpu_family
 * @model: CPUID model, as in topdown_info.out_cpu_model
 * @event: enum topdown_latency_number
 * @mean: written: the mean, in cycles
 * @min: written: the least latency
 * @max: written: the greatest latency; no CPU gives more than 65535
 *
 * A published latency was measured on another machine with other programs, and two publishers may
 * differ by a factor of 30.  So use it only where nothing can be sampled, and say so.
 *
 * Return: who published it, "perfmon" or "pmu-tools"; NULL if nobody has, and nothing is written.
 */
const char *topdown_latency_default(unsigned int family, unsigned int model, unsigned int event,
				    double *mean, unsigned int *min, unsigned int *max);

#ifdef __cplusplus
}
#endif

#endif /* LIBTOPDOWN_LATENCY_H */
