// SPDX-License-Identifier: GPL-2.0
/*
 * topdown where: samples of perf, in the time in which the module counts.
 */
#include "where.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "points.h"
#include "refusal.h"
#include "rights.h"
#include "symbols.h"
#include "ticker.h"

/* How often records are taken; turns of events are longer. */
#define STEP_MS		20
#define CHAIN_MAX	64
/* Then look at signals and at the end again, however fast programs make records. */
#define BUSY_MS		500

static const char *advice(int error, bool cpus)
{
	switch (error) {
	case EACCES:
	case EPERM:
		if (cpus)
			return "it needs CAP_PERFMON, or kernel.perf_event_paranoid 0 or less";
		return "it needs CAP_PERFMON, or kernel.perf_event_paranoid 2 or less, 1 for IBS";
	case ENODEV:
		return "no event is known that locates these nodes on this processor";
	case EOPNOTSUPP:
	case ENOENT:
	case EINVAL:
		return "the processor or its hypervisor has no PEBS or IBS ('topdown stat' counts)";
	case EMFILE:
	case ENFILE:
		return "too many descriptors: raise 'ulimit -n', or sample fewer CPUs by -C";
	case EBUSY:
		return "somebody else has the counters or IBS";
	default:
		return "the kernel refuses the samples";
	}
}

static int open_stalls(struct where_run *run)
{
	const struct where_options *options = run->options;
	struct topdown_stall_options wanted = {
		.nodes = options->nodes,
		.rate = options->rate,
		.flags = TOPDOWN_STALLS_MAPS | TOPDOWN_STALLS_REST_SMALL,
	};
	unsigned int source = topdown_info_get(run->td)->out_source;
	int ret;

	/* Where the nodes themselves need the counters, take two, for loads and their leader. */
	if (source == TOPDOWN_SOURCE_GENERIC || source == TOPDOWN_SOURCE_FALLBACK)
		wanted.together = 2;
	/* Most groups of the nodes do not fit beside these either, so leave them time as well. */
	if (source != TOPDOWN_SOURCE_PERF_METRICS && source != TOPDOWN_SOURCE_MIXED)
		wanted.flags |= TOPDOWN_STALLS_REST;
	if (options->user)
		wanted.flags |= TOPDOWN_STALLS_USER;
	if (options->folded)
		wanted.flags |= TOPDOWN_STALLS_CHAINS;
	if (options->argv) {
		wanted.pid = run->command.pid;
		wanted.flags |= TOPDOWN_STALLS_EXEC;
	} else if (options->pid) {
		wanted.pid = options->pid;
	}
	ret = topdown_stalls_open(&run->stalls, options->has_cpus ? options->cpus.words : NULL,
				  CPULIST_WORDS, &wanted, sizeof(wanted));
	if (!ret)
		return 0;
	return message_fail(EXIT_DEVICE, "where: cannot sample: %s (%s)", strerror(-ret),
			    advice(-ret, where_of_cpus(run)));
}

static int no_memory(void)
{
	return message_fail(EXIT_RUNTIME, "where: %s", strerror(ENOMEM));
}

static int take_changes(struct where_run *run)
{
	struct topdown_stalls_map change;
	const char *name;

	while (!topdown_stalls_map_next(run->stalls, &change, sizeof(change), &name)) {
		if (where_symbols_change(run->symbols, &change, name))
			return no_memory();
	}
	return 0;
}

static int take_stack(struct where_run *run, const struct topdown_stall *stall,
		      const struct where_place *place)
{
	struct where_place places[CHAIN_MAX + 1] = { *place };
	unsigned int i, nr, used = 1;
	const __u64 *ips;

	nr = topdown_stalls_chain(run->stalls, &ips);
	/* The first of a chain is the instruction itself, or one near it. */
	for (i = 1; i < nr && used <= CHAIN_MAX; i++) {
		if (where_symbols_place(run->symbols, stall, ips[i] ? ips[i] - 1 : 0,
					&places[used++]))
			return -ENOMEM;
	}
	return where_points_add_stack(run->points, stall, places, used);
}

static int take_record(struct where_run *run, const struct topdown_stall *stall)
{
	struct where_place place;
	int ret;

	if (!(stall->has & TOPDOWN_STALL_HAS_IP))
		return 0;
	run->records++;
	ret = where_symbols_place(run->symbols, stall, stall->ip, &place);
	if (!ret)
		ret = where_points_add(run->points, stall, &place);
	if (!ret && run->options->folded)
		ret = take_stack(run, stall, &place);
	return ret ? no_memory() : 0;
}

/* All records that there are now, or those until a time. */
static int take_records(struct where_run *run, uint64_t until_ns)
{
	struct topdown_stall stall;
	int ret = 0;

	while (!ret) {
		ret = topdown_stalls_next(run->stalls, 0, &stall, sizeof(stall));
		if (ret == -EAGAIN)
			return take_changes(run);
		if (ret && ret != -EINTR)
			return message_fail(EXIT_RUNTIME, "where: cannot read samples: %s",
					    strerror(-ret));
		ret = ret ? 0 : take_changes(run);
		if (!ret)
			ret = take_record(run, &stall);
		if (clock_now_ns() >= until_ns)
			break;
	}
	return ret;
}

/* A signal from a process is meant for the command as well; the terminal sends its own. */
static bool is_end(struct where_run *run, const struct ticker *ticker, enum ticker_event event)
{
	switch (event) {
	case TICKER_SIGNAL:
		if (!run->options->argv)
			return true;
		if (ticker->from_process)
			command_signal(&run->command, run->signal);
		return false;
	case TICKER_END:
		return true;
	case TICKER_TARGET:
		return true;
	default:
		return false;
	}
}

static bool process_has_ended(const struct where_run *run)
{
	struct topdown_session session;

	return run->options->pid &&
	       !topdown_session_read(run->session, 0, &session, sizeof(session)) &&
	       session.out_state == TOPDOWN_SESSION_STATE_EXITED;
}

static int follow(struct where_run *run, struct ticker *ticker)
{
	enum ticker_event event;
	int ret;

	ticker->target = run->options->argv ? run->command.exited : -1;
	ticker->target_events = POLLIN;
	ticker_start(ticker, run->start_ns, STEP_MS * NS_PER_MS,
		     run->options->timeout_ms * NS_PER_MS);
	do {
		event = ticker_wait(ticker, clock_now_ns(), &run->signal);
		if (event == TICKER_ERROR)
			return message_fail(EXIT_RUNTIME, "where: cannot wait: %s",
					    strerror(errno));
		ret = take_records(run, clock_now_ns() + BUSY_MS * NS_PER_MS);
	} while (!ret && !is_end(run, ticker, event) && !process_has_ended(run));
	return ret;
}

static int sample(struct where_run *run, struct ticker *ticker)
{
	int ret;

	ret = follow(run, ticker);
	topdown_stalls_stop(run->stalls);
	run->seconds = (double)(clock_now_ns() - run->start_ns) / NS_PER_S;
	if (!ret)
		ret = where_figures_end(run);
	/* There will be no more of them. */
	if (!ret)
		ret = take_records(run, UINT64_MAX);
	return ret;
}

static int measure_command(struct where_run *run, struct ticker *ticker)
{
	const unsigned int flags = TOPDOWN_ATTACH_DISABLED | TOPDOWN_ATTACH_ON_EXEC |
				   TOPDOWN_ATTACH_CHILDREN;
	int ret;

	ret = command_begin(&run->command, run->td, run->options->device, flags);
	if (ret)
		return ret;
	ret = where_figures_begin(run);
	if (!ret)
		ret = open_stalls(run);
	if (ret) {
		command_cancel(&run->command);
		return ret;
	}
	ret = command_execute(&run->command);
	if (ret)
		return ret;
	run->start_ns = run->command.start_ns;
	ret = sample(run, ticker);
	if (!ret)
		ret = where_report(run);
	/* It goes on after --timeout. */
	command_outlast(&run->command, ticker, &run->signal);
	run->status = command_end(&run->command);
	return ret;
}

static int measure_others(struct where_run *run, struct ticker *ticker)
{
	int ret;

	ret = open_stalls(run);
	if (!ret)
		ret = where_figures_begin(run);
	if (ret)
		return ret;
	run->start_ns = clock_now_ns();
	if (!run->options->timeout_ms && !run->options->quiet && isatty(STDERR_FILENO))
		message_note("sampling until Ctrl-C, which ends and prints");
	ret = sample(run, ticker);
	if (!ret)
		ret = where_report(run);
	if (!ret && run->signal && run->signal != SIGINT)
		return EXIT_SIGNAL + run->signal;
	return ret;
}

static int measure(struct where_run *run)
{
	struct ticker ticker;
	int ret;

	if (run->options->argv)
		command_prepare(&run->command, run->options->argv);
	signal(SIGPIPE, SIG_IGN);
	ret = ticker_open(&ticker);
	if (ret)
		return message_fail(EXIT_RUNTIME, "cannot set up signals: %s", strerror(-ret));
	run->points = where_points_new();
	run->symbols = where_symbols_new(!run->options->user);
	if (!run->points || !run->symbols)
		ret = no_memory();
	else
		ret = run->options->argv ? measure_command(run, &ticker) :
					   measure_others(run, &ticker);
	ticker_close(&ticker);
	return ret;
}

static int check_module(const struct where_run *run)
{
	const struct where_options *options = run->options;
	const struct topdown_info *info = topdown_info_get(run->td);

	if (!info->out_level)
		return message_fail(EXIT_DEVICE, "no CPU of this machine can be measured ('topdown info' and the kernel log say why)");
	if (!options->pid && !options->argv && !(info->out_flags & TOPDOWN_INFO_MAY_READ)) {
		rights_explain(RIGHTS_CPUS);
		return EXIT_DEVICE;
	}
	if (options->has_cpus && !cpulist_there(&options->cpus, "-C", run->td, false))
		return EXIT_USAGE;
	return 0;
}

/**
 * where_main - topdown where
 * @argc: number of @argv
 * @argv: name of the subcommand and its arguments
 *
 * Return: exit code.
 */
int where_main(int argc, char **argv)
{
	struct where_options options;
	struct where_run run = { .options = &options };
	bool done;
	int ret;

	ret = where_parse(&options, argc, argv, &done);
	if (ret || done)
		return ret;
	ret = topdown_open(&run.td, options.device);
	if (ret)
		return command_failure(options.argv, refusal_open(options.device, -ret));
	ret = check_module(&run);
	if (!ret)
		ret = measure(&run);
	topdown_stalls_close(run.stalls);
	where_points_free(run.points);
	where_symbols_free(run.symbols);
	topdown_reading_destroy(run.then);
	topdown_reading_destroy(run.now);
	topdown_close(run.td);
	return run.status ? run.status : command_failure(options.argv, ret);
}
