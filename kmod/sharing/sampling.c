// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling: what the module topdown_latency has to know of the CPUs, if it is loaded.
 *
 * Its samplers have a counter of a CPU while that has a meter, and leave it when perf users or our
 * own groups lack counters.  aside.c calls the functions here, which do nothing without the module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "compat.h"
#include "sampling.h"
#include "starved.h"
#include "window.h"

/* Protects td_sampling and td_sampling_cpus; taken inside td_aside.lock. */
static DEFINE_MUTEX(td_sampling_mutex);

/* NULL while the module is not loaded; also read with interrupts off. */
static const struct td_sampling __rcu *td_sampling;

/* CPUs with a meter beside which samplers may have a counter. */
static struct cpumask td_sampling_cpus;

static const struct td_sampling *td_sampling_locked(void)
{
	return rcu_dereference_protected(td_sampling, lockdep_is_held(&td_sampling_mutex));
}

/**
 * td_sampling_register() - the module of the samplers is loaded
 * @sampling: its functions, which are called from now on
 *
 * Return: 0, or -EINVAL if it was built for another topdown.
 */
int td_sampling_register(const struct td_sampling *sampling)
{
	int cpu;

	if (strcmp(sampling->version, TD_SAMPLING_VERSION) ||
	    sampling->sizes != TD_SAMPLING_SIZES) {
		pr_err("topdown_latency is of version %s, and topdown of %s: unload both, and load topdown_latency again\n",
		       sampling->version, TD_SAMPLING_VERSION);
		return -EINVAL;
	}
	mutex_lock(&td_sampling_mutex);
	td_starved_set_sampler(sampling->handler);
	rcu_assign_pointer(td_sampling, sampling);
	/* A CPU that loses its meter waits for the mutex, so it is online. */
	for_each_cpu(cpu, &td_sampling_cpus)
		sampling->begin(per_cpu_ptr(td_collectors, cpu));
	mutex_unlock(&td_sampling_mutex);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(td_sampling_register, TD_NAMESPACE);

/**
 * td_sampling_unregister() - undo td_sampling_register(); no sampler exists any more
 */
void td_sampling_unregister(void)
{
	const struct td_sampling *sampling;
	int cpu;

	mutex_lock(&td_sampling_mutex);
	sampling = td_sampling_locked();
	for_each_cpu(cpu, &td_sampling_cpus)
		sampling->end(per_cpu_ptr(td_collectors, cpu));
	rcu_assign_pointer(td_sampling, NULL);
	td_starved_set_sampler(NULL);
	mutex_unlock(&td_sampling_mutex);
	/* Looks run with interrupts off. */
	synchronize_rcu();
}
EXPORT_SYMBOL_NS_GPL(td_sampling_unregister, TD_NAMESPACE);

/**
 * td_sampling_begin() - let samplers of a CPU have a counter from now on
 * @collector: collector of the CPU, which has a meter; under td_aside.lock
 */
void td_sampling_begin(const struct td_collector *collector)
{
	const struct td_sampling *sampling;

	mutex_lock(&td_sampling_mutex);
	cpumask_set_cpu(collector->cpu, &td_sampling_cpus);
	sampling = td_sampling_locked();
	if (sampling)
		sampling->begin(collector);
	mutex_unlock(&td_sampling_mutex);
}

/**
 * td_sampling_end() - undo td_sampling_begin(), if it was called
 * @collector: collector of the CPU, which is online
 */
void td_sampling_end(const struct td_collector *collector)
{
	const struct td_sampling *sampling;

	mutex_lock(&td_sampling_mutex);
	sampling = td_sampling_locked();
	if (cpumask_test_and_clear_cpu(collector->cpu, &td_sampling_cpus) && sampling)
		sampling->end(collector);
	mutex_unlock(&td_sampling_mutex);
}

/**
 * td_sampling_due() - is it worth to look whether a sampler is in the way?
 * @collector: collector of this CPU, which has a meter; interrupts off
 *
 * Return: true or false.
 */
bool td_sampling_due(const struct td_collector *collector)
{
	const struct td_sampling *sampling = rcu_dereference_check(td_sampling, irqs_disabled());

	lockdep_assert_irqs_disabled();
	return sampling && sampling->due(collector);
}

/**
 * td_sampling_look() - disable the sampler if it is in the way
 * @collector: collector of this CPU, which has a meter; interrupts off
 *
 * Return: true if it is in the way, and will be disabled.
 */
bool td_sampling_look(const struct td_collector *collector)
{
	const struct td_sampling *sampling = rcu_dereference_check(td_sampling, irqs_disabled());

	lockdep_assert_irqs_disabled();
	return sampling && sampling->look(collector);
}
