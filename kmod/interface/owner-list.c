// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors of owners: TOPDOWN_OWNERS makes one, TOPDOWN_OWNERS_READ reads it.
 *
 * While it is open the owners are summed up.  The right was checked when it was made, and goes
 * with it to whoever gets it.
 */
#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/topdown.h>

#include "collect.h"
#include "command.h"
#include "compat.h"
#include "owner-list.h"

/* Size as first released; struct topdown_owner may grow at its end. */
#define TD_OWNER_SIZE_VER0	1000

/* The deepest level that can be asked for. */
#define TD_OWNERS_DEPTH_MAX	31

/**
 * struct td_owner_list - one descriptor
 * @kind: kind of owner
 * @depth: topdown_owners.depth
 */
struct td_owner_list {
	enum td_owners_kind kind;
	unsigned int depth;
};

static int td_owner_list_put(const struct topdown_owners_read *read,
			     const struct topdown_owner *records)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < read->nr_records && !ret; i++) {
		ret = td_command_put(read->records, read->record_size, i, &records[i],
				     sizeof(*records));
		cond_resched();
	}
	return ret;
}

static int td_owner_list_read(struct file *filp, union td_command *command)
{
	const struct td_owner_list *list = filp->private_data;
	struct topdown_owners_read *read = &command->owners_read;
	struct topdown_owner *records;
	int ret;

	if (read->flags)
		return -EOPNOTSUPP;
	if (read->out_since_ns || read->out_time_ns || read->out_nr_owners || read->__reserved ||
	    read->record_size < TD_OWNER_SIZE_VER0)
		return -EINVAL;
	if (read->record_size > PAGE_SIZE)
		return -E2BIG;
	ret = td_collect_read(list->kind, list->depth, read, &records);
	if (!ret)
		ret = td_owner_list_put(read, records);
	kvfree(records);
	return ret;
}

static const struct td_ioctl td_owner_list_ioctls[] = {
	TD_IOCTL(OWNERS_READ, struct topdown_owners_read, __reserved, td_owner_list_read, true),
};

static long td_owner_list_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return td_command_run(td_owner_list_ioctls, ARRAY_SIZE(td_owner_list_ioctls), filp, cmd,
			      arg);
}

static int td_owner_list_release(struct inode *inode, struct file *filp)
{
	struct td_owner_list *list = filp->private_data;

	td_collect_release(list->kind, list->depth);
	kfree(list);
	return 0;
}

static const struct file_operations td_owner_list_fops = {
	.owner		= THIS_MODULE,
	.release	= td_owner_list_release,
	.unlocked_ioctl	= td_owner_list_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.llseek		= noop_llseek,
};

/**
 * td_owner_list_check() - check the argument of TOPDOWN_OWNERS
 * @owners: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_owner_list_check(const struct topdown_owners *owners)
{
	if (owners->flags)
		return -EOPNOTSUPP;
	if (owners->kind > TOPDOWN_OWNERS_CGROUPS || owners->depth > TD_OWNERS_DEPTH_MAX)
		return -EINVAL;
	if (owners->kind == TOPDOWN_OWNERS_PROCESSES && owners->depth)
		return -EINVAL;
	if (owners->kind == TOPDOWN_OWNERS_CGROUPS && !td_compat_has_cgroup_owners())
		return -EOPNOTSUPP;
	return 0;
}

/**
 * td_owner_list_open() - TOPDOWN_OWNERS
 * @owners: the argument, checked; the caller may read system-wide figures
 *
 * Return: the new descriptor, or a negative errno as in the ABI.
 */
int td_owner_list_open(const struct topdown_owners *owners)
{
	struct td_owner_list *list = kzalloc(sizeof(*list), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!list)
		return -ENOMEM;
	list->kind = owners->kind == TOPDOWN_OWNERS_CGROUPS ? TD_OWNERS_CGROUPS :
							      TD_OWNERS_PROCESSES;
	list->depth = owners->depth;
	ret = td_collect_hold(list->kind, list->depth);
	if (ret) {
		kfree(list);
		return ret;
	}
	ret = anon_inode_getfd("[topdown-owners]", &td_owner_list_fops, list,
			       O_RDONLY | O_CLOEXEC);
	if (ret < 0) {
		td_collect_release(list->kind, list->depth);
		kfree(list);
	}
	return ret;
}
