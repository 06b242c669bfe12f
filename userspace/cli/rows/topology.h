/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPUs of cores, sockets and NUMA nodes.
 */
#ifndef TOPDOWN_CLI_TOPOLOGY_H
#define TOPDOWN_CLI_TOPOLOGY_H

#include "rows.h"

/**
 * enum topology - how CPUs are added up
 *
 * @TOPOLOGY_NONE: not at all
 * @TOPOLOGY_CORE: by core
 * @TOPOLOGY_SOCKET: by socket
 * @TOPOLOGY_NODE: by NUMA node
 */
enum topology {
	TOPOLOGY_NONE,
	TOPOLOGY_CORE,
	TOPOLOGY_SOCKET,
	TOPOLOGY_NODE,
};

void topology_of_cpu(unsigned int cpu, int *core_id, int *socket, int *numa);
void topology_rows(struct interval *interval, enum topology by);

#endif /* TOPDOWN_CLI_TOPOLOGY_H */
