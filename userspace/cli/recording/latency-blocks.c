// SPDX-License-Identifier: GPL-2.0
/*
 * The blocks of a recording that have latencies: entries of one interval, and after them their
 * bins.  Of the 112 bins of an event few have a sample in an interval, so only these are there.
 */
#include "latency-blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BIN_EVENTS	((1ULL << RECORD_BIN_SHIFT) - 1)
/* The sizes in the first release. */
#define HEAD_SIZE_MIN	32
#define ENTRY_SIZE_MIN	80

_Static_assert(sizeof(struct record_latencies) == HEAD_SIZE_MIN, "the layout of a file stays");
_Static_assert(sizeof(struct record_latency) == ENTRY_SIZE_MIN, "the layout of a file stays");

static unsigned int count_bins(const struct topdown_latency_record *record)
{
	unsigned int i, nr = 0;

	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++)
		nr += !!record->bin[i];
	return nr;
}

static size_t size_of(const struct record_latencies *head)
{
	return sizeof(*head) + (size_t)head->nr * sizeof(struct record_latency) +
	       (size_t)head->nr_bins * sizeof(uint64_t);
}

/* As many pieces as a block has room for. */
static void fit(struct record_latencies *head, const struct latency_piece *pieces, unsigned int nr)
{
	struct record_latencies more = {
		.size = sizeof(more),
		.entry_size = sizeof(struct record_latency),
		.begin_ns = pieces->begin_ns,
		.end_ns = pieces->end_ns,
	};

	*head = more;
	for (; more.nr < nr; *head = more) {
		more.nr_bins += count_bins(&pieces[more.nr].record);
		more.nr++;
		if (size_of(&more) > RECORD_BLOCK_MAX)
			return;
	}
}

static unsigned char *put_entry(unsigned char *to, const struct latency_piece *piece)
{
	const struct topdown_latency_record *record = &piece->record;
	struct record_latency entry = {
		.event = record->event,
		.subject = piece->subject,
		.flags = record->flags,
		.nr_bins = count_bins(record),
		.samples = record->samples,
		.events = record->events,
		.sum = record->sum,
		.running_ns = record->running_ns,
		.elapsed_ns = record->elapsed_ns,
		.min = record->min,
		.max = record->max,
		.counted = record->counted,
		.lost = record->lost,
	};

	memcpy(to, &entry, sizeof(entry));
	return to + sizeof(entry);
}

static unsigned char *put_bins(unsigned char *to, const struct topdown_latency_record *record)
{
	unsigned int i;
	uint64_t bin;

	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++) {
		if (!record->bin[i])
			continue;
		bin = (uint64_t)i << RECORD_BIN_SHIFT | (record->bin[i] & BIN_EVENTS);
		memcpy(to, &bin, sizeof(bin));
		to += sizeof(bin);
	}
	return to;
}

static int put_block(struct record_writer *writer, const struct record_latencies *head,
		     const struct latency_piece *pieces)
{
	unsigned char *bytes = malloc(size_of(head)), *to = bytes;
	unsigned int i;
	int ret;

	if (!bytes)
		return -ENOMEM;
	memcpy(to, head, sizeof(*head));
	to += sizeof(*head);
	for (i = 0; i < head->nr; i++)
		to = put_entry(to, &pieces[i]);
	for (i = 0; i < head->nr; i++)
		to = put_bins(to, &pieces[i].record);
	ret = record_write(writer, RECORD_LATENCIES, bytes, to - bytes);
	free(bytes);
	return ret;
}

/**
 * record_write_latencies - write the latencies of an interval
 * @writer: the file
 * @pieces: what was sampled, all in the same interval
 * @nr: number of @pieces; for none there is no block
 *
 * Return: 0 or -errno.
 */
int record_write_latencies(struct record_writer *writer, const struct latency_piece *pieces,
			   unsigned int nr)
{
	struct record_latencies head;
	int ret = 0;

	for (; nr && !ret; nr -= head.nr, pieces += head.nr) {
		fit(&head, pieces, nr);
		ret = put_block(writer, &head, pieces);
	}
	return ret;
}

static bool odd(struct record_reader *reader, const char *what)
{
	snprintf(reader->why, sizeof(reader->why), "its block %u makes no sense: %s",
		 reader->block.number, what);
	return false;
}

/* More than any block has, if a number is too large for one. */
static uint64_t length_of(const struct record_latencies *head)
{
	if (head->nr > RECORD_BLOCK_MAX || head->nr_bins > RECORD_BLOCK_MAX)
		return UINT64_MAX;
	return head->size + (uint64_t)head->entry_size * head->nr +
	       (uint64_t)head->nr_bins * sizeof(uint64_t);
}

/**
 * latency_block_begin - begin to read the present block
 * @reader: the file
 * @block: to be set up
 *
 * Return: false if it is no such block; record_reader.why says so.
 */
bool latency_block_begin(struct record_reader *reader, struct latency_block *block)
{
	struct record_latencies *head = &block->head;

	*block = (struct latency_block){ .reader = reader };
	if (!record_struct(reader, head, sizeof(*head), HEAD_SIZE_MIN))
		return false;
	if (head->size < HEAD_SIZE_MIN || head->size % 8 || head->entry_size < ENTRY_SIZE_MIN ||
	    head->entry_size % 8 || length_of(head) != reader->block.size)
		return odd(reader, "its parts are not as long as it is");
	if (head->end_ns < head->begin_ns)
		return odd(reader, "its clock goes back");
	return true;
}

/* The entry, as far as the file has it; the rest is zero. */
static struct record_latency entry_of(const struct latency_block *block)
{
	const struct record_latencies *head = &block->head;
	struct record_latency entry = { .event = 0 };

	memcpy(&entry, block->reader->payload + head->size +
	       (size_t)head->entry_size * block->entries,
	       head->entry_size < sizeof(entry) ? head->entry_size : sizeof(entry));
	return entry;
}

static uint64_t bin_of(const struct latency_block *block)
{
	const struct record_latencies *head = &block->head;
	uint64_t bin;

	memcpy(&bin, block->reader->payload + head->size + (size_t)head->entry_size * head->nr +
	       (size_t)block->bins * sizeof(bin), sizeof(bin));
	return bin;
}

static bool take_bins(struct latency_block *block, unsigned int nr,
		      struct topdown_latency_record *record)
{
	uint64_t bin;

	if (nr > block->head.nr_bins - block->bins)
		return odd(block->reader, "a bin is missing");
	for (; nr; nr--, block->bins++) {
		bin = bin_of(block);
		if (bin >> RECORD_BIN_SHIFT >= TOPDOWN_LATENCY_BINS)
			return odd(block->reader, "there is no such bin");
		record->bin[bin >> RECORD_BIN_SHIFT] += bin & BIN_EVENTS;
	}
	return true;
}

/**
 * latency_block_next - read the next entry
 * @block: block after latency_block_begin(), which has another entry
 * @piece: to be filled
 *
 * Return: false if it makes no sense; record_reader.why says so.
 */
bool latency_block_next(struct latency_block *block, struct latency_piece *piece)
{
	const struct record_latencies *head = &block->head;
	struct record_latency entry = entry_of(block);

	block->entries++;
	if (entry.event >= LATENCY_EVENTS)
		return odd(block->reader, "there is no such event");
	*piece = (struct latency_piece){
		.subject = entry.subject,
		.begin_ns = head->begin_ns,
		.end_ns = head->end_ns,
		.record = {
			.event = entry.event,
			.cpu = TOPDOWN_CPU_ALL,
			.flags = entry.flags,
			.samples = entry.samples,
			.events = entry.events,
			.sum = entry.sum,
			.min = entry.min,
			.max = entry.max,
			.running_ns = entry.running_ns,
			.elapsed_ns = entry.elapsed_ns,
			.counted = entry.counted,
			.lost = entry.lost,
		},
	};
	return take_bins(block, entry.nr_bins, &piece->record);
}

/**
 * latency_block_end - check that nothing is left
 * @block: block of which all entries were read
 *
 * Return: false if a bin is left; record_reader.why says so.
 */
bool latency_block_end(struct latency_block *block)
{
	return block->bins == block->head.nr_bins || odd(block->reader, "a bin belongs to nothing");
}
