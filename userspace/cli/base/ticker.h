/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ends of intervals: on a grid that does not drift, at a signal, or when the measured
 * tasks end.
 */
#ifndef TOPDOWN_CLI_TICKER_H
#define TOPDOWN_CLI_TICKER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct ticker - times and signals to wait for
 * @signals: signalfd
 * @set: the signals that it has
 * @start_ns: CLOCK_MONOTONIC of the start of the grid
 * @interval_ns: step of the grid, 0 for none
 * @end_ns: CLOCK_MONOTONIC of the end of the measurement, 0 for no end
 * @target: descriptor of the measured tasks, -1 for none; the owner closes it
 * @target_events: events of poll() for @target if the tasks may have ended
 * @control: descriptor of words from outside, -1 for none; the owner closes it
 * @look: poll() cannot report that, so look at intervals
 * @from_process: the signal was sent by a process, not by a terminal
 */
struct ticker {
	int signals;
	sigset_t set;
	uint64_t start_ns;
	uint64_t interval_ns;
	uint64_t end_ns;
	int target;
	short target_events;
	int control;
	bool look;
	bool from_process;
};

enum ticker_event {
	TICKER_INTERVAL,
	TICKER_END,
	TICKER_SIGNAL,
	TICKER_TARGET,
	TICKER_CONTROL,
	TICKER_ERROR,
};

int ticker_signals(const int *handled, sigset_t *set);
int ticker_open(struct ticker *ticker);
void ticker_start(struct ticker *ticker, uint64_t start_ns, uint64_t interval_ns,
		  uint64_t timeout_ns);
enum ticker_event ticker_wait(struct ticker *ticker, uint64_t now_ns, int *signal);
void ticker_close(struct ticker *ticker);

#endif /* TOPDOWN_CLI_TICKER_H */
