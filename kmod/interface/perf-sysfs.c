// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/bus/event_source/devices/topdown: how perf names the events of the PMU.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "known.h"
#include "names.h"
#include "perf-sysfs.h"
#include "window.h"

/* The files of an event: itself, .scale and .unit. */
#define TD_PERF_FILES		3

/**
 * struct td_perf_file - a file of an event
 * @attr: the attribute
 * @name: its name
 * @config: perf_event_attr.config of the event
 */
struct td_perf_file {
	struct device_attribute attr;
	char name[40];
	unsigned int config;
};

/*
 * The slots, as TMA calls them, for programs that only take events that are listed.  The event
 * must not be named slots: perf would take "slots" for it as well as for the CPU's, and users of
 * topdown events would get ours.  As a term it is topdown/slots/ all the same.
 */
#define TD_PERF_SLOTS_NAME	"tma_info_thread_slots"

static struct td_perf_file td_perf_files[TD_NR_NODES + 1][TD_PERF_FILES];
static struct attribute *td_perf_events[(TD_NR_NODES + 1) * TD_PERF_FILES + 1];

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(slots, "config:8");

static struct attribute *td_perf_formats[] = {
	&format_attr_event.attr,
	&format_attr_slots.attr,
	NULL,
};

static const struct attribute_group td_perf_format_group = {
	.name = "format",
	.attrs = td_perf_formats,
};

static const struct attribute_group td_perf_events_group = {
	.name = "events",
	.attrs = td_perf_events,
};

/* The groups of attributes of the PMU. */
const struct attribute_group *td_perf_groups[] = {
	&td_perf_format_group,
	&td_perf_events_group,
	NULL,
};

static ssize_t td_perf_event_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct td_perf_file *file = container_of(attr, struct td_perf_file, attr);

	return sysfs_emit(buffer, "event=0x%02x\n", file->config);
}

/* perf multiplies a count by this. */
static ssize_t td_perf_scale_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	return sysfs_emit(buffer, "1\n");
}

static ssize_t td_perf_unit_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	return sysfs_emit(buffer, "slots\n");
}

static const struct {
	const char *suffix;
	ssize_t (*show)(struct device *dev, struct device_attribute *attr, char *buffer);
} td_perf_kinds[TD_PERF_FILES] = {
	{ "", td_perf_event_show },
	{ ".scale", td_perf_scale_show },
	{ ".unit", td_perf_unit_show },
};

/**
 * td_perf_nodes() - the nodes that at least one CPU has
 *
 * Return: bit n for node n.
 */
u64 td_perf_nodes(void)
{
	u64 nodes = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		nodes |= td_window_nodes(cpu);
	return nodes;
}

static struct attribute **td_perf_sysfs_event(struct attribute **at, const char *name,
					      unsigned int config)
{
	struct td_perf_file *file = td_perf_files[config];
	unsigned int i;

	for (i = 0; i < TD_PERF_FILES; i++, file++) {
		snprintf(file->name, sizeof(file->name), "%s%s", name, td_perf_kinds[i].suffix);
		sysfs_attr_init(&file->attr.attr);
		file->attr.attr.name = file->name;
		file->attr.attr.mode = 0444;
		file->attr.show = td_perf_kinds[i].show;
		file->config = config;
		*at++ = &file->attr.attr;
	}
	return at;
}

/**
 * td_perf_sysfs_init() - list the events, before the PMU is registered
 */
void td_perf_sysfs_init(void)
{
	u64 nodes = td_perf_nodes();
	struct attribute **at = td_perf_events;
	unsigned int node;

	at = td_perf_sysfs_event(at, TD_PERF_SLOTS_NAME, 0);
	for (node = 0; node < TD_NR_NODES; node++)
		if (nodes >> node & 1)
			at = td_perf_sysfs_event(at, td_node_name(node), node + 1);
}
