/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a recording: one, or those of a rotation, of which each goes on after another.
 */
#ifndef TOPDOWN_CLI_RECORDING_FILES_H
#define TOPDOWN_CLI_RECORDING_FILES_H

#include "recording.h"

/**
 * struct recording_files - the files of a recording
 * @nr: number of @path
 * @path: their names, - for standard input
 * @label: a name of all together
 */
struct recording_files {
	size_t nr;
	char **path;
	char label[32];
};

int recording_files_add(struct recording_files *files, const char *path);
int recording_files_rotated(struct recording_files *files);
int recording_files_order(struct recording_files *files);
void recording_files_free(struct recording_files *files);
int recording_read(struct recording *recording, const struct recording_files *files,
		   const struct recording_choice *choice, const struct recording_sink *sink);

#endif /* TOPDOWN_CLI_RECORDING_FILES_H */
