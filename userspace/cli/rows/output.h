/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output: opening, flushing, and noticing failures.
 */
#ifndef TOPDOWN_CLI_OUTPUT_H
#define TOPDOWN_CLI_OUTPUT_H

#include <stdbool.h>

#include "output-kind.h"

int output_open(struct output *output, const char *path, bool append);
int output_begin(struct output *output);
int output_target(struct output *output, const char *option, const char *path);
int output_interval(struct output *output, const struct interval *interval);
int output_flush(struct output *output);
int output_close(struct output *output);

#endif /* TOPDOWN_CLI_OUTPUT_H */
