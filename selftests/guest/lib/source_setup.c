// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "source_setup.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define SMT_CONTROL	"/sys/devices/system/cpu/smt/control"
#define SMT_ACTIVE	"/sys/devices/system/cpu/smt/active"

static bool saved_watchdog, saved_smt;

/* Does the file begin with @text?  One that is not there does not. */
static bool file_says(const char *path, const char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char line[32] = "";
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	return n > 0 && !strncmp(line, text, strlen(text));
}

bool setup_watchdog_is_on(void)
{
	return file_says(WATCHDOG, "1");
}

bool setup_smt_is_on(void)
{
	return file_says(SMT_ACTIVE, "1");
}

bool setup_smt_is_possible(void)
{
	return file_says(SMT_CONTROL, "on") || file_says(SMT_CONTROL, "off");
}

bool setup_watchdog(bool on)
{
	if (setup_watchdog_is_on() == on)
		return true;
	return !file_write(WATCHDOG, 0, on ? "1" : "0") && setup_watchdog_is_on() == on;
}

bool setup_smt(bool on)
{
	if (setup_smt_is_on() == on)
		return true;
	return !file_write(SMT_CONTROL, 0, on ? "on" : "off") && setup_smt_is_on() == on;
}

void setup_save(void)
{
	saved_watchdog = setup_watchdog_is_on();
	saved_smt = setup_smt_is_on();
}

void setup_restore(void)
{
	setup_smt(saved_smt);
	setup_watchdog(saved_watchdog);
}
