// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of CPUs and their text form, such as 0-3,8.
 */
#include "cpulist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "report.h"

#define CPULIST_ALLOWED	"allowed: CPU numbers and ranges such as 0-3,8"

void cpulist_set(struct cpulist *list, unsigned int cpu)
{
	list->words[cpu / 64] |= 1ULL << cpu % 64;
}

bool cpulist_has(const struct cpulist *list, unsigned int cpu)
{
	return list->words[cpu / 64] >> cpu % 64 & 1;
}

/* The part of a list up to the next comma, which a message is about. */
static int part_length(const char *part)
{
	return strcspn(part, ",");
}

static bool syntax_error(const char *option, const char *part)
{
	if (!part_length(part))
		report_error("%s: a CPU number is missing (%s)", option, CPULIST_ALLOWED);
	else
		report_error("%s: '%.*s' is not a CPU or a range of CPUs (%s)", option,
			     part_length(part), part, CPULIST_ALLOWED);
	return false;
}

static bool add_range(struct cpulist *list, const char *option, const char *part,
		      uint64_t first, uint64_t last)
{
	if (first >= CPULIST_MAX || last >= CPULIST_MAX) {
		report_error("%s: '%.*s' is beyond the largest CPU number there can be (allowed: 0..%u)",
			     option, part_length(part), part, CPULIST_MAX - 1);
		return false;
	}
	if (last < first) {
		report_error("%s: the range '%.*s' is reversed (allowed: %" PRIu64 "-%" PRIu64 ")",
			     option, part_length(part), part, last, first);
		return false;
	}
	for (; first <= last; first++) {
		if (cpulist_has(list, first)) {
			report_error("%s: CPU %" PRIu64 " is named twice (allowed: each CPU once)",
				     option, first);
			return false;
		}
		cpulist_set(list, first);
	}
	return true;
}

/**
 * cpulist_parse - read a list of CPUs
 * @list: the set; without meaning on error
 * @option: name of the option, for the message
 * @text: its argument
 *
 * Return: false after a message.
 */
bool cpulist_parse(struct cpulist *list, const char *option, const char *text)
{
	const char *part = text;

	memset(list, 0, sizeof(*list));
	if (!*text) {
		report_error("%s: the list of CPUs is empty (%s)", option, CPULIST_ALLOWED);
		return false;
	}
	for (;;) {
		uint64_t first, last;
		const char *at;

		at = parse_digits(part, &first);
		if (!at)
			return syntax_error(option, part);
		last = first;
		if (*at == '-') {
			at = parse_digits(at + 1, &last);
			if (!at)
				return syntax_error(option, part);
		}
		if (*at && *at != ',')
			return syntax_error(option, part);
		if (!add_range(list, option, part, first, last))
			return false;
		if (!*at)
			return true;
		part = at + 1;
	}
}

static bool refuse_cpu(const char *option, unsigned int cpu, const char *why,
		       const struct cpulist *allowed)
{
	char *text = cpulist_text(allowed);

	report_error("%s: CPU %u %s (allowed: %s)", option, cpu, why, text ? text : "?");
	free(text);
	return false;
}

/**
 * cpulist_check - hold a list against the machine
 * @list: set of CPUs
 * @option: name of the option, for the message
 * @possible: CPUs that there can be
 * @online: those that are online
 *
 * Return: false after a message.
 */
bool cpulist_check(const struct cpulist *list, const char *option,
		   const struct cpulist *possible, const struct cpulist *online)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!cpulist_has(list, cpu))
			continue;
		if (!cpulist_has(possible, cpu))
			return refuse_cpu(option, cpu, "is not in this machine", online);
		if (!cpulist_has(online, cpu))
			return refuse_cpu(option, cpu, "is offline", online);
	}
	return true;
}

/**
 * cpulist_text - write a set as text
 * @list: set of CPUs
 *
 * Return: text to be freed, empty for an empty set; NULL without memory.
 */
char *cpulist_text(const struct cpulist *list)
{
	unsigned int cpu, first;
	const char *comma = "";
	char *text = NULL;
	size_t size;
	FILE *file;

	file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	for (cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!cpulist_has(list, cpu))
			continue;
		first = cpu;
		while (cpu + 1 < CPULIST_MAX && cpulist_has(list, cpu + 1))
			cpu++;
		fprintf(file, "%s%u", comma, first);
		if (cpu > first)
			fprintf(file, "-%u", cpu);
		comma = ",";
	}
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}
