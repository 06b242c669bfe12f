// SPDX-License-Identifier: GPL-2.0
/*
 * Strict parsing of option arguments: no sign, no blanks, no other base, and
 * nothing behind the value.
 */
#include "parse.h"

#include <inttypes.h>
#include <string.h>

#include "report.h"

/**
 * parse_digits - read decimal digits
 * @text: where they begin
 * @value: their value, PARSE_TOO_LARGE if it does not fit
 *
 * Return: what follows the digits; NULL if there are none.
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
 * @unit: what is counted, for the message
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
	if (!end || *end) {
		report_error("%s: '%s' is not a whole number (allowed: %" PRIu64 "..%" PRIu64 " %s)",
			     option, text, min, max, unit);
		return false;
	}
	if (number < min || number > max) {
		report_error("%s: %s is out of range (allowed: %" PRIu64 "..%" PRIu64 " %s)",
			     option, text, min, max, unit);
		return false;
	}
	*value = number;
	return true;
}

/**
 * parse_separator - read the separator of fields
 * @option: name of the option, for the message
 * @text: its argument: one character, or \t
 * @separator: the character; untouched on error
 *
 * What may be part of a number or of a name would make the output ambiguous.
 *
 * Return: false after a message.
 */
bool parse_separator(const char *option, const char *text, char *separator)
{
	static const char allowed[] = ",;:|/!#%&@~^ \t";

	if (!strcmp(text, "\\t"))
		text = "\t";
	if (strlen(text) != 1 || !strchr(allowed, *text)) {
		report_error("%s: '%s' cannot separate fields (allowed: one of , ; : | / ! # %% & @ ~ ^, a blank, or \\t)",
			     option, text);
		return false;
	}
	*separator = *text;
	return true;
}
