/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a latency session, as options name them and as the machine has them.
 */
#ifndef TOPDOWN_CLI_EVENTS_H
#define TOPDOWN_CLI_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

#include "options.h"

/* All events of the machine, which is not known when options are read. */
#define EVENTS_ALL	UINT64_MAX

bool events_is_encoding(const char *item);
bool events_parse(const char *option, const char *text, uint64_t *events);
bool events_read(const struct option_row *row, const char *text, void *field);
int events_choose(struct topdown *td, const char *device, uint64_t wanted, const char *advice,
		  uint64_t *events);
int events_unopened(const char *device, int error);
int events_unread(const char *device, int error);
int events_unanswered(const char *device, int error);
int events_refused(const char *device, int error, bool chosen_cpus);

#endif /* TOPDOWN_CLI_EVENTS_H */
