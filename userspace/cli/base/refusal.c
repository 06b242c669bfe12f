// SPDX-License-Identifier: GPL-2.0
/*
 * The device refuses: which object, why, and what to do.
 */
#include "refusal.h"

#include <errno.h>
#include <string.h>

#include "message.h"
#include "rights.h"

static const char *open_advice(int error)
{
	switch (error) {
	case ENOENT:
		return "load the module with 'modprobe topdown'; the kernel log says why it fails";
	case EACCES:
	case EPERM:
		return REFUSAL_NO_GROUP;
	case ENXIO:
		return "the node is a left-over: load the module with 'modprobe topdown'";
	case ENOTTY:
		return "it is not a character device, so not the node of the topdown module";
	case ENODEV:
		return "it is a device, but not that of a loaded topdown module";
	case EPROTO:
		return "its answer is invalid: module and library do not match";
	default:
		return "the kernel log may say more";
	}
}

/**
 * refusal_open - say why the device cannot be opened
 * @path: the node
 * @error: errno
 *
 * Return: the exit code.
 */
int refusal_open(const char *path, int error)
{
	return message_fail(EXIT_DEVICE, "cannot open %s: %s (%s)", path, strerror(error),
			    open_advice(error));
}

/**
 * refusal_read - say why the CPUs cannot be read
 * @path: the node
 * @error: errno
 *
 * Return: the exit code.
 */
int refusal_read(const char *path, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		message_error("cannot read the CPUs through %s: %s", path, strerror(error));
		rights_explain(RIGHTS_CPUS);
		return EXIT_DEVICE;
	case ENOTTY:
	case EOPNOTSUPP:
		return message_fail(EXIT_DEVICE, "cannot read the CPUs through %s: %s (the loaded module is older than this command: 'topdown info' shows both versions)",
				    path, strerror(error));
	default:
		return message_fail(EXIT_RUNTIME, "cannot read the CPUs through %s: %s (the kernel log may say more)",
				    path, strerror(error));
	}
}

static int attach_denied(const char *path, const char *what, int error)
{
	message_error("cannot follow %s through %s: %s", what, path, strerror(error));
	rights_explain(RIGHTS_TASKS);
	return EXIT_DEVICE;
}

static const char *attach_advice(int error)
{
	switch (error) {
	case ESRCH:
		return "it has ended; or it is a thread, which 'topdown stat -t' follows";
	case ENOSPC:
		return "at most 64 sessions of a thread and 4096 in all; "
		       "without CAP_PERFMON 64 of a user, on 16384 threads, and 48 of a thread";
	case EMFILE:
		return "each followed task is an open file: raise 'ulimit -n'";
	case ENOTTY:
	case EOPNOTSUPP:
		return "the loaded module is older than this command: see 'topdown info'; "
		       "or it is a kernel thread, which is not followed";
	default:
		return "the kernel log may say more";
	}
}

/**
 * refusal_attach - say why a task cannot be followed
 * @path: the node
 * @what: the task
 * @error: errno
 *
 * Return: the exit code.
 */
int refusal_attach(const char *path, const char *what, int error)
{
	if (error == EACCES || error == EPERM)
		return attach_denied(path, what, error);
	message_error("cannot follow %s through %s: %s (%s)", what, path, strerror(error),
		      attach_advice(error));
	return error == ENOTTY || error == EOPNOTSUPP ? EXIT_DEVICE : EXIT_RUNTIME;
}

/**
 * refusal_owners - say why processes or cgroups cannot be read
 * @path: the node
 * @error: errno
 *
 * Return: the exit code.
 */
int refusal_owners(const char *path, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		message_error("cannot read owners through %s: %s", path, strerror(error));
		rights_explain(RIGHTS_OWNERS);
		return EXIT_DEVICE;
	case ENOTTY:
	case EOPNOTSUPP:
		return message_fail(EXIT_DEVICE, "%s: this module or kernel has no owners ('topdown info' shows the module's version: load the module of this version; cgroups need a kernel with CONFIG_CGROUP_PERF)",
				    path);
	default:
		return message_fail(EXIT_RUNTIME, "cannot read owners through %s: %s (the kernel log may say more)",
				    path, strerror(error));
	}
}

/**
 * refusal_session - say why a followed task cannot be read
 * @path: the node
 * @error: errno
 *
 * Return: the exit code.
 */
int refusal_session(const char *path, int error)
{
	return message_fail(EXIT_RUNTIME, "cannot read the followed tasks through %s: %s (the kernel log may say more)",
			    path, strerror(error));
}
