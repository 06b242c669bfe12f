// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's side of the back door of the emulated PMU.
 */
#include <string.h>
#include <sys/io.h>

#include "guest.h"

/* The machine changes *@data outside of the program, so the asm clobbers memory. */
static uint32_t backdoor_request(uint32_t request, uint64_t arg, void *data)
{
	uint32_t answer;

	asm volatile("inl %%dx, %%eax"
		     : "=a" (answer)
		     : "a" (TD_BD_MAGIC), "b" ((uint64_t)request), "c" (arg),
		       "d" (TD_BD_PORT), "D" (data)
		     : "memory");
	return answer;
}

bool backdoor_open(void)
{
	static bool open;

	if (!open)
		open = !iopl(3) && backdoor_request(TD_BD_PING, 0, NULL) == TD_BD_VERSION;
	return open;
}

bool backdoor_set_profile(const struct td_bd_profile *profile)
{
	struct td_bd_profile copy = *profile;

	return backdoor_request(TD_BD_SET_PROFILE, TD_BD_RESTART, &copy) == TD_BD_OK;
}

bool backdoor_change_profile(const struct td_bd_profile *profile)
{
	struct td_bd_profile copy = *profile;

	return backdoor_request(TD_BD_SET_PROFILE, TD_BD_CONTINUE, &copy) == TD_BD_OK;
}

bool backdoor_set_default(const struct td_bd_profile *profile)
{
	struct td_bd_profile copy = *profile;

	return backdoor_request(TD_BD_SET_DEFAULT, 0, &copy) == TD_BD_OK;
}

bool backdoor_set_quant(enum td_bd_quant quant)
{
	return backdoor_request(TD_BD_SET_QUANT, quant, NULL) == TD_BD_OK;
}

/* As the emulator's environment and run.sh call them. */
bool backdoor_set_quant_named(const char *name)
{
	static const char *const names[TD_BD_QUANTS] = { "truncate", "round", "rest" };
	unsigned int i;

	for (i = 0; i < TD_BD_QUANTS; i++) {
		if (!strcmp(name, names[i]))
			return backdoor_set_quant(i);
	}
	return false;
}

bool backdoor_set_restore(enum td_bd_restore restore)
{
	return backdoor_request(TD_BD_SET_RESTORE, restore, NULL) == TD_BD_OK;
}

bool backdoor_set_fault(enum td_bd_fault fault)
{
	return backdoor_request(TD_BD_SET_FAULT, fault, NULL) == TD_BD_OK;
}

bool backdoor_set_rate(uint64_t config, uint64_t rate)
{
	struct td_bd_rate copy = { .config = config, .rate = rate };

	return backdoor_request(TD_BD_SET_RATE, 0, &copy) == TD_BD_OK;
}

bool backdoor_set_memory(const struct td_bd_memory *memory)
{
	struct td_bd_memory copy = *memory;

	return backdoor_request(TD_BD_SET_MEMORY, 0, &copy) == TD_BD_OK;
}

bool backdoor_set_ibs(const struct td_bd_ibs *kind)
{
	struct td_bd_ibs copy = *kind;

	return backdoor_request(TD_BD_SET_IBS, 0, &copy) == TD_BD_OK;
}

bool backdoor_set_filter(bool on)
{
	return backdoor_request(TD_BD_SET_FILTER, on, NULL) == TD_BD_OK;
}

bool backdoor_set_guest(enum td_bd_guest what)
{
	return backdoor_request(TD_BD_SET_GUEST, what, NULL) == TD_BD_OK;
}

static bool backdoor_truth(enum td_bd_request request, uint64_t arg, struct td_bd_truth *truth)
{
	/* The pages of *@truth must be there, and not shared with a parent. */
	memset(truth, 0xff, sizeof(*truth));
	asm volatile("" : : "r" (truth) : "memory");
	return backdoor_request(request, arg, truth) == TD_BD_OK;
}

bool backdoor_truth_cpu(unsigned int cpu, struct td_bd_truth *truth)
{
	return backdoor_truth(TD_BD_TRUTH_CPU, cpu, truth);
}

bool backdoor_truth_space(struct td_bd_truth *truth)
{
	return backdoor_truth(TD_BD_TRUTH_SPACE, 0, truth);
}

/*
 * Does time pass with the instructions?  If not, the emulated time runs on when
 * the host takes a CPU away, and if that is in the microseconds in which the
 * driver has stopped the counters for a reading, slots are lost that no hardware
 * would lose.  If it does, the CPUs run in turns, and slots are lost when a turn
 * ends in those microseconds; once in thousands of readings.
 */
bool backdoor_exact(void)
{
	struct td_bd_truth truth;

	return backdoor_truth_cpu(0, &truth) && truth.instructions;
}

/* Does a CPU execute an instruction in some nanoseconds, as real ones do? */
bool backdoor_fast(void)
{
	struct td_bd_truth then, now;
	volatile unsigned int i;

	backdoor_truth_cpu(0, &then);
	for (i = 0; i < 100000; i++)
		;
	backdoor_truth_cpu(0, &now);
	backdoor_truth_sub(&now, &then);
	return now.instructions > now.time_ns / 4;
}

void backdoor_truth_sub(struct td_bd_truth *later, const struct td_bd_truth *earlier)
{
	unsigned int i;

	later->time_ns -= earlier->time_ns;
	later->slots -= earlier->slots;
	later->user_slots -= earlier->user_slots;
	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		later->category[i] -= earlier->category[i];
		later->user_category[i] -= earlier->user_category[i];
	}
	later->rdmsr -= earlier->rdmsr;
	later->wrmsr -= earlier->wrmsr;
	later->rdpmc -= earlier->rdpmc;
	later->pmi -= earlier->pmi;
	later->wakeups -= earlier->wakeups;
	later->instructions -= earlier->instructions;
	later->stopped -= earlier->stopped;
	later->held -= earlier->held;
}

void backdoor_truth_add(struct td_bd_truth *sum, const struct td_bd_truth *more)
{
	unsigned int i;

	sum->slots += more->slots;
	sum->user_slots += more->user_slots;
	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		sum->category[i] += more->category[i];
		sum->user_category[i] += more->user_category[i];
	}
}

void backdoor_truth_nodes(const struct td_bd_truth *truth, double node[TRUTH_NODES])
{
	static const struct {
		enum topdown_node parent, child, rest;
		enum td_bd_category of_parent, of_child;
	} row[] = {
		{ TOPDOWN_RETIRING, TOPDOWN_HEAVY_OPERATIONS, TOPDOWN_LIGHT_OPERATIONS,
		  TD_BD_RETIRING, TD_BD_HEAVY_OPS },
		{ TOPDOWN_BAD_SPECULATION, TOPDOWN_BRANCH_MISPREDICTS, TOPDOWN_MACHINE_CLEARS,
		  TD_BD_BAD_SPEC, TD_BD_BR_MISPREDICT },
		{ TOPDOWN_FRONTEND_BOUND, TOPDOWN_FETCH_LATENCY, TOPDOWN_FETCH_BANDWIDTH,
		  TD_BD_FE_BOUND, TD_BD_FETCH_LAT },
		{ TOPDOWN_BACKEND_BOUND, TOPDOWN_MEMORY_BOUND, TOPDOWN_CORE_BOUND,
		  TD_BD_BE_BOUND, TD_BD_MEM_BOUND },
	};
	double slots = truth->slots ? truth->slots : 1;
	unsigned int i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		node[row[i].parent] = truth->category[row[i].of_parent] / slots;
		node[row[i].child] = truth->category[row[i].of_child] / slots;
		node[row[i].rest] = node[row[i].parent] - node[row[i].child];
	}
}

bool backdoor_latency_cpu(unsigned int cpu, uint64_t config, uint32_t first, uint32_t width,
			  struct td_bd_latency *latency)
{
	/* As in backdoor_truth(): the pages must be there. */
	memset(latency, 0, sizeof(*latency));
	latency->config = config;
	latency->first = first;
	latency->width = width;
	asm volatile("" : : "r" (latency) : "memory");
	return backdoor_request(TD_BD_LATENCY, cpu, latency) == TD_BD_OK;
}
