// SPDX-License-Identifier: GPL-2.0
/*
 * The instructions of the function that loses most slots of a node, each with its share. objdump
 * of binutils writes them; without it there are the addresses alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"
#include "text.h"
#include "where-output.h"

#define OBJDUMP		"objdump"
#define EXIT_NO_OBJDUMP	127
/* Nobody's program needs as much, but one that was made to. */
#define OBJDUMP_BYTES	(2ULL << 30)
#define OBJDUMP_SECONDS	60

/**
 * struct line - an instruction of the function that has samples
 * @address: as in the file
 * @share: of the slots of the node, 0 to 1, for all reasons together
 * @largest: the largest share of one reason
 * @reason: that reason
 * @samples: number of samples
 */
struct line {
	uint64_t address;
	double share;
	double largest;
	uint16_t reason;
	uint64_t samples;
};

struct listing {
	const struct where_run *run;
	const struct where_rows *rows;
	const struct where_row *function;
	size_t nr, room;
	struct line *line;
};

static struct line *get_line(struct listing *listing, uint64_t address)
{
	struct line *more;
	size_t i, room;

	for (i = 0; i < listing->nr; i++) {
		if (listing->line[i].address == address)
			return &listing->line[i];
	}
	if (listing->nr == listing->room) {
		room = listing->room ? listing->room * 2 : 64;
		more = reallocarray(listing->line, room, sizeof(*more));
		if (!more)
			return NULL;
		listing->line = more;
		listing->room = room;
	}
	listing->line[listing->nr] = (struct line){ .address = address };
	return &listing->line[listing->nr++];
}

static bool of_function(const struct listing *listing, const struct where_point *point)
{
	const struct where_symbol *symbol = listing->function->symbol;

	return point->place.object == listing->function->place.object &&
	       point->place.address >= symbol->start &&
	       point->place.address < symbol->start + symbol->size;
}

static bool locates(const struct listing *listing, const struct where_point *point)
{
	const struct topdown_stalls *stalls = listing->run->stalls;
	struct topdown_stalls_event event;

	return point->cost[listing->rows->node] > 0 &&
	       !topdown_stalls_event_get(stalls, point->event, &event, sizeof(event)) &&
	       event.role == TOPDOWN_STALLS_LOCATES;
}

static int compare(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static int collect(struct listing *listing)
{
	const struct where_point *point = NULL;
	unsigned int node = listing->rows->node;
	struct line *line;

	while ((point = where_points_next(listing->run->points, point))) {
		double share = point->cost[node] / listing->rows->cost;

		if (!of_function(listing, point) || !locates(listing, point))
			continue;
		line = get_line(listing, point->place.address);
		if (!line)
			return -ENOMEM;
		line->share += share;
		line->samples += point->nr[node];
		if (share > line->largest) {
			line->largest = share;
			line->reason = point->reason;
		}
	}
	if (listing->nr)
		qsort(listing->line, listing->nr, sizeof(listing->line[0]), compare);
	return 0;
}

/* A file of 1 MB can make objdump work for ever, or fill the memory. */
static void limit(int what, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(what, &now) || now.rlim_cur > most)
		setrlimit(what, &(struct rlimit){ most, most });
}

/* This is in the child. */
static void run_objdump(const struct listing *listing, int fd)
{
	const struct where_symbol *symbol = listing->function->symbol;
	int program = where_symbols_open(listing->run->symbols, listing->function->place.object);
	char from[40], to[40], path[32];

	/* The same file as was looked into, whatever has its name now. */
	if (program < 0 || fcntl(program, F_SETFD, 0))
		_exit(EXIT_NO_OBJDUMP);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", program);
	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, symbol->start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, symbol->start + symbol->size);
	dup2(fd, STDOUT_FILENO);
	limit(RLIMIT_DATA, OBJDUMP_BYTES);
	limit(RLIMIT_CPU, OBJDUMP_SECONDS);
	execlp(OBJDUMP, OBJDUMP, "-d", "-C", "--no-show-raw-insn", from, to, path, (char *)NULL);
	_exit(EXIT_NO_OBJDUMP);
}

static void put_line(FILE *file, const struct line *line, uint64_t address, const char *text)
{
	if (line)
		fprintf(file, "%6.2f%% %7" PRIu64 "  %-24s %8" PRIx64 "  %s\n", line->share * 100,
			line->samples, topdown_stall_reason_name(line->reason), address, text);
	else
		fprintf(file, "%*s %8" PRIx64 "  %s\n", 41, "", address, text);
}

static const struct line *line_at(const struct listing *listing, uint64_t address)
{
	struct line key = { .address = address };

	if (!listing->nr)
		return NULL;
	return bsearch(&key, listing->line, listing->nr, sizeof(key), compare);
}

/* "  401136:<tab>mov ..." is an instruction, and the rest is not wanted. */
static size_t put_instructions(FILE *file, const struct listing *listing, FILE *dump)
{
	char *text = NULL, *end;
	size_t size = 0, nr = 0;
	uint64_t address;

	while (getline(&text, &size, dump) > 0) {
		address = strtoull(text, &end, 16);
		if (end == text || end[0] != ':' || end[1] != '\t')
			continue;
		end[strcspn(end, "\n")] = '\0';
		/* Names of functions are in there. */
		printable_text(end + 2, "\t");
		put_line(file, line_at(listing, address), address, end + 2);
		nr++;
	}
	free(text);
	return nr;
}

static size_t put_objdump(FILE *file, const struct listing *listing)
{
	size_t nr = 0;
	int fds[2];
	FILE *dump;
	pid_t pid;

	if (pipe(fds))
		return 0;
	fflush(file);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		run_objdump(listing, fds[1]);
	}
	close(fds[1]);
	dump = pid > 0 ? fdopen(fds[0], "r") : NULL;
	if (dump) {
		nr = put_instructions(file, listing, dump);
		fclose(dump);
	} else {
		close(fds[0]);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return nr;
}

void where_annotate(FILE *file, const struct where_run *run, const struct where_rows *rows)
{
	struct listing listing = { .run = run, .rows = rows, .function = &rows->row[0] };
	const struct where_symbol *symbol = rows->row[0].symbol;
	size_t i;

	if (!symbol->name || !symbol->size) {
		fputs("\nno listing: the hottest place is in no function that is known\n", file);
		return;
	}
	if (collect(&listing)) {
		message_error("where: %s", strerror(ENOMEM));
		return;
	}
	fprintf(file, "\n%s, %s of %s\n%7s %7s  %-24s %8s\n", topdown_node_name(rows->node),
		symbol->name, where_symbols_object(run->symbols, rows->row[0].place.object),
		"share", "samples", "reason", "address");
	if (!put_objdump(file, &listing)) {
		for (i = 0; i < listing.nr; i++)
			put_line(file, &listing.line[i], listing.line[i].address, "");
		message_note("where: no instructions are shown: the file cannot be opened any more, or there is no objdump that can read it (package binutils)");
	}
	free(listing.line);
}
