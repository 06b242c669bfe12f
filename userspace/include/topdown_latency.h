/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: latencies, which say how long instructions take to retire.
 *
 * A part of topdown.h, which has the rules of all functions.  Include that one.
 */
#ifndef LIBTOPDOWN_LATENCY_H
#define LIBTOPDOWN_LATENCY_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * topdown_latency_event_name() - Intel's name of an event
 * @event: enum topdown_latency_event
 *
 * Return: for example "MEM_LOAD_RETIRED.L2_HIT"; NULL for an unknown event.
 */
const char *topdown_latency_event_name(unsigned int event);

/**
 * topdown_latency_event_by_name() - the event of a name
 * @name: Intel's name, in capital or small letters
 *
 * Return: an enum topdown_latency_event, or -ENOENT for an unknown name.
 */
int topdown_latency_event_by_name(const char *name);

/**
 * topdown_latency_refusal_text() - why a machine samples no latency
 * @refusal: enum topdown_latency_refusal
 *
 * Return: a text for people, without a full stop.
 */
const char *topdown_latency_refusal_text(unsigned int refusal);

/**
 * topdown_latency_events() - the events that this machine can sample
 * @td: handle; needs no right
 * @events: written: bit n for event n; 0 if there is a refusal
 * @refusal: written: enum topdown_latency_refusal
 *
 * Return: 0; -EOPNOTSUPP if the module is too old; or an error of the command.
 */
int topdown_latency_events(struct topdown *td, uint64_t *events, unsigned int *refusal);

/**
 * topdown_latency_start() - start a latency session
 * @td: handle
 * @cpus: CPUs to sample
 * @words: number of words of @cpus
 * @events: bit n for event n
 * @latency: the new number; untouched on error
 * @nr: number of records that topdown_latency_read() gives; untouched on error
 *
 * Return: 0; -EOPNOTSUPP if there is a refusal, if the machine lacks one of the events, or if
 * none of the CPUs can be sampled; -EACCES if this process may not see whole CPUs; -ENOSPC if the
 * handle has 16 latency sessions, of which one has to end first; or another error of the command.
 */
int topdown_latency_start(struct topdown *td, const uint64_t *cpus, unsigned int words,
			  uint64_t events, uint32_t *latency, unsigned int *nr);

/**
 * topdown_latency_start_tasks() - start a latency session for the tasks of a session
 * @td: handle, to which the latency session will belong
 * @session: descriptor of the session, of topdown_session_attach()
 * @events: bit n for event n
 * @latency: the new number; untouched on error
 * @nr: number of records that topdown_latency_read() gives, one for each event; untouched on
 *	error
 *
 * Needs the right to read CPUs, because all of them are sampled.
 *
 * Return: 0; -EOPNOTSUPP if there is a refusal, or if the machine lacks one of the events;
 * -EACCES if this process may not see whole CPUs; -EBADF if it is no session, or a view;
 * -EBUSY if the session has a latency session, which has to end first; -ESRCH if the session has
 * ended; -ENOSPC if the handle has 16 latency sessions, of which one has to end first; or another
 * error of the command.
 */
int topdown_latency_start_tasks(struct topdown *td, int session, uint64_t events,
				uint32_t *latency, unsigned int *nr);

/**
 * topdown_latency_end() - end a latency session
 * @td: handle
 * @latency: its number, or 0 for all of the descriptor
 *
 * Return: 0; -ENOENT if the handle has no such latency session; or another error of the command.
 */
int topdown_latency_end(struct topdown *td, uint32_t latency);

/**
 * topdown_latency_read() - read a latency session
 * @td: handle
 * @latency: its number
 * @records: written: event after event, and of each event CPU after CPU
 * @size: sizeof(struct topdown_latency_record)
 * @nr: room in @records; on return how many there are
 *
 * Return: 0; -EMSGSIZE for too little room; -ENOENT if the handle has no such latency session; or
 * another error of the command.
 */
int topdown_latency_read(struct topdown *td, uint32_t latency,
			 struct topdown_latency_record *records, size_t size, unsigned int *nr);

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
 * @event: enum topdown_latency_event
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
