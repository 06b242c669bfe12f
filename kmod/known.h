/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * What is known of the ABI here and now: how many nodes and kinds there are, and which
 * flags.  Nothing of it is a part of the ABI, as the next release knows more.
 */
#ifndef TOPDOWN_KNOWN_H
#define TOPDOWN_KNOWN_H

/* enum topdown_node, and enum topdown_kind of CPUs: those below are all. */
#define TD_NR_NODES		14
#define TD_NR_KINDS		3

#define TD_READ_FLAGS		(TOPDOWN_READ_FRESH | TOPDOWN_READ_TOTAL)
#define TD_RESET_FLAGS		(TOPDOWN_RESET_FRESH)
#define TD_WATCH_FLAGS		(TOPDOWN_WATCH_BELOW)
#define TD_ATTACH_FLAGS		(TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_CHILDREN | \
				 TOPDOWN_ATTACH_PIDFD | TOPDOWN_ATTACH_DISABLED | \
				 TOPDOWN_ATTACH_ON_EXEC)
#define TD_SESSION_FLAGS	(TOPDOWN_SESSION_FRESH)

#endif /* TOPDOWN_KNOWN_H */
