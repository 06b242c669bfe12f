// SPDX-License-Identifier: GPL-2.0
/*
 * Samples in perf's form become records, and what is cut or made up does no harm: each sample
 * lies at the very end of its memory, so a byte too far is seen.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "../../userspace/lib/stall-sample.h"
#include "ktap.h"
#include "random.h"

#define TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
		 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)
#define ROOM		4096
#define MEM_NA		(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA))
#define RANDOM_CASES	100000
/* A load of memory of another node, that missed the last TLB. */
#define REMOTE_LOAD	(PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVLNUM, RAM) | \
			 PERF_MEM_S(REMOTE, REMOTE) | PERF_MEM_S(TLB, MISS) | PERF_MEM_S(TLB, L2))

struct sample {
	struct topdown_stall_attr attr;
	size_t len;
	unsigned char bytes[ROOM];
};

static void put(struct sample *sample, const void *from, size_t len)
{
	memcpy(sample->bytes + sample->len, from, len);
	sample->len += len;
}

static void put64(struct sample *sample, uint64_t value)
{
	put(sample, &value, sizeof(value));
}

static void put32(struct sample *sample, uint32_t value)
{
	put(sample, &value, sizeof(value));
}

static void set_header(struct sample *sample, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc, .size = sample->len };

	memcpy(sample->bytes, &header, sizeof(header));
}

/* The fields up to the period. */
static void begin(struct sample *sample, uint64_t type)
{
	memset(sample, 0, sizeof(*sample));
	sample->attr.sample_type = type;
	sample->len = sizeof(struct perf_event_header);
	put64(sample, 77);			/* Identifier. */
	put64(sample, 0x401234);
	put32(sample, 100);
	put32(sample, 101);
	put64(sample, 5000000000);
	put64(sample, 0x7f0000001000);
	put32(sample, 3);
	put32(sample, 0);
	put64(sample, 4096);
}

static void end(struct sample *sample, uint64_t weight, uint64_t source)
{
	put64(sample, weight);
	put64(sample, source);
	set_header(sample, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
}

/* A copy whose last byte is the last of its memory. */
static int decode(const struct sample *sample, size_t len, struct topdown_stall *stall)
{
	unsigned char *bytes = malloc(len ? len : 1);
	int ret;

	memcpy(bytes, sample->bytes, len);
	ret = topdown_stall_sample(&sample->attr, bytes, len, stall, sizeof(*stall));
	free(bytes);
	return ret;
}

static bool is_text(const struct topdown_stall *stall, const char *wanted)
{
	char text[512];

	topdown_stall_text(stall, text, sizeof(text));
	if (!strcmp(text, wanted))
		return true;
	ktap_note("%s", wanted);
	ktap_note("but is: %s", text);
	return false;
}

static void make_load(struct sample *sample)
{
	begin(sample, TYPE);
	end(sample, 7ULL << 48 | 405ULL << 32 | 400, REMOTE_LOAD);
}

static bool test_load(void)
{
	struct topdown_stall stall;
	struct sample sample;

	make_load(&sample);
	return !decode(&sample, sample.len, &stall) && stall.pid == 100 && stall.tid == 101 &&
	       stall.cpu == 3 && stall.time_ns == 5000000000 && stall.period == 4096 &&
	       !(stall.has & TOPDOWN_STALL_HAS_EVENT) &&
	       is_text(&stall, "load, memory: remote; from memory; page walk, remote, exact; "
		       "cycles 405, retire 7, cache 400; address 7f0000001000; ip 401234");
}

/* Fields in between that are of no interest: a read, a chain, raw data, branches. */
static void make_branch(struct sample *sample)
{
	struct perf_branch_entry entry = { .from = 0x401234, .to = 0x402000, .mispred = 1 };

	begin(sample, TYPE | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
		      PERF_SAMPLE_BRANCH_STACK);
	sample->attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
	sample->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
				   PERF_FORMAT_TOTAL_TIME_ENABLED;
	put64(sample, 2);
	put64(sample, 1000);
	put64(sample, 1);
	put64(sample, 1);
	put64(sample, 2);
	put64(sample, 2);
	put64(sample, 2);
	put64(sample, PERF_CONTEXT_USER);
	put64(sample, 0x401234);
	put32(sample, 4);
	put32(sample, 0xdead);
	put64(sample, 1);
	put64(sample, 0);
	put(sample, &entry, sizeof(entry));
	end(sample, 0, MEM_NA);
}

static bool test_branch(void)
{
	struct topdown_stall stall;
	struct sample sample;

	make_branch(&sample);
	return !decode(&sample, sample.len, &stall) &&
	       is_text(&stall, "branch, branch: mispredict; mispredicted, taken, exact; "
		       "address 7f0000001000; ip 401234; target 402000");
}

/* The capability word, seven registers, and the target that it announces. */
static void make_ibs(struct sample *sample)
{
	const uint64_t word[] = { 0x40000, 0x401230, 0x00c80005, 3, 0x006400c800100085 };
	unsigned int i;

	begin(sample, TYPE | PERF_SAMPLE_RAW);
	sample->attr.layout = TOPDOWN_LAYOUT_IBS_OP;
	put32(sample, 4 + 8 * 8);
	put32(sample, 0x9ff);
	for (i = 0; i < 8; i++)
		put64(sample, i < 5 ? word[i] : 0);
	end(sample, 200ULL << 32 | 200, PERF_MEM_S(OP, LOAD));
}

/* perf's address of the instruction counts, as it knows better. */
static bool test_ibs(void)
{
	struct topdown_stall stall;
	struct sample sample;

	make_ibs(&sample);
	return !decode(&sample, sample.len, &stall) &&
	       is_text(&stall, "load, memory: L3 miss; from memory; TLB miss, L1 miss, L2 miss, exact; "
		       "cycles 200, retire 5, cache 200, translation 100; 0 outstanding; "
		       "address 7f0000001000; ip 401234");
}

static void make_fetch(struct sample *sample)
{
	begin(sample, TYPE | PERF_SAMPLE_RAW);
	sample->attr.layout = TOPDOWN_LAYOUT_IBS_FETCH;
	put32(sample, 4 + 4 * 8);
	put32(sample, 0xbff);
	put64(sample, 0x000e00c800000000), put64(sample, 0x401200), put64(sample, 0);
	put64(sample, 0);
	end(sample, 0, 0);
}

static bool test_fetch(void)
{
	struct topdown_stall stall;
	struct sample sample;

	make_fetch(&sample);
	return !decode(&sample, sample.len, &stall) &&
	       is_text(&stall, "fetch, fetch: instruction cache miss; instruction cache miss, exact; "
		       "fetch 200; address 7f0000001000; ip 401234");
}

static bool cuts_fail(void (*make)(struct sample *sample))
{
	struct sample whole, cut;
	struct topdown_stall stall;
	size_t len;

	make(&whole);
	for (len = 0; len < whole.len; len++) {
		/* The memory ends, and then the header says so, too. */
		if (decode(&whole, len, &stall) != -EBADMSG)
			return false;
		cut = whole;
		cut.len = len;
		if (len >= sizeof(struct perf_event_header))
			set_header(&cut, PERF_RECORD_SAMPLE, 0);
		if (decode(&cut, len, &stall) != -EBADMSG)
			return false;
	}
	return true;
}

/* A number in any place, up to those that would overflow. */
static bool numbers_do_no_harm(void (*make)(struct sample *sample), struct rng *rng)
{
	const uint64_t numbers[] = { ~0ULL, 1ULL << 61, 1ULL << 63, 0, 1000 };
	struct topdown_stall stall;
	struct sample sample;
	unsigned int i;
	size_t at;
	int ret;

	for (i = 0; i < RANDOM_CASES; i++) {
		make(&sample);
		at = sizeof(struct perf_event_header) +
		     rng_below(rng, sample.len - sizeof(struct perf_event_header) - 7);
		memcpy(sample.bytes + at, &numbers[rng_below(rng, 5)], sizeof(uint64_t));
		ret = decode(&sample, sample.len, &stall);
		if (ret && ret != -EBADMSG)
			return false;
	}
	return true;
}

static bool unknown_is_refused(void)
{
	struct topdown_stall stall;
	struct sample sample;

	make_load(&sample);
	sample.attr.sample_type |= PERF_SAMPLE_REGS_USER;
	if (decode(&sample, sample.len, &stall) != -EOPNOTSUPP)
		return false;
	make_branch(&sample);
	sample.attr.branch_sample_type |= 1ULL << 40;
	if (decode(&sample, sample.len, &stall) != -EOPNOTSUPP)
		return false;
	make_load(&sample);
	sample.attr.layout = TOPDOWN_LAYOUT_GLC;
	if (decode(&sample, sample.len, &stall) != -EOPNOTSUPP)
		return false;
	make_load(&sample);
	set_header(&sample, PERF_RECORD_MMAP2, 0);
	return decode(&sample, sample.len, &stall) == -EBADMSG;
}

/* The cost is that of the node that the record is of, and of no other. */
static bool costs_are_of_nodes(void)
{
	const double load = 4096 * 400.0, once = 4096;
	struct topdown_stall stall;
	struct sample sample;

	make_load(&sample);
	if (decode(&sample, sample.len, &stall) ||
	    topdown_stall_cost(&stall, TOPDOWN_MEMORY_BOUND) != load ||
	    topdown_stall_cost(&stall, TOPDOWN_BACKEND_BOUND) != load ||
	    topdown_stall_cost(&stall, TOPDOWN_BRANCH_MISPREDICTS) ||
	    topdown_stall_cost(&stall, TOPDOWN_FETCH_LATENCY) ||
	    topdown_stall_cost(&stall, TOPDOWN_CORE_BOUND) || topdown_stall_cost(&stall, 99))
		return false;
	make_branch(&sample);
	if (decode(&sample, sample.len, &stall) ||
	    topdown_stall_cost(&stall, TOPDOWN_BRANCH_MISPREDICTS) != once ||
	    topdown_stall_cost(&stall, TOPDOWN_MEMORY_BOUND))
		return false;
	make_ibs(&sample);
	/* Translation comes before the access. */
	if (decode(&sample, sample.len, &stall) ||
	    topdown_stall_cost(&stall, TOPDOWN_MEMORY_BOUND) != 4096 * 300.0)
		return false;
	make_fetch(&sample);
	return !decode(&sample, sample.len, &stall) &&
	       topdown_stall_cost(&stall, TOPDOWN_FETCH_LATENCY) == 4096 * 200.0 &&
	       !topdown_stall_cost(&stall, TOPDOWN_FETCH_BANDWIDTH);
}

/* As the kernel has them, with what sample_id_all adds after the name. */
static bool maps_have_files(void)
{
	const uint64_t type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, len, offset;
		uint32_t dev_major, dev_minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
		char name[8];
		uint32_t id[2];
		uint64_t time_ns;
	} record = {
		.header = { .type = PERF_RECORD_MMAP2, .size = sizeof(record) },
		.pid = 7, .tid = 8, .start = 0x1000, .len = 0x2000, .offset = 0x3000,
		.dev_major = 259, .dev_minor = 3, .inode = 1ULL << 40 | 5, .generation = 6,
		.name = "/bin/x", .time_ns = 99,
	};
	struct topdown_stalls_map map;
	const char *name;

	return td_stall_parse_map(type, &record, sizeof(record), &map, &name) &&
	       !strcmp(name, "/bin/x") && map.pid == 7 && map.start == 0x1000 &&
	       map.end == 0x3000 && map.offset == 0x3000 && map.time_ns == 99 &&
	       map.dev_major == 259 && map.dev_minor == 3 && map.inode == (1ULL << 40 | 5);
}

int main(void)
{
	void (*const makers[])(struct sample *sample) = {
		make_load, make_branch, make_ibs, make_fetch,
	};
	struct rng rng = { .state = 41 };
	bool cut = true, safe = true;
	struct ktap ktap;
	unsigned int i;

	ktap_begin(&ktap, 9);
	ktap_result(&ktap, test_load(), "a load has its latency");
	ktap_result(&ktap, test_branch(), "a branch is found after other fields");
	ktap_result(&ktap, test_ibs(), "an operation of IBS is read");
	ktap_result(&ktap, test_fetch(), "a fetch of IBS is read");
	for (i = 0; i < 4; i++) {
		cut &= cuts_fail(makers[i]);
		safe &= numbers_do_no_harm(makers[i], &rng);
	}
	ktap_result(&ktap, cut, "a sample that is cut is refused");
	ktap_result(&ktap, safe, "wrong numbers do no harm");
	ktap_result(&ktap, unknown_is_refused(), "what is not known is refused");
	ktap_result(&ktap, costs_are_of_nodes(), "a record costs the slots of its own nodes");
	ktap_result(&ktap, maps_have_files(), "a map has its file's inode and device");
	return ktap_end(&ktap);
}
