// SPDX-License-Identifier: GPL-2.0
/*
 * The rights that this process has and lacks.
 *
 * The module asks perf whether the process that opened the node may count a whole CPU. This
 * file only explains the answer.
 */
#include "rights.h"

#include <stdio.h>
#include <sys/capability.h>

#include "message.h"

#define PARANOID_FILE	"/proc/sys/kernel/perf_event_paranoid"

static bool has_capability(cap_t caps, cap_value_t cap)
{
	cap_flag_value_t value;

	return !cap_get_flag(caps, cap, CAP_EFFECTIVE, &value) && value == CAP_SET;
}

/**
 * rights_perfmon - whether this process has the capability for whole CPUs
 *
 * Return: true with CAP_PERFMON or CAP_SYS_ADMIN, as perfmon_capable() has it.
 */
bool rights_perfmon(void)
{
	cap_t caps = cap_get_proc();
	bool capable;

	if (!caps)
		return false;
	capable = has_capability(caps, CAP_PERFMON) || has_capability(caps, CAP_SYS_ADMIN);
	cap_free(caps);
	return capable;
}

/**
 * rights_paranoid - read kernel.perf_event_paranoid
 * @value: the value
 *
 * Return: false if it cannot be read.
 */
bool rights_paranoid(int *value)
{
	FILE *file = fopen(PARANOID_FILE, "re");
	int n;

	if (!file)
		return false;
	n = fscanf(file, "%d", value);
	fclose(file);
	return n == 1;
}

/**
 * rights_explain - say which rights are needed and which exist
 * @what: reading whole CPUs; reading owners, which trust_device does not allow; or following
 *	tasks of others, for which only the capability counts
 */
void rights_explain(enum rights_what what)
{
	static const char * const subjects[] = {
		[RIGHTS_CPUS] = "reading whole CPUs needs",
		[RIGHTS_OWNERS] = "reading processes or cgroups of all users needs",
		[RIGHTS_TASKS] = "group 'topdown' is enough for 'topdown stat -- COMMAND'; following other tasks needs",
	};
	char paranoid[32] = "not readable here";
	int value;

	if (rights_perfmon()) {
		message_error("this process has CAP_PERFMON or CAP_SYS_ADMIN, but not where perf looks for it: a user namespace or a security module may be in the way");
		return;
	}
	if (what == RIGHTS_TASKS) {
		message_error("%s CAP_PERFMON (this process lacks it), whatever kernel.perf_event_paranoid and the module's parameter trust_device are",
			      subjects[what]);
		return;
	}
	if (rights_paranoid(&value))
		snprintf(paranoid, sizeof(paranoid), "it is %d", value);
	message_error("%s CAP_PERFMON (this process lacks it), or kernel.perf_event_paranoid at 0 or less (%s), %s",
		      subjects[what], paranoid, what == RIGHTS_CPUS ?
		      "or the module's parameter trust_device=1" :
		      "whatever the module's parameter trust_device is");
}
