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

/* Room for one more: twice as much as before, if there is none. */
static bool make_room(struct owner_list *list)
{
	struct record_owner *more;

	if (list->nr & (list->nr - 1))
		return true;
	more = reallocarray(list->owner, list->nr ? (size_t)list->nr * 2 : 1, sizeof(*more));
	if (!more)
		return false;
	list->owner = more;
	return true;
}

static bool same_owner(const struct record_owner *one, const struct record_owner *other)
{
	return one->what == other->what && one->id == other->id &&
	       one->start_ns == other->start_ns && one->parent == other->parent &&
	       one->level == other->level;
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
	struct record_owner owner;

	record_entry(reader, i, &owner, sizeof(owner));
	if (owner.owner > list->nr)
		return odd(reader, "an owner is missing");
	if (owner.parent > owner.owner)
		return odd(reader, "an owner has no parent");
	if (owner.what > TOPDOWN_OWNER_WHAT_ENDED)
		return odd(reader, "there is no such kind of owner");
	if (owner.owner < list->nr && !same_owner(&list->owner[owner.owner], &owner))
		return odd(reader, "two owners have one number");
	record_tidy(owner.name, sizeof(owner.name));
	if (owner.owner == list->nr) {
		if (!make_room(list))
			return odd(reader, strerror(ENOMEM));
		list->nr++;
	}
	list->owner[owner.owner] = owner;
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
	return share->owner < block->list->nr || odd(block->reader, "there is no such owner");
}
