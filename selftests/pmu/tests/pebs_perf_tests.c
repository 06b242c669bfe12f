// SPDX-License-Identifier: GPL-2.0
/* PEBS through the perf command: what its file has is what the emulator wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "pmu_test.h"

#define FILE_NAME	"/tmp/pebs.data"
#define BIMODAL		0x01d3		/* As in pebs_tests.c. */
#define LOAD_LATENCY	0x01cd
#define RATE		30000

/* The beginning of a perf.data: where the records are. */
struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	uint64_t attr_offset, attr_bytes;
	uint64_t offset, bytes;
};

struct figures {
	uint64_t samples, retire, instruction, cache;
};

/* The command runs elsewhere, and this CPU has something to sample until it ends. */
static void while_spinning(const char *command)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		pin(0);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	while (!waitpid(pid, &status, WNOHANG))
		spin_ms(5);
	expect(!status, "'%s' failed with %#x", command, status);
}

/* @after: words of a sample behind its weight. */
static void add(struct figures *f, const char *record, unsigned int size, unsigned int after)
{
	uint64_t weight;

	memcpy(&weight, record + size - 8 * (1 + after), sizeof(weight));
	f->samples++;
	f->cache += (uint32_t)weight;
	f->instruction += weight >> 32 & 0xffff;
	f->retire += weight >> 48;
}

static struct figures figures(unsigned int after)
{
	struct figures f = { 0 };
	struct perf_event_header h;
	struct file_header head;
	FILE *file = fopen(FILE_NAME, "r");
	char record[65536];
	uint64_t at;

	expect(file && fread(&head, sizeof(head), 1, file) == 1 &&
	       !memcmp(head.magic, "PERFILE2", 8), "perf has written no file");
	for (at = 0; at < head.bytes; at += h.size) {
		fseek(file, head.offset + at, SEEK_SET);
		expect(fread(&h, sizeof(h), 1, file) == 1 && h.size >= sizeof(h) &&
		       fread(record, h.size - sizeof(h), 1, file) == (h.size > sizeof(h)),
		       "the file ends within a record");
		expect(h.type != PERF_RECORD_LOST, "perf has lost samples");
		if (h.type == PERF_RECORD_SAMPLE)
			add(&f, record, h.size - sizeof(h), after);
	}
	fclose(file);
	unlink(FILE_NAME);
	return f;
}

static struct td_bd_latency truth(uint64_t config)
{
	struct td_bd_latency latency = { .config = config, .width = 1 };

	expect(door(TD_BD_LATENCY, BUSY_CPU, &latency) == TD_BD_OK, "no truth about latencies");
	return latency;
}

static void compare(const char *command, uint64_t config, unsigned int after)
{
	struct td_bd_latency was = truth(config), is;
	struct figures f;

	set_profile(&profiles[0]);
	set_rate(config, RATE);
	while_spinning(command);
	f = figures(after);
	is = truth(config);
	expect(f.samples > 20, "%llu samples of '%s'", (unsigned long long)f.samples, command);
	expect(f.samples == is.count - was.count && f.retire == is.sum - was.sum &&
	       f.cache == is.cache_sum - was.cache_sum &&
	       f.instruction == is.instruction_sum - was.instruction_sum,
	       "'%s': %llu samples, latencies %llu %llu %llu; %llu, %llu %llu %llu are true",
	       command, (unsigned long long)f.samples, (unsigned long long)f.retire,
	       (unsigned long long)f.cache, (unsigned long long)f.instruction,
	       (unsigned long long)(is.count - was.count),
	       (unsigned long long)(is.sum - was.sum),
	       (unsigned long long)(is.cache_sum - was.cache_sum),
	       (unsigned long long)(is.instruction_sum - was.instruction_sum));
}

/* The kernel knows the machine, and the retire latency. */
static void need_driver(void)
{
	if (!machine.pebs || machine.e_width)
		unfit();
	if (access("/sys/bus/event_source/devices/cpu/events/mem-loads", F_OK))
		skip("this kernel does not know the model");
}

static void test_record(void)
{
	need_driver();
	compare("perf record -q -W -C 1 -c 100003 -e cpu/event=0xd3,umask=1/pp -o " FILE_NAME
		" -- sleep 0.2 > /tmp/perf.log 2>&1", BIMODAL, 0);
}

/* It asks for the data source, too. */
static void test_mem(void)
{
	need_driver();
	compare("perf mem record -t load -C 1 -c 100003 -o " FILE_NAME
		" -- sleep 0.2 > /tmp/perf.log 2>&1", LOAD_LATENCY, 1);
}

const struct test pebs_perf_tests[] = {
	{ "pebs-perf-record", test_record },
	{ "pebs-perf-mem", test_mem },
	{ NULL, NULL },
};
