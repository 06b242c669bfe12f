// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions by RDPMC. A perf group of SLOTS and the metrics events counts the thread wherever
 * it runs. RDPMC reads its registers in user mode.
 *
 * PERF_METRICS has eight fractions of the slots since both registers were last 0, in 8 bits
 * each. The kernel resets both registers when it adds them to its own counts: at each
 * read(2) of the group, and when the group stops. The result of the last read(2) is the
 * anchor. A point is the anchor plus the registers, as long as the group has not stopped
 * since the anchor. If the group has stopped, the number of the lock in the page of SLOTS
 * has changed, and a new read(2) makes a new anchor. A new anchor is also made if a region
 * begins and the window since the anchor is so long that a step of the fractions is too
 * large for that region.
 */
#include "backend.h"

#include <errno.h>

#include "rseq.h"

#ifdef TD_HAVE_RSEQ
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "sums.h"
#include "perf.h"

/* More interrupts than this in a few instructions are no accident. */
#define TD_TRIES		8
/*
 * A region may begin in a window that is as long as the region itself: then a step of the
 * fractions is a small part of the region. Any region may begin in a window of this length,
 * since a call of the kernel takes part of it anyway.
 */
#define TD_WINDOW_SLOTS		(1ULL << 18)
/*
 * The counter can overflow, and then the kernel adds up its counts unnoticed.  This takes
 * hours from the last anchor.
 */
#define TD_ANCHOR_NS		1000000000ULL
/* The lock never has this number while nobody writes the page. */
#define TD_NO_GENERATION	1

/*
 * The clock of the page, for one number of the lock. The kernel writes all of it into the page, and
 * @offset, @enabled and @running are in ns.
 */
struct td_clock {
	bool there;
	uint16_t shift;
	uint32_t mult;
	uint64_t offset;
	uint64_t enabled;
	uint64_t running;
};

struct td_rdpmc {
	struct td_backend backend;
	struct td_perf perf;
	uint32_t generation;
	struct td_clock clock;
	/* The anchor, and the CPU time of the thread at the anchor if the page has no clock. */
	struct td_point anchor;
	uint64_t anchor_cpu_ns;
	/* The last registers read in user mode, and the counts to subtract from the kernel's. */
	struct td_raw raw;
	struct td_point skipped;
	bool lost;
	/* CPU time of the thread when the group began to count. */
	uint64_t began_cpu_ns;
	struct td_quant quant;
};

static uint64_t td_cpu_ns(void)
{
	return td_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void td_point_sub(struct td_point *point, const struct td_point *base)
{
	unsigned int i;

	point->enabled_ns -= base->enabled_ns;
	point->running_ns -= base->running_ns;
	point->slots -= base->slots;
	for (i = 0; i < TD_METRIC_NR; i++)
		point->part[i] -= base->part[i];
}

static uint32_t td_lock(const struct td_rdpmc *rdpmc)
{
	return __atomic_load_n(&rdpmc->perf.page->lock, __ATOMIC_ACQUIRE);
}

static void td_clock_read(struct td_rdpmc *rdpmc)
{
	const struct perf_event_mmap_page *page = rdpmc->perf.page;

	rdpmc->clock = (struct td_clock){
		.there = page->cap_user_time,
		.shift = page->time_shift,
		.mult = page->time_mult,
		.offset = page->time_offset,
		.enabled = page->time_enabled,
		.running = page->time_running,
	};
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!rdpmc->clock.there)
		rdpmc->anchor_cpu_ns = td_cpu_ns();
}

/* A window without interruption shows how the CPU makes the bytes. */
static void td_learn(struct td_rdpmc *rdpmc, const struct td_point *now)
{
	struct td_counts counts = { .slots = now->slots - rdpmc->anchor.slots };
	unsigned int i;

	for (i = 0; i < TD_METRIC_NR; i++)
		counts.metric[i] = now->part[i] - rdpmc->anchor.part[i];
	td_quant_learn(&rdpmc->quant, &counts);
}

/* Use the kernel's arithmetic, so that a point before an anchor and one after it agree. */
static void td_add_registers(const struct td_rdpmc *rdpmc, const struct td_raw *raw,
			     struct td_point *point)
{
	unsigned int i;

	point->slots = rdpmc->anchor.slots + raw->slots;
	for (i = 0; i < TD_METRIC_NR; i++) {
		uint64_t fraction = raw->metrics >> (8 * i) & 0xff;

		point->part[i] = rdpmc->anchor.part[i] + raw->slots * fraction / 0xff;
	}
}

/* Extend the times of the page up to @tsc. */
static void td_add_time(const struct td_rdpmc *rdpmc, uint64_t tsc, struct td_point *point)
{
	const struct td_clock *clock = &rdpmc->clock;
	uint64_t whole, rest, delta;

	if (!clock->there) {
		delta = td_cpu_ns() - rdpmc->anchor_cpu_ns;
		point->enabled_ns = rdpmc->anchor.enabled_ns + delta;
		point->running_ns = rdpmc->anchor.running_ns + delta;
		return;
	}
	whole = tsc >> clock->shift;
	rest = tsc & (((uint64_t)1 << clock->shift) - 1);
	delta = clock->offset + whole * clock->mult + (rest * clock->mult >> clock->shift);
	point->enabled_ns = clock->enabled + delta - rdpmc->skipped.enabled_ns;
	point->running_ns = clock->running + delta - rdpmc->skipped.running_ns;
}

/*
 * Another user of perf took the counter for good, and the group had to be started again or
 * cannot be started. Nobody knows whose slots the group counted last, so they are dropped:
 * the counts continue where they were, and only the time passes.
 */
static void td_lose(struct td_rdpmc *rdpmc, struct td_point *point)
{
	uint64_t enabled = td_cpu_ns() - rdpmc->began_cpu_ns;

	*point = rdpmc->anchor;
	if (rdpmc->raw.tsc) {
		td_add_registers(rdpmc, &rdpmc->raw, point);
		td_add_time(rdpmc, rdpmc->raw.tsc, point);
	}
	if ((int64_t)(enabled - point->enabled_ns) > 0)
		point->enabled_ns = enabled;
}

static void td_recover(struct td_rdpmc *rdpmc, const struct td_point *now)
{
	struct td_point expected;

	td_lose(rdpmc, &expected);
	rdpmc->skipped = *now;
	td_point_sub(&rdpmc->skipped, &expected);
	rdpmc->lost = false;
}

static void td_drop_anchor(struct td_rdpmc *rdpmc, const struct td_point *point,
			   uint32_t generation)
{
	rdpmc->generation = generation;
	rdpmc->anchor = *point;
	rdpmc->raw.tsc = 0;
}

/* Read through the kernel. This makes a new anchor with both registers 0. */
static int td_call(struct td_rdpmc *rdpmc, struct td_point *point)
{
	uint32_t before = td_lock(rdpmc);
	int ret;

	ret = td_perf_read(&rdpmc->perf, point);
	if (ret == -ENODATA) {
		/* Enabling ends only an error state of the group, and may fail. */
		rdpmc->lost = true;
		td_perf_enable(&rdpmc->perf);
		td_lose(rdpmc, point);
		td_drop_anchor(rdpmc, point, TD_NO_GENERATION);
		return 1;
	}
	if (ret)
		return ret;
	td_clock_read(rdpmc);
	if (rdpmc->lost)
		td_recover(rdpmc, point);
	td_point_sub(point, &rdpmc->skipped);
	if (td_lock(rdpmc) != before || before & 1)
		before = TD_NO_GENERATION;
	else if (before == rdpmc->generation)
		td_learn(rdpmc, point);
	td_drop_anchor(rdpmc, point, before);
	return 1;
}

/* Read in user mode; false if that is impossible. */
static bool td_fast(struct td_rdpmc *rdpmc, struct td_point *point, uint64_t *window)
{
	struct td_raw raw = { };
	unsigned int tries;

	for (tries = 0; tries < TD_TRIES; tries++) {
		if (td_rseq_rdpmc(rdpmc->perf.page, rdpmc->generation, &raw))
			break;
		if (td_lock(rdpmc) != rdpmc->generation ||
		    rdpmc->perf.page->index != TD_INDEX_SLOTS)
			return false;
	}
	if (tries == TD_TRIES)
		return false;
	td_add_registers(rdpmc, &raw, point);
	td_add_time(rdpmc, raw.tsc, point);
	if (point->enabled_ns - rdpmc->anchor.enabled_ns > TD_ANCHOR_NS)
		return false;
	rdpmc->raw = raw;
	*window = raw.slots;
	return true;
}

static int td_rdpmc_begin(struct td_backend *backend, uint64_t average, struct td_point *point)
{
	struct td_rdpmc *rdpmc = (struct td_rdpmc *)backend;
	uint64_t window;
	int ret;

	if (td_fast(rdpmc, point, &window) &&
	    (window <= TD_WINDOW_SLOTS || window <= average))
		return 0;
	ret = td_call(rdpmc, point);
	/* The return from the kernel does not belong to the region. */
	if (ret > 0 && !td_fast(rdpmc, point, &window))
		*point = rdpmc->anchor;
	return ret;
}

static int td_rdpmc_end(struct td_backend *backend, struct td_point *point)
{
	struct td_rdpmc *rdpmc = (struct td_rdpmc *)backend;
	uint64_t window;

	return td_fast(rdpmc, point, &window) ? 0 : td_call(rdpmc, point);
}

static void td_rdpmc_figures(const struct td_backend *backend, const struct td_point *sum,
			     struct topdown_figures *figures)
{
	const struct td_rdpmc *rdpmc = (const struct td_rdpmc *)backend;
	struct td_counts counts = { .slots = sum->slots };
	unsigned int i;

	/* The sum over regions that are much shorter than a step may be below 0. */
	for (i = 0; i < TD_METRIC_NR; i++)
		counts.metric[i] = (int64_t)sum->part[i] < 0 ? 0 : sum->part[i];
	td_counts_correct(&counts, &rdpmc->quant);
	td_counts_to_nodes(&counts, backend->level, figures->node);
	figures->slots = counts.slots;
	td_figures_children(figures, backend->nodes);
	td_figures_ratios(figures, backend->nodes);
}

static void td_rdpmc_destroy(struct td_backend *backend, bool child)
{
	struct td_rdpmc *rdpmc = (struct td_rdpmc *)backend;

	td_perf_close(&rdpmc->perf, child);
	free(rdpmc);
}

static const struct td_backend_ops td_rdpmc_ops = {
	.begin		= td_rdpmc_begin,
	.end		= td_rdpmc_end,
	.figures	= td_rdpmc_figures,
	.destroy	= td_rdpmc_destroy,
};

int td_backend_rdpmc(struct td_backend **out, enum topdown_region_reason *reason)
{
	struct td_rdpmc *rdpmc;
	struct td_point first;
	int ret;

	*reason = TOPDOWN_REGION_NO_RSEQ;
	if (!td_rseq_there())
		return -EOPNOTSUPP;
	rdpmc = calloc(1, sizeof(*rdpmc));
	*reason = TOPDOWN_REGION_FAILED;
	if (!rdpmc)
		return -ENOMEM;
	ret = td_perf_open(&rdpmc->perf, reason);
	if (ret)
		goto err_free;
	*reason = TOPDOWN_REGION_FAILED;
	rdpmc->generation = TD_NO_GENERATION;
	rdpmc->began_cpu_ns = td_cpu_ns();
	ret = td_call(rdpmc, &first);
	if (ret >= 0 && rdpmc->lost) {
		*reason = TOPDOWN_REGION_TAKEN;
		ret = -EBUSY;
	}
	if (ret < 0)
		goto err_close;
	rdpmc->backend.ops = &td_rdpmc_ops;
	rdpmc->backend.kind = TOPDOWN_REGION_RDPMC;
	rdpmc->backend.source = TOPDOWN_SOURCE_PERF_METRICS;
	rdpmc->backend.level = rdpmc->perf.nr > 1 + TD_METRIC_L1 ? 2 : 1;
	rdpmc->backend.nodes = rdpmc->backend.level > 1 ? TD_NODES_METRICS_L2 : TD_NODES_METRICS_L1;
	*out = &rdpmc->backend;
	return 0;

err_close:
	td_perf_close(&rdpmc->perf, false);
err_free:
	free(rdpmc);
	return ret;
}
#else
int td_backend_rdpmc(struct td_backend **out, enum topdown_region_reason *reason)
{
	(void)out;
	*reason = TOPDOWN_REGION_NO_ARCH;
	return -EOPNOTSUPP;
}
#endif
