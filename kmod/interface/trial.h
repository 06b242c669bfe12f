/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TRIAL_H
#define TOPDOWN_TRIAL_H

#include <linux/types.h>

void td_trial_run(void);
bool td_trial_may_follow(void);

#endif /* TOPDOWN_TRIAL_H */
