/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the lines of topdown stat -j look like, for programs.
 */
#ifndef TOPDOWN_CLI_SCHEMA_H
#define TOPDOWN_CLI_SCHEMA_H

int schema_print(void);

#endif /* TOPDOWN_CLI_SCHEMA_H */
