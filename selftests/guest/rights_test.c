// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of rights.  The group of the device may open it.  A process may see
 * system-wide figures if perf would let it count a CPU.  Each case is a process
 * that really has those credentials and capabilities.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"

#define NOBODY		65534
#define GROUP		990
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define TRUST		"/sys/module/topdown/parameters/trust_device"

/* A process was allowed these, one bit each. */
#define MAY_OPEN	1
#define MAY_INFO	2
#define MAY_READ	4
#define MAY_MAP		8
#define MAY_WATCH	16
/* INFO says TOPDOWN_INFO_MAY_READ. */
#define SAYS_MAY_READ	32
/* A refusal had another reason than EACCES. */
#define ODD		64

#define NODE_ONLY	(MAY_OPEN | MAY_INFO)
#define ALL		(NODE_ONLY | MAY_READ | MAY_MAP | MAY_WATCH | SAYS_MAY_READ)

/* A process may follow these. */
#define FOLLOWS_ITSELF	1
#define FOLLOWS_OTHERS	2

struct who {
	unsigned int uid;
	unsigned int gid;
	cap_value_t cap;
	bool has_cap;
	bool userns;
};

static int number_of(const char *path)
{
	FILE *file = fopen(path, "re");
	int number = -100;

	if (file) {
		if (fscanf(file, "%d", &number) != 1)
			number = -100;
		fclose(file);
	}
	return number;
}

static void write_to(const char *path, const char *text)
{
	int ret = file_write(path, 0, text);

	if (ret)
		fprintf(stderr, "%s: %s\n", path, strerror(-ret));
}

static int allowed(int ret, int bit)
{
	if (!ret)
		return bit;
	return ret == -EACCES ? 0 : ODD;
}

static int try_map(int fd)
{
	struct topdown_info info;
	void *map;

	if (device_info(fd, &info))
		return -EINVAL;
	map = mmap(NULL, info.out_map_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	munmap(map, info.out_map_size);
	return 0;
}

static int try_watch(int fd)
{
	struct topdown_watch watch = {
		.size = sizeof(watch), .node = TOPDOWN_WATCH_ANY,
		.event_size = sizeof(struct topdown_event),
	};

	return ioctl(fd, TOPDOWN_WATCH, &watch) ? -errno : 0;
}

/* At once, and read() says why; whoever may watch could wait. */
static int try_wait(int fd)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	struct topdown_event event;

	if (poll(&poller, 1, 0) < 0)
		return -errno;
	if (!(poller.revents & POLLERR))
		return 0;
	return read(fd, &event, sizeof(event)) < 0 ? -errno : -EINVAL;
}

static int what_may_fd(int fd)
{
	struct topdown_record record;
	struct topdown_info info;
	int may = MAY_OPEN;

	may |= allowed(device_info(fd, &info), MAY_INFO);
	if (may & MAY_INFO && info.out_flags & TOPDOWN_INFO_MAY_READ)
		may |= SAYS_MAY_READ;
	may |= allowed(device_read_cpu(fd, 0, 0, &record), MAY_READ);
	/* A fresh reading needs the same right. */
	if (!device_read_cpu(fd, TOPDOWN_READ_FRESH, 0, &record) != !!(may & MAY_READ))
		may |= ODD;
	may |= allowed(try_map(fd), MAY_MAP);
	may |= allowed(try_watch(fd), MAY_WATCH);
	if (allowed(try_wait(fd), MAY_WATCH) != (may & MAY_WATCH))
		may |= ODD;
	return may;
}

static int what_may_open(void)
{
	int fd = device_open();
	int may;

	if (fd < 0)
		return allowed(fd, 0);
	may = what_may_fd(fd);
	close(fd);
	return may;
}

static int take_capability(cap_value_t value)
{
	cap_t caps = cap_init();
	int ret = -1;

	if (caps && !cap_set_flag(caps, CAP_PERMITTED, 1, &value, CAP_SET) &&
	    !cap_set_flag(caps, CAP_EFFECTIVE, 1, &value, CAP_SET))
		ret = cap_set_proc(caps);
	cap_free(caps);
	return ret;
}

static int become(const struct who *who)
{
	if (setgroups(0, NULL) || prctl(PR_SET_KEEPCAPS, 1) ||
	    setresgid(who->gid, who->gid, who->gid) ||
	    setresuid(who->uid, who->uid, who->uid))
		return -1;
	if (who->userns && unshare(CLONE_NEWUSER))
		return -1;
	if (who->userns)
		return 0;
	return who->has_cap ? take_capability(who->cap) : cap_set_proc(cap_init());
}

/* Return: the bits of a process of that kind; -1 if there could be no such process. */
static int may(const struct who *who)
{
	int status, pid = fork();

	if (!pid) {
		if (who && become(who))
			_exit(255);
		_exit(what_may_open());
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

FIXTURE(rights) {
	struct stat node;
	int paranoid;
	char text[16];
};

FIXTURE_SETUP(rights)
{
	ASSERT_EQ(0, stat(TD_DEVICE, &self->node));
	self->paranoid = number_of(PARANOID);
	snprintf(self->text, sizeof(self->text), "%d", self->paranoid);
	write_to(PARANOID, "2");
	ASSERT_EQ(0, chown(TD_DEVICE, 0, GROUP));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0660));
}

FIXTURE_TEARDOWN(rights)
{
	write_to(PARANOID, self->text);
	write_to(TRUST, "N");
	ASSERT_EQ(0, chown(TD_DEVICE, self->node.st_uid, self->node.st_gid));
	ASSERT_EQ(0, chmod(TD_DEVICE, self->node.st_mode & 07777));
}

TEST_F(rights, root_may_do_all)
{
	EXPECT_EQ(ALL, may(NULL));
}

TEST_F(rights, others_may_do_nothing)
{
	struct who who = { .uid = NOBODY, .gid = NOBODY };

	EXPECT_EQ(0, may(&who));
	/* A capability for figures does not open a node. */
	who = (struct who){ .uid = NOBODY, .gid = NOBODY, .has_cap = true, .cap = CAP_PERFMON };
	EXPECT_EQ(0, may(&who));
}

TEST_F(rights, the_group_may_open_the_node)
{
	const struct who who = { .uid = NOBODY, .gid = GROUP };

	EXPECT_EQ(NODE_ONLY, may(&who));
}

TEST_F(rights, cap_perfmon_gives_all_rights)
{
	const struct who who = { .uid = NOBODY, .gid = GROUP, .has_cap = true, .cap = CAP_PERFMON };

	EXPECT_EQ(ALL, may(&who));
}

TEST_F(rights, cap_sys_admin_gives_all_rights)
{
	const struct who who = { .uid = NOBODY, .gid = GROUP, .has_cap = true,
				 .cap = CAP_SYS_ADMIN };

	EXPECT_EQ(ALL, may(&who));
}

TEST_F(rights, other_capabilities_give_no_right)
{
	static const cap_value_t caps[] = { CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_NET_ADMIN,
					    CAP_BPF, CAP_SYS_RAWIO };
	struct who who = { .uid = NOBODY, .gid = GROUP, .has_cap = true };
	unsigned int i;

	for (i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		who.cap = caps[i];
		EXPECT_EQ(NODE_ONLY, may(&who)) {
			TH_LOG("capability %d", caps[i]);
		}
	}
}

/* Root of a user namespace of one's own is not root. */
TEST_F(rights, root_of_a_user_namespace_is_not_root)
{
	const struct who who = { .uid = NOBODY, .gid = GROUP, .userns = true };
	int seen = may(&who);

	if (seen == -1)
		SKIP(return, "no user namespaces");
	EXPECT_EQ(NODE_ONLY, seen);
}

TEST_F(rights, rights_are_as_perf_is_set)
{
	const struct who who = { .uid = NOBODY, .gid = GROUP };
	static const char * const values[] = { "3", "2", "1", "0", "-1" };
	unsigned int i;

	for (i = 0; i < 5; i++) {
		write_to(PARANOID, values[i]);
		if (number_of(PARANOID) != atoi(values[i]))
			continue;
		EXPECT_EQ(atoi(values[i]) > 0 ? NODE_ONLY : ALL, may(&who)) {
			TH_LOG("perf_event_paranoid %s", values[i]);
		}
	}
}

TEST_F(rights, trust_device_lets_the_group_read)
{
	const struct who inside = { .uid = NOBODY, .gid = GROUP };
	const struct who outside = { .uid = NOBODY, .gid = NOBODY };

	write_to(TRUST, "Y");
	EXPECT_EQ(ALL, may(&inside));
	EXPECT_EQ(0, may(&outside));
	write_to(TRUST, "N");
	EXPECT_EQ(NODE_ONLY, may(&inside));
}

/* The rights are those at the time when the descriptor was opened, whether more or fewer. */
TEST_F(rights, a_descriptor_keeps_its_rights)
{
	const struct who who = { .uid = NOBODY, .gid = NOBODY };
	int fd = device_open(), status, pid;

	ASSERT_LE(0, fd);
	pid = fork();
	if (!pid)
		_exit(become(&who) ? 255 : what_may_fd(fd));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(ALL, WEXITSTATUS(status));
	close(fd);
}

TEST_F(rights, a_descriptor_gets_no_rights_later)
{
	const struct who who = { .uid = NOBODY, .gid = GROUP };
	int pair[2], fd, pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork();
	if (!pid)
		_exit(become(&who) ? 255 : !fd_send(pair[1], device_open()));
	fd = fd_receive(pair[0]);
	waitpid(pid, NULL, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(NODE_ONLY, what_may_fd(fd));
	close(fd);
}

/* Try to follow the caller itself, another process, and a kernel thread. */
static int what_may_follow(int fd)
{
	int own = device_attach(fd, 0, 0), other = device_attach(fd, TOPDOWN_ATTACH_CHILDREN, 1);
	int thread = device_attach(fd, TOPDOWN_ATTACH_THREAD, 1);
	bool others = other > 0, threads = thread > 0;

	if (own <= 0 || others != threads)
		return ODD;
	if (others)
		return device_attach(fd, 0, 2) == -EOPNOTSUPP ? FOLLOWS_OTHERS : ODD;
	return other == -EACCES && thread == -EACCES ? FOLLOWS_ITSELF : ODD;
}

/* @fd: a descriptor that was opened by somebody else, or -1 to open one. */
static int may_follow(const struct who *who, int fd)
{
	int status, pid = fork();

	if (!pid) {
		if (become(who))
			_exit(255);
		_exit(what_may_follow(fd < 0 ? device_open() : fd));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* perf asks for CAP_PERFMON at every level, and it is the caller's that counts. */
TEST_F(rights, following_others_needs_cap_perfmon)
{
	const struct who member = { .uid = NOBODY, .gid = GROUP };
	struct who capable = { .uid = NOBODY, .gid = GROUP, .has_cap = true, .cap = CAP_PERFMON };
	int fd = device_open();

	ASSERT_LE(0, fd);
	write_to(PARANOID, "-1");
	write_to(TRUST, "Y");
	EXPECT_EQ(FOLLOWS_ITSELF, may_follow(&member, -1));
	EXPECT_EQ(FOLLOWS_ITSELF, may_follow(&member, fd));
	EXPECT_EQ(FOLLOWS_OTHERS, may_follow(&capable, -1));
	EXPECT_EQ(FOLLOWS_OTHERS, may_follow(&capable, fd));
	capable.cap = CAP_SYS_PTRACE;
	EXPECT_EQ(FOLLOWS_ITSELF, may_follow(&capable, fd));
	close(fd);
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
