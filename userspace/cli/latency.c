// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency: how long instructions take to retire, by event.
 */
#include "latency.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "columns.h"
#include "report.h"
#include "ticker.h"

/**
 * struct latency_run - one run
 * @options: the command line
 * @td: device
 * @ticker: ends of intervals
 * @latency: number of the session
 * @nr: number of records
 * @then: records of the start of the interval
 * @now: records of its end
 * @rows: the records as rows, and a sum for each event
 * @shown: what the rows say
 * @start_ns: start of the run
 * @then_ns: start of the interval
 * @signal: signal that ended the run; 0 for none
 */
struct latency_run {
	struct latency_options *options;
	struct topdown *td;
	struct ticker ticker;
	uint32_t latency;
	unsigned int nr;
	struct topdown_latency_record *then;
	struct topdown_latency_record *now;
	struct row *rows;
	struct topdown_latency_record *shown;
	uint64_t start_ns;
	uint64_t then_ns;
	int signal;
};

static int print_list(struct latency_options *options, struct topdown *td)
{
	uint64_t events;
	unsigned int refusal, i;
	int ret;

	ret = topdown_latency_events(td, &events, &refusal);
	if (ret)
		return report_read(options->device, -ret);
	if (refusal) {
		report_error("this machine samples no latency: %s",
			     topdown_latency_refusal_text(refusal));
		return EXIT_DEVICE;
	}
	for (i = 0; i < 64; i++) {
		if (events >> i & 1 && topdown_latency_event_name(i))
			puts(topdown_latency_event_name(i));
	}
	return output_flush(&options->output);
}

static int missing(uint64_t events)
{
	report_error("this CPU model has no event %s ('topdown latency --list' prints those that it has)",
		     topdown_latency_event_name(__builtin_ctzll(events)));
	return EXIT_DEVICE;
}

static int start_error(const struct latency_options *options, int error)
{
	switch (error) {
	case EOPNOTSUPP:
		report_error("cannot sample through %s: the kernel's driver refuses the event, or none of these CPUs is a measured P-core",
			     options->device);
		return EXIT_DEVICE;
	case EINVAL:
		report_error("cannot sample through %s: %s (does -C name a CPU that the machine cannot have?)",
			     options->device, strerror(error));
		return EXIT_USAGE;
	}
	return report_read(options->device, error);
}

static int start(struct latency_run *run)
{
	const struct latency_options *options = run->options;
	uint64_t events, wanted;
	unsigned int refusal;
	int ret;

	ret = topdown_latency_events(run->td, &events, &refusal);
	if (ret)
		return report_read(options->device, -ret);
	if (refusal) {
		report_error("this machine samples no latency: %s",
			     topdown_latency_refusal_text(refusal));
		return EXIT_DEVICE;
	}
	wanted = options->events ? options->events : events;
	if (wanted & ~events)
		return missing(wanted & ~events);
	ret = topdown_latency_start(run->td, options->has_cpus ? options->cpus.words : NULL,
				    options->has_cpus ? CPULIST_WORDS : 0, wanted, &run->latency,
				    &run->nr);
	return ret ? start_error(options, -ret) : 0;
}

static int make_room(struct latency_run *run)
{
	/* A sum comes before the CPUs of each event. */
	size_t most = (size_t)run->nr * 2;

	run->then = calloc(run->nr, sizeof(*run->then));
	run->now = calloc(run->nr, sizeof(*run->now));
	run->rows = calloc(most, sizeof(*run->rows));
	run->shown = calloc(most, sizeof(*run->shown));
	if (run->then && run->now && run->rows && run->shown)
		return 0;
	report_error("cannot sample: %s", strerror(ENOMEM));
	return EXIT_RUNTIME;
}

static int read_now(struct latency_run *run)
{
	unsigned int nr = run->nr;
	int ret;

	ret = topdown_latency_read(run->td, run->latency, run->now, sizeof(*run->now), &nr);
	return ret ? report_read(run->options->device, -ret) : 0;
}

static void set_row(struct row *row, const struct topdown_latency_record *record)
{
	*row = (struct row){
		.kind = record->cpu == TOPDOWN_CPU_ALL ? ROW_ALL : ROW_CPU,
		.cpu = record->cpu,
		.core_id = -1,
		.socket = -1,
		.numa = -1,
		.latency = record,
	};
}

/* Fill the rows: of each event the sum, and with -A its CPUs. */
static unsigned int fill_rows(struct latency_run *run)
{
	struct topdown_latency_record *sum = NULL;
	unsigned int i, n = 0;

	for (i = 0; i < run->nr; i++) {
		struct topdown_latency_record part;

		if (!sum || run->now[i].event != sum->event) {
			sum = &run->shown[n];
			*sum = (struct topdown_latency_record){ .cpu = TOPDOWN_CPU_ALL };
			set_row(&run->rows[n++], sum);
		}
		/* A CPU of the session is never sampled anew. */
		if (topdown_latency_between(&run->then[i], &run->now[i], &part))
			part = run->now[i];
		topdown_latency_add(sum, &part);
		if (!run->options->each)
			continue;
		run->shown[n] = part;
		set_row(&run->rows[n], &run->shown[n]);
		n++;
	}
	return n;
}

static void put_number(FILE *file, int width, double number, int digits)
{
	if (isnan(number))
		fprintf(file, " %*s", width, "-");
	else
		fprintf(file, " %*.*f", width, digits, number);
}

static void put_line(FILE *file, const struct topdown_latency_record *record)
{
	double none = record->samples ? 0 : (double)NAN;
	char cpu[16] = "all";

	if (record->cpu != TOPDOWN_CPU_ALL)
		snprintf(cpu, sizeof(cpu), "%" PRIu32, record->cpu);
	fprintf(file, "%-37s %4s %8llu", topdown_latency_event_name(record->event), cpu,
		(unsigned long long)record->samples);
	put_number(file, 9, topdown_latency_mean(record), 2);
	put_number(file, 9, sqrt(topdown_latency_variance(record)), 2);
	put_number(file, 6, record->min + none, 0);
	put_number(file, 8, topdown_latency_quantile(record, 0.5), 1);
	put_number(file, 8, topdown_latency_quantile(record, 0.9), 1);
	put_number(file, 8, topdown_latency_quantile(record, 0.99), 1);
	put_number(file, 6, record->max + none, 0);
	put_number(file, 5, record->elapsed_ns ?
		   record->running_ns * 100.0 / record->elapsed_ns : (double)NAN, 1);
	fprintf(file, "%s\n", record->flags & TOPDOWN_LATENCY_AWAY ? " aside" : "");
}

static void put_table(struct output *output, const struct interval *interval)
{
	unsigned int i;

	if (output->header) {
		fprintf(output->file, "%selapsed %.3f s, interval %.3f s; cycles\n",
			output->started ? "\n" : "", interval->elapsed, interval->length);
		fprintf(output->file, "%-37s %4s %8s %9s %9s %6s %8s %8s %8s %6s %5s\n", "event",
			"CPU", "samples", "mean", "dev", "min", "p50", "p90", "p99", "max", "run%");
	}
	for (i = 0; i < interval->nr; i++)
		put_line(output->file, interval->row[i].latency);
	output->started = true;
}

static int print(struct latency_run *run)
{
	struct output *output = &run->options->output;
	uint64_t now_ns = clock_now_ns();
	struct interval interval = {
		.time = clock_epoch(now_ns),
		.elapsed = (now_ns - run->start_ns) / (double)NS_PER_S,
		.length = (now_ns - run->then_ns) / (double)NS_PER_S,
		.nr = fill_rows(run),
		.row = run->rows,
	};
	struct topdown_latency_record *swap = run->then;

	run->then = run->now;
	run->now = swap;
	run->then_ns = now_ns;
	if (output->format != OUTPUT_TABLE)
		return output_interval(output, &interval);
	put_table(output, &interval);
	return output_flush(output);
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
		event = ticker_wait(&run->ticker, clock_now_ns(), &run->signal);
		if (event == TICKER_ERROR) {
			report_error("cannot wait: %s", strerror(errno));
			return EXIT_RUNTIME;
		}
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

static int sample(struct latency_run *run)
{
	int ret;

	ret = start(run);
	if (!ret)
		ret = make_room(run);
	if (!ret)
		ret = read_now(run);
	if (ret)
		return ret;
	memcpy(run->then, run->now, run->nr * sizeof(*run->then));
	run->start_ns = clock_now_ns();
	run->then_ns = run->start_ns;
	return follow(run);
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
		return report_open(options.device, -ret);
	if (options.list) {
		ret = print_list(&options, run.td);
		topdown_close(run.td);
		return ret;
	}
	ret = ticker_open(&run.ticker);
	if (ret) {
		report_error("cannot wait: %s", strerror(-ret));
		ret = EXIT_RUNTIME;
	} else {
		ret = sample(&run);
		ticker_close(&run.ticker);
	}
	free(run.then);
	free(run.now);
	free(run.rows);
	free(run.shown);
	topdown_close(run.td);
	return ret;
}
