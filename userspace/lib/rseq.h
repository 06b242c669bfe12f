/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the counters of the thread in user mode, without a fault on any CPU.
 *
 * RDPMC of SLOTS or PERF_METRICS is a general protection fault on a CPU that has none, and
 * the kernel can move the thread to such a CPU at any time. So one restartable sequence
 * checks that the event runs here, and reads. After a preemption, and so before the first
 * instruction on another CPU, and after a signal, the kernel lets the thread continue at
 * the abort handler instead of in the sequence. The C library registers the memory that
 * points the kernel to the sequence.
 */
#ifndef TOPDOWN_RSEQ_H
#define TOPDOWN_RSEQ_H

#if defined(__x86_64__) && defined(__LP64__) && defined(__has_include)
#if __has_include("sys/rseq.h")
#define TD_HAVE_RSEQ
#endif
#endif

#ifdef TD_HAVE_RSEQ
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/rseq.h>

/* The value of perf_event_mmap_page.index for fixed counter 3: its number plus 1. */
#define TD_INDEX_SLOTS		0x40000004
#define TD_INDEX_METRICS	0x20000001

/* The sequence below depends on this layout. */
struct td_raw {
	uint64_t slots;
	uint64_t metrics;
	uint64_t tsc;
};

static inline struct rseq *td_rseq_area(void)
{
	char *thread;

	asm("movq %%fs:0, %0" : "=r" (thread));
	return (struct rseq *)(thread + __rseq_offset);
}

/* Whether the C library has registered the calling thread. */
static inline bool td_rseq_there(void)
{
	return __rseq_size && (int32_t)td_rseq_area()->cpu_id >= 0;
}

/*
 * Returns true with all three values, of one moment, if the events were on this CPU and
 * their page did not change meanwhile. The number of the page's lock changes whenever the
 * events stop or start. An interrupt can do that without a preemption; then the values are
 * of two spans, but there was no fault.
 *
 * The descriptor is position dependent and the loader relocates it, so its section is
 * writable. It is removed at the end, because this code may be unloaded.
 */
static inline bool td_rseq_rdpmc(const struct perf_event_mmap_page *page, uint32_t generation,
				 struct td_raw *raw)
{
	struct rseq *area = td_rseq_area();
	uint32_t done = 0;

	asm volatile(".pushsection __rseq_cs, \"aw\"\n\t"
		     ".balign 32\n"
		     "10:\n\t"
		     ".long 0, 0\n\t"
		     ".quad 1f, 2f - 1f, 4f\n\t"
		     ".popsection\n\t"
		     "leaq 10b(%%rip), %%rax\n\t"
		     "movq %%rax, %[descriptor]\n"
		     "1:\n\t"
		     "cmpl %[generation], %[lock]\n\t"
		     "jne 3f\n\t"
		     "cmpl %[slots_index], %[index]\n\t"
		     "jne 3f\n\t"
		     "movl %[slots_index] - 1, %%ecx\n\t"
		     "rdpmc\n\t"
		     "movl %%eax, (%[raw])\n\t"
		     "movl %%edx, 4(%[raw])\n\t"
		     "movl %[metrics_index] - 1, %%ecx\n\t"
		     "rdpmc\n\t"
		     "movl %%eax, 8(%[raw])\n\t"
		     "movl %%edx, 12(%[raw])\n\t"
		     "rdtsc\n\t"
		     "movl %%eax, 16(%[raw])\n\t"
		     "movl %%edx, 20(%[raw])\n\t"
		     "cmpl %[generation], %[lock]\n\t"
		     "jne 3f\n\t"
		     "movl $1, %[done]\n"
		     "2:\n"
		     "3:\n\t"
		     "movq $0, %[descriptor]\n\t"
		     ".pushsection .text.unlikely, \"ax\"\n\t"
		     /* This is an undefined instruction with the signature as its operand. */
		     ".byte 0x0f, 0xb9, 0x3d\n\t"
		     ".long %c[signature]\n"
		     "4:\n\t"
		     "jmp 3b\n\t"
		     ".popsection"
		     : [descriptor] "=m" (area->rseq_cs), [done] "+&r" (done)
		     : [lock] "m" (page->lock), [index] "m" (page->index),
		       [generation] "r" (generation), [raw] "r" (raw),
		       [slots_index] "i" (TD_INDEX_SLOTS), [metrics_index] "i" (TD_INDEX_METRICS),
		       [signature] "i" (RSEQ_SIG)
		     : "rax", "rcx", "rdx", "cc", "memory");
	return done;
}
#endif

#endif /* TOPDOWN_RSEQ_H */
