// SPDX-License-Identifier: GPL-2.0
/*
 * A sampler: the sampling counter of one event on one CPU, and what its samples add up to.
 *
 * The kernel's driver programs PEBS for an event of ours, and its interrupt, an NMI, calls
 * td_sampler_overflow() with each sample.  This adds the latency to the tally, which only
 * grows.  A sample stands for all the events of its period, so it counts as many.
 *
 * The driver gives a handler only the last of several records that it finds at once.  So the
 * event asks for an interrupt after each record.  Samples are lost all the same: the counter may
 * run through the whole next period before its interrupt, and the driver drops records that it
 * finds outside of one.  The driver's count of the event and the rest of its period tell where
 * the period began, so the loss between two samples is known, but for the events between an
 * overflow and its record, which no counter has.
 *
 * The period adapts to the rate of the event.  It grows in the handler when a tick has too
 * many samples, because only that is soon enough.  It shrinks at the check of the caller,
 * because an event that has become rare gives no sample.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/perf_event.h>
#include <asm/processor.h>

#include "compat.h"
#include "credit.h"
#include "latency-event.h"
#include "model.h"
#include "pause.h"
#include "periods.h"
#include "sampler.h"
#include "seqlock.h"

/* The period is at most 2^TD_SHIFT_MAX events: a sample a second or more of the fastest. */
#define TD_SHIFT_MAX		30
/* The driver makes a period of 1 to one of 2. */
#define TD_SHIFT_MIN		1
/* CPUID leaf 23H: bits of the subleaves of architectural PEBS. */
#define TD_CPUID_PERFMON	0x23
#define TD_CPUID_PERFMON_PEBS	(BIT(4) | BIT(5))

/*
 * Bits that are no part of an event.  The driver sets some itself, so td_sampler_encoded() cannot
 * see whether a caller did; and AnyThread would count another's thread.
 */
#define TD_SAMPLER_PERF_BITS	(ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS | \
				 ARCH_PERFMON_EVENTSEL_PIN_CONTROL | ARCH_PERFMON_EVENTSEL_INT | \
				 ARCH_PERFMON_EVENTSEL_ANY | ARCH_PERFMON_EVENTSEL_ENABLE)

/* A new event has this period.  Even one in each cycle gives few samples until it grows. */
#define TD_SHIFT_FIRST		16
/* The period shrinks by no more than this factor at once, as a power of 2. */
#define TD_SHIFT_DOWN_MAX	4

/* More samples in a tick than this make the period grow at once: twice the rate. */
#define TD_SAMPLER_BURST	max(2u * TOPDOWN_LATENCY_RATE / HZ, 4u)

/* Do not judge a period by less time with the counter. */
#define TD_SAMPLER_JUDGE_NS	(20 * NSEC_PER_MSEC)

/* Written before there is a device. */
static enum topdown_latency_refusal td_sampler_refused __ro_after_init =
	TOPDOWN_LATENCY_REFUSAL_NO_CPU;
/*
 * FRONTEND_RETIRED.L1I_MISS, which all cores with timed PEBS have.  A driver that does not know the
 * model, and so does not read latencies, lacks the register of its config1.
 */
static const struct topdown_latency_event td_sampler_frontend = {
	.config		= 0x03c6,
	.config1	= 0x12,
};

/* Records of architectural PEBS (Intel SDM volume 3B): a latency of 0 may be none. */
static bool td_sampler_arch_pebs __ro_after_init;

/* The period for a shift: odd, so that it keeps no step with a loop of the program. */
static u64 td_sampler_period(unsigned int shift)
{
	return 1ULL << shift | 1;
}

/* The bin of a latency: exact below 16, then eight bins to a power of 2. */
static unsigned int td_sampler_bin(u16 latency)
{
	unsigned int shift;

	if (latency < 16)
		return latency;
	shift = ilog2((unsigned int)latency) - 3;
	return shift * 8 + (latency >> shift);
}

static void td_sampler_add(struct td_tally *tally, u16 latency, unsigned int bin, u64 weight)
{
	if (!tally->samples || latency < tally->min)
		tally->min = latency;
	if (latency > tally->max)
		tally->max = latency;
	tally->samples++;
	tally->events += weight;
	tally->sum += latency * weight;
	tally->bin[bin] += weight;
}

/*
 * Let the period grow if this tick has too many samples, for us or for perf.  The driver uses it
 * one sample later.
 */
static void td_sampler_slow(struct td_sampler *sampler, struct perf_event *event)
{
	/* Pairs with the kernel's updates of jiffies; another CPU may write it. */
	unsigned long now = READ_ONCE(jiffies);
	bool throttled = td_compat_throttled(event);

	if (now != sampler->tick) {
		sampler->tick = now;
		sampler->burst = 0;
	}
	++sampler->burst;
	/* Pairs with xchg() in td_sampler_check(). */
	if (throttled)
		WRITE_ONCE(sampler->throttled, 1);
	if ((sampler->burst <= TD_SAMPLER_BURST && !throttled) ||
	    sampler->shift >= TD_SHIFT_MAX)
		return;
	/* Pairs with READ_ONCE() in td_sampler_check(). */
	WRITE_ONCE(sampler->shift, sampler->shift + 1);
	event->hw.sample_period = td_sampler_period(sampler->shift);
}

/*
 * The count at which the driver's period has begun.  It changes count and rest together, so this is
 * true also before it has read the counter.
 */
static u64 td_sampler_begun(const struct perf_event *event)
{
	return local64_read(&event->count) + local64_read(&event->hw.period_left) -
	       event->hw.last_period;
}

/**
 * td_sampler_overflow() - the overflow handler of all events of samplers, in an NMI
 * @event: the event
 * @data: its sample
 * @regs: registers of the CPU; unused
 */
void td_sampler_overflow(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	struct td_sampler *sampler = event->overflow_handler_context;
	u64 weight, lost;
	unsigned int bin;
	bool filled;
	u16 latency;

	if (!sampler)
		return;
	weight = td_periods_sample(&sampler->periods, td_sampler_begun(event),
				   event->hw.last_period, &lost);
	if (!weight)
		return;
	/* Without a record of PEBS, or with a misread one, nobody has filled in the latency. */
	filled = data->sample_flags & PERF_SAMPLE_WEIGHT_TYPE;
	latency = filled ? data->weight.var3_w : 0;
	/* The driver also says 0 of such a record that has no valid latency. */
	if (td_sampler_arch_pebs && !latency)
		filled = false;
	bin = td_sampler_bin(latency);

	td_seqlock_write_begin(&sampler->seq);
	if (filled)
		td_sampler_add(&sampler->tally, latency, bin, weight);
	else
		lost += weight;
	sampler->tally.lost += lost;
	td_seqlock_write_end(&sampler->seq);

	if (filled)
		td_credit_sample(sampler->number, latency, bin, weight);
	td_sampler_slow(sampler, event);
}

/* Has the driver taken all of the encoding?  It drops what it does not know, without an error. */
static bool td_sampler_encoded(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if ((event->hw.config & attr->config) != attr->config)
		return false;
	return !attr->config1 || (event->hw.extra_reg.reg &&
				  event->hw.extra_reg.config == attr->config1);
}

/*
 * An event of perf that is disabled.  With @precise 2 its records have no registers.  It is not
 * pinned: a pinned one would take counters from pinned events of perf users, for good.
 * @sampler: NULL drops the samples.
 */
static struct perf_event *td_sampler_event(int cpu, const struct topdown_latency_event *what,
					   unsigned int precise, u64 period,
					   struct td_sampler *sampler)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.config		= what->config,
		.config1	= what->config1,
		.sample_period	= period,
		/* Without this the driver does not read the latency. */
		.sample_type	= PERF_SAMPLE_WEIGHT_STRUCT,
		.precise_ip	= precise,
		/* An interrupt after each record. */
		.wakeup_events	= 1,
		.disabled	= 1,
		.exclude_guest	= 1,
	};
	struct perf_event *event;

	/* Event select 00H is the kernel's own, for fixed counters and metrics. */
	if (!(what->config & 0xff) || what->config & TD_SAMPLER_PERF_BITS)
		return ERR_PTR(-EOPNOTSUPP);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, td_sampler_overflow, sampler);
	if (IS_ERR(event) || td_sampler_encoded(event))
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(-EOPNOTSUPP);
}

static bool __init td_sampler_timed(int cpu)
{
	u64 caps;

	return !td_compat_rdmsr(cpu, MSR_IA32_PERF_CAPABILITIES, &caps) &&
	       caps & BIT(TD_PERF_CAP_TIMED);
}

/*
 * Are records timed?  The driver believes the boot CPU, in intel_pmu_init() of 6.12, and gives a
 * latency of 0 where it is wrong.
 */
static bool __init td_sampler_all_timed(int cpu)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && boot_cpu_has(X86_FEATURE_PDCM) &&
	       td_sampler_timed(0) && td_sampler_timed(cpu);
}

/**
 * td_sampler_takes() - does the driver take an event, and all of its encoding?
 * @cpu: CPU that is online, and cannot go offline; on a hybrid part a P-core
 * @what: the event
 *
 * The caller has the rights that perf asks for.
 *
 * Return: true or false.
 */
bool td_sampler_takes(int cpu, const struct topdown_latency_event *what)
{
	struct perf_event *event;

	event = td_sampler_event(cpu, what, 2, td_sampler_period(TD_SHIFT_MAX), NULL);
	if (IS_ERR(event))
		return false;
	perf_event_release_kernel(event);
	return true;
}

/**
 * td_sampler_init() - find out what this machine can sample
 * @cpu: CPU that is online, and cannot go offline; on a hybrid part a P-core
 */
void __init td_sampler_init(int cpu)
{
	if (!td_sampler_all_timed(cpu))
		return;
	td_sampler_arch_pebs = cpuid_eax(0) >= TD_CPUID_PERFMON &&
			       cpuid_eax(TD_CPUID_PERFMON) & TD_CPUID_PERFMON_PEBS;
	td_sampler_refused = TOPDOWN_LATENCY_REFUSAL_NO_KERNEL;
	if (td_compat_has_retire_latency() && td_sampler_takes(cpu, &td_sampler_frontend))
		td_sampler_refused = TOPDOWN_LATENCY_REFUSAL_NONE;
}

/**
 * td_sampler_refusal() - why this machine samples no latency
 *
 * Return: enum topdown_latency_refusal.
 */
enum topdown_latency_refusal td_sampler_refusal(void)
{
	return td_sampler_refused;
}

/**
 * td_sampler_create() - make a sampler, without a counter
 * @cpu: the CPU
 * @number: number of the event (latency-event.c)
 *
 * Return: the sampler, or NULL if there is no memory.
 */
struct td_sampler *td_sampler_create(int cpu, unsigned int number)
{
	struct td_sampler *sampler = kzalloc(sizeof(*sampler), GFP_KERNEL_ACCOUNT);

	if (!sampler)
		return NULL;
	sampler->cpu = cpu;
	sampler->number = number;
	sampler->asked = ktime_get_ns();
	td_pause_init(&sampler->pause);
	sampler->shift = TD_SHIFT_FIRST;
	return sampler;
}

/**
 * td_sampler_destroy() - free a sampler
 * @sampler: after td_sampler_end(); or NULL
 */
void td_sampler_destroy(struct td_sampler *sampler)
{
	kfree(sampler);
}

/**
 * td_sampler_refresh() - let the driver learn how long PEBS records are
 * @cpu: the CPU, which came online; it cannot pass our hotplug teardown meanwhile
 *
 * When a CPU comes online the driver forgets the length of records, but not which groups they
 * have, and it learns the length only when the groups change (intel_pmu_pebs_enable() of 6.12).
 * Until then it takes the middle of a record for the next one.  So there is an event that wants
 * registers too, and then one that wants none: one of them makes the groups change.
 *
 * Return: 0 if both had a counter, else the driver may have learned nothing: a negative errno.
 */
int td_sampler_refresh(int cpu)
{
	struct perf_event *event;
	u64 enabled, running;
	unsigned int precise;

	for (precise = 1; precise <= 2; precise++) {
		event = td_sampler_event(cpu, &td_sampler_frontend, precise,
					 td_sampler_period(TD_SHIFT_MAX), NULL);
		if (IS_ERR(event))
			return PTR_ERR(event);
		perf_event_enable(event);
		perf_event_read_value(event, &enabled, &running);
		perf_event_release_kernel(event);
		if (!running)
			return -EBUSY;
	}
	return 0;
}

/**
 * td_sampler_begin() - have an event of perf, which does not count yet
 * @sampler: without one; its CPU cannot pass our hotplug teardown meanwhile
 *
 * Return: 0, or a negative errno from perf.
 */
int td_sampler_begin(struct td_sampler *sampler)
{
	u64 period = td_sampler_period(sampler->shift);
	struct perf_event *event;

	td_periods_begin(&sampler->periods, 0, period);
	sampler->count = 0;
	event = td_sampler_event(sampler->cpu, td_latency_event(sampler->number), 2, period,
				 sampler);
	if (IS_ERR(event))
		return PTR_ERR(event);
	sampler->event = event;
	return 0;
}

/* Note how long the event has had the counter, and what it has counted. */
static void td_sampler_note(struct td_sampler *sampler)
{
	u64 enabled, running, count;
	s64 more;

	count = perf_event_read_value(sampler->event, &enabled, &running);
	more = td_periods_between(sampler->count, count);
	if (more > 0) {
		sampler->counted += more;
		sampler->count = count;
	}
	sampler->ran = sampler->ran_before + running;
	sampler->noted = ktime_get_ns();
}

/*
 * Account for periods that have ended without a sample since the last one had one.  The event is
 * disabled, so nobody changes its count.
 */
static void td_sampler_settle(struct td_sampler *sampler)
{
	const struct perf_event *event = sampler->event;
	u64 lost;

	lost = td_periods_settle(&sampler->periods, td_sampler_begun(event),
				 event->hw.last_period, local64_read(&event->hw.period_left));
	if (!lost)
		return;
	preempt_disable();
	td_seqlock_write_begin(&sampler->seq);
	sampler->tally.lost += lost;
	td_seqlock_write_end(&sampler->seq);
	preempt_enable();
}

/**
 * td_sampler_enable() - sample from now on
 * @sampler: has a counter; process context
 */
void td_sampler_enable(struct td_sampler *sampler)
{
	if (!sampler->on)
		sampler->noted = ktime_get_ns();
	sampler->on = true;
	perf_event_enable(sampler->event);
}

/**
 * td_sampler_disable() - leave the counter to others until td_sampler_enable()
 * @sampler: has a counter; process context
 */
void td_sampler_disable(struct td_sampler *sampler)
{
	perf_event_disable(sampler->event);
	td_sampler_settle(sampler);
	td_sampler_note(sampler);
	sampler->on = false;
}

/**
 * td_sampler_end() - give the counter back
 * @sampler: with or without one
 */
void td_sampler_end(struct td_sampler *sampler)
{
	if (!sampler->event)
		return;
	td_sampler_disable(sampler);
	sampler->ran_before = sampler->ran;
	perf_event_release_kernel(sampler->event);
	sampler->event = NULL;
}

/* By how much to change the shift after @samples where @allowed were. */
static int td_sampler_judge(u64 samples, u64 allowed)
{
	if (samples > allowed)
		return ilog2(div64_u64(samples, max(allowed, 1ULL))) + 1;
	if (samples * 4 >= allowed)
		return 0;
	if (!samples)
		return -TD_SHIFT_DOWN_MAX;
	/* To about half of the rate. */
	return -(int)min_t(unsigned int, ilog2(div64_u64(allowed, samples * 2)),
			   TD_SHIFT_DOWN_MAX);
}

/**
 * td_sampler_check() - adapt the period to the rate of the event
 * @sampler: has a counter, enabled; process context
 *
 * The event is disabled while its period changes, so that each sample counts by the period
 * that it ended.
 */
void td_sampler_check(struct td_sampler *sampler)
{
	/* A torn number only matters for one check. */
	u64 samples = READ_ONCE(sampler->tally.samples);
	unsigned int shift;
	u64 allowed;
	int by;

	td_sampler_note(sampler);
	if (sampler->ran - sampler->checked < TD_SAMPLER_JUDGE_NS)
		return;
	allowed = mul_u64_u64_div_u64(sampler->ran - sampler->checked, TOPDOWN_LATENCY_RATE,
				      NSEC_PER_SEC);
	by = td_sampler_judge(samples - sampler->checked_samples, allowed);
	sampler->checked = sampler->ran;
	sampler->checked_samples = samples;
	/*
	 * perf stopped the event for a part of the time, so its samples are too few.  Pairs with
	 * WRITE_ONCE() in td_sampler_slow().
	 */
	if (xchg(&sampler->throttled, 0))
		by = max(by, 0);
	if (!by)
		return;
	perf_event_disable(sampler->event);
	td_sampler_settle(sampler);
	/* Pairs with WRITE_ONCE() in td_sampler_slow(), which does not run now. */
	shift = clamp_t(int, (int)READ_ONCE(sampler->shift) + by, TD_SHIFT_MIN,
			TD_SHIFT_MAX);
	if (!perf_event_period(sampler->event, td_sampler_period(shift))) {
		sampler->shift = shift;
		/* The driver begins a period here.  The one that it gives up is no loss. */
		td_periods_begin(&sampler->periods, local64_read(&sampler->event->count),
				 td_sampler_period(shift));
	}
	perf_event_enable(sampler->event);
}

/**
 * td_sampler_read() - fill a record
 * @sampler: the sampler
 * @record: zeroed; written
 *
 * Times and count are those of the last note, so that no CPU is interrupted.
 */
void td_sampler_read(const struct td_sampler *sampler, struct topdown_latency_record *record)
{
	const struct td_tally *tally = &sampler->tally;
	u32 seq;

	record->event = sampler->number;
	record->cpu = sampler->cpu;
	record->flags = TOPDOWN_LATENCY_RECORD_COUNTED;
	do {
		seq = td_seqlock_read_begin(&sampler->seq);
		record->samples = tally->samples;
		record->events = tally->events;
		record->sum = tally->sum;
		record->min = tally->min;
		record->max = tally->max;
		record->lost = tally->lost;
		memcpy(record->bin, tally->bin, sizeof(record->bin));
	} while (td_seqlock_read_retry(&sampler->seq, seq));
	record->running_ns = sampler->ran;
	record->counted = sampler->counted;
	record->elapsed_ns = (sampler->on ? sampler->noted : ktime_get_ns()) - sampler->asked;
}
