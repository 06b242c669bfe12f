// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report: what a recording says.
 */
#include "recording-report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../kmod/metrics.h"
#include "clock.h"
#include "columns.h"
#include "message.h"
#include "options.h"
#include "parse.h"
#include "record.h"
#include "recording-page.h"
#include "windows.h"

enum {
	OPT_STEPS = OPTIONS_OWN,
	OPT_WINDOWS,
	OPT_LATENCY,
	OPT_PARTIAL,
	OPT_DIFF,
	OPT_HTML,
	OPT_TRACE,
	OPT_SCHEMA,
};

static const struct option long_options[] = {
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "steps", no_argument, NULL, OPT_STEPS },
	{ "windows", no_argument, NULL, OPT_WINDOWS },
	{ "latency", no_argument, NULL, OPT_LATENCY },
	{ "interval", required_argument, NULL, 'I' },
	{ "level", required_argument, NULL, 'l' },
	{ "diff", required_argument, NULL, OPT_DIFF },
	{ "html", required_argument, NULL, OPT_HTML },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "partial", no_argument, NULL, OPT_PARTIAL },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", required_argument, NULL, 'x' },
	{ "no-header", no_argument, NULL, OPTIONS_NO_HEADER },
	{ "schema", no_argument, NULL, OPT_SCHEMA },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const char usage[] =
	"Usage: topdown report [options] [FILE]\n"
	"\n"
	"Say where the pipeline slots of a recording went: in all, and over time, in steps of\n"
	"one length. FILE is what 'topdown record' wrote, - for standard input; the default is\n"
	RECORD_PATH ". A TIME is in milliseconds, or has a unit: 500ms, 2s, 1m.\n"
	"\n"
	"  -A, --no-aggr        a row for each CPU or task, after the row of all\n"
	"  -C, --cpu LIST       of a recording of CPUs only these, such as 0-3,8\n"
	"      --steps          print each step\n"
	"      --windows        print each window, as topdown history does\n"
	"      --latency        print the latencies, and no slots\n"
	"      --diff BEFORE    compare with the recording BEFORE, and say which differences\n"
	"                       are more than noise\n"
	"      --html PAGE      write a page for a browser to PAGE, or - for standard output\n"
	"      --trace TRACE    write a trace for Perfetto to TRACE, or - for standard output\n"
	"  -I, --interval TIME  length of a step (10..3600000 ms); default: the module's\n"
	"                       period, or the interval of the recording\n"
	"  -l, --level N        1 or 2; default: the highest that the recording has\n"
	"      --partial        read a file whose end is missing, as far as it goes\n"
	"  -j, --json           one JSON object a line\n"
	"  -x, --csv SEP        values separated by the character SEP\n"
	"      --no-header      no column headings\n"
	"      --schema         print the JSON Schema of the lines of -j\n"
	"  -h, --help           print this help\n"
	"\n"
	"Examples:\n"
	"  topdown report                    totals, and the bottleneck over time\n"
	"  topdown report -A -l 1            each CPU as well\n"
	"  topdown report --steps -x , before.data\n"
	"  topdown report --diff before.data after.data\n"
	"  topdown report -A --html page.html\n"
	"  topdown record -o - --timeout 9s | topdown report -\n";

static bool parse_path(const char **path, const char *option, const char *text)
{
	*path = text;
	if (*text)
		return true;
	message_error("%s: the file name is empty (allowed: a path to write to, or -)", option);
	return false;
}

static bool parse_option(struct report_options *options, int option)
{
	switch (option) {
	case 'A':
		options->each = true;
		return true;
	case 'C':
		options->choice.has_cpus = true;
		return cpulist_join(&options->choice.cpus, "-C", optarg);
	case OPT_STEPS:
		options->steps = true;
		return true;
	case OPT_WINDOWS:
		options->windows = true;
		return true;
	case OPT_LATENCY:
		options->latency = true;
		return true;
	case OPT_DIFF:
		options->diff = optarg;
		return true;
	case OPT_HTML:
		return parse_path(&options->html, "--html", optarg);
	case OPT_TRACE:
		return parse_path(&options->trace, "--trace", optarg);
	case 'I':
		return parse_time("-I", optarg, STEP_MIN_MS, STEP_MAX_MS, &options->step_ms);
	case 'l':
		return parse_number("-l", optarg, 1, 2, "levels", &options->level);
	case OPT_PARTIAL:
		options->choice.partial = true;
		return true;
	}
	return options_common(option, NULL, &options->output);
}

static bool refuse(const char *why)
{
	message_error("%s", why);
	return false;
}

static bool check_together(const struct report_options *options)
{
	unsigned int forms = options->steps + options->windows + !!options->diff +
			     !!options->html + !!options->trace;

	if (forms > 1)
		return refuse("--steps, --windows, --diff, --html and --trace exclude each other (allowed: one of them)");
	if ((options->html || options->trace) && options->output.format != OUTPUT_TABLE)
		return refuse("--html and --trace have a form of their own (allowed: without -j and -x)");
	if (options->trace && (options->each || options->step_ms))
		return refuse("--trace has each window of each CPU (allowed: without -A and -I)");
	if (options->diff && options->each)
		return refuse("--diff compares all of two recordings (allowed: without -A)");
	if (options->diff && !strcmp(options->diff, "-") && !strcmp(options->path, "-"))
		return refuse("standard input is one recording (allowed: one -)");
	if (options->latency && (options->windows || options->html || options->trace))
		return refuse("--latency prints latencies (allowed: without --windows, --html and --trace)");
	if (options->latency && options->steps && options->each)
		return refuse("--latency --steps is about all CPUs or tasks (allowed: without -A)");
	if (options->windows && (options->each || options->step_ms))
		return refuse("--windows prints the windows of each CPU as they are (allowed: without -A and -I)");
	return true;
}

static bool is_recording(const char *path)
{
	char magic[RECORD_MAGIC_SIZE] = "";
	struct stat st;
	FILE *file;

	/* Nobody waits for the other end of a pipe here. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fread(magic, 1, sizeof(magic), file) < sizeof(magic))
		magic[0] = '\0';
	fclose(file);
	return !memcmp(magic, RECORD_MAGIC, sizeof(magic));
}

/**
 * recording_target - open and empty the file that a page or a trace goes to
 * @output: output
 * @option: the option that names it
 * @path: file, or - for standard output
 *
 * A recording cannot be made again, so none is overwritten.
 *
 * Return: 0, or an exit code after a message.
 */
int recording_target(struct output *output, const char *option, const char *path)
{
	bool standard = !strcmp(path, "-");
	int ret;

	if (!standard && is_recording(path)) {
		message_error("%s: %s is a recording (allowed: another file, or -)", option, path);
		return EXIT_USAGE;
	}
	ret = output_open(output, standard ? NULL : path, false);
	return ret ? ret : output_begin(output);
}

static int no_memory(void)
{
	message_error("cannot report: %s", strerror(ENOMEM));
	return EXIT_RUNTIME;
}

/* Where the windows go that are printed. */
struct listing {
	const struct report_options *options;
	struct windows windows;
};

static int list_window(void *data, const struct recording *recording,
		       const struct recording_piece *piece)
{
	const struct record_window *from = piece->window;
	struct topdown_map_window window;
	struct listing *listing = data;
	unsigned int level;

	/* The open window has not closed, and history does not show it. */
	if (!from || !from->window.number)
		return 0;
	window = from->window;
	level = windows_level(&listing->options->output, listing->options->level, from->level);
	td_figures_ratios(&window.figures, window.nodes & td_nodes_of_level(level));
	if (windows_add(&listing->windows, recording_epoch(recording, window.time_ns),
			from->cpu, from->source, level, &window))
		return no_memory();
	return 0;
}

static int print_windows(struct report_options *options)
{
	struct listing listing = { .options = options };
	const struct recording_sink sink = { .piece = list_window, .data = &listing };
	struct recording recording;
	int ret;

	options->output.windows = true;
	ret = recording_read(&recording, options->path, &options->choice, &sink);
	if (!ret && recording.info.subject != RECORD_OF_CPUS) {
		message_error("--windows: %s is of tasks, which have no windows (try --steps)",
			      recording.name);
		ret = EXIT_USAGE;
	}
	if (!ret)
		ret = windows_print(&listing.windows, &options->output);
	windows_free(&listing.windows);
	recording_free(&recording);
	return ret;
}

/* Room for the row of all, and for one of each CPU or task. */
static int make_rows(const struct summary *summary, struct interval *interval)
{
	interval->level = summary->all.level && summary->all.level < summary->level ?
			  summary->all.level : summary->level;
	interval->tasks = summary_of_tasks(summary);
	return interval_make(interval, summary_used(summary) + 1) ? no_memory() : 0;
}

/* One task is all there is. */
static bool shows_each(const struct report_options *options, const struct summary *summary)
{
	if (!summary_of_tasks(summary))
		return options->each;
	return options->each && summary->recording.nr_tasks > 1;
}

static void fill_rows(const struct report_options *options, const struct summary *summary,
		      struct interval *interval)
{
	unsigned int i;

	interval->length = summary_seconds(summary);
	interval->elapsed = interval->length;
	interval->time = recording_epoch(&summary->recording,
					 summary->recording.whole ?
					 summary->recording.end.end.monotonic_ns :
					 summary->recording.last_ns);
	summary_row(summary, &summary->all, &interval->row[interval->nr++]);
	for (i = 0; i < summary->nr && shows_each(options, summary); i++) {
		if (summary->subject[i].used)
			summary_row(summary, &summary->subject[i],
				    &interval->row[interval->nr++]);
	}
}

static int print_rows(struct report_options *options, const struct summary *summary,
		      struct interval *interval)
{
	int ret;

	options->output.report = true;
	fill_rows(options, summary, interval);
	if (options->output.format != OUTPUT_TABLE)
		return output_interval(&options->output, interval);
	recording_text(options, summary, interval);
	ret = recording_latency_text(options, summary);
	return ret ? ret : output_flush(&options->output);
}

static void fill_step(const struct report_options *options, const struct summary *summary,
		      size_t step, struct interval *interval)
{
	const struct series *series = &summary->all.series;
	unsigned int i;

	interval->nr = 0;
	interval->length = series->step_ns / (double)NS_PER_S;
	interval->elapsed = interval->length * (step + 1);
	interval->time = recording_epoch(&summary->recording,
					 series->start_ns + (step + 1) * series->step_ns);
	summary_step_row(summary, &summary->all, step, &interval->row[interval->nr++]);
	for (i = 0; i < summary->nr && shows_each(options, summary); i++) {
		if (summary->subject[i].used)
			summary_step_row(summary, &summary->subject[i], step,
					 &interval->row[interval->nr++]);
	}
}

static int print_steps(struct report_options *options, const struct summary *summary,
		       struct interval *interval)
{
	size_t step;
	int ret = 0;

	options->output.steps = true;
	for (step = 0; step < summary->all.series.nr && !ret; step++) {
		fill_step(options, summary, step, interval);
		ret = output_interval(&options->output, interval);
	}
	return ret;
}

static int print_page(const struct report_options *options, struct summary *summary)
{
	latency_sums_join(&summary->latencies, PAGE_STEPS);
	return recording_html(options, summary);
}

static int print_summary(struct report_options *options)
{
	struct summary summary = {
		.step_ns = options->step_ms * NS_PER_MS,
		.level = options->level ? options->level : 2,
		.each = options->each,
	};
	struct interval interval = { .nr = 0 };
	int ret;

	ret = summary_read(&summary, options->path, &options->choice);
	options->output.tasks = summary_of_tasks(&summary);
	if (!ret)
		ret = make_rows(&summary, &interval);
	if (!ret && options->latency)
		ret = recording_latency(options, &summary);
	else if (!ret && options->html)
		ret = print_page(options, &summary);
	else if (!ret)
		ret = options->steps ? print_steps(options, &summary, &interval) :
				       print_rows(options, &summary, &interval);
	interval_free(&interval);
	summary_free(&summary);
	return ret;
}

static int print_schema(const struct report_options *options)
{
	if (options->diff)
		return recording_diff_schema();
	if (options->latency)
		return output_json_schema("report --latency", COLUMNS_LATENCIES);
	return output_json_schema("report", COLUMNS_ALL | COLUMNS_REPORT | COLUMNS_STEPS |
				  COLUMNS_WINDOWS);
}

static int run(struct report_options *options)
{
	if (options->diff)
		return recording_diff(options);
	if (options->trace)
		return recording_trace(options);
	return options->windows ? print_windows(options) : print_summary(options);
}

int report_main(int argc, char **argv)
{
	struct report_options options = {
		.path = RECORD_PATH,
		.output = {
			.file = stdout,
			.name = "standard output",
			.header = true,
		},
	};
	bool schema = false;
	int option;

	while ((option = options_next(argc, argv, "+:AC:I:l:jx:h", long_options)) != -1) {
		if (option == 'h')
			return options_help(usage);
		if (option == OPT_SCHEMA)
			schema = true;
		else if (option == OPTIONS_ERROR || !parse_option(&options, option))
			return EXIT_USAGE;
	}
	if (optind < argc)
		options.path = argv[optind++];
	if (!options_no_more(argc, argv) || !check_together(&options))
		return EXIT_USAGE;
	return schema ? print_schema(&options) : run(&options);
}
