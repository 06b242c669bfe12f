/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * The nodes, kinds and flags that this release knows.  They are no part of the ABI, because
 * the next release may know more.
 */
#ifndef TOPDOWN_KNOWN_H
#define TOPDOWN_KNOWN_H

/*
 * All known values of enum topdown_node, parents with children, and values of enum topdown_kind
 * for CPUs are below these.
 */
#define TD_NR_NODES		14
#define TD_NR_PARENTS		4
#define TD_NR_KINDS		3

#define TD_READ_FLAGS		(TOPDOWN_READ_FRESH | TOPDOWN_READ_TOTAL | \
				 TOPDOWN_READ_MAPPED)
#define TD_WATCH_FLAGS		(TOPDOWN_WATCH_BELOW | TOPDOWN_WATCH_BACK | \
				 TOPDOWN_WATCH_SUM | TOPDOWN_WATCH_REMOVE)
#define TD_ATTACH_FLAGS		(TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_CHILDREN | \
				 TOPDOWN_ATTACH_PIDFD | TOPDOWN_ATTACH_DISABLED | \
				 TOPDOWN_ATTACH_ON_EXEC)
#define TD_SESSION_FLAGS	(TOPDOWN_SESSION_FRESH)
#define TD_LATENCY_START_FLAGS	(TOPDOWN_LATENCY_START_ASK | TOPDOWN_LATENCY_START_TASKS)

#endif /* TOPDOWN_KNOWN_H */
