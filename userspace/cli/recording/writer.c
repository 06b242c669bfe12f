// SPDX-License-Identifier: GPL-2.0
/*
 * Write the file of a recording, block by block.  Each block has a checksum, so that no changed
 * byte goes unnoticed, and a number, so that no missing block does.
 */
#include "writer.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static int put(struct record_writer *writer, const void *what, size_t size)
{
	errno = 0;
	if (size && fwrite(what, size, 1, writer->file) != 1)
		return errno ? -errno : -EIO;
	writer->bytes += size;
	return 0;
}

/**
 * record_write_start - begin a file
 * @writer: to be set up
 * @file: stream, which the caller closes
 *
 * Return: 0 or -errno.
 */
int record_write_start(struct record_writer *writer, FILE *file)
{
	struct record_start start = { .version = RECORD_VERSION };

	*writer = (struct record_writer){ .file = file };
	memcpy(start.magic, RECORD_MAGIC, sizeof(start.magic));
	start.crc = record_crc(0, &start, offsetof(struct record_start, crc));
	return put(writer, &start, sizeof(start));
}

/* Two parts of a payload, so that an array needs no copy. */
static int put_block(struct record_writer *writer, enum record_type type, const void *head,
		     size_t head_size, const void *body, size_t body_size)
{
	static const char zeros[RECORD_PADDING];
	size_t pad = -(head_size + body_size) % RECORD_PADDING;
	struct record_block block = {
		.type = type,
		.size = head_size + body_size + pad,
		.number = ++writer->blocks,
	};
	int ret;

	block.crc = record_crc(0, &block, offsetof(struct record_block, crc));
	block.crc = record_crc(block.crc, head, head_size);
	block.crc = record_crc(block.crc, body, body_size);
	block.crc = record_crc(block.crc, zeros, pad);
	ret = put(writer, &block, sizeof(block));
	if (!ret)
		ret = put(writer, head, head_size);
	if (!ret)
		ret = put(writer, body, body_size);
	return ret ? ret : put(writer, zeros, pad);
}

/**
 * record_write - write a block that is one structure, or text
 * @writer: writer
 * @type: its type
 * @what: its bytes
 * @size: their number, at most RECORD_BLOCK_MAX
 *
 * Return: 0 or -errno.
 */
int record_write(struct record_writer *writer, enum record_type type, const void *what,
		 size_t size)
{
	return put_block(writer, type, what, size, "", 0);
}

/**
 * record_write_array - write blocks that are arrays
 * @writer: writer
 * @type: their type
 * @entries: entries of all of them
 * @entry_size: bytes of an entry, a multiple of 8
 * @nr: number of entries; for none there is no block
 *
 * Return: 0 or -errno.
 */
int record_write_array(struct record_writer *writer, enum record_type type,
		       const void *entries, size_t entry_size, size_t nr)
{
	size_t most = (RECORD_BLOCK_MAX - sizeof(struct record_array)) / entry_size;
	const unsigned char *at = entries;
	int ret = 0;

	while (nr && !ret) {
		struct record_array array = {
			.entry_size = entry_size,
			.nr = nr < most ? nr : most,
		};

		ret = put_block(writer, type, &array, sizeof(array), at, array.nr * entry_size);
		at += array.nr * entry_size;
		nr -= array.nr;
	}
	return ret;
}
