/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SCOPE_H
#define TOPDOWN_SCOPE_H

#include <linux/types.h>

void td_scope_init(void);
bool td_scope_has(int cpu);
bool td_scope_quiet(int cpu);
bool td_scope_reachable(int cpu, void *unused);
const char *td_scope_reason(void);
bool td_scope_online(void);

#endif /* TOPDOWN_SCOPE_H */
