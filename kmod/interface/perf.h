/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PERF_H
#define TOPDOWN_PERF_H

int td_perf_init(void);
void td_perf_open(void);
void td_perf_exit(void);

#endif /* TOPDOWN_PERF_H */
