// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency: how long instructions take to retire, by event.
 */
#include "latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "columns.h"
#include "events.h"
#include "message.h"
#include "ticker.h"

static int print_list(struct latency_options *options, struct topdown *td)
{
	uint64_t events;
	unsigned int refusal, i;
	int ret;

	ret = topdown_latency_events(td, &events, &refusal);
	if (ret)
		return events_unanswered(options->device, -ret);
	if (refusal)
		return message_fail(EXIT_DEVICE, "this machine samples no latency: %s",
				    topdown_latency_refusal_text(refusal));
	for (i = 0; i < 64; i++) {
		if (events >> i & 1)
			puts(topdown_latency_event_name(i));
	}
	if (fflush(stdout))
		return message_write("standard output", errno);
	return 0;
}

static int make_room(struct latency_run *run)
{
	/* A sum comes before the CPUs of each event, and each of them and the tasks has nodes. */
	size_t most = (size_t)run->sampled.nr * (2 + COST_NODES) + COST_NODES;

	run->first = calloc(run->sampled.nr, sizeof(*run->first));
	run->then = calloc(run->sampled.nr, sizeof(*run->then));
	run->now = calloc(run->sampled.nr, sizeof(*run->now));
	run->rows = calloc(most, sizeof(*run->rows));
	run->own = calloc(most, sizeof(*run->own));
	if (run->first && run->then && run->now && run->rows && run->own)
		return 0;
	return message_fail(EXIT_RUNTIME, "cannot sample: %s", strerror(ENOMEM));
}

static int read_now(struct latency_run *run)
{
	int ret = 0;

	if (run->options->cost)
		ret = cost_read(run);
	if (ret)
		return ret;
	ret = latency_parts_read(&run->sampled, run->now);
	return ret ? events_unread(run->options->device, -ret) : 0;
}

static int print_interval(struct latency_options *options, struct interval *interval)
{
	struct output *output = &options->output;

	if (output->format != OUTPUT_TABLE)
		return output_interval(output, interval);
	latency_table(output, interval, options->cost);
	return output_flush(output);
}

static int print(struct latency_run *run)
{
	uint64_t now_ns = clock_now_ns();
	struct interval interval = {
		.time = clock_epoch(now_ns),
		.elapsed = (now_ns - run->start_ns) / (double)NS_PER_S,
		.length = (now_ns - run->then_ns) / (double)NS_PER_S,
		.nr = latency_rows(run),
		.row = run->rows,
		.tasks = run->tasks.nr,
	};
	struct topdown_latency_record *swap = run->then;

	run->then = run->now;
	run->now = swap;
	run->then_ns = now_ns;
	cost_next(run);
	return print_interval(run->options, &interval);
}

static int follow(struct latency_run *run)
{
	const struct latency_options *options = run->options;
	enum ticker_event event;
	uint64_t printed = 0;
	int ret;

	ticker_start(&run->ticker, run->start_ns, options->interval_ms * NS_PER_MS,
		     options->timeout_ms * NS_PER_MS);
	do {
		event = latency_wait(run);
		if (event == TICKER_ERROR)
			return message_fail(EXIT_RUNTIME, "cannot wait: %s", strerror(errno));
		ret = read_now(run);
		if (!ret)
			ret = print(run);
		printed++;
	} while (!ret && event == TICKER_INTERVAL && printed != options->count);
	if (ret || event != TICKER_SIGNAL ||
	    (run->signal == SIGINT && !options->count && !options->timeout_ms))
		return ret;
	return EXIT_SIGNAL + run->signal;
}

/* Tasks have all that they did before the first look, and CPUs have nothing of it. */
static void begin(struct latency_run *run)
{
	unsigned int i;

	for (i = 0; i < run->sampled.nr; i++) {
		if (!run->tasks.nr)
			run->then[i] = run->now[i];
		run->then[i].event = run->now[i].event;
		run->then[i].cpu = run->now[i].cpu;
		run->first[i] = run->then[i];
	}
	if (!run->tasks.nr)
		cost_next(run);
	run->start_ns = clock_now_ns();
	run->then_ns = run->start_ns;
}

/* The samples until a failure or a signal are saved, too. */
static int save(struct latency_run *run)
{
	unsigned int nr = latency_sums(run);

	return save_write(&run->save, topdown_info_get(run->td), run->now, nr);
}

/* All that can be refused comes before the command runs. */
static int prepare(struct latency_run *run)
{
	int ret = 0;

	if (run->options->save)
		ret = save_prepare(&run->save, run->options->save,
				   fileno(run->options->output.file));
	if (!ret && run->options->cost)
		ret = cost_begin(run);
	if (!ret)
		ret = latency_start(run);
	if (!ret)
		ret = make_room(run);
	if (!ret)
		ret = read_now(run);
	if (ret && run->command.pid)
		command_cancel(&run->command);
	return ret;
}

static int sample(struct latency_run *run)
{
	int ret = prepare(run), saved;

	if (ret)
		return ret;
	begin(run);
	if (run->command.pid)
		ret = latency_execute(run);
	if (ret)
		return ret;
	ret = output_begin(&run->options->output);
	if (!ret)
		ret = follow(run);
	saved = run->save.path ? save(run) : 0;
	return ret ? ret : saved;
}

/*
 * Why there is nothing to sample.
 * @error: errno with which the device cannot be opened
 * @refusal: of the machine, without @error
 */
struct nothing {
	int error;
	unsigned int refusal;
};

static uint64_t known_events(const struct latency_options *options)
{
	uint64_t events = 0;
	unsigned int i;

	for (i = 0; i < KNOWN_EVENTS; i++) {
		if (options->known[i].source)
			events |= 1ULL << i;
	}
	return events;
}

static int print_rows_known(struct latency_run *run, uint64_t events)
{
	struct interval interval = { .time = clock_epoch(clock_now_ns()) };
	int ret;

	run->rows = calloc(KNOWN_EVENTS, sizeof(*run->rows));
	run->own = calloc(KNOWN_EVENTS, sizeof(*run->own));
	if (!run->rows || !run->own)
		return message_fail(EXIT_RUNTIME, "cannot show latencies: %s", strerror(ENOMEM));
	interval.row = run->rows;
	interval.nr = latency_rows_known(run, events);
	ret = output_begin(&run->options->output);
	return ret ? ret : print_interval(run->options, &interval);
}

/* A machine that samples nothing: what is known of the events, once.  @why: as of only_known() */
static int print_known(struct latency_run *run, const struct nothing *why)
{
	const struct latency_options *options = run->options;
	uint64_t events = known_events(options);

	if (options->events || options->nr_raw)
		events &= options->events;
	if (why->error)
		message_note("cannot open %s_latency: %s ('modprobe topdown_latency' loads the module, which samples)",
			     options->device, strerror(why->error));
	else
		message_note("this machine samples no latency: %s",
			     topdown_latency_refusal_text(why->refusal));
	if (events)
		return print_rows_known(run, events);
	if (options->table.path)
		message_error("the table has no latencies of these events%s", options->published ?
			      ", and nobody has published any for this CPU model" : "");
	else
		message_error("nobody has published latencies of these events for this CPU model");
	return EXIT_DEVICE;
}

/* Is there nothing to sample, and something to show all the same? */
static bool only_known(const struct latency_run *run, struct nothing *why)
{
	const struct latency_options *options = run->options;
	uint64_t events;

	if ((!options->published && !options->table.path) || options->cost || options->save ||
	    options->tasks || options->argv)
		return false;
	why->error = -topdown_latency_events(run->td, &events, &why->refusal);
	return why->error == ENOENT || (!why->error && why->refusal);
}

/* Signals are blocked from here on, but not for the command. */
static int sample_all(struct latency_run *run)
{
	int ret, status;

	ret = ticker_open(&run->ticker);
	if (ret) {
		message_error("cannot wait: %s", strerror(-ret));
		return command_failure(run->options->argv, EXIT_RUNTIME);
	}
	ret = command_failure(run->options->argv, sample(run));
	if (run->command.pid) {
		status = latency_outlast(run);
		ret = status ? status : ret;
	}
	ticker_close(&run->ticker);
	return ret;
}

static int run_all(struct latency_run *run)
{
	struct latency_options *options = run->options;
	struct nothing why = { .error = 0 };
	bool known = only_known(run, &why);
	int ret, closed;

	if (options->argv)
		command_prepare(&run->command, options->argv);
	signal(SIGPIPE, SIG_IGN);
	ret = output_open(&options->output, options->path, options->append);
	if (ret)
		return command_failure(run->options->argv, ret);
	ret = known ? print_known(run, &why) : sample_all(run);
	closed = output_close(&options->output);
	return ret ? ret : command_failure(run->options->argv, closed);
}

int latency_main(int argc, char **argv)
{
	static struct latency_options options;
	struct latency_run run = { .options = &options };
	bool done;
	int ret;

	ret = latency_parse(&options, argc, argv, &done);
	if (ret || done)
		return ret;
	ret = topdown_open(&run.td, options.device);
	if (ret)
		return command_failure(options.argv, events_unopened(options.device, -ret));
	run.tasks.td = run.td;
	run.tasks.device = options.device;
	known_foreign(&options.table, topdown_info_get(run.td));
	if (options.published)
		known_publish(options.known, topdown_info_get(run.td));
	if (options.list)
		ret = print_list(&options, run.td);
	else
		ret = run_all(&run);
	cost_end(&run);
	latency_stop(&run);
	tasks_detach(&run.tasks);
	free(run.first);
	free(run.then);
	free(run.now);
	free(run.rows);
	free(run.own);
	free(run.save.path);
	topdown_close(run.td);
	return ret;
}
