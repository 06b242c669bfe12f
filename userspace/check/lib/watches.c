// SPDX-License-Identifier: GPL-2.0
/*
 * Watches of libtopdown, and their events.
 */
#include <errno.h>
#include <stdlib.h>

#include "../check.h"

static void test_watch_absent(void)
{
	const struct topdown_watch any = { .size = sizeof(any), .node = TOPDOWN_WATCH_ANY };
	struct topdown *td = open_fake();
	uint32_t watch = 77;

	check(topdown_watch_add(td, NULL, 0, &any, &watch) == -EOPNOTSUPP &&
	      topdown_watch_remove(td, 1) == -EOPNOTSUPP && watch == 77,
	      "a module without watches is seen");
	topdown_close(td);
}

/* The library refuses some watches by itself, and the module refuses others. */
static void test_watch_refused(struct topdown *td)
{
	const struct topdown_watch right = {
		.size = sizeof(right), .node = TOPDOWN_RETIRING, .ratio = 5,
	};
	struct topdown_watch what = right;
	struct {
		struct topdown_watch watch;
		__u64 more;
	} longer = { right, 0 };
	uint32_t watch = 77;
	bool ok;

	what.node = 99;
	check(topdown_watch_add(td, NULL, 0, &what, &watch) == -EOPNOTSUPP,
	      "an unknown node is refused");
	what.node = TOPDOWN_RETIRING;
	what.ratio = TOPDOWN_RATIO_ONE + 1;
	check(topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL,
	      "a ratio above 1 is refused");
	what = right;
	what.flags = 1U << 31;
	check(topdown_watch_add(td, NULL, 0, &what, &watch) == -EOPNOTSUPP,
	      "an unknown flag is refused");
	what.flags = TOPDOWN_WATCH_REMOVE;
	ok = topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL;
	what = right;
	what.watch = 1;
	ok = ok && topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL;
	what = right;
	what.event_size = 32;
	ok = ok && topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL;
	what = right;
	what.size = 63;
	ok = ok && topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL;
	check(ok, "fields of the module are not the caller's");
	longer.watch.size = sizeof(longer);
	longer.more = 1;
	check(topdown_watch_add(td, NULL, 0, &longer.watch, &watch) == -E2BIG && watch == 77,
	      "fields that the library does not know are refused");
	longer.more = 0;
	check(!topdown_watch_add(td, NULL, 0, &longer.watch, &watch) && watch == 1 &&
	      !topdown_watch_remove(td, watch), "zeros in them are taken");
}

/* The first alone, then three in each call, as far as there is room. */
static void test_watch_read(struct topdown *td)
{
	struct topdown_event event[9] = { 0 };
	unsigned int nr = 8, i, none = 0;
	bool ok = true;

	setenv("FAKE_EVENTS", "3", 1);
	check(topdown_watch_read(td, 0, event, &none, sizeof(event[0])) == -EINVAL &&
	      topdown_watch_read(td, 0, event, &nr, 31) == -EINVAL && nr == 8,
	      "no room is refused");
	check(!topdown_watch_read(td, 0, event, &nr, sizeof(event[0])) && nr == 8,
	      "many events are read at once");
	for (i = 0; i < nr; i++)
		ok = ok && event[i].cpu == 3 &&
		     event[i].time_ns == 77 + (i ? (i - 1) % 3 : 0);
	check(ok && !event[8].count, "each of them is read, and no more");
	setenv("FAKE_EVENT_TAKEN", "1000000000", 1);
	check(topdown_watch_read(td, 0, event, &nr, sizeof(event[0])) == -EAGAIN && nr == 8,
	      "none of them is left");
	unsetenv("FAKE_EVENT_TAKEN");
	unsetenv("FAKE_EVENTS");
}

static void test_watch(void)
{
	struct topdown_watch what = { .size = sizeof(what), .node = TOPDOWN_WATCH_ANY };
	struct topdown_event event = { .cpu = 99 };
	struct topdown *td = open_fake();
	uint32_t any = 0, below = 0;

	test_watch_refused(td);
	setenv("FAKE_EVENT", "2", 1);
	check(topdown_watch_wait(td, 10, &event, sizeof(event)) == -EAGAIN && event.cpu == 99,
	      "an event needs a watch");
	unsetenv("FAKE_EVENT");
	check(!topdown_watch_add(td, NULL, 0, &what, &any) && any == 2, "any window is an event");
	what.node = TOPDOWN_MEMORY_BOUND;
	what.ratio = 300000000;
	what.flags = TOPDOWN_WATCH_BELOW | TOPDOWN_WATCH_BACK | TOPDOWN_WATCH_SUM;
	what.hold_ms = 500;
	what.min_slots = 1000000;
	check(!topdown_watch_add(td, NULL, 0, &what, &below) && below == 3,
	      "a threshold may be watched besides");
	event.cpu = 99;
	check(topdown_watch_wait(td, 0, &event, 31) == -EINVAL, "too small an event is refused");
	check(topdown_watch_wait(td, 10, &event, sizeof(event)) == -EAGAIN && event.cpu == 99,
	      "no event comes without a crossing");
	setenv("FAKE_EVENT", "3", 1);
	check(!topdown_watch_wait(td, -1, &event, sizeof(event)) && event.cpu == 3 &&
	      event.watch == below && event.count == 3 && event.ratio == 250000000,
	      "an event is read");
	test_watch_read(td);
	unsetenv("FAKE_EVENT");
	check(!topdown_watch_remove(td, any) && topdown_watch_remove(td, any) == -ENOENT &&
	      !topdown_watch_remove(td, 0) && topdown_watch_remove(td, below) == -ENOENT &&
	      !topdown_watch_remove(td, 0), "a watch is removed");
	setenv("FAKE_EVENT", "3", 1);
	check(topdown_watch_wait(td, 10, &event, sizeof(event)) == -EAGAIN,
	      "no event comes without a watch again");
	unsetenv("FAKE_EVENT");
	setenv("FAKE_WATCH_ERRNO", "13", 1);
	check(topdown_watch_add(td, NULL, 0, &what, &any) == -EACCES &&
	      topdown_watch_wait(td, -1, &event, sizeof(event)) == -EACCES,
	      "a watch needs a right");
	unsetenv("FAKE_WATCH_ERRNO");
	topdown_close(td);
	/* poll() does not report a missing right, as for a descriptor that has sessions. */
	setenv("FAKE_READ_ERRNO", "13", 1);
	td = open_fake();
	unsetenv("FAKE_READ_ERRNO");
	check(topdown_watch_wait(td, 100, &event, sizeof(event)) == -EACCES,
	      "a right is needed though poll() says nothing");
	topdown_close(td);
}

int main(void)
{
	ktap_begin(&ktap, 21);
	test_watch_absent();
	setenv("FAKE_FEATURES", "31", 1);
	test_watch();
	return ktap_end(&ktap);
}
