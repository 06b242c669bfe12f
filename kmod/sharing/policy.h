/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_POLICY_H
#define TOPDOWN_POLICY_H

#include <linux/types.h>

bool td_policy_all(void);
bool td_policy_never(void);
unsigned int td_policy_share(void);

#endif /* TOPDOWN_POLICY_H */
