/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_RIGHTS_H
#define TOPDOWN_RIGHTS_H

int td_rights_system_wide(void);

#endif /* TOPDOWN_RIGHTS_H */
