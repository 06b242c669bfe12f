/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a recording: one, or those of a rotation, of which each goes on after another.
 */
#ifndef TOPDOWN_CLI_RECORDING_FILES_H
#define TOPDOWN_CLI_RECORDING_FILES_H

#include <limits.h>
#include <sys/types.h>

#include "recording.h"
#include "recording-head.h"

/**
 * struct recording_file - a file of a recording
 * @path: its name; NULL for none
 * @file: the open file, which keeps it although the recorder gives it another name
 * @device: device and inode of @file
 * @inode: both
 * @head: how it begins
 */
struct recording_file {
	char *path;
	FILE *file;
	dev_t device;
	ino_t inode;
	struct recording_head head;
};

/**
 * struct recording_files - the files of a recording
 * @nr_names: number of @name
 * @name: what was named: files, directories, - for standard input
 * @rotated: with the older files of the one that was named
 * @found: some were found in a directory or by @rotated, so those of other runs are left out
 * @nr: number of @file
 * @file: files, in the order of time
 * @label: a name of all together
 */
struct recording_files {
	size_t nr_names;
	const char **name;
	bool rotated;
	bool found;
	size_t nr;
	struct recording_file *file;
	char label[PATH_MAX];
};

int recording_files_add(struct recording_files *files, const char *name);
int recording_files_open(struct recording_files *files, const struct recording_choice *choice);
int recording_files_find(struct recording_files *files);
int recording_files_choose(struct recording_files *files, const struct recording_choice *choice);
void recording_file_close(struct recording_file *file);
void recording_files_free(struct recording_files *files);
int recording_read(struct recording *recording, const struct recording_files *files,
		   const struct recording_choice *choice, const struct recording_sink *sink);
bool recording_has_time(const struct recording_files *files,
			const struct recording_choice *choice, int *ret);

#endif /* TOPDOWN_CLI_RECORDING_FILES_H */
