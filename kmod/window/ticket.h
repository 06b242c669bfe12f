/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TICKET_H
#define TOPDOWN_TICKET_H

#include <linux/types.h>

void td_ticket_init(void);
bool td_ticket_get(u64 now, unsigned int points);

#endif /* TOPDOWN_TICKET_H */
