/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_LATENCY_DEVICE_H
#define TOPDOWN_LATENCY_DEVICE_H

int td_latency_device_init(void);
void td_latency_device_exit(void);

#endif /* TOPDOWN_LATENCY_DEVICE_H */
