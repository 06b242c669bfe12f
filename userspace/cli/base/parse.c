// SPDX-License-Identifier: GPL-2.0
/*
 * Strict parsing of option arguments: no sign, no blanks, no other base, and nothing after
 * the value.
 */
#include "parse.h"

#include <inttypes.h>
#include <string.h>

#include "message.h"

/**
 * parse_digits - read decimal digits
 * @text: where they begin
 * @value: their value, PARSE_TOO_LARGE if it does not fit
 *
 * Return: the text after the digits; NULL if there are no digits.
 */
const char *parse_digits(const char *text, uint64_t *value)
{
	const char *at = text;
	uint64_t sum = 0;

	for (; *at >= '0' && *at <= '9'; at++) {
		unsigned int digit = *at - '0';

		if (sum > (PARSE_TOO_LARGE - digit) / 10)
			sum = PARSE_TOO_LARGE;
		else
			sum = sum * 10 + digit;
	}
	*value = sum;
	return at == text ? NULL : at;
}

/**
 * parse_number - read the number that an option takes
 * @option: name of the option, for the message
 * @text: its argument
 * @min: least value allowed
 * @max: largest value allowed
 * @unit: unit of the number, for the message
 * @value: the value; untouched on error
 *
 * Return: false after a message.
 */
bool parse_number(const char *option, const char *text, uint64_t min, uint64_t max,
		  const char *unit, uint64_t *value)
{
	const char *end;
	uint64_t number;

	end = parse_digits(text, &number);
	if (!end || *end)
		return message_refuse("%s: '%s' is not a whole number (allowed: %llu..%llu %s)",
				      option, text, (unsigned long long)min,
				      (unsigned long long)max, unit);
	if (number < min || number > max)
		return message_refuse("%s: %s is out of range (allowed: %" PRIu64 "..%" PRIu64 " %s)",
				      option, text, min, max, unit);
	*value = number;
	return true;
}

/* The number of milliseconds in a unit; 0 for an unknown unit. */
static uint64_t unit_ms(const char *unit)
{
	static const struct {
		const char *name;
		unsigned int ms;
	} units[] = {
		{ "", 1 }, { "ms", 1 }, { "s", 1000 }, { "m", 60 * 1000 }, { "h", 3600 * 1000 },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(unit, units[i].name))
			return units[i].ms;
	}
	return 0;
}

/*
 * Read a number with or without a decimal fraction, and its unit, as milliseconds. Returns false
 * for what is no time, or has a part of a millisecond. Too many are PARSE_TOO_LARGE.
 */
static bool read_time(const char *text, uint64_t *ms)
{
	uint64_t whole, part = 0, scale = 1, unit;
	const char *at = parse_digits(text, &whole), *point;

	if (!at)
		return false;
	if (*at == '.') {
		point = at + 1;
		at = parse_digits(point, &part);
		/* No unit has as many milliseconds as to make a longer fraction whole. */
		if (!at || at - point > 9)
			return false;
		while (point++ < at)
			scale *= 10;
	}
	unit = unit_ms(at);
	if (!unit || part * unit % scale)
		return false;
	*ms = whole >= PARSE_TOO_LARGE / unit ? PARSE_TOO_LARGE :
	      whole * unit + part * unit / scale;
	return true;
}

/**
 * parse_is_time - can parse_time() read it, but for its range?
 * @text: an argument
 */
bool parse_is_time(const char *text)
{
	uint64_t ms;

	return read_time(text, &ms);
}

/* People who type 2 may mean seconds. */
static bool has_unit(const char *text)
{
	return text[strspn(text, "0123456789.")];
}

/* Milliseconds have no decimals. */
static bool needs_unit(const char *text)
{
	uint64_t digits;
	const char *at = parse_digits(text, &digits);

	if (!at || *at != '.')
		return false;
	at = parse_digits(at + 1, &digits);
	return at && !*at;
}

/**
 * parse_time - read the time that an option takes
 * @option: name of the option, for the message
 * @text: its argument: a number of milliseconds, or with one of the units ms, s, m, h; it may
 *	have a decimal fraction
 * @min_ms: least value allowed
 * @max_ms: largest value allowed
 * @ms: the value; untouched on error
 *
 * Return: false after a message.
 */
bool parse_time(const char *option, const char *text, uint64_t min_ms, uint64_t max_ms,
		uint64_t *ms)
{
	uint64_t number;

	if (needs_unit(text))
		return message_refuse("%s: '%s' is not a time (a number with decimals needs a unit: %ss)",
				      option, text, text);
	if (!read_time(text, &number))
		return message_refuse("%s: '%s' is not a time (allowed: %" PRIu64 "..%" PRIu64 " milliseconds, or with a unit: 500ms, 1.5s, 1m)",
				      option, text, min_ms, max_ms);
	if (number > max_ms || number < min_ms)
		return message_refuse("%s: %s%s is out of range (allowed: %" PRIu64 "..%" PRIu64 " milliseconds%s)",
				      option, text, has_unit(text) ? "" : " ms", min_ms, max_ms,
				      has_unit(text) ? "" : ", or with a unit: 500ms, 1.5s, 1m");
	*ms = number;
	return true;
}

/**
 * parse_separator - read the separator of fields
 * @option: name of the option, for the message
 * @text: its argument: one character, or \t
 * @separator: the character; untouched on error
 *
 * A character that can be part of a number or of a name would make the output ambiguous.
 *
 * Return: false after a message.
 */
bool parse_separator(const char *option, const char *text, char *separator)
{
	static const char allowed[] = ",;:|/!#%&@~^ \t";

	if (!strcmp(text, "\\t"))
		text = "\t";
	if (strlen(text) != 1 || !strchr(allowed, *text))
		return message_refuse("%s: '%s' cannot separate fields (allowed: one of , ; : | / ! # %% & @ ~ ^, a blank, or \\t)",
				      option, text);
	*separator = *text;
	return true;
}
