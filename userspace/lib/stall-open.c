// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events of a handle: which there are, and their descriptors on each CPU.
 */
#include "stalls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define TD_PMUS			"/sys/bus/event_source/devices/"
#define TD_RATE_FILE		"/proc/sys/kernel/perf_event_max_sample_rate"
#define TD_CHAIN_MAX		64

#define TD_SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)
#define TD_CHANGE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_CPU)

/* The files of events have a line without an end. */
static bool td_read_file(const char *pmu, const char *name, char *text, size_t size)
{
	char path[160];

	snprintf(path, sizeof(path), TD_PMUS "%s/%s", pmu, name);
	if (!td_read_text(path, text, size))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return *text;
}

/* "event=0xcd,umask=0x1,ldlat=3": the places of the two are the same on all these PMUs. */
static bool td_read_event(const char *pmu, const char *name, uint64_t *config)
{
	char path[64], text[128], *word, *rest;

	snprintf(path, sizeof(path), "events/%s", name);
	if (!td_read_file(pmu, path, text, sizeof(text)))
		return false;
	*config = 0;
	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (!strncmp(word, "event=", 6))
			*config |= strtoull(word + 6, NULL, 0) & 0xff;
		else if (!strncmp(word, "umask=", 6))
			*config |= (strtoull(word + 6, NULL, 0) & 0xff) << 8;
	}
	return *config != 0;
}

static bool td_pmu_type(const char *pmu, uint32_t *type)
{
	char text[16];

	if (!td_read_file(pmu, "type", text, sizeof(text)))
		return false;
	*type = strtoul(text, NULL, 10);
	return true;
}

static const char *td_pmu_name(enum td_stall_pmu pmu)
{
	uint32_t type;

	switch (pmu) {
	case TD_PMU_CPU:
		return td_pmu_type("cpu_core", &type) ? "cpu_core" : "cpu";
	case TD_PMU_ATOM:
		return "cpu_atom";
	case TD_PMU_IBS_OP:
		return "ibs_op";
	default:
		return "ibs_fetch";
	}
}

static bool td_is_ibs(const struct td_stall_event *event)
{
	return event->spec->pmu == TD_PMU_IBS_OP || event->spec->pmu == TD_PMU_IBS_FETCH;
}

static unsigned int td_layout_of(enum td_stall_pmu pmu)
{
	if (pmu == TD_PMU_IBS_OP)
		return TOPDOWN_LAYOUT_IBS_OP;
	return pmu == TD_PMU_IBS_FETCH ? TOPDOWN_LAYOUT_IBS_FETCH : 0;
}

/* IBS uses no counter. */
static bool td_rests(const struct topdown_stalls *stalls, const struct td_stall_event *event)
{
	bool small = !strcmp(event->pmu, "cpu_atom");

	return !td_is_ibs(event) && stalls->options.flags & (small ? TOPDOWN_STALLS_REST_SMALL :
							     TOPDOWN_STALLS_REST);
}

static void td_add_event(struct topdown_stalls *stalls, const struct td_stall_spec *spec,
			 enum td_stall_pmu pmu)
{
	struct td_stall_event *event = &stalls->event[stalls->events_nr];

	if (stalls->events_nr == TD_STALL_EVENTS_MAX)
		return;
	*event = (struct td_stall_event){
		.spec = spec,
		.pmu = td_pmu_name(pmu),
		.config = spec->config,
		.config1 = spec->config1,
		.precise = spec->precise,
		.branches = spec->branches,
		.user = stalls->options.flags & TOPDOWN_STALLS_USER,
		.turn = -1,
	};
	event->rests = td_rests(stalls, event);
	event->attr.sample_type = TD_SAMPLE_TYPE;
	event->attr.layout = td_layout_of(pmu);
	stalls->events_nr++;
	if (!td_pmu_type(event->pmu, &event->type) ||
	    (spec->file && !td_read_event(event->pmu, spec->file, &event->config)))
		event->error = EOPNOTSUPP;
	else if (spec->leader)
		td_read_event(event->pmu, spec->leader, &event->leader_config);
}

static void td_add_events(struct topdown_stalls *stalls, enum td_stall_core core, bool small)
{
	uint64_t nodes = stalls->options.nodes ? stalls->options.nodes : UINT64_MAX;
	unsigned int i;

	for (i = 0; core && i < td_stall_specs_nr; i++) {
		const struct td_stall_spec *spec = &td_stall_specs[i];

		if (spec->cores >> core & 1 && spec->nodes & nodes)
			td_add_event(stalls, spec, small ? TD_PMU_ATOM : spec->pmu);
	}
}

int td_stalls_find_events(struct topdown_stalls *stalls)
{
	uint32_t type;

	td_add_events(stalls, td_stall_core(false), false);
	/* The CPUID of a hybrid machine has one model for both kinds. */
	if (td_pmu_type("cpu_atom", &type))
		td_add_events(stalls, td_stall_core(true), true);
	return stalls->events_nr ? 0 : -ENODEV;
}

static uint64_t td_max_rate(void)
{
	char text[32];

	return td_read_line(TD_RATE_FILE, text, sizeof(text)) ? strtoull(text, NULL, 10) :
								TOPDOWN_STALLS_RATE_MAX;
}

/*
 * Two events that happen as often as each other, as late fetches and their cause, would keep step
 * at the same rate: the one would come in the interrupt of the other again and again, and its
 * samples would say so. One with a whole number of periods to a tick would come in the ticks. So
 * each has a rate of its own, 1 to 16 parts in 67 lower.
 */
static uint64_t td_rate_of(const struct topdown_stalls *stalls, const struct td_stall_event *event)
{
	uint64_t rate = stalls->options.rate, most = td_max_rate();
	unsigned int number = event - stalls->event;

	if (rate > most)
		rate = most;
	return rate - rate * (1 + number * 5 % TD_STALL_EVENTS_MAX) / 67;
}

static void td_make_attr(const struct topdown_stalls *stalls, struct td_stall_event *event,
			 struct perf_event_attr *attr)
{
	bool ibs = td_is_ibs(event);

	if (ibs)
		event->attr.sample_type |= PERF_SAMPLE_RAW;
	if (stalls->options.flags & TOPDOWN_STALLS_CHAINS)
		event->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (event->branches)
		event->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	else
		event->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	event->attr.branch_sample_type = event->branches ? PERF_SAMPLE_BRANCH_USER |
							   PERF_SAMPLE_BRANCH_ANY : 0;
	event->attr.read_format = 0;
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.sample_type = event->attr.sample_type,
		.branch_sample_type = event->attr.branch_sample_type,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.freq = 1,
		.sample_freq = td_rate_of(stalls, event),
		.precise_ip = event->precise,
		.disabled = 1,
		.inherit = stalls->tids_nr && !event->wide,
		.exclude_kernel = event->user,
		.exclude_hv = event->user,
		.exclude_guest = !ibs,
		.exclude_callchain_user = 0,
		.sample_max_stack = TD_CHAIN_MAX,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1U << 14,
	};
}

static int td_perf_event_open(struct perf_event_attr *attr, int tid, int cpu, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, tid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The leader only counts; it is what the processor wants to be counted beside loads. */
static int td_open_group(const struct topdown_stalls *stalls, struct td_stall_event *event,
			 int tid, int cpu, struct td_stall_fd *out)
{
	struct perf_event_attr attr, leader;
	bool waits;

	td_make_attr(stalls, event, &attr);
	waits = stalls->options.flags & TOPDOWN_STALLS_EXEC && attr.inherit && event->turn <= 0;
	attr.enable_on_exec = waits;
	out->leader = -1;
	if (event->leader_config) {
		leader = (struct perf_event_attr){
			.size = sizeof(leader),
			.type = event->type,
			.config = event->leader_config,
			.disabled = 1,
			.enable_on_exec = waits,
			.inherit = attr.inherit,
			.exclude_kernel = attr.exclude_kernel,
			.exclude_hv = attr.exclude_hv,
			.exclude_guest = attr.exclude_guest,
			.use_clockid = 1,
			.clockid = CLOCK_MONOTONIC,
		};
		out->leader = td_perf_event_open(&leader, tid, cpu, -1);
		if (out->leader < 0)
			return out->leader;
		attr.disabled = 0;
		attr.enable_on_exec = 0;
	}
	out->fd = td_perf_event_open(&attr, tid, cpu, out->leader);
	if (out->fd < 0 && out->leader >= 0)
		close(out->leader);
	return out->fd < 0 ? out->fd : 0;
}

/* What can still be done without; false if nothing can. */
static bool td_do_without(const struct topdown_stalls *stalls, struct td_stall_event *event,
			  int error)
{
	unsigned int least = event->spec->file ? 1 : 0;

	if ((error == -EACCES || error == -EPERM) && !event->user && !td_is_ibs(event)) {
		event->user = true;
		return true;
	}
	if (error != -EINVAL && error != -EOPNOTSUPP && error != -ENOENT)
		return false;
	if (event->branches) {
		event->branches = false;
		return true;
	}
	if (event->precise > least) {
		event->precise--;
		return true;
	}
	/* Before Linux 6.2 IBS samples CPUs and no tasks. */
	if (td_is_ibs(event) && stalls->tids_nr && !event->wide) {
		event->wide = true;
		return true;
	}
	return false;
}

static int td_add_fd(struct topdown_stalls *stalls, struct td_stall_fd *fd)
{
	uint64_t id;

	if (ioctl(fd->fd, PERF_EVENT_IOC_ID, &id) ||
	    !td_grow(&stalls->fds, stalls->fds_nr, &stalls->fds_room, sizeof(*fd))) {
		close(fd->fd);
		if (fd->leader >= 0)
			close(fd->leader);
		return -ENOMEM;
	}
	fd->id = id;
	stalls->fds[stalls->fds_nr++] = *fd;
	return 0;
}

static int td_open_one(struct topdown_stalls *stalls, unsigned int number, int tid,
		       unsigned int cpu)
{
	struct td_stall_event *event = &stalls->event[number];
	struct td_stall_fd fd = { .event = number };
	int ret;

	do {
		ret = td_open_group(stalls, event, event->wide ? -1 : tid, stalls->cpus[cpu], &fd);
	} while (ret && td_do_without(stalls, event, ret));
	if (ret)
		return ret;
	ret = td_add_fd(stalls, &fd);
	if (!ret && ioctl(fd.fd, PERF_EVENT_IOC_SET_OUTPUT, stalls->ring_fds[cpu]))
		ret = -errno;
	return ret;
}

/* A CPU that the PMU does not have; every CPU if the PMU does not say. */
static bool td_pmu_has(const char *pmu, unsigned int cpu)
{
	uint64_t cpus[TOPDOWN_CPUS_WORDS_MAX] = { 0 };
	char text[4096];

	if (!td_read_file(pmu, "cpus", text, sizeof(text)) ||
	    topdown_cpus_parse(text, cpus, TOPDOWN_CPUS_WORDS_MAX, NULL))
		return true;
	return td_has_cpu(cpus, cpu);
}

static void td_open_event(struct topdown_stalls *stalls, unsigned int number)
{
	struct td_stall_event *event = &stalls->event[number];
	unsigned int targets = stalls->tids_nr ? stalls->tids_nr : 1;
	unsigned int cpu, i, opened = stalls->fds_nr;
	int ret = 0;

	for (cpu = 0; cpu < stalls->cpus_nr; cpu++) {
		if (!td_pmu_has(event->pmu, stalls->cpus[cpu]))
			continue;
		for (i = 0; i < targets && (!i || !event->wide); i++) {
			ret = td_open_one(stalls, number, stalls->tids_nr ? stalls->tids[i] : -1,
					  cpu);
			/* A thread that has ended has no more samples. */
			if (ret && ret != -ESRCH) {
				event->error = -ret;
				return;
			}
		}
	}
	if (stalls->fds_nr == opened)
		event->error = ret ? -ret : ENODEV;
}

/* What becomes of processes, and the ring that all events of the CPU write to. */
static int td_open_changes(struct topdown_stalls *stalls, unsigned int cpu, int tid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = TD_CHANGE_TYPE,
		.inherit = tid >= 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = td_perf_event_open(&attr, tid, stalls->cpus[cpu], -1);

	if (fd < 0)
		return fd;
	if (!td_grow(&stalls->changes_fds, stalls->changes_fds_nr, &stalls->changes_fds_room,
		     sizeof(fd))) {
		close(fd);
		return -ENOMEM;
	}
	stalls->changes_fds[stalls->changes_fds_nr++] = fd;
	if (stalls->ring_fds[cpu] < 0) {
		stalls->ring_fds[cpu] = fd;
		return td_ring_open(&stalls->rings[cpu], fd);
	}
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, stalls->ring_fds[cpu]) ? -errno : 0;
}

static int td_open_rings(struct topdown_stalls *stalls)
{
	unsigned int cpu, i;
	int ret = 0;

	for (cpu = 0; cpu < stalls->cpus_nr && !ret; cpu++) {
		if (!stalls->tids_nr)
			ret = td_open_changes(stalls, cpu, -1);
		for (i = 0; i < stalls->tids_nr && !ret; i++) {
			ret = td_open_changes(stalls, cpu, stalls->tids[i]);
			if (ret == -ESRCH && stalls->ring_fds[cpu] >= 0)
				ret = 0;
		}
	}
	return ret;
}

/*
 * Events that need one register take turns, the others are always counted. If there are only so
 * many counters, each event has a turn.
 */
static void td_give_turns(struct topdown_stalls *stalls)
{
	unsigned int used[TD_STALL_EVENTS_MAX] = { 0 }, i, turn, need;
	bool taken[TD_STALL_EVENTS_MAX][2] = { 0 };
	unsigned int together = stalls->options.together;

	stalls->turns = 1;
	for (i = 0; i < stalls->events_nr; i++) {
		struct td_stall_event *event = &stalls->event[i];
		bool small = !strcmp(event->pmu, "cpu_atom");
		bool exclusive = event->spec->exclusive != TD_REGISTER_NONE;

		if (event->error || td_is_ibs(event) || (!exclusive && !together))
			continue;
		need = event->leader_config ? 2 : 1;
		for (turn = 0; turn < TD_STALL_EVENTS_MAX - 1; turn++) {
			if (!(exclusive && taken[turn][small]) &&
			    (!together || !used[turn] || used[turn] + need <= together))
				break;
		}
		used[turn] += need;
		taken[turn][small] |= exclusive;
		event->turn = turn;
		if (turn + 1 > stalls->turns)
			stalls->turns = turn + 1;
	}
}

static void td_find_rests(struct topdown_stalls *stalls)
{
	unsigned int i;

	stalls->all_rest = true;
	for (i = 0; i < stalls->events_nr; i++) {
		if (stalls->event[i].error)
			continue;
		stalls->some_rest |= stalls->event[i].rests;
		stalls->all_rest &= stalls->event[i].rests;
	}
}

/* As many descriptors as this process may have. */
static void td_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int td_compare_ids(const void *left, const void *right)
{
	const struct td_stall_fd *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

int td_stalls_open_events(struct topdown_stalls *stalls)
{
	bool waits = stalls->options.flags & TOPDOWN_STALLS_EXEC;
	unsigned int i, good = 0;
	int ret;

	td_raise_limit();
	ret = td_open_rings(stalls);
	if (ret)
		return ret;
	td_give_turns(stalls);
	for (i = 0; i < stalls->events_nr; i++) {
		if (!stalls->event[i].error)
			td_open_event(stalls, i);
		good += !stalls->event[i].error;
	}
	if (!good)
		return -stalls->event[0].error;
	qsort(stalls->fds, stalls->fds_nr, sizeof(stalls->fds[0]), td_compare_ids);
	/* Those that sample whole CPUs do not see the program being executed. */
	for (i = 0; i < stalls->fds_nr; i++) {
		struct td_stall_event *event = &stalls->event[stalls->fds[i].event];

		if (event->error || (waits && !event->wide && stalls->tids_nr) || event->turn > 0)
			continue;
		ioctl(stalls->fds[i].leader >= 0 ? stalls->fds[i].leader : stalls->fds[i].fd,
		      PERF_EVENT_IOC_ENABLE, 0);
	}
	td_find_rests(stalls);
	stalls->turn_ns = td_clock_ns(CLOCK_MONOTONIC);
	stalls->turn_length_ns = TD_TURN_MIN_NS;
	stalls->stretch_ns = stalls->turn_ns;
	stalls->stretch_length_ns = TD_STRETCH_MIN_NS;
	return 0;
}

static void td_switch(const struct td_stall_fd *fd, bool on)
{
	ioctl(fd->leader >= 0 ? fd->leader : fd->fd,
	      on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* The events of a turn, but for those that rest; -1: those that are always counted. */
void td_stalls_turn(struct topdown_stalls *stalls, int turn, bool on)
{
	unsigned int i;

	for (i = 0; i < stalls->fds_nr; i++) {
		const struct td_stall_event *event = &stalls->event[stalls->fds[i].event];

		if (event->turn == turn && !(event->rests && stalls->resting))
			td_switch(&stalls->fds[i], on);
	}
}

/* The events of this turn that rest, or rest no longer, and those that are always counted. */
void td_stalls_rest(struct topdown_stalls *stalls, bool rest)
{
	unsigned int i;

	for (i = 0; i < stalls->fds_nr; i++) {
		const struct td_stall_event *event = &stalls->event[stalls->fds[i].event];

		if (event->rests && (event->turn < 0 || event->turn == (int)stalls->turn))
			td_switch(&stalls->fds[i], !rest);
	}
	stalls->resting = rest;
}

void td_stalls_close_events(struct topdown_stalls *stalls)
{
	unsigned int i;

	for (i = 0; i < stalls->cpus_nr; i++)
		td_ring_close(&stalls->rings[i]);
	for (i = 0; i < stalls->fds_nr; i++) {
		close(stalls->fds[i].fd);
		if (stalls->fds[i].leader >= 0)
			close(stalls->fds[i].leader);
	}
	for (i = 0; i < stalls->changes_fds_nr; i++)
		close(stalls->changes_fds[i]);
}
