/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel as kmod/sums/map.c and kmod/sums/share.c need, so that their maps can be
 * made by growth-maps.c, a program.  It is included before everything else.
 */
#ifndef TOPDOWN_CHECK_KERNEL_H
#define TOPDOWN_CHECK_KERNEL_H

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define u32	__u32
#define u64	__u64
#define s64	__s64
#define gfp_t	unsigned int

#define ALIGN(value, to)	(((value) + (to) - 1) / (to) * (to))
#define PAGE_SIZE		4096UL
#define PAGE_ALIGN(value)	ALIGN(value, PAGE_SIZE)
#define SMP_CACHE_BYTES		64
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_ZERO		0
#define __GFP_NOWARN		0
#define __GFP_NORETRY		0
#define VM_DONTEXPAND		0
#define VM_DONTDUMP		0

#define READ_ONCE(at)		(*(const volatile __typeof__(at) *)&(at))
#define WRITE_ONCE(at, value)	(*(volatile __typeof__(at) *)&(at) = (value))
#define kcsan_nestable_atomic_begin()	((void)0)
#define kcsan_nestable_atomic_end()	((void)0)
#define lockdep_assert_irqs_disabled()	((void)0)
#define pr_err(...)		((void)0)
/* Only a declaration, so nothing is defined. */
#define module_param_named(name, value, type, mode) \
	extern char name##_at_##type[sizeof(value) + 0 * (mode)]
#define MODULE_PARM_DESC(name, text) extern char name##_text[sizeof(text)]

struct page;
struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
};

/* One thread writes, and nobody reads meanwhile: no order is needed, */
#define smp_rmb()		cpu_relax()
/* here neither. */
#define smp_wmb()		cpu_relax()

static inline void cpu_relax(void)
{
}

extern unsigned int nr_cpu_ids;
/* The CPU that is played. */
extern int this_cpu;

#define smp_processor_id()	this_cpu
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < (int)nr_cpu_ids; (cpu)++)

static inline void *alloc_pages_exact(size_t size, gfp_t gfp)
{
	(void)gfp;
	return calloc(1, size);
}

static inline void free_pages_exact(void *at, size_t size)
{
	(void)size;
	free(at);
}

#define vmalloc_user(size)	calloc(1, size)
#define __vmalloc(size, gfp)	alloc_pages_exact(size, gfp)
#define vfree(at)		free(at)
#define is_vmalloc_addr(at)	(!(at))
#define vmalloc_to_page(at)	((struct page *)(at))
#define virt_to_page(at)	((struct page *)(at))
#define vm_flags_set(vma, flags) ((void)(vma), (void)(flags))
/* Nobody maps it here. */
#define vm_insert_page(vma, at, page) ((void)(vma), (void)(at), (void)(page), -ENOMEM)
#define remap_vmalloc_range(vma, at, offset) \
	((void)(vma), (void)(at), (void)(offset), -ENOMEM)

#define get_random_u64()	1
#define ktime_get_boottime_ns()	1

#endif /* TOPDOWN_CHECK_KERNEL_H */
