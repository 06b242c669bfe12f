// SPDX-License-Identifier: GPL-2.0
/*
 * topdown watch: say when nodes cross thresholds.
 */
#include "watch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "columns.h"
#include "message.h"
#include "refusal.h"

/* The first signal; its handler ends the wait. */
static volatile sig_atomic_t signalled;
static struct topdown *waiting;

static void end_wait(int signal)
{
	signalled = signal;
	topdown_watch_cancel(waiting);
}

/* A signal that the parent ignores stays ignored. */
static void catch_signals(void)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = end_wait }, now;
	size_t i;

	for (i = 0; i < sizeof(handled) / sizeof(handled[0]); i++) {
		if (!sigaction(handled[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(handled[i], &action, NULL);
	}
	/* A write reports that a reader has gone. */
	signal(SIGPIPE, SIG_IGN);
}

static int add_error(const struct watch_options *options, const struct watched *watched, int error)
{
	switch (error) {
	case EOPNOTSUPP:
		return message_fail(EXIT_DEVICE, "cannot watch %s through %s: no CPU of this machine has it, or the loaded module is too old ('topdown info' says which)",
				    watched->node == TOPDOWN_WATCH_ANY ? "windows" :
				    topdown_node_name(watched->node),
				    options->device);
	case EINVAL:
		return message_fail(EXIT_USAGE, "cannot watch through %s: %s (does -C name a CPU that the machine cannot have?)",
				    options->device, strerror(error));
	case ENOSPC:
		return message_fail(EXIT_RUNTIME, "cannot watch through %s: %s (a user without CAP_PERFMON may have at most 64 watches)",
				    options->device, strerror(error));
	}
	return refusal_read(options->device, error);
}

static int add_watches(const struct watch_options *options, struct topdown *td)
{
	static const struct watched windows = { .node = TOPDOWN_WATCH_ANY };
	unsigned int i, nr = options->nr ? options->nr : 1;
	uint32_t number;
	int ret;

	if (options->has_cpus && !cpulist_there(&options->cpus, "-C", td, true))
		return EXIT_USAGE;
	for (i = 0; i < nr; i++) {
		const struct watched *watched = options->nr ? &options->watched[i] : &windows;
		struct topdown_watch what = {
			.size = sizeof(what),
			.node = watched->node,
			.ratio = watched->ratio,
			.hold_ms = options->hold_ms,
			.min_slots = options->min_slots,
			.flags = (watched->below ? TOPDOWN_WATCH_BELOW : 0) |
				 (options->sum ? TOPDOWN_WATCH_SUM : 0) |
				 (options->back ? TOPDOWN_WATCH_BACK : 0),
		};

		ret = topdown_watch_add(td, options->has_cpus ? options->cpus.words : NULL,
					options->has_cpus ? CPULIST_WORDS : 0, &what, &number);
		if (ret)
			return add_error(options, watched, -ret);
	}
	return 0;
}

static void put_line(const struct output *output, const struct watch_row *row, double at)
{
	const struct topdown_event *event = row->event;
	const struct watched *watched = row->watched;
	time_t seconds = at;
	struct tm local;
	char clock[16] = "?", cpu[16] = "all", what[64] = "window";

	if (localtime_r(&seconds, &local))
		strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	if (event->cpu != TOPDOWN_CPU_ALL)
		snprintf(cpu, sizeof(cpu), "%u", event->cpu);
	if (watched)
		snprintf(what, sizeof(what), "%s%c%g", topdown_node_name(watched->node),
			 watched->below ? '<' : '>', watched->ratio * 100.0 / TOPDOWN_RATIO_ONE);
	fprintf(output->file, "%s.%03u %5s %-9s %6llu ", clock,
		(unsigned int)((at - seconds) * 1000), cpu,
		!watched ? "closed" : event->flags & TOPDOWN_EVENT_BACK ? "back" : "beyond",
		(unsigned long long)event->count);
	if (event->ratio == TOPDOWN_RATIO_NONE)
		fputs("     - ", output->file);
	else
		fprintf(output->file, "%6.1f ", event->ratio * 100.0 / TOPDOWN_RATIO_ONE);
	fprintf(output->file, "%s\n", what);
}

static int print(struct watch_options *options, const struct topdown_event *event)
{
	struct output *output = &options->output;
	struct watch_row own = { .event = event };
	struct row row = {
		.kind = ROW_EVENT,
		.cpu = event->cpu,
		.core_id = -1,
		.socket = -1,
		.numa = -1,
		.own = &own,
	};
	struct interval interval = {
		.time = clock_epoch(event->time_ns),
		.nr = 1,
		.row = &row,
	};

	if (event->watch && event->watch <= options->nr)
		own.watched = &options->watched[event->watch - 1];
	if (output->format != OUTPUT_TABLE)
		return output_interval(output, &interval);
	if (!output->started && output->header)
		fprintf(output->file, "%-12s %5s %-9s %6s %6s %s\n", "time", "CPU", "event",
			"times", "%", "of");
	output->started = true;
	put_line(output, &own, interval.time);
	return output_flush(output);
}

/* The time that is left to wait; -1 for ever. */
static int left_ms(const struct watch_options *options, uint64_t start_ns)
{
	uint64_t gone_ms = (clock_now_ns() - start_ns) / NS_PER_MS;

	if (!options->timeout_ms)
		return -1;
	return gone_ms < options->timeout_ms ? options->timeout_ms - gone_ms : 0;
}

/* The exit code after a signal, as in topdown stat. */
static int signal_status(const struct watch_options *options)
{
	if (signalled == SIGINT && !options->count && !options->timeout_ms)
		return EXIT_OK;
	return EXIT_SIGNAL + signalled;
}

static int watch(struct watch_options *options, struct topdown *td)
{
	uint64_t start_ns = clock_now_ns(), printed = 0;
	struct topdown_event event;
	int ret;

	do {
		ret = topdown_watch_wait(td, left_ms(options, start_ns), &event, sizeof(event));
		if (signalled)
			return signal_status(options);
		if (ret == -EAGAIN && !left_ms(options, start_ns))
			return options->count ? EXIT_TIMED_OUT : EXIT_OK;
		if (ret == -EAGAIN || ret == -EINTR)
			continue;
		if (ret)
			return refusal_read(options->device, -ret);
		ret = print(options, &event);
		if (ret)
			return ret;
		printed++;
		/* Events that come faster than they are printed must not hide the end. */
		if (printed != options->count && !left_ms(options, start_ns))
			return options->count ? EXIT_TIMED_OUT : EXIT_OK;
	} while (printed != options->count || !options->count);
	return EXIT_OK;
}

int watch_main(int argc, char **argv)
{
	static struct watch_options options;
	struct topdown *td;
	bool done;
	int ret;

	ret = watch_parse(&options, argc, argv, &done);
	if (ret || done)
		return ret;
	ret = topdown_open(&td, options.device);
	if (ret)
		return refusal_open(options.device, -ret);
	waiting = td;
	catch_signals();
	ret = add_watches(&options, td);
	if (!ret)
		ret = watch(&options, td);
	/* From here on a signal has no wait to end. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	topdown_close(td);
	return ret;
}
