/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A measurement that was interrupted: the sums of its parts.
 */
#ifndef TOPDOWN_CLI_PARTS_H
#define TOPDOWN_CLI_PARTS_H

#include "rows.h"

int parts_add(struct interval *sum, const struct interval *part);

#endif /* TOPDOWN_CLI_PARTS_H */
