// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sampling of stalls: open, the next record, close.
 */
#include "stalls.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "stall-decode.h"

#define TD_NS_PER_MS		1000000
#define TD_OPTIONS_SIZE_MIN	32
#define TD_EVENT_INFO_SIZE_MIN	136
#define TD_CHANGE_SIZE_MIN	64
#define TD_ONLINE		"/sys/devices/system/cpu/online"

static int td_online(uint64_t *cpus)
{
	char text[4096];

	if (!td_read_line(TD_ONLINE, text, sizeof(text)))
		return -errno;
	return topdown_cpus_parse(text, cpus, TOPDOWN_CPUS_WORDS_MAX, NULL);
}

static int td_take_cpus(struct topdown_stalls *stalls, const uint64_t *wanted, unsigned int words)
{
	uint64_t cpus[TOPDOWN_CPUS_WORDS_MAX] = { 0 };
	unsigned int cpu;
	size_t room = 0;
	int ret = td_online(cpus);

	for (cpu = 0; !ret && cpu < TOPDOWN_CPUS_WORDS_MAX * 64; cpu++) {
		if (!td_has_cpu(cpus, cpu))
			continue;
		if (wanted && (cpu / 64 >= words || !td_has_cpu(wanted, cpu)))
			continue;
		if (!td_grow(&stalls->cpus, stalls->cpus_nr, &room, sizeof(cpu)))
			return -ENOMEM;
		stalls->cpus[stalls->cpus_nr++] = cpu;
	}
	if (ret)
		return ret;
	if (!stalls->cpus_nr)
		return -EINVAL;
	stalls->rings = calloc(stalls->cpus_nr, sizeof(stalls->rings[0]));
	stalls->ring_fds = malloc(stalls->cpus_nr * sizeof(int));
	if (!stalls->rings || !stalls->ring_fds)
		return -ENOMEM;
	for (cpu = 0; cpu < stalls->cpus_nr; cpu++)
		stalls->ring_fds[cpu] = -1;
	return 0;
}

static int td_take_threads(struct topdown_stalls *stalls)
{
	size_t room = 0;
	struct dirent *entry;
	char path[32];
	DIR *dir;
	int tid, ret = 0;

	if (!stalls->options.pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task", stalls->options.pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!ret && (entry = readdir(dir))) {
		tid = atoi(entry->d_name);
		if (tid <= 0)
			continue;
		if (!td_grow(&stalls->tids, stalls->tids_nr, &room, sizeof(tid)))
			ret = -ENOMEM;
		else
			stalls->tids[stalls->tids_nr++] = tid;
	}
	closedir(dir);
	return ret ? ret : stalls->tids_nr ? 0 : -ESRCH;
}

static int td_first_pid(struct topdown_stalls *stalls)
{
	if (!stalls->options.pid)
		return 0;
	if (!td_grow(&stalls->pids, 0, &stalls->pids_room, sizeof(stalls->pids[0])))
		return -ENOMEM;
	stalls->pids[stalls->pids_nr++] = stalls->options.pid;
	return 0;
}

static int td_check_options(struct topdown_stall_options *options)
{
	const uint32_t flags = TOPDOWN_STALLS_USER | TOPDOWN_STALLS_CHAINS | TOPDOWN_STALLS_MAPS |
			       TOPDOWN_STALLS_EXEC | TOPDOWN_STALLS_REST_SMALL |
			       TOPDOWN_STALLS_REST;

	if (!options->rate)
		options->rate = TOPDOWN_STALLS_RATE;
	if (options->flags & ~flags || options->rate > TOPDOWN_STALLS_RATE_MAX ||
	    options->pid < 0 || options->reserved[0] || options->reserved[1])
		return -EINVAL;
	return 0;
}

TD_API int topdown_stalls_open(struct topdown_stalls **out, const uint64_t *cpus,
			       unsigned int words, const struct topdown_stall_options *options,
			       size_t size)
{
	struct topdown_stalls *stalls;
	int ret;

	if (size < TD_OPTIONS_SIZE_MIN)
		return -EINVAL;
	stalls = calloc(1, sizeof(*stalls));
	if (!stalls)
		return -ENOMEM;
	td_copy_sized(&stalls->options, sizeof(stalls->options), options, size);
	ret = td_check_options(&stalls->options);
	if (!ret)
		ret = td_take_cpus(stalls, cpus, words);
	if (!ret)
		ret = td_take_threads(stalls);
	if (!ret)
		ret = td_first_pid(stalls);
	if (!ret)
		ret = td_stalls_find_events(stalls);
	if (!ret)
		ret = td_stalls_open_events(stalls);
	if (ret) {
		topdown_stalls_close(stalls);
		return ret;
	}
	*out = stalls;
	return 0;
}

TD_API void topdown_stalls_close(struct topdown_stalls *stalls)
{
	if (!stalls)
		return;
	if (stalls->rings)
		td_stalls_close_events(stalls);
	td_stalls_forget(stalls);
	free(stalls->queue);
	free(stalls->changes);
	free(stalls->fds);
	free(stalls->changes_fds);
	free(stalls->cpus);
	free(stalls->rings);
	free(stalls->ring_fds);
	free(stalls->tids);
	free(stalls->pids);
	free(stalls);
}

TD_API void topdown_stalls_stop(struct topdown_stalls *stalls)
{
	td_stalls_turn(stalls, stalls->turn, false);
	/* Those without a turn have -1. */
	td_stalls_turn(stalls, -1, false);
	stalls->stopped = true;
}

/* While all events rest, nobody has a turn. */
static bool td_turns_stand_still(const struct topdown_stalls *stalls)
{
	return stalls->resting && stalls->all_rest;
}

/* Begin or end a rest. Lengths by the golden ratio are spread evenly, however few there are. */
static void td_change_stretch(struct topdown_stalls *stalls, uint64_t now_ns)
{
	if (!stalls->some_rest || stalls->stopped ||
	    now_ns < stalls->stretch_ns + stalls->stretch_length_ns)
		return;
	if (td_turns_stand_still(stalls))
		stalls->turn_ns += now_ns - stalls->stretch_ns;
	td_stalls_rest(stalls, !stalls->resting);
	stalls->stretch_ns = now_ns;
	if (stalls->resting)
		stalls->stretch_length_ns += TD_REST_LONGER_NS;
	else
		stalls->stretch_length_ns = TD_STRETCH_MIN_NS + ++stalls->stretch * 30901699ULL %
					    TD_STRETCH_JITTER_NS;
}

/*
 * The records of a turn are read and handed over after its end and before the next one: to work
 * them up takes time, which the program may lose, and that is nobody's turn.
 */
static void td_end_turn(struct topdown_stalls *stalls, uint64_t now_ns)
{
	if (stalls->stopped || stalls->turns < 2 || td_turns_stand_still(stalls) ||
	    now_ns < stalls->turn_ns + stalls->turn_length_ns)
		return;
	td_stalls_turn(stalls, stalls->turn, false);
	stalls->between = true;
	stalls->took_ns[stalls->turn] = now_ns - stalls->turn_ns;
	stalls->change_ns = td_clock_ns(CLOCK_MONOTONIC) - now_ns;
}

static void td_begin_turn(struct topdown_stalls *stalls)
{
	uint64_t from_ns = td_clock_ns(CLOCK_MONOTONIC), length_ns;

	stalls->between = false;
	stalls->turn = (stalls->turn + 1) % stalls->turns;
	if (!stalls->stopped)
		td_stalls_turn(stalls, stalls->turn, true);
	stalls->turn_ns = td_clock_ns(CLOCK_MONOTONIC);
	length_ns = (stalls->change_ns + stalls->turn_ns - from_ns) * TD_TURN_COST;
	stalls->turn_length_ns = length_ns < TD_TURN_MIN_NS ? TD_TURN_MIN_NS :
				 length_ns < TD_LOOK_NS ? length_ns : TD_LOOK_NS;
}

/* Until the turn ends; the kernel wakes us up only when there is much to read, so not for long. */
static uint64_t td_look_ns(const struct topdown_stalls *stalls, uint64_t now_ns)
{
	uint64_t end_ns = now_ns + TD_LOOK_NS, rest_ns = stalls->stretch_ns +
							 stalls->stretch_length_ns;

	if (stalls->stopped)
		return TD_LOOK_NS;
	if (stalls->turns > 1 && !td_turns_stand_still(stalls))
		end_ns = stalls->turn_ns + stalls->turn_length_ns;
	if (stalls->some_rest && rest_ns < end_ns)
		end_ns = rest_ns;
	return end_ns > now_ns ? end_ns - now_ns : 0;
}

static int td_wait(struct topdown_stalls *stalls, uint64_t until_ns)
{
	uint64_t now_ns = td_clock_ns(CLOCK_MONOTONIC);
	uint64_t left = until_ns > now_ns ? until_ns - now_ns : 0;
	uint64_t longest = td_look_ns(stalls, now_ns);
	struct pollfd *fds;
	unsigned int i;
	int ret;

	if (left > longest)
		left = longest;
	fds = malloc(stalls->cpus_nr * sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	for (i = 0; i < stalls->cpus_nr; i++)
		fds[i] = (struct pollfd){ .fd = stalls->ring_fds[i], .events = POLLIN };
	ret = poll(fds, stalls->cpus_nr, (left + TD_NS_PER_MS - 1) / TD_NS_PER_MS);
	/* After the end of the last task poll() returns at once. */
	for (i = 0; ret > 0 && i < stalls->cpus_nr; i++) {
		if (fds[i].revents & POLLHUP) {
			ret = usleep(left / 1000);
			break;
		}
	}
	free(fds);
	return ret < 0 ? -errno : 0;
}

TD_API int topdown_stalls_next(struct topdown_stalls *stalls, int timeout_ms,
			       struct topdown_stall *out, size_t size)
{
	uint64_t now_ns = td_clock_ns(CLOCK_MONOTONIC), until_ns = UINT64_MAX;
	int ret;

	if (size < TD_STALL_SIZE_MIN)
		return -EINVAL;
	if (timeout_ms >= 0)
		until_ns = now_ns + (uint64_t)timeout_ms * TD_NS_PER_MS;
	if (stalls->queue_at)
		free(stalls->queue[stalls->queue_at - 1].chain);
	while (stalls->queue_at == stalls->queue_nr) {
		if (stalls->between) {
			td_begin_turn(stalls);
		} else {
			td_change_stretch(stalls, now_ns);
			td_end_turn(stalls, now_ns);
		}
		ret = td_stalls_drain(stalls);
		if (ret)
			return ret;
		if (stalls->queue_nr)
			break;
		if (stalls->between)
			td_begin_turn(stalls);
		if (now_ns >= until_ns)
			return -EAGAIN;
		ret = td_wait(stalls, until_ns);
		if (ret)
			return ret;
		now_ns = td_clock_ns(CLOCK_MONOTONIC);
	}
	td_copy_sized(out, size, &stalls->queue[stalls->queue_at++].stall,
		      sizeof(struct topdown_stall));
	return 0;
}

TD_API unsigned int topdown_stalls_chain(const struct topdown_stalls *stalls, const __u64 **ips)
{
	const struct td_stall_entry_read *entry;

	if (!stalls->queue_at)
		return 0;
	entry = &stalls->queue[stalls->queue_at - 1];
	*ips = entry->chain;
	return entry->chain_nr;
}

TD_API int topdown_stalls_map_next(struct topdown_stalls *stalls, struct topdown_stalls_map *out,
				   size_t size, const char **name)
{
	const struct td_stall_change *change;

	if (size < TD_CHANGE_SIZE_MIN)
		return -EINVAL;
	if (stalls->changes_at) {
		free(stalls->changes[stalls->changes_at - 1].name);
		stalls->changes[stalls->changes_at - 1].name = NULL;
	}
	if (stalls->changes_at == stalls->changes_nr) {
		stalls->changes_at = 0;
		stalls->changes_nr = 0;
		return -EAGAIN;
	}
	change = &stalls->changes[stalls->changes_at++];
	*name = change->name;
	td_copy_sized(out, size, &change->map, sizeof(change->map));
	return 0;
}

/*
 * The times of all its descriptors. An event of a thread and a CPU waits, enabled, while the
 * thread is on another CPU.
 */
static void td_add_times(const struct topdown_stalls *stalls, unsigned int number,
			 struct topdown_stalls_event *info)
{
	struct {
		uint64_t value;
		uint64_t enabled_ns;
		uint64_t running_ns;
	} times;
	unsigned int nr = 0, i;

	for (i = 0; i < stalls->fds_nr; i++) {
		if (stalls->fds[i].event != number ||
		    read(stalls->fds[i].fd, &times, sizeof(times)) != sizeof(times))
			continue;
		info->counted += times.value;
		info->enabled_ns += times.enabled_ns;
		info->running_ns += times.running_ns;
		nr++;
	}
	if (stalls->tids_nr && !stalls->event[number].wide && nr > stalls->tids_nr)
		info->enabled_ns /= nr / stalls->tids_nr;
}

TD_API int topdown_stalls_event_get(const struct topdown_stalls *stalls, unsigned int number,
				    struct topdown_stalls_event *out, size_t size)
{
	struct topdown_stalls_event info = { 0 };
	const struct td_stall_event *event;

	if (size < TD_EVENT_INFO_SIZE_MIN)
		return -EINVAL;
	if (number >= stalls->events_nr)
		return -ENOENT;
	event = &stalls->event[number];
	snprintf(info.name, sizeof(info.name), "%s", event->spec->name);
	snprintf(info.pmu, sizeof(info.pmu), "%s", event->pmu);
	info.nodes = event->spec->nodes;
	info.samples = event->samples;
	info.role = event->spec->role;
	info.error = event->error;
	info.turns = event->turn < 0 ? 1 : stalls->turns;
	info.precise = event->precise || event->attr.layout;
	info.user = event->user && !(stalls->options.flags & TOPDOWN_STALLS_USER);
	td_add_times(stalls, number, &info);
	td_copy_sized(out, size, &info, sizeof(info));
	return 0;
}

TD_API uint64_t topdown_stalls_lost(const struct topdown_stalls *stalls)
{
	return stalls->lost;
}

TD_API uint64_t topdown_stalls_throttled(const struct topdown_stalls *stalls)
{
	return stalls->throttled;
}
