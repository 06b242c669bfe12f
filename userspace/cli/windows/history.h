/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown history: the last closed windows of CPUs.
 */
#ifndef TOPDOWN_CLI_HISTORY_H
#define TOPDOWN_CLI_HISTORY_H

#define WINDOWS_MAX		4096
#define WINDOWS_DEFAULT		10

int history_main(int argc, char **argv);

#endif /* TOPDOWN_CLI_HISTORY_H */
