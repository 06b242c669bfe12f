// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fact.h"
#include "owner.h"

#define CGROUP2_MAGIC	0x63677270

struct runner *runners;

int owners_open(int device, unsigned int kind, unsigned int depth)
{
	struct topdown_owners owners = { .size = sizeof(owners), .kind = kind, .depth = depth };
	int fd = ioctl(device, TOPDOWN_OWNERS, &owners);

	return fd < 0 ? -errno : fd;
}

int owners_read(int fd, struct owners *owners, unsigned int room)
{
	struct topdown_owners_read read = {
		.size = sizeof(read), .record_size = sizeof(struct topdown_owner),
	};

	memset(owners, 0, sizeof(*owners));
	/* Not cleared, which would take longer than the reading. */
	owners->owner = malloc(OWNERS_MAX * sizeof(*owners->owner));
	do {
		read.records = (uintptr_t)(owners->owner + owners->nr);
		read.nr_records = OWNERS_MAX - owners->nr;
		if (room && room < read.nr_records)
			read.nr_records = room;
		read.out_since_ns = 0;
		read.out_time_ns = 0;
		read.out_nr_owners = 0;
		if (ioctl(fd, TOPDOWN_OWNERS_READ, &read))
			return -errno;
		owners->nr += read.nr_records;
	} while (read.cursor);
	owners->since_ns = read.out_since_ns;
	owners->time_ns = read.out_time_ns;
	return 0;
}

void owners_free(struct owners *owners)
{
	free(owners->owner);
	memset(owners, 0, sizeof(*owners));
}

const struct topdown_owner *owners_find(const struct owners *owners, unsigned int what,
					uint64_t id)
{
	unsigned int i;

	for (i = 0; i < owners->nr; i++) {
		if (owners->owner[i].what == what && owners->owner[i].id == id)
			return &owners->owner[i];
	}
	return NULL;
}

static void figures_add(struct topdown_figures *sum, const struct topdown_figures *more, int sign)
{
	unsigned int i;

	sum->enabled_ns += sign * more->enabled_ns;
	sum->running_ns += sign * more->running_ns;
	sum->slots += sign * more->slots;
	sum->cycles += sign * more->cycles;
	sum->instructions += sign * more->instructions;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		sum->node[i] += sign * more->node[i];
}

void owners_sum(const struct owners *owners, struct topdown_figures *sum)
{
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < owners->nr; i++)
		figures_add(sum, &owners->owner[i].self, 1);
}

int owners_cpus(int device, struct topdown_figures *sum)
{
	static struct topdown_record records[TD_CPUS_MAX + 1];
	__u32 nr = TD_CPUS_MAX + 1;
	int ret = device_read(device, TOPDOWN_READ_FRESH | TOPDOWN_READ_TOTAL, NULL, 0, records,
			      &nr);

	if (!ret)
		*sum = records[nr - 1].total;
	return ret;
}

__u64 owners_cpus_slots(int device)
{
	struct topdown_figures sum;

	return owners_cpus(device, &sum) ? 0 : sum.slots;
}

bool owners_sum_right(const struct owners *then, const struct owners *now, __u64 counted)
{
	struct topdown_figures from, to;

	owners_sum(then, &from);
	owners_sum(now, &to);
	return fact_near("slots of all owners over those of the CPUs",
			 (double)(to.slots - from.slots) / counted, 1, 0.005);
}

bool owners_grown(const struct owners *then, const struct owners *now, unsigned int what,
		  uint64_t id, bool tree, struct topdown_figures *figures)
{
	const struct topdown_owner *from = owners_find(then, what, id);
	const struct topdown_owner *to = owners_find(now, what, id);

	if (!to)
		return false;
	*figures = tree ? to->tree : to->self;
	if (from)
		figures_add(figures, tree ? &from->tree : &from->self, -1);
	return true;
}

/* The CPU time of a thread of the kernel; 0 for others. */
static uint64_t thread_ns(const char *number)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *file;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%.16s/stat", number);
	file = fopen(path, "r");
	/* All are children of kthreadd. */
	if (!file || fscanf(file, "%*d (%*[^)]) %*c %d", &parent) != 1)
		parent = 0;
	if (file)
		fclose(file);
	if (parent != 2)
		return 0;
	snprintf(path, sizeof(path), "/proc/%.16s/schedstat", number);
	file = fopen(path, "r");
	if (file && fscanf(file, "%llu", &ns) != 1)
		ns = 0;
	if (file)
		fclose(file);
	return ns;
}

static uint64_t threads_ns(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t ns = 0;

	while (proc && (entry = readdir(proc))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			ns += thread_ns(entry->d_name);
	}
	if (proc)
		closedir(proc);
	return ns;
}

/*
 * A thread of the kernel runs in the address space of the process before it, whose truth then has
 * its slots too.  After boot one of them tests ciphers for seconds, as busy as any process, and
 * khugepaged scans the runners' memory.
 */
bool threads_quiet(void)
{
	uint64_t then, now = threads_ns();
	unsigned int i;

	file_write("/sys/kernel/mm/transparent_hugepage/enabled", 0, "never");
	for (i = 0; i < 600; i++) {
		then = now;
		sleep_ms(100);
		now = threads_ns();
		/* One that ended takes its time along. */
		if (now >= then && now - then < 1000000)
			return true;
	}
	printf("# the kernel's threads are busy\n");
	return false;
}

/* The profile of a phase; each runner has others, and in another order. */
static const struct td_bd_profile *runner_profile(unsigned int self, unsigned int phase)
{
	static const char *const names[] = {
		"compute", "stream", "branchy", "bigcode", "divide", "even", "fetch", "odd",
		"steps", "clears",
	};
	unsigned int at = self + phase * (self % 3 + 1);

	return &profile_find(names[at % (sizeof(names) / sizeof(names[0]))])->profile;
}

/* By the clock of the CPU time, which does not run while others do. */
static void runner_phase(const struct runner *own, unsigned int self, unsigned int phase)
{
	uint64_t ms = 20 + (self * 37 + phase * 61) % 180;
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;
	volatile unsigned int i;

	while (!own->stop && clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (i = 0; i < 2000; i++)
			;
}

static void runner_run(struct runner *own, unsigned int self)
{
	struct td_bd_truth truth;
	unsigned int phase;
	uint64_t began;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!backdoor_open())
		_exit(1);
	raise(SIGSTOP);
	began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	backdoor_set_profile(runner_profile(self, 0));
	for (phase = 0; !own->stop; phase++) {
		if (phase)
			backdoor_change_profile(runner_profile(self, phase));
		runner_phase(own, self, phase);
	}
	backdoor_truth_space(&truth);
	own->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	own->truth = truth;
	raise(SIGSTOP);
	_exit(0);
}

/* Until all have stopped. */
static bool runners_wait(unsigned int nr)
{
	unsigned int i;
	int status;

	for (i = 0; i < nr; i++) {
		if (waitpid(runners[i].pid, &status, WUNTRACED) < 0 || !WIFSTOPPED(status))
			return false;
	}
	return true;
}

bool runners_make(unsigned int nr)
{
	unsigned int i;
	int pid;

	if (!runners)
		runners = mmap(NULL, RUNNERS_MAX * sizeof(*runners), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (runners == MAP_FAILED || !threads_quiet())
		return false;
	memset(runners, 0, RUNNERS_MAX * sizeof(*runners));
	for (i = 0; i < nr; i++) {
		/* The child shares this memory. */
		pid = fork();
		if (!pid)
			runner_run(&runners[i], i);
		runners[i].pid = pid;
	}
	return runners_wait(nr);
}

void runners_go(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		kill(runners[i].pid, SIGCONT);
}

bool runners_stop(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		runners[i].stop = 1;
	return runners_wait(nr);
}

void runners_end(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		kill(runners[i].pid, SIGKILL);
	for (i = 0; i < nr; i++)
		waitpid(runners[i].pid, NULL, 0);
}

bool figures_right(const char *who, const struct topdown_figures *figures,
		   const struct td_bd_truth *truth, double points, double share)
{
	double node[TRUTH_NODES], slots = figures->slots ? figures->slots : 1;
	double worst = 0, off = figures->slots / (truth->slots + 1e-9) - 1;
	unsigned int i, at = 0;

	backdoor_truth_nodes(truth, node);
	for (i = 0; i < TRUTH_NODES; i++) {
		double error = fabs(figures->node[i] / slots - node[i]) * 100;

		if (error > worst) {
			worst = error;
			at = i;
		}
	}
	if (worst <= points && fabs(off) <= share)
		return true;
	printf("# %s: node %u is %.2f points off, slots %.2f%% of %.1f M\n", who, at, worst,
	       off * 100, truth->slots / 1e6);
	fflush(stdout);
	return false;
}

const char *cgroup_root(void)
{
	static const char *const root = "/sys/fs/cgroup";
	static const char *const own = "/tmp/owners-cgroup";
	struct statfs fs;

	if (!statfs(root, &fs) && fs.f_type == CGROUP2_MAGIC)
		return root;
	if (!statfs(own, &fs) && fs.f_type == CGROUP2_MAGIC)
		return own;
	mkdir(own, 0755);
	if (!mount("none", own, "cgroup2", 0, NULL))
		return own;
	printf("# cannot mount cgroups: %s\n", strerror(errno));
	return NULL;
}

uint64_t cgroup_number(const char *path)
{
	struct stat stat_;

	return stat(path, &stat_) ? 0 : stat_.st_ino;
}

bool cgroup_make(const char *path)
{
	return !mkdir(path, 0755);
}

bool cgroup_enter(const char *path, int pid)
{
	char file[256], number[16];

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	snprintf(number, sizeof(number), "%d", pid);
	return !file_write(file, 0, number);
}

/* A process that was killed leaves a moment later. */
bool cgroup_remove(const char *path)
{
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		if (!rmdir(path))
			return true;
		usleep(1000);
	}
	return false;
}

unsigned int cgroup_dying(const char *path)
{
	char stat[256], word[64];
	unsigned int nr = 0, value;
	FILE *file;

	snprintf(stat, sizeof(stat), "%s/cgroup.stat", path);
	file = fopen(stat, "re");
	while (file && fscanf(file, "%63s %u", word, &value) == 2) {
		if (!strcmp(word, "nr_dying_descendants"))
			nr = value;
	}
	if (file)
		fclose(file);
	return nr;
}
