/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SHARE_H
#define TOPDOWN_SHARE_H

#include <linux/types.h>
#include <uapi/linux/topdown.h>

#include "known.h"

struct vm_area_struct;

/**
 * struct td_credit - a credit to a session
 * @part: the time on the CPU, and what was counted in it
 * @merged_ns: time without a ticket, so it is not measured
 * @switches: 1 if the task got the CPU since the last credit to this session
 * @level: level of @part; ignored without slots, as the next two
 * @nodes: nodes of @part, bit n for node n
 * @source: enum topdown_source of @part
 * @kind: enum topdown_kind of the CPU
 */
struct td_credit {
	const struct topdown_sums *part;
	u64 merged_ns;
	u64 switches;
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
void td_share_all(const struct topdown_share sum[TD_NR_KINDS], struct topdown_share *all);
void td_share_write_header(struct topdown_session_map *map, u32 state, u32 flags, u32 tasks,
			   u32 dropped);

#endif /* TOPDOWN_SHARE_H */
