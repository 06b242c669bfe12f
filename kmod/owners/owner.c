// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: the sums of processes and of cgroups.
 *
 * They are made when a ledger that names them is collected, in process context.  A cgroup has the
 * sums of itself, and those of its tree.  Each credit goes into the trees of all ancestors at once,
 * so when a cgroup is removed its parent's tree has all already.
 *
 * All functions are called under the mutex of collect.c.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "metrics.h"
#include "owed.h"
#include "owner.h"
#include "sums.h"

/* Owners of a kind; about a kilobyte each. */
#define TD_OWNERS_MOST	16384
/* If there are more, those that have gone make room. */
#define TD_OWNERS_MANY	(TD_OWNERS_MOST * 3 / 4)

static u64 td_owners_last;

static u64 td_owners_key(const struct td_owners *owners, u64 id)
{
	return siphash_1u64(id, &owners->key);
}

static struct td_owner *td_owners_add(struct td_owners *owners, enum topdown_owner_what what,
				      u64 id)
{
	struct td_owner *owner;

	if (owners->nr >= TD_OWNERS_MOST)
		return NULL;
	/*
	 * All readers have the same owners, so they are not charged to the cgroup of the one that
	 * collects.  And all wait for it: better some slots in "others" than to wait for memory.
	 */
	owner = kzalloc(sizeof(*owner), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!owner)
		return NULL;
	owner->what = what;
	owner->id = id;
	owner->number = ++td_owners_last;
	INIT_HLIST_NODE(&owner->node);
	list_add_tail(&owner->list, &owners->list);
	owners->nr++;
	return owner;
}

static void td_owners_drop(struct td_owners *owners, struct td_owner *owner)
{
	hash_del(&owner->node);
	list_del(&owner->list);
	owners->nr--;
	if (owner->parent)
		owner->parent->children--;
	if (owner->cgroup)
		cgroup_put(owner->cgroup);
	kfree(owner);
}

/**
 * td_owners_create() - begin to sum up a kind of owners
 * @processes: processes, not cgroups
 *
 * Return: the owners, or NULL.
 */
struct td_owners *td_owners_create(bool processes)
{
	struct td_owners *owners = kvzalloc(sizeof(*owners), GFP_KERNEL);

	if (!owners)
		return NULL;
	hash_init(owners->hash);
	get_random_bytes(&owners->key, sizeof(owners->key));
	INIT_LIST_HEAD(&owners->list);
	owners->since_ns = ktime_get_boottime_ns();
	owners->time_ns = owners->since_ns;
	owners->idle = td_owners_add(owners, TOPDOWN_OWNER_WHAT_IDLE, 0);
	owners->others = td_owners_add(owners, TOPDOWN_OWNER_WHAT_OTHERS, 0);
	if (processes)
		owners->ended = td_owners_add(owners, TOPDOWN_OWNER_WHAT_ENDED, 0);
	if (owners->idle && owners->others && (owners->ended || !processes))
		return owners;
	td_owners_destroy(owners);
	return NULL;
}

/**
 * td_owners_destroy() - undo td_owners_create()
 * @owners: the owners
 */
void td_owners_destroy(struct td_owners *owners)
{
	struct td_owner *owner, *next;

	/* Children before their parents. */
	list_for_each_entry_safe_reverse(owner, next, &owners->list, list)
		td_owners_drop(owners, owner);
	kvfree(owners);
}

/* The start of a process that a task which exits did not know is 0. */
static struct td_owner *td_owners_find(struct td_owners *owners, u64 id, u64 start)
{
	struct td_owner *owner, *found = NULL;

	hash_for_each_possible(owners->hash, owner, node, td_owners_key(owners, id)) {
		if (owner->id == id && (owner->start == start || !start) &&
		    (!found || found->number < owner->number))
			found = owner;
	}
	return found;
}

/**
 * td_owners_process() - the owner that is a process
 * @owners: processes
 * @tgid: its number
 * @start: when it started; 0 if that is not known
 * @name: its name now
 *
 * Return: the owner; that of others if there is no room.
 */
struct td_owner *td_owners_process(struct td_owners *owners, pid_t tgid, u64 start,
				   const char *name)
{
	struct td_owner *owner = td_owners_find(owners, tgid, start);

	if (!owner) {
		owner = td_owners_add(owners, TOPDOWN_OWNER_WHAT_PROCESS, tgid);
		if (!owner)
			return owners->others;
		owner->start = start;
		hash_add(owners->hash, &owner->node, td_owners_key(owners, owner->id));
	}
	if (name[0])
		strscpy(owner->name, name, sizeof(owner->name));
	return owner;
}

/* The last component of the path; "" for the root. */
static void td_owner_name(struct td_owners *owners, struct td_owner *owner)
{
	int length = cgroup_path(owner->cgroup, owners->path, sizeof(owners->path));
	const char *name;

	/* Kernels differ in what they say and write of a path that is too long. */
	if (length <= 0 || length >= sizeof(owners->path)) {
		owner->cut = true;
		return;
	}
	name = strrchr(owners->path, '/');
	owner->cut = name && strscpy(owner->name, name + 1, sizeof(owner->name)) < 0;
}

static struct td_owner *td_owners_add_cgroup(struct td_owners *owners, struct cgroup *cgroup,
					     struct td_owner *parent)
{
	struct td_owner *owner = td_owners_add(owners, TOPDOWN_OWNER_WHAT_CGROUP,
					       cgroup_id(cgroup));

	if (!owner)
		return NULL;
	cgroup_get(cgroup);
	owner->cgroup = cgroup;
	owner->level = cgroup->level;
	owner->parent = parent;
	if (parent)
		parent->children++;
	td_owner_name(owners, owner);
	hash_add(owners->hash, &owner->node, td_owners_key(owners, owner->id));
	return owner;
}

/* Has a cgroup been removed?  It may have tasks that exit, or references, for a while. */
static bool td_owner_removed(const struct cgroup *cgroup)
{
	return !(READ_ONCE(cgroup->self.flags) & CSS_ONLINE);
}

/**
 * td_owners_cgroup() - the owner that is a cgroup
 * @owners: cgroups
 * @cgroup: the cgroup, with a reference of the caller
 *
 * One that has been removed is its nearest ancestor that has not, and one without room the nearest
 * that has it.
 *
 * Return: the owner; that of others if there is no room for the root.
 */
struct td_owner *td_owners_cgroup(struct td_owners *owners, struct cgroup *cgroup)
{
	struct td_owner *owner = NULL, *child;
	int level = cgroup->level + 1;
	struct cgroup *at;

	/* The nearest ancestor that is known, and then those below it. */
	while (!owner && level--)
		owner = td_owners_find(owners, cgroup_id(cgroup_ancestor(cgroup, level)), 0);
	while (level < cgroup->level) {
		at = cgroup_ancestor(cgroup, ++level);
		if (level && td_owner_removed(at))
			break;
		child = td_owners_add_cgroup(owners, at, owner);
		/* Whoever makes too many cgroups has their slots in his own. */
		if (!child)
			return owner ? owner : owners->others;
		owner = child;
	}
	return owner;
}

/* Only the nodes that all parts have, and the lowest level. */
static void td_owner_join(struct td_owner *owner, unsigned int depth, u64 nodes,
			  unsigned int source)
{
	owner->nodes = owner->depth ? owner->nodes & nodes : nodes;
	owner->source = owner->depth && owner->source != source ? TOPDOWN_SOURCE_MIXED : source;
	if (!owner->depth || depth < owner->depth)
		owner->depth = depth;
}

/**
 * td_owner_credit() - add to the sums of an owner, and of the trees that it is in
 * @owner: the owner
 * @bill: what to add
 */
void td_owner_credit(struct td_owner *owner, const struct td_bill *bill)
{
	struct topdown_sums grown = owner->self;
	struct td_owner *at;

	td_sums_owe(&owner->self, &bill->sums, owner->owed, bill->depth);
	owner->switches += bill->switches;
	/* Trees grow by what their owners grow by, so they are exact sums, and never fall. */
	td_sums_sub(&grown, &owner->self);
	for (at = owner; at; at = at->parent) {
		td_sums_sub(&at->tree, &grown);
		at->tree_switches += bill->switches;
		if (bill->depth && bill->sums.slots)
			td_owner_join(at, bill->depth, bill->nodes, bill->source);
	}
}

/* Leave the sums of an owner to another one. */
static void td_owner_leave(const struct td_owner *owner, struct td_owner *heir)
{
	td_sums_add(&heir->self, &owner->self);
	heir->switches += owner->switches;
	if (owner->depth)
		td_owner_join(heir, owner->depth, owner->nodes, owner->source);
	if (heir == owner->parent)
		return;
	td_sums_add(&heir->tree, &owner->self);
	heir->tree_switches += owner->switches;
}

static bool td_owner_lives(const struct td_owner *owner)
{
	const struct task_struct *task;
	bool lives;

	rcu_read_lock();
	task = pid_task(find_pid_ns(owner->id, &init_pid_ns), PIDTYPE_TGID);
	lives = task && (task->start_boottime == owner->start || !owner->start);
	rcu_read_unlock();
	return lives;
}

/*
 * One that was found to have ended before this collection has its last slots.
 * @many: others need its place
 */
static void td_owners_tidy_process(struct td_owners *owners, struct td_owner *owner, bool many)
{
	unsigned long keep = msecs_to_jiffies(TOPDOWN_OWNERS_KEEP_MS);

	if (!owner->exited) {
		owner->exited = !td_owner_lives(owner);
		owner->ended = jiffies;
	} else if (many || time_after(jiffies, owner->ended + keep)) {
		td_owner_leave(owner, owners->ended);
		td_owners_drop(owners, owner);
	}
}

static void td_owners_tidy_cgroup(struct td_owners *owners, struct td_owner *owner)
{
	if (!owner->parent || owner->children || !td_owner_removed(owner->cgroup))
		return;
	td_owner_leave(owner, owner->parent);
	td_owners_drop(owners, owner);
}

/**
 * td_owners_tidy() - look which owners have gone, after a collection
 * @owners: the owners
 */
void td_owners_tidy(struct td_owners *owners)
{
	bool many = owners->nr > TD_OWNERS_MANY;
	struct td_owner *owner, *next;

	/* Children before their parents, so that a removed tree goes at once. */
	list_for_each_entry_safe_reverse(owner, next, &owners->list, list) {
		if (owner->what == TOPDOWN_OWNER_WHAT_PROCESS)
			td_owners_tidy_process(owners, owner, many);
		else if (owner->what == TOPDOWN_OWNER_WHAT_CGROUP)
			td_owners_tidy_cgroup(owners, owner);
		cond_resched();
	}
	owners->tidied = jiffies;
	/* Where nobody goes, to look more often is no use. */
	owners->pause = owners->nr > TD_OWNERS_MANY ? HZ : HZ / 10;
}

/**
 * td_owners_crowded() - is it time for td_owners_tidy(), before there is no room any more?
 * @owners: the owners
 *
 * Return: true or false.
 */
bool td_owners_crowded(const struct td_owners *owners)
{
	return owners->nr > TD_OWNERS_MANY && time_after(jiffies, owners->tidied + owners->pause);
}

/**
 * td_owner_read() - write the record of an owner
 * @owner: the owner
 * @depth: cgroups below this level are not read; 0 if they are
 * @record: written
 */
void td_owner_read(const struct td_owner *owner, unsigned int depth,
		   struct topdown_owner *record)
{
	*record = (struct topdown_owner){
		.what		= owner->what,
		.flags		= (owner->exited ? TOPDOWN_OWNER_EXITED : 0) |
				  (owner->cut ? TOPDOWN_OWNER_CUT : 0),
		.id		= owner->id,
		.parent		= owner->parent ? owner->parent->id : 0,
		.start_ns	= owner->start,
		.level		= owner->level,
		.depth		= owner->depth,
		.source		= owner->source,
		.nodes		= owner->nodes,
		.switches	= owner->switches,
		.tree_switches	= owner->tree_switches,
	};
	strscpy(record->name, owner->name, sizeof(record->name));
	td_figures_make(&record->self, &owner->self, record->nodes);
	td_figures_make(&record->tree, &owner->tree, record->nodes);
	/* Another reader may want deeper ones, which count here for this one. */
	if (depth && owner->what == TOPDOWN_OWNER_WHAT_CGROUP && owner->level == depth) {
		record->self = record->tree;
		record->switches = owner->tree_switches;
	}
}
