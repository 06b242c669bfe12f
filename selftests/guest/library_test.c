// SPDX-License-Identifier: GPL-2.0
/*
 * libtopdown's maps and watches, and "topdown top", with the real module: what they
 * say is what READ and SESSION say.  The other tests read the maps by themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <topdown.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "session.h"

#define TRIES_MAX	1000
#define LONG_MS		20000
#define NOT_FOUND	127
#define NOBODY		65534
#define SCREEN_SIZE	65536

FIXTURE(library) {
	struct topdown *td;
	struct topdown_map_view *map;
	int spinner;
};

FIXTURE_SETUP(library)
{
	int fd;

	/* First of all, or it has the descriptors too. */
	self->spinner = spin_start(1, NULL);
	ASSERT_LT(0, self->spinner);
	ASSERT_EQ(0, period_set("50"));
	fd = session_open();
	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_EQ(0, cpu_pin(0));
	ASSERT_EQ(0, topdown_open(&self->td, NULL));
	ASSERT_EQ(0, topdown_map_open(&self->map, self->td));
}

FIXTURE_TEARDOWN(library)
{
	topdown_map_close(self->map);
	topdown_close(self->td);
	spin_stop(self->spinner);
	period_set("1000");
}

/* From the map and by READ, of one moment; false if there is none. */
static bool read_both(struct topdown *td, const struct topdown_map_view *map,
		      struct topdown_record *seen, struct topdown_record *told)
{
	struct topdown_record before;
	unsigned int i;

	for (i = 0; i < TRIES_MAX; i++) {
		if (device_read_cpu(topdown_fd(td), 0, 1, &before) ||
		    topdown_map_read_record(map, 1, seen, sizeof(*seen), NULL) ||
		    device_read_cpu(topdown_fd(td), 0, 1, told))
			return false;
		if (told->windows > 2 && before.time_ns == told->time_ns)
			return true;
		sleep_ms(7);
	}
	return false;
}

TEST_F(library, a_record_is_what_read_says)
{
	struct topdown_record seen, told;

	EXPECT_EQ(topdown_info_get(self->td)->out_nr_cpus, topdown_map_nr_cpus(self->map));
	ASSERT_TRUE(read_both(self->td, self->map, &seen, &told));
	EXPECT_LT(0, seen.total.slots);
	EXPECT_NE(TOPDOWN_RATIO_NONE, seen.total.ratio[TOPDOWN_RETIRING]);
	/* The ratios too, which the library has computed. */
	EXPECT_EQ(0, memcmp(&seen, &told, sizeof(seen)));
	EXPECT_EQ(-ENOENT, topdown_map_read_record(self->map, topdown_map_nr_cpus(self->map), &seen,
						   sizeof(seen), NULL));
}

TEST_F(library, a_window_is_the_last_of_the_record)
{
	struct topdown_window window;
	struct topdown_record told = { };
	unsigned int i;
	int ret = -ENOENT;

	ASSERT_LT(0, topdown_map_history(self->map));
	/* The next one may close at any time. */
	for (i = 0; i < TRIES_MAX && ret; i++) {
		ASSERT_EQ(0, device_read_cpu(topdown_fd(self->td), 0, 1, &told));
		ret = topdown_map_read_window(self->map, 1, told.windows, told.level, &window,
					      sizeof(window));
		sleep_ms(ret ? 7 : 0);
	}
	ASSERT_EQ(0, ret);
	EXPECT_EQ(told.windows, window.number);
	EXPECT_EQ(told.window_time_ns, window.time_ns);
	EXPECT_LT(0, window.figures.slots);
	EXPECT_EQ(0, memcmp(&told.window, &window.figures, sizeof(window.figures)));
	EXPECT_EQ(-ENOENT, topdown_map_read_window(self->map, 1, told.windows + 1000000, told.level,
						   &window, sizeof(window)));
}

TEST_F(library, a_session_is_what_session_says)
{
	struct topdown_session_map_view *view;
	struct topdown_session seen, told;
	int session, copy;

	ASSERT_EQ(0, topdown_session_attach(self->td, 0, TOPDOWN_ATTACH_THREAD, &session));
	ASSERT_EQ(0, topdown_session_map_open(&view, session));
	spin_cpu_ms(50);
	sleep_ms(2);
	ASSERT_EQ(0, topdown_session_control(session, TOPDOWN_CONTROL_DISABLE));
	/* Nothing is counted any more, so that both can be compared. */
	ASSERT_EQ(0, device_session(session, 0, &told));
	ASSERT_EQ(0, topdown_session_map_read(view, &seen, sizeof(seen)));
	EXPECT_EQ(told.out_serial, seen.out_serial);
	EXPECT_LT(0, seen.out_serial);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_DISABLED, seen.out_state);
	EXPECT_EQ(told.out_tasks, seen.out_tasks);
	EXPECT_EQ(told.out_level, seen.out_level);
	EXPECT_EQ(told.out_source, seen.out_source);
	EXPECT_EQ(told.out_switches, seen.out_switches);
	EXPECT_EQ(told.out_merged_ns, seen.out_merged_ns);
	EXPECT_LT(0, seen.out_figures.slots);
	EXPECT_EQ(0, memcmp(&told.out_figures, &seen.out_figures, sizeof(seen.out_figures)));

	ASSERT_EQ(0, topdown_session_view(session, &copy));
	EXPECT_EQ(-EBADF, topdown_session_view(copy, &copy));
	EXPECT_EQ(-EBADF, topdown_session_control(copy, TOPDOWN_CONTROL_DISABLE));
	ASSERT_EQ(0, close(session));
	EXPECT_EQ(0, topdown_session_read(copy, 0, &seen, sizeof(seen)));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_DETACHED, seen.out_state);
	EXPECT_EQ(0, memcmp(&told.out_figures, &seen.out_figures, sizeof(seen.out_figures)));
	close(copy);
	EXPECT_EQ(0, topdown_session_map_read(view, &seen, sizeof(seen)));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_DETACHED, seen.out_state);
	topdown_session_map_close(view);
}

/* A threshold that no ratio is above. */
static const struct topdown_watch never = {
	.size = sizeof(never), .node = TOPDOWN_RETIRING, .ratio = TOPDOWN_RATIO_ONE,
};

TEST_F(library, a_watch_is_woken)
{
	const struct topdown_watch any = { .size = sizeof(any), .node = TOPDOWN_WATCH_ANY };
	const uint64_t busy = 1 << 1;
	struct topdown_event event = { .cpu = 99 }, many[4];
	unsigned int nr = 4;
	uint32_t watch;

	ASSERT_EQ(0, topdown_watch_add(self->td, &busy, 1, &never, &watch));
	EXPECT_EQ(1, watch);
	EXPECT_EQ(-EAGAIN, topdown_watch_wait(self->td, 200, &event, sizeof(event)));
	EXPECT_EQ(99, event.cpu);
	ASSERT_EQ(0, topdown_watch_add(self->td, &busy, 1, &any, &watch));
	EXPECT_EQ(2, watch);
	ASSERT_EQ(0, topdown_watch_wait(self->td, LONG_MS, &event, sizeof(event)));
	EXPECT_LE(1, event.count);
	EXPECT_EQ(1, event.cpu);
	EXPECT_EQ(2, event.watch);
	/* As many as there are: one of the busy CPU, and no wait for more. */
	ASSERT_EQ(0, topdown_watch_read(self->td, LONG_MS, many, &nr, sizeof(many[0])));
	EXPECT_EQ(1, nr);
	EXPECT_EQ(1, many[0].cpu);
	EXPECT_EQ(0, topdown_watch_remove(self->td, 2));
	EXPECT_EQ(-ENOENT, topdown_watch_remove(self->td, 2));
	EXPECT_EQ(-EAGAIN, topdown_watch_wait(self->td, 200, &event, sizeof(event)));
	EXPECT_EQ(0, topdown_watch_remove(self->td, 0));
	EXPECT_EQ(-ENOENT, topdown_watch_remove(self->td, 1));
	/* Without one there is nothing to wait for. */
	EXPECT_EQ(-EAGAIN, topdown_watch_wait(self->td, 200, &event, sizeof(event)));
}

static void *cancel_later(void *td)
{
	sleep_ms(200);
	return topdown_watch_cancel(td) ? td : NULL;
}

TEST_F(library, a_wait_is_cancelled)
{
	const uint64_t busy = 1 << 1;
	struct topdown_event event;
	void *failed = NULL;
	pthread_t other;
	uint32_t watch;

	ASSERT_EQ(0, topdown_watch_add(self->td, &busy, 1, &never, &watch));
	ASSERT_EQ(0, pthread_create(&other, NULL, cancel_later, self->td));
	EXPECT_EQ(-ECANCELED, topdown_watch_wait(self->td, LONG_MS, &event, sizeof(event)));
	pthread_join(other, &failed);
	EXPECT_EQ(NULL, failed);
	EXPECT_EQ(-EAGAIN, topdown_watch_wait(self->td, 200, &event, sizeof(event)));
}

TEST_F(library, a_descriptor_is_taken_over)
{
	const uint64_t busy = 1 << 1;
	struct topdown_reading *reading;
	struct topdown *td;
	int fd;

	fd = open(TOPDOWN_DEVICE, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, topdown_open_fd(&td, fd));
	EXPECT_EQ(fd, topdown_fd(td));
	ASSERT_EQ(0, topdown_reading_create(&reading, td, &busy, 1));
	EXPECT_EQ(0, topdown_reading_update(reading, TOPDOWN_READ_FRESH));
	EXPECT_LT(0, topdown_reading_record(reading, 0)->total.slots);
	topdown_reading_destroy(reading);
	topdown_close(td);
	EXPECT_EQ(-1, fcntl(fd, F_GETFD));

	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENODEV, topdown_open_fd(&td, fd));
	close(fd);
}

/* A process without rights wants to measure itself; an errno, or 0 if that worked. */
static int measure_oneself(void)
{
	struct topdown_session seen = { };
	struct topdown *td;
	int session;
	int ret;

	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	ret = topdown_open(&td, NULL);
	if (!ret)
		ret = topdown_session_attach(td, 0, TOPDOWN_ATTACH_THREAD, &session);
	spin_cpu_ms(50);
	if (!ret)
		ret = topdown_session_read(session, TOPDOWN_SESSION_FRESH, &seen, sizeof(seen));
	return ret ? -ret : !seen.out_figures.slots;
}

/* The node may be read by others, and written by root alone: it opens, and nothing is attached. */
TEST_F(library, a_node_that_may_be_read_attaches_nothing)
{
	struct stat node;
	int child, status;

	ASSERT_EQ(0, stat(TOPDOWN_DEVICE, &node));
	ASSERT_EQ(0, chmod(TOPDOWN_DEVICE, 0604));
	child = fork();
	if (!child)
		_exit(measure_oneself());
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, chmod(TOPDOWN_DEVICE, node.st_mode & 07777));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(EBADF, WEXITSTATUS(status));
}

/* All that it writes; its status, or -1. */
static int run_top(char *screen, size_t size)
{
	struct winsize window = { .ws_row = 24, .ws_col = 80 };
	int terminal, pid, status;
	size_t length = 0;
	ssize_t more = 1;

	pid = forkpty(&terminal, NULL, NULL, &window);
	if (!pid) {
		setenv("TERM", "vt100", 1);
		execlp("topdown", "topdown", "top", "-n", "3", "-d", "300", NULL);
		_exit(NOT_FOUND);
	}
	if (pid < 0)
		return -1;
	/* Until nobody has the other side any more, which is an error of read(). */
	while (more > 0 && length < size - 1) {
		more = read(terminal, screen + length, size - 1 - length);
		length += more > 0 ? more : 0;
	}
	screen[length] = '\0';
	close(terminal);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F_TIMEOUT(library, top_shows_the_machine, 60)
{
	static char screen[SCREEN_SIZE];
	int status = run_top(screen, sizeof(screen));

	if (status == NOT_FOUND)
		SKIP(return, "there is no topdown command");
	EXPECT_EQ(0, status) {
		TH_LOG("%s", screen);
	}
	EXPECT_NE(NULL, strstr(screen, "topdown top"));
	EXPECT_NE(NULL, strstr(screen, "retiring"));
	EXPECT_NE(NULL, strstr(screen, "period 50 ms"));
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
