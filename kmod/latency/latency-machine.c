// SPDX-License-Identifier: GPL-2.0
/*
 * The part of the machine that can be sampled: which CPUs, and which events.
 */
#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/topdown_latency.h>

#include "compat.h"
#include "latency-machine.h"
#include "mux.h"
#include "sampler.h"
#include "scope.h"
#include "window.h"

/*
 * All works here may wait for perf, which may wait for somebody who reads an event of that CPU into
 * slow memory.  In a queue of the kernel they would keep the works of others from running.
 */
struct workqueue_struct *td_latency_wq;

/*
 * One question at a time: perf may let each of them wait, and many works that wait keep those
 * of other users from running.
 */
static DEFINE_MUTEX(td_latency_asking);

/**
 * td_latency_samples() - can a CPU be sampled?
 * @cpu: possible CPU
 *
 * Return: false for a CPU that is not measured, a quiet CPU and an E-core.
 */
bool td_latency_samples(int cpu)
{
	const struct td_collector *collector = per_cpu_ptr(td_collectors, cpu);

	return td_scope_has(cpu) && !td_scope_quiet(cpu) &&
	       READ_ONCE(collector->kind) != TOPDOWN_KIND_ATOM;
}

/**
 * td_latency_work() - have a worker do something
 * @work: on the caller's stack
 * @func: what it does; it may sleep
 *
 * The worker has the rights that perf asks for, and the caller may not.
 */
void td_latency_work(struct work_struct *work, work_func_t func)
{
	INIT_WORK_ONSTACK(work, func);
	queue_work(td_latency_wq, work);
	flush_work(work);
	destroy_work_on_stack(work);
}

/**
 * td_latency_any_cpu() - a CPU that is online and can be sampled
 *
 * The caller has cpus_read_lock(); modules cannot assert that.
 *
 * Return: its number; nr_cpu_ids if there is none.
 */
unsigned int td_latency_any_cpu(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		if (td_latency_samples(cpu))
			return cpu;
	}
	return nr_cpu_ids;
}

/**
 * struct td_latency_question - what td_latency_takes() asks a worker
 * @work: finds it out
 * @events: the events
 * @nr: number of events
 * @taken: written: bit n if the driver takes event n
 */
struct td_latency_question {
	struct work_struct work;
	const struct topdown_latency_event *events;
	unsigned int nr;
	u64 taken;
};

static void td_latency_answer(struct work_struct *work)
{
	struct td_latency_question *question = container_of(work, struct td_latency_question,
							    work);
	unsigned int cpu, i;

	/* Without the lock while perf is asked, as perf may wait, and others need it. */
	do {
		cpus_read_lock();
		cpu = td_latency_any_cpu();
		cpus_read_unlock();
		question->taken = 0;
		for (i = 0; cpu < nr_cpu_ids && i < question->nr; i++) {
			if (td_sampler_takes(cpu, &question->events[i]))
				question->taken |= BIT_ULL(i);
		}
	} while (cpu < nr_cpu_ids && !cpu_online(cpu));
}

/**
 * td_latency_takes() - which events does the driver take?
 * @events: the events
 * @nr: number of events, at most 64
 * @taken: written: bit n if it takes event n; 0 if all CPUs that can be sampled are offline
 *
 * Return: 0; -EINTR if the caller is being killed.
 */
int td_latency_takes(const struct topdown_latency_event *events, unsigned int nr, u64 *taken)
{
	struct td_latency_question question = { .events = events, .nr = nr };

	*taken = 0;
	if (!nr)
		return 0;
	if (mutex_lock_killable(&td_latency_asking))
		return -EINTR;
	td_latency_work(&question.work, td_latency_answer);
	mutex_unlock(&td_latency_asking);
	*taken = question.taken;
	return 0;
}

/**
 * td_latency_refusal() - why this machine samples no latency
 *
 * Return: enum topdown_latency_refusal.
 */
enum topdown_latency_refusal td_latency_refusal(void)
{
	enum topdown_latency_refusal refusal = td_sampler_refusal();

	if (refusal || td_mux_watched())
		return refusal;
	return TOPDOWN_LATENCY_REFUSAL_NO_ASIDE;
}
