/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
#ifndef TOPDOWN_OWED_H
#define TOPDOWN_OWED_H

#include "metrics.h"

void td_figures_owe(struct topdown_figures *figures, const struct topdown_figures *more,
		    __s64 owed[TD_NR_NODES], unsigned int level);

#endif /* TOPDOWN_OWED_H */
