// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: show all CPUs, processes or cgroups live.
 *
 * A refresh reads the map and the clock, and writes the screen. Between two refreshes the
 * process sleeps in poll(). Once a second it asks the module for the period, which can
 * change at any time. This interrupts no CPU. While owners are shown a refresh also reads them.
 */
#include "top.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "events.h"
#include "message.h"
#include "refusal.h"
#include "screen.h"
#include "ticker.h"
#include "top-owners.h"

/**
 * struct top - a live view going on
 * @options: the command line
 * @td: device
 * @map: records of the CPUs
 * @asked_ns: CLOCK_MONOTONIC when the module was last asked for its period
 * @data: the CPUs
 * @latency: latencies, while they are shown
 * @owners: processes or cgroups, while they are shown
 * @view: the selection of rows and columns
 * @frame: the screen
 * @rows: rows in the order shown
 * @room: how many rows @rows has room for
 * @nr_rows: number of @rows
 * @signals: signalfd
 * @clock: time of the last refresh, as text
 */
struct top {
	const struct top_options *options;
	struct topdown *td;
	struct topdown_map_view *map;
	uint64_t asked_ns;
	struct top_data data;
	struct top_latency latency;
	struct top_owners owners;
	struct top_view view;
	struct top_frame frame;
	const struct row **rows;
	unsigned int room;
	unsigned int nr_rows;
	int signals;
	char clock[16];
};

/* If the module does not answer, keep the last period. */
static void take_period(struct top *top)
{
	uint64_t now = clock_now_ns();

	if (now - top->asked_ns < NS_PER_S)
		return;
	top->asked_ns = now;
	topdown_info_update(top->td);
	top->data.period_ns = topdown_info_get(top->td)->out_period_ms * NS_PER_MS;
}

/* The message stays until the next key. */
static void take_latencies(struct top *top)
{
	int ret = latencies_read(&top->latency.session);

	if (!ret) {
		top_latency_put(&top->latency, clock_now_ns());
		return;
	}
	top_latency_end(&top->latency);
	top->view.latencies = false;
	message_hold(top->view.message, sizeof(top->view.message));
	refusal_read(top->options->device, -ret);
	message_hold(NULL, 0);
}

static void take(struct top *top)
{
	struct tm local;
	time_t now;

	if (top->view.frozen)
		return;
	take_period(top);
	top_data_read(&top->data, top->map, clock_now_ns());
	if (top->latency.session.session)
		take_latencies(top);
	now = time(NULL);
	if (!localtime_r(&now, &local) ||
	    !strftime(top->clock, sizeof(top->clock), "%H:%M:%S", &local))
		*top->clock = '\0';
}

/* A screen without owners has CPUs, and says why until the next key. */
static void refuse_owners(struct top *top, int ret)
{
	top_owners_end(&top->owners);
	top_view_show(&top->view, OWNER_BY_NONE);
	message_hold(top->view.message, sizeof(top->view.message));
	owners_refused(top->td, top->options->device, ret);
	message_hold(NULL, 0);
}

static int make_room(struct top *top, unsigned int nr)
{
	const struct row **rows;

	if (nr <= top->room)
		return 0;
	rows = reallocarray(top->rows, nr, sizeof(void *));
	if (!rows)
		return -ENOMEM;
	top->rows = rows;
	top->room = nr;
	return 0;
}

static void take_owners(struct top *top)
{
	int ret;

	if (!top->owners.owners.view)
		return;
	ret = top_owners_read(&top->owners, top->data.level);
	if (!ret)
		ret = make_room(top, top->owners.interval.nr);
	if (ret)
		refuse_owners(top, ret);
}

static void find_rows(struct top *top)
{
	if (top->view.latencies)
		top->nr_rows = top_latency_rows(&top->latency, &top->view);
	else if (top->view.by != OWNER_BY_NONE)
		top->nr_rows = top_owners_rows(&top->owners, &top->view, top->rows);
	else
		top->nr_rows = top_view_rows(&top->view, &top->data, top->rows);
}

static int draw(struct top *top)
{
	struct top_screen screen = {
		.view = &top->view,
		.data = &top->data,
		.latency = top->view.latencies ? &top->latency : NULL,
		.clock = top->clock,
		.period_ms = topdown_info_get(top->td)->out_period_ms,
		.delay_ms = top->options->delay_ms,
	};
	unsigned int lines, columns;

	top_screen_size(&lines, &columns);
	if ((lines != top->frame.lines || columns != top->frame.columns) &&
	    top_frame_resize(&top->frame, lines, columns))
		return -ENOMEM;

	find_rows(top);
	screen.waits = top_view_owners(&top->view) && !top->owners.interval.nr;
	top_view_clamp(&top->view, top->nr_rows, top_frame_page(&top->frame));
	screen.rows = top->rows;
	screen.nr_rows = top->nr_rows;
	screen.rate = top_data_total(&top->data, top->view.filtered &&
				     !top_view_owners(&top->view) ? &top->view.cpus : NULL,
				     &screen.total);
	if (top->view.help)
		top_frame_help(&top->frame, &top->view);
	else
		top_frame_build(&top->frame, &screen);
	top_screen_show(&top->frame);
	return 0;
}

static int start_latencies(struct top *top)
{
	const struct top_options *options = top->options;

	return top_latency_restart(&top->latency, top->td, options->device,
				   options->latency ? options->latency : EVENTS_ALL);
}

/*
 * Sample only while new rows are shown: a screen that is frozen, and the help, have none.  A
 * machine that cannot sample has the slots all the same.
 */
static void follow_latencies(struct top *top)
{
	const struct top_view *view = &top->view;

	if (!view->latencies) {
		top_latency_end(&top->latency);
		return;
	}
	if (view->frozen || view->help) {
		top_latency_stop(&top->latency);
		return;
	}
	if (top->latency.session.session)
		return;
	message_hold(top->view.message, sizeof(top->view.message));
	if (start_latencies(top))
		top->view.latencies = false;
	message_hold(NULL, 0);
}

static int start_owners(struct top *top)
{
	return top_owners_start(&top->owners, top->td, &top->view, top->options->depth);
}

/* Hold owners on only while new rows are shown, as it costs every switch. */
static void follow_owners(struct top *top)
{
	const struct top_view *view = &top->view;
	struct top_owners *owners = &top->owners;
	int ret;

	if (!top_view_owners(view)) {
		top_owners_end(owners);
		return;
	}
	if (owners->by != view->by || owners->self != view->self)
		top_owners_end(owners);
	if (view->frozen || view->help) {
		owners_let_go(&owners->owners);
		return;
	}
	if (owners->owners.view)
		return;
	ret = start_owners(top);
	if (ret)
		refuse_owners(top, ret);
}

static void follow_view(struct top *top)
{
	follow_latencies(top);
	follow_owners(top);
}

static void press(struct top *top)
{
	int key;

	while (!top->view.quit && top_screen_key(&key)) {
		top_view_key(&top->view, &top->data, key, top->nr_rows,
			     top_frame_page(&top->frame));
		follow_view(top);
		/* The next key may scroll, so it needs the new rows. */
		find_rows(top);
	}
}

/* Returns the number of a signal that ends the view, or 0. */
static int take_signal(struct top *top)
{
	struct signalfd_siginfo info;

	while (read(top->signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			top_screen_resize();
			break;
		case SIGTSTP:
			top_latency_stop(&top->latency);
			owners_let_go(&top->owners.owners);
			top_screen_suspend();
			follow_view(top);
			break;
		case SIGCONT:
			break;
		default:
			return info.ssi_signo;
		}
	}
	return 0;
}

static uint64_t until(uint64_t at_ns)
{
	uint64_t now = clock_now_ns();

	return now < at_ns ? at_ns - now : 0;
}

/*
 * Sleep until a key, a signal or @at_ns. Return: 0 to go on, an exit code to end, or
 * -SIGINT if Ctrl-C ends a view without an end.
 */
static int wait_for(struct top *top, uint64_t at_ns)
{
	struct pollfd fds[] = {
		{ .fd = top->signals, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
	};
	uint64_t left = until(at_ns);
	int ret, signal;

	/* Round up, or the process would poll without sleep in the last millisecond. */
	ret = poll(fds, 2, (left + NS_PER_MS - 1) / NS_PER_MS);
	if (ret < 0 && errno != EINTR) {
		ret = errno;
		top_screen_close();
		return message_fail(EXIT_RUNTIME, "top: cannot wait for the keyboard: %s",
				    strerror(ret));
	}
	signal = ret > 0 && fds[0].revents ? take_signal(top) : 0;
	if (signal)
		return signal == SIGINT && !top->options->count ? -SIGINT : EXIT_SIGNAL + signal;
	if (ret > 0 && fds[1].revents) {
		press(top);
		/* The terminal is gone, so no key can quit. */
		if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
			return EXIT_SIGNAL + SIGHUP;
	}
	return 0;
}

static int out_of_memory(void)
{
	top_screen_close();
	return message_fail(EXIT_RUNTIME, "top: out of memory");
}

static int loop(struct top *top)
{
	uint64_t delay_ns = top->options->delay_ms * NS_PER_MS;
	uint64_t refreshes = 0, next_ns;
	int ret;

	take(top);
	next_ns = clock_now_ns() + delay_ns;
	for (;;) {
		if (draw(top))
			return out_of_memory();
		ret = wait_for(top, next_ns);
		/* Ctrl-C may end a view that has no other end. */
		if (ret == -SIGINT || top->view.quit)
			return EXIT_OK;
		if (ret)
			return ret;
		if (until(next_ns))
			continue;
		take(top);
		take_owners(top);
		next_ns = clock_now_ns() + delay_ns;
		if (++refreshes == top->options->count)
			return draw(top) ? out_of_memory() : EXIT_OK;
	}
}

static int show(struct top *top)
{
	static const int handled[] = {
		SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT, 0
	};
	sigset_t set;
	int ret;

	/* Signals come through a descriptor, so that the terminal is always given back. */
	top->signals = ticker_signals(handled, &set);
	if (top->signals < 0)
		return message_fail(EXIT_RUNTIME, "top: cannot take over signals: %s",
				    strerror(-top->signals));
	ret = top_screen_open();
	if (!ret) {
		ret = loop(top);
		top_screen_close();
	}
	close(top->signals);
	return ret;
}

static bool check_cpus(const struct top *top)
{
	struct cpulist possible = { .words = { 0 } };
	unsigned int cpu;

	for (cpu = 0; cpu < top->data.nr && cpu < CPULIST_MAX; cpu++) {
		if (top->data.cpu[cpu].there)
			cpulist_set(&possible, cpu);
	}
	/* A CPU that is offline now may come back. */
	return cpulist_check(&top->options->cpus, "-C", &possible, &possible);
}

/* The level that the first order needs; 0 for any. */
static unsigned int sort_level(const struct owner_sort *sort)
{
	return sort->key == OWNER_KEY_NODE ? topdown_node_level(sort->node) : 0;
}

static int check_sort(const struct top_options *options, unsigned int has)
{
	unsigned int needed = sort_level(&options->sort);
	const char *node = topdown_node_name(options->sort.node);

	if (needed > has)
		return message_fail(EXIT_DEVICE, "--sort: this machine has no level %u, which %s is of (allowed: %s%s)",
				    needed, node, OWNER_SORT_WORDS,
				    has ? ", or a node of level 1" : "");
	if (options->level && options->level < needed)
		return message_fail(EXIT_USAGE, "--sort: -l 1 does not show %s, which is of level %u (allowed: without -l, or with -l %u)",
				    node, needed, needed);
	return 0;
}

static void begin_view(struct top *top)
{
	const struct top_options *options = top->options;
	unsigned int level = sort_level(&options->sort);

	top->view.level = options->level ? options->level : level ? level : 1;
	top->view.self = options->self;
	top_view_sort_first(&top->view);
	if (options->by != OWNER_BY_NONE)
		top_view_show(&top->view, options->by);
	if (options->sort.given)
		top_view_sort(&top->view, &options->sort);
}

static int prepare(struct top *top)
{
	const struct topdown_info *info = topdown_info_get(top->td);
	unsigned int nr = topdown_map_nr_cpus(top->map);
	int ret;

	top->asked_ns = clock_now_ns();
	if (top->options->level > info->out_level)
		return message_fail(EXIT_DEVICE, "-l: this machine has no level %u (allowed: %s)",
				    (unsigned int)top->options->level,
				    info->out_level ? "1" : "none");
	ret = check_sort(top->options, info->out_level);
	if (ret)
		return ret;
	if (make_room(top, nr) || top_data_open(&top->data, nr, info->out_period_ms * NS_PER_MS,
						info->out_level))
		return message_fail(EXIT_RUNTIME, "top: out of memory");
	top->data.busy = topdown_has(top->td, TOPDOWN_FEATURE_BUSY);
	begin_view(top);
	top_data_read(&top->data, top->map, clock_now_ns());
	if (!top->options->has_cpus)
		return 0;
	if (!check_cpus(top))
		return EXIT_USAGE;
	top->view.filtered = true;
	top->view.cpus = top->options->cpus;
	return 0;
}

static int top_run(const struct top_options *options)
{
	struct top top = { .options = options };
	int ret;

	ret = topdown_open(&top.td, options->device);
	if (ret)
		return refusal_open(options->device, -ret);
	ret = topdown_map_open(&top.map, top.td);
	if (ret) {
		topdown_close(top.td);
		return refusal_read(options->device, -ret);
	}
	ret = prepare(&top);
	top.view.latencies = options->latency;
	if (!ret && options->latency)
		ret = start_latencies(&top);
	if (!ret && options->by != OWNER_BY_NONE) {
		ret = start_owners(&top);
		if (ret)
			ret = owners_refused(top.td, options->device, ret);
	}
	if (!ret)
		ret = show(&top);

	top_latency_end(&top.latency);
	top_owners_end(&top.owners);
	top_frame_free(&top.frame);
	top_data_close(&top.data);
	free(top.rows);
	topdown_map_close(top.map);
	topdown_close(top.td);
	return ret;
}

int top_main(int argc, char **argv)
{
	struct top_options options;
	bool done;
	int ret;

	ret = top_parse(&options, argc, argv, &done);
	if (ret || done)
		return ret;
	return top_run(&options);
}
