// SPDX-License-Identifier: GPL-2.0
/*
 * A moment that an option names, read strictly.
 */
#include "moment.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "message.h"
#include "parse.h"

/* As long a time as this is none. */
#define TEXT_MAX	64
/* The year 2500. */
#define LAST_S		16725225600ULL
#define FORMS		"14:03, 14:03:10, 2026-11-27, '2026-11-27 14:03:10', @SECONDS since the epoch, or as long before the end as 30s"

/* Exactly so many digits, of which the number is in a range. */
static const char *take(const char *at, unsigned int digits, int least, int most, int *value)
{
	unsigned int i;

	*value = 0;
	for (i = 0; at && i < digits; i++) {
		if (at[i] < '0' || at[i] > '9')
			return NULL;
		*value = *value * 10 + at[i] - '0';
	}
	return at && *value >= least && *value <= most ? at + digits : NULL;
}

static const char *skip(const char *at, char what)
{
	return at && *at == what ? at + 1 : NULL;
}

/* A decimal fraction of a second, or nothing. */
static const char *take_fraction(const char *at, uint64_t *ns)
{
	uint64_t scale = NS_PER_S;

	*ns = 0;
	if (!at || *at != '.')
		return at;
	at++;
	if (*at < '0' || *at > '9')
		return NULL;
	for (; *at >= '0' && *at <= '9' && scale > 1; at++) {
		scale /= 10;
		*ns += (*at - '0') * scale;
	}
	return at;
}

/* Hours and minutes, and seconds if they are there. */
static const char *take_clock(const char *at, struct moment *moment)
{
	struct tm *local = &moment->local;

	at = take(at, 2, 0, 23, &local->tm_hour);
	at = take(skip(at, ':'), 2, 0, 59, &local->tm_min);
	if (!at || *at != ':')
		return at;
	at = take(at + 1, 2, 0, 60, &local->tm_sec);
	return take_fraction(at, &moment->ns);
}

static const char *take_date(const char *at, struct moment *moment)
{
	struct tm *local = &moment->local;

	at = take(at, 4, 1970, 9999, &local->tm_year);
	at = take(skip(at, '-'), 2, 1, 12, &local->tm_mon);
	at = take(skip(at, '-'), 2, 1, 31, &local->tm_mday);
	if (!at)
		return NULL;
	local->tm_year -= 1900;
	local->tm_mon--;
	if (!*at)
		return at;
	return *at == ' ' || *at == 'T' ? take_clock(at + 1, moment) : NULL;
}

static const char *take_epoch(const char *at, struct moment *moment)
{
	uint64_t seconds;

	at = parse_digits(at, &seconds);
	if (!at || seconds > 1ULL << 33)
		return NULL;
	at = take_fraction(at, &moment->ns);
	moment->ns += seconds * NS_PER_S;
	return at;
}

/* The calendar has no such day, as 2026-02-30, if it gives another one. */
static bool is_date(const struct moment *moment)
{
	struct tm local = moment->local;

	local.tm_isdst = -1;
	local.tm_hour = 12;
	return mktime(&local) != -1 && local.tm_mday == moment->local.tm_mday;
}

static bool read_moment(const char *text, struct moment *moment)
{
	const char *end;

	if (*text == '@')
		moment->kind = MOMENT_EPOCH;
	else
		moment->kind = strchr(text, ':') && !strchr(text, '-') ? MOMENT_CLOCK : MOMENT_DATE;
	if (moment->kind == MOMENT_EPOCH)
		end = take_epoch(text + 1, moment);
	else
		end = moment->kind == MOMENT_CLOCK ? take_clock(text, moment) :
						     take_date(text, moment);
	return end && !*end && (moment->kind != MOMENT_DATE || is_date(moment));
}

/* "30s ago" is 30s. */
static size_t ago_length(const char *text)
{
	static const char ago[] = " ago";
	size_t length = strlen(text);

	return length >= strlen(ago) && !strcmp(text + length - strlen(ago), ago) ? strlen(ago) : 0;
}

/**
 * moment_parse - read the moment that an option takes
 * @option: name of the option, for the message
 * @text: its argument
 * @moment: the moment; untouched on error
 *
 * Return: false after a message.
 */
bool moment_parse(const char *option, const char *text, struct moment *moment)
{
	struct moment read = { .text = text };
	char before[TEXT_MAX];
	uint64_t ms;

	snprintf(before, sizeof(before), "%.*s", (int)(strlen(text) - ago_length(text)), text);
	if (parse_is_time(before)) {
		if (!parse_time(option, before, SINCE_MIN_MS, SINCE_MAX_MS, &ms))
			return false;
		read.kind = MOMENT_BEFORE;
		read.ns = ms * NS_PER_MS;
	} else if (!read_moment(text, &read)) {
		return message_refuse("%s: '%s' is no moment (allowed: " FORMS ")", option, text);
	}
	*moment = read;
	return true;
}

static uint64_t epoch_of(struct tm *local)
{
	time_t seconds;

	local->tm_isdst = -1;
	seconds = mktime(local);
	if (seconds < 0)
		return 0;
	/* After 2500 it is "no end" that is meant, and 64 bits end in 2554. */
	return (uint64_t)seconds < LAST_S ? seconds * NS_PER_S : LAST_S * NS_PER_S;
}

/* The same time on the day of another moment, or some days later. */
static uint64_t on_day_of(const struct moment *moment, uint64_t day_ns, int later)
{
	time_t seconds = day_ns / NS_PER_S;
	struct tm local;

	if (!localtime_r(&seconds, &local))
		return 0;
	local.tm_mday += later;
	local.tm_hour = moment->local.tm_hour;
	local.tm_min = moment->local.tm_min;
	local.tm_sec = moment->local.tm_sec;
	return epoch_of(&local) + moment->ns;
}

/**
 * moment_epoch_ns - when is it?
 * @moment: a moment that was named
 * @begin_ns: begin of the time that it is about, in nanoseconds since the epoch
 * @end_ns: its end
 *
 * A time of day is that of the day of the begin, or of the next day, if that is still before the
 * end, and the former before the begin.
 *
 * Return: nanoseconds since the epoch.
 */
uint64_t moment_epoch_ns(const struct moment *moment, uint64_t begin_ns, uint64_t end_ns)
{
	struct tm local = moment->local;
	uint64_t first, next;

	switch (moment->kind) {
	case MOMENT_BEFORE:
		return end_ns > moment->ns ? end_ns - moment->ns : 0;
	case MOMENT_CLOCK:
		first = on_day_of(moment, begin_ns, 0);
		next = on_day_of(moment, begin_ns, 1);
		return first < begin_ns && next <= end_ns ? next : first;
	case MOMENT_DATE:
		return epoch_of(&local) + moment->ns;
	default:
		return moment->ns;
	}
}
