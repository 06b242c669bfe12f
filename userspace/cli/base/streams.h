/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Standard input, output and errors, which a program may be started without.
 */
#ifndef TOPDOWN_CLI_STREAMS_H
#define TOPDOWN_CLI_STREAMS_H

#include <stdbool.h>

bool streams_keep(void);

#endif /* TOPDOWN_CLI_STREAMS_H */
