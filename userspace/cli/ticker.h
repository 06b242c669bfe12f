/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When an interval ends: on a grid that does not drift, at a signal, or when what is
 * measured ends.
 */
#ifndef TOPDOWN_CLI_TICKER_H
#define TOPDOWN_CLI_TICKER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct ticker - times and signals to wait for
 * @timer: timerfd
 * @signals: signalfd
 * @start_ns: CLOCK_MONOTONIC of the start of the grid
 * @interval_ns: step of the grid, 0 for none
 * @end_ns: when the measurement ends, 0 for never
 * @target: descriptor of what is measured, -1 for none: it is the owner's
 * @target_events: what poll() says of @target when it may have ended
 * @look: poll() cannot tell that, so look again and again
 * @from_process: the signal was sent by a process, not by a terminal
 */
struct ticker {
	int timer;
	int signals;
	uint64_t start_ns;
	uint64_t interval_ns;
	uint64_t end_ns;
	int target;
	short target_events;
	bool look;
	bool from_process;
};

enum ticker_event {
	TICKER_INTERVAL,
	TICKER_END,
	TICKER_SIGNAL,
	TICKER_TARGET,
	TICKER_ERROR,
};

int ticker_signals(const int *handled);
int ticker_open(struct ticker *ticker);
void ticker_start(struct ticker *ticker, uint64_t start_ns, uint64_t interval_ns,
		  uint64_t timeout_ns);
enum ticker_event ticker_wait(struct ticker *ticker, uint64_t now_ns, int *signal);
void ticker_close(struct ticker *ticker);

#endif /* TOPDOWN_CLI_TICKER_H */
