/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_ROOM_H
#define TOPDOWN_ROOM_H

#include <linux/types.h>
#include <uapi/linux/topdown.h>

struct td_counters;
struct td_meter;

/**
 * struct td_room - policy: which groups of ordinary counters a CPU shall have
 * @size: the most events that a group may have; written on the CPU with interrupts off,
 *	or while the CPU has no groups
 * @widen_at: when to retry groups of full size, or when they were last retried, in
 *	jiffies; used on the CPU with interrupts off
 * @widen_delay: the last delay before such a retry; used as @widen_at
 * @failed_at: when a group last had no turns, in jiffies; used as @widen_at
 * @holders: td_starved_holders() then; used as @widen_at
 * @drill: level 1 nodes to drill, bit n for node n; written as @size
 * @drill_at: when each node was last over its threshold, in jiffies; used as @widen_at
 */
struct td_room {
	unsigned int size;
	unsigned long widen_at;
	unsigned long widen_delay;
	unsigned long failed_at;
	unsigned int holders;
	u32 drill;
	unsigned long drill_at[TD_NR_PARENTS];
};

bool td_room_drilldown(void);
void td_room_begin(struct td_room *room);
void td_room_resize(struct td_room *room, struct td_counters *counters);
bool td_room_outdated(const struct td_room *room, const struct td_counters *counters);
bool td_room_review(struct td_room *room, struct td_meter *meter,
		    const struct topdown_map_record *record);

#endif /* TOPDOWN_ROOM_H */
