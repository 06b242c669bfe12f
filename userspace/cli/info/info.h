/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown info: how the machine is measured.
 */
#ifndef TOPDOWN_CLI_INFO_H
#define TOPDOWN_CLI_INFO_H

#include <stdio.h>
#include <topdown.h>

int info_main(int argc, char **argv);
int info_version(void);
void info_machine(FILE *file);
void info_summary(FILE *file, struct topdown *td);

#endif /* TOPDOWN_CLI_INFO_H */
