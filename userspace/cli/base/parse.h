/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strict parsing of option arguments.
 */
#ifndef TOPDOWN_CLI_PARSE_H
#define TOPDOWN_CLI_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* The value that parse_digits() gives to a number with too many digits. */
#define PARSE_TOO_LARGE		UINT64_MAX

const char *parse_digits(const char *text, uint64_t *value);
bool parse_number(const char *option, const char *text, uint64_t min, uint64_t max,
		  const char *unit, uint64_t *value);
bool parse_is_time(const char *text);
bool parse_time(const char *option, const char *text, uint64_t min_ms, uint64_t max_ms,
		uint64_t *ms);
bool parse_separator(const char *option, const char *text, char *separator);

#endif /* TOPDOWN_CLI_PARSE_H */
