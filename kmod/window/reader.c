// SPDX-License-Identifier: GPL-2.0
/*
 * Readers: each takes what a CPU has counted since it last did so.
 *
 * A reader has a mark for the counters of a linear meter, and moves it without a formula and
 * without a division.  Where the formula is not linear, it takes the difference of the sums of the
 * CPU, which somebody has just brought up to date.
 */
#include <linux/string.h>

#include "collector.h"
#include "group.h"
#include "mark.h"
#include "meter.h"
#include "point.h"
#include "reader.h"
#include "sums.h"

/**
 * td_reader_begin() - another meter has begun
 * @reader: reader of this CPU; from now on all that the meter has counted is new; interrupts off
 * @collector: collector of this CPU
 */
void td_reader_begin(struct td_reader *reader, const struct td_collector *collector)
{
	reader->begun = collector->begun;
	memset(&reader->noted, 0, sizeof(reader->noted));
}

/* A reset is due: all until then is the driver's count afterwards. */
static void td_reader_reset(struct td_reader *reader, struct td_collector *collector,
			    struct topdown_sums *sums)
{
	td_window_point(collector);
	td_group_take_counted(&collector->meter->group[0], 0, &reader->noted.mark,
			      sums ? &sums->slots : NULL, sums ? sums->node : NULL);
}

/**
 * td_reader_take_any() - td_reader_take(), whatever the driver has done since
 * @reader: as there
 * @collector: as there
 * @most: as there
 * @sums: as there; NULL to leave out what was counted
 */
void td_reader_take_any(struct td_reader *reader, struct td_collector *collector, u64 most,
			struct topdown_sums *sums)
{
	if (!td_perfmetrics_take_any(collector->meter, most, &reader->noted, sums))
		td_reader_reset(reader, collector, sums);
}

/**
 * td_reader_total() - take what the sums of the CPU have grown by, but not the time
 * @reader: reader of this CPU; interrupts off, and no NMI may fold
 * @collector: collector of this CPU, whose sums are up to date
 * @sums: grow; NULL to leave it out
 */
void td_reader_total(struct td_reader *reader, const struct td_collector *collector,
		     struct topdown_sums *sums)
{
	u64 time;

	if (sums) {
		time = sums->enabled_ns;
		td_sums_add(sums, &collector->total);
		td_sums_sub(sums, &reader->total);
		/* The time of a task is by the clock. */
		sums->enabled_ns = time;
		sums->busy_ns = 0;
	}
	reader->total = collector->total;
}
