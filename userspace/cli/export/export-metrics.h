/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The families of metrics that topdown export has.
 */
#ifndef TOPDOWN_CLI_EXPORT_METRICS_H
#define TOPDOWN_CLI_EXPORT_METRICS_H

#include "export-data.h"
#include "export-text.h"

void export_metrics(struct export_text *text, const struct export_data *data);

#endif /* TOPDOWN_CLI_EXPORT_METRICS_H */
