/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The children that a process has now.
 */
#ifndef TOPDOWN_CLI_FAMILY_H
#define TOPDOWN_CLI_FAMILY_H

#include <stdbool.h>

#include "idlist.h"

unsigned int family_add(struct idlist *list, bool add);
void family_note(const struct idlist *list);

#endif /* TOPDOWN_CLI_FAMILY_H */
