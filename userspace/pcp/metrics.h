/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metrics of the agent: names, numbers, help texts and values.
 */
#ifndef TOPDOWN_PCP_METRICS_H
#define TOPDOWN_PCP_METRICS_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <stdio.h>

#include "snapshot.h"

/* Clusters of metrics.  The items of the last three are the numbers of nodes. */
enum {
	CLUSTER_MODULE		= 0,
	CLUSTER_CPU		= 1,
	CLUSTER_LEVEL1		= 2,
	CLUSTER_LEVEL2		= 3,
	CLUSTER_CHILDREN	= 4,
};

/* The instance domain: CPUs. */
#define INDOM_CPUS	0

/**
 * struct metric - one metric
 * @name: name without "topdown."
 * @oneline: help text in a line
 * @help: help text
 */
struct metric {
	char name[48];
	char oneline[80];
	const char *help;
};

/**
 * metrics_make() - all metrics that the library knows nodes for
 * @metrics: written: m_user of each is its struct metric
 *
 * Return: their number.
 */
unsigned int metrics_make(pmdaMetric **metrics);

/**
 * metrics_find() - a metric by its number
 * @id: number, of any domain
 *
 * Return: the metric; NULL if there is none.
 */
const struct metric *metrics_find(pmID id);

/**
 * metrics_print_names() - the name space, as pmnsadd(1) takes it
 * @out: where it is written
 * @domain: number of the domain
 */
void metrics_print_names(FILE *out, unsigned int domain);

/**
 * metrics_print_ratios() - metrics that clients derive from these: the ratio of each node
 * @out: where they are written, as pmRegisterDerived(3) takes them
 */
void metrics_print_ratios(FILE *out);

/**
 * metrics_value() - the value of a metric
 * @snapshot: the snapshot
 * @cluster: cluster of the metric
 * @item: its item
 * @inst: CPU number, where there is one for each CPU
 * @atom: written
 *
 * Return: PMDA_FETCH_STATIC; PMDA_FETCH_NOVALUES; or PM_ERR_PMID or PM_ERR_INST.
 */
int metrics_value(const struct snapshot *snapshot, unsigned int cluster, unsigned int item,
		  unsigned int inst, pmAtomValue *atom);

#endif /* TOPDOWN_PCP_METRICS_H */
