// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report of files that nobody wrote on purpose.  The sums of blocks are put right, or no
 * input would get past them.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "format.h"
#include "fuzz.h"
#include "report.h"

#define FILE_MAX	(1U << 16)

static const char * const modes[][4] = {
	{ NULL },
	{ "-A", "--steps", "-j" },
	{ "--windows", "-x;" },
	{ "--latency", "--steps", "-A" },
	{ "-A", "--html", "/dev/null" },
	{ "--trace", "/dev/null" },
	{ "--diff", "", "-j" },
	{ "-C0-3", "--steps" },
	{ "--latency", "-j", "-A" },
	{ "--owners", "--steps", "-j" },
	{ "--owners", "-l2", "--self", "--sort=ipc" },
	{ "--html", "/dev/null", "--top=3" },
};

static void repair(unsigned char *file, size_t size)
{
	struct record_start *start = (struct record_start *)file;
	struct record_block *block;
	uint32_t number = 1, length;
	size_t at = sizeof(*start);

	memcpy(start->magic, RECORD_MAGIC, RECORD_MAGIC_SIZE);
	start->version = RECORD_VERSION;
	start->crc = crc32(0, file, offsetof(struct record_start, crc));
	while (at + sizeof(*block) <= size) {
		block = (struct record_block *)(file + at);
		block->number = number++;
		length = block->size;
		if (length % 8 || length > size - at - sizeof(*block))
			return;
		block->crc = crc32(0, file + at, offsetof(struct record_block, crc));
		block->crc = crc32(block->crc, file + at + sizeof(*block), length);
		at += sizeof(*block) + length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(8) unsigned char file[FILE_MAX];
	char partial[] = "--partial", command[] = "report", path[32];
	char *argv[8] = { command, partial };
	unsigned int mode, argc = 2, i;
	int fd;

	if (size < 1 + sizeof(struct record_start) || size > FILE_MAX)
		return 0;
	mode = data[0] % (sizeof(modes) / sizeof(modes[0]));
	memcpy(file, data + 1, size - 1);
	repair(file, size - 1);

	fd = memfd_create("recording", 0);
	if (fd < 0 || write(fd, file, size - 1) != (ssize_t)size - 1)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (i = 0; i < 4 && modes[mode][i]; i++)
		argv[argc++] = *modes[mode][i] ? (char *)modes[mode][i] : path;
	argv[argc++] = path;
	/* 0 makes GNU getopt begin again. */
	optind = 0;
	report_main(argc, argv);
	close(fd);
	return 0;
}
