/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that find the code that costs the slots of a node.
 */
#ifndef TOPDOWN_CLI_LOCATE_H
#define TOPDOWN_CLI_LOCATE_H

#include <stdio.h>

#include "rows.h"

struct stat_options;

void locate_print(FILE *file, const struct stat_options *options,
		  const struct topdown_info *info, const struct row *row);

#endif /* TOPDOWN_CLI_LOCATE_H */
