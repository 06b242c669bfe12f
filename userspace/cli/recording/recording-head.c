// SPDX-License-Identifier: GPL-2.0
/*
 * The begin of a file: which recording it belongs to.
 *
 * Two files of a rotation are of one machine and one load of the module, so that clocks and sums go
 * on, and have the same CPUs, latencies and owners. The rest of the command line may differ.
 */
#include "recording-head.h"

#include <errno.h>
#include <string.h>

#include "latency-blocks.h"
#include "owner-blocks.h"
#include "reader.h"

/* Before its first windows a file says which CPUs, latencies and owners it has. */
#define BLOCKS_MAX	16
/* getopt_long() knows the option by this much of it. */
#define ROTATE_LEAST	(sizeof("--ro") - 1)

/* The words after "--" are those of a command. */
static bool has_rotate(const char *words, size_t size)
{
	const char *word = words, *end = words + size;
	size_t length;

	for (; word < end; word += length + 1) {
		length = strnlen(word, end - word);
		if (length == 2 && !memcmp(word, "--", 2))
			return false;
		if (memchr(word, '=', length))
			length = (const char *)memchr(word, '=', length) - word;
		if (length >= ROTATE_LEAST && length < sizeof("--rotate") &&
		    !memcmp(word, "--rotate", length))
			return true;
		length = strnlen(word, end - word);
	}
	return false;
}

static void take_cpus(struct record_reader *reader, struct recording_head *head)
{
	struct record_cpu cpu;
	uint32_t i, nr;

	if (!record_entries(reader, sizeof(cpu), &nr))
		return;
	for (i = 0; i < nr; i++) {
		record_entry(reader, i, &cpu, sizeof(cpu));
		if (cpu.cpu < CPULIST_MAX)
			cpulist_set(&head->cpus, cpu.cpu);
	}
}

static void take_latencies(struct record_reader *reader, struct recording_head *head)
{
	struct latency_block block;
	struct latency_piece piece;

	if (!latency_block_begin(reader, &block))
		return;
	while (block.entries < block.head.nr && latency_block_next(&block, &piece))
		head->events |= 1ULL << (piece.record.event & 63);
}

static void take_owned(struct record_reader *reader, struct recording_head *head)
{
	struct owner_list list = { .nr = 0 };
	struct owner_block block;

	if (!owner_block_begin(reader, &list, &block))
		return;
	head->owners = true;
	head->kind = list.kind;
	head->depth = list.depth;
}

/* Return: whether there may be more to know. */
static bool take_block(struct record_reader *reader, struct recording_head *head)
{
	switch (reader->block.type) {
	case RECORD_COMMAND:
		head->rotated = has_rotate((const char *)reader->payload, reader->block.size);
		return true;
	case RECORD_CPUS:
		take_cpus(reader, head);
		return true;
	case RECORD_LATENCIES:
		take_latencies(reader, head);
		return true;
	case RECORD_OWNED:
		take_owned(reader, head);
		return true;
	case RECORD_WINDOWS:
	case RECORD_SAMPLES:
	case RECORD_END:
		return false;
	default:
		return true;
	}
}

static bool read_blocks(struct record_reader *reader, struct recording_head *head)
{
	unsigned int i;

	if (record_read(reader) != RECORD_BLOCK ||
	    !record_struct(reader, &head->info, sizeof(head->info), sizeof(head->info)))
		return false;
	record_tidy(head->info.host, sizeof(head->info.host));
	for (i = 0; i < BLOCKS_MAX && record_read(reader) == RECORD_BLOCK; i++) {
		if (!take_block(reader, head))
			break;
	}
	return true;
}

/**
 * recording_head_read - read how a file begins
 * @head: to be filled
 * @file: the file, at its begin; and so it is afterwards
 * @why: where the reason goes
 * @size: room in @why
 * @cut: the reason is that nothing was written yet, or that the rest is missing
 *
 * Return: false if it cannot be read.
 */
bool recording_head_read(struct recording_head *head, FILE *file, char *why, size_t size,
			 bool *cut)
{
	struct record_reader reader;
	bool right;

	*head = (struct recording_head){ .rotated = false };
	right = !record_read_start(&reader, file) && read_blocks(&reader, head);
	if (!right)
		snprintf(why, size, "%s", *reader.why ? reader.why : strerror(ENOMEM));
	*cut = reader.cut || (!reader.offset && !ferror(file));
	record_read_end(&reader);
	rewind(file);
	return right;
}

/**
 * recording_same_machine - are two files of one machine?
 * @one: head of a file
 * @other: head of another file
 *
 * Return: true or false.
 */
bool recording_same_machine(const struct recording_head *one, const struct recording_head *other)
{
	return !strcmp(one->info.host, other->info.host) &&
	       one->info.nr_cpus == other->info.nr_cpus;
}

/**
 * recording_same_load - are two files of one machine of one load of the module?
 * @one: head of a file
 * @other: head of another file
 *
 * Return: true or false.
 */
bool recording_same_load(const struct recording_head *one, const struct recording_head *other)
{
	return one->info.instance == other->info.instance;
}

static void add(char *text, size_t size, const char *option)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? ", " : "", option);
}

/**
 * recording_head_differ - the options in which two files differ, as far as it is seen in them
 * @one: head of a file
 * @other: head of another file
 * @text: where to; "" if there are none
 * @size: room in @text
 */
void recording_head_differ(const struct recording_head *one, const struct recording_head *other,
			   char *text, size_t size)
{
	*text = '\0';
	if (memcmp(&one->cpus, &other->cpus, sizeof(one->cpus)))
		add(text, size, "-C");
	if (!one->info.latency_ms != !other->info.latency_ms || one->events != other->events)
		add(text, size, "--latency");
	if (one->owners != other->owners || one->kind != other->kind)
		add(text, size, "--by");
	else if (one->depth != other->depth)
		add(text, size, "--depth");
}

/**
 * recording_same_run - are two files of one rotation?
 * @one: head of a file
 * @other: head of another file
 *
 * Return: true or false.
 */
bool recording_same_run(const struct recording_head *one, const struct recording_head *other)
{
	char text[64];

	if (!one->rotated || !other->rotated || one->info.subject != RECORD_OF_CPUS ||
	    other->info.subject != RECORD_OF_CPUS)
		return false;
	recording_head_differ(one, other, text, sizeof(text));
	return recording_same_machine(one, other) && recording_same_load(one, other) && !*text;
}
