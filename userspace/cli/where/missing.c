// SPDX-License-Identifier: GPL-2.0
/*
 * Why an event has no sample.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "where-output.h"

static const char *why_not(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "this user may not: CAP_PERFMON, or a lower kernel.perf_event_paranoid";
	case EOPNOTSUPP:
	case ENOENT:
	case EINVAL:
	case ENODEV:
		return "the processor, its hypervisor or the kernel lacks it";
	case ENXIO:
		return "a register that it needs is not there: a hypervisor may hide it";
	case EMFILE:
	case ENFILE:
		return "raise 'ulimit -n', or sample fewer CPUs by -C";
	default:
		return "the kernel refuses it";
	}
}

/**
 * where_missing - why an event has no sample
 * @event: the event
 * @cpus: its times are sums over CPUs, not of a process
 * @text: written
 * @size: room in @text
 *
 * Return: false if it has samples, and nothing is written.
 */
bool where_missing(const struct topdown_stalls_event *event, bool cpus, char *text, size_t size)
{
	char counted[GROUPED_SIZE];

	if (event->error) {
		snprintf(text, size, "not opened: %s (%s)", strerror(event->error),
			 why_not(event->error));
	} else if (event->samples) {
		return false;
	} else if (!event->enabled_ns) {
		snprintf(text, size, "opened, but nothing ran that it could count");
	} else if (!event->running_ns) {
		snprintf(text, size, "opened, but no time on a counter (others have them)");
	} else if (!event->counted) {
		snprintf(text, size, "counted for %.3f s%s, and never happened",
			 event->running_ns / 1e9, cpus ? " (all CPUs together)" : "");
	} else {
		grouped_text(counted, event->counted);
		snprintf(text, size, "counted %s event%s, but no sample at this rate (--rate; a hypervisor may hide samples)",
			 counted, plural_text(event->counted));
	}
	return true;
}

/* Has the process had no time on the cores of the event's kind, on a hybrid machine? */
static bool was_elsewhere(const struct where_run *run, const struct topdown_stalls_event *event)
{
	unsigned int i;

	if (where_of_cpus(run))
		return false;
	for (i = 0; i < run->domains_nr; i++) {
		if (where_event_of(&run->domain[i], event))
			return !run->domain[i].figures.enabled_ns;
	}
	return false;
}

/**
 * where_missing_in - why an event has no sample in a run
 * @run: run, after sampling
 * @event: one of its events
 * @text: written
 * @size: room in @text
 *
 * Return: false if it has samples, and nothing is written.
 */
bool where_missing_in(const struct where_run *run, const struct topdown_stalls_event *event,
		      char *text, size_t size)
{
	if (event->error || event->samples || !was_elsewhere(run, event))
		return where_missing(event, where_of_cpus(run), text, size);
	snprintf(text, size, "opened, but nothing ran on these cores");
	return true;
}

/**
 * where_missing_next - the next event of a node that has no sample
 * @run: run, after sampling
 * @domain: figures
 * @node: enum topdown_node
 * @number: where to look from, 0 at first; written
 * @event: written
 * @text: written: why
 * @size: room in @text
 *
 * Return: false if there is no other.
 */
bool where_missing_next(const struct where_run *run, const struct where_domain *domain,
			unsigned int node, unsigned int *number,
			struct topdown_stalls_event *event, char *text, size_t size)
{
	while (!topdown_stalls_event_get(run->stalls, (*number)++, event, sizeof(*event))) {
		if (event->nodes >> node & 1 && where_event_of(domain, event) &&
		    where_missing_in(run, event, text, size))
			return true;
	}
	return false;
}

/**
 * where_of_cpus - whether whole CPUs are sampled, and no process
 * @run: run
 */
bool where_of_cpus(const struct where_run *run)
{
	return !run->options->pid && !run->options->argv;
}

/**
 * where_missing_lines - say it below the table of a node, but for -q
 * @file: where to
 * @run: run, after sampling
 * @domain: figures
 * @node: enum topdown_node
 */
void where_missing_lines(FILE *file, const struct where_run *run,
			 const struct where_domain *domain, unsigned int node)
{
	struct topdown_stalls_event event;
	char text[WHERE_REASON_SIZE];
	unsigned int number = 0;

	if (run->options->quiet)
		return;
	while (where_missing_next(run, domain, node, &number, &event, text, sizeof(text)))
		fprintf(file, "no sample of %s: %s\n", event.name, text);
}

/**
 * where_missing_text - the same in one text
 * @run: run, after sampling
 * @domain: figures
 * @node: enum topdown_node
 * @text: written; empty if each event of the node has samples
 * @size: room in @text
 */
void where_missing_text(const struct where_run *run, const struct where_domain *domain,
			unsigned int node, char *text, size_t size)
{
	struct topdown_stalls_event event;
	char why[WHERE_REASON_SIZE];
	unsigned int number = 0;
	size_t used = 0;

	*text = '\0';
	while (used < size && where_missing_next(run, domain, node, &number, &event, why,
						 sizeof(why)))
		used += snprintf(text + used, size - used, "%s%s: %s", used ? "; " : "",
				 event.name, why);
}
