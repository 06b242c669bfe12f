/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A moment that an option names: a time of day, a date, or so long before the end.
 */
#ifndef TOPDOWN_CLI_MOMENT_H
#define TOPDOWN_CLI_MOMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define SINCE_MIN_MS		1
#define SINCE_MAX_MS		2147483647

/**
 * enum moment_kind - how a moment was named
 *
 * @MOMENT_NONE: it was not
 * @MOMENT_BEFORE: so long before the end
 * @MOMENT_CLOCK: a time of day
 * @MOMENT_DATE: a date, with a time of day or without
 * @MOMENT_EPOCH: seconds since the epoch
 */
enum moment_kind {
	MOMENT_NONE,
	MOMENT_BEFORE,
	MOMENT_CLOCK,
	MOMENT_DATE,
	MOMENT_EPOCH,
};

/**
 * struct moment - a moment that an option names
 * @text: as it was given, for messages
 * @kind: how
 * @local: local date and time; of a time of day only the time
 * @ns: a length of time, nanoseconds since the epoch, or the part of a second after @local
 */
struct moment {
	const char *text;
	enum moment_kind kind;
	struct tm local;
	uint64_t ns;
};

bool moment_parse(const char *option, const char *text, struct moment *moment);
uint64_t moment_epoch_ns(const struct moment *moment, uint64_t begin_ns, uint64_t end_ns);

#endif /* TOPDOWN_CLI_MOMENT_H */
