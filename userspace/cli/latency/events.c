// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a latency session, as options name them and as the machine has them.
 */
#include "events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "message.h"
#include "raw-events.h"
#include "refusal.h"
#include "rights.h"

/**
 * events_is_encoding - whether an item of a list looks like an encoding, right or wrong
 * @item: item
 */
bool events_is_encoding(const char *item)
{
	return !strncasecmp(item, "0x", 2) || !strncasecmp(item, "raw-", 4);
}

static bool no_event(const char *option, const char *name)
{
	if (events_is_encoding(name))
		message_error("%s: '%s' is an encoding (only 'topdown latency -e' takes encodings)",
			      option, name);
	else
		message_error("%s: there is no event '%s' ('topdown latency --list' prints the events of this machine)",
			      option, name);
	return false;
}

/**
 * events_parse - read a list of names
 * @option: the option, for messages
 * @text: the list
 * @events: bit n for event n; those of the list are added.  EVENTS_ALL for the name "all"
 *
 * Return: false after a message.
 */
bool events_parse(const char *option, const char *text, uint64_t *events)
{
	char name[64];
	size_t length;
	int event;

	for (;; text += length + 1) {
		length = strcspn(text, ",");
		snprintf(name, sizeof(name), "%.*s", (int)length, text);
		event = topdown_latency_event_by_name(name);
		if (!strcasecmp(name, "all"))
			*events = EVENTS_ALL;
		else if (event >= 0)
			*events |= 1ULL << event;
		else
			return no_event(option, name);
		if (!text[length])
			return true;
	}
}

/**
 * events_read - read the argument of --latency
 * @row: the option
 * @text: a list of names
 * @field: the events, as of events_parse()
 *
 * Return: false after a message.
 */
bool events_read(const struct option_row *row, const char *text, void *field)
{
	return events_parse(option_name(row), text, field);
}

static const char *open_advice(int error)
{
	switch (error) {
	case ENOENT:
		return "load the module with 'modprobe topdown_latency'; "
		       "'topdown_latency' in /etc/modules-load.d/topdown.conf does it at each boot";
	case ENXIO:
		return "the node is a left-over: load the module with 'modprobe topdown_latency'";
	case EACCES:
	case EPERM:
		return REFUSAL_NO_GROUP;
	case ENODEV:
	case ENOTTY:
		return "it is not the node of a loaded module topdown_latency";
	case EPROTO:
		return "its answer is invalid: module and library do not match";
	default:
		return "the kernel log may say more";
	}
}

/**
 * events_unanswered - say why the device of latencies cannot be asked
 * @device: path of the device of topdown
 * @error: errno of topdown_latency_events()
 *
 * Return: the exit code.
 */
int events_unanswered(const char *device, int error)
{
	return message_fail(EXIT_DEVICE, "cannot open %s_latency: %s (%s)", device, strerror(error),
			    open_advice(error));
}

/**
 * events_unopened - say why the device of topdown cannot be opened, for a command of latencies
 * @device: its path
 * @error: errno
 *
 * Return: the exit code.
 */
int events_unopened(const char *device, int error)
{
	if (error != ENOENT && error != ENXIO)
		return refusal_open(device, error);
	return message_fail(EXIT_DEVICE, "cannot open %s: %s (load both modules with 'modprobe topdown_latency'; the kernel log says why it fails)",
			    device, strerror(error));
}

/**
 * events_unread - say why the records cannot be read
 * @device: path of the device of topdown
 * @error: errno
 *
 * Return: the exit code.
 */
int events_unread(const char *device, int error)
{
	return message_fail(EXIT_RUNTIME, "cannot read latencies through %s_latency: %s (the kernel log may say more)",
			    device, strerror(error));
}

/**
 * events_choose - look which of the wanted events the machine has
 * @td: device
 * @device: its path
 * @wanted: bit n for event n; EVENTS_ALL for all that the machine has; 0 if others than these are
 *	wanted, so that it does not matter whether the library knows some
 * @advice: the end of the message if the machine samples nothing
 * @events: written
 *
 * Return: 0, or an exit code after a message.
 */
int events_choose(struct topdown *td, const char *device, uint64_t wanted, const char *advice,
		  uint64_t *events)
{
	unsigned int refusal;
	uint64_t has;
	int ret;

	ret = topdown_latency_events(td, &has, &refusal);
	if (ret)
		return events_unanswered(device, -ret);
	if (!wanted && refusal == TOPDOWN_LATENCY_NO_MODEL)
		refusal = TOPDOWN_LATENCY_REFUSAL_NONE;
	if (refusal)
		return message_fail(EXIT_DEVICE, "this machine samples no latency: %s%s",
				    topdown_latency_refusal_text(refusal), advice);
	*events = wanted == EVENTS_ALL ? has : wanted;
	if (*events & ~has)
		return message_fail(EXIT_DEVICE, "this CPU model has no event %s ('topdown latency --list' prints those that it has)",
				    topdown_latency_event_name(__builtin_ctzll(*events & ~has)));
	return 0;
}

static const char *advice_of(int error)
{
	switch (error) {
	case EBUSY:
		return "the tasks are sampled by another latency session, which has to end first";
	case ESRCH:
		return "the tasks have ended";
	case ENOSPC:
		return "at most 4096 latency sessions and 64 different events in all; "
		       "without CAP_PERFMON 64 latency sessions of a user";
	case EBADF:
		return "this user may open the node for reading only";
	default:
		return "the kernel log may say more";
	}
}

/**
 * events_refused - say why a latency session cannot start
 * @device: path of the device
 * @error: errno
 * @chosen_cpus: the user has chosen the CPUs
 *
 * Return: the exit code.
 */
int events_refused(const char *device, int error, bool chosen_cpus)
{
	unsigned int nr_raw;

	raw_events(&nr_raw);
	switch (error) {
	case EOPNOTSUPP:
		return message_fail(EXIT_DEVICE, "cannot sample through %s_latency: the kernel's driver refuses the event%s, or none of these CPUs is a measured P-core",
				    device, nr_raw ? " or a part of its encoding" : "");
	case EINVAL:
		if (!chosen_cpus)
			break;
		return message_fail(EXIT_USAGE, "cannot sample through %s_latency: %s (does -C name a CPU that the machine cannot have?)",
				    device, strerror(error));
	case EACCES:
	case EPERM:
		message_error("cannot sample through %s_latency: %s", device, strerror(error));
		rights_explain(RIGHTS_CPUS);
		return EXIT_DEVICE;
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return events_unanswered(device, error);
	}
	return message_fail(EXIT_RUNTIME, "cannot sample through %s_latency: %s (%s)", device,
			    strerror(error), advice_of(error));
}
