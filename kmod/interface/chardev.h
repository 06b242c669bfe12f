/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_CHARDEV_H
#define TOPDOWN_CHARDEV_H

int td_chardev_init(void);
void td_chardev_exit(void);

#endif /* TOPDOWN_CHARDEV_H */
