/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon of topdown export.
 */
#ifndef TOPDOWN_CLI_HTTP_H
#define TOPDOWN_CLI_HTTP_H

#include "export-options.h"

/* Bytes for the headers of a request, and for what the library needs for it. */
#define EXPORT_REQUEST_BYTES	16384
/*
 * Clients that ask all the time get this part of a CPU together, and before that as much time as
 * some large scrapes take.
 */
#define EXPORT_CPU_PART		4
#define EXPORT_CPU_BURST_S	2

int export_serve(const struct export_options *options);

#endif /* TOPDOWN_CLI_HTTP_H */
