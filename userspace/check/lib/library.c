// SPDX-License-Identifier: GPL-2.0
/*
 * Opening libtopdown with the node that fake/fake.c answers for, and what INFO says.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

static void test_open(void)
{
	struct topdown *const untouched = (struct topdown *)1;
	struct topdown *td = untouched;

	check(topdown_open(&td, "/dev/null") == -ENODEV, "/dev/null is -ENODEV");
	check(topdown_open(&td, "/proc/self/status") == -ENOTTY, "a file is -ENOTTY");
	check(topdown_open(&td, "/none") == -ENOENT, "nothing is -ENOENT");
	setenv("FAKE_OPEN_ERRNO", "13", 1);
	check(topdown_open(&td, NODE) == -EACCES, "no rights is -EACCES");
	unsetenv("FAKE_OPEN_ERRNO");
	setenv("FAKE_INFO_ERRNO", "25", 1);
	check(topdown_open(&td, NODE) == -ENODEV, "no INFO is -ENODEV");
	unsetenv("FAKE_INFO_ERRNO");
	setenv("FAKE_INFO_RETURN", "7", 1);
	check(topdown_open(&td, NODE) == -EPROTO, "a positive answer is -EPROTO");
	unsetenv("FAKE_INFO_RETURN");
	setenv("FAKE_CPUS", "8193", 1);
	check(topdown_open(&td, NODE) == -EPROTO, "more CPUs than can be is -EPROTO");
	unsetenv("FAKE_CPUS");
	check(td == untouched, "the handle is untouched by errors");
	topdown_close(NULL);
}

static void test_descriptors(void)
{
	int before = dup(0), after, i;
	struct topdown *td = NULL;

	close(before);
	setenv("FAKE_INFO_ERRNO", "5", 1);
	for (i = 0; i < 100; i++)
		topdown_open(&td, NODE);
	unsetenv("FAKE_INFO_ERRNO");
	after = dup(0);
	close(after);
	check(before == after, "failed opens leave no descriptor");

	td = open_fake();
	check(td && fcntl(topdown_fd(td), F_GETFD) & FD_CLOEXEC, "the descriptor closes on exec");
	topdown_close(td);
}

static void test_info(void)
{
	struct topdown *td = open_fake();
	const struct topdown_info *info = topdown_info_get(td);

	check(info->out_level == 2 && !strcmp(info->out_version, "9.8.7"), "info is the module's");
	check(topdown_has(td, TOPDOWN_FEATURE_FRESH | TOPDOWN_FEATURE_TOTAL), "has both");
	check(!topdown_has(td, TOPDOWN_FEATURE_FRESH | 1ULL << 40), "has not both");
	setenv("FAKE_LEVEL", "1", 1);
	check(info->out_level == 2, "info stays as it was");
	check(!topdown_info_update(td) && info->out_level == 1, "info is new when it is updated");
	setenv("FAKE_INFO_ERRNO", "5", 1);
	setenv("FAKE_LEVEL", "2", 1);
	check(topdown_info_update(td) == -EIO && info->out_level == 1,
	      "a failed update changes nothing");
	unsetenv("FAKE_INFO_ERRNO");
	unsetenv("FAKE_LEVEL");
	topdown_close(td);
}

int main(void)
{
	ktap_begin(&ktap, 16);
	test_open();
	test_descriptors();
	test_info();
	return ktap_end(&ktap);
}
