// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of CPUs and their text form, such as 0-3,8.
 */
#include "cpulist.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "message.h"
#include "parse.h"

#define NOT_THERE	"is not in this machine"
#define CPULIST_ALLOWED	"allowed: CPU numbers and ranges such as 0-3,8"

void cpulist_set(struct cpulist *list, unsigned int cpu)
{
	list->words[cpu / 64] |= 1ULL << cpu % 64;
}

bool cpulist_has(const struct cpulist *list, unsigned int cpu)
{
	return list->words[cpu / 64] >> cpu % 64 & 1;
}

/* A message is about the part of a list up to the next comma. */
static int part_length(const char *part)
{
	return strcspn(part, ",");
}

/* Say whether a part is a number or a range, and which. Numbers that do not fit are cut. */
static bool is_range(const char *part, uint64_t *first, uint64_t *last)
{
	const char *at = parse_digits(part, first);

	*last = *first;
	if (at && *at == '-')
		at = parse_digits(at + 1, last);
	return at && (!*at || *at == ',');
}

/* Say what is wrong with a part. */
static void report_part(const char *option, const char *part, int error)
{
	uint64_t first, last;
	bool range = is_range(part, &first, &last);

	if (!part_length(part)) {
		message_error("%s: a CPU number is missing (%s)", option, CPULIST_ALLOWED);
	} else if (!range) {
		message_error("%s: '%.*s' is not a CPU or a range of CPUs (%s)", option,
			      part_length(part), part, CPULIST_ALLOWED);
	} else if (error == -ERANGE) {
		message_error("%s: '%.*s' is above the largest possible CPU number (allowed: 0..%u)",
			      option, part_length(part), part, CPULIST_MAX - 1);
	} else {
		message_error("%s: the range '%.*s' is reversed (allowed: %" PRIu64 "-%" PRIu64 ")",
			      option, part_length(part), part, last, first);
	}
}

/* Add the CPUs of a number or a range. */
static bool join_part(struct cpulist *list, const char *option, const char *part)
{
	struct cpulist more = { .words = { 0 } };
	const char *at;
	unsigned int i;
	int ret;

	ret = topdown_cpus_parse(part, more.words, CPULIST_WORDS, &at);
	if (ret) {
		report_part(option, part, ret);
		return false;
	}
	for (i = 0; i < CPULIST_WORDS; i++)
		list->words[i] |= more.words[i];
	return true;
}

/**
 * cpulist_join - add a list of CPUs
 * @list: the set; without meaning on error
 * @option: name of the option, for the message
 * @text: its argument
 *
 * A CPU that is named twice is in the set.
 *
 * Return: false after a message.
 */
bool cpulist_join(struct cpulist *list, const char *option, const char *text)
{
	char *copy, *rest, *part;
	bool ok = true;

	if (!*text)
		return message_refuse("%s: the list of CPUs is empty (%s)", option,
				      CPULIST_ALLOWED);
	copy = strdup(text);
	rest = copy;
	if (!copy)
		return message_refuse("%s: out of memory", option);
	while (ok && (part = strsep(&rest, ",")))
		ok = join_part(list, option, part);
	free(copy);
	return ok;
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
	memset(list, 0, sizeof(*list));
	return cpulist_join(list, option, text);
}

/**
 * cpulist_refuse - refuse a CPU of a list
 * @option: name of the option, for the message
 * @cpu: the CPU
 * @why: what it is
 * @allowed: CPUs that the list may have
 *
 * Return: false after a message.
 */
bool cpulist_refuse(const char *option, unsigned int cpu, const char *why,
		    const struct cpulist *allowed)
{
	char *text = cpulist_text(allowed);

	message_error("%s: CPU %u %s (allowed: %s)", option, cpu, why, text ? text : "?");
	free(text);
	return false;
}

/**
 * cpulist_beyond - refuse a CPU that a map does not have
 * @option: name of the option, for the message
 * @cpu: the CPU
 * @map: the map
 *
 * Return: false after a message, which is that of cpulist_check().
 */
bool cpulist_beyond(const char *option, unsigned int cpu, const struct topdown_map_view *map)
{
	struct cpulist allowed = { .words = { 0 } };
	unsigned int i, nr = topdown_map_nr_cpus(map);
	struct topdown_record record;

	for (i = 0; i < nr && i < CPULIST_MAX; i++) {
		if (topdown_map_read_record(map, i, &record, sizeof(record), NULL) != -ENOENT)
			cpulist_set(&allowed, i);
	}
	return cpulist_refuse(option, cpu, NOT_THERE, &allowed);
}

/**
 * cpulist_check - hold a list against the machine
 * @list: set of CPUs
 * @option: name of the option, for the message
 * @possible: CPUs that the machine can have
 * @online: CPUs that are online
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
			return cpulist_refuse(option, cpu, NOT_THERE, online);
		if (!cpulist_has(online, cpu))
			return cpulist_refuse(option, cpu, "is offline", online);
	}
	return true;
}

/**
 * cpulist_there - hold a list against the CPUs that a handle reads
 * @list: set of CPUs
 * @option: name of the option, for the message
 * @td: handle; where it may not read CPUs, whoever asks for more says why
 * @offline: CPUs that are offline are good, too
 *
 * Return: false after a message.
 */
bool cpulist_there(const struct cpulist *list, const char *option, struct topdown *td,
		   bool offline)
{
	struct cpulist possible = { .words = { 0 } }, online = { .words = { 0 } };
	const struct topdown_record *record;
	struct topdown_reading *all = NULL;
	bool known, ok = true;
	unsigned int i;

	known = !topdown_reading_create(&all, td, NULL, 0) && !topdown_reading_update(all, 0);
	for (i = 0; known && i < topdown_reading_nr(all); i++) {
		record = topdown_reading_record(all, i);
		if (record->cpu >= CPULIST_MAX)
			continue;
		cpulist_set(&possible, record->cpu);
		if (offline || record->state != TOPDOWN_STATE_OFFLINE)
			cpulist_set(&online, record->cpu);
	}
	if (known)
		ok = cpulist_check(list, option, &possible, &online);
	topdown_reading_destroy(all);
	return ok;
}

/**
 * cpulist_text - write a set as text
 * @list: set of CPUs
 *
 * Return: text to be freed, empty for an empty set; NULL without memory.
 */
char *cpulist_text(const struct cpulist *list)
{
	size_t size = topdown_cpus_text(list->words, CPULIST_WORDS, NULL, 0) + 1;
	char *text = malloc(size);

	if (text)
		topdown_cpus_text(list->words, CPULIST_WORDS, text, size);
	return text;
}
