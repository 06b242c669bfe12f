/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the processes or cgroups from one refresh to the next.
 */
#ifndef TOPDOWN_CLI_TOP_OWNERS_H
#define TOPDOWN_CLI_TOP_OWNERS_H

#include "owner-rows.h"
#include "top-row.h"
#include "view.h"

/**
 * struct top_owners - all owners of a kind
 * @owners: the account, which is held on while they are shown and the screen moves
 * @by: their kind
 * @self: rows of cgroups are without those below them
 * @then_ns: CLOCK_BOOTTIME up to which the last reading counts
 * @interval: the rows of the interval shown
 * @own: what each of them has for itself
 */
struct top_owners {
	struct owners owners;
	enum owner_by by;
	bool self;
	uint64_t then_ns;
	struct interval interval;
	struct top_row *own;
};

/* The row of its parent; NULL for none. */
static inline const struct row *top_parent(const struct row *row)
{
	return top_row(row)->parent;
}

int top_owners_start(struct top_owners *owners, struct topdown *td, const struct top_view *view,
		     unsigned int depth);
int top_owners_read(struct top_owners *owners, unsigned int level);
int top_owners_link(struct top_owners *owners, uint64_t length_ns);
unsigned int top_owners_rows(struct top_owners *owners, const struct top_view *view,
			     const struct row **rows);
void top_owners_end(struct top_owners *owners);

#endif /* TOPDOWN_CLI_TOP_OWNERS_H */
