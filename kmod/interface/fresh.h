/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_FRESH_H
#define TOPDOWN_FRESH_H

struct cpumask;

void td_fresh_fold_awake(const struct cpumask *cpus);

#endif /* TOPDOWN_FRESH_H */
