/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket that topdown export listens at.
 */
#ifndef TOPDOWN_CLI_SOCKET_H
#define TOPDOWN_CLI_SOCKET_H

#include "export-options.h"

bool export_address_check(const char *text);
bool export_socket_is_local(int fd);
uint64_t export_socket_peer(int fd);
int export_socket(const struct export_options *options);

#endif /* TOPDOWN_CLI_SOCKET_H */
