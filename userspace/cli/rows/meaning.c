// SPDX-License-Identifier: GPL-2.0
/*
 * What nodes and states mean, for people.
 */
#include "meaning.h"

#include <stddef.h>
#include <string.h>
#include <topdown.h>

#include "known.h"

/**
 * struct node_help - what a node means
 * @meaning: in one sentence
 * @causes: what it often comes from
 */
struct node_help {
	const char *meaning;
	const char *causes;
};

static const struct node_help nodes[TD_NR_NODES] = {
	[TOPDOWN_RETIRING] = {
		"slots of operations that retired: the work of the program",
		"nothing is lost here; fewer instructions or vector instructions make it faster" },
	[TOPDOWN_BAD_SPECULATION] = {
		"slots of operations that were thrown away, or lost until the right ones came",
		"branches that are hard to foresee; machine clears" },
	[TOPDOWN_FRONTEND_BOUND] = {
		"slots that stayed empty because no operation was delivered",
		"code that is larger than its caches, many jumps, slow decoding" },
	[TOPDOWN_BACKEND_BOUND] = {
		"slots that stayed empty because the back end had no room for an operation",
		"waiting for memory, or for execution units" },
	[TOPDOWN_HEAVY_OPERATIONS] = {
		"the part of retiring in instructions of several operations, and in microcode",
		"divisions of wide numbers, string instructions, gathers, assists" },
	[TOPDOWN_LIGHT_OPERATIONS] = {
		"the part of retiring in instructions of one operation",
		"nothing is lost here; vector instructions do more with each" },
	[TOPDOWN_BRANCH_MISPREDICTS] = {
		"slots lost because a branch went the other way than foreseen",
		"conditions on data without a pattern, indirect calls with many targets" },
	[TOPDOWN_MACHINE_CLEARS] = {
		"slots lost because the pipeline was emptied for another reason than a branch",
		"memory ordering between threads, self-modifying code, assists" },
	[TOPDOWN_FETCH_LATENCY] = {
		"slots in cycles in which the front end delivered nothing at all",
		"misses of the instruction cache or TLB, branches whose target comes late" },
	[TOPDOWN_FETCH_BANDWIDTH] = {
		"slots in cycles in which the front end delivered too little",
		"code that is not in the cache of operations, short loops with many branches" },
	[TOPDOWN_MEMORY_BOUND] = {
		"slots in which the back end waited for loads or stores",
		"misses of the data caches and TLB, full store buffers, lines shared by threads" },
	[TOPDOWN_CORE_BOUND] = {
		"slots in which the back end waited for something other than memory",
		"divisions, long chains of dependent instructions, ports that all want" },
	[TOPDOWN_RESOURCE_BOUND] = {
		"Atom cores: slots in which a resource of the back end was full",
		"loads that miss the caches fill the buffers; then as for memory bound" },
	[TOPDOWN_SMT_CONTENTION] = {
		"AMD: slots that the other thread of the core had",
		"two busy threads share a core" },
};

static const struct {
	const char *word;
	const char *meaning;
} states[] = {
	{
		"contended",
		"Other users of the counters had them for a part of the time: perf stat, perf record, the NMI watchdog, or regions by RDPMC. 'running' is the part that was measured.",
	},
	{
		"aside",
		"A perf user needed a counter, so the module left its own to him (parameter aside=). It counts in short turns meanwhile (parameter share=), and is back when nobody needs them.",
	},
	{
		"merged",
		"The part of a task's time that was not measured, because tasks were switched too fast in a guest whose hypervisor emulates the counters. It is left out at random, so the rest is a fair sample.",
	},
	{
		"incomplete",
		"Some task is not in the figures: it gained rights by executing a program (set-uid), or executed one that it may not read, or was being made during the attach.",
	},
	{
		"clamped",
		"A formula gave a share below 0 or above all slots, and was cut. Counts came in turns, or an event is not what its name says.",
	},
	{
		"unsupported",
		"The CPU has no events that work, or a hypervisor filters them. 'topdown info' has the reason after 'chosen', and so has the kernel log.",
	},
	{
		"excluded",
		"The module was told to leave the CPU alone (parameter cpus=), or it is nohz_full.",
	},
	{ "offline", "The CPU is offline." },
	{
		"idle",
		"The CPUs were busy for less than 5% of the time, and together for less than half of one CPU. What is counted then is the kernel's own work now and then, so no bottleneck is named.",
	},
	{
		"running",
		"The part of the time in which the module's counters counted. Where it is less than half of what is expected, no bottleneck is named.",
	},
};

static const struct {
	const char *word;
	const char *meaning;
} words[] = {
	{
		"slot",
		"A place for one operation in the pipeline, in one cycle. A CPU has as many a cycle as it is wide, 4 to 8.",
	},
	{
		"node",
		"A part of the tree into which slots are divided, such as tma_memory_bound: 'topdown help nodes' lists them. In a row of a NUMA node it is the number of that.",
	},
	{
		"slots",
		"Places for operations in the pipeline, one for each operation that a CPU can begin in a cycle. Nodes say where they went.",
	},
	{
		"level",
		"Nodes of level 1 share all slots among them. Those of level 2 are parts of one of level 1.",
	},
	{
		"threshold",
		"The published share of the slots above which a node deserves a closer look: 'topdown help nodes' lists the nodes, and 'topdown help NODE' has it.",
	},
	{
		"window",
		"The counts of one CPU between two ticks of the module's timer, which are a period apart (parameter period_ms). An idle CPU ends none.",
	},
	{
		"step",
		"A part of the time of a recording: all steps have one length, but for the last.",
	},
	{
		"owner",
		"A process or a cgroup, to which all slots of its tasks belong; idle tasks are one too.",
	},
	{
		"owners",
		"Processes or cgroups, to which all slots of their tasks belong; idle tasks are one too.",
	},
	{
		"others",
		"Slots that belong to no owner of their own: tasks that were switched too fast to measure them, or owners for whom there was no room.",
	},
	{
		"ended",
		"Slots of processes that ended between two readings, or longer ago.",
	},
	{
		"session",
		"The slots of some tasks, from the beginning to the end: 'topdown stat -- COMMAND' has one.",
	},
	{
		"group",
		"Events that perf counts in the same time. Where all do not fit the counters, groups of them take turns.",
	},
	{
		"turns",
		"The events do not fit the counters at once, so groups of them count one after the other, and counts are scaled to all the time.",
	},
};

/**
 * meaning_of_word - what a word of tables and messages means
 * @word: the word
 *
 * Return: some sentences; NULL for another word.
 */
const char *meaning_of_word(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(word, words[i].word))
			return words[i].meaning;
	}
	return NULL;
}

/**
 * meaning_of_node - what the slots of a node are
 * @node: enum topdown_node
 *
 * Return: a part of a sentence.
 */
const char *meaning_of_node(unsigned int node)
{
	return nodes[node].meaning;
}

/**
 * causes_of_node - what a node often comes from
 * @node: enum topdown_node
 *
 * Return: some words.
 */
const char *causes_of_node(unsigned int node)
{
	return nodes[node].causes;
}

/**
 * meaning_of_state - what a word that tables have for a state or a remark means
 * @word: the word
 *
 * Return: some sentences; NULL for another word.
 */
const char *meaning_of_state(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (!strcmp(word, states[i].word))
			return states[i].meaning;
	}
	return NULL;
}

/**
 * reason_of_state - why a row has its state, in a few words
 * @row: row of CPUs or of tasks
 *
 * Return: words for parentheses; NULL where the name of the state says all.
 */
const char *reason_of_state(const struct row *row)
{
	static const char * const cpus[] = {
		[TOPDOWN_STATE_UNSUPPORTED]	= "'topdown info' says why",
		[TOPDOWN_STATE_CONTENDED]	= "others had the counters",
		[TOPDOWN_STATE_ERROR]		= "the kernel log says why",
		[TOPDOWN_STATE_EXCLUDED]	= "by cpus= or nohz_full",
		[TOPDOWN_STATE_ASIDE]		= "left to a perf user",
	};
	static const char * const tasks[] = {
		[TOPDOWN_SESSION_STATE_DISABLED]	= "no program was executed yet",
		[TOPDOWN_SESSION_STATE_ENDED]		= "it made too many tasks",
	};

	if (row->task)
		return row->state < sizeof(tasks) / sizeof(tasks[0]) ? tasks[row->state] : NULL;
	return row->state < sizeof(cpus) / sizeof(cpus[0]) ? cpus[row->state] : NULL;
}
