/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sequence numbers that guard what readers copy, in the kernel and through a map.
 *
 * Not a seqcount_t, since that is part of the ABI and must not change with the
 * kernel's debug options.  One writer at a time.
 */
#ifndef TOPDOWN_SEQ_H
#define TOPDOWN_SEQ_H

#include <linux/compiler.h>
#include <linux/kcsan-checks.h>
#include <linux/types.h>
#include <asm/barrier.h>

/* Begin to write; the caller cannot be preempted unless nobody reads yet. */
static inline void td_seq_write_begin(u32 *seq)
{
	kcsan_nestable_atomic_begin();
	WRITE_ONCE(*seq, *seq + 1);
	/* Odd before anything changes: pairs with smp_rmb() in td_seq_read_retry(). */
	smp_wmb();
}

/* All is written. */
static inline void td_seq_write_end(u32 *seq)
{
	/* Even after all has changed: pairs with smp_rmb() in td_seq_read_begin(). */
	smp_wmb();
	WRITE_ONCE(*seq, *seq + 1);
	kcsan_nestable_atomic_end();
}

/* Begin to copy. */
static inline u32 td_seq_read_begin(const u32 *seq)
{
	u32 begun = READ_ONCE(*seq);

	/* Pairs with smp_wmb() in td_seq_write_end(). */
	smp_rmb();
	/* A torn copy is thrown away. */
	kcsan_nestable_atomic_begin();
	return begun;
}

/* Is the copy torn? */
static inline bool td_seq_read_retry(const u32 *seq, u32 begun)
{
	kcsan_nestable_atomic_end();
	/* Pairs with smp_wmb() in td_seq_write_begin(). */
	smp_rmb();
	if (!(begun & 1) && READ_ONCE(*seq) == begun)
		return false;
	cpu_relax();
	return true;
}

#endif /* TOPDOWN_SEQ_H */
