// SPDX-License-Identifier: GPL-2.0
/*
 * Shares: the credits of a session on each CPU.
 *
 * Only the CPU itself writes its share.  The shares exist only in the session map, and a
 * reader adds them up, in the kernel or in user space.
 */
#include <linux/align.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "owed.h"
#include "seqlock.h"
#include "share.h"
#include "sums.h"

/*
 * Session maps up to this size are contiguous pages if possible, because releasing memory of
 * vmalloc() now and then interrupts every CPU.  64 CPUs need 9 pages, and 127 CPUs fit.
 */
#define TD_SHARE_PAGES_MAX	(16 * PAGE_SIZE)

/**
 * struct td_share - the share of a CPU in the map
 * @share: what readers see
 * @owed: slots that each node has too many, because what readers see never falls
 */
struct td_share {
	struct topdown_share share;
	s64 owed[TD_NR_NODES];
};

#define TD_SHARE_STRIDE		ALIGN(sizeof(struct td_share), SMP_CACHE_BYTES)
#define TD_SHARE_OFFSET		ALIGN(sizeof(struct topdown_session_map), SMP_CACHE_BYTES)

/* Readers cannot change the header, but constants are simpler. */
static struct td_share *td_share_own(const struct topdown_session_map *map, int cpu)
{
	return (void *)map + TD_SHARE_OFFSET + (size_t)cpu * TD_SHARE_STRIDE;
}

static const struct topdown_share *td_share_of(const struct topdown_session_map *map, int cpu)
{
	return &td_share_own(map, cpu)->share;
}

/**
 * td_share_size() - size of a session map
 *
 * Return: bytes, whole pages.
 */
size_t td_share_size(void)
{
	return PAGE_ALIGN(TD_SHARE_OFFSET + (size_t)nr_cpu_ids * TD_SHARE_STRIDE);
}

/**
 * td_share_alloc() - make the session map of a new session
 *
 * Return: a map with a share for each CPU, or NULL.
 */
struct topdown_session_map *td_share_alloc(void)
{
	struct topdown_session_map *map = NULL;
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;

	if (td_share_size() <= TD_SHARE_PAGES_MAX)
		map = alloc_pages_exact(td_share_size(), gfp | __GFP_NOWARN | __GFP_NORETRY);
	if (!map)
		map = __vmalloc(td_share_size(), gfp);
	if (!map)
		return NULL;
	map->magic = TOPDOWN_SESSION_MAP_MAGIC;
	map->size = td_share_size();
	map->header_size = sizeof(*map);
	map->nr_cpus = nr_cpu_ids;
	map->share_offset = TD_SHARE_OFFSET;
	map->share_stride = TD_SHARE_STRIDE;
	map->share_size = sizeof(struct topdown_share);
	map->nr_kinds = TD_NR_KINDS;
	return map;
}

/**
 * td_share_free() - undo td_share_alloc()
 * @map: no CPU writes there any more; mappings keep their pages
 */
void td_share_free(struct topdown_session_map *map)
{
	if (is_vmalloc_addr(map))
		vfree(map);
	else
		free_pages_exact(map, td_share_size());
}

static struct page *td_share_page(const struct topdown_session_map *map, unsigned long at)
{
	const void *address = (const void *)map + at;

	return is_vmalloc_addr(address) ? vmalloc_to_page(address) : virt_to_page(address);
}

/**
 * td_share_mmap() - map a session map into a process
 * @map: map of a session that exists meanwhile
 * @vma: the mapping, read-only
 *
 * Return: 0, -EINVAL if the mapping is too long, or -ENOMEM.
 */
int td_share_mmap(const struct topdown_session_map *map, struct vm_area_struct *vma)
{
	unsigned long at, size = vma->vm_end - vma->vm_start;
	int ret;

	if (size > td_share_size())
		return -EINVAL;
	/* As remap_vmalloc_range() does: the mapping cannot grow, and core dumps leave it out. */
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	for (at = 0; at < size; at += PAGE_SIZE) {
		ret = vm_insert_page(vma, vma->vm_start + at, td_share_page(map, at));
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * td_share_credit() - add a credit to the share of this CPU
 * @map: map of a session; interrupts off
 * @credit: the credit
 */
void td_share_credit(struct topdown_session_map *map, const struct td_credit *credit)
{
	struct td_share *own = td_share_own(map, smp_processor_id());
	struct topdown_share *share = &own->share;
	const struct topdown_sums *part = credit->part;

	lockdep_assert_irqs_disabled();
	td_seqlock_write_begin(&share->seq);
	if (part->slots)
		td_share_join(share, credit->level, credit->nodes, credit->source);
	td_sums_owe(&share->sums, part, own->owed, credit->level);
	share->kind = credit->kind;
	share->merged_ns += credit->merged_ns;
	share->switches += credit->switches;
	td_seqlock_write_end(&share->seq);
}

static void td_share_read(const struct topdown_share *share, struct topdown_share *copy)
{
	u32 seq;

	do {
		seq = td_seqlock_read_begin(&share->seq);
		*copy = *share;
	} while (td_seqlock_read_retry(&share->seq, seq));
}

/**
 * td_share_sum() - add up the shares of all CPUs
 * @map: map of a session
 * @sum: written: the sum of each kind of CPU
 */
void td_share_sum(const struct topdown_session_map *map,
		  struct topdown_share sum[TD_NR_KINDS])
{
	struct topdown_share one;
	int cpu;

	memset(sum, 0, TD_NR_KINDS * sizeof(*sum));
	for_each_possible_cpu(cpu) {
		td_share_read(td_share_of(map, cpu), &one);
		td_share_add(&sum[one.kind], &one);
	}
}

/**
 * td_share_all() - add up all kinds of CPU
 * @sum: sum of each kind
 * @all: written
 */
void td_share_all(const struct topdown_share sum[TD_NR_KINDS], struct topdown_share *all)
{
	unsigned int kind;

	*all = (struct topdown_share){ };
	for (kind = 0; kind < TD_NR_KINDS; kind++)
		td_share_add(all, &sum[kind]);
}

/**
 * td_share_write_header() - write the header of a session map
 * @map: map of the session; one caller at a time, interrupts off
 * @state: enum topdown_session_state
 * @flags: TOPDOWN_SESSION_OUT_INCOMPLETE
 * @tasks: number of followed tasks
 * @dropped: number of tasks that dropped out
 */
void td_share_write_header(struct topdown_session_map *map, u32 state, u32 flags, u32 tasks,
			   u32 dropped)
{
	lockdep_assert_irqs_disabled();
	td_seqlock_write_begin(&map->seq);
	map->state = state;
	map->flags = flags;
	map->tasks = tasks;
	map->dropped = dropped;
	td_seqlock_write_end(&map->seq);
}
