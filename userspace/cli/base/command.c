// SPDX-License-Identifier: GPL-2.0
/*
 * A command that is run in order to be measured. It attaches itself through the descriptor
 * that it inherits, sends the session, and waits until it may execute the program. So no process
 * needs a right over another one, no part of the program is missed, and none runs if it cannot be
 * measured.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "refusal.h"
#include "ticker.h"

/**
 * struct word - the message of a child before it executes the command
 * @error: errno, 0 for none
 * @time_ns: CLOCK_MONOTONIC of the message
 */
struct word {
	int error;
	uint64_t time_ns;
};

/* Room for one descriptor beside a message. */
union passenger {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
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

/* @session: sent along, if it is not -1. */
static void say(int fd, int error, int session)
{
	struct word word = { .error = error, .time_ns = clock_now_ns() };
	struct iovec iov = { &word, sizeof(word) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
	union passenger passenger = {
		.header = {
			.cmsg_len = CMSG_LEN(sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		},
	};

	if (session >= 0) {
		memcpy(CMSG_DATA(&passenger.header), &session, sizeof(session));
		message.msg_control = &passenger;
		message.msg_controllen = sizeof(passenger);
	}
	/* A parent that has gone needs no answer. */
	if (sendmsg(fd, &message, MSG_NOSIGNAL) != sizeof(word))
		_exit(EXIT_RUNTIME);
}

/* A parent that has gone, or that cannot measure, closes its end. */
static bool may_go(int fd)
{
	char go;
	ssize_t len;

	do {
		len = read(fd, &go, sizeof(go));
	} while (len < 0 && errno == EINTR);
	return len == sizeof(go);
}

/*
 * This is in the child. Its second word says when it executes the program, and the third that it
 * cannot.
 */
static void become(const struct command *command, struct topdown *td, unsigned int flags,
		   int fd, int go)
{
	int session = -1, ret = 0;

	if (td)
		ret = topdown_session_attach(td, 0, flags, &session);
	say(fd, -ret, session);
	if (ret)
		_exit(EXIT_DEVICE);
	if (!may_go(go))
		_exit(EXIT_RUNTIME);
	/* A signal that has come meanwhile is for the program, as soon as it is not blocked. */
	say(fd, 0, -1);
	sigaction(SIGPIPE, &command->pipe, NULL);
	sigaction(SIGCHLD, &command->child, NULL);
	sigprocmask(SIG_SETMASK, &command->mask, NULL);
	execvp(command->argv[0], command->argv);
	say(fd, errno, -1);
	_exit(EXIT_NOT_FOUND);
}

/* @session: a descriptor that came along, or -1. */
static ssize_t hear(int fd, struct word *word, int *session)
{
	struct iovec iov = { word, sizeof(*word) };
	union passenger passenger;
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &passenger,
		.msg_controllen = sizeof(passenger),
	};
	ssize_t len;

	do {
		len = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	} while (len < 0 && errno == EINTR);
	*session = -1;
	if (len > 0 && CMSG_FIRSTHDR(&message))
		memcpy(session, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(*session));
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
	message_error("cannot run '%s': %s", command->argv[0], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

static int ended_early(const struct command *command)
{
	return message_fail(EXIT_RUNTIME,
			    "cannot run '%s': its process ended before it executed the program",
			    command->argv[0]);
}

/*
 * The process waits, or says why it cannot be measured.  A word comes without its descriptor when
 * we have too many.
 */
static int await_process(struct command *command, const char *device, bool session)
{
	struct word word = { 0 };

	if (hear(command->words, &word, &command->session) != sizeof(word))
		return ended_early(command);
	if (word.error)
		return refusal_attach(device, "the command", word.error);
	if (session && command->session < 0)
		return refusal_attach(device, "the command", EMFILE);
	return 0;
}

/* The socket closes when the program is executed. */
static int await_program(struct command *command)
{
	struct word word = { 0 };
	int none;

	if (hear(command->words, &word, &none) != sizeof(word))
		return ended_early(command);
	/* Our own clock would be late by the time in which we did not run. */
	command->start_ns = word.time_ns;
	if (hear(command->words, &word, &none) == sizeof(word))
		return not_executed(command, word.error);
	return 0;
}

static int cannot_start(const struct command *command)
{
	return message_fail(EXIT_RUNTIME, "cannot start a process for '%s': %s", command->argv[0],
			    strerror(errno));
}

/* Return: false with an errno. */
static bool fork_command(struct command *command, struct topdown *td, unsigned int flags)
{
	int words[2], go[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, words))
		return false;
	if (pipe2(go, O_CLOEXEC)) {
		error = errno;
		close(words[0]);
		close(words[1]);
		errno = error;
		return false;
	}
	command->pid = fork();
	if (!command->pid) {
		close(go[1]);
		become(command, td, flags, words[1], go[0]);
	}
	error = errno;
	close(words[1]);
	close(go[0]);
	command->words = words[0];
	command->go = go[1];
	if (command->pid > 0)
		return true;
	close(words[0]);
	close(go[1]);
	command->pid = 0;
	errno = error;
	return false;
}

/**
 * command_begin - start a process for the command, which waits
 * @command: prepared command
 * @td: device; NULL for no session
 * @device: its name, for messages
 * @flags: TOPDOWN_ATTACH_* of the session
 *
 * Return: 0 when the process waits for command_execute() or command_cancel(), or an exit code
 * after a message.
 */
int command_begin(struct command *command, struct topdown *td, const char *device,
		  unsigned int flags)
{
	int ret;

	if (!fork_command(command, td, flags))
		return cannot_start(command);
	command->exited = syscall(SYS_pidfd_open, command->pid, 0);
	ret = command->exited < 0 ? cannot_start(command) : await_process(command, device, td);
	if (ret)
		command_cancel(command);
	return ret;
}

/**
 * command_execute - let the process execute the program
 * @command: command after command_begin()
 *
 * Return: 0 when the program is executed, or an exit code after a message; then the process is
 * gone.
 */
int command_execute(struct command *command)
{
	int ret;

	/* If this fails the process has ended, and so it says nothing. */
	if (write(command->go, "", 1) != 1)
		ret = ended_early(command);
	else
		ret = await_program(command);
	if (ret) {
		command_cancel(command);
		return ret;
	}
	close(command->go);
	close(command->words);
	return 0;
}

/**
 * command_cancel - end the process without the program
 * @command: command after command_begin()
 */
void command_cancel(struct command *command)
{
	int status;

	close(command->go);
	close(command->words);
	if (command->exited >= 0)
		close(command->exited);
	reap(command, &status);
}

/**
 * command_start - run the command
 * @command: prepared command
 * @td: device; NULL for no session
 * @device: its name, for messages
 * @flags: TOPDOWN_ATTACH_* of the session
 *
 * Return: 0 when the program is executed, or an exit code after a message.
 */
int command_start(struct command *command, struct topdown *td, const char *device,
		  unsigned int flags)
{
	int ret = command_begin(command, td, device, flags);

	return ret ? ret : command_execute(command);
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
 * command_outlast - wait for the end of the command, when nothing is measured any more
 * @command: the command
 * @ticker: open ticker
 * @signal: number of a signal that comes meanwhile
 *
 * A terminal sends its signals to the command too.  A signal from a process is sent to us, but
 * meant for the command as well.
 */
void command_outlast(struct command *command, struct ticker *ticker, int *signal)
{
	ticker->control = -1;
	ticker->target = command->exited;
	ticker->target_events = POLLIN;
	ticker_start(ticker, clock_now_ns(), 0, 0);
	while (ticker_wait(ticker, clock_now_ns(), signal) == TICKER_SIGNAL) {
		if (ticker->from_process)
			command_signal(command, *signal);
	}
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
	command->killed = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (command->killed)
		return EXIT_SIGNAL + command->killed;
	return WEXITSTATUS(status);
}

/**
 * command_failure - the exit code of a failure that is not the command's
 * @argv: the command; NULL for none
 * @ret: exit code of the failure, or EXIT_OK
 *
 * Return: @ret; with a command another one, which does not look like one of the command's.
 */
int command_failure(char **argv, int ret)
{
	return argv && (ret == EXIT_RUNTIME || ret == EXIT_DEVICE) ? EXIT_OURS : ret;
}
