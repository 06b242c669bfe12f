// SPDX-License-Identifier: GPL-2.0
/*
 * The blocks of a recording that have owners: the entries of one interval.
 */
#include "owner-blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The sizes in the first release. */
#define HEAD_SIZE_MIN	40
#define SHARE_SIZE_MIN	424

_Static_assert(sizeof(struct record_owner) == OWNER_SIZE_MIN, "the layout of a file stays");
_Static_assert(sizeof(struct record_owned) == HEAD_SIZE_MIN, "the layout of a file stays");
_Static_assert(sizeof(struct record_share) == SHARE_SIZE_MIN, "the layout of a file stays");

/* More levels than cgroups can have. */
#define LEVELS_MAX	64
#define SHARES_MAX	((RECORD_BLOCK_MAX - sizeof(struct record_owned)) /		\
			 sizeof(struct record_share))

static int put_block(struct record_writer *writer, const struct record_owned *head,
		     const struct record_share *share)
{
	size_t size = (size_t)head->nr * sizeof(*share);
	unsigned char *bytes = malloc(sizeof(*head) + size);
	int ret;

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, head, sizeof(*head));
	if (size)
		memcpy(bytes + sizeof(*head), share, size);
	ret = record_write(writer, RECORD_OWNED, bytes, sizeof(*head) + size);
	free(bytes);
	return ret;
}

/**
 * record_write_owned - write what owners had in an interval
 * @writer: the file
 * @interval: the interval; sizes and the number of entries are set here
 * @share: the entries
 * @nr: number of @share; for none there is a block without an entry
 *
 * Return: 0 or -errno.
 */
int record_write_owned(struct record_writer *writer, const struct record_owned *interval,
		       const struct record_share *share, unsigned int nr)
{
	struct record_owned head = *interval;
	int ret;

	head.size = sizeof(head);
	head.entry_size = sizeof(*share);
	do {
		head.nr = nr < SHARES_MAX ? nr : SHARES_MAX;
		ret = put_block(writer, &head, share);
		nr -= head.nr;
		share += head.nr;
	} while (nr && !ret);
	return ret;
}

static bool odd(struct record_reader *reader, const char *what)
{
	snprintf(reader->why, sizeof(reader->why), "its block %u makes no sense: %s",
		 reader->block.number, what);
	return false;
}

/* Room for one more of an array: twice as much as before, if there is none. */
static bool make_room(void **array, uint32_t nr, size_t size)
{
	void *more;

	if (nr & (nr - 1))
		return true;
	more = reallocarray(*array, nr ? (size_t)nr * 2 : 1, size);
	if (!more)
		return false;
	*array = more;
	return true;
}

static bool same_owner(const struct record_owner *one, const struct record_owner *other)
{
	return one->what == other->what && one->id == other->id &&
	       one->start_ns == other->start_ns && one->parent == other->parent &&
	       one->level == other->level;
}

/* The bucket of an owner, or an empty one. */
static uint32_t *bucket_of(const struct owner_list *list, const struct record_owner *owner)
{
	uint64_t hash = (owner->id ^ owner->start_ns << 20 ^ (uint64_t)owner->what << 60) *
			0x9e3779b97f4a7c15ULL;
	uint32_t at = (hash >> 32) & (list->buckets - 1);

	while (list->bucket[at]) {
		const struct record_owner *other = &list->owner[list->bucket[at] - 1];

		if (other->what == owner->what && other->id == owner->id &&
		    other->start_ns == owner->start_ns && other->level == owner->level)
			break;
		at = (at + 1) & (list->buckets - 1);
	}
	return &list->bucket[at];
}

/* At most half of the buckets are in use. */
static bool make_buckets(struct owner_list *list)
{
	uint32_t i, nr = list->buckets ? list->buckets * 2 : 64;

	if (list->nr + 1 <= list->buckets / 2)
		return true;
	free(list->bucket);
	list->bucket = calloc(nr, sizeof(*list->bucket));
	list->buckets = list->bucket ? nr : 0;
	for (i = 0; i < list->nr && list->bucket; i++)
		*bucket_of(list, &list->owner[i]) = i + 1;
	return list->bucket;
}

/**
 * owner_list_next_file - another file of the recording begins, with numbers of its own
 * @list: the owners so far
 */
void owner_list_next_file(struct owner_list *list)
{
	list->file_nr = 0;
	free(list->number);
	list->number = NULL;
}

/**
 * owner_list_free - free
 * @list: list
 */
void owner_list_free(struct owner_list *list)
{
	free(list->owner);
	free(list->number);
	free(list->bucket);
	*list = (struct owner_list){ .nr = 0 };
}

/* An owner that a file before had too keeps the number from there, and has its last name. */
static bool add_owner(struct owner_list *list, struct record_owner *owner)
{
	uint32_t *bucket, number;

	if (!make_room((void **)&list->owner, list->nr, sizeof(*list->owner)) ||
	    !make_room((void **)&list->number, list->file_nr, sizeof(*list->number)) ||
	    !make_buckets(list))
		return false;
	owner->parent = owner->parent == owner->owner ? list->nr : list->number[owner->parent];
	bucket = bucket_of(list, owner);
	number = *bucket ? *bucket - 1 : list->nr;
	if (!*bucket) {
		*bucket = ++list->nr;
		owner->owner = number;
		list->owner[number] = *owner;
	}
	memcpy(list->owner[number].name, owner->name, sizeof(owner->name));
	list->number[list->file_nr++] = number;
	return true;
}

/**
 * owner_list_take - take an entry of the present block, which has owners
 * @reader: the file
 * @i: place of the entry
 * @list: the owners so far
 *
 * Return: false if it makes no sense; record_reader.why says so.
 */
bool owner_list_take(struct record_reader *reader, uint32_t i, struct owner_list *list)
{
	struct record_owner owner, *known;

	record_entry(reader, i, &owner, sizeof(owner));
	if (owner.owner > list->file_nr)
		return odd(reader, "an owner is missing");
	if (owner.parent > owner.owner)
		return odd(reader, "an owner has no parent");
	if (owner.what > TOPDOWN_OWNER_WHAT_ENDED)
		return odd(reader, "there is no such kind of owner");
	record_tidy(owner.name, sizeof(owner.name));
	if (owner.owner == list->file_nr)
		return add_owner(list, &owner) || odd(reader, strerror(ENOMEM));
	known = &list->owner[list->number[owner.owner]];
	owner.parent = list->number[owner.parent];
	owner.owner = known->owner;
	if (!same_owner(known, &owner))
		return odd(reader, "two owners have one number");
	*known = owner;
	return true;
}

/**
 * owner_list_path - the path of a cgroup
 * @list: owners
 * @owner: number of the cgroup
 * @path: written: from the root of cgroups on, "/" for the root; cut if it is too long
 * @size: room, at least 1
 *
 * Return: length of the whole path, as snprintf(); 0 for an owner that is no cgroup.
 */
size_t owner_list_path(const struct owner_list *list, uint32_t owner, char *path, size_t size)
{
	const struct record_owner *up[LEVELS_MAX], *own = &list->owner[owner];
	unsigned int nr = 0;
	size_t length = 0;

	*path = '\0';
	if (own->what != TOPDOWN_OWNER_WHAT_CGROUP)
		return 0;
	/* A parent has a smaller number. */
	for (; own->level && nr < LEVELS_MAX; own = &list->owner[own->parent]) {
		up[nr++] = own;
		if (own->parent == own->owner)
			break;
	}
	if (!nr)
		return snprintf(path, size, "/");
	while (nr--)
		length += snprintf(length < size ? path + length : NULL,
				   length < size ? size - length : 0, "/%s", up[nr]->name);
	return length;
}

/**
 * owner_block_begin - begin to read the present block
 * @reader: the file
 * @list: the owners so far; it learns how they were recorded
 * @block: to be set up
 *
 * Return: false if it is no such block; record_reader.why says so.
 */
bool owner_block_begin(struct record_reader *reader, struct owner_list *list,
		       struct owner_block *block)
{
	struct record_owned *head = &block->head;

	*block = (struct owner_block){ .reader = reader, .list = list };
	if (!record_struct(reader, head, sizeof(*head), HEAD_SIZE_MIN))
		return false;
	if (head->size < HEAD_SIZE_MIN || head->size % 8 || head->entry_size < SHARE_SIZE_MIN ||
	    head->entry_size % 8 || head->nr > RECORD_BLOCK_MAX ||
	    head->size + (uint64_t)head->entry_size * head->nr != reader->block.size)
		return odd(reader, "its parts are not as long as it is");
	if (head->end_ns < head->begin_ns)
		return odd(reader, "its clock goes back");
	if (head->kind > TOPDOWN_OWNERS_CGROUPS)
		return odd(reader, "there is no such kind of owner");
	list->there = true;
	list->kind = head->kind;
	list->depth = head->depth;
	list->interval_ms = head->interval_ms;
	return true;
}

/**
 * owner_block_next - read the next entry
 * @block: block after owner_block_begin(), which has another entry
 * @share: the entry, as far as the file has it; the rest is zero
 *
 * Return: false if it makes no sense; record_reader.why says so.
 */
bool owner_block_next(struct owner_block *block, struct record_share *share)
{
	const struct record_owned *head = &block->head;

	memset(share, 0, sizeof(*share));
	memcpy(share, block->reader->payload + head->size +
	       (size_t)head->entry_size * block->entries,
	       head->entry_size < sizeof(*share) ? head->entry_size : sizeof(*share));
	block->entries++;
	if (share->owner >= block->list->file_nr)
		return odd(block->reader, "there is no such owner");
	share->owner = block->list->number[share->owner];
	return true;
}
