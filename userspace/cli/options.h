/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the command lines of all subcommands have in common.
 */
#ifndef TOPDOWN_CLI_OPTIONS_H
#define TOPDOWN_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

/* Larger than any short option and smaller than the long-only ones. */
#define OPTIONS_ERROR	255

int options_next(int argc, char **argv, const char *letters, const struct option *names);
bool options_device(const char **device, const char *text);
int options_help(const char *text);

#endif /* TOPDOWN_CLI_OPTIONS_H */
