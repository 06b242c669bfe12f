// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record --by: what every process or every cgroup has in each interval.
 *
 * A file has differences, and of those owners alone that have some, or have just ended.  An owner
 * that has gone since the last reading has left its sums to an heir: a cgroup to its nearest
 * ancestor, a process to those that have ended.  The heir's are less by what the file has already.
 */
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "sums.h"

static int refused(const struct record_run *run, int ret)
{
	return owners_refused(run->td, run->options->device, ret);
}

/**
 * owned_start - hold the account of owners on
 * @run: the recording; without --by nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int owned_start(struct record_run *run)
{
	const struct record_options *options = run->options;
	int ret;

	if (options->by == OWNER_BY_NONE)
		return 0;
	ret = owners_open(&run->owned.owners, run->td, options->by, options->depth);
	return ret ? refused(run, ret) : 0;
}

static int compare_keys(const void *a, const void *b)
{
	const struct owned_name *one = a, *other = b;

	if (one->what != other->what)
		return one->what < other->what ? -1 : 1;
	if (one->id != other->id)
		return one->id < other->id ? -1 : 1;
	return (one->start_ns > other->start_ns) - (one->start_ns < other->start_ns);
}

static struct owned_name name_of(const struct topdown_owner *owner)
{
	struct owned_name name = {
		.what = owner->what,
		.id = owner->id,
		.start_ns = owner->start_ns,
		.number = OWNED_UNNUMBERED,
	};

	memcpy(name.name, owner->name, sizeof(name.name));
	return name;
}

static struct owned_name *find_name(struct owned_name *names, unsigned int nr,
				    const struct topdown_owner *owner)
{
	const struct owned_name key = name_of(owner);

	return names ? bsearch(&key, names, nr, sizeof(key), compare_keys) : NULL;
}

/* The names of the present reading, with the numbers that the file has for them. */
static struct owned_name *make_names(const struct owned *owned)
{
	unsigned int i, nr = topdown_owners_nr(owned->owners.view);
	struct owned_name *names = calloc(nr + 1, sizeof(*names));
	const struct owned_name *before;

	if (!names)
		return NULL;
	for (i = 0; i < nr; i++) {
		const struct topdown_owner *owner = topdown_owners_get(owned->owners.view, i);

		names[i] = name_of(owner);
		before = find_name(owned->name, owned->nr_names, owner);
		if (!before)
			continue;
		names[i].number = before->number;
		memcpy(names[i].name, before->name, sizeof(names[i].name));
	}
	qsort(names, nr, sizeof(*names), compare_keys);
	return names;
}

static const struct topdown_owner *parent_of(const struct topdown_owners_view *view,
					     const struct topdown_owner *owner)
{
	const struct topdown_owner parent = {
		.what = TOPDOWN_OWNER_WHAT_CGROUP,
		.id = owner->parent,
	};

	return owner->parent ? topdown_owners_find(view, &parent) : NULL;
}

/* Find the owner that has the sums of one that has gone; NULL for none. */
static const struct topdown_owner *heir_of(const struct owners *owners,
					   const struct topdown_owner *gone)
{
	const struct topdown_owner ended = { .what = TOPDOWN_OWNER_WHAT_ENDED };
	const struct topdown_owner *heir;

	if (gone->what == TOPDOWN_OWNER_WHAT_PROCESS)
		return topdown_owners_find(owners->view, &ended);
	while (gone) {
		gone = parent_of(owners->then, gone);
		heir = gone ? topdown_owners_find(owners->view, gone) : NULL;
		if (heir)
			return heir;
	}
	return NULL;
}

static void add_heir(struct owned *owned, const struct topdown_owner *heir,
		     const struct topdown_owner *gone)
{
	struct owned_heir *to = owned->heir;

	while (to < owned->heir + owned->nr_heirs && to->heir != heir)
		to++;
	if (to == owned->heir + owned->nr_heirs) {
		*to = (struct owned_heir){ .heir = heir };
		owned->nr_heirs++;
	}
	td_figures_add(&to->figures, &gone->self);
	to->switches += gone->switches;
}

static void find_heirs(struct owned *owned)
{
	unsigned int i, nr = topdown_owners_nr(owned->owners.then);
	const struct topdown_owner *gone, *heir;

	owned->nr_heirs = 0;
	for (i = 0; i < nr; i++) {
		gone = topdown_owners_get(owned->owners.then, i);
		if (topdown_owners_find(owned->owners.view, gone))
			continue;
		heir = heir_of(&owned->owners, gone);
		if (heir)
			add_heir(owned, heir, gone);
	}
}

/* The sums that the file has of an owner, and of those whose heir it is. */
static struct topdown_owner base_of(const struct owned *owned, const struct topdown_owner *now)
{
	const struct topdown_owner *then = topdown_owners_find(owned->owners.then, now);
	struct topdown_owner base = {
		.what = now->what,
		.id = now->id,
		.start_ns = now->start_ns,
	};
	unsigned int i;

	if (then) {
		base.self = then->self;
		base.switches = then->switches;
		base.flags = then->flags;
	}
	for (i = 0; i < owned->nr_heirs; i++) {
		if (owned->heir[i].heir != now)
			continue;
		td_figures_add(&base.self, &owned->heir[i].figures);
		base.switches += owned->heir[i].switches;
	}
	return base;
}

static bool fill_share(const struct owned *owned, const struct topdown_owner *now,
		       struct record_share *share)
{
	const struct topdown_owner base = base_of(owned, now);

	*share = (struct record_share){
		.flags = now->flags & TOPDOWN_OWNER_EXITED,
		.source = now->source,
		.level = now->depth,
		.switches = now->switches - base.switches,
	};
	if (topdown_owner_between(&base, now, false, now->depth, &share->figures))
		return false;
	return share->figures.slots || share->figures.enabled_ns ||
	       (share->flags & ~base.flags);
}

/* A parent is always there before, so it has a number. */
static uint32_t parent_number(const struct owned *owned, struct owned_name *names,
			      const struct topdown_owner *owner, uint32_t number)
{
	const struct topdown_owner *parent = parent_of(owned->owners.view, owner);
	const struct owned_name *name = parent ?
		find_name(names, topdown_owners_nr(owned->owners.view), parent) : NULL;

	return name && name->number < number ? name->number : number;
}

/* Say in the file who it is, if the file does not know it, or by another name. */
static void name_owner(struct owned *owned, struct owned_name *names, struct owned_name *name,
		       const struct topdown_owner *owner)
{
	struct record_owner *entry = &owned->entry[owned->nr_entries];

	if (name->number != OWNED_UNNUMBERED &&
	    !memcmp(name->name, owner->name, sizeof(name->name)))
		return;
	if (name->number == OWNED_UNNUMBERED)
		name->number = owned->next_number++;
	memcpy(name->name, owner->name, sizeof(name->name));
	*entry = (struct record_owner){
		.owner = name->number,
		.what = owner->what,
		.id = owner->id,
		.start_ns = owner->start_ns,
		.parent = parent_number(owned, names, owner, name->number),
		.level = owner->level,
		.flags = owner->flags & TOPDOWN_OWNER_CUT,
	};
	memcpy(entry->name, owner->name, sizeof(entry->name));
	owned->nr_entries++;
}

/* All cgroups have numbers, as paths need those above.  Processes have them when they run. */
static void fill_interval(struct owned *owned, struct owned_name *names)
{
	unsigned int i, nr = topdown_owners_nr(owned->owners.view);
	const struct topdown_owner *owner;
	struct record_share *share;
	struct owned_name *name;
	bool ran;

	owned->nr_entries = 0;
	owned->nr_shares = 0;
	for (i = 0; i < nr; i++) {
		owner = topdown_owners_get(owned->owners.view, i);
		name = find_name(names, nr, owner);
		share = &owned->share[owned->nr_shares];
		ran = fill_share(owned, owner, share);
		if (ran || owner->what == TOPDOWN_OWNER_WHAT_CGROUP)
			name_owner(owned, names, name, owner);
		if (!ran)
			continue;
		share->owner = name->number;
		owned->nr_shares++;
	}
}

static int make_room(struct owned *owned)
{
	unsigned int nr = topdown_owners_nr(owned->owners.view);
	unsigned int then = topdown_owners_nr(owned->owners.then);

	free(owned->heir);
	free(owned->entry);
	free(owned->share);
	owned->heir = calloc(then + 1, sizeof(*owned->heir));
	owned->entry = calloc(nr + 1, sizeof(*owned->entry));
	owned->share = calloc(nr + 1, sizeof(*owned->share));
	return owned->heir && owned->entry && owned->share ? 0 : -ENOMEM;
}

static int put_interval(struct record_run *run, uint64_t end_ns)
{
	const struct record_options *options = run->options;
	struct owned *owned = &run->owned;
	const struct record_owned interval = {
		.kind = options->by == OWNER_BY_CGROUP ? TOPDOWN_OWNERS_CGROUPS :
							 TOPDOWN_OWNERS_PROCESSES,
		.depth = options->depth,
		.interval_ms = options->owner_ms,
		.begin_ns = owned->begin_ns,
		.end_ns = end_ns,
	};
	int ret;

	ret = record_write_array(&run->writer, RECORD_OWNERS, owned->entry,
				 sizeof(*owned->entry), owned->nr_entries);
	if (!ret)
		ret = record_write_owned(&run->writer, &interval, owned->share, owned->nr_shares);
	owned->nr_entries = 0;
	owned->nr_shares = 0;
	owned->begin_ns = end_ns;
	return ret ? record_failed(run, -ret) : 0;
}

/* An interval without length, which says what is recorded. */
static int put_begin(struct record_run *run)
{
	run->owned.begin_ns = run->start_ns;
	return put_interval(run, run->start_ns);
}

/**
 * owned_begin - say in the file what is recorded
 * @run: the recording, whose file has begun; without --by nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int owned_begin(struct record_run *run)
{
	struct owned *owned = &run->owned;
	int ret;

	if (!owned->owners.view)
		return 0;
	ret = topdown_owners_update(owned->owners.view);
	if (!ret)
		ret = owners_keep(&owned->owners);
	if (ret)
		return refused(run, ret);
	owned->next_ns = run->start_ns + run->options->owner_ms * NS_PER_MS;
	return put_begin(run);
}

/**
 * owned_again - say it in the next file, which knows no owner yet
 * @run: the recording, whose file has begun; without --by nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int owned_again(struct record_run *run)
{
	struct owned *owned = &run->owned;
	unsigned int i;

	if (!owned->owners.view)
		return 0;
	for (i = 0; i < owned->nr_names; i++)
		owned->name[i].number = OWNED_UNNUMBERED;
	owned->next_number = 0;
	return put_begin(run);
}

/**
 * owned_next - when the interval ends
 * @run: the recording
 *
 * Return: CLOCK_MONOTONIC; 0 without --by.
 */
uint64_t owned_next(const struct record_run *run)
{
	return run->owned.next_ns;
}

/**
 * owned_write - write the interval that ends now
 * @run: the recording; without --by nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int owned_write(struct record_run *run)
{
	struct owned *owned = &run->owned;
	struct owned_name *names;
	uint64_t end_ns;
	int ret;

	if (!owned->owners.view)
		return 0;
	ret = topdown_owners_update(owned->owners.view);
	end_ns = clock_now_ns();
	if (!ret)
		ret = make_room(owned);
	names = ret ? NULL : make_names(owned);
	if (!ret && !names)
		ret = -ENOMEM;
	if (ret)
		return refused(run, ret);
	find_heirs(owned);
	fill_interval(owned, names);
	free(owned->name);
	owned->name = names;
	owned->nr_names = topdown_owners_nr(owned->owners.view);
	ret = owners_keep(&owned->owners);
	return ret ? refused(run, ret) : put_interval(run, end_ns);
}

/**
 * owned_tick - write the interval if it has ended
 * @run: the recording; without --by nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int owned_tick(struct record_run *run)
{
	uint64_t step_ns = run->options->owner_ms * NS_PER_MS, now_ns = clock_now_ns();
	struct owned *owned = &run->owned;

	if (!owned->owners.view || now_ns < owned->next_ns)
		return 0;
	/* Intervals that passed meanwhile are left out. */
	owned->next_ns += ((now_ns - owned->next_ns) / step_ns + 1) * step_ns;
	return owned_write(run);
}

/**
 * owned_end - let the account of owners go
 * @run: the recording
 *
 * A command may go on.
 */
void owned_end(struct record_run *run)
{
	struct owned *owned = &run->owned;

	owners_close(&owned->owners);
	free(owned->name);
	free(owned->heir);
	free(owned->entry);
	free(owned->share);
	*owned = (struct owned){ .nr_names = 0 };
}
