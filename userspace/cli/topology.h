/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs belong together: cores, sockets and NUMA nodes.
 */
#ifndef TOPDOWN_CLI_TOPOLOGY_H
#define TOPDOWN_CLI_TOPOLOGY_H

#include "rows.h"

/**
 * enum topology - what CPUs are added up by
 *
 * @TOPOLOGY_NONE: by nothing
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

void topology_rows(struct interval *interval, enum topology by);

#endif /* TOPDOWN_CLI_TOPOLOGY_H */
