// SPDX-License-Identifier: GPL-2.0
/*
 * Read the file of a recording, block by block, and notice what was changed in it or is missing.
 */
#include "reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text.h"

/* No disk writes less. */
#define SECTOR		512

static enum record_found bad(struct record_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static enum record_found bad(struct record_reader *reader, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->why, sizeof(reader->why), format, args);
	va_end(args);
	return RECORD_BAD;
}

/* Give the number of bytes that there were. */
static size_t take(struct record_reader *reader, void *to, size_t size)
{
	size_t nr = fread(to, 1, size, reader->file);

	reader->offset += nr;
	return nr;
}

static enum record_found cut_short(struct record_reader *reader)
{
	if (ferror(reader->file))
		return bad(reader, "reading fails after %llu bytes: %s",
			   (unsigned long long)reader->offset, strerror(errno));
	reader->cut = true;
	return bad(reader, "it was cut off after %llu bytes",
		   (unsigned long long)reader->offset);
}

static enum record_found read_start(struct record_reader *reader)
{
	struct record_start start;
	size_t nr = take(reader, &start, sizeof(start));

	if (!nr && !ferror(reader->file))
		return bad(reader, "it is empty");
	if (nr < sizeof(start.magic) || memcmp(start.magic, RECORD_MAGIC, sizeof(start.magic)))
		return ferror(reader->file) ? cut_short(reader) :
		       bad(reader, "it was not written by topdown record");
	if (nr < sizeof(start))
		return cut_short(reader);
	if (start.crc != record_crc(0, &start, offsetof(struct record_start, crc)))
		return bad(reader, "it is damaged: its first %zu bytes were changed",
			   sizeof(start));
	if (start.version > RECORD_VERSION)
		return bad(reader, "it has version %u, and this program knows version %u: a newer topdown reads it",
			   start.version, RECORD_VERSION);
	if (start.version != RECORD_VERSION)
		return bad(reader, "it has version %u, which there never was", start.version);
	return RECORD_BLOCK;
}

/**
 * record_read_start - begin to read a file
 * @reader: to be set up; the caller calls record_read_end() in any case
 * @file: stream, which the caller closes
 *
 * Return: 0, -ENOMEM, or -EPROTO if record_reader.why has the reason.
 */
int record_read_start(struct record_reader *reader, FILE *file)
{
	*reader = (struct record_reader){ .file = file };
	reader->payload = malloc(RECORD_BLOCK_MAX);
	if (!reader->payload)
		return -ENOMEM;
	return read_start(reader) == RECORD_BAD ? -EPROTO : 0;
}

/**
 * record_read_end - free
 * @reader: reader
 */
void record_read_end(struct record_reader *reader)
{
	free(reader->payload);
	reader->payload = NULL;
}

static enum record_found at_end(struct record_reader *reader)
{
	if (ferror(reader->file))
		return cut_short(reader);
	if (reader->ended)
		return RECORD_NOTHING;
	reader->cut = true;
	return bad(reader, "it has no end: it was cut off, or the recording did not end");
}

static bool is_whole(const struct record_reader *reader)
{
	const struct record_block *block = &reader->block;
	uint32_t crc = record_crc(0, block, offsetof(struct record_block, crc));

	return block->crc == record_crc(crc, reader->payload, block->size);
}

/* The place of the last byte that is not zero, from 1; 0 for none. */
static size_t last_byte(const unsigned char *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return size;
}

/* Whether there is nothing but zeros to the end of the file. */
static bool only_zeros(struct record_reader *reader)
{
	size_t nr;

	do {
		nr = take(reader, reader->payload, RECORD_BLOCK_MAX);
		if (last_byte(reader->payload, nr))
			return false;
	} while (nr);
	return !ferror(reader->file);
}

/*
 * A file system may keep the length of a file, and lose what was written last: then whole sectors
 * at the end are zero. @from: where the present block begins.  @there: bytes that were read of it.
 */
static enum record_found bad_block(struct record_reader *reader, uint64_t from, size_t there)
{
	uint64_t end = from + last_byte((unsigned char *)&reader->block, sizeof(reader->block));
	size_t last = there ? last_byte(reader->payload, there) : 0;

	if (last)
		end = from + sizeof(reader->block) + last;
	if (only_zeros(reader) && end <= (reader->offset - 1) / SECTOR * SECTOR) {
		reader->cut = true;
		return bad(reader, "it was cut off after %llu bytes: only zeros follow",
			   (unsigned long long)end);
	}
	return bad(reader, "it is damaged: the block at byte %llu was changed",
		   (unsigned long long)from);
}

/**
 * record_read - read a block
 * @reader: reader
 *
 * Return: what there is.
 */
enum record_found record_read(struct record_reader *reader)
{
	struct record_block *block = &reader->block;
	uint64_t from = reader->offset;
	size_t nr = take(reader, block, sizeof(*block));

	if (!nr)
		return at_end(reader);
	if (reader->ended)
		return bad(reader, "it is damaged: there is something after its end");
	if (nr < sizeof(*block))
		return cut_short(reader);
	/* A size that was changed must not cost memory. */
	if (block->size > RECORD_BLOCK_MAX || block->size % RECORD_PADDING)
		return bad_block(reader, from, 0);
	if (take(reader, reader->payload, block->size) < block->size)
		return cut_short(reader);
	if (!is_whole(reader))
		return bad_block(reader, from, block->size);
	if (block->number != reader->blocks + 1)
		return bad(reader, "it is damaged: a block is missing before byte %llu",
			   (unsigned long long)from);
	reader->blocks++;
	reader->ended = block->type == RECORD_END;
	return RECORD_BLOCK;
}

static bool odd(struct record_reader *reader)
{
	bad(reader, "its block %u makes no sense (type %u, %u bytes)", reader->block.number,
	    reader->block.type, reader->block.size);
	return false;
}

/**
 * record_struct - take the present block as one structure
 * @reader: reader
 * @to: the structure, as far as the file has it; the rest is zero
 * @size: bytes of @to
 * @least: bytes that it had when it was first released
 *
 * Return: false if the block is too short; record_reader.why says so.
 */
bool record_struct(struct record_reader *reader, void *to, size_t size, size_t least)
{
	size_t there = reader->block.size;

	if (there < least)
		return odd(reader);
	memset(to, 0, size);
	memcpy(to, reader->payload, there < size ? there : size);
	return true;
}

static struct record_array array_of(const struct record_reader *reader)
{
	struct record_array array;

	memcpy(&array, reader->payload, sizeof(array));
	return array;
}

/**
 * record_entries - take the present block as an array
 * @reader: reader
 * @least: bytes that an entry had when it was first released
 * @nr: number of entries
 *
 * Return: false if the block is no such array; record_reader.why says so.
 */
bool record_entries(struct record_reader *reader, size_t least, uint32_t *nr)
{
	struct record_array array;

	if (reader->block.size < sizeof(array))
		return odd(reader);
	array = array_of(reader);
	if (array.entry_size < least || array.entry_size % RECORD_PADDING ||
	    (uint64_t)array.entry_size * array.nr != reader->block.size - sizeof(array))
		return odd(reader);
	*nr = array.nr;
	return true;
}

/**
 * record_entry - copy an entry of the present block
 * @reader: reader after record_entries()
 * @i: place of the entry
 * @to: the entry, as far as the file has it; the rest is zero
 * @size: bytes of @to
 */
void record_entry(const struct record_reader *reader, uint32_t i, void *to, size_t size)
{
	struct record_array array = array_of(reader);
	const unsigned char *from = reader->payload + sizeof(array) + (size_t)i * array.entry_size;

	memset(to, 0, size);
	memcpy(to, from, array.entry_size < size ? array.entry_size : size);
}

/**
 * record_tidy - end a text of a file, and leave out what may break a terminal
 * @text: the text
 * @size: room in it
 */
void record_tidy(char *text, size_t size)
{
	text[size - 1] = '\0';
	printable_text(text, "");
}

/**
 * record_words - take the present block as words that end with a zero
 * @reader: reader
 * @text: the words, with spaces between, as far as there is room
 * @size: room in @text
 */
void record_words(const struct record_reader *reader, char *text, size_t size)
{
	size_t nr = reader->block.size, i;

	if (nr > size - 1)
		nr = size - 1;
	memcpy(text, reader->payload, nr);
	while (nr && !text[nr - 1])
		nr--;
	for (i = 0; i < nr; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	text[nr] = '\0';
	record_tidy(text, nr + 1);
}

/**
 * record_is_file - is a file a recording, whole or not?
 * @path: its name
 *
 * Return: true or false.
 */
bool record_is_file(const char *path)
{
	char magic[RECORD_MAGIC_SIZE] = "";
	struct stat st;
	FILE *file;

	/* Nobody waits for the other end of a pipe here. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fread(magic, 1, sizeof(magic), file) < sizeof(magic))
		magic[0] = '\0';
	fclose(file);
	return !memcmp(magic, RECORD_MAGIC, sizeof(magic));
}
