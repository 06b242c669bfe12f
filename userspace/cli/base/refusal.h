/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device refuses: which object, why, and what to do.
 */
#ifndef TOPDOWN_CLI_REFUSAL_H
#define TOPDOWN_CLI_REFUSAL_H

#define REFUSAL_NO_GROUP	\
	"the node's group may use it: is this user in group 'topdown'? 'usermod -aG topdown USER' as root, then log in again"

int refusal_open(const char *path, int error);
int refusal_read(const char *path, int error);
int refusal_attach(const char *path, const char *what, int error);
int refusal_owners(const char *path, int error);
int refusal_session(const char *path, int error);

#endif /* TOPDOWN_CLI_REFUSAL_H */
