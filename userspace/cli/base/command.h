/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command that is run in order to be measured.
 */
#ifndef TOPDOWN_CLI_COMMAND_H
#define TOPDOWN_CLI_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <topdown.h>

/* env(1), timeout(1) and shells exit with these codes if they fail, or cannot execute a command. */
#define EXIT_OURS		125
#define EXIT_CANNOT_EXECUTE	126
#define EXIT_NOT_FOUND		127

/**
 * struct command - a command and what it inherits
 * @argv: its name and arguments, NULL-terminated
 * @mask: signals that were blocked before we blocked ours
 * @pipe: action of SIGPIPE before ours
 * @child: action of SIGCHLD before ours
 * @pid: its process while it runs
 * @exited: pidfd of @pid, which becomes readable when the process exits
 * @words: socket from which its process is heard until it executes the program
 * @go: pipe on which the process waits
 * @start_ns: CLOCK_MONOTONIC of just before the program was executed
 * @session: descriptor of the session that it made; -1 for none
 * @killed: the signal that ended the command; 0 for none
 * @user_us: processor time in user mode, of the command and of the children it waited for
 * @system_us: the same in kernel mode
 */
struct command {
	char **argv;
	sigset_t mask;
	struct sigaction pipe;
	struct sigaction child;
	pid_t pid;
	int exited;
	int words;
	int go;
	uint64_t start_ns;
	int session;
	int killed;
	uint64_t user_us;
	uint64_t system_us;
};

void command_prepare(struct command *command, char **argv);
int command_start(struct command *command, struct topdown *td, const char *device,
		  unsigned int flags);
int command_begin(struct command *command, struct topdown *td, const char *device,
		  unsigned int flags);
int command_execute(struct command *command);
void command_cancel(struct command *command);
struct ticker;

void command_outlast(struct command *command, struct ticker *ticker, int *signal);
void command_signal(const struct command *command, int signal);
void command_times(struct command *command);
int command_end(struct command *command);
int command_failure(char **argv, int ret);

#endif /* TOPDOWN_CLI_COMMAND_H */
