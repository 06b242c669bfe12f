/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SWITCH_H
#define TOPDOWN_SWITCH_H

int td_switch_begin(void);
void td_switch_end(void);

#endif /* TOPDOWN_SWITCH_H */
