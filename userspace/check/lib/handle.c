// SPDX-License-Identifier: GPL-2.0
/*
 * Handles of libtopdown: made of a descriptor, with as few rights as can be, and
 * woken from a wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <topdown.h>
#include <unistd.h>

#include "../check.h"

/* The handle that the signal handler cancels. */
static struct topdown *waiting;

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static int lowest_free(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* Whether a descriptor is refused and stays as it was. */
static bool refused(int fd, int error)
{
	struct topdown *const untouched = (struct topdown *)1;
	struct topdown *td = untouched;

	return topdown_open_fd(&td, fd) == error && td == untouched && is_open(fd) &&
	       !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void test_open_fd(void)
{
	int node = open(NODE, O_RDWR), null, file;
	struct topdown *td = (struct topdown *)1;

	check(topdown_open_fd(&td, -1) == -EBADF, "no descriptor is refused");
	check(topdown_open_fd(&td, lowest_free()) == -EBADF, "a closed one is refused");
	/* The stand-in for the kernel knows one descriptor of the node. */
	null = open("/dev/zero", O_RDONLY);
	file = open("/proc/self/status", O_RDONLY);
	check(refused(file, -ENOTTY), "one of a file is refused");
	check(refused(null, -ENODEV), "one of another driver is refused");
	close(file);
	close(null);
	setenv("FAKE_INFO_ERRNO", "25", 1);
	check(refused(node, -ENODEV), "one that does not know INFO is refused");
	setenv("FAKE_INFO_ERRNO", "5", 1);
	check(refused(node, -EIO), "one whose INFO fails is refused");
	unsetenv("FAKE_INFO_ERRNO");
	check(!topdown_open_fd(&td, node) && topdown_fd(td) == node, "one of the node is taken");
	check(topdown_info_get(td)->out_level == 2, "a handle of a node has the module's answer");
	check(fcntl(node, F_GETFD) & FD_CLOEXEC, "the descriptor closes on exec");
	topdown_close(td);
	check(!is_open(node), "a descriptor is closed with its handle");
}

static bool watch_any(struct topdown *td)
{
	const struct topdown_watch any = { .size = sizeof(any), .node = TOPDOWN_WATCH_ANY };
	uint32_t watch;

	return !topdown_watch_add(td, NULL, 0, &any, &watch);
}

/* The first user of the descriptor has set the size of events, and the library has to find it. */
static void test_event_size(void)
{
	static const unsigned int sizes[] = { 32, 63, 64, 72, 4096 };
	struct topdown_event event[2];
	struct topdown_watch first = {
		.size = sizeof(first), .node = TOPDOWN_WATCH_ANY,
	};
	struct topdown *td = NULL;
	unsigned int i;
	bool ok = true;

	setenv("FAKE_EVENT", "1", 1);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int node = open(NODE, O_RDWR);

		first.out_watch = 0;
		first.event_size = sizes[i];
		ok = ok && !ioctl(node, TOPDOWN_WATCH, &first) && !topdown_open_fd(&td, node) &&
		     !topdown_watch_wait(td, 0, event, sizeof(event[0])) && event[0].cpu == 1 &&
		     !topdown_watch_wait(td, 0, event, sizeof(event[0])) && watch_any(td);
		topdown_close(td);
	}
	unsetenv("FAKE_EVENT");
	check(ok, "watch events have the size that another program has chosen");
}

/* Commands, a map and a wait, with a descriptor that may change things. */
static void test_opened(void)
{
	struct topdown_reading *reading = NULL;
	struct topdown_map_view *map = NULL;
	struct topdown_event event;
	struct topdown *td = NULL;
	int session;

	check(!topdown_open(&td, NODE) &&
	      (fcntl(topdown_fd(td), F_GETFL) & O_ACCMODE) == O_RDWR,
	      "a node may be opened to read and to change");
	check(!topdown_reading_create(&reading, td, NULL, 0) &&
	      !topdown_reading_update(reading, TOPDOWN_READ_FRESH), "readings can be taken");
	topdown_reading_destroy(reading);
	check(!topdown_map_open(&map, td), "a map can be opened");
	topdown_map_close(map);
	check(!topdown_session_attach(td, 0, 0, &session) && !close(session),
	      "a session can be attached");
	setenv("FAKE_EVENT", "1", 1);
	check(watch_any(td) && !topdown_watch_wait(td, 0, &event, sizeof(event)),
	      "an event can be waited for");
	unsetenv("FAKE_EVENT");
	topdown_close(td);
}

static int wait_ms(struct topdown *td, int ms)
{
	struct topdown_event event = { .cpu = 99 };
	int ret = topdown_watch_wait(td, ms, &event, sizeof(event));

	return ret && event.cpu != 99 ? 1 : ret;
}

static void test_cancel(void)
{
	struct topdown *td = NULL;

	topdown_open(&td, NODE);
	watch_any(td);
	check(!topdown_watch_cancel(td) && wait_ms(td, -1) == -ECANCELED,
	      "a cancel before the wait counts");
	check(wait_ms(td, 10) == -EAGAIN, "a cancel counts once");
	check(!topdown_watch_cancel(td) && !topdown_watch_cancel(td) &&
	      wait_ms(td, 10) == -ECANCELED && wait_ms(td, 10) == -EAGAIN, "twice is once");
	setenv("FAKE_EVENT", "3", 1);
	check(!topdown_watch_cancel(td) && wait_ms(td, 10) == -ECANCELED && !wait_ms(td, 10),
	      "an event stays for the next wait");
	unsetenv("FAKE_EVENT");
	check(!topdown_watch_cancel(td) && wait_ms(td, 0) == -EAGAIN &&
	      wait_ms(td, 10) == -ECANCELED, "what does not sleep is not cancelled");
	topdown_close(td);
}

/* The descriptor is shared.  After poll() another reader takes the event first. */
static void test_taken(void)
{
	struct timespec begun, now;
	struct topdown *td = NULL;

	setenv("FAKE_EVENT", "3", 1);
	setenv("FAKE_EVENT_TAKEN", "3", 1);
	topdown_open(&td, NODE);
	watch_any(td);
	check(wait_ms(td, 0) == -EAGAIN, "an event that another took is gone");
	check(!wait_ms(td, -1), "a wait gets the event that others left");
	topdown_close(td);

	setenv("FAKE_EVENT_TAKEN", "1000000000", 1);
	topdown_open(&td, NODE);
	watch_any(td);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	check(wait_ms(td, 50) == -EAGAIN, "a wait ends when all events are taken");
	clock_gettime(CLOCK_MONOTONIC, &now);
	check((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 >= 49,
	      "it does not end before the time is over");
	check(!topdown_watch_cancel(td) && wait_ms(td, -1) == -ECANCELED, "a wait is cancelled");
	topdown_close(td);
	unsetenv("FAKE_EVENT_TAKEN");
	unsetenv("FAKE_EVENT");
}

static void *cancel_later(void *td)
{
	usleep(50000);
	return topdown_watch_cancel(td) ? td : NULL;
}

static void on_alarm(int number)
{
	(void)number;
	errno = EXDEV;
	topdown_watch_cancel(waiting);
	if (errno != EXDEV)
		abort();
}

static void test_cancel_asleep(void)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	struct sigaction action = { .sa_handler = on_alarm };
	void *failed = NULL;
	pthread_t other;
	int ret;

	topdown_open(&waiting, NODE);
	pthread_create(&other, NULL, cancel_later, waiting);
	check(wait_ms(waiting, -1) == -ECANCELED, "another thread can cancel");
	pthread_join(other, &failed);
	check(!failed, "the thread that cancelled has ended");

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	ret = wait_ms(waiting, -1);
	if (ret == -EINTR)
		ret = wait_ms(waiting, -1);
	check(ret == -ECANCELED, "a handler of a signal can cancel");
	topdown_close(waiting);
}

static void test_descriptors(void)
{
	int before = lowest_free(), i;
	struct rlimit limit, none;
	struct topdown *td = NULL;

	for (i = 0; i < 10; i++) {
		topdown_open(&td, NODE);
		topdown_watch_cancel(td);
		wait_ms(td, 10);
		topdown_close(td);
	}
	check(lowest_free() == before, "no descriptor is left");

	topdown_open(&td, NODE);
	wait_ms(td, 0);
	check(lowest_free() == topdown_fd(td) + 1, "who does not wait has one descriptor");
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = lowest_free();
	setrlimit(RLIMIT_NOFILE, &none);
	check(topdown_watch_cancel(td) == -EMFILE && wait_ms(td, 10) == -EMFILE,
	      "a wait fails if no descriptor is to be had");
	setrlimit(RLIMIT_NOFILE, &limit);
	check(wait_ms(td, 10) == -EAGAIN, "a wait works again when there are descriptors");
	topdown_close(td);
}

int main(void)
{
	ktap_begin(&ktap, 33);
	setenv("FAKE_FEATURES", "63", 1);
	setenv("FAKE_TICK", "0", 1);
	test_open_fd();
	test_event_size();
	test_opened();
	test_cancel();
	test_taken();
	test_cancel_asleep();
	test_descriptors();
	return ktap_end(&ktap);
}
