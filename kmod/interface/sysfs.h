/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SYSFS_H
#define TOPDOWN_SYSFS_H

int td_sysfs_init(void);
void td_sysfs_exit(void);

#endif /* TOPDOWN_SYSFS_H */
