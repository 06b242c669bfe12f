/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this process may do, and what it lacks.
 */
#ifndef TOPDOWN_CLI_RIGHTS_H
#define TOPDOWN_CLI_RIGHTS_H

#include <stdbool.h>

bool rights_perfmon(void);
bool rights_paranoid(int *value);
void rights_explain(void);

#endif /* TOPDOWN_CLI_RIGHTS_H */
