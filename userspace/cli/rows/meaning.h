/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What nodes and states mean, for people.
 */
#ifndef TOPDOWN_CLI_MEANING_H
#define TOPDOWN_CLI_MEANING_H

#include "rows.h"

const char *meaning_of_node(unsigned int node);
const char *causes_of_node(unsigned int node);
const char *meaning_of_state(const char *word);
const char *meaning_of_word(const char *word);
const char *reason_of_state(const struct row *row);

#endif /* TOPDOWN_CLI_MEANING_H */
