// SPDX-License-Identifier: GPL-2.0
/*
 * Run a command and say what the whole machine did meanwhile.
 *
 *   counted [-1] COMMAND [ARG]...	until its end, or -1 until its first output
 *   counted -s COMMAND [ARG]...	its system calls
 *   counted -w MS			nothing for so long: the background
 *
 * Output of the command goes nowhere; its last words are shown if it fails.
 */
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define SYSCALL_STOP	(SIGTRAP | 0x80)

static int output = -1;

static pid_t start(char **command, bool traced)
{
	int pipes[2];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		die("no pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (pid) {
		close(pipes[1]);
		output = pipes[0];
		return pid;
	}
	dup2(pipes[1], STDOUT_FILENO);
	dup2(pipes[1], STDERR_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (traced) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
	}
	execvp(command[0], command);
	die("cannot run %s: %s", command[0], strerror(errno));
}

static char words[8192];

static size_t drain(size_t have)
{
	ssize_t n;

	for (;;) {
		n = read(output, words + have % 4096, 4096);
		if (n <= 0)
			return have;
		have += n;
	}
}

static void must_succeed(int status, const char *name)
{
	if (status)
		die("%s: status %#x: %.4096s", name, status, words);
}

/* Events of perf and ours among the descriptors of a process. */
static unsigned int descriptors(pid_t pid)
{
	char path[300], target[64];
	struct dirent *entry;
	unsigned int n = 0;
	ssize_t length;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = '\0';
		n += strstr(target, "perf_event") || !strcmp(target, TD_DEVICE);
	}
	if (dir)
		closedir(dir);
	return n;
}

static void run_until_output(char **command)
{
	struct counts before, after;
	struct pollfd wait = { .events = POLLIN };
	unsigned int fds;
	pid_t pid;

	counts_begin(&before);
	pid = start(command, false);
	wait.fd = output;
	if (poll(&wait, 1, -1) != 1 || !(wait.revents & POLLIN))
		die("%s says nothing", command[0]);
	counts_end(&after);
	fds = descriptors(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	counts_sub(&after, &before);
	counts_print(&after);
	printf(" descriptors=%u\n", fds);
}

static void run_to_end(char **command)
{
	struct counts before, after;
	int status;
	pid_t pid;

	counts_begin(&before);
	pid = start(command, false);
	drain(0);
	waitpid(pid, &status, 0);
	counts_end(&after);
	must_succeed(status, command[0]);
	counts_sub(&after, &before);
	counts_print(&after);
	putchar('\n');
}

static void run_nothing(unsigned int ms)
{
	struct counts before, after;

	counts_begin(&before);
	sleep_ms(ms);
	counts_end(&after);
	counts_sub(&after, &before);
	counts_print(&after);
	putchar('\n');
}

/* Entry and exit of a call each stop the process; other signals pass through. */
static void run_traced(char **command)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			     PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
	unsigned long stops = 0;
	pid_t pid, first;
	int status, sig;
	size_t have = 0;

	first = start(command, true);
	waitpid(first, &status, 0);
	ptrace(PTRACE_SETOPTIONS, first, 0, options);
	ptrace(PTRACE_SYSCALL, first, 0, 0);
	fcntl(output, F_SETFL, O_NONBLOCK);
	for (;;) {
		pid = waitpid(-1, &status, __WALL);
		if (pid < 0)
			die("lost %s: %s", command[0], strerror(errno));
		have = drain(have);
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (pid == first)
				break;
			continue;
		}
		sig = WSTOPSIG(status);
		stops += sig == SYSCALL_STOP;
		if (sig == SYSCALL_STOP || sig == SIGTRAP || sig == SIGSTOP)
			sig = 0;
		ptrace(PTRACE_SYSCALL, pid, 0, sig);
	}
	must_succeed(status, command[0]);
	printf("syscalls=%lu\n", stops / 2);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: counted [-1|-s] COMMAND [ARG]... | -w MS");
	if (cpu_pin(HOME_CPU))
		die("cannot run on CPU %d", HOME_CPU);
	if (!strcmp(argv[1], "-w"))
		run_nothing(strtoul(argv[2], NULL, 10));
	else if (!strcmp(argv[1], "-1"))
		run_until_output(argv + 2);
	else if (!strcmp(argv[1], "-s"))
		run_traced(argv + 2);
	else
		run_to_end(argv + 1);
	return 0;
}
