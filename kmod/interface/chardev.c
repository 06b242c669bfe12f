// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/topdown: the ioctls of uapi/linux/topdown.h.
 *
 * The table td_ioctls specifies what is accepted (command.c).
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/processor.h>

#include "aside.h"
#include "busy.h"
#include "chardev.h"
#include "command.h"
#include "device.h"
#include "fresh.h"
#include "mapping.h"
#include "meter.h"
#include "model.h"
#include "map.h"
#include "owner-list.h"
#include "record.h"
#include "refine.h"
#include "rights.h"
#include "room.h"
#include "scope.h"
#include "session.h"
#include "session-file.h"
#include "share.h"
#include "trial.h"
#include "watch-list.h"
#include "window.h"

/* Size as first released; struct topdown_record may grow at its end. */
#define TD_RECORD_SIZE_VER0	880

/**
 * struct td_file - one open descriptor
 * @may_read: system-wide figures are allowed.  Decided at open(), so the descriptor can be
 *	passed to a process with fewer rights, as a perf descriptor can
 * @watches: the watches for poll() and read()
 * @rcu: frees the file when no timer uses @watches any more
 */
struct td_file {
	bool may_read;
	struct td_watch_list watches;
	struct rcu_head rcu;
};

/*
 * The record of the CPU with the most levels, preferably a P-core.  Its nodes are those that
 * any CPU counts, or may count with drilldown.
 */
static void td_chardev_best(struct topdown_record *best)
{
	struct topdown_record record;
	__u64 nodes = 0;
	int cpu;

	*best = (struct topdown_record){ .source = TOPDOWN_SOURCE_NONE };
	for_each_possible_cpu(cpu) {
		td_map_read(cpu, false, &record);
		nodes |= td_window_nodes(cpu);
		if (record.level > best->level || (record.level == best->level &&
						   best->kind == TOPDOWN_KIND_ATOM))
			*best = record;
	}
	best->nodes = nodes;
}

static int td_chardev_info(struct file *filp, union td_command *command)
{
	const struct td_file *file = filp->private_data;
	struct topdown_info *info = &command->info;
	const struct td_model *model = td_model_get();
	const struct cpuinfo_x86 *cpu = &boot_cpu_data;
	struct topdown_record best;
	__u32 size = info->size;

	if (info->flags)
		return -EOPNOTSUPP;
	if (memchr_inv(&info->out_features, 0,
		       sizeof(*info) - offsetof(struct topdown_info, out_features)))
		return -EINVAL;

	*info = (struct topdown_info) {
		.size			= size,
		.out_features		= TOPDOWN_FEATURE_FRESH | TOPDOWN_FEATURE_TOTAL |
					  TOPDOWN_FEATURE_MAP | TOPDOWN_FEATURE_WATCH |
					  TOPDOWN_FEATURE_OWNERS |
					  (td_meter_cycles() ? TOPDOWN_FEATURE_CYCLES : 0) |
					  (td_busy_known() ? TOPDOWN_FEATURE_BUSY : 0),
		.out_flags		= file->may_read ? TOPDOWN_INFO_MAY_READ : 0,
		.out_nr_cpus		= nr_cpu_ids,
		.out_record_size	= sizeof(struct topdown_record),
		.out_period_ms		= td_window_period(),
		.out_period_min_ms	= TD_PERIOD_MIN_MS,
		.out_period_max_ms	= TD_PERIOD_MAX_MS,
		.out_cpu_family		= cpu->x86,
		.out_cpu_model		= cpu->x86_model,
		.out_cpu_stepping	= cpu->x86_stepping,
	};
	if (td_trial_may_follow())
		info->out_features |= TOPDOWN_FEATURE_SESSION;
	if (td_meter_pinned())
		info->out_flags |= TOPDOWN_INFO_PINNED;
	if (td_refine_wanted())
		info->out_flags |= TOPDOWN_INFO_REFINED;
	if (td_room_drilldown())
		info->out_flags |= TOPDOWN_INFO_DRILLDOWN;
	info->out_flags |= td_aside_info();
	td_chardev_best(&best);
	info->out_level = best.level;
	info->out_source = best.source;
	info->out_slots_per_cycle = best.level ? best.slots_per_cycle : model->slots_per_cycle;
	strscpy(info->out_cpu_vendor, cpu->x86_vendor_id, sizeof(info->out_cpu_vendor));
	strscpy(info->out_cpu_name, cpu->x86_model_id, sizeof(info->out_cpu_name));
	strscpy(info->out_codename, model->codename, sizeof(info->out_codename));
	strscpy(info->out_version, TOPDOWN_VERSION, sizeof(info->out_version));
	info->out_map_size = td_map_size();
	info->out_session_map_size = td_share_size();
	info->out_instance = td_map_instance();
	info->out_load_time_ns = td_map_load_time();
	return 0;
}

static int td_chardev_put(const struct topdown_read *read, unsigned int index,
			  const struct topdown_record *record)
{
	return td_command_put(read->records, read->record_size, index, record, sizeof(*record));
}

/* Write the records; @total is NULL if the sum is not wanted. */
static int td_chardev_put_all(const struct topdown_read *read, const struct cpumask *cpus,
			      struct td_cpus_sum *total)
{
	bool fresh = read->flags & TOPDOWN_READ_FRESH;
	struct topdown_record record;
	unsigned int n = 0;
	int cpu, ret;

	for_each_cpu(cpu, cpus) {
		td_record_read(cpu, fresh && !td_scope_quiet(cpu), &record);
		ret = td_chardev_put(read, n++, &record);
		if (ret)
			return ret;
		if (total)
			td_cpus_sum_add(total, &record);
		cond_resched();
		/* Nobody who was killed sees the errno. */
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	if (!total)
		return 0;
	td_cpus_sum_end(total);
	return td_chardev_put(read, n, &total->record);
}

static int td_chardev_read_cpus(struct topdown_read *read, struct cpumask *cpus)
{
	struct td_cpus_sum *total = NULL;
	unsigned int room = read->nr_records;
	int ret;

	ret = td_command_cpus(cpus, read->cpus, read->cpus_words);
	if (ret)
		return ret;
	if (read->flags & TOPDOWN_READ_MAPPED) {
		td_fresh_fold_awake(cpus);
		return 0;
	}
	read->nr_records = cpumask_weight(cpus) + !!(read->flags & TOPDOWN_READ_TOTAL);
	if (read->nr_records > room)
		return -EMSGSIZE;

	if (read->flags & TOPDOWN_READ_TOTAL) {
		total = kmalloc(sizeof(*total), GFP_KERNEL);
		if (!total)
			return -ENOMEM;
		td_cpus_sum_begin(total);
	}
	if (read->flags & TOPDOWN_READ_FRESH)
		td_fresh_fold_awake(cpus);
	ret = td_chardev_put_all(read, cpus, total);
	kfree(total);
	return ret;
}

/* Are the flags and the room for records as in the ABI? */
static int td_chardev_check_read(const struct topdown_read *read)
{
	if (read->flags & ~TD_READ_FLAGS)
		return -EOPNOTSUPP;
	if (read->__reserved)
		return -EINVAL;
	if (read->flags & TOPDOWN_READ_MAPPED) {
		if (read->flags != (TOPDOWN_READ_FRESH | TOPDOWN_READ_MAPPED))
			return -EINVAL;
		return read->record_size || read->records || read->nr_records ? -EINVAL : 0;
	}
	if (read->record_size < TD_RECORD_SIZE_VER0)
		return -EINVAL;
	return read->record_size > PAGE_SIZE ? -E2BIG : 0;
}

static int td_chardev_read(struct file *filp, union td_command *command)
{
	const struct td_file *file = filp->private_data;
	struct topdown_read *read = &command->read;
	cpumask_var_t cpus;
	int ret;

	ret = td_chardev_check_read(read);
	if (ret)
		return ret;
	if (!file->may_read)
		return -EACCES;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	ret = td_chardev_read_cpus(read, cpus);
	free_cpumask_var(cpus);
	return ret;
}

static int td_chardev_add_watch(struct td_file *file, struct topdown_watch *watch)
{
	struct topdown_record best;
	cpumask_var_t cpus;
	int ret;

	if (watch->node != TOPDOWN_WATCH_ANY) {
		td_chardev_best(&best);
		if (watch->node >= TD_NR_NODES || !(best.nodes >> watch->node & 1))
			return -EOPNOTSUPP;
	}
	if (!file->may_read)
		return -EACCES;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	ret = td_command_cpus(cpus, watch->cpus, watch->cpus_words);
	if (!ret)
		ret = td_watch_list_add(&file->watches, watch, cpus);
	free_cpumask_var(cpus);
	return ret;
}

static int td_chardev_watch(struct file *filp, union td_command *command)
{
	struct td_file *file = filp->private_data;
	struct topdown_watch *watch = &command->watch;
	int ret;

	ret = td_watch_list_check(watch);
	if (ret)
		return ret;
	if (watch->flags & TOPDOWN_WATCH_REMOVE)
		return td_watch_list_remove(&file->watches, watch->watch);
	return td_chardev_add_watch(file, watch);
}

/* The copy to the caller failed, so nobody knows the number of the new watch: remove it. */
static void td_chardev_unwatch(struct file *filp, const union td_command *command)
{
	struct td_file *file = filp->private_data;

	if (!(command->watch.flags & TOPDOWN_WATCH_REMOVE))
		td_watch_list_remove(&file->watches, command->watch.out_watch);
}

static int td_chardev_attach(struct file *filp, union td_command *command)
{
	if (!td_trial_may_follow())
		return -EOPNOTSUPP;
	return td_session_file_attach(&command->attach);
}

static int td_chardev_owners(struct file *filp, union td_command *command)
{
	const struct td_file *file = filp->private_data;
	int ret = td_owner_list_check(&command->owners);

	if (ret)
		return ret;
	if (!file->may_read)
		return -EACCES;
	/*
	 * A descriptor that was handed on, and the parameter, are good for figures of CPUs.  These
	 * are others' processes, with their names.
	 */
	ret = td_rights_perf();
	if (ret)
		return ret == -EPERM ? -EACCES : ret;
	return td_owner_list_open(&command->owners);
}

static const struct td_ioctl td_ioctls[] = {
	TD_IOCTL(INFO, struct topdown_info, out_load_time_ns, td_chardev_info, true),
	TD_IOCTL(READ, struct topdown_read, __reserved, td_chardev_read, true),
	TD_IOCTL(WATCH, struct topdown_watch, __reserved, td_chardev_watch, true,
		 .changes = true, .undo = td_chardev_unwatch),
	TD_IOCTL(ATTACH, struct topdown_attach, __reserved, td_chardev_attach, false,
		 .changes = true),
	TD_IOCTL(OWNERS, struct topdown_owners, depth, td_chardev_owners, false),
};

static long td_chardev_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return td_command_run(td_ioctls, ARRAY_SIZE(td_ioctls), filp, cmd, arg);
}

static ssize_t td_chardev_read_events(struct kiocb *iocb, struct iov_iter *to)
{
	const struct file *filp = iocb->ki_filp;
	bool nonblock = filp->f_flags & O_NONBLOCK || iocb->ki_flags & IOCB_NOWAIT;
	struct td_file *file = filp->private_data;

	if (!file->may_read)
		return -EACCES;
	return td_watch_list_read(&file->watches, to, nonblock);
}

static __poll_t td_chardev_poll(struct file *filp, poll_table *table)
{
	struct td_file *file = filp->private_data;

	if (!file->may_read)
		return EPOLLERR;
	return td_watch_list_poll(&file->watches, filp, table);
}

static int td_chardev_mmap(struct file *filp, struct vm_area_struct *vma)
{
	const struct td_file *file = filp->private_data;
	int ret;

	if (!file->may_read)
		return -EACCES;
	ret = td_mapping_check(vma);
	return ret ? ret : td_map_mmap(vma);
}

static int td_chardev_open(struct inode *inode, struct file *filp)
{
	struct td_file *file;
	int may_read = td_rights_open(td_rights_trusted());

	if (may_read < 0)
		return may_read;

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	file->may_read = may_read;
	td_watch_list_init(&file->watches);
	filp->private_data = file;
	/* td_chardev_read_events() knows IOCB_NOWAIT. */
	filp->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, filp);
}

static void td_chardev_free_rcu(struct rcu_head *rcu)
{
	struct td_file *file = container_of(rcu, struct td_file, rcu);

	kfree(file);
}

static int td_chardev_release(struct inode *inode, struct file *filp)
{
	struct td_file *file = filp->private_data;

	td_watch_list_stop(&file->watches);
	call_rcu(&file->rcu, td_chardev_free_rcu);
	return 0;
}

static const struct file_operations td_chardev_fops = {
	.owner		= THIS_MODULE,
	.open		= td_chardev_open,
	.release	= td_chardev_release,
	.unlocked_ioctl	= td_chardev_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.read_iter	= td_chardev_read_events,
	.poll		= td_chardev_poll,
	.mmap		= td_chardev_mmap,
};

static struct td_device td_chardev;

/**
 * td_chardev_init() - offer /dev/topdown
 *
 * Return: 0 or a negative errno.
 */
int td_chardev_init(void)
{
	return td_device_add(&td_chardev, "topdown", &td_chardev_fops);
}

/**
 * td_chardev_exit() - undo td_chardev_init(); no descriptor is open any more
 */
void td_chardev_exit(void)
{
	td_device_remove(&td_chardev);
	/* Wait for td_chardev_free_rcu() of closed descriptors, which is code of this module. */
	rcu_barrier();
}
