// SPDX-License-Identifier: GPL-2.0
/*
 * A command that is run in order to be measured. It attaches itself through the descriptor
 * that it inherits, before it executes the program. So no process needs a right over
 * another one, and no part of the program is missed.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "report.h"

/**
 * struct word - the message of a child before it executes the command
 * @error: errno, 0 for none
 * @session: the session that it made, if there is no error
 * @time_ns: CLOCK_MONOTONIC of the message
 */
struct word {
	int error;
	uint32_t session;
	uint64_t time_ns;
};

/**
 * command_prepare - remember the signals that the command shall inherit
 * @command: command
 * @argv: its name and arguments, NULL-terminated
 *
 * Call this before this process blocks or ignores any signal.
 */
void command_prepare(struct command *command, char **argv)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };

	command->argv = argv;
	sigprocmask(SIG_SETMASK, NULL, &command->mask);
	sigaction(SIGPIPE, NULL, &command->pipe);
	/* A process that ignores SIGCHLD cannot learn how its child ended. */
	sigaction(SIGCHLD, &plain, &command->child);
}

static void say(int fd, int error, uint32_t session)
{
	struct word word = {
		.error = error,
		.session = session,
		.time_ns = clock_now_ns(),
	};

	/* A parent that has gone needs no answer. */
	if (write(fd, &word, sizeof(word)) != sizeof(word))
		_exit(EXIT_RUNTIME);
}

/* This is in the child. Its second word says that the program cannot be executed. */
static void become(const struct command *command, struct topdown *td, unsigned int flags,
		   int fd)
{
	uint32_t session = 0;
	int ret = 0;

	if (td)
		ret = topdown_session_attach(td, 0, flags, &session);
	say(fd, -ret, session);
	if (ret)
		_exit(EXIT_DEVICE);
	sigaction(SIGPIPE, &command->pipe, NULL);
	sigaction(SIGCHLD, &command->child, NULL);
	sigprocmask(SIG_SETMASK, &command->mask, NULL);
	execvp(command->argv[0], command->argv);
	say(fd, errno, session);
	_exit(EXIT_NOT_FOUND);
}

static ssize_t hear(int fd, struct word *word)
{
	ssize_t len;

	do {
		len = read(fd, word, sizeof(*word));
	} while (len < 0 && errno == EINTR);
	return len;
}

static void reap(struct command *command, int *status)
{
	while (waitpid(command->pid, status, 0) < 0 && errno == EINTR)
		;
	command->pid = 0;
}

static int not_executed(const struct command *command, int error)
{
	report_error("cannot run '%s': %s", command->argv[0], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

/* There are two words at most. The pipe closes when the program is executed. */
static int await_program(struct command *command, const char *device, int fd)
{
	struct word word;

	if (hear(fd, &word) != sizeof(word)) {
		report_error("cannot run '%s': its process ended before it executed the program",
			     command->argv[0]);
		return EXIT_RUNTIME;
	}
	if (word.error)
		return report_attach(device, "the command", word.error);
	command->session = word.session;
	/* Our own clock would be late by the time in which we did not run. */
	command->start_ns = word.time_ns;
	if (hear(fd, &word) == sizeof(word))
		return not_executed(command, word.error);
	return 0;
}

static int cannot_start(const struct command *command)
{
	report_error("cannot start a process for '%s': %s", command->argv[0], strerror(errno));
	return EXIT_RUNTIME;
}

/**
 * command_start - run the command
 * @command: prepared command
 * @td: device, whose descriptor the session belongs to; NULL for no session
 * @device: its name, for messages
 * @flags: TOPDOWN_ATTACH_* of the session
 *
 * Return: 0 when the program is executed, or an exit code after a message.
 */
int command_start(struct command *command, struct topdown *td, const char *device,
		  unsigned int flags)
{
	int fds[2], status, ret;

	if (pipe2(fds, O_CLOEXEC))
		return cannot_start(command);
	command->pid = fork();
	if (!command->pid)
		become(command, td, flags, fds[1]);
	ret = command->pid < 0 ? cannot_start(command) : 0;
	close(fds[1]);
	if (!ret)
		ret = await_program(command, device, fds[0]);
	close(fds[0]);
	if (ret && command->pid > 0)
		reap(command, &status);
	if (ret)
		return ret;

	command->exited = syscall(SYS_pidfd_open, command->pid, 0);
	if (command->exited < 0) {
		/* The command runs by now, so let it end. */
		ret = cannot_start(command);
		reap(command, &status);
	}
	return ret;
}

/**
 * command_signal - hand on a signal
 * @command: running command
 * @signal: number
 */
void command_signal(const struct command *command, int signal)
{
	kill(command->pid, signal);
}

static uint64_t microseconds(const struct timeval *time)
{
	return time->tv_sec * 1000000ULL + time->tv_usec;
}

/**
 * command_times - look how much processor time the command has used
 * @command: command that has exited, and is not waited for yet
 */
void command_times(struct command *command)
{
	struct rusage usage = { 0 };
	siginfo_t info;

	/* The library's function has no room for the usage. */
	if (syscall(SYS_waitid, P_PID, command->pid, &info, WEXITED | WNOWAIT | WNOHANG, &usage))
		return;
	command->user_us = microseconds(&usage.ru_utime);
	command->system_us = microseconds(&usage.ru_stime);
}

/**
 * command_end - wait for the command
 * @command: running command
 *
 * Return: its exit code, as a shell has it.
 */
int command_end(struct command *command)
{
	int status = 0;

	reap(command, &status);
	close(command->exited);
	command->killed = WIFSIGNALED(status);
	if (command->killed)
		return EXIT_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status);
}
