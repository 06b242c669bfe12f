/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command lines of all subcommands have this in common.
 */
#ifndef TOPDOWN_CLI_OPTIONS_H
#define TOPDOWN_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "output-kind.h"

/* Short options are smaller than these; the long options of one subcommand are larger. */
enum {
	OPTIONS_ERROR = 255,
	OPTIONS_DEVICE,
	OPTIONS_NO_HEADER,
	OPTIONS_OWN,
};

bool options_cpus(bool all, bool some);
void options_first(int argc, char **argv, const char *letters, const struct option *names);
int options_next(int argc, char **argv, const char *letters, const struct option *names);
bool options_device(const char **device, const char *text);
bool options_path(const char *option, const char *text, const char **path);
bool options_common(int option, const char **device, struct output *output);
bool options_no_more(int argc, char **argv);
bool options_command(int argc, char **argv, int last, char ***command);
int options_help(const char *text);

#endif /* TOPDOWN_CLI_OPTIONS_H */
