/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The families of metrics of cgroups.
 */
#ifndef TOPDOWN_CLI_CGROUP_METRICS_H
#define TOPDOWN_CLI_CGROUP_METRICS_H

#include "export-cgroups.h"
#include "export-text.h"

void export_cgroup_metrics(struct export_text *text, const struct export_cgroups *cgroups,
			   const struct topdown_info *info);

#endif /* TOPDOWN_CLI_CGROUP_METRICS_H */
