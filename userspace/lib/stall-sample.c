// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A sample of perf becomes a record.  The fields follow each other as perf_event_open(2) has
 * them, and each is looked for only where there are bytes.
 */
#include "stall-sample.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "internal.h"
#include "stall-decode.h"

/* All that this file knows the place of. */
#define TD_KNOWN	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			 PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
			 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT | \
			 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)
#define TD_KNOWN_BRANCH	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | \
			 PERF_SAMPLE_BRANCH_HV | PERF_SAMPLE_BRANCH_ANY | \
			 PERF_SAMPLE_BRANCH_HW_INDEX)
#define TD_KNOWN_READ	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | \
			 PERF_FORMAT_ID | PERF_FORMAT_GROUP)

#define TD_IBS_OP_WORDS		7	/* And then the target of the branch. */
#define TD_IBS_FETCH_WORDS	3	/* And then the extended control. */
#define TD_IBS_CAP_TARGET	(1U << 5)
#define TD_IBS_CAP_EXTENDED	(1U << 9)

/* What is left of a record. Nothing is taken of a cursor that has failed. */
struct td_cursor {
	const unsigned char *at;
	size_t left;
	bool failed;
};

static const unsigned char *td_take(struct td_cursor *cursor, size_t size)
{
	const unsigned char *at = cursor->at;

	if (cursor->failed || size > cursor->left) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += size;
	cursor->left -= size;
	return at;
}

static uint64_t td_take64(struct td_cursor *cursor)
{
	const unsigned char *at = td_take(cursor, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t td_take32(struct td_cursor *cursor)
{
	const unsigned char *at = td_take(cursor, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

/* Many words: more than there are bytes fail, and do not overflow. */
static const unsigned char *td_take_many(struct td_cursor *cursor, uint64_t nr, size_t size)
{
	if (nr > cursor->left / size) {
		cursor->failed = true;
		return NULL;
	}
	return td_take(cursor, nr * size);
}

/* The header of a record, and its bytes. */
static bool td_open_record(const void *record, size_t len, struct perf_event_header *header,
			   struct td_cursor *cursor)
{
	if (len < sizeof(*header))
		return false;
	memcpy(header, record, sizeof(*header));
	if (header->size < sizeof(*header) || header->size > len)
		return false;
	*cursor = (struct td_cursor){
		.at = (const unsigned char *)record + sizeof(*header),
		.left = header->size - sizeof(*header),
	};
	return true;
}

bool td_sample_id(const void *sample, size_t len, uint64_t *id)
{
	struct perf_event_header header;
	struct td_cursor cursor;

	if (!td_open_record(sample, len, &header, &cursor))
		return false;
	*id = td_take64(&cursor);
	return !cursor.failed;
}

static void td_skip_read(struct td_cursor *cursor, uint64_t format)
{
	uint64_t words = 1, nr;

	if (format & PERF_FORMAT_ID)
		words++;
	nr = format & PERF_FORMAT_GROUP ? td_take64(cursor) : 1;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		td_take64(cursor);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		td_take64(cursor);
	td_take_many(cursor, nr, words * sizeof(uint64_t));
}

/* The registers of IBS: the capability word, and then those that it says. */
static void td_take_ibs(struct td_cursor *cursor, unsigned int layout,
			struct topdown_stall_raw *raw)
{
	bool fetch = layout == TOPDOWN_LAYOUT_IBS_FETCH;
	unsigned int i, nr = fetch ? TD_IBS_FETCH_WORDS : TD_IBS_OP_WORDS;
	uint32_t size = td_take32(cursor);
	struct td_cursor bytes = { .left = size };

	bytes.at = td_take(cursor, size);
	if (!bytes.at)
		return;
	raw->caps = td_take32(&bytes);
	if (raw->caps & (fetch ? TD_IBS_CAP_EXTENDED : TD_IBS_CAP_TARGET))
		nr++;
	for (i = 0; i < nr; i++)
		raw->word[i] = td_take64(&bytes);
	/* A sample without its registers says nothing. */
	if (!bytes.failed)
		raw->layout = layout;
}

static void td_take_raw(struct td_cursor *cursor, unsigned int layout,
			struct topdown_stall_raw *raw)
{
	if (layout)
		td_take_ibs(cursor, layout, raw);
	else
		td_take(cursor, td_take32(cursor));
}

/* The branch is that of the last entry, if it is the instruction. */
static void td_take_branches(struct td_cursor *cursor, uint64_t type, struct topdown_stall *stall)
{
	uint64_t nr = td_take64(cursor);
	struct perf_branch_entry last;
	const unsigned char *entries;

	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		td_take64(cursor);
	entries = td_take_many(cursor, nr, sizeof(last));
	if (!entries || !nr)
		return;
	memcpy(&last, entries, sizeof(last));
	if (!(stall->has & TOPDOWN_STALL_HAS_IP) || last.from != stall->ip)
		return;
	stall->kind = TOPDOWN_STALL_BRANCH;
	stall->flags |= TOPDOWN_STALL_TAKEN;
	if (last.mispred)
		stall->flags |= TOPDOWN_STALL_MISPREDICTED;
	if (last.to) {
		stall->target = last.to;
		stall->has |= TOPDOWN_STALL_HAS_TARGET;
	}
}

static void td_take_place(struct td_cursor *cursor, uint64_t type, struct topdown_stall *stall)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		td_take64(cursor);
	if (type & PERF_SAMPLE_IP) {
		stall->ip = td_take64(cursor);
		stall->has |= stall->ip ? TOPDOWN_STALL_HAS_IP : 0;
	}
	if (type & PERF_SAMPLE_TID) {
		stall->pid = td_take32(cursor);
		stall->tid = td_take32(cursor);
		stall->has |= TOPDOWN_STALL_HAS_TASK;
	}
	if (type & PERF_SAMPLE_TIME) {
		stall->time_ns = td_take64(cursor);
		stall->has |= TOPDOWN_STALL_HAS_TIME;
	}
	if (type & PERF_SAMPLE_ADDR) {
		stall->address = td_take64(cursor);
		stall->has |= stall->address ? TOPDOWN_STALL_HAS_ADDRESS : 0;
	}
	if (type & PERF_SAMPLE_ID)
		td_take64(cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		td_take64(cursor);
	if (type & PERF_SAMPLE_CPU) {
		stall->cpu = td_take32(cursor);
		td_take32(cursor);
		stall->has |= TOPDOWN_STALL_HAS_CPU;
	}
	if (type & PERF_SAMPLE_PERIOD) {
		stall->period = td_take64(cursor);
		stall->has |= TOPDOWN_STALL_HAS_PERIOD;
	}
}

static void td_take_cause(struct td_cursor *cursor, const struct topdown_stall_attr *attr,
			  struct topdown_stall_raw *perf, struct topdown_stall_raw *ibs,
			  struct td_chain *chain, struct topdown_stall *stall)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		td_skip_read(cursor, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		chain->nr = td_take64(cursor);
		chain->ips = td_take_many(cursor, chain->nr, sizeof(uint64_t));
	}
	if (type & PERF_SAMPLE_RAW)
		td_take_raw(cursor, attr->layout, ibs);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		td_take_branches(cursor, attr->branch_sample_type, stall);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		perf->word[1] = td_take64(cursor);
	/* The older form has one number of 64 bits. */
	if (type & PERF_SAMPLE_WEIGHT && perf->word[1] > UINT32_MAX)
		perf->word[1] = UINT32_MAX;
	if (type & PERF_SAMPLE_DATA_SRC)
		perf->word[0] = td_take64(cursor);
}

static bool td_is_known(const struct topdown_stall_attr *attr)
{
	return !(attr->sample_type & ~(uint64_t)TD_KNOWN) &&
	       !(attr->branch_sample_type & ~(uint64_t)TD_KNOWN_BRANCH) &&
	       !(attr->read_format & ~(uint64_t)TD_KNOWN_READ);
}

/* Registers say more than what perf makes of them, but perf knows of what the model lacks. */
static void td_apply_both(struct topdown_stall *stall, const struct topdown_stall_raw *perf,
			  const struct topdown_stall_raw *ibs)
{
	uint64_t ip = stall->ip;

	if (!ibs->layout) {
		td_stall_apply(stall, perf);
		return;
	}
	td_stall_apply(stall, ibs);
	/* perf may have found a better address, or hide one that the user may not see. */
	if (ip) {
		stall->ip = ip;
		stall->has |= TOPDOWN_STALL_HAS_IP;
	}
	if (perf->word[0] >> PERF_MEM_SNOOP_SHIFT & PERF_MEM_SNOOP_HITM)
		stall->flags |= TOPDOWN_STALL_MODIFIED;
}

int td_stall_parse(const struct topdown_stall_attr *attr, const void *sample, size_t len,
		   struct topdown_stall *out, struct td_chain *chain)
{
	struct topdown_stall_raw perf = { .layout = TOPDOWN_LAYOUT_PERF }, ibs = { 0 };
	struct topdown_stall stall = { 0 };
	struct perf_event_header header;
	struct td_cursor cursor;

	if (!td_is_known(attr))
		return -EOPNOTSUPP;
	if (!td_open_record(sample, len, &header, &cursor) || header.type != PERF_RECORD_SAMPLE)
		return -EBADMSG;
	*chain = (struct td_chain){ 0 };
	td_take_place(&cursor, attr->sample_type, &stall);
	td_take_cause(&cursor, attr, &perf, &ibs, chain, &stall);
	if (cursor.failed)
		return -EBADMSG;
	td_apply_both(&stall, &perf, &ibs);
	if (header.misc & PERF_RECORD_MISC_EXACT_IP)
		stall.flags |= TOPDOWN_STALL_EXACT;
	if ((header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		stall.flags |= TOPDOWN_STALL_KERNEL;
	*out = stall;
	return 0;
}

TD_API int topdown_stall_sample(const struct topdown_stall_attr *attr, const void *sample,
				size_t len, struct topdown_stall *out, size_t size)
{
	struct topdown_stall stall;
	struct td_chain chain;
	int ret;

	if (size < TD_STALL_SIZE_MIN)
		return -EINVAL;
	if (attr->layout && attr->layout != TOPDOWN_LAYOUT_IBS_OP &&
	    attr->layout != TOPDOWN_LAYOUT_IBS_FETCH)
		return -EOPNOTSUPP;
	ret = td_stall_parse(attr, sample, len, &stall, &chain);
	if (ret)
		return ret;
	td_stall_conclude(&stall);
	td_copy_sized(out, size, &stall, sizeof(stall));
	return 0;
}

/* The time is at the end of the record, among what sample_id_all adds. */
static bool td_take_time(const struct td_cursor *record, uint64_t type, __u64 *time_ns)
{
	struct td_cursor cursor = *record;
	size_t words = !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME) +
		       !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) +
		       !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_IDENTIFIER);

	if (!(type & PERF_SAMPLE_TIME) || cursor.left < words * sizeof(uint64_t))
		return false;
	td_take(&cursor, cursor.left - words * sizeof(uint64_t));
	if (type & PERF_SAMPLE_TID)
		td_take64(&cursor);
	*time_ns = td_take64(&cursor);
	return !cursor.failed;
}

/* A name ends within the record. */
static bool td_take_name(struct td_cursor *cursor, const char **name)
{
	if (cursor->failed || !memchr(cursor->at, '\0', cursor->left))
		return false;
	*name = (const char *)cursor->at;
	return true;
}

/* No event of ours asks for the build id, which would be in the place of device and inode. */
static bool td_take_mmap(struct td_cursor *cursor, struct topdown_stalls_map *out,
			 const char **name)
{
	uint64_t len;

	out->change = TOPDOWN_STALLS_MAPPED;
	out->pid = td_take32(cursor);
	td_take32(cursor);
	out->start = td_take64(cursor);
	len = td_take64(cursor);
	out->offset = td_take64(cursor);
	out->end = out->start + len;
	out->dev_major = td_take32(cursor);
	out->dev_minor = td_take32(cursor);
	out->inode = td_take64(cursor);
	/* The generation of the inode, and protection and flags. */
	td_take(cursor, 16);
	return td_take_name(cursor, name) && out->end > out->start;
}

static bool td_take_comm(struct td_cursor *cursor, struct topdown_stalls_map *out,
			 const char **name)
{
	out->change = TOPDOWN_STALLS_EXECUTED;
	out->pid = td_take32(cursor);
	td_take32(cursor);
	return td_take_name(cursor, name);
}

/* A new thread changes nothing. */
static bool td_take_fork(struct td_cursor *cursor, struct topdown_stalls_map *out,
			 const char **name)
{
	out->change = TOPDOWN_STALLS_FORKED;
	*name = "";
	out->pid = td_take32(cursor);
	out->parent = td_take32(cursor);
	return !cursor->failed && out->pid != out->parent;
}

bool td_stall_parse_map(uint64_t sample_type, const void *record, size_t len,
			struct topdown_stalls_map *out, const char **name)
{
	struct topdown_stalls_map map = { 0 };
	struct perf_event_header header;
	struct td_cursor cursor;
	bool taken = false;

	if (!td_open_record(record, len, &header, &cursor) ||
	    !td_take_time(&cursor, sample_type, &map.time_ns))
		return false;
	if (header.type == PERF_RECORD_MMAP2)
		taken = td_take_mmap(&cursor, &map, name);
	else if (header.type == PERF_RECORD_COMM && header.misc & PERF_RECORD_MISC_COMM_EXEC)
		taken = td_take_comm(&cursor, &map, name);
	else if (header.type == PERF_RECORD_FORK)
		taken = td_take_fork(&cursor, &map, name);
	if (taken)
		*out = map;
	return taken;
}
