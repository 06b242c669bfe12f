// SPDX-License-Identifier: GPL-2.0
/*
 * topdown perf --ratios: ratios of the counts that "perf stat -x," or "perf script" prints.
 *
 * perf's own metrics cannot be extended from outside: they are compiled into it.
 */
#include "perf.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "known.h"
#include "message.h"
#include "text.h"

#define EVENT		PERF_EVENT
#define SLOTS		TD_NR_NODES
#define FIELDS_MAX	32
#define SCOPE_MAX	512
/* perf prints shares with two digits. */
#define ALL_THE_TIME	99.99
/* Counts have 64 bits; the largest double below that. */
#define COUNT_END	0x1p64
#define COUNT_MAX	(0x1.fffffffffffffp63)

/**
 * struct scope - what counts are of: a CPU, a cgroup, a function, or all there is
 * @name: its name; empty where perf does not say
 * @count: of each node, and slots
 * @known: bit n: @count[n] is known
 * @counted: percent of the time in which slots were counted
 */
struct scope {
	char name[SCOPE_MAX];
	double count[TD_NR_NODES + 1];
	unsigned int known;
	double counted;
};

/**
 * struct ratios - what was read and not yet printed
 * @scope: scopes in the order of their first line
 * @nr: number of scopes
 * @room: room for so many
 * @time: end of the interval; empty without intervals
 * @samples: they are samples' counts
 * @by: "comm" or "pid"; NULL for functions
 * @blocks: number of scopes that were printed
 * @out: where to print
 * @failed: errno, or 0
 */
struct ratios {
	struct scope *scope;
	size_t nr;
	size_t room;
	char time[32];
	bool samples;
	const char *by;
	unsigned long blocks;
	FILE *out;
	int failed;
};

/* The latest scopes come first: perf prints the events of a scope in a row. */
static struct scope *scope_find(struct ratios *ratios, const char *name)
{
	struct scope *more;
	size_t i;

	for (i = ratios->nr; i-- > 0; )
		if (!strncmp(ratios->scope[i].name, name, SCOPE_MAX - 1))
			return &ratios->scope[i];
	if (ratios->nr == ratios->room) {
		ratios->room = ratios->room ? 2 * ratios->room : 64;
		more = reallocarray(ratios->scope, ratios->room, sizeof(*more));
		if (!more) {
			ratios->failed = ENOMEM;
			return NULL;
		}
		ratios->scope = more;
	}
	more = &ratios->scope[ratios->nr++];
	*more = (struct scope){ .counted = 100 };
	snprintf(more->name, sizeof(more->name), "%s", name);
	return more;
}

static void put_node(const struct ratios *ratios, const struct scope *scope, unsigned int node)
{
	const char *indent = topdown_node_level(node) == 2 ? "    " : "  ";

	if (scope->known >> node & 1)
		fprintf(ratios->out, "%s%-*s %5.1f%%\n", indent, topdown_node_level(node) == 2 ?
			26 : 28, topdown_node_name(node),
			100 * scope->count[node] / scope->count[SLOTS]);
}

/* As a tree. */
static void put_nodes(const struct ratios *ratios, const struct scope *scope)
{
	unsigned int node, child;

	for (node = 0; node < TD_NR_NODES; node++) {
		if (topdown_node_level(node) != 1)
			continue;
		put_node(ratios, scope, node);
		for (child = 0; child < TD_NR_NODES; child++)
			if (topdown_node_parent(child) == (int)node)
				put_node(ratios, scope, child);
	}
}

static void put_scope(struct ratios *ratios, const struct scope *scope, double all)
{
	char slots[GROUPED_SIZE];

	if (!(scope->known >> SLOTS & 1) || !(scope->count[SLOTS] > 0))
		return;
	grouped_text(slots, scope->count[SLOTS]);
	if (*ratios->time)
		fprintf(ratios->out, "%s s ", ratios->time);
	fprintf(ratios->out, "%s%s%s slots", scope->name, *scope->name ? ": " : "", slots);
	if (ratios->samples)
		fprintf(ratios->out, ", %.1f%% of all", 100 * scope->count[SLOTS] / all);
	if (scope->counted < ALL_THE_TIME)
		fprintf(ratios->out, ", counted %.1f%% of the time", scope->counted);
	putc('\n', ratios->out);
	put_nodes(ratios, scope);
	ratios->blocks++;
}

static int by_slots(const void *one, const void *other)
{
	const struct scope *a = one, *b = other;

	return a->count[SLOTS] > b->count[SLOTS] ? -1 : a->count[SLOTS] < b->count[SLOTS];
}

/* Print what was read, and forget it. */
static void flush(struct ratios *ratios)
{
	double all = 0;
	size_t i;

	if (ratios->samples)
		qsort(ratios->scope, ratios->nr, sizeof(*ratios->scope), by_slots);
	for (i = 0; i < ratios->nr; i++)
		all += ratios->scope[i].count[SLOTS];
	for (i = 0; i < ratios->nr; i++)
		put_scope(ratios, &ratios->scope[i], all);
	ratios->nr = 0;
	if (fflush(ratios->out))
		ratios->failed = errno;
}

/* Nothing for "<not counted>", or for a number that no counter of perf can have. */
static void add(struct scope *scope, int event, const char *text)
{
	double count;
	char *end;

	count = strtod(text, &end);
	if (end == text || !(count >= 0 && count < COUNT_END))
		return;
	/* The sum of many lines stays below that, too. */
	scope->count[event] = fmin(scope->count[event] + count, COUNT_MAX);
	scope->known |= 1U << event;
}

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* Is it a number with a fraction, such as the end of an interval or a share? */
static bool is_fraction(const char *text)
{
	char *end;

	strtod(text, &end);
	return end != text && !*end && strchr(text, '.');
}

static void begin_interval(struct ratios *ratios, const char *time)
{
	time += strspn(time, " ");
	if (strcmp(ratios->time, time))
		flush(ratios);
	snprintf(ratios->time, sizeof(ratios->time), "%s", time);
}

/* The name of a cgroup follows that of a CPU. */
static void join(char name[SCOPE_MAX], const char *more)
{
	size_t length = strlen(name);

	snprintf(name + length, SCOPE_MAX - length, "%s%s", length ? " " : "", more);
}

/*
 * Read the fields after the event: the cgroup or the deviation of runs, if there is one; running
 * time and its share.  Join @name with the name of the cgroup.  Return: the share.
 */
static double read_rest(char **field, unsigned int nr, char name[SCOPE_MAX])
{
	if (nr > 2 && !is_fraction(field[1])) {
		if (!strchr(*field, '%'))
			join(name, *field);
		field++;
		nr--;
	}
	return nr > 1 && is_fraction(field[1]) ? strtod(field[1], NULL) : 100;
}

/* What separates the fields of a line: that after our event, or what there is most of. */
static char separator_of(const char *line)
{
	const char *event = strstr(line, EVENT), *at;

	if (!event)
		return strchr(line, ';') && !strchr(line, ',') ? ';' : ',';
	at = strchr(event + strlen(EVENT), '/');
	if (!at)
		return ',';
	at++;
	at += strspn(at, "ukhGHpPSDWe");
	return *at ? *at : ',';
}

/* Field @i and the next one are the parts of a number, as a locale with commas has it. */
static void join_number(char **field, unsigned int *nr, unsigned int i)
{
	field[i + 1][-1] = '.';
	memmove(&field[i + 1], &field[i + 2], (*nr - i - 2) * sizeof(*field));
	--*nr;
}

/* The end of an interval has nine digits after the comma. */
static void join_time(char **field, unsigned int *nr)
{
	if (*nr > 4 && is_number(field[0] + strspn(field[0], " ")) && is_number(field[1]) &&
	    strlen(field[1]) == 9 && perf_event(field[3]) < 0)
		join_number(field, nr, 0);
}

/* After the event: the deviation of runs, and the share after the running time. */
static void join_shares(char **field, unsigned int *nr)
{
	unsigned int i;

	if (*nr > 1 && is_number(field[0]) && strchr(field[1], '%'))
		join_number(field, nr, 0);
	for (i = 0; i + 2 < *nr; i++) {
		if (is_number(field[i]) && is_number(field[i + 1]) && is_number(field[i + 2]) &&
		    strlen(field[i + 1]) <= 3 && strlen(field[i + 2]) == 2) {
			join_number(field, nr, i + 1);
			return;
		}
	}
}

/* Where commas separate no fields, they are those of numbers. */
static void points_of(char *text)
{
	char *comma = strchr(text, ',');

	if (comma && is_number(comma + 1 + strspn(comma + 1, "%")))
		*comma = '.';
}

static unsigned int split(char *line, char **field)
{
	char separator[] = { separator_of(line), '\0' };
	unsigned int nr = 0;

	while (line && nr < FIELDS_MAX) {
		field[nr] = strsep(&line, separator);
		if (*separator != ',')
			points_of(field[nr]);
		nr++;
	}
	if (*separator == ',')
		join_time(field, &nr);
	return nr;
}

/*
 * A line of "perf stat -x": the end of the interval, the CPU or the like and how many, all
 * if asked for; count, unit, event; and the rest.
 */
static bool read_stat(struct ratios *ratios, char *line)
{
	char *field[FIELDS_MAX] = { NULL }, name[SCOPE_MAX] = "";
	unsigned int nr = split(line, field), rest, at, i;
	struct scope *scope;
	int event = -1;
	double counted;

	for (at = 2; at < nr && event < 0; at++)
		event = perf_event(field[at]);
	/* perf prints more fields than that for any event. */
	if (event < 0)
		return nr > 4;
	for (i = 0; i + 3 < at; i++) {
		if (!i && is_fraction(field[i]))
			begin_interval(ratios, field[i]);
		else if (!is_number(field[i]))
			join(name, field[i]);
	}
	rest = nr - at;
	join_shares(field + at, &rest);
	counted = read_rest(field + at, rest, name);
	scope = scope_find(ratios, name);
	if (!scope)
		return true;
	if (event == SLOTS)
		scope->counted = counted;
	add(scope, event, field[at - 3]);
	return true;
}

/* The name of a function after its address, if it is known. */
static const char *function_of(char *where)
{
	char *end;

	strtoull(where, &end, 16);
	if (end != where && (!*end || *end == ' '))
		where = end + strspn(end, " ");
	return *where ? where : "[unknown]";
}

/* The process, without its number or with it. */
static const char *process_of(char *who, bool number)
{
	char *last = strrchr(who, ' ');

	if (!number && last && is_number(last + 1)) {
		while (last > who && last[-1] == ' ')
			last--;
		*last = '\0';
	}
	return *who ? who : "[unknown]";
}

static bool read_script(struct ratios *ratios, char *line)
{
	struct perf_sample sample;
	struct scope *scope;
	const char *name;

	if (!perf_sample(line, &sample))
		return false;
	if (sample.event < 0)
		return true;
	ratios->samples = true;
	name = ratios->by ? process_of(sample.who, *ratios->by == 'p') :
			    function_of(sample.where);
	scope = scope_find(ratios, name);
	if (scope)
		add(scope, sample.event, sample.count);
	return true;
}

/* Try one reader on a copy, because it takes the line apart. */
static bool try(struct ratios *ratios, const char *line,
		bool (*reader)(struct ratios *ratios, char *line))
{
	char *copy = strdup(line);
	bool known;

	if (!copy) {
		ratios->failed = ENOMEM;
		return true;
	}
	known = reader(ratios, copy);
	free(copy);
	return known;
}

/* A line that is of neither form is a message of perf to its user: pass it on. */
static void read_line(struct ratios *ratios, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (!line[strspn(line, " ")] || *line == '#')
		return;
	if (strpbrk(line, ",;") && !ratios->samples && try(ratios, line, read_stat))
		return;
	if (!try(ratios, line, read_script))
		fprintf(stderr, "%s\n", line);
}

/**
 * perf_ratios - turn counts of perf into ratios
 * @in: what perf prints
 * @out: where to print
 * @by: what samples are added up by: comm, pid or sym; NULL for sym
 *
 * Return: exit code.
 */
int perf_ratios(FILE *in, FILE *out, const char *by)
{
	struct ratios ratios = { .out = out };
	char *line = NULL;
	size_t size = 0;

	if (by && strcmp(by, "sym"))
		ratios.by = by;
	while (!ratios.failed && getline(&line, &size, in) > 0)
		read_line(&ratios, line);
	if (!ratios.failed)
		flush(&ratios);
	free(ratios.scope);
	free(line);
	if (ratios.failed)
		return message_write("standard output", ratios.failed);
	if (ratios.blocks)
		return EXIT_OK;
	return message_fail(EXIT_RUNTIME, "--ratios: there are no counts of topdown/slots/ (allowed: what 'perf stat -x,' or 'perf script -F event,period,ip,sym' prints)");
}
