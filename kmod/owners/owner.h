/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_OWNER_H
#define TOPDOWN_OWNER_H

#include <linux/hashtable.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/siphash.h>
#include <linux/types.h>

#include "metrics.h"

struct cgroup;

/* Some owners a list, when all places are taken. */
#define TD_OWNERS_BITS	12

/**
 * struct td_owner - the sums of an owner
 * @node: entry in td_owners.hash
 * @list: entry in td_owners.list
 * @number: of all owners since the module was loaded, in the order in which they were made
 * @what: enum topdown_owner_what
 * @id: as topdown_owner.id, and so are the fields up to @nodes
 * @start: as topdown_owner.start_ns
 * @parent: the parent of a cgroup
 * @children: number of owners whose parent this is
 * @cgroup: the cgroup, with a reference
 * @ended: when the process was found to have ended, in jiffies
 * @exited: the process has ended
 * @cut: the name did not fit
 * @level: level of a cgroup
 * @name: name
 * @depth: highest level of nodes
 * @source: enum topdown_source
 * @nodes: nodes that were counted in all of it
 * @switches: as topdown_owner
 * @tree_switches: as topdown_owner
 * @owed: slots that each node of @self has too many, because sums never fall
 * @self: as topdown_owner
 * @tree: as topdown_owner
 */
struct td_owner {
	struct hlist_node node;
	struct list_head list;
	u64 number;
	enum topdown_owner_what what;
	u64 id;
	u64 start;
	struct td_owner *parent;
	unsigned int children;
	struct cgroup *cgroup;
	unsigned long ended;
	bool exited;
	bool cut;
	unsigned int level;
	char name[TOPDOWN_OWNER_NAME_MAX];
	unsigned int depth;
	unsigned int source;
	u64 nodes;
	u64 switches;
	u64 tree_switches;
	s64 owed[TD_NR_NODES];
	struct topdown_sums self;
	struct topdown_sums tree;
};

/**
 * struct td_owners - all owners of a kind; under the mutex of collect.c
 * @hash: processes and cgroups by td_owners_key() of their ids
 * @key: of the hash, as users choose ids
 * @list: all owners, parents first
 * @nr: length of @list
 * @idle: the owner of what idle tasks had
 * @others: the owner of what did not fit
 * @ended: the owner of what processes had that ended; NULL for cgroups
 * @since_ns: when the sums began, CLOCK_BOOTTIME
 * @time_ns: until when they count
 * @tidied: when td_owners_tidy() was called, in jiffies
 * @pause: so long after that it need not be called again, in jiffies
 * @path: room for the path of a cgroup
 */
struct td_owners {
	DECLARE_HASHTABLE(hash, TD_OWNERS_BITS);
	siphash_key_t key;
	struct list_head list;
	unsigned int nr;
	struct td_owner *idle;
	struct td_owner *others;
	struct td_owner *ended;
	u64 since_ns;
	u64 time_ns;
	unsigned long tidied;
	unsigned long pause;
	char path[PATH_MAX];
};

/**
 * struct td_bill - what an owner is to be credited with
 * @sums: the part; a node may be below 0, modulo 2^64
 * @switches: how often the owner got a CPU
 * @depth: level of the meter; 0 if there was none
 * @nodes: its nodes
 * @source: its source
 */
struct td_bill {
	struct topdown_sums sums;
	u64 switches;
	unsigned int depth;
	u64 nodes;
	unsigned int source;
};

struct td_owners *td_owners_create(bool processes);
void td_owners_destroy(struct td_owners *owners);
struct td_owner *td_owners_process(struct td_owners *owners, pid_t tgid, u64 start,
				   const char *name);
struct td_owner *td_owners_cgroup(struct td_owners *owners, struct cgroup *cgroup);
void td_owner_credit(struct td_owner *owner, const struct td_bill *bill);
void td_owners_tidy(struct td_owners *owners);
bool td_owners_crowded(const struct td_owners *owners);
void td_owner_read(const struct td_owner *owner, unsigned int depth,
		   struct topdown_owner *record);

#endif /* TOPDOWN_OWNER_H */
