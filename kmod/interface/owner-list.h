/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_OWNER_LIST_H
#define TOPDOWN_OWNER_LIST_H

struct topdown_owners;

int td_owner_list_check(const struct topdown_owners *owners);
int td_owner_list_open(const struct topdown_owners *owners);

#endif /* TOPDOWN_OWNER_LIST_H */
