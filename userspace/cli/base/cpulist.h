/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of CPUs and their text form, such as 0-3,8.
 */
#ifndef TOPDOWN_CLI_CPULIST_H
#define TOPDOWN_CLI_CPULIST_H

#include <linux/topdown.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPULIST_WORDS		TOPDOWN_CPUS_WORDS_MAX
#define CPULIST_MAX		(CPULIST_WORDS * 64)

struct topdown;
struct topdown_map_view;

/**
 * struct cpulist - a set of CPUs
 * @words: CPU n is bit n % 64 of word n / 64, as the ABI has it
 */
struct cpulist {
	uint64_t words[CPULIST_WORDS];
};

void cpulist_set(struct cpulist *list, unsigned int cpu);
bool cpulist_has(const struct cpulist *list, unsigned int cpu);
bool cpulist_parse(struct cpulist *list, const char *option, const char *text);
bool cpulist_join(struct cpulist *list, const char *option, const char *text);
bool cpulist_refuse(const char *option, unsigned int cpu, const char *why,
		    const struct cpulist *allowed);
bool cpulist_beyond(const char *option, unsigned int cpu, const struct topdown_map_view *map);
bool cpulist_check(const struct cpulist *list, const char *option,
		   const struct cpulist *possible, const struct cpulist *online);
bool cpulist_there(const struct cpulist *list, const char *option, struct topdown *td,
		   bool offline);
char *cpulist_text(const struct cpulist *list);

#endif /* TOPDOWN_CLI_CPULIST_H */
