// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as people read them.
 */
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <topdown.h>

/**
 * change_text - a difference, with its sign
 * @text: where to
 * @size: room in @text
 * @change: difference
 * @unit: what follows
 *
 * One that rounds to zero has no sign: there is no more of it before than after.
 */
void change_text(char *text, size_t size, double change, const char *unit)
{
	snprintf(text, size, "%+.2f%s", change, unit);
	if (isfinite(change) && !strpbrk(text, "123456789"))
		snprintf(text, size, "0.00%s", unit);
}

/**
 * percent_text - a ratio in percent, "-" for none
 * @text: where to
 * @size: room in @text, 8 at least
 * @ratio: in units of 1 / TOPDOWN_RATIO_ONE
 * @unit: text after the number
 */
void percent_text(char *text, size_t size, uint32_t ratio, const char *unit)
{
	if (ratio == TOPDOWN_RATIO_NONE)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.1f%s", ratio * 100.0 / TOPDOWN_RATIO_ONE, unit);
}

/**
 * grouped_text - a whole number with a comma between groups of three digits
 * @text: where to
 * @number: number
 */
void grouped_text(char text[GROUPED_SIZE], uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number), i;

	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = '\0';
}

#define TEN(t)	t "0" t "1" t "2" t "3" t "4" t "5" t "6" t "7" t "8" t "9"

/* The digits of each number below 100. */
static const char pairs[] = TEN("0") TEN("1") TEN("2") TEN("3") TEN("4")
			    TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

/* Number of digits of @number. */
static unsigned int digits_of(uint64_t number)
{
	unsigned int digits = 1;

	if (number < 10)
		return digits;
	for (; number >= 10000; number /= 10000)
		digits += 4;
	return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

/*
 * Write @digits digits, with zeros before @number, which has no more. Two at a time, and
 * 32 bits where that will do, take the fewest instructions. Returns the end of the text.
 */
static char *put_digits(char *text, uint64_t number, unsigned int digits)
{
	char *end = text + digits, *at = end;
	uint32_t low;

	for (; number > UINT32_MAX; number /= 100) {
		at -= 2;
		memcpy(at, &pairs[number % 100 * 2], 2);
	}
	for (low = number; at - text > 1; low /= 100) {
		at -= 2;
		memcpy(at, &pairs[low % 100 * 2], 2);
	}
	if (at > text)
		*text = '0' + low;
	return end;
}

/**
 * integer_text - a whole number
 * @text: where to
 * @number: number
 *
 * The text is that of printf(), which takes several times as long.
 *
 * Return: number of characters.
 */
size_t integer_text(char text[NUMBER_SIZE], uint64_t number)
{
	char *end = put_digits(text, number, digits_of(number));

	*end = '\0';
	return end - text;
}

/**
 * number_text - a number with digits after the point
 * @text: where to
 * @number: number
 * @digits: number of these digits, at most 9
 *
 * The text is that of printf() to half a unit of the last digit.  printf() itself writes
 * numbers that are too large for this.
 *
 * Return: number of characters.
 */
size_t number_text(char text[NUMBER_SIZE], double number, unsigned int digits)
{
	static const double scales[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
	/* Above this limit not every whole number is a double. */
	const double exact = 1ULL << 53;
	uint64_t whole, scale, scaled;
	char *end;

	if (digits > 9 || !(number >= 0 && number * scales[digits] < exact))
		return snprintf(text, NUMBER_SIZE, "%.*f", (int)digits, number);
	scale = scales[digits];
	/* lrint() would be a call. */
	scaled = (int64_t)(number * scale + 0.5);
	whole = scaled / scale;
	end = put_digits(text, whole, digits_of(whole));
	if (digits) {
		*end++ = '.';
		end = put_digits(end, scaled - whole * scale, digits);
	}
	*end = '\0';
	return end - text;
}

/* The unit in which a number is below @limit, and the number in it. */
static char scale(double *number, double limit)
{
	static const char units[] = " kMGTPE";
	unsigned int unit = 0;

	while (*number >= limit && unit + 2 < sizeof(units)) {
		*number /= 1000;
		unit++;
	}
	return units[unit];
}

/**
 * rate_text - a large number, with one digit after the point and a unit
 * @text: where to
 * @size: room in @text, 8 at least
 * @rate: number
 */
void rate_text(char *text, size_t size, double rate)
{
	char unit = scale(&rate, 999.95);

	if (unit == ' ')
		snprintf(text, size, "%.0f", rate);
	else
		snprintf(text, size, "%.1f%c", rate, unit);
}

/**
 * weight_text - the same in four characters, where a column must be narrow
 * @text: where to
 * @size: room in @text, 8 at least
 * @weight: number
 */
void weight_text(char *text, size_t size, double weight)
{
	char unit = scale(&weight, 999.5);

	if (unit == ' ')
		snprintf(text, size, "%.0f", weight);
	else
		snprintf(text, size, "%.*f%c", weight < 9.95, weight, unit);
}

/**
 * middle_text - a name that is too long, without its middle
 * @text: where to
 * @room: characters of @text, without the end; less than @name has
 * @name: name
 *
 * Ends of paths tell more than their begins.
 */
void middle_text(char *text, size_t room, const char *name)
{
	static const char gap[] = "...";
	size_t first = room > strlen(gap) ? (room - strlen(gap)) / 3 : 0;
	size_t last = room > strlen(gap) ? room - strlen(gap) - first : room;

	snprintf(text, room + 1, "%.*s%s%s", (int)first, name, last < room ? gap : "",
		 name + strlen(name) - last);
}

/**
 * plural_text - the end of a noun after a number
 * @number: number
 *
 * Return: "s", or nothing for one thing.
 */
const char *plural_text(uint64_t number)
{
	return number == 1 ? "" : "s";
}

/**
 * html_text - write a text into a page of HTML
 * @file: where to
 * @text: the text; names come from files of others, so a control character is written as ?
 */
void html_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			putc((unsigned char)*text < ' ' ? '?' : *text, file);
		}
	}
}

/**
 * printable_text - let nothing of a text control a terminal, or look like another line
 * @text: text that is chosen by others; all but printable ASCII becomes a question mark
 * @kept: characters that stay
 */
void printable_text(char *text, const char *kept)
{
	for (; *text; text++) {
		if ((*text < ' ' || *text > '~') && !strchr(kept, *text))
			*text = '?';
	}
}
