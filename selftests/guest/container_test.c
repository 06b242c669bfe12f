// SPDX-License-Identifier: GPL-2.0
/*
 * Containers see what is theirs.  Runtimes give uid 0 of the machine to a container, without the
 * capabilities, and /sys.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"

#define PERSON		70000
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

/* The answer for both files of figures; -EPROTO if they differ. */
static int figures_read(void)
{
	int ret = file_read(TD_SYSFS "/cpu0");

	return file_read(TD_SYSFS "/total") == ret ? ret : -EPROTO;
}

static int events_read(void)
{
	return file_read(TD_SYSFS "/events/cpu0");
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
TEST_F(container, root_needs_capabilities)
{
	ASSERT_EQ(0, figures_read());
	ASSERT_EQ(0, events_read());
	EXPECT_EQ(-EACCES, as_user(0, 0, figures_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, events_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, period_change));
	EXPECT_EQ(0, period_change());
}

static int loaded_with(const char *params)
{
	int ret = module_unload();

	return ret ? ret : module_load(params);
}

/* Whom the administrator lets in by parameters needs no capability, and nobody else gets in. */
TEST_F_TIMEOUT(container, parameters_let_in_whom_they_name, 60)
{
	ASSERT_EQ(0, loaded_with("sysfs_gid=990"));
	EXPECT_EQ(0, as_user(PERSON, GROUP, figures_read));
	EXPECT_EQ(-EACCES, as_user(PERSON, GROUP, events_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, figures_read));
	EXPECT_EQ(-EACCES, as_user(PERSON, PERSON, figures_read));
	ASSERT_EQ(0, loaded_with("sysfs_uid=70000"));
	EXPECT_EQ(0, as_user(PERSON, PERSON, figures_read));
	EXPECT_EQ(-EACCES, as_user(PERSON, PERSON, events_read));
	EXPECT_EQ(0, as_user(PERSON, PERSON, period_change));
	EXPECT_EQ(-EACCES, as_user(0, 0, figures_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, period_change));
	ASSERT_EQ(0, loaded_with("sysfs_mode=0444"));
	EXPECT_EQ(0, as_user(PERSON, PERSON, figures_read));
	EXPECT_EQ(0, as_user(0, 0, figures_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, events_read));
	EXPECT_EQ(-EACCES, as_user(0, 0, period_change));
	ASSERT_EQ(0, loaded_with(""));
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
