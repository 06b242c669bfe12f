// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/topdown: records as text, and the period.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/uidgid.h>

#include "compat.h"
#include "cpu.h"
#include "fit.h"
#include "meter.h"
#include "names.h"
#include "record.h"
#include "sysfs.h"
#include "window.h"

static ushort td_sysfs_mode = 0440;
module_param_named(sysfs_mode, td_sysfs_mode, ushort, 0444);
MODULE_PARM_DESC(sysfs_mode, "Mode of cpuN and total in /sys/kernel/topdown; only read bits (default: 0440)");

static uint td_sysfs_uid;
module_param_named(sysfs_uid, td_sysfs_uid, uint, 0444);
MODULE_PARM_DESC(sysfs_uid, "Owner of the files in /sys/kernel/topdown (default: 0)");

static uint td_sysfs_gid;
module_param_named(sysfs_gid, td_sysfs_gid, uint, 0444);
MODULE_PARM_DESC(sysfs_gid, "Group of the files in /sys/kernel/topdown (default: 0)");

/**
 * struct td_cpu_file - the file of one CPU
 * @attr: the attribute
 * @cpu: the CPU's number
 * @name: the file's name
 */
struct td_cpu_file {
	struct kobj_attribute attr;
	int cpu;
	char name[16];
};

/* The files cpuN of all CPUs, and then the files events/cpuN of all CPUs. */
static struct td_cpu_file *td_cpu_files;

static bool td_sysfs_is_owner(void)
{
	return uid_eq(current_fsuid(), make_kuid(&init_user_ns, td_sysfs_uid));
}

/* " 12.34%", or " -" if there is no ratio. */
static int td_emit_ratio(char *buffer, int at, u32 ratio)
{
	const u32 unit = TOPDOWN_RATIO_ONE / 10000;
	u32 hundredths;

	if (ratio == TOPDOWN_RATIO_NONE)
		return sysfs_emit_at(buffer, at, " -");
	hundredths = (ratio + unit / 2) / unit;
	return sysfs_emit_at(buffer, at, " %u.%02u%%", hundredths / 100, hundredths % 100);
}

static int td_emit_line(char *buffer, int at, const char *name, const u64 *slots,
			u32 total, u32 window)
{
	int n = sysfs_emit_at(buffer, at, "%s", name);

	/* If a node was not counted all the time, its count is not its slots. */
	if (slots && *slots && total == TOPDOWN_RATIO_NONE)
		n += sysfs_emit_at(buffer, at + n, " -");
	else if (slots)
		n += sysfs_emit_at(buffer, at + n, " %llu", *slots);
	n += td_emit_ratio(buffer, at + n, total);
	n += td_emit_ratio(buffer, at + n, window);
	return n + sysfs_emit_at(buffer, at + n, "\n");
}

static u32 td_running(const struct topdown_figures *figures)
{
	return td_ratio(figures->running_ns, figures->enabled_ns);
}

static ssize_t td_emit_record(char *buffer, const struct topdown_record *record,
			      unsigned int windows)
{
	const struct topdown_figures *total = &record->total, *window = &record->window;
	u64 window_us = div_u64(window->enabled_ns, max(windows, 1U) * (u32)NSEC_PER_USEC);
	int i, n = 0;

	n += sysfs_emit_at(buffer, n, "source: %s\n", td_source_name(record->source));
	if (record->kind != TOPDOWN_KIND_ONLY)
		n += sysfs_emit_at(buffer, n, "kind: %s\n", td_kind_name(record->kind));
	n += sysfs_emit_at(buffer, n, "level: %u\n", record->level);
	n += sysfs_emit_at(buffer, n, "state: %s\n", td_state_name(record->state));
	n += td_emit_line(buffer, n, "running:", NULL, td_running(total), td_running(window));
	n += sysfs_emit_at(buffer, n, "windows: %llu\n", record->windows);
	n += sysfs_emit_at(buffer, n, "window_us: %llu\n", window_us);
	n += td_emit_line(buffer, n, "slots", &total->slots,
			  td_ratio(total->slots, total->slots),
			  td_ratio(window->slots, window->slots));
	for (i = 0; i < TD_NR_NODES; i++) {
		if (record->nodes >> i & 1)
			n += td_emit_line(buffer, n, td_node_name(i), &total->node[i],
					  total->ratio[i], window->ratio[i]);
		/* The nodes of PERF_METRICS always have a line, other nodes only if counted. */
		else if (i < TD_NODES_METRICS)
			n += sysfs_emit_at(buffer, n, "%s - - -\n", td_node_name(i));
	}
	return n;
}

/*
 * May the caller read figures?  The mode of a file lets uid 0 of each container in that shares the
 * user namespace, whether it has capabilities or not.  So a capability is needed, unless the
 * parameters of the module let more users in.
 */
static bool td_sysfs_may_read(void)
{
	if (td_sysfs_mode & 0004 ||
	    (td_sysfs_mode & 0400 && td_sysfs_uid && td_sysfs_is_owner()) ||
	    (td_sysfs_mode & 0040 && td_sysfs_gid &&
	     in_group_p(make_kgid(&init_user_ns, td_sysfs_gid))))
		return true;
	return perfmon_capable();
}

static ssize_t td_cpu_show(struct kobject *kobj, struct kobj_attribute *attr, char *buffer)
{
	const struct td_cpu_file *file = container_of(attr, struct td_cpu_file, attr);
	struct topdown_record record;

	if (!td_sysfs_may_read())
		return -EACCES;
	td_record_read(file->cpu, false, &record);
	return td_emit_record(buffer, &record, 1);
}

/*
 * "NAME CONFIG COUNT" for each event.  Each reading interrupts the CPU, and says what it has
 * counted until now.  So the parameters of the module let nobody in.
 */
static ssize_t td_events_show(struct kobject *kobj, struct kobj_attribute *attr, char *buffer)
{
	const struct td_cpu_file *file = container_of(attr, struct td_cpu_file, attr);
	const struct td_event_count *event;
	struct td_events events;
	int n;

	if (!perfmon_capable())
		return -EACCES;
	n = td_cpu_events(file->cpu, &events);
	if (n)
		return n;
	for (event = events.event; event < events.event + events.nr; event++)
		n += sysfs_emit_at(buffer, n, "%s %#llx %llu\n", event->name, event->config,
				   event->count);
	return n;
}

static ssize_t td_cpus_sum_show(struct kobject *kobj, struct kobj_attribute *attr, char *buffer)
{
	struct topdown_record record;
	struct td_cpus_sum *total;
	ssize_t n;
	int cpu;

	if (!td_sysfs_may_read())
		return -EACCES;
	total = kmalloc(sizeof(*total), GFP_KERNEL);
	if (!total)
		return -ENOMEM;
	td_cpus_sum_begin(total);
	for_each_possible_cpu(cpu) {
		td_record_read(cpu, false, &record);
		td_cpus_sum_add(total, &record);
	}
	td_cpus_sum_end(total);
	n = td_emit_record(buffer, &total->record, total->windows);
	kfree(total);
	return n;
}

static ssize_t period_ms_show(struct kobject *kobj, struct kobj_attribute *attr, char *buffer)
{
	return sysfs_emit(buffer, "%u\n", td_window_period());
}

static ssize_t period_ms_store(struct kobject *kobj, struct kobj_attribute *attr,
			       const char *buffer, size_t count)
{
	int ret = -EACCES;

	if ((td_sysfs_uid && td_sysfs_is_owner()) || perfmon_capable())
		ret = td_cpu_set_period(buffer);
	return ret ? ret : count;
}

/* Find the CPUs from @cpu on with the same text.  Returns the CPU after @last. */
static int td_sources_run(int cpu, const char *text, int *last)
{
	char other[TD_METER_TEXT];

	*last = cpu;
	for (cpu = cpumask_next(cpu, cpu_possible_mask); cpu < nr_cpu_ids;
	     cpu = cpumask_next(cpu, cpu_possible_mask)) {
		td_fit_describe(cpu, other);
		if (strcmp(text, other))
			break;
		*last = cpu;
	}
	return cpu;
}

static ssize_t sources_show(struct kobject *kobj, struct kobj_attribute *attr, char *buffer)
{
	int cpu = cpumask_first(cpu_possible_mask), first, last, n = 0;
	char text[TD_METER_TEXT];

	while (cpu < nr_cpu_ids) {
		first = cpu;
		td_fit_describe(cpu, text);
		cpu = td_sources_run(cpu, text, &last);
		if (first == last)
			n += sysfs_emit_at(buffer, n, "%d: %s\n", first, text);
		else
			n += sysfs_emit_at(buffer, n, "%d-%d: %s\n", first, last, text);
	}
	return n;
}

/* A line for each range of CPUs with the same number. */
static ssize_t odd_windows_show(struct kobject *kobj, struct kobj_attribute *attr, char *buffer)
{
	int cpu = cpumask_first(cpu_possible_mask), first, last, n = 0;
	u64 odd;

	while (cpu < nr_cpu_ids) {
		first = cpu;
		odd = td_window_odd(cpu);
		do {
			last = cpu;
			cpu = cpumask_next(cpu, cpu_possible_mask);
		} while (cpu < nr_cpu_ids && td_window_odd(cpu) == odd);
		if (first == last)
			n += sysfs_emit_at(buffer, n, "%d: %llu\n", first, odd);
		else
			n += sysfs_emit_at(buffer, n, "%d-%d: %llu\n", first, last, odd);
	}
	return n;
}

static struct kobj_attribute td_odd_windows_file = __ATTR_RO(odd_windows);
static struct kobj_attribute td_sources_file = __ATTR_RO(sources);
static struct kobj_attribute td_period_file = __ATTR_RW(period_ms);
static struct kobj_attribute td_cpus_sum_file = {
	.attr = { .name = "total" },
	.show = td_cpus_sum_show,
};

/* The directory events; td_sysfs_add_cpu() adds its files. */
static struct attribute *td_events_none[] = { NULL };
static const struct attribute_group td_events_group = {
	.name = "events",
	.attrs = td_events_none,
};

/* The owner of all files; an owner can also write period_ms. */
static void td_sysfs_get_ownership(td_kobject_const struct kobject *kobj,
				   kuid_t *uid, kgid_t *gid)
{
	*uid = make_kuid(&init_user_ns, td_sysfs_uid);
	*gid = make_kgid(&init_user_ns, td_sysfs_gid);
}

static DECLARE_COMPLETION(td_sysfs_released);

static void td_sysfs_release(struct kobject *kobj)
{
	complete(&td_sysfs_released);
}

static const struct kobj_type td_ktype = {
	.release	= td_sysfs_release,
	.sysfs_ops	= &kobj_sysfs_ops,
	.get_ownership	= td_sysfs_get_ownership,
};

static struct kobject td_kobject;

static void td_sysfs_fill(struct td_cpu_file *file, int cpu, umode_t mode,
			  typeof_member(struct kobj_attribute, show) show)
{
	file->cpu = cpu;
	snprintf(file->name, sizeof(file->name), "cpu%d", cpu);
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = file->name;
	file->attr.attr.mode = mode;
	file->attr.show = show;
}

static int td_sysfs_add_cpu(int cpu)
{
	struct td_cpu_file *figures = &td_cpu_files[cpu], *events = figures + nr_cpu_ids;
	int ret;

	td_sysfs_fill(figures, cpu, td_sysfs_mode, td_cpu_show);
	td_sysfs_fill(events, cpu, 0400, td_events_show);
	ret = sysfs_create_file(&td_kobject, &figures->attr.attr);
	if (!ret)
		ret = sysfs_add_file_to_group(&td_kobject, &events->attr.attr, "events");
	return ret;
}

static int td_sysfs_add_files(void)
{
	int cpu, ret;

	td_cpus_sum_file.attr.mode = td_sysfs_mode;
	ret = sysfs_create_file(&td_kobject, &td_period_file.attr);
	if (!ret)
		ret = sysfs_create_file(&td_kobject, &td_sources_file.attr);
	if (!ret)
		ret = sysfs_create_file(&td_kobject, &td_odd_windows_file.attr);
	if (!ret)
		ret = sysfs_create_file(&td_kobject, &td_cpus_sum_file.attr);
	if (!ret)
		ret = sysfs_create_group(&td_kobject, &td_events_group);
	for_each_possible_cpu(cpu) {
		if (ret)
			break;
		ret = td_sysfs_add_cpu(cpu);
	}
	return ret;
}

static int td_sysfs_check_params(void)
{
	if (td_sysfs_mode & ~0444) {
		pr_err("sysfs_mode 0%o has bits other than 0444\n", td_sysfs_mode);
		return -EINVAL;
	}
	if (!uid_valid(make_kuid(&init_user_ns, td_sysfs_uid)) ||
	    !gid_valid(make_kgid(&init_user_ns, td_sysfs_gid))) {
		pr_err("sysfs_uid %u or sysfs_gid %u is not an id\n", td_sysfs_uid, td_sysfs_gid);
		return -EINVAL;
	}
	return 0;
}

/**
 * td_sysfs_exit() - undo td_sysfs_init(), or what it has done so far
 */
void td_sysfs_exit(void)
{
	/* Removes the files too, and waits until nobody reads them any more. */
	kobject_del(&td_kobject);
	kobject_put(&td_kobject);
	/* The kobject and its release function belong to this module. */
	wait_for_completion(&td_sysfs_released);
	kvfree(td_cpu_files);
}

/**
 * td_sysfs_init() - offer the files
 *
 * Return: 0, -EINVAL for a bad parameter, or another errno.
 */
int td_sysfs_init(void)
{
	int ret;

	ret = td_sysfs_check_params();
	if (ret)
		return ret;

	td_cpu_files = kvcalloc(2 * nr_cpu_ids, sizeof(*td_cpu_files), GFP_KERNEL);
	if (!td_cpu_files)
		return -ENOMEM;
	ret = kobject_init_and_add(&td_kobject, &td_ktype, kernel_kobj, "topdown");
	if (!ret)
		ret = td_sysfs_add_files();
	if (ret)
		td_sysfs_exit();
	return ret;
}
