/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Readers: each takes what a CPU has counted since it last did so, and credits it to whom it likes.
 */
#ifndef TOPDOWN_READER_H
#define TOPDOWN_READER_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "collector.h"
#include "perfmetrics.h"

/**
 * struct td_reader - up to where the counts of a CPU were taken; used there with interrupts off
 * @begun: td_collector.begun of the meter that @noted is of
 * @noted: up to where its counts were taken, if it is linear
 * @total: the sums of the CPU then, if it is not
 */
struct td_reader {
	u64 begun;
	struct td_noted noted;
	struct topdown_sums total;
};

void td_reader_begin(struct td_reader *reader, const struct td_collector *collector);
void td_reader_take_any(struct td_reader *reader, struct td_collector *collector, u64 most,
			struct topdown_sums *sums);
void td_reader_total(struct td_reader *reader, const struct td_collector *collector,
		     struct topdown_sums *sums);

/**
 * td_reader_take() - take what a linear meter has counted: no formula, no division
 * @reader: reader of this CPU, which knows the meter; interrupts off
 * @collector: collector of this CPU, with an open window
 * @most: as for td_perfmetrics_take()
 * @add: as there
 * @sums: as there
 */
static __always_inline void td_reader_take(struct td_reader *reader,
					   struct td_collector *collector, u64 most,
					   bool add, struct topdown_sums *sums)
{
	if (unlikely(!td_perfmetrics_take(collector->meter, most, &reader->noted, add, sums)))
		td_reader_take_any(reader, collector, most, add ? sums : NULL);
}

#endif /* TOPDOWN_READER_H */
