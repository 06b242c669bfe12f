/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When an interval ends: on a grid that does not drift, or at a signal.
 */
#ifndef TOPDOWN_CLI_TICKER_H
#define TOPDOWN_CLI_TICKER_H

#include <stdint.h>

/**
 * struct ticker - times and signals to wait for
 * @timer: timerfd
 * @signals: signalfd
 * @start_ns: CLOCK_MONOTONIC of the start of the grid
 * @interval_ns: step of the grid, 0 for none
 * @end_ns: when the measurement ends, 0 for never
 */
struct ticker {
	int timer;
	int signals;
	uint64_t start_ns;
	uint64_t interval_ns;
	uint64_t end_ns;
};

enum ticker_event {
	TICKER_INTERVAL,
	TICKER_END,
	TICKER_SIGNAL,
	TICKER_ERROR,
};

int ticker_open(struct ticker *ticker);
void ticker_start(struct ticker *ticker, uint64_t start_ns, uint64_t interval_ns,
		  uint64_t timeout_ns);
enum ticker_event ticker_wait(struct ticker *ticker, uint64_t now_ns, int *signal);
void ticker_close(struct ticker *ticker);

#endif /* TOPDOWN_CLI_TICKER_H */
