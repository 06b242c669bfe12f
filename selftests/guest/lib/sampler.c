// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <stdlib.h>

#include "sampler.h"

#define SAMPLER_MS	5
#define SAMPLER_MAX	12000
#define SAMPLER_CPUS	8

struct moment {
	uint64_t monotonic;
	uint64_t realtime;
	struct td_bd_truth truth[SAMPLER_CPUS];
};

static struct moment *moments;
static unsigned int moments_nr, sampler_cpus;
static volatile bool sampler_ends;
static volatile int sampler_cpu;
static pthread_t sampler_thread;

static void *sampler_run(void *unused)
{
	int at = -1;

	while (!sampler_ends && moments_nr < SAMPLER_MAX) {
		struct moment *moment = &moments[moments_nr];
		unsigned int cpu;

		if (at != sampler_cpu) {
			at = sampler_cpu;
			cpu_pin(at);
		}
		moment->monotonic = clock_ns(CLOCK_MONOTONIC);
		moment->realtime = clock_ns(CLOCK_REALTIME);
		for (cpu = 0; cpu < sampler_cpus; cpu++)
			backdoor_truth_cpu(cpu, &moment->truth[cpu]);
		moments_nr++;
		sleep_ms(SAMPLER_MS);
	}
	return unused;
}

int sampler_start(void)
{
	unsigned int cpu[TD_CPUS_MAX];

	sampler_cpus = cpus_online(cpu);
	if (sampler_cpus > SAMPLER_CPUS)
		sampler_cpus = SAMPLER_CPUS;
	if (!moments)
		moments = calloc(SAMPLER_MAX, sizeof(*moments));
	if (!moments)
		return -1;
	moments_nr = 0;
	sampler_ends = false;
	sampler_cpu = cpu[0];
	return -pthread_create(&sampler_thread, NULL, sampler_run, NULL);
}

void sampler_stop(void)
{
	sampler_ends = true;
	pthread_join(sampler_thread, NULL);
}

void sampler_move(unsigned int cpu)
{
	sampler_cpu = cpu;
}

static uint64_t moment_time(const struct moment *moment, clockid_t clock)
{
	return clock == CLOCK_REALTIME ? moment->realtime : moment->monotonic;
}

static uint64_t between(uint64_t a, uint64_t b, double part)
{
	return a + (uint64_t)((b - a) * part);
}

static bool sampler_at(clockid_t clock, uint64_t time, unsigned int cpu,
		       struct td_bd_truth *truth)
{
	const struct td_bd_truth *a, *b;
	unsigned int i, c;
	double part;

	for (i = 1; i < moments_nr && moment_time(&moments[i], clock) < time; i++)
		;
	if (i >= moments_nr || moment_time(&moments[i - 1], clock) > time ||
	    cpu >= sampler_cpus)
		return false;

	part = (double)(time - moment_time(&moments[i - 1], clock)) /
	       (moment_time(&moments[i], clock) - moment_time(&moments[i - 1], clock));
	a = &moments[i - 1].truth[cpu];
	b = &moments[i].truth[cpu];
	*truth = *a;
	truth->time_ns = between(a->time_ns, b->time_ns, part);
	truth->slots = between(a->slots, b->slots, part);
	for (c = 0; c < TD_BD_CATEGORIES; c++)
		truth->category[c] = between(a->category[c], b->category[c], part);
	return true;
}

bool sampler_truth(clockid_t clock, uint64_t from, uint64_t to, unsigned int cpu,
		   struct td_bd_truth *truth)
{
	struct td_bd_truth then;

	if (!sampler_at(clock, from, cpu, &then) || !sampler_at(clock, to, cpu, truth))
		return false;
	backdoor_truth_sub(truth, &then);
	return true;
}
