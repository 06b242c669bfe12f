/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sequence numbers: readers of a record or a share notice that it changed under them.
 * Readers are in the kernel, or in user space through a map.
 *
 * Not a seqcount_t, whose layout depends on the kernel's debug options, because the number
 * is part of the ABI.  There is one writer at a time.
 */
#ifndef TOPDOWN_SEQ_H
#define TOPDOWN_SEQ_H

#include <linux/compiler.h>
#include <linux/kcsan-checks.h>
#include <linux/types.h>
#include <asm/barrier.h>

/* Begin to write.  The caller cannot be preempted, unless there are no readers yet. */
static inline void td_seqlock_write_begin(u32 *seq)
{
	kcsan_nestable_atomic_begin();
	WRITE_ONCE(*seq, *seq + 1);
	/* Odd before anything changes: pairs with smp_rmb() in td_seqlock_read_retry(). */
	smp_wmb();
}

/* End writing. */
static inline void td_seqlock_write_end(u32 *seq)
{
	/* Even after all has changed: pairs with smp_rmb() in td_seqlock_read_begin(). */
	smp_wmb();
	WRITE_ONCE(*seq, *seq + 1);
	kcsan_nestable_atomic_end();
}

/* Begin to copy. */
static inline u32 td_seqlock_read_begin(const u32 *seq)
{
	u32 begun = READ_ONCE(*seq);

	/* Pairs with smp_wmb() in td_seqlock_write_end(). */
	smp_rmb();
	/* td_seqlock_read_retry() discards a torn copy. */
	kcsan_nestable_atomic_begin();
	return begun;
}

/* Is the copy torn? */
static inline bool td_seqlock_read_retry(const u32 *seq, u32 begun)
{
	kcsan_nestable_atomic_end();
	/* Pairs with smp_wmb() in td_seqlock_write_begin(). */
	smp_rmb();
	if (!(begun & 1) && READ_ONCE(*seq) == begun)
		return false;
	cpu_relax();
	return true;
}

#endif /* TOPDOWN_SEQ_H */
