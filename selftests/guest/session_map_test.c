// SPDX-License-Identifier: GPL-2.0
/*
 * The map of a session: its layout, its rights, and that it says what
 * TOPDOWN_SESSION says.  Read as linux/topdown.h says to, and not by the library.
 *
 * TD_SHARE_CHANGES  changes of a share that is being read (2000)
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "session.h"

#define PAGE		4096
/* With that of the fixture as many as a thread may have. */
#define NEIGHBOURS	63
/* For all rounds of no_read_is_torn together, less than its timeout. */
#define ROUNDS_NS	400000000000ULL

FIXTURE(session_map) {
	int fd;
	int session;
	struct topdown_info info;
	const struct topdown_session_map *map;
	struct topdown_session seen, told;
};

static const void *map_session(int session, size_t size, int prot, int flags)
{
	return mmap(NULL, size, prot, flags, session, 0);
}

/* 0 or a negative errno, and nothing stays mapped. */
static int try_map(int session, size_t size, int prot, int flags)
{
	const void *at = map_session(session, size, prot, flags);

	if (at == MAP_FAILED)
		return -errno;
	munmap((void *)at, size);
	return 0;
}

FIXTURE_SETUP(session_map)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, device_info(self->fd, &self->info));
	self->session = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0);
	ASSERT_LT(0, self->session);
	self->map = map_session(self->session, self->info.out_session_map_size,
				PROT_READ, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (const void *)self->map);
}

FIXTURE_TEARDOWN(session_map)
{
	munmap((void *)self->map, self->info.out_session_map_size);
	close(self->fd);
}

static const struct topdown_share *share_of(const struct topdown_session_map *map,
					    unsigned int cpu)
{
	return (const void *)((const char *)map + map->share_offset +
			      (size_t)cpu * map->share_stride);
}

static void copy_guarded(void *to, const void *from, size_t size, const __u32 *at)
{
	__u32 seq;

	do {
		seq = __atomic_load_n(at, __ATOMIC_ACQUIRE);
		copy_words(to, from, size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((seq & 1) || __atomic_load_n(at, __ATOMIC_RELAXED) != seq);
}

static void add(struct topdown_share *sum, const struct topdown_share *more)
{
	unsigned int i;

	sum->switches += more->switches;
	sum->merged_ns += more->merged_ns;
	sum->sums.enabled_ns += more->sums.enabled_ns;
	sum->sums.running_ns += more->sums.running_ns;
	sum->sums.slots += more->sums.slots;
	sum->sums.cycles += more->sums.cycles;
	sum->sums.instructions += more->sums.instructions;
	sum->sums.busy_ns += more->sums.busy_ns;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		sum->sums.node[i] += more->sums.node[i];
	for (i = 0; i < TD_NR_PARENTS; i++)
		sum->sums.children_slots[i] += more->sums.children_slots[i];
	if (more->level) {
		sum->nodes = sum->level ? sum->nodes & more->nodes : more->nodes;
		sum->source = sum->level && sum->source != more->source ?
			      TOPDOWN_SOURCE_MIXED : more->source;
	}
	if (more->level && (!sum->level || more->level < sum->level))
		sum->level = more->level;
}

/* What TOPDOWN_SESSION would say, but for the time and the ratios. */
static void read_map(const struct topdown_session_map *map, struct topdown_session *told)
{
	struct topdown_session_map header;
	struct topdown_share sum = { }, one;
	unsigned int cpu;

	copy_guarded(&header, map, sizeof(header), &map->seq);
	for (cpu = 0; cpu < header.nr_cpus; cpu++) {
		copy_guarded(&one, share_of(map, cpu), sizeof(one), &share_of(map, cpu)->seq);
		add(&sum, &one);
	}
	*told = (struct topdown_session) {
		.out_serial	= header.serial,
		.out_state	= header.state,
		.out_flags	= header.flags,
		.out_tasks	= header.tasks,
		.out_dropped	= header.dropped,
		.out_source	= sum.source,
		.out_level	= sum.level,
		.out_switches	= sum.switches,
		.out_merged_ns	= sum.merged_ns,
	};
	/* Figures begin with sums. */
	memcpy(&told->out_figures, &sum.sums, sizeof(sum.sums));
}

static bool same(const struct topdown_session *seen, const struct topdown_session *answer)
{
	return fact_same("serial", seen->out_serial, answer->out_serial) &
	       fact_same("state", seen->out_state, answer->out_state) &
	       fact_same("flags", seen->out_flags, answer->out_flags) &
	       fact_same("tasks", seen->out_tasks, answer->out_tasks) &
	       fact_same("dropped", seen->out_dropped, answer->out_dropped) &
	       fact_same("source", seen->out_source, answer->out_source) &
	       fact_same("level", seen->out_level, answer->out_level) &
	       fact_same("switches", seen->out_switches, answer->out_switches) &
	       fact_same("merged time", seen->out_merged_ns, answer->out_merged_ns) &
	       fact(!memcmp(&seen->out_figures, &answer->out_figures,
			    offsetof(struct topdown_figures, ratio)));
}

TEST_F(session_map, layout_is_in_bounds)
{
	const struct topdown_session_map *map = self->map;
	uint64_t end = map->share_offset + (uint64_t)map->nr_cpus * map->share_stride;

	EXPECT_EQ(TOPDOWN_SESSION_MAP_MAGIC, map->magic);
	EXPECT_EQ(0, memcmp("session", map, 8));
	EXPECT_EQ(self->info.out_session_map_size, map->size);
	EXPECT_EQ(0, map->size % PAGE);
	EXPECT_EQ(sizeof(*map), map->header_size);
	EXPECT_EQ(self->info.out_nr_cpus, map->nr_cpus);
	EXPECT_EQ(3, map->nr_kinds);
	EXPECT_LT(0, map->serial);
	EXPECT_LE(map->header_size, map->share_offset);
	EXPECT_EQ(sizeof(struct topdown_share), map->share_size);
	EXPECT_LE(map->share_size, map->share_stride);
	EXPECT_LE(end, map->size);
	EXPECT_GT(end + PAGE, map->size);
	/* Writers on two CPUs do not share a cache line. */
	EXPECT_EQ(0, map->share_offset % 64);
	EXPECT_EQ(0, map->share_stride % 64);
	for (; end < map->size; end++)
		ASSERT_EQ(0, ((const char *)map)[end]);
}

TEST_F(session_map, refuses_what_is_not_the_map)
{
	const size_t size = self->info.out_session_map_size;
	const int session = self->session, view = device_control(session, TOPDOWN_CONTROL_VIEW);

	EXPECT_EQ(0, try_map(session, size, PROT_READ, MAP_SHARED));
	EXPECT_EQ(0, try_map(session, PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, try_map(session, size + PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, try_map(session, 1UL << 40, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, try_map(session, size, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(-EPERM, try_map(session, size, PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_EQ(-EPERM, try_map(session, size, PROT_READ | PROT_EXEC, MAP_SHARED));
	EXPECT_EQ(-1, mprotect((void *)self->map, size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(MAP_FAILED, mremap((void *)self->map, size, size + PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, session, PAGE));
	EXPECT_EQ(EINVAL, errno);
	/* A view has the same map. */
	EXPECT_EQ(0, try_map(view, size, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, try_map(view, size, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(-EACCES, try_map(view, size, PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_EQ(-EPERM, try_map(view, size, PROT_READ | PROT_EXEC, MAP_SHARED));
	close(view);
}

/*
 * A map that is too long has what follows in memory.  It is refused for that, and not because
 * the next page happens to be free: the maps of many sessions follow each other.
 */
TEST_F(session_map, has_no_neighbour)
{
	const size_t size = self->info.out_session_map_size;
	int session[NEIGHBOURS], i;

	for (i = 0; i < NEIGHBOURS; i++) {
		session[i] = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0);
		ASSERT_LT(0, session[i]);
	}
	for (i = 0; i < NEIGHBOURS; i++)
		EXPECT_EQ(-EINVAL, try_map(session[i], size + PAGE, PROT_READ, MAP_SHARED));
}

/* A sleep that is over before the task has left its CPU is no switch. */
static void sleep_off_cpu(void)
{
	struct rusage from, to;

	getrusage(RUSAGE_THREAD, &from);
	do {
		sleep_ms(2);
		getrusage(RUSAGE_THREAD, &to);
	} while (to.ru_nvcsw == from.ru_nvcsw);
}

TEST_F(session_map, says_what_session_says)
{
	uint64_t begun, before;

	spin_cpu_ms(50);
	sleep_off_cpu();
	ASSERT_EQ(0, device_control(self->session, TOPDOWN_CONTROL_DISABLE));
	/* Nothing is counted any more, so that both can be compared. */
	ASSERT_EQ(0, device_session(self->session, 0, &self->seen));
	read_map(self->map, &self->told);
	EXPECT_TRUE(same(&self->seen, &self->told));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_DISABLED, self->told.out_state);
	EXPECT_EQ(1, self->told.out_tasks);
	EXPECT_LT(0, self->told.out_switches);
	EXPECT_LT(45000000, self->told.out_figures.enabled_ns);
	EXPECT_LT(0, self->told.out_figures.slots);

	before = self->told.out_figures.enabled_ns;
	begun = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, device_control(self->session, TOPDOWN_CONTROL_ENABLE));
	spin_cpu_ms(20);
	ASSERT_EQ(0, device_control(self->session, TOPDOWN_CONTROL_DISABLE));
	begun = clock_ns(CLOCK_MONOTONIC) - begun;
	ASSERT_EQ(0, device_session(self->session, 0, &self->seen));
	read_map(self->map, &self->told);
	EXPECT_TRUE(same(&self->seen, &self->told));
	EXPECT_LT(18000000, self->told.out_figures.enabled_ns - before);
	/* Two clocks may differ by two ticks, of 4 ms. */
	EXPECT_GT(begun + 10000000, self->told.out_figures.enabled_ns - before);
}

TEST_F(session_map, outlives_its_tasks_and_the_session)
{
	const size_t size = self->info.out_session_map_size;
	const struct topdown_session_map *map;
	uint64_t slots;
	int go[2], pid, session;
	char byte;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) == 1)
			spin_cpu_ms(20);
		_exit(0);
	}
	session = device_attach(self->fd, 0, pid);
	ASSERT_LT(0, session);
	map = map_session(session, size, PROT_READ, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (const void *)map);
	read_map(map, &self->told);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_RUNNING, self->told.out_state);
	EXPECT_EQ(1, self->told.out_tasks);

	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	read_map(map, &self->told);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->told.out_state);
	EXPECT_EQ(0, self->told.out_tasks);
	EXPECT_LT(18000000, self->told.out_figures.enabled_ns);
	slots = self->told.out_figures.slots;
	EXPECT_LT(0, slots);

	ASSERT_EQ(0, close(session));
	/* By now the session would be freed, if nothing held it. */
	sleep_ms(200);
	read_map(map, &self->told);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->told.out_state);
	EXPECT_EQ(slots, self->told.out_figures.slots);
	EXPECT_EQ(0, munmap((void *)map, size));
}

/* A thread that asks for fresh figures of the session, without a pause. */
struct storm {
	pthread_t thread;
	int session;
	volatile bool stop;
};

static void *storm_run(void *data)
{
	struct storm *storm = data;
	struct topdown_session seen;

	cpu_pin(2);
	while (!storm->stop && !device_session(storm->session, TOPDOWN_SESSION_FRESH, &seen))
		;
	return NULL;
}

static const char *share_wrong(const struct topdown_share *last, const struct topdown_share *next)
{
	const __u64 *node = next->sums.node;
	unsigned int i;
	uint64_t l1 = 0;

	for (i = TOPDOWN_RETIRING; i <= TOPDOWN_BACKEND_BOUND; i++)
		l1 += node[i];
	if (l1 > next->sums.slots)
		return "level 1 sums to more than the slots";
	for (i = TOPDOWN_RETIRING; i <= TOPDOWN_BACKEND_BOUND; i++) {
		if (node[4 + 2 * i] + node[5 + 2 * i] != node[i])
			return "children do not sum to their parent";
	}
	if (next->sums.slots < last->sums.slots ||
	    next->sums.enabled_ns < last->sums.enabled_ns ||
	    next->switches < last->switches)
		return "a sum goes back";
	return NULL;
}

/*
 * How many reads are torn, until the share has changed so often; -1 if it has not
 * at @end.
 */
static int read_shares(const struct topdown_share *share, unsigned int changes, bool guarded,
		       uint64_t end)
{
	__u32 from = __atomic_load_n(&share->seq, __ATOMIC_RELAXED);
	struct topdown_share last = { }, next;
	int torn = 0;

	while (__atomic_load_n(&share->seq, __ATOMIC_RELAXED) - from < 2 * changes) {
		if (guarded)
			copy_guarded(&next, share, sizeof(next), &share->seq);
		else
			copy_words(&next, share, sizeof(next));
		if (share_wrong(&last, &next))
			torn++;
		else
			last = next;
		if (clock_ns(CLOCK_MONOTONIC) > end)
			return -1;
	}
	return torn;
}

TEST_F_TIMEOUT(session_map, no_read_is_torn, 500)
{
	const char *setting = getenv("TD_SHARE_CHANGES");
	unsigned int changes = setting ? atoi(setting) : 2000;
	int unguarded = 0;
	struct storm storm = { };
	const struct topdown_session_map *map;
	uint64_t end;
	unsigned int i;
	int pid;

	if (backdoor_exact())
		SKIP(return, "no CPU writes while another reads");
	pid = spin_start(1, profile(0));
	ASSERT_LT(0, pid);
	storm.session = device_attach(self->fd, 0, pid);
	ASSERT_LT(0, storm.session);
	map = map_session(storm.session, self->info.out_session_map_size, PROT_READ, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (const void *)map);
	ASSERT_EQ(0, pthread_create(&storm.thread, NULL, storm_run, &storm));
	ASSERT_EQ(0, cpu_pin(0));
	end = clock_ns(CLOCK_MONOTONIC) + ROUNDS_NS;
	ASSERT_EQ(0, read_shares(share_of(map, 1), changes, true, end));
	/* Without the protocol some reads have to be torn.  A busy host shows few. */
	for (i = 0; i < 20 && !unguarded; i++)
		unguarded = read_shares(share_of(map, 1), changes, false, end);
	storm.stop = true;
	pthread_join(storm.thread, NULL);
	printf("# 0 reads torn in %u changes, without the protocol %d\n", changes, unguarded);
	spin_stop(pid);
	munmap((void *)map, self->info.out_session_map_size);
	/* Chance decides.  If no run of many has a torn read, the test is blind. */
	if (unguarded <= 0)
		SKIP(return, "no tearing met without the protocol");
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
