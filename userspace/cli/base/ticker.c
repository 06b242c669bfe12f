// SPDX-License-Identifier: GPL-2.0
/*
 * The ends of intervals: on a grid that does not drift, at a signal, or when the measured
 * tasks end.
 *
 * Signals come through a descriptor, so that none is lost between a look and the sleep.
 */
#include "ticker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define LOOK_MS		100

/**
 * ticker_signals - take over signals
 * @handled: their numbers, ended by 0
 * @set: those of them that are taken over
 *
 * A signal that the parent ignores (nohup, a shell without job control) stays ignored.
 *
 * Return: a descriptor that reports the signals, or -errno.
 */
int ticker_signals(const int *handled, sigset_t *set)
{
	struct sigaction action;
	int fd;

	sigemptyset(set);
	for (; *handled; handled++) {
		if (!sigaction(*handled, NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(set, *handled);
	}
	if (sigprocmask(SIG_BLOCK, set, NULL))
		return -errno;
	fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/**
 * ticker_open - take over the signals that end a measurement
 * @ticker: ticker
 *
 * Return: 0 or -errno.
 */
int ticker_open(struct ticker *ticker)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, 0 };

	ticker->target = -1;
	ticker->control = -1;
	ticker->look = false;
	ticker->signals = ticker_signals(handled, &ticker->set);
	return ticker->signals < 0 ? ticker->signals : 0;
}

/**
 * ticker_start - set the grid
 * @ticker: open ticker
 * @start_ns: CLOCK_MONOTONIC of its start
 * @interval_ns: its step, 0 for none
 * @timeout_ns: time from the start to the end; 0 for no end
 */
void ticker_start(struct ticker *ticker, uint64_t start_ns, uint64_t interval_ns,
		  uint64_t timeout_ns)
{
	ticker->start_ns = start_ns;
	ticker->interval_ns = interval_ns;
	ticker->end_ns = timeout_ns ? start_ns + timeout_ns : 0;
}

/* Steps that passed while the last interval was printed are left out. */
static uint64_t next_step(const struct ticker *ticker, uint64_t now_ns)
{
	uint64_t steps;

	if (!ticker->interval_ns)
		return 0;
	steps = (now_ns - ticker->start_ns) / ticker->interval_ns + 1;
	return ticker->start_ns + steps * ticker->interval_ns;
}

static struct timespec left_until(uint64_t at_ns)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t left_ns = at_ns > now_ns ? at_ns - now_ns : 0;

	return (struct timespec){
		.tv_sec = left_ns / NS_PER_S,
		.tv_nsec = left_ns % NS_PER_S,
	};
}

/* @look_at_ns: when to look again, 0 for never.  A deadline of 0 is none. */
static int sleep_until(struct pollfd *fds, unsigned int nr, uint64_t at_ns, uint64_t look_at_ns)
{
	uint64_t until_ns = look_at_ns && (!at_ns || look_at_ns < at_ns) ? look_at_ns : at_ns;
	struct timespec left;

	if (!until_ns)
		return ppoll(fds, nr, NULL, NULL);
	left = left_until(until_ns);
	return ppoll(fds, nr, &left, NULL);
}

static enum ticker_event take_signal(struct ticker *ticker, int number, int code, int *signal)
{
	ticker->from_process = code <= 0;
	*signal = number;
	return TICKER_SIGNAL;
}

static bool pending_signal(struct ticker *ticker, int *signal)
{
	struct signalfd_siginfo info;

	if (read(ticker->signals, &info, sizeof(info)) != sizeof(info))
		return false;
	take_signal(ticker, info.ssi_signo, info.ssi_code, signal);
	return true;
}

/* Where there is nothing else to wait for, this is cheaper than any descriptor. */
static enum ticker_event wait_signal(struct ticker *ticker, uint64_t at_ns, bool ends, int *signal)
{
	struct timespec left;
	siginfo_t info;
	int number;

	do {
		left = left_until(at_ns);
		number = sigtimedwait(&ticker->set, &info, &left);
	} while (number < 0 && errno == EINTR);
	if (number > 0)
		return take_signal(ticker, number, info.si_code, signal);
	if (errno != EAGAIN)
		return TICKER_ERROR;
	return ends ? TICKER_END : TICKER_INTERVAL;
}

/*
 * A descriptor with an error is always ready, so poll() says nothing more about it. The
 * device has an error for a user who may not read whole CPUs.
 */
static bool target_ready(struct ticker *ticker, short revents)
{
	if (revents && !(revents & ticker->target_events)) {
		ticker->target = -1;
		ticker->look = true;
	}
	return revents;
}

/**
 * ticker_wait - sleep until the interval ends
 * @ticker: started ticker
 * @now_ns: CLOCK_MONOTONIC from which the next step is looked for
 * @signal: number of the signal, for TICKER_SIGNAL; else untouched, so that an earlier
 *	signal is not forgotten
 *
 * Return: why the sleep ended; errno is set for TICKER_ERROR.
 */
enum ticker_event ticker_wait(struct ticker *ticker, uint64_t now_ns, int *signal)
{
	struct pollfd fds[] = {
		{ .fd = ticker->signals, .events = POLLIN },
		{ .fd = ticker->control, .events = POLLIN },
		{ .fd = ticker->target, .events = ticker->target_events },
	};
	uint64_t step = next_step(ticker, now_ns), at_ns, look_at_ns = 0;
	bool ends = ticker->end_ns && (!step || ticker->end_ns <= step);
	int ready;

	at_ns = ends ? ticker->end_ns : step;
	if (at_ns && ticker->target < 0 && ticker->control < 0 && !ticker->look)
		return wait_signal(ticker, at_ns, ends, signal);
	for (;;) {
		if (ticker->look)
			look_at_ns = clock_now_ns() + LOOK_MS * NS_PER_MS;
		ready = sleep_until(fds, ticker->target < 0 ? 2 : 3, at_ns, look_at_ns);
		if (ready < 0) {
			if (errno == EINTR)
				continue;
			return TICKER_ERROR;
		}
		if (fds[0].revents && pending_signal(ticker, signal))
			return TICKER_SIGNAL;
		if (ready && fds[1].revents)
			return TICKER_CONTROL;
		if (!ready && (!look_at_ns || (at_ns && at_ns <= look_at_ns)))
			return ends ? TICKER_END : TICKER_INTERVAL;
		if (!ready || target_ready(ticker, fds[2].revents))
			return TICKER_TARGET;
	}
}

/**
 * ticker_close - close
 * @ticker: open ticker
 */
void ticker_close(struct ticker *ticker)
{
	close(ticker->signals);
}
