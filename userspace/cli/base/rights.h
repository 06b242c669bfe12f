/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rights that this process has and lacks.
 */
#ifndef TOPDOWN_CLI_RIGHTS_H
#define TOPDOWN_CLI_RIGHTS_H

#include <stdbool.h>

bool rights_perfmon(void);
bool rights_paranoid(int *value);
enum rights_what {
	RIGHTS_CPUS,
	RIGHTS_OWNERS,
	RIGHTS_TASKS,
};

void rights_explain(enum rights_what what);

#endif /* TOPDOWN_CLI_RIGHTS_H */
