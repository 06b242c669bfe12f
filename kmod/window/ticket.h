/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TICKET_H
#define TOPDOWN_TICKET_H

#include <linux/types.h>

struct td_meter;
struct td_part;

void td_ticket_init(void);
void td_ticket_price(struct td_meter *meter, struct td_part *part);
bool td_ticket_needed(void);
bool td_ticket_get(u64 now, unsigned int points);

#endif /* TOPDOWN_TICKET_H */
