/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of command lines that are printed to be copied.
 */
#ifndef TOPDOWN_CLI_SHELL_H
#define TOPDOWN_CLI_SHELL_H

#include <stdio.h>

#include "idlist.h"

void shell_word(FILE *file, const char *word);
void shell_ids(FILE *file, const char *option, const struct idlist *ids);

#endif /* TOPDOWN_CLI_SHELL_H */
