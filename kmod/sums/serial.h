/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SERIAL_H
#define TOPDOWN_SERIAL_H

#include <linux/types.h>

void td_serial_init(void);
u64 td_serial_next(void);

#endif /* TOPDOWN_SERIAL_H */
