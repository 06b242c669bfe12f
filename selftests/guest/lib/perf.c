// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the PMU topdown, as a perf user opens them.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf.h"

int perf_type(void)
{
	FILE *file = fopen(PERF_DEVICE "type", "r");
	int type;

	if (!file)
		return -errno;
	if (fscanf(file, "%d", &type) != 1)
		type = -EPROTO;
	fclose(file);
	return type;
}

int perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group, unsigned long flags)
{
	struct perf_event_attr whole = *attr;
	int type = perf_type(), fd;

	if (type < 0)
		return type;
	whole.type = type;
	whole.size = sizeof(whole);
	fd = syscall(SYS_perf_event_open, &whole, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int perf_user_open(struct perf_user *user, int pid, int cpu, unsigned long flags)
{
	struct perf_event_attr attr = {
		.read_format	= PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				  PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_guest	= 1,
	};
	unsigned int i;

	for (i = 0; i < PERF_EVENTS; i++) {
		attr.config = i;
		attr.disabled = !i;
		user->fd[i] = perf_open(&attr, pid, cpu, i ? user->fd[0] : -1, flags);
		if (user->fd[i] < 0) {
			int ret = user->fd[i];

			while (i)
				close(user->fd[--i]);
			return ret;
		}
	}
	return 0;
}

int perf_user_enable(const struct perf_user *user, bool enable)
{
	int ret = ioctl(user->fd[0], enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			PERF_IOC_FLAG_GROUP);

	return ret ? -errno : 0;
}

int perf_user_read(const struct perf_user *user, struct perf_values *values)
{
	ssize_t n = read(user->fd[0], values, sizeof(*values));

	if (n < 0)
		return -errno;
	return n == sizeof(*values) && values->nr == PERF_EVENTS ? 0 : -EPROTO;
}

void perf_user_close(struct perf_user *user)
{
	unsigned int i;

	for (i = PERF_EVENTS; i > 0; i--)
		close(user->fd[i - 1]);
}

void perf_values_sub(struct perf_values *values, const struct perf_values *earlier)
{
	unsigned int i;

	values->enabled -= earlier->enabled;
	values->running -= earlier->running;
	for (i = 0; i < PERF_EVENTS; i++)
		values->value[i] -= earlier->value[i];
}

const char *perf_wrong(const struct perf_values *values, const struct td_bd_truth *truth,
		       double points, double share)
{
	double node[TRUTH_NODES], slots = values->value[PERF_SLOTS], ratio;
	static char text[160];
	unsigned int i;

	if (values->running > values->enabled || values->running < 0.999 * values->enabled) {
		snprintf(text, sizeof(text), "enabled for %llu ns, running for %llu",
			 (unsigned long long)values->enabled, (unsigned long long)values->running);
		return text;
	}
	if (!truth->slots || fabs(slots / truth->slots - 1) > share) {
		snprintf(text, sizeof(text), "%.0f slots, not %llu", slots,
			 (unsigned long long)truth->slots);
		return text;
	}
	backdoor_truth_nodes(truth, node);
	for (i = 0; i < TRUTH_NODES; i++) {
		ratio = values->value[PERF_NODE(i)] / slots;
		if (fabs(ratio - node[i]) * 100 > points) {
			snprintf(text, sizeof(text), "node %u: %.3f%%, not %.3f%%", i,
				 100 * ratio, 100 * node[i]);
			return text;
		}
	}
	return NULL;
}
