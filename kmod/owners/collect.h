/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_COLLECT_H
#define TOPDOWN_COLLECT_H

#include <linux/types.h>

#include "teller.h"

int td_collect_hold(enum td_owners_kind kind, unsigned int depth);
void td_collect_release(enum td_owners_kind kind, unsigned int depth);
int td_collect_read(enum td_owners_kind kind, unsigned int depth,
		    struct topdown_owners_read *read, struct topdown_owner **records);
void td_collect_exit(void);

#endif /* TOPDOWN_COLLECT_H */
