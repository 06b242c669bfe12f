/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files with secrets that topdown export is given.
 */
#ifndef TOPDOWN_CLI_FILES_H
#define TOPDOWN_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "export-options.h"

/* The largest file that is read. */
#define EXPORT_FILE_BYTES	65536

/**
 * struct export_files - what is in the files
 * @certificate: PEM; NULL without TLS
 * @key: PEM; NULL without TLS
 * @users: USER:PASSWORD in base64, as the header Authorization has it; NULL if all may read
 * @nr: number of @users
 */
struct export_files {
	char *certificate;
	char *key;
	char **users;
	size_t nr;
};

bool export_files_read(struct export_files *files, const struct export_options *options);
void export_files_free(struct export_files *files);
bool export_files_knows(const struct export_files *files, const char *authorization);

#endif /* TOPDOWN_CLI_FILES_H */
