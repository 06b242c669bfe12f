/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SHARE_H
#define TOPDOWN_SHARE_H

#include <linux/types.h>
#include <uapi/linux/topdown.h>

#include "known.h"

struct vm_area_struct;

/**
 * struct td_credit - what a task is credited with
 * @ran_ns: time on the CPU
 * @merged_ns: the part of it that cannot be measured
 * @switches: 1 if the task got the CPU since it was last credited; of each session
 * @part: what was counted in that time; NULL for nothing
 * @level: level of @part; not looked at without one, as the next two
 * @nodes: its nodes, bit n for node n
 * @source: its enum topdown_source
 * @kind: enum topdown_kind of the CPU
 */
struct td_credit {
	u64 ran_ns;
	u64 merged_ns;
	u64 switches;
	const struct topdown_figures *part;
	unsigned int level;
	u64 nodes;
	unsigned int source;
	unsigned int kind;
};

size_t td_share_size(void);
struct topdown_session_map *td_share_alloc(void);
void td_share_free(struct topdown_session_map *map);
int td_share_mmap(const struct topdown_session_map *map, struct vm_area_struct *vma);

void td_share_credit(struct topdown_session_map *map, const struct td_credit *credit);
void td_share_sum(const struct topdown_session_map *map,
		  struct topdown_share sum[TD_NR_KINDS]);
void td_share_since(struct topdown_session_map *map,
		    struct topdown_share sum[TD_NR_KINDS]);
void td_share_all(const struct topdown_share sum[TD_NR_KINDS], struct topdown_share *all);
void td_share_tell(struct topdown_session_map *map, u32 state, u32 flags, u32 tasks);
void td_share_begin(struct topdown_session_map *map);
void td_share_reset(struct topdown_session_map *map,
		    const struct topdown_share baseline[TD_NR_KINDS]);

#endif /* TOPDOWN_SHARE_H */
