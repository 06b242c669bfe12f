/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The headers of a request say what it asks for.
 */
#ifndef TOPDOWN_CLI_REQUEST_H
#define TOPDOWN_CLI_REQUEST_H

#include <stdbool.h>

#include "export-text.h"

enum export_format export_request_format(const char *accept);
bool export_request_is_local(const char *host);
bool export_request_gzip(const char *accept_encoding);

#endif /* TOPDOWN_CLI_REQUEST_H */
