/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The newer names of Rust (RFC 2603).
 */
#ifndef TOPDOWN_CLI_WHERE_DEMANGLE_H
#define TOPDOWN_CLI_WHERE_DEMANGLE_H

/* The caller frees it; NULL if it is no such name. */
char *rust_demangle(const char *name);

#endif /* TOPDOWN_CLI_WHERE_DEMANGLE_H */
