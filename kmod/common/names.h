/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * The names of nodes, sources, kinds and states of the ABI.
 *
 * The module, libtopdown and the host tests compile the same names.c.
 */
#ifndef TOPDOWN_NAMES_H
#define TOPDOWN_NAMES_H

const char *td_node_name(unsigned int node);
const char *td_source_name(unsigned int source);
const char *td_kind_name(unsigned int kind);
const char *td_state_name(unsigned int state);

#endif /* TOPDOWN_NAMES_H */
