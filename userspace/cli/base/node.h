/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of nodes that people type.
 */
#ifndef TOPDOWN_CLI_NODE_H
#define TOPDOWN_CLI_NODE_H

const char *node_like(const char *word, unsigned int *best);
void node_unknown(const char *before, const char *word, const char *allowed);

#endif /* TOPDOWN_CLI_NODE_H */
