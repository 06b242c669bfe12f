// SPDX-License-Identifier: GPL-2.0
/*
 * What containers are told, and what a person gets who has many user ids.  Runtimes give uid 0 of
 * the machine to a container, without the capabilities, and /sys.  An entry of /etc/subuid gives a
 * person 65,536 ids in user namespaces.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"

/* Of a user, as uapi/linux/topdown.h has it.  A thread cannot have so many. */
#define OF_USER		64

#define PERSON		70000
#define SUBUIDS		100000
#define IDS		48
#define GROUP		990

/* A child says this to its parent. */
static int *said;

FIXTURE(container) {
	struct stat node;
};

FIXTURE_SETUP(container)
{
	said = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, said);
	ASSERT_EQ(0, stat(TD_DEVICE, &self->node));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
}

FIXTURE_TEARDOWN(container)
{
	chmod(TD_DEVICE, self->node.st_mode & 07777);
}

/* 0, or a negative errno. */
static int file_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	char text[4096];

	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static const char * const figures[] = {
	TD_SYSFS "/cpu0", TD_SYSFS "/total", TD_SYSFS "/events/cpu0",
};

/* The answer for all files of figures; -EPROTO if they differ. */
static int figures_read(void)
{
	int ret = file_read(figures[0]);
	unsigned int i;

	for (i = 1; i < 3; i++) {
		if (file_read(figures[i]) != ret)
			return -EPROTO;
	}
	return ret;
}

/* As a container's root or another user, without capabilities; the answer of @what. */
static int as_user(unsigned int uid, unsigned int gid, int (*what)(void))
{
	int pid = fork(), status;

	if (!pid) {
		if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid) ||
		    cap_set_proc(cap_init()))
			_exit(1);
		*said = what();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -EIO;
	return *said;
}

static int period_change(void)
{
	return period_set("1000");
}

/* Root in a container reads no figures and sets no period, though the files are root's. */
TEST_F(container, root_without_capabilities)
{
	ASSERT_EQ(0, figures_read());
	EXPECT_EQ(-EACCES, as_user(0, 0, figures_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, period_change));
	EXPECT_EQ(0, period_change());
}

static int loaded_with(const char *params)
{
	int ret = module_unload();

	return ret ? ret : module_load(params);
}

/* Whom the administrator lets in by parameters needs no capability, and nobody else gets in. */
TEST_F_TIMEOUT(container, opened_by_the_administrator, 60)
{
	ASSERT_EQ(0, loaded_with("sysfs_gid=990"));
	EXPECT_EQ(0, as_user(PERSON, GROUP, figures_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, figures_read));
	EXPECT_EQ(-EACCES, as_user(PERSON, PERSON, figures_read));
	ASSERT_EQ(0, loaded_with("sysfs_uid=70000"));
	EXPECT_EQ(0, as_user(PERSON, PERSON, figures_read));
	EXPECT_EQ(0, as_user(PERSON, PERSON, period_change));
	EXPECT_EQ(-EACCES, as_user(0, 0, figures_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, period_change));
	ASSERT_EQ(0, loaded_with("sysfs_mode=0444"));
	EXPECT_EQ(0, as_user(PERSON, PERSON, figures_read));
	EXPECT_EQ(0, as_user(0, 0, figures_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, period_change));
	ASSERT_EQ(0, loaded_with(""));
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

/* The sessions that the first ids of the caller's user namespace get together. */
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

/* newuidmap, which is set-uid root, writes such a map for a person. */
static int map_write(int pid)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	snprintf(text, sizeof(text), "0 %d 1\n1 %d %d\n", PERSON, SUBUIDS, IDS);
	return file_write(path, 0, text);
}

/* All ids of a person have what one person has, and another person is not in the way. */
TEST_F_TIMEOUT(container, ids_of_a_person, 120)
{
	int ready[2], go[2], pid;
	char byte;

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
	ASSERT_EQ(0, map_write(pid));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_EQ(OF_USER, *said);
	/* The person has none left outside of the namespace either. */
	EXPECT_EQ(-ENOSPC, as_user(PERSON, PERSON, attach_one));
	EXPECT_LT(0, as_user(PERSON + 1, PERSON, attach_one));
	spin_stop(pid);
}

/* Root of a container: all that it can get.  It stays until the descriptor is closed. */
static int container_start(bool apart, int *answer)
{
	int ready[2], pid;
	char byte;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (apart && unshare(CLONE_NEWCGROUP))
			_exit(1);
		*said = holder_start(0) + holder_start(0);
		if (write(ready[1], "", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(ready[1]);
	*answer = read(ready[0], &byte, 1) == 1 ? *said : -EIO;
	close(ready[0]);
	return pid;
}

/* Containers without user namespaces have the same uid 0, and each has its own quota. */
TEST_F_TIMEOUT(container, containers_do_not_share, 60)
{
	int pid[3], answer, i;

	pid[0] = container_start(false, &answer);
	EXPECT_EQ(OF_USER, answer);
	pid[1] = container_start(false, &answer);
	EXPECT_EQ(0, answer);
	pid[2] = container_start(true, &answer);
	EXPECT_EQ(OF_USER, answer);
	for (i = 0; i < 3; i++)
		spin_stop(pid[i]);
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
