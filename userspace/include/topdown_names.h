/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: names of nodes, states, sources and kinds.
 *
 * A part of topdown.h, which has the rules of all functions.  Include that one.
 */
#ifndef LIBTOPDOWN_NAMES_H
#define LIBTOPDOWN_NAMES_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * topdown_kind_name() - name of a kind of core
 * @kind: enum topdown_kind, or TOPDOWN_KIND_MIXED
 *
 * Return: "only", "core", "atom", "mixed", or "unknown".
 */
const char *topdown_kind_name(unsigned int kind);

/**
 * topdown_node_name() - name of a node
 * @node: enum topdown_node
 *
 * Return: for example "tma_retiring"; NULL for an unknown node.
 */
const char *topdown_node_name(unsigned int node);

/**
 * topdown_node_by_name() - the node of a name
 * @name: for example "tma_retiring", or "retiring"
 *
 * Return: an enum topdown_node, or -ENOENT for an unknown name.
 */
int topdown_node_by_name(const char *name);

/**
 * topdown_node_level() - level of a node
 * @node: enum topdown_node
 *
 * Return: 1 or 2; 0 for an unknown node.
 */
unsigned int topdown_node_level(unsigned int node);

/**
 * topdown_node_parent() - parent of a level 2 node
 * @node: enum topdown_node
 *
 * Return: an enum topdown_node, or -1 for nodes without a parent.
 */
int topdown_node_parent(unsigned int node);

/**
 * topdown_state_name() - name of an enum topdown_state
 * @state: as in struct topdown_record
 *
 * Return: for example "ok"; "unknown" for a value of a newer module.
 */
const char *topdown_state_name(unsigned int state);

/**
 * topdown_session_state_name() - name of an enum topdown_session_state
 * @state: as in struct topdown_session
 *
 * Return: for example "running"; "unknown" for a value of a newer module.
 */
const char *topdown_session_state_name(unsigned int state);

/**
 * topdown_source_name() - name of an enum topdown_source
 * @source: as in struct topdown_record
 *
 * Return: for example "perf_metrics"; "unknown" for a value of a newer module.
 */
const char *topdown_source_name(unsigned int source);

#ifdef __cplusplus
}
#endif

#endif /* LIBTOPDOWN_NAMES_H */
