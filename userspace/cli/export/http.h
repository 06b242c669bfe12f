/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon of topdown export.
 */
#ifndef TOPDOWN_CLI_HTTP_H
#define TOPDOWN_CLI_HTTP_H

#include "export-options.h"

int export_serve(const struct export_options *options);

#endif /* TOPDOWN_CLI_HTTP_H */
