// SPDX-License-Identifier: GPL-2.0
/*
 * Regions of libtopdown against the stand-ins for the module and for perf.  The tests
 * on the emulated machine check that registers are read and are right.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <topdown.h>
#include <unistd.h>

#include "../check.h"

/* The backend that is taken, or the error. */
static int backend(struct topdown *td, enum topdown_region_backend asked, unsigned int flags,
		   enum topdown_region_reason *reason)
{
	struct topdown_regions *const untouched = (struct topdown_regions *)1;
	struct topdown_regions *regions = untouched;
	int ret;

	ret = topdown_regions_create(&regions, td, asked, flags);
	if (ret)
		return regions == untouched ? ret : -1;
	ret = topdown_regions_backend(regions, reason);
	topdown_regions_destroy(regions);
	return ret;
}

static bool refuses(struct topdown *td, const char *setting, const char *value, int error)
{
	enum topdown_region_reason reason = TOPDOWN_REGION_FAST;
	int before = dup(0), after;
	bool ok;

	close(before);
	setenv(setting, value, 1);
	ok = backend(td, TOPDOWN_REGION_AUTO, 0, &reason) == TOPDOWN_REGION_MODULE &&
	     reason == TOPDOWN_REGION_ASKED &&
	     backend(td, TOPDOWN_REGION_RDPMC, 0, &reason) == error &&
	     backend(NULL, TOPDOWN_REGION_AUTO, 0, &reason) == error;
	unsetenv(setting);
	after = dup(0);
	close(after);
	return ok && before == after;
}

static void test_backends(void)
{
	enum topdown_region_reason reason = TOPDOWN_REGION_FAST;
	struct topdown *td = open_fake();

	check(backend(td, 3, 0, &reason) == -EINVAL && backend(td, 0, 1, &reason) == -EINVAL,
	      "an unknown backend or flag is refused");
	check(backend(td, TOPDOWN_REGION_MODULE, 0, &reason) == TOPDOWN_REGION_MODULE &&
	      reason == TOPDOWN_REGION_ASKED, "the module counts if asked");
	check(backend(NULL, TOPDOWN_REGION_MODULE, 0, &reason) == -EOPNOTSUPP,
	      "the module needs a handle");
	check(refuses(td, "FAKE_PERF", "0", -EOPNOTSUPP), "missing events are refused");
	setenv("FAKE_PERF", "2", 1);
	check(backend(td, TOPDOWN_REGION_AUTO, 0, &reason) == TOPDOWN_REGION_MODULE &&
	      reason == TOPDOWN_REGION_ASKED, "the default takes no counter from anybody");
	check(backend(td, TOPDOWN_REGION_RDPMC, 0, &reason) == TOPDOWN_REGION_RDPMC &&
	      reason == TOPDOWN_REGION_ASKED, "RDPMC can be asked for");
	check(backend(NULL, TOPDOWN_REGION_AUTO, 0, &reason) == TOPDOWN_REGION_RDPMC &&
	      reason == TOPDOWN_REGION_FAST, "RDPMC is the default without a handle");
	check(backend(NULL, TOPDOWN_REGION_RDPMC, 0, &reason) == TOPDOWN_REGION_RDPMC &&
	      reason == TOPDOWN_REGION_ASKED, "RDPMC needs no module");
	check(refuses(td, "FAKE_PERF_ERRNO", "13", -EACCES), "EACCES of perf is seen");
	check(refuses(td, "FAKE_PERF_ERRNO", "2", -EOPNOTSUPP), "ENOENT of perf is seen");
	check(refuses(td, "FAKE_PERF_LAST", "5", -EMFILE), "a lack of descriptors is seen");
	check(refuses(td, "FAKE_PERF_MMAP", "1", -EPERM), "a lack of locked memory is seen");
	check(refuses(td, "FAKE_PERF_DENIED", "1", -EOPNOTSUPP), "user mode may not read");
	check(refuses(td, "FAKE_PERF_ERROR", "1", -EBUSY), "somebody has the counter");
	check(refuses(td, "FAKE_PERF_BAD", "1", -EPROTO), "a read that makes no sense is seen");
	unsetenv("FAKE_PERF");
	setenv("FAKE_ATTACH_ERRNO", "28", 1);
	check(backend(td, TOPDOWN_REGION_AUTO, 0, &reason) == -ENOSPC,
	      "neither backend is an error");
	unsetenv("FAKE_ATTACH_ERRNO");
	topdown_close(td);
	setenv("FAKE_FEATURES", "31", 1);
	topdown_open(&td, NODE);
	check(backend(td, TOPDOWN_REGION_AUTO, 0, &reason) == -EOPNOTSUPP,
	      "a module without sessions is seen");
	setenv("FAKE_FEATURES", "63", 1);
	topdown_close(td);
	topdown_regions_destroy(NULL);
}

static void test_names(struct topdown_regions *regions)
{
	char name[16];
	int i, last = 0;

	check(topdown_region_id(regions, "") == -EINVAL && !topdown_region_name(regions, 0),
	      "a region needs a name");
	check(topdown_region_id(regions, "one") == 0 && topdown_region_id(regions, "two") == 1 &&
	      topdown_region_id(regions, "one") == 0, "a name has a number");
	check(!strcmp(topdown_region_name(regions, 1), "two") && !topdown_region_name(regions, 2),
	      "a number has a name");
	for (i = 0; i < 4094 && last >= 0; i++) {
		snprintf(name, sizeof(name), "%d", i);
		last = topdown_region_id(regions, name);
	}
	check(last == 4095 && topdown_region_id(regions, "more") == -ENOSPC &&
	      topdown_region_id(regions, "two") == 1, "4096 of them have names");
}

static void test_misuse(struct topdown_regions *regions)
{
	struct topdown_region seen;
	int i, ret = 0;

	memset(&seen, 0x55, sizeof(seen));
	check(topdown_region_begin(regions, -1) == -EINVAL &&
	      topdown_region_begin(regions, 4096) == -EINVAL &&
	      topdown_region_read(regions, 4096, &seen, sizeof(seen)) == -EINVAL &&
	      topdown_region_reset(regions, -1) == -EINVAL, "an unknown number is refused");
	check(topdown_region_read(regions, 0, &seen, 247) == -EINVAL &&
	      seen.count == 0x5555555555555555, "a size that was never released is refused");
	check(topdown_region_end(regions, 0) == -EINVAL, "an end needs a begin");
	check(!topdown_region_begin(regions, 0) && !topdown_region_begin(regions, 1) &&
	      topdown_region_end(regions, 0) == -EINVAL && !topdown_region_end(regions, 1),
	      "the outer one cannot end first");
	check(topdown_region_reset(regions, 0) == -EBUSY && !topdown_region_end(regions, 0) &&
	      !topdown_region_reset(regions, 0), "a reset in the middle is refused");
	for (i = 0; i < 64; i++)
		ret = ret ? ret : topdown_region_begin(regions, i);
	check(!ret && topdown_region_begin(regions, 0) == -ENOSPC, "64 are open");
	while (i--)
		ret = ret ? ret : topdown_region_end(regions, i);
	check(!ret && topdown_region_end(regions, 0) == -EINVAL, "64 regions are closed again");
	for (i = 0; i < 64; i++)
		topdown_region_reset(regions, i);
}

static void *begin_in_thread(void *regions)
{
	return (void *)(intptr_t)(topdown_region_begin(regions, 0) == -EPERM &&
				  topdown_region_end(regions, 0) == -EPERM &&
				  topdown_region_id(regions, "of another") == -EPERM &&
				  topdown_region_reset(regions, 0) == -EPERM);
}

static void test_strangers(struct topdown_regions *regions)
{
	pthread_t thread;
	void *ok = NULL;
	int pid, status = 1;

	if (!pthread_create(&thread, NULL, begin_in_thread, regions))
		pthread_join(thread, &ok);
	check(ok, "another thread is refused");
	pid = fork();
	if (!pid) {
		status = topdown_region_begin(regions, 0) != -EPERM;
		topdown_regions_destroy(regions);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	check(!status, "a forked child is refused");
	check(!topdown_region_begin(regions, 0) && !topdown_region_end(regions, 0),
	      "a forked child has taken nothing away");
	topdown_region_reset(regions, 0);
}

/* The stand-ins count a step at each read. */
static void test_sums(struct topdown_regions *regions, unsigned int backend_of_them)
{
	struct topdown_region outer, inner, twice;
	unsigned char large[sizeof(outer) + 8];
	const struct topdown_figures *figures = &outer.figures;
	unsigned int i;

	check(!topdown_region_read(regions, 0, &outer, sizeof(outer)) && !outer.count &&
	      !figures->slots && figures->ratio[0] == TOPDOWN_RATIO_NONE,
	      "a region has nothing at first");
	topdown_region_begin(regions, 0);
	for (i = 0; i < 3; i++) {
		topdown_region_begin(regions, 1);
		topdown_region_begin(regions, 1);
		topdown_region_end(regions, 1);
		topdown_region_end(regions, 1);
	}
	topdown_region_read(regions, 0, &outer, sizeof(outer));
	check(outer.open == 1 && !outer.count && !figures->slots, "an open one has no figures yet");
	topdown_region_end(regions, 0);
	topdown_region_read(regions, 0, &outer, sizeof(outer));
	topdown_region_read(regions, 1, &inner, sizeof(inner));
	check(outer.count == 1 && inner.count == 3 && !outer.open && outer.calls == 2 &&
	      inner.calls == 12 && outer.backend == backend_of_them &&
	      outer.source == TOPDOWN_SOURCE_PERF_METRICS && outer.level == 2,
	      "begins and ends are counted");
	/* 13 steps, and three times 3. */
	check(inner.figures.slots && figures->slots == inner.figures.slots / 9 * 13 &&
	      figures->enabled_ns == inner.figures.enabled_ns / 9 * 13, "slots and times add up");
	check(figures->node[0] + figures->node[1] + figures->node[2] + figures->node[3] ==
	      figures->slots && figures->ratio[TOPDOWN_CORE_BOUND] <= TOPDOWN_RATIO_ONE,
	      "all nodes have slots");
	memset(large, 0xff, sizeof(large));
	check(!topdown_region_read(regions, 0, (void *)large, sizeof(large)) &&
	      !large[sizeof(large) - 1] && !memcmp(large, &outer, sizeof(outer)),
	      "a larger size has zeros behind");
	check(!topdown_region_reset(regions, 1) &&
	      !topdown_region_read(regions, 1, &twice, sizeof(twice)) && !twice.count &&
	      !twice.figures.slots, "a region that was reset has nothing");
}

/* Somebody takes the counter for a while.  The slots of that time are in no region. */
static void test_taken(struct topdown_regions *regions)
{
	struct topdown_region before, during, after;

	topdown_region_reset(regions, 0);
	topdown_region_begin(regions, 0);
	topdown_region_end(regions, 0);
	topdown_region_read(regions, 0, &before, sizeof(before));
	setenv("FAKE_PERF_ERROR", "1", 1);
	check(!topdown_region_begin(regions, 0) && !topdown_region_end(regions, 0),
	      "no error comes while somebody has the counter");
	topdown_region_read(regions, 0, &during, sizeof(during));
	check(during.count == 2 && during.figures.slots == before.figures.slots &&
	      during.figures.running_ns == before.figures.running_ns &&
	      during.figures.enabled_ns > before.figures.enabled_ns, "a region has only time then");
	unsetenv("FAKE_PERF_ERROR");
	topdown_region_begin(regions, 0);
	topdown_region_end(regions, 0);
	topdown_region_read(regions, 0, &after, sizeof(after));
	check(after.figures.slots == 2 * before.figures.slots, "a region has slots again later");
}

static void test_module(void)
{
	struct topdown_regions *regions = NULL;
	struct topdown_region seen;
	struct topdown *td = open_fake();

	check(!topdown_regions_create(&regions, td, TOPDOWN_REGION_AUTO, 0),
	      "regions are counted by the module");
	test_names(regions);
	test_misuse(regions);
	test_strangers(regions);
	topdown_region_reset(regions, 1);
	test_sums(regions, TOPDOWN_REGION_MODULE);
	topdown_region_begin(regions, 0);
	setenv("FAKE_SESSION_ERRNO", "5", 1);
	check(topdown_region_begin(regions, 1) == -EIO && topdown_region_end(regions, 0) == -EIO,
	      "a read that fails is seen");
	unsetenv("FAKE_SESSION_ERRNO");
	check(!topdown_region_read(regions, 0, &seen, sizeof(seen)) && seen.open == 1 &&
	      !topdown_region_end(regions, 0), "a failed read changes nothing");
	topdown_region_begin(regions, 0);
	topdown_regions_destroy(regions);
	topdown_close(td);
}

static void test_rdpmc(void)
{
	struct topdown_regions *regions = NULL;
	struct topdown_region seen;

	setenv("FAKE_PERF", "2", 1);
	check(!topdown_regions_create(&regions, NULL, TOPDOWN_REGION_AUTO, 0),
	      "regions are counted by RDPMC");
	topdown_region_id(regions, "one");
	topdown_region_id(regions, "two");
	test_strangers(regions);
	test_sums(regions, TOPDOWN_REGION_RDPMC);
	test_taken(regions);
	topdown_regions_destroy(regions);

	setenv("FAKE_PERF", "1", 1);
	setenv("FAKE_SHARE", "40", 1);
	check(!topdown_regions_create(&regions, NULL, TOPDOWN_REGION_AUTO, 0) &&
	      !topdown_region_id(regions, "one") && !topdown_region_begin(regions, 0) &&
	      !topdown_region_end(regions, 0) &&
	      !topdown_region_read(regions, 0, &seen, sizeof(seen)) && seen.level == 1 &&
	      seen.figures.ratio[TOPDOWN_HEAVY_OPERATIONS] == TOPDOWN_RATIO_NONE &&
	      /* Bytes that sum to 255 look as if bad speculation had half a step of it. */
	      seen.figures.ratio[TOPDOWN_RETIRING] - TOPDOWN_RATIO_ONE / 5 <
	      TOPDOWN_RATIO_ONE / 255 &&
	      seen.figures.running_ns == seen.figures.enabled_ns * 2 / 5,
	      "level 1 is there, and the share that was measured");
	topdown_regions_destroy(regions);
	unsetenv("FAKE_SHARE");
	unsetenv("FAKE_PERF");
}

static void test_texts(void)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i <= TOPDOWN_REGION_FAILED; i++)
		ok = ok && strcmp(topdown_region_reason_text(i), "unknown");
	check(ok && !strcmp(topdown_region_reason_text(i), "unknown"), "reasons have texts");
}

int main(void)
{
	ktap_begin(&ktap, 57);
	setenv("FAKE_FEATURES", "63", 1);
	test_backends();
	test_module();
	test_rdpmc();
	test_texts();
	return ktap_end(&ktap);
}
