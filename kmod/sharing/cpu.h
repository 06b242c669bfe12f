/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_CPU_H
#define TOPDOWN_CPU_H

#include <linux/types.h>

struct td_events;

int td_cpu_init(void);
void td_cpu_exit(void);

int td_cpu_set_period(const char *text);
int td_cpu_events(int cpu, struct td_events *events);

#endif /* TOPDOWN_CPU_H */
