/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
#ifndef TOPDOWN_OWED_H
#define TOPDOWN_OWED_H

#include "metrics.h"

void td_sums_owe(struct topdown_sums *sums, const struct topdown_sums *more,
		 __s64 owed[TD_NR_NODES], unsigned int level);

#endif /* TOPDOWN_OWED_H */
