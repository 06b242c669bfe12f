/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PERFMETRICS_H
#define TOPDOWN_PERFMETRICS_H

struct td_meter;
struct td_model;

struct td_meter *td_perfmetrics_create(const struct td_model *model, int cpu);

#endif /* TOPDOWN_PERFMETRICS_H */
