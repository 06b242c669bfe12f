/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The KTAP of a program that tests the library or the command, and the node that
 * fake/fake.c answers for.
 */
#ifndef TOPDOWN_CHECK_CHECK_H
#define TOPDOWN_CHECK_CHECK_H

#include <topdown.h>

#include "../../selftests/host/ktap.h"

#define NODE	"/dev/topdown-of-the-test"

static struct ktap ktap;

static inline void check(bool ok, const char *name)
{
	ktap_result(&ktap, ok, name);
}

static inline struct topdown *open_fake(void)
{
	struct topdown *td = NULL;

	return topdown_open(&td, NODE) ? NULL : td;
}

#endif /* TOPDOWN_CHECK_CHECK_H */
