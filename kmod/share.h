/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SHARE_H
#define TOPDOWN_SHARE_H

#include <linux/compiler.h>
#include <linux/seqlock.h>
#include <linux/types.h>
#include <uapi/linux/topdown.h>

/**
 * struct td_credits - what a session was credited with
 * @level: lowest level of the parts; 0 for none yet
 * @switches: how often its tasks were given a CPU
 * @merged_ns: time that was not measured because the switches were too close
 * @figures: all there is
 */
struct td_credits {
	unsigned int level;
	u64 switches;
	u64 merged_ns;
	struct topdown_figures figures;
};

/**
 * struct td_share - what a session was credited with on one CPU
 * @seq: odd while the CPU writes @credits
 * @credits: since the session was made
 */
struct td_share {
	seqcount_t seq;
	struct td_credits credits;
};

/**
 * struct td_credit - what a task is credited with
 * @ran_ns: time on the CPU
 * @merged_ns: the part of it that cannot be measured
 * @part: what was counted in that time; NULL for nothing
 * @level: level of @part
 */
struct td_credit {
	u64 ran_ns;
	u64 merged_ns;
	const struct topdown_figures *part;
	unsigned int level;
};

struct td_share __percpu *td_share_alloc(void);
void td_share_free(struct td_share __percpu *shares);
void td_share_credit(struct td_share __percpu *shares, const struct td_credit *credit);
void td_share_switched(struct td_share __percpu *shares);
void td_share_sum(const struct td_share __percpu *shares, struct td_credits *sum);

#endif /* TOPDOWN_SHARE_H */
