/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that have perf events open.
 */
#ifndef TOPDOWN_CLI_HOLDERS_H
#define TOPDOWN_CLI_HOLDERS_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct holder - a process with perf events
 * @pid: the process
 * @events: number of its descriptors that are events
 * @name: its name
 */
struct holder {
	int pid;
	long events;
	char name[32];
};

/**
 * struct holders - processes with perf events
 * @nr: number of @holder
 * @holder: the processes, that with the most events first
 * @hidden: number of processes whose files this user may not see
 * @whole: all of /proc was looked at
 */
struct holders {
	unsigned int nr;
	struct holder *holder;
	unsigned int hidden;
	bool whole;
};

void holders_find(struct holders *holders);
void holders_free(struct holders *holders);

#endif /* TOPDOWN_CLI_HOLDERS_H */
