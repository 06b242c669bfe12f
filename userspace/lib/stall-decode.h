/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From registers to a record, for the other files of stalls.
 */
#ifndef TOPDOWN_STALL_DECODE_H
#define TOPDOWN_STALL_DECODE_H

#include <topdown_stall.h>

#define TD_STALL_SIZE_MIN	112

/* Add what the registers say to a record. -EINVAL for an unknown layout. */
int td_stall_apply(struct topdown_stall *stall, const struct topdown_stall_raw *raw);
/* Conclude stage and reason from all that is known, if they are not known yet. */
void td_stall_conclude(struct topdown_stall *stall);

#endif /* TOPDOWN_STALL_DECODE_H */
