/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown export: the sums of the CPUs as Prometheus and others read them.
 */
#ifndef TOPDOWN_CLI_EXPORT_H
#define TOPDOWN_CLI_EXPORT_H

int export_main(int argc, char **argv);

#endif /* TOPDOWN_CLI_EXPORT_H */
