// SPDX-License-Identifier: GPL-2.0
/*
 * What nodes and words of states mean, and what to do next.
 */
#include "words.h"

#include <stdio.h>
#include <string.h>
#include <topdown.h>

#include "known.h"
#include "formula-thresholds.h"
#include "options.h"

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
		"slots of operations that were thrown away, and those lost until the right ones came",
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
		"A perf user who counts a task needed a counter, so the module left its own to him (parameter aside=). It comes back by itself.",
	},
	{
		"merged",
		"The part of a task's time between switches that were too close to measure one by one. Its slots are those of the neighbours.",
	},
	{
		"incomplete",
		"A task that the command started could not be followed, so its slots are missing.",
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
		"Less than 5% of the time was busy, or half of one CPU. What is counted then is the kernel's own work now and then, so no bottleneck is named.",
	},
	{
		"running",
		"The part of the time in which the module's counters counted. Where it is less than half of what is expected, no bottleneck is named.",
	},
};

static void put_threshold(const char *cores, unsigned int percent)
{
	if (percent < 100)
		printf("threshold: %u%% of the slots on %s\n", percent, cores);
}

static void put_node(unsigned int node)
{
	int parent = topdown_node_parent(node);

	printf("%s (level %u%s%s)\n", topdown_node_name(node), topdown_node_level(node),
	       parent < 0 ? "" : ", of ", parent < 0 ? "" : topdown_node_name(parent));
	printf("meaning: %s\n", nodes[node].meaning);
	put_threshold("Intel's big cores", td_thresholds_core.percent[node]);
	put_threshold("Atom cores", td_thresholds_atom.percent[node]);
	printf("usual causes: %s\n", nodes[node].causes);
	printf("next: 'topdown stat --locate' prints the command that finds the code; 'topdown perf' those of functions\n");
}

/**
 * words_help - explain a node, a state, or all nodes
 * @word: name of a node with or without tma_, a word of a state, or nodes
 * @ret: exit code
 *
 * Return: false if the word is none of these.
 */
bool words_help(const char *word, int *ret)
{
	int node = topdown_node_by_name(word);
	unsigned int i;

	if (node >= 0) {
		put_node(node);
		*ret = options_help("");
		return true;
	}
	for (i = 0; i < TD_NR_NODES && !strcmp(word, "nodes"); i++)
		printf("%-24s %s\n", topdown_node_name(i), nodes[i].meaning);
	if (!strcmp(word, "nodes")) {
		*ret = options_help("");
		return true;
	}
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (strcmp(word, states[i].word))
			continue;
		printf("%s: %s\n", word, states[i].meaning);
		*ret = options_help("");
		return true;
	}
	return false;
}
