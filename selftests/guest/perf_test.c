// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU topdown: events of tasks, CPUs and cgroups against the truth, for many users at
 * once; what it refuses; and that time without the counters is not running time.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "bpf.h"
#include "perf.h"

/* Percentage points, and a share of the slots: the acceptance criteria. */
#define LIMIT_POINTS	0.5
#define LIMIT_SLOTS	0.005

/* The module is loaded with its default. */
#define PERIOD_MS	1000

#define USERS		8
#define PROFILES	10
#define CGROUP		"/sys/fs/cgroup/"
#define CGROUP_OURS	CGROUP "topdown-perf-test"

#define TRIES		3

/* A shell and four programs. */
#define CHILDREN	"for i in 1 2 3 4; do ./workload -c 0 -t 0.2 even & done; wait"

/* As EXPECT_SOON() of session.h: a thread of the kernel may borrow an address space. */
#define EXPECT_RIGHT(what)						\
({									\
	const char *wrong_ = "";					\
	unsigned int try_;						\
									\
	for (try_ = 0; try_ < TRIES && wrong_; try_++) {		\
		if (try_)						\
			say_again(wrong_);				\
		wrong_ = what;						\
	}								\
	EXPECT_EQ(NULL, wrong_) {					\
		TH_LOG("%s", wrong_);					\
	}								\
})

/* The work of a child on CPU 0 between two of its looks. */
struct work {
	struct td_bd_truth truth;
	/* How often it lost the CPU. */
	unsigned long switches;
	/* From go to done, and how often CPU 0 had its PMU read or written in that time. */
	uint64_t ms;
	uint64_t accesses;
	volatile int go;
	volatile int done;
};

static void spin_ms(unsigned int ms)
{
	uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000ULL;
	volatile int i;

	do {
		for (i = 0; i < 10000; i++)
			;
	} while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end);
}

/*
 * Another task, of another profile, interrupts what is counted, but not all the time: the
 * switch itself is the task's in the truth, and some 10,000 instructions with 13 events.
 */
static int compete(void)
{
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(0) || !backdoor_set_profile(&profile_find("fetch")->profile))
		_exit(1);
	for (;;) {
		spin_ms(4);
		sleep_ms(12);
	}
}

FIXTURE(perf) {
	struct work *work;
	int competitor;
};

FIXTURE_SETUP(perf)
{
	int ret = module_need();

	if (ret == 4)
		SKIP(return, "this machine cannot be measured");
	ASSERT_EQ(0, ret);
	if (!backdoor_open())
		SKIP(return, "this is not the emulated PMU");
	ASSERT_LT(0, perf_type());
	self->work = mmap(NULL, sizeof(*self->work), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->work);
	self->competitor = compete();
	ASSERT_LT(0, self->competitor);
	ASSERT_EQ(0, cpu_pin(1));
}

FIXTURE_TEARDOWN(perf)
{
	if (self->competitor > 0)
		spin_stop(self->competitor);
}

static unsigned long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* A child on CPU 0 that waits for work->go, and then works so long. */
static int work_start(struct work *work, const struct td_bd_profile *profile, unsigned int ms)
{
	struct td_bd_truth from;
	int pid;

	work->go = 0;
	work->done = 0;
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(0) || !backdoor_set_profile(profile))
		_exit(1);
	while (!work->go)
		usleep(1000);
	work->switches = switches();
	backdoor_truth_space(&from);
	spin_ms(ms);
	backdoor_truth_space(&work->truth);
	backdoor_truth_sub(&work->truth, &from);
	work->switches = switches() - work->switches;
	work->done = 1;
	for (;;)
		pause();
}

static bool work_wait(const struct work *work)
{
	unsigned int i;

	for (i = 0; i < 4000 && !work->done; i++)
		sleep_ms(5);
	return work->done;
}

static void work_stop(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* @users count a task, or the cgroup @cgroup, while it works; what is wrong. */
static const char *count_work(struct work *work, const struct td_bd_profile *profile,
			      unsigned int users, int cgroup)
{
	struct td_bd_truth from, to;
	struct perf_user user[USERS];
	struct perf_values values;
	const char *wrong = NULL;
	uint64_t begin;
	unsigned int i;
	char pids[16];
	int pid, ret = 0;

	pid = work_start(work, profile, 300);
	if (cgroup >= 0) {
		snprintf(pids, sizeof(pids), "%d", pid);
		ret = file_write(CGROUP_OURS "/cgroup.procs", 0, pids);
	}
	/* So the child waits by now, and what it does until then is little. */
	sleep_ms(50);
	for (i = 0; i < users && !ret; i++)
		ret = cgroup < 0 ? perf_user_open(&user[i], pid, -1, 0) :
		      perf_user_open(&user[i], cgroup, 0, PERF_FLAG_PID_CGROUP);
	for (i = 0; i < users && !ret; i++)
		ret = perf_user_enable(&user[i], true);
	if (ret) {
		work_stop(pid);
		return strerror(-ret);
	}
	begin = clock_ns(CLOCK_MONOTONIC);
	backdoor_truth_cpu(0, &from);
	work->go = 1;
	if (!work_wait(work))
		wrong = "it does not end";
	backdoor_truth_cpu(0, &to);
	work->ms = (clock_ns(CLOCK_MONOTONIC) - begin) / 1000000;
	work->accesses = to.wrmsr + to.rdpmc - from.wrmsr - from.rdpmc;
	for (i = 0; i < users; i++) {
		if (perf_user_enable(&user[i], false) || perf_user_read(&user[i], &values))
			wrong = "it cannot be read";
		if (!wrong)
			wrong = perf_wrong(&values, &work->truth, LIMIT_POINTS, LIMIT_SLOTS);
		perf_user_close(&user[i]);
	}
	printf("# %lu switches, slots %.4f of the truth\n", work->switches,
	       (double)values.value[PERF_SLOTS] / work->truth.slots);
	work_stop(pid);
	return wrong;
}

TEST_F_TIMEOUT(perf, a_task_is_right_for_ten_profiles, 300)
{
	unsigned int i;

	for (i = 0; i < PROFILES; i++) {
		printf("# %s\n", profiles[i].name);
		EXPECT_RIGHT(count_work(self->work, &profiles[i].profile, 1, -1));
	}
}

/*
 * With the 104 events of eight users a switch takes too many instructions for the limits if
 * the task is interrupted now and then.
 */
static void work_alone(int *competitor)
{
	spin_stop(*competitor);
	*competitor = 0;
}

/* Each user gets all counts.  Eight users cost no more accesses to the PMU than one. */
TEST_F_TIMEOUT(perf, eight_users_of_a_task_are_right, 300)
{
	const struct td_bd_profile *profile = &profile_find("branchy")->profile;
	const struct work *work = self->work;
	uint64_t stays, windows;

	work_alone(&self->competitor);
	EXPECT_RIGHT(count_work(self->work, profile, USERS, -1));
	/*
	 * A point with a reset has eight at most.  There are two points for each stay on the CPU,
	 * and one for each window that ends.  The watchdog of NMIs may have five, and whatever
	 * enables the PMU has four.
	 */
	stays = work->switches + 1;
	windows = work->ms / PERIOD_MS + 1;
	TH_LOG("%llu accesses to the PMU for %u users, %llu stays, %llu ms",
	       (unsigned long long)work->accesses, USERS, (unsigned long long)stays,
	       (unsigned long long)work->ms);
	EXPECT_GE(8 * (2 * stays + windows) + 5 + 4, work->accesses);
}

/* A task has long turns, and another one has the CPU for some us in between. */
#define TURNS		2000
#define TURN_LOOPS	3000

static void turn(int from, int to, unsigned int loops)
{
	volatile unsigned int i;
	char byte = 0;

	for (i = 0; i < loops; i++)
		;
	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		_exit(1);
}

/* A child on CPU 0 that answers each turn, and then says what it has used. */
static int turns_start(struct td_bd_truth *truth, const int *there, const int *back,
		       unsigned int loops)
{
	struct td_bd_truth from;
	unsigned int i;
	char byte;
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(0) || !backdoor_set_profile(&profile_find("compute")->profile) ||
	    read(there[0], &byte, 1) != 1)
		_exit(1);
	backdoor_truth_space(&from);
	for (i = 0; i < TURNS; i++)
		turn(there[0], back[1], loops);
	backdoor_truth_space(truth);
	backdoor_truth_sub(truth, &from);
	if (write(back[1], &byte, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/*
 * Another task has the CPU for less time than a switch may take, and it is not counted.  What it
 * uses is its own, and not the task's that was there before and is there again.
 */
TEST_F_TIMEOUT(perf, a_task_that_takes_turns_is_right, 120)
{
	struct perf_event_attr attr = { .config = PERF_SLOTS };
	int there[2], back[2], pid, fd;
	uint64_t slots;
	unsigned int i;
	double ratio;

	work_alone(&self->competitor);
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	ASSERT_EQ(0, cpu_pin(0));
	pid = turns_start(&self->work->truth, there, back, TURN_LOOPS);
	ASSERT_LT(0, pid);
	sleep_ms(50);
	fd = perf_open(&attr, pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	for (i = 0; i <= TURNS; i++)
		turn(back[0], there[1], 0);
	ASSERT_EQ(sizeof(slots), read(fd, &slots, sizeof(slots)));
	work_stop(pid);
	ratio = (double)slots / self->work->truth.slots;
	TH_LOG("slots %.4f of the truth", ratio);
	/* A part of each switch is the task's in the truth alone. */
	EXPECT_LT(0.8, ratio);
	EXPECT_GT(1, ratio);
}

TEST_F_TIMEOUT(perf, a_cgroup_is_right, 300)
{
	int cgroup;

	/* Without a controller in use the kernel does not know cgroups of perf. */
	if (file_write(CGROUP "cgroup.subtree_control", 0, "+pids"))
		SKIP(return, "there are no cgroups");
	mkdir(CGROUP_OURS, 0755);
	cgroup = open(CGROUP_OURS, O_RDONLY);
	ASSERT_LE(0, cgroup);
	EXPECT_RIGHT(count_work(self->work, &profile_find("stream")->profile, 1, cgroup));
	work_alone(&self->competitor);
	EXPECT_RIGHT(count_work(self->work, &profile_find("even")->profile, USERS, cgroup));
	close(cgroup);
	sleep_ms(50);
	rmdir(CGROUP_OURS);
}

/*
 * A task with an event of its own leaves the CPU to another one of the cgroup, which leaves it to
 * others some us later.  The cgroup has what both use.
 */
TEST_F_TIMEOUT(perf, a_cgroup_whose_tasks_take_turns_is_right, 120)
{
	struct perf_event_attr attr = { .config = PERF_SLOTS };
	const struct sched_param param = { };
	int there[2], on[2], back[2], pid[2], fd[2], cgroup;
	struct td_bd_truth *truth;
	uint64_t slots;
	unsigned int i;
	char pids[16];
	double ratio;

	if (file_write(CGROUP "cgroup.subtree_control", 0, "+pids"))
		SKIP(return, "there are no cgroups");
	work_alone(&self->competitor);
	truth = mmap(NULL, 2 * sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, truth);
	mkdir(CGROUP_OURS, 0755);
	cgroup = open(CGROUP_OURS, O_RDONLY);
	ASSERT_LE(0, cgroup);
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(on));
	ASSERT_EQ(0, pipe(back));
	ASSERT_EQ(0, cpu_pin(0));
	/* Its tasks do not preempt the one that wakes them, so each turn is one switch. */
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_BATCH, &param));
	pid[0] = turns_start(&truth[0], there, on, 0);
	pid[1] = turns_start(&truth[1], on, back, 0);
	for (i = 0; i < 2; i++) {
		ASSERT_LT(0, pid[i]);
		snprintf(pids, sizeof(pids), "%d", pid[i]);
		ASSERT_EQ(0, file_write(CGROUP_OURS "/cgroup.procs", 0, pids));
	}
	sleep_ms(50);
	fd[0] = perf_open(&attr, pid[0], -1, -1, 0);
	fd[1] = perf_open(&attr, cgroup, 0, -1, PERF_FLAG_PID_CGROUP);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	for (i = 0; i <= TURNS; i++)
		turn(back[0], there[1], 0);
	ASSERT_EQ(sizeof(slots), read(fd[1], &slots, sizeof(slots)));
	for (i = 0; i < 2; i++) {
		close(fd[i]);
		work_stop(pid[i]);
	}
	close(cgroup);
	sleep_ms(50);
	rmdir(CGROUP_OURS);
	ratio = (double)slots / (truth[0].slots + truth[1].slots);
	TH_LOG("slots %.4f of the truth, of which the second task has %.4f", ratio,
	       (double)truth[1].slots / (truth[0].slots + truth[1].slots));
	/* A part of each switch between them is neither's in the truth, or not the cgroup's. */
	EXPECT_LT(0.88, ratio);
	EXPECT_GT(1, ratio);
}

/* Users of a CPU that two tasks share. */
static const char *count_cpu(struct work *work, unsigned int users)
{
	struct perf_values before[USERS], after;
	struct td_bd_truth from, to;
	struct perf_user user[USERS];
	const char *wrong = NULL;
	unsigned int i;
	int pid, ret = 0;

	pid = work_start(work, &profile_find("compute")->profile, 300);
	for (i = 0; i < users && !ret; i++)
		ret = perf_user_open(&user[i], -1, 0, 0);
	for (i = 0; i < users && !ret; i++)
		ret = perf_user_enable(&user[i], true);
	if (ret) {
		work_stop(pid);
		return strerror(-ret);
	}
	/* Look from the CPU itself: another runs at another time under -icount. */
	ret = ret ? ret : cpu_pin(0);
	work->go = 1;
	for (i = 0; i < users; i++)
		ret = ret ? ret : perf_user_read(&user[i], &before[i]);
	backdoor_truth_cpu(0, &from);
	if (!work_wait(work))
		wrong = "it does not end";
	backdoor_truth_cpu(0, &to);
	backdoor_truth_sub(&to, &from);
	for (i = 0; i < users; i++) {
		ret = ret ? ret : perf_user_read(&user[i], &after);
		perf_values_sub(&after, &before[i]);
		if (!wrong)
			wrong = perf_wrong(&after, &to, LIMIT_POINTS, LIMIT_SLOTS);
		perf_user_close(&user[i]);
	}
	work_stop(pid);
	cpu_pin(1);
	return ret ? strerror(-ret) : wrong;
}

TEST_F_TIMEOUT(perf, eight_users_of_a_cpu_are_right, 300)
{
	EXPECT_RIGHT(count_cpu(self->work, 1));
	EXPECT_RIGHT(count_cpu(self->work, USERS));
}

/* The values of one read are of one fold: level 1 is the slots, children their parent. */
TEST_F_TIMEOUT(perf, a_group_is_read_at_once, 120)
{
	struct perf_values values;
	struct perf_user user;
	unsigned int i, n;
	uint64_t l1;

	ASSERT_EQ(0, perf_user_open(&user, -1, 0, 0));
	ASSERT_EQ(0, perf_user_enable(&user, true));
	for (n = 0; n < 200; n++) {
		ASSERT_EQ(0, perf_user_read(&user, &values));
		for (i = 0, l1 = 0; i < TD_NR_PARENTS; i++) {
			l1 += values.value[PERF_NODE(i)];
			EXPECT_EQ(values.value[PERF_NODE(i)],
				  values.value[PERF_NODE(4 + 2 * i)] +
				  values.value[PERF_NODE(5 + 2 * i)]);
		}
		/* Slots of a time too short to be split are in none. */
		EXPECT_LE(l1, values.value[PERF_SLOTS]);
		EXPECT_GE(l1, values.value[PERF_SLOTS] * 0.99);
	}
	perf_user_close(&user);
}

/* A reading has the slots up to it, also if there was another a millisecond before. */
TEST_F_TIMEOUT(perf, readings_soon_after_others_are_right, 120)
{
	struct perf_values before, after;
	struct td_bd_truth from, to;
	struct perf_user user;
	double slots;
	unsigned int n;

	ASSERT_EQ(0, cpu_pin(0));
	ASSERT_EQ(0, perf_user_open(&user, -1, 0, 0));
	ASSERT_EQ(0, perf_user_enable(&user, true));
	for (n = 0; n < 20; n++) {
		ASSERT_EQ(0, perf_user_read(&user, &before));
		backdoor_truth_cpu(0, &from);
		spin_ms(1);
		backdoor_truth_cpu(0, &to);
		ASSERT_EQ(0, perf_user_read(&user, &after));
		slots = after.value[PERF_SLOTS] - before.value[PERF_SLOTS];
		EXPECT_LT(0.9 * (to.slots - from.slots), slots);
	}
	perf_user_close(&user);
}

/*
 * A BPF program reads one event alone, and perf does not look at its clock for that.  The value
 * is still of that moment, and not of the moment in which another event of the group was read.
 */
TEST_F_TIMEOUT(perf, a_bpf_program_reads_what_is_now, 120)
{
	struct bpf_reader leader, sibling;
	struct perf_values before, after;
	uint64_t count, grown, missing;
	struct perf_user user;

	/* Alone on the CPU, as switches make perf look at its clock. */
	work_alone(&self->competitor);
	ASSERT_EQ(0, cpu_pin(0));
	ASSERT_EQ(0, perf_user_open(&user, -1, 0, 0));
	ASSERT_EQ(0, perf_user_enable(&user, true));
	ASSERT_EQ(0, bpf_reader_open(&leader, user.fd[PERF_SLOTS]));
	ASSERT_EQ(0, bpf_reader_open(&sibling, user.fd[PERF_NODE(TOPDOWN_RETIRING)]));

	ASSERT_EQ(0, perf_user_read(&user, &before));
	spin_ms(20);
	ASSERT_EQ(0, bpf_reader_run(&leader, &count));
	spin_ms(20);
	ASSERT_EQ(0, bpf_reader_run(&sibling, &count));
	ASSERT_EQ(0, perf_user_read(&user, &after));

	grown = after.value[PERF_NODE(TOPDOWN_RETIRING)] -
		before.value[PERF_NODE(TOPDOWN_RETIRING)];
	missing = after.value[PERF_NODE(TOPDOWN_RETIRING)] - count;
	TH_LOG("%llu slots, %llu of them after the program has run", (unsigned long long)grown,
	       (unsigned long long)missing);
	EXPECT_LT(0, grown);
	EXPECT_GT(grown / 10, missing);
	bpf_reader_close(&sibling);
	bpf_reader_close(&leader);
	perf_user_close(&user);
}

/* Children that a task makes, and those that they make. */
TEST_F_TIMEOUT(perf, children_are_inherited, 120)
{
	const struct perf_event_attr attr = { .config = PERF_SLOTS, .inherit = 1,
		.disabled = 1, .enable_on_exec = 1 };
	struct td_bd_truth from, to;
	uint64_t slots;
	int fd, pid, pipes[2], status;
	char byte;

	/* Alone on its CPU: what runs there is the children's. */
	work_alone(&self->competitor);
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		cpu_pin(0);
		if (read(pipes[0], &byte, 1) != 1)
			_exit(1);
		execl("/bin/sh", "sh", "-c", CHILDREN, NULL);
		_exit(2);
	}
	fd = perf_open(&attr, pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	backdoor_truth_cpu(0, &from);
	ASSERT_EQ(1, write(pipes[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	backdoor_truth_cpu(0, &to);
	ASSERT_EQ(sizeof(slots), read(fd, &slots, sizeof(slots)));
	EXPECT_GT(1.0, (double)slots / (to.slots - from.slots));
	EXPECT_LT(0.9, (double)slots / (to.slots - from.slots));
	close(fd);
}

/* While somebody has taken the counter for good, events do not run. */
TEST_F_TIMEOUT(perf, time_without_the_counter_is_not_running, 120)
{
	struct perf_event_attr slots = {
		.type = PERF_TYPE_RAW, .size = sizeof(slots), .config = 0x400, .pinned = 1,
	};
	struct perf_values before, after;
	struct perf_user user;
	double share;
	int taker;

	ASSERT_EQ(0, perf_user_open(&user, -1, 0, 0));
	ASSERT_EQ(0, perf_user_enable(&user, true));
	sleep_ms(100);
	ASSERT_EQ(0, perf_user_read(&user, &before));
	EXPECT_LE(0.999 * before.enabled, before.running);
	taker = syscall(SYS_perf_event_open, &slots, -1, 0, -1, 0);
	ASSERT_LE(0, taker);
	sleep_ms(400);
	ASSERT_EQ(0, perf_user_read(&user, &after));
	perf_values_sub(&after, &before);
	share = (double)after.running / after.enabled;
	TH_LOG("running %.1f%% while the counter was taken", 100 * share);
	EXPECT_GT(0.05, share);
	close(taker);
	/* Our group looks again within a second whether the counter is free. */
	sleep_ms(1500);
	ASSERT_EQ(0, perf_user_read(&user, &before));
	sleep_ms(400);
	ASSERT_EQ(0, perf_user_read(&user, &after));
	perf_values_sub(&after, &before);
	EXPECT_LE(0.999 * after.enabled, after.running);
	EXPECT_LT(0, after.value[PERF_SLOTS]);
	perf_user_close(&user);
}

static int try_open(struct perf_event_attr attr)
{
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

TEST_F(perf, refuses_what_it_cannot_do)
{
	EXPECT_EQ(0, try_open((struct perf_event_attr){ .config = PERF_SLOTS }));
	EXPECT_EQ(0, try_open((struct perf_event_attr){ .exclude_guest = 1, .exclude_hv = 1 }));
	EXPECT_EQ(-EINVAL, try_open((struct perf_event_attr){ .exclude_user = 1 }));
	EXPECT_EQ(-EINVAL, try_open((struct perf_event_attr){ .exclude_kernel = 1 }));
	EXPECT_EQ(-EINVAL, try_open((struct perf_event_attr){ .exclude_host = 1 }));
	EXPECT_EQ(-EINVAL, try_open((struct perf_event_attr){ .exclude_idle = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, try_open((struct perf_event_attr){ .sample_period = 1000 }));
	EXPECT_EQ(-EINVAL, try_open((struct perf_event_attr){ .config = PERF_NODE(TD_NR_NODES) }));
	EXPECT_EQ(-EINVAL, try_open((struct perf_event_attr){ .config1 = 1 }));
	/* AMD's. */
	EXPECT_EQ(-EOPNOTSUPP, try_open((struct perf_event_attr){
		  .config = PERF_NODE(TOPDOWN_SMT_CONTENTION) }));
}

TEST_F_TIMEOUT(perf, events_keep_the_module, 120)
{
	struct perf_user user;

	ASSERT_EQ(0, perf_user_open(&user, 0, -1, 0));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	perf_user_close(&user);
	/* Some kernels free events a moment later. */
	sleep_ms(100);
	EXPECT_EQ(0, module_unload());
	EXPECT_GT(0, perf_type());
	EXPECT_EQ(0, module_load(""));
}

TEST_HARNESS_MAIN
