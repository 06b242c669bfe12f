// SPDX-License-Identifier: GPL-2.0
/*
 * A recording with each byte changed in turn, and cut off after each: topdown report says what is
 * wrong, and does not crash. With a right checksum a changed byte may mean anything, and the
 * program does not crash either.
 *
 * The sanitizers see a sample of the bytes: each when TOPDOWN_FULL is 1.
 *
 *   damage RECORDING
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "format.h"
#include "../check.h"
#include "message.h"
#include "report.h"

#define SIZE_MAX_OF_TEST	65536
#define SECTOR			512

static unsigned char whole[SIZE_MAX_OF_TEST], bytes[SIZE_MAX_OF_TEST];
static size_t size;
static unsigned int stride = 1;
static char said[512];
static int results, nowhere, scratch;

static void put(size_t length)
{
	if (ftruncate(scratch, length) || pwrite(scratch, bytes, length, 0) != (ssize_t)length)
		exit(1);
}

/* As the command does it, with the message kept. */
static int report(const char *option)
{
	char name[] = "report", path[64], how[32];
	char *argv[4] = { name };
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", scratch);
	snprintf(how, sizeof(how), "%s", option);
	argv[1] = how;
	argv[2] = path;
	message_hold(said, sizeof(said));
	optind = 0;
	fflush(stdout);
	dup2(nowhere, STDOUT_FILENO);
	ret = report_main(3, argv);
	fflush(stdout);
	dup2(results, STDOUT_FILENO);
	message_hold(NULL, 0);
	return ret;
}

static bool is_refused(const char *why)
{
	return report("-A") == EXIT_RUNTIME && !strncmp(said, "cannot read ", 12) &&
	       strstr(said, why);
}

static void test_changed(unsigned char with)
{
	size_t i, bad = 0;

	for (i = with % stride; i < size; i += stride) {
		memcpy(bytes, whole, size);
		bytes[i] ^= with;
		put(size);
		if (is_refused(""))
			continue;
		if (!bad++)
			ktap_note("byte %zu: %s", i, said);
	}
	check(!bad && size > 1000, with == 1 ? "a changed bit is seen" : "a changed byte is seen");
}

static void test_cut(void)
{
	size_t i, bad = 0;

	memcpy(bytes, whole, size);
	for (i = 0; i < size; i += stride) {
		put(i);
		if (is_refused(i ? "" : "it is empty"))
			continue;
		if (!bad++)
			ktap_note("%zu bytes: %s", i, said);
	}
	check(!bad, "a file that was cut off is seen");
	for (i = 0, bad = 0; i < size; i += stride) {
		put(i);
		bad += report("--partial") > EXIT_RUNTIME;
	}
	check(!bad, "a file that was cut off does no harm with --partial");
}

/* As after a power failure: the length is there, and the last sectors are not. */
static void test_zeros(void)
{
	size_t sector = (size - 1) / SECTOR * SECTOR, i, bad = 0, partly = 0;
	int cut, zeros;

	for (i = sizeof(struct record_start); i < size; i += stride) {
		memcpy(bytes, whole, size);
		memset(bytes + i, 0, size - i);
		put(size);
		/* The last bytes may be zero anyway. */
		if (memcmp(bytes, whole, size) &&
		    !is_refused(i <= sector ? "only zeros follow" : "cannot read"))
			bad++;
		zeros = report("--partial");
		put(i);
		cut = report("--partial");
		partly += i <= sector && zeros == EXIT_OK;
		/* Some blocks end with zeros anyway, and are whole. */
		if (i <= sector && (cut == EXIT_OK ? zeros : zeros > EXIT_RUNTIME) && !bad++)
			ktap_note("zeros from %zu: %d instead of %d, %s", i, zeros, cut, said);
	}
	check(!bad && partly, "a file whose last sectors are zero is as a cut one with --partial");
}

static void test_more(void)
{
	memcpy(bytes, whole, size);
	bytes[size] = 0;
	put(size + 1);
	check(is_refused("something after its end"), "a byte too many is seen");
}

/* Give the right checksum to the block at @at, and tell where the next one is. */
static size_t mend(size_t at)
{
	struct record_block block;

	if (at + sizeof(block) > size)
		return size;
	memcpy(&block, bytes + at, sizeof(block));
	if (block.size > size - at - sizeof(block))
		return size;
	block.crc = crc32(0, bytes + at, offsetof(struct record_block, crc));
	block.crc = crc32(block.crc, bytes + at + sizeof(block), block.size);
	memcpy(bytes + at, &block, sizeof(block));
	return at + sizeof(block) + block.size;
}

static void test_version(void)
{
	struct record_start *start = (struct record_start *)bytes;

	memcpy(bytes, whole, size);
	start->version = RECORD_VERSION + 1;
	start->crc = crc32(0, bytes, offsetof(struct record_start, crc));
	put(size);
	check(is_refused("it has version 2, and this program knows version 1: a newer topdown"),
	      "a newer version is seen");
	start->version = 0;
	start->crc = crc32(0, bytes, offsetof(struct record_start, crc));
	put(size);
	check(is_refused("which there never was"), "version 0 is seen");
}

/* A block that is not known, and structures that have grown. */
static void test_newer_blocks(void)
{
	struct record_block block = { .type = 77, .size = 8, .number = 2 };
	size_t first = sizeof(struct record_start), second, at;
	struct record_block info;

	memcpy(&info, whole + first, sizeof(info));
	second = first + sizeof(info) + info.size;
	memcpy(bytes, whole, second);
	memcpy(bytes + second, &block, sizeof(block));
	memset(bytes + second + sizeof(block), 0x5a, block.size);
	at = second + sizeof(block) + block.size;
	memcpy(bytes + at, whole + second, size - second);
	size += at - second;
	for (at = second; at < size; at = mend(at)) {
		if (at > second)
			((struct record_block *)(bytes + at))->number++;
	}
	put(size);
	check(report("-A") == EXIT_OK, "a block of a later release is left out");
	size -= sizeof(block) + block.size;
}

/* A recording of CPUs has no tasks, and the other way round. */
static void test_crossed(void)
{
	static const char * const forms[] = { "-A", "--windows", "--steps", "--trace=/dev/null" };
	uint32_t *subject = (uint32_t *)(bytes + sizeof(struct record_start) +
					 sizeof(struct record_block));
	size_t i, at, bad = 0;

	memcpy(bytes, whole, size);
	*subject = *subject == RECORD_OF_CPUS ? RECORD_OF_TASKS : RECORD_OF_CPUS;
	for (at = sizeof(struct record_start); at < size;)
		at = mend(at);
	put(size);
	for (i = 0; i < 4; i++)
		bad += report(forms[i]) != EXIT_RUNTIME || !strstr(said, "it has CPUs and tasks");
	check(!bad, "blocks of the other kind are seen");
}

static void test_senseless(void)
{
	static const unsigned char with[] = { 0x01, 0x80, 0xff };
	static const char * const forms[] = {
		"-A", "--windows", "--steps", "-j", "--trace=/dev/null",
	};
	size_t i, at, refused = 0, tried = 0;

	for (i = sizeof(struct record_start); i < size; i += stride) {
		memcpy(bytes, whole, size);
		bytes[i] ^= with[tried % sizeof(with)];
		for (at = sizeof(struct record_start); at < size;)
			at = mend(at);
		put(size);
		refused += report(forms[tried % 5]) != EXIT_OK;
		tried++;
	}
	ktap_note("%zu of %zu were refused", refused, tried);
	check(refused && refused < tried, "a block that makes no sense is seen despite its checksum");
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	const char *full = getenv("TOPDOWN_FULL");

	/* A file of no disk: there are tens of thousands of versions. */
	scratch = memfd_create("damaged", 0);
	if (!file || scratch < 0)
		return 1;
#ifdef __SANITIZE_ADDRESS__
	/* A prime, so that in arrays each byte of an entry has its turn. */
	if (!full || strcmp(full, "1"))
		stride = 23;
#else
	(void)full;
#endif
	size = fread(whole, 1, sizeof(whole) - 4096, file);
	fclose(file);
	ktap_begin(&ktap, 12);
	results = dup(STDOUT_FILENO);
	nowhere = open("/dev/null", O_WRONLY);
	memcpy(bytes, whole, size);
	put(size);
	check(report("-A") == EXIT_OK, "the file as it is can be read");
	test_changed(0xff);
	test_changed(1);
	test_cut();
	test_zeros();
	test_more();
	test_version();
	test_newer_blocks();
	test_crossed();
	test_senseless();
	return ktap_end(&ktap);
}
