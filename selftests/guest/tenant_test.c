// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants and their quotas: a person with many user ids, and containers that root's runtime made.
 * An entry of /etc/subuid gives a person 65,536 ids in user namespaces.  All tenants may make
 * namespaces and cgroups within their own, and none gets more by that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "owner.h"

/* The limit of a user, as uapi/linux/topdown.h has it.  A thread cannot have so many. */
#define OF_USER		64

#define PERSON		70000
#define SUBUIDS		100000
#define IDS		48

/* Cgroups and namespaces that a hostile tenant makes, and tenants beside it. */
#define ESCAPES		1000
#define NEIGHBOURS	9

/* A child says this to its parent. */
static int *said;
/* The cgroup of the hostile tenant, which it may divide; "" without cgroups. */
static char tenant_cgroup[128];

FIXTURE(tenant) {
	struct stat node;
};

FIXTURE_SETUP(tenant)
{
	said = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, said);
	ASSERT_EQ(0, stat(TD_DEVICE, &self->node));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
}

FIXTURE_TEARDOWN(tenant)
{
	chmod(TD_DEVICE, self->node.st_mode & 07777);
}

/* As a container's root or another user, with these capabilities; the answer of @what. */
static int as_user_with(unsigned int uid, const char *caps, int (*what)(void))
{
	int pid = fork(), status;

	if (!pid) {
		if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
		    prctl(PR_SET_KEEPCAPS, 1) || setresuid(uid, uid, uid) ||
		    cap_set_proc(cap_from_text(caps)))
			_exit(1);
		*said = what();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -EIO;
	return *said;
}

static int as_user(unsigned int uid, int (*what)(void))
{
	return as_user_with(uid, "=", what);
}

/* How many sessions of itself the caller may have. */
static int attach_all(int fd)
{
	int n = 0, ret = 1;

	while (n <= 2 * OF_USER && ret > 0) {
		ret = device_attach(fd, TOPDOWN_ATTACH_THREAD, 0);
		n += ret > 0;
	}
	return ret == -ENOSPC ? n : ret;
}

static int attach_one(void)
{
	int fd = device_open();

	return fd < 0 ? fd : device_attach(fd, 0, 0);
}

/* A process that has as many sessions of itself as it may; their number.  It stays. */
static int holder_start(unsigned int id)
{
	int answer[2], n = -EIO, pid, fd;

	if (pipe(answer))
		return -errno;
	pid = fork();
	if (!pid) {
		if (setresuid(id, id, id) || cap_set_proc(cap_init()))
			_exit(3);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = device_open();
		n = fd < 0 ? fd : attach_all(fd);
		if (write(answer[1], &n, sizeof(n)) != sizeof(n))
			_exit(4);
		for (;;)
			pause();
	}
	close(answer[1]);
	if (pid < 0 || read(answer[0], &n, sizeof(n)) != sizeof(n))
		n = -EIO;
	close(answer[0]);
	return n;
}

/* The sessions that holders of the first ids of the caller's user namespace get together. */
static int holders_start(unsigned int ids)
{
	int sum = 0, n = 0;
	unsigned int i;

	for (i = 0; i < ids && n >= 0; i++) {
		n = holder_start(i);
		sum += n;
	}
	return n < 0 ? n : sum;
}

static int holders_of_root(void)
{
	int n = holder_start(0), more = holder_start(0);

	return n < 0 || more < 0 ? -EIO : n + more;
}

/* May a process have a session in namespaces of its own, one level further down? */
static int attach_inside(void)
{
	int pid = fork(), status;

	if (!pid) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWCGROUP))
			_exit(EPERM);
		pid = fork();
		if (!pid) {
			status = attach_one();
			_exit(status < 0 ? -status : 0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
			_exit(EIO);
		_exit(WEXITSTATUS(status));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -EIO;
	return -WEXITSTATUS(status);
}

/* All that a user gets, also by namespaces: OF_USER, or -EPROTO if namespaces give more. */
static int attach_inside_too(void)
{
	int n = holder_start(getuid()) + holder_start(getuid()), more = attach_inside();

	return more == -ENOSPC ? n : -EPROTO;
}

/* How many cgroups and namespaces within the tenant's own give one more session. */
static int escapes(void)
{
	char path[160];
	int ret, i, n = 0;

	for (i = 0; i < ESCAPES; i++) {
		snprintf(path, sizeof(path), "%s/%d", tenant_cgroup, i);
		if (*tenant_cgroup && (!cgroup_make(path) || !cgroup_enter(path, 0)))
			return -EIO;
		ret = attach_inside();
		if (ret && ret != -ENOSPC)
			return ret;
		n += !ret;
	}
	return n;
}

/* A hostile tenant: all ids, and then all namespaces and cgroups. */
static int hostile(void)
{
	int n = holders_start(IDS), more = n < 0 ? 0 : escapes();

	return more < 0 ? more : n + more;
}

/*
 * The first process of a container: says the answer of @what, and stays until its parent dies.
 * Outside of a user namespace it may change ids, as in Docker, and has no other capability.
 */
static void container_first(bool users, int (*what)(void), int ready)
{
	cap_t caps = cap_from_text("cap_setuid=ep");

	if (!users && (!caps || cap_set_proc(caps)))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	*said = what();
	if (write(ready, "", 1) != 1)
		_exit(2);
	for (;;)
		pause();
}

/* Be in these namespaces.  The parent maps the ids of a new user namespace. */
static int container_enter(int flags, int ready, int go)
{
	char byte;

	if (*tenant_cgroup && !cgroup_enter(tenant_cgroup, 0))
		return -EIO;
	if (unshare(flags))
		return -errno;
	if (!(flags & CLONE_NEWUSER))
		return 0;
	if (write(ready, "", 1) != 1 || read(go, &byte, 1) != 1)
		return -EIO;
	return setresgid(0, 0, 0) || setresuid(0, 0, 0) ? -errno : 0;
}

static int map_write(int pid, const char *which, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, which);
	return file_write(path, 0, text);
}

/*
 * Start a container as a runtime of root does, with these namespaces.  @map: the ids
 * of a user namespace, as in /proc/PID/uid_map.  @answer: the answer of @what, or -EIO.
 */
static int container_start(int flags, const char *map, int (*what)(void), int *answer)
{
	int ready[2], go[2], pid;
	bool begun = true;
	char byte;

	*answer = -EIO;
	if (pipe(ready) || pipe(go))
		return -1;
	pid = fork();
	if (!pid) {
		if (container_enter(flags, ready[1], go[0]))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!fork())
			container_first(flags & CLONE_NEWUSER, what, ready[1]);
		/* Else the parent would wait for a first process that died. */
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (flags & CLONE_NEWUSER)
		begun = read(ready[0], &byte, 1) == 1 && !map_write(pid, "uid_map", map) &&
			!map_write(pid, "gid_map", map) && write(go[1], "", 1) == 1;
	if (begun && read(ready[0], &byte, 1) == 1)
		*answer = *said;
	close(ready[0]);
	close(go[0]);
	close(go[1]);
	return pid;
}

/* All ids of a person have what one person has, and another person is not in the way. */
TEST_F_TIMEOUT(tenant, ids_of_a_person_share_a_quota, 120)
{
	int ready[2], go[2], pid;
	char byte, map[64];

	ASSERT_EQ(0, pipe(ready) | pipe(go));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setresgid(PERSON, PERSON, PERSON) || setresuid(PERSON, PERSON, PERSON) ||
		    prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
			_exit(1);
		if (write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(2);
		*said = holders_start(IDS);
		if (write(ready[1], "", 1) != 1)
			_exit(6);
		for (;;)
			pause();
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	/* newuidmap, which is set-uid root, writes such a map for a person. */
	snprintf(map, sizeof(map), "0 %d 1\n1 %d %d\n", PERSON, SUBUIDS, IDS);
	ASSERT_EQ(0, map_write(pid, "uid_map", map));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_EQ(OF_USER, *said);
	/* The person has none left outside of the namespace either. */
	EXPECT_EQ(-ENOSPC, as_user(PERSON, attach_one));
	EXPECT_LT(0, as_user(PERSON + 1, attach_one));
	spin_stop(pid);
}

/* PID namespaces of a person are no containers of root. */
TEST_F_TIMEOUT(tenant, namespaces_of_a_person_share_a_quota, 60)
{
	EXPECT_EQ(OF_USER, as_user(PERSON, attach_inside_too));
	EXPECT_EQ(OF_USER, as_user_with(PERSON, "cap_setfcap=ep", attach_inside_too));
}

/* Nor are those of a process that has root's id, but not root's capabilities. */
TEST_F_TIMEOUT(tenant, namespaces_of_id_0_share_a_quota, 60)
{
	EXPECT_EQ(OF_USER, as_user(0, attach_inside_too));
}

/* Containers without user namespaces have the same uid 0, and each has its own quota. */
TEST_F_TIMEOUT(tenant, containers_do_not_share, 60)
{
	int pid[4], answer, i;

	for (i = 0; i < 2; i++) {
		pid[i] = container_start(CLONE_NEWPID, NULL, holders_of_root, &answer);
		EXPECT_EQ(OF_USER, answer);
	}
	/* All without a PID namespace are one user: root. */
	pid[2] = container_start(0, NULL, holders_of_root, &answer);
	EXPECT_EQ(OF_USER, answer);
	pid[3] = container_start(CLONE_NEWCGROUP, NULL, holders_of_root, &answer);
	EXPECT_EQ(0, answer);
	for (i = 0; i < 4; i++)
		spin_stop(pid[i]);
}

/*
 * A container of root may have a user namespace and the machine's PID namespace.  PID namespaces
 * that it makes are no containers.
 */
TEST_F_TIMEOUT(tenant, containers_need_no_pid_namespace, 60)
{
	int pid[2], answer, i;

	for (i = 0; i < 2; i++) {
		pid[i] = container_start(CLONE_NEWUSER, i ? "0 400000 1000" : "0 300000 1000",
					 attach_inside_too, &answer);
		EXPECT_EQ(OF_USER, answer);
	}
	for (i = 0; i < 2; i++)
		spin_stop(pid[i]);
}

/* A cgroup that @uid may divide; false if there are no cgroups. */
static bool cgroup_delegate(unsigned int uid)
{
	const char *root = cgroup_root();
	char path[160];

	if (!root)
		return false;
	snprintf(tenant_cgroup, sizeof(tenant_cgroup), "%s/tenant", root);
	cgroup_make(tenant_cgroup);
	snprintf(path, sizeof(path), "%s/cgroup.procs", tenant_cgroup);
	return !chown(tenant_cgroup, uid, uid) && !chown(path, uid, uid);
}

static void cgroup_undo(void)
{
	char path[160];
	int i;

	for (i = 0; i < ESCAPES; i++) {
		snprintf(path, sizeof(path), "%s/%d", tenant_cgroup, i);
		if (!access(path, F_OK))
			cgroup_remove(path);
	}
	cgroup_remove(tenant_cgroup);
	*tenant_cgroup = '\0';
}

/* One container is hostile.  It gets what one may have, and so does each of the others. */
static int hostile_among(int flags, const char *map)
{
	int pid[NEIGHBOURS + 1], answer, wrong = 0, i;

	pid[0] = container_start(flags, map, hostile, &answer);
	if (answer != OF_USER)
		wrong = answer ?: -1;
	for (i = 1; i <= NEIGHBOURS; i++) {
		pid[i] = container_start(flags, map, holders_of_root, &answer);
		wrong = wrong ?: answer == OF_USER ? 0 : answer ?: -1;
	}
	for (i = 0; i <= NEIGHBOURS; i++)
		spin_stop(pid[i]);
	cgroup_undo();
	return wrong;
}

TEST_F_TIMEOUT(tenant, a_hostile_container_harms_no_other, 300)
{
	if (!cgroup_delegate(0))
		SKIP(return, "no cgroups");
	EXPECT_EQ(0, hostile_among(CLONE_NEWPID | CLONE_NEWCGROUP, NULL));
}

/* With the same ids in all containers, as runtimes map them unless each is given its own. */
TEST_F_TIMEOUT(tenant, shared_ids_help_no_hostile_container, 300)
{
	char map[64];

	if (!cgroup_delegate(SUBUIDS))
		SKIP(return, "no cgroups");
	snprintf(map, sizeof(map), "0 %d %d\n", SUBUIDS, IDS);
	EXPECT_EQ(0, hostile_among(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWCGROUP, map));
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
