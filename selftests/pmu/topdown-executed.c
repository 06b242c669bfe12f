// SPDX-License-Identifier: GPL-2.0
/*
 * Events by what the guest executes, for software that counts its own instructions.
 *
 * -icount knows at each hook how many instructions a CPU has executed, and branches.patch
 * counts those that are branches.  There are no caches and no predictor of branches: their
 * events happen in the proportion to instructions and branches that rates have, too.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "hw/boards.h"
#include "sysemu/cpu-timers.h"
#include "topdown-pmu.h"

typedef struct TdExecuted {
	uint16_t config;
	enum td_basis basis;
	unsigned int divisor;		/* 0 ends a list. */
} TdExecuted;

static const TdExecuted td_intel_executed[] = {
	{ 0x00c0, TD_BY_INSTRUCTIONS, 1 },
	{ 0x00c4, TD_BY_BRANCHES, 1 },
	{ 0x00c5, TD_BY_BRANCHES, 100 },
	{ 0x4f2e, TD_BY_INSTRUCTIONS, 100 },
	{ 0x412e, TD_BY_INSTRUCTIONS, 1000 },
	{ }
};

static const TdExecuted td_amd_executed[] = {
	{ 0x00c0, TD_BY_INSTRUCTIONS, 1 },
	{ 0x00c2, TD_BY_BRANCHES, 1 },
	{ 0x00c3, TD_BY_BRANCHES, 100 },
	{ }
};

bool td_executed;

/* TOPDOWN_PMU_COUNT says what events are made of: "time", which is the default, or "executed". */
bool td_executed_load(const TdPreset *preset, Error **errp)
{
	const char *what = getenv("TOPDOWN_PMU_COUNT");

	if (!what || !strcmp(what, "time"))
		return true;
	if (strcmp(what, "executed")) {
		error_setg(errp, "TOPDOWN_PMU_COUNT is '%s', and neither time nor executed", what);
		return false;
	}
	/* Work is that of one thread, and lies anywhere in the time since it was last looked at. */
	if (!icount_enabled() || preset->half || current_machine->smp.threads > 1) {
		error_setg(errp, "TOPDOWN_PMU_COUNT=executed needs -icount, one thread a core, not 'half'");
		return false;
	}
	td_executed = true;
	return true;
}

/* Is that an event of what is executed?  Then also how often it happens. */
bool td_executed_rate(const TdPreset *preset, uint64_t config, TdRate *rate)
{
	const TdExecuted *event = preset->amd ? td_amd_executed : td_intel_executed;

	if (!td_executed)
		return false;
	while (event->divisor && event->config != config)
		event++;
	if (!event->divisor)
		return false;
	rate->basis = event->basis;
	rate->micro = TD_MICRO / event->divisor;
	return true;
}

/* An instruction that faults was counted if a hook came first, and is then taken back. */
static uint64_t td_more(uint64_t *last, uint64_t now)
{
	uint64_t more = now > *last ? now - *last : 0;

	*last += more;
	return more;
}

/* Fill in the work of the CPU since the last call, where the clock was read just now. */
void td_executed_since(TdPmu *p, TdStep *step)
{
	CPUX86State *env = &p->cpu->env;

	step->of[TD_BY_INSTRUCTIONS] = td_more(&p->instructions, CPU(p->cpu)->td_executed -
					       env->td_not_retired);
	step->of[TD_BY_BRANCHES] = td_more(&p->branches, env->td_branches);
}

/* How long the CPU needs at least for so much of what a rate is made of. */
td_u128 td_least_ns(const TdRate *rate, td_u128 units)
{
	/* Each branch is an instruction. */
	return rate->basis == TD_BY_TIME ? units : units * icount_to_ns(1);
}
