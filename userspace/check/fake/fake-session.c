// SPDX-License-Identifier: GPL-2.0
/*
 * The sessions of the stand-in for the kernel.  Each is a file in memory, which can be
 * handed on, and what is known of it is in memory that a forked child shares.  Whether a
 * task lives, and whether it has executed a program, /proc says; what it used is one step
 * more at each fresh reading, as for CPUs.
 *
 *   FAKE_LOG           file to which each ATTACH, CONTROL and WATCH is written, and each close
 *   FAKE_SESSIONS      most sessions at once (1024)
 *   FAKE_SESSION_STATE state of all sessions
 *   FAKE_MERGED        percent of the on-CPU time that was merged (0)
 *   FAKE_INCOMPLETE    a new thread could not be followed
 *   FAKE_DROPPED       tasks that dropped out (0)
 *   FAKE_HYBRID        half of the time is on E-cores
 *   FAKE_SESSION_STEPS steps of a fresh reading (1)
 *   FAKE_ASLEEP        tasks are never on a CPU
 *   FAKE_SHARES_BAD    what is wrong with a session's map: a number of break_layout()
 *   FAKE_SHARES_BUSY   the shares are being written for ever
 *   FAKE_ATTACH_ERRNO, FAKE_SESSION_ERRNO
 *   FAKE_OTHERS_ERRNO  of ATTACH to others than the caller
 */
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "metrics.h"

#define SESSIONS_MAX	4096

/* A session that counts before the program is executed shows so many steps in every figure. */
#define STEPS_TOO_EARLY	1000

struct session {
	ino_t file;
	int pid;
	unsigned int flags;
	uint64_t steps;
	bool disabled;
	bool detached;
	/* poll() waits for its end, as long as that was not told. */
	bool awaited;
};

static struct sessions {
	unsigned int nr;
	unsigned int used;
	char program[PATH_MAX];
	struct session session[SESSIONS_MAX];
} *sessions;

static void read_program(int pid, char program[PATH_MAX])
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	len = syscall(SYS_readlink, link, program, PATH_MAX - 1);
	program[len > 0 ? len : 0] = '\0';
}

void fake_sessions_begin(void)
{
	sessions = (void *)syscall(SYS_mmap, NULL, sizeof(*sessions), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	read_program(getpid(), sessions->program);
}

static void take_down(const char *what, int subject, unsigned int value)
{
	const char *name = getenv("FAKE_LOG");
	FILE *file = name ? fopen(name, "ae") : NULL;

	if (!file)
		return;
	fprintf(file, "%s %d %#x\n", what, subject, value);
	fclose(file);
}

/* Does the task live?  Without TOPDOWN_ATTACH_THREAD it has to be the first of its process. */
static bool is_there(int pid, unsigned int flags)
{
	if (flags & TOPDOWN_ATTACH_THREAD)
		return !syscall(SYS_tkill, pid, 0);
	return !syscall(SYS_tgkill, pid, pid, 0);
}

static int attach_error(const struct topdown_attach *arg)
{
	unsigned int flags = arg->flags;

	if (!(setting("FAKE_FEATURES", 7) & TOPDOWN_FEATURE_SESSION))
		return -ENOTTY;
	if (flags & ~TD_ATTACH_FLAGS)
		return -EOPNOTSUPP;
	if (arg->__reserved || arg->pid < 0)
		return -EINVAL;
	if (flags & TOPDOWN_ATTACH_THREAD &&
	    flags & (TOPDOWN_ATTACH_CHILDREN | TOPDOWN_ATTACH_PIDFD))
		return -EINVAL;
	if (flags & TOPDOWN_ATTACH_ON_EXEC && !(flags & TOPDOWN_ATTACH_DISABLED))
		return -EINVAL;
	if (setting("FAKE_ATTACH_ERRNO", 0))
		return -setting("FAKE_ATTACH_ERRNO", 0);
	if (arg->pid && !is_there(arg->pid, flags))
		return -ESRCH;
	if (arg->pid && setting("FAKE_OTHERS_ERRNO", 0))
		return -setting("FAKE_OTHERS_ERRNO", 0);
	if (sessions->used >= setting("FAKE_SESSIONS", 1024))
		return -ENOSPC;
	return 0;
}

static int file_of(int fd, struct stat *st)
{
	return syscall(SYS_fstat, fd, st);
}

int fake_attach(const struct topdown_attach *arg)
{
	int error = attach_error(arg), fd;
	struct session *session;
	struct stat st;

	take_down("attach", arg->pid, arg->flags);
	if (error)
		return refuse(-error);
	fd = memfd_create("session", MFD_CLOEXEC);
	if (fd < 0 || file_of(fd, &st))
		return -1;
	session = &sessions->session[sessions->nr++];
	session->file = st.st_ino;
	session->pid = arg->pid ? arg->pid : getpid();
	session->flags = arg->flags;
	session->disabled = arg->flags & TOPDOWN_ATTACH_DISABLED;
	session->steps = arg->pid || session->disabled ? 0 : STEPS_TOO_EARLY;
	sessions->used++;
	return fd;
}

/* The session of a descriptor, from 0; -1 for another file. */
int fake_session_of(int fd)
{
	struct stat st;
	unsigned int i;

	if (!sessions || !sessions->nr || file_of(fd, &st))
		return -1;
	for (i = sessions->nr; i-- > 0;) {
		if (sessions->session[i].file == st.st_ino)
			return i;
	}
	return -1;
}

bool fake_session_is_view(int fd)
{
	return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

void fake_session_closed(int fd)
{
	int number = fake_session_of(fd);

	if (number < 0 || fake_session_is_view(fd) || sessions->session[number].detached)
		return;
	take_down("close", number + 1, 0);
	sessions->session[number].detached = true;
	sessions->used--;
}

static bool has_exited(int pid)
{
	char path[64], state = 'X';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'X';
	fclose(file);
	return state == 'Z' || state == 'X';
}

static void look_for_program(struct session *session)
{
	char program[PATH_MAX];

	if (!session->disabled || !(session->flags & TOPDOWN_ATTACH_ON_EXEC))
		return;
	read_program(session->pid, program);
	session->disabled = !strcmp(program, sessions->program);
}

static unsigned int session_state(const struct session *session)
{
	if (session->detached)
		return TOPDOWN_SESSION_STATE_DETACHED;
	if (has_exited(session->pid))
		return TOPDOWN_SESSION_STATE_EXITED;
	return session->disabled ? TOPDOWN_SESSION_STATE_DISABLED : TOPDOWN_SESSION_STATE_RUNNING;
}

/* A hybrid machine has half of the steps on each kind, others have all on the only one. */
static void put_kinds(struct topdown_session *arg, int number, uint64_t steps)
{
	const uint64_t hybrid[TD_NR_KINDS] = { 0, steps / 2, steps - steps / 2 };
	const uint64_t plain[TD_NR_KINDS] = { steps };
	struct topdown_session_kind one;
	char *to;
	size_t size;

	if (arg->nr_kinds > TD_NR_KINDS)
		arg->nr_kinds = TD_NR_KINDS;
	arg->out_nr_kinds = TD_NR_KINDS;
	for (one.kind = 0; one.kind < arg->nr_kinds; one.kind++) {
		memset((char *)&one + sizeof(one.kind), 0, sizeof(one) - sizeof(one.kind));
		FAKE_GROWN(&one);
		one.level = arg->out_level;
		one.source = arg->out_source;
		fill_counts(&one.figures, number,
			    (getenv("FAKE_HYBRID") ? hybrid : plain)[one.kind]);
		size = arg->kind_size < sizeof(one) ? arg->kind_size : sizeof(one);
		to = (char *)(uintptr_t)arg->kinds + (size_t)one.kind * arg->kind_size;
		memcpy(to, &one, size);
		memset(to + size, 0, arg->kind_size - size);
	}
}

/* @arg: fields that the caller does not set are 0. */
int fake_session(int fd, struct topdown_session *arg)
{
	int number = fake_session_of(fd);
	struct session *session = &sessions->session[number];
	uint64_t steps;

	if (arg->flags & ~TD_SESSION_FLAGS)
		return refuse(EOPNOTSUPP);
	if (arg->out_state || arg->out_time_ns ||
	    (arg->kinds ? arg->kind_size < FAKE_KIND_SIZE_MIN : arg->nr_kinds || arg->kind_size))
		return refuse(EINVAL);
	if (setting("FAKE_SESSION_ERRNO", 0))
		return refuse(setting("FAKE_SESSION_ERRNO", 0));

	FAKE_GROWN(arg);
	look_for_program(session);
	if (arg->flags & TOPDOWN_SESSION_FRESH && !session->disabled)
		session->steps += setting("FAKE_SESSION_STEPS", 1);
	steps = getenv("FAKE_ASLEEP") ? 0 : session->steps;
	arg->out_state = setting("FAKE_SESSION_STATE", session_state(session));
	arg->out_serial = number + 1;
	arg->out_flags = getenv("FAKE_INCOMPLETE") ? TOPDOWN_SESSION_OUT_INCOMPLETE : 0;
	arg->out_dropped = setting("FAKE_DROPPED", 0);
	if (arg->out_dropped)
		arg->out_flags |= TOPDOWN_SESSION_OUT_INCOMPLETE;
	arg->out_source = setting("FAKE_SOURCE", TOPDOWN_SOURCE_PERF_METRICS);
	arg->out_level = setting("FAKE_LEVEL", 2);
	arg->out_time_ns = now_ns();
	arg->out_switches = steps * 7;
	fill_counts(&arg->out_figures, number, steps);
	put_kinds(arg, number, steps);
	arg->out_merged_ns = arg->out_figures.enabled_ns / 100 * setting("FAKE_MERGED", 0);
	return 0;
}

static void break_layout(struct topdown_session_map *map)
{
	long bad = setting("FAKE_SHARES_BAD", 0);

	if (bad == 1)
		map->magic++;
	else if (bad == 2)
		map->size = 0;
	else if (bad == 3)
		map->header_size--;
	else if (bad == 4)
		map->nr_cpus = 0;
	else if (bad == 5)
		map->nr_cpus = 100;
	else if (bad == 6)
		map->share_offset = 16;
	else if (bad == 7)
		map->share_stride = 336;
	else if (bad == 8)
		map->share_size = 336;
	else if (bad == 9)
		map->share_offset += 4;
	else if (bad == 10)
		map->nr_kinds = 0;
	else if (bad == 11)
		map->nr_kinds = 100;
}

/* Two CPUs with two steps each, both of level 2, and one without any. */
static void fill_shares(struct topdown_session_map *map, uint32_t number)
{
	struct topdown_share *share;
	struct topdown_figures figures = { .slots = 0 };
	unsigned int i;

	*map = (struct topdown_session_map) {
		.magic		= TOPDOWN_SESSION_MAP_MAGIC,
		.size		= FAKE_SESSION_MAP_SIZE,
		.header_size	= sizeof(*map),
		.nr_cpus	= 3,
		.share_offset	= 2048,
		.share_stride	= 384,
		.share_size	= sizeof(*share),
		.nr_kinds	= TD_NR_KINDS,
		.serial		= number,
		.state		= TOPDOWN_SESSION_STATE_RUNNING,
		.tasks		= 1,
	};
	for (i = 0; i < 2; i++) {
		share = (void *)((char *)map + map->share_offset + i * map->share_stride);
		share->seq = setting("FAKE_SHARES_BUSY", 0) && i;
		share->level = 2;
		share->nodes = fake_nodes();
		share->source = TOPDOWN_SOURCE_PERF_METRICS;
		share->switches = 10;
		share->merged_ns = 100;
		fill_counts(&figures, 0, 2);
		td_figures_get(&share->sums, &figures);
	}
	break_layout(map);
}

void *fake_session_map(size_t size, int fd)
{
	void *map;

	map = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map != MAP_FAILED)
		fill_shares(map, fake_session_of(fd) + 1);
	return map;
}

static int make_view(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

int fake_control(int fd, const struct topdown_control *arg)
{
	int number = fake_session_of(fd);
	struct session *session = &sessions->session[number];

	take_down("control", number + 1, arg->action);
	if (arg->flags)
		return refuse(EOPNOTSUPP);
	if (fake_session_is_view(fd))
		return refuse(EBADF);
	if (arg->__reserved || arg->action > TOPDOWN_CONTROL_VIEW)
		return refuse(EINVAL);
	switch (arg->action) {
	case TOPDOWN_CONTROL_ENABLE:
	case TOPDOWN_CONTROL_DISABLE:
		session->disabled = arg->action == TOPDOWN_CONTROL_DISABLE;
		break;
	case TOPDOWN_CONTROL_VIEW:
		return make_view(fd);
	}
	return 0;
}

void fake_session_await(int fd)
{
	sessions->session[fake_session_of(fd)].awaited = true;
}

/* Whether a session has ended for which somebody waits. @once: do not say so again. */
bool fake_sessions_tell(bool once)
{
	unsigned int i;

	for (i = 0; i < sessions->nr; i++) {
		struct session *session = &sessions->session[i];

		if (session->awaited && !session->detached && has_exited(session->pid)) {
			session->awaited = !once;
			return true;
		}
	}
	return false;
}
