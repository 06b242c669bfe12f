// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions: the slots and times of the calling thread between a begin and an end, by name.
 */
#include "backend.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TD_REGIONS_MAX		4096
#define TD_OPEN_MAX		64
/* The size in the first release. */
#define TD_REGION_SIZE_MIN	304

struct td_region {
	char *name;
	unsigned int open;
	uint64_t count;
	uint64_t calls;
	struct td_point sum;
};

/* A region that was begun. */
struct td_open {
	int id;
	unsigned int calls;
	struct td_point from;
};

struct topdown_regions {
	struct td_backend *backend;
	enum topdown_region_reason reason;
	pthread_t thread;
	/* This has a page of its own, which the kernel clears in a forked child. */
	uint32_t *ours;
	size_t ours_size;
	struct td_region *region;
	unsigned int nr;
	unsigned int room;
	unsigned int depth;
	struct td_open open[TD_OPEN_MAX];
};

static int td_ours_create(struct topdown_regions *regions)
{
	void *page;
	int error;

	regions->ours_size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, regions->ours_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -errno;
	if (madvise(page, regions->ours_size, MADV_WIPEONFORK)) {
		error = errno;
		munmap(page, regions->ours_size);
		return -error;
	}
	regions->ours = page;
	*regions->ours = 1;
	return 0;
}

static int td_choose(struct topdown_regions *regions, struct topdown *td,
		     enum topdown_region_backend backend)
{
	int ret;

	regions->reason = TOPDOWN_REGION_ASKED;
	/* RDPMC takes the counter from all others, so nobody gets it who has not asked for it. */
	if (backend == TOPDOWN_REGION_MODULE || (backend == TOPDOWN_REGION_AUTO && td))
		return td_backend_module(&regions->backend, td);
	ret = td_backend_rdpmc(&regions->backend, &regions->reason);
	if (!ret)
		regions->reason = backend == TOPDOWN_REGION_AUTO ? TOPDOWN_REGION_FAST :
								   TOPDOWN_REGION_ASKED;
	return ret;
}

TD_API int topdown_regions_create(struct topdown_regions **out, struct topdown *td,
				  enum topdown_region_backend backend, unsigned int flags)
{
	struct topdown_regions *regions;
	int ret;

	if ((unsigned int)backend > TOPDOWN_REGION_RDPMC || flags)
		return -EINVAL;
	regions = calloc(1, sizeof(*regions));
	if (!regions)
		return -ENOMEM;
	regions->thread = pthread_self();
	ret = td_ours_create(regions);
	if (ret)
		goto err_free;
	ret = td_choose(regions, td, backend);
	if (ret)
		goto err_unmap;
	*out = regions;
	return 0;

err_unmap:
	munmap(regions->ours, regions->ours_size);
err_free:
	free(regions);
	return ret;
}

TD_API void topdown_regions_destroy(struct topdown_regions *regions)
{
	unsigned int i;

	if (!regions)
		return;
	regions->backend->ops->destroy(regions->backend, !*regions->ours);
	munmap(regions->ours, regions->ours_size);
	for (i = 0; i < regions->nr; i++)
		free(regions->region[i].name);
	free(regions->region);
	free(regions);
}

TD_API enum topdown_region_backend topdown_regions_backend(const struct topdown_regions *regions,
							   enum topdown_region_reason *reason)
{
	if (reason)
		*reason = regions->reason;
	return regions->backend->kind;
}

/*
 * Counters of another thread must not be read here, because they run elsewhere. A thread
 * that has got the identity of a thread that ended sees the last counts of that thread,
 * which run nowhere.
 */
static bool td_is_ours(const struct topdown_regions *regions)
{
	return pthread_equal(regions->thread, pthread_self()) && *regions->ours;
}

/* Make more room, and keep some to spare. */
static int td_make_room(struct topdown_regions *regions)
{
	unsigned int room = regions->room ? 2 * regions->room : 16;
	struct td_region *more;

	if (regions->nr < regions->room)
		return 0;
	if (regions->nr == TD_REGIONS_MAX)
		return -ENOSPC;
	more = reallocarray(regions->region, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	regions->region = more;
	regions->room = room;
	return 0;
}

TD_API int topdown_region_id(struct topdown_regions *regions, const char *name)
{
	unsigned int i;
	char *copy;
	int ret;

	/* This may move memory that the owning thread is writing. */
	if (!td_is_ours(regions))
		return -EPERM;
	if (!*name)
		return -EINVAL;
	for (i = 0; i < regions->nr; i++) {
		if (!strcmp(regions->region[i].name, name))
			return i;
	}
	ret = td_make_room(regions);
	if (ret)
		return ret;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	regions->region[regions->nr] = (struct td_region){ .name = copy };
	return regions->nr++;
}

TD_API const char *topdown_region_name(const struct topdown_regions *regions, unsigned int id)
{
	return id < regions->nr ? regions->region[id].name : NULL;
}

static struct td_region *td_find(const struct topdown_regions *regions, int id)
{
	return id >= 0 && (unsigned int)id < regions->nr ? &regions->region[id] : NULL;
}

TD_API int topdown_region_begin(struct topdown_regions *regions, int id)
{
	struct td_region *region;
	struct td_open *open;
	uint64_t average;
	int ret;

	if (!td_is_ours(regions))
		return -EPERM;
	region = td_find(regions, id);
	if (!region)
		return -EINVAL;
	if (regions->depth == TD_OPEN_MAX)
		return -ENOSPC;
	open = &regions->open[regions->depth];
	average = region->count ? region->sum.slots / region->count : 0;
	open->from = (struct td_point){ .slots = 0 };
	/* Read as late as possible. */
	ret = regions->backend->ops->begin(regions->backend, average, &open->from);
	if (ret < 0)
		return ret;
	open->id = id;
	open->calls = ret;
	region->open++;
	regions->depth++;
	return 0;
}

static void td_region_add(struct td_region *region, const struct td_point *from,
			  const struct td_point *to)
{
	unsigned int i;

	region->sum.enabled_ns += to->enabled_ns - from->enabled_ns;
	region->sum.running_ns += to->running_ns - from->running_ns;
	region->sum.slots += to->slots - from->slots;
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++)
		region->sum.children_slots[i] += to->children_slots[i] - from->children_slots[i];
	for (i = 0; i < TD_NR_NODES; i++)
		region->sum.part[i] += to->part[i] - from->part[i];
	region->count++;
}

TD_API int topdown_region_end(struct topdown_regions *regions, int id)
{
	struct td_point now = { .slots = 0 };
	struct td_region *region;
	struct td_open *open;
	int ret;

	if (!td_is_ours(regions))
		return -EPERM;
	if (!regions->depth || regions->open[regions->depth - 1].id != id)
		return -EINVAL;
	/* Read as early as possible. */
	ret = regions->backend->ops->end(regions->backend, &now);
	if (ret < 0)
		return ret;
	open = &regions->open[--regions->depth];
	region = &regions->region[id];
	region->calls += open->calls + ret;
	/* If the region is still open, its outer end will count this time too. */
	if (!--region->open)
		td_region_add(region, &open->from, &now);
	return 0;
}

TD_API int topdown_region_read(const struct topdown_regions *regions, int id,
			       struct topdown_region *out, size_t size)
{
	const struct td_region *region = td_find(regions, id);
	const struct td_backend *backend = regions->backend;
	struct topdown_region seen;

	if (!region || size < TD_REGION_SIZE_MIN)
		return -EINVAL;
	seen = (struct topdown_region){
		.backend = backend->kind,
		.source = backend->source,
		.level = backend->level,
		.open = region->open,
		.count = region->count,
		.calls = region->calls,
	};
	seen.figures.enabled_ns = region->sum.enabled_ns;
	/* The times are of two clocks, and one may be ahead by an instant. */
	seen.figures.running_ns = region->sum.running_ns < region->sum.enabled_ns ?
				  region->sum.running_ns : region->sum.enabled_ns;
	backend->ops->figures(backend, &region->sum, &seen.figures);
	td_copy_sized(out, size, &seen, sizeof(seen));
	return 0;
}

TD_API int topdown_region_reset(struct topdown_regions *regions, int id)
{
	struct td_region *region = td_find(regions, id);

	if (!td_is_ours(regions))
		return -EPERM;
	if (!region)
		return -EINVAL;
	if (region->open)
		return -EBUSY;
	*region = (struct td_region){ .name = region->name };
	return 0;
}
