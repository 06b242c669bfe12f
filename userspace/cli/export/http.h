/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon of topdown export.
 */
#ifndef TOPDOWN_CLI_HTTP_H
#define TOPDOWN_CLI_HTTP_H

#include "export-options.h"

/* Bytes for the headers of a request, and for what the library needs for it. */
#define EXPORT_REQUEST_BYTES	16384

int export_serve(const struct export_options *options);

#endif /* TOPDOWN_CLI_HTTP_H */
