/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_RIGHTS_H
#define TOPDOWN_RIGHTS_H

#include <linux/types.h>

bool td_rights_trusted(void);
int td_rights_perf(void);
int td_rights_open(bool trusted);

#endif /* TOPDOWN_RIGHTS_H */
