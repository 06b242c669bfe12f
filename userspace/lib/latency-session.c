// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Latency sessions: the device of the module topdown_latency, of which each descriptor is one.
 *
 * The module takes encodings and numbers them in the order in which they come.  Programs have the
 * numbers of enum topdown_latency_number.
 */
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "latency-table.h"

/* The name under which the module registers the device. */
#define TD_LATENCY_NAME		"topdown_latency"

/*
 * @fd: descriptor of the device, which was started
 * @raw: the events have no numbers of the library
 * @nr_events: number of events
 * @number: of each event its enum topdown_latency_number, unless @raw
 */
struct topdown_latencies {
	int fd;
	bool raw;
	unsigned int nr_events;
	uint8_t number[TD_NR_LATENCIES];
};

/* Events as the module takes them, and their numbers. */
struct td_request {
	unsigned int nr;
	struct topdown_latency_event event[TD_NR_LATENCIES];
	uint8_t number[TD_NR_LATENCIES];
};

static int td_latency_open(const struct topdown *td)
{
	char path[PATH_MAX];
	int length;

	length = snprintf(path, sizeof(path), "%s_latency", td->path ? td->path : TOPDOWN_DEVICE);
	if (length >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return td_open_node(path, TD_LATENCY_NAME);
}

static int td_latency_ioctl(int fd, unsigned long request, void *arg)
{
	int ret = td_ioctl_fd(fd, request, arg);

	return ret > 0 ? -EPROTO : ret;
}

/* The events that the library knows of the machine: bit n for event n. */
static uint64_t td_latency_known(const struct topdown *td)
{
	return td->info.out_cpu_family == 6 ? td_latency_events(td->info.out_cpu_model) : 0;
}

/* @events: of td_latency_known() */
static void td_latency_request(const struct topdown *td, uint64_t events,
			       struct td_request *request)
{
	struct topdown_latency_event *event;
	unsigned int number;

	memset(request, 0, sizeof(*request));
	for (number = 0; number < TD_NR_LATENCIES; number++) {
		if (!(events >> number & 1))
			continue;
		event = &request->event[request->nr];
		td_latency_encode(td->info.out_cpu_model, number, &event->config, &event->config1);
		request->number[request->nr++] = number;
	}
}

static int td_latency_ask(int fd, const struct td_request *request, uint64_t *taken,
			  unsigned int *refusal)
{
	struct topdown_latency_start arg = {
		.size = sizeof(arg),
		.flags = TOPDOWN_LATENCY_START_ASK,
		.events = (uintptr_t)request->event,
		.nr_events = request->nr,
		.event_size = sizeof(request->event[0]),
	};
	int ret;

	ret = td_latency_ioctl(fd, TOPDOWN_LATENCY_START, &arg);
	if (ret)
		return ret;
	/* These numbers are the library's. */
	if (arg.out_refusal >= TOPDOWN_LATENCY_NO_MODEL)
		return -EPROTO;
	*taken = arg.out_refusal ? 0 : arg.out_events;
	*refusal = arg.out_refusal;
	return 0;
}

/* As td_latency_ask() for a caller who may not have events tried: then all are taken. */
static int td_latency_ask_untried(int fd, const struct td_request *request, uint64_t *taken,
				  unsigned int *refusal)
{
	const struct td_request none = { .nr = 0 };
	int ret;

	ret = td_latency_ask(fd, &none, taken, refusal);
	if (!ret && !*refusal)
		*taken = (1ULL << request->nr) - 1;
	return ret;
}

TD_API int topdown_latency_events(struct topdown *td, uint64_t *events, unsigned int *refusal)
{
	struct td_request request;
	uint64_t taken, found = 0;
	unsigned int i, why;
	int fd, ret;

	fd = td_latency_open(td);
	if (fd < 0)
		return fd;
	td_latency_request(td, td_latency_known(td), &request);
	ret = td_latency_ask(fd, &request, &taken, &why);
	/* A caller without the right to have events tried may ask whether there is a refusal. */
	if (ret == -EACCES || ret == -EBADF)
		ret = td_latency_ask_untried(fd, &request, &taken, &why);
	close(fd);
	if (ret)
		return ret;
	for (i = 0; i < request.nr; i++)
		found |= (taken >> i & 1) << request.number[i];
	*events = found;
	/* A reason of the machine says more than what the library lacks. */
	*refusal = why || request.nr ? why : TOPDOWN_LATENCY_NO_MODEL;
	return 0;
}

/* @latencies: all of it but the descriptor; freed on error */
static int td_latency_begin(const struct topdown *td, struct topdown_latency_start *arg,
			    struct topdown_latencies *latencies, struct topdown_latencies **out,
			    unsigned int *nr)
{
	int ret;

	latencies->nr_events = arg->nr_events;
	latencies->fd = td_latency_open(td);
	if (latencies->fd < 0) {
		ret = latencies->fd;
		free(latencies);
		return ret;
	}
	ret = td_latency_ioctl(latencies->fd, TOPDOWN_LATENCY_START, arg);
	if (!ret && !arg->out_nr_records)
		ret = -EPROTO;
	if (ret) {
		topdown_latencies_end(latencies);
		return ret;
	}
	*out = latencies;
	*nr = arg->out_nr_records;
	return 0;
}

/* @arg: all of it but the events */
static int td_latency_start(const struct topdown *td, uint64_t events,
			    struct topdown_latency_start *arg, struct topdown_latencies **out,
			    unsigned int *nr)
{
	struct topdown_latencies *latencies;
	struct td_request request;
	int ret;

	if (!events)
		return -EINVAL;
	if (events & ~td_latency_known(td))
		return -EOPNOTSUPP;
	td_latency_request(td, events, &request);
	latencies = calloc(1, sizeof(*latencies));
	if (!latencies)
		return -ENOMEM;
	memcpy(latencies->number, request.number, sizeof(latencies->number));
	arg->events = (uintptr_t)request.event;
	arg->nr_events = request.nr;
	arg->event_size = sizeof(request.event[0]);
	ret = td_latency_begin(td, arg, latencies, out, nr);
	arg->events = 0;
	return ret;
}

TD_API int topdown_latencies_start(struct topdown *td, const uint64_t *cpus, unsigned int words,
				   uint64_t events, struct topdown_latencies **out,
				   unsigned int *nr)
{
	struct topdown_latency_start arg = {
		.size = sizeof(arg),
		.cpus = (uintptr_t)cpus,
		.cpus_words = words,
	};
	int ret;

	ret = td_check_set(cpus, words);
	return ret ? ret : td_latency_start(td, events, &arg, out, nr);
}

TD_API int topdown_latencies_start_tasks(struct topdown *td, int session, uint64_t events,
					 struct topdown_latencies **out, unsigned int *nr)
{
	struct topdown_latency_start arg = {
		.size = sizeof(arg),
		.flags = TOPDOWN_LATENCY_START_TASKS,
		.session = session,
	};

	return td_latency_start(td, events, &arg, out, nr);
}

TD_API int topdown_latencies_start_raw(struct topdown *td, const uint64_t *cpus, unsigned int words,
				       int session, const struct topdown_latency_event *events,
				       unsigned int nr_events, size_t size,
				       struct topdown_latencies **out, unsigned int *nr)
{
	struct topdown_latency_start arg = {
		.size = sizeof(arg),
		.flags = session != -1 ? TOPDOWN_LATENCY_START_TASKS : 0,
		.cpus = (uintptr_t)cpus,
		.cpus_words = words,
		.session = session != -1 ? session : 0,
		.events = (uintptr_t)events,
		.nr_events = nr_events,
		.event_size = size,
	};
	struct topdown_latencies *latencies;
	int ret;

	ret = td_check_set(cpus, words);
	if (ret)
		return ret;
	if (size > UINT32_MAX)
		return -E2BIG;
	latencies = calloc(1, sizeof(*latencies));
	if (!latencies)
		return -ENOMEM;
	latencies->raw = true;
	return td_latency_begin(td, &arg, latencies, out, nr);
}

TD_API int topdown_latencies_fd(const struct topdown_latencies *latencies)
{
	return latencies->fd;
}

/* From the module's numbers, which are those of the session, to the library's. */
static int td_latency_number(const struct topdown_latencies *latencies, void *records, size_t size,
			     unsigned int nr)
{
	struct topdown_latency_record *record;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		record = (void *)((char *)records + i * size);
		if (record->event >= latencies->nr_events)
			return -EPROTO;
		if (!latencies->raw)
			record->event = latencies->number[record->event];
	}
	return 0;
}

TD_API int topdown_latencies_read(const struct topdown_latencies *latencies,
				  struct topdown_latency_record *records, size_t size,
				  unsigned int *nr)
{
	struct topdown_latency_read arg = {
		.size = sizeof(arg),
		.records = (uintptr_t)records,
		.nr_records = *nr,
		.record_size = size,
	};
	bool fits;
	int ret;

	if (size < TD_LATENCY_RECORD_SIZE_MIN)
		return -EINVAL;
	if (size > UINT32_MAX)
		return -E2BIG;
	ret = td_latency_ioctl(latencies->fd, TOPDOWN_LATENCY_READ, &arg);
	if (ret && ret != -EMSGSIZE)
		return ret;
	fits = arg.nr_records <= *nr;
	if (fits == (ret == -EMSGSIZE))
		return -EPROTO;
	*nr = arg.nr_records;
	return ret ? ret : td_latency_number(latencies, records, size, *nr);
}

TD_API void topdown_latencies_end(struct topdown_latencies *latencies)
{
	if (!latencies)
		return;
	if (latencies->fd >= 0)
		close(latencies->fd);
	free(latencies);
}
