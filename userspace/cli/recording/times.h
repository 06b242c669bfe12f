/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The times of a recording, and those of it that are taken.
 */
#ifndef TOPDOWN_CLI_TIMES_H
#define TOPDOWN_CLI_TIMES_H

#include <stdio.h>

#include "recording.h"

int recording_set_times(struct recording *recording, const struct recording *whole,
			const struct recording_choice *choice);
bool recording_overlaps(const struct recording *whole, const struct recording_choice *choice);
void recording_put_time(char *text, size_t size, uint64_t epoch_ns);
int recording_choose_times(struct recording *recording, FILE **file,
			   const struct recording_choice *choice);
int recording_read_stream(struct recording *recording, FILE *file,
			  const struct recording_choice *choice,
			  const struct recording_sink *sink);

#endif /* TOPDOWN_CLI_TIMES_H */
