// SPDX-License-Identifier: GPL-2.0
/*
 * The files with secrets that topdown export is given.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

#define BASIC		"Basic "

static void *refuse(const char *option, const char *path, const char *why)
{
	message_error("%s: cannot use %s: %s", option, path, why);
	return NULL;
}

static char *read_open(const char *option, const char *path, FILE *file)
{
	char *text = malloc(EXPORT_FILE_BYTES + 1);
	size_t length;

	if (!text)
		return refuse(option, path, strerror(ENOMEM));
	length = fread(text, 1, EXPORT_FILE_BYTES + 1, file);
	if (ferror(file) || length > EXPORT_FILE_BYTES || memchr(text, '\0', length)) {
		free(text);
		return refuse(option, path, "it cannot be read, is no text, or is too long");
	}
	text[length] = '\0';
	return text;
}

/* The whole of a text file; NULL after a message. Nobody else may read a secret. */
static char *read_file(const char *option, const char *path, bool secret)
{
	FILE *file = fopen(path, "re");
	struct stat status;
	char *text;

	if (!file)
		return refuse(option, path, strerror(errno));
	if (secret && !fstat(fileno(file), &status) && status.st_mode & 0007) {
		fclose(file);
		return refuse(option, path, "everybody may use it (try chmod o= on it)");
	}
	text = read_open(option, path, file);
	fclose(file);
	return text;
}

/* Base64 of RFC 4648. */
static char *base64_of(const char *line, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((length + 2) / 3 * 4 + 1), *to = text;
	size_t i, left;

	if (!text)
		return NULL;
	for (i = 0; i < length; i += 3) {
		unsigned int bits;

		left = length - i;
		bits = (unsigned char)line[i] << 16;
		bits |= left > 1 ? (unsigned char)line[i + 1] << 8 : 0;
		bits |= left > 2 ? (unsigned char)line[i + 2] : 0;
		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[bits & 63] : '=';
	}
	*to = '\0';
	return text;
}

static bool add_user(struct export_files *files, const char *line, size_t length)
{
	char **users = reallocarray(files->users, files->nr + 1, sizeof(*users));

	if (!users)
		return false;
	files->users = users;
	users[files->nr] = base64_of(line, length);
	if (!users[files->nr])
		return false;
	files->nr++;
	return true;
}

static bool add_users(struct export_files *files, const char *path, const char *text)
{
	size_t length;

	for (; *text; text += length + !!text[length]) {
		const char *colon = strchr(text, ':');

		length = strcspn(text, "\n");
		if (!length || *text == '#')
			continue;
		if (!colon || colon == text || colon >= text + length - 1) {
			refuse("--auth", path, "a line is not USER:PASSWORD");
			return false;
		}
		if (!add_user(files, text, length)) {
			refuse("--auth", path, strerror(ENOMEM));
			return false;
		}
	}
	if (!files->nr)
		refuse("--auth", path, "there is no line USER:PASSWORD");
	return files->nr;
}

static bool read_users(struct export_files *files, const char *path)
{
	char *text = read_file("--auth", path, true);
	bool good = text && add_users(files, path, text);

	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
	return good;
}

/**
 * export_files_read - read the files
 * @files: what they have; empty on error
 * @options: the command line, which has their names
 *
 * Return: false after a message.
 */
bool export_files_read(struct export_files *files, const struct export_options *options)
{
	bool good = true;

	memset(files, 0, sizeof(*files));
	if (options->tls_certificate) {
		files->certificate = read_file("--tls-cert", options->tls_certificate, false);
		files->key = read_file("--tls-key", options->tls_key, true);
		good = files->certificate && files->key;
	}
	if (good && options->auth)
		good = read_users(files, options->auth);
	if (!good)
		export_files_free(files);
	return good;
}

static void free_secret(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

/**
 * export_files_free - forget the files
 * @files: what they have
 */
void export_files_free(struct export_files *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++)
		free_secret(files->users[i]);
	free(files->users);
	free(files->certificate);
	free_secret(files->key);
	memset(files, 0, sizeof(*files));
}

/* The time of the comparison says nothing about where two texts differ. */
static bool is_same(const char *one, const char *other)
{
	size_t length = strlen(one), i;
	unsigned char differ = 0;

	if (strlen(other) != length)
		return false;
	for (i = 0; i < length; i++)
		differ |= one[i] ^ other[i];
	return !differ;
}

/**
 * export_files_knows - whether a request may be answered
 * @files: what the files have
 * @authorization: value of the header Authorization, NULL for none
 *
 * Return: true if it names a user with the password, or all may read.
 */
bool export_files_knows(const struct export_files *files, const char *authorization)
{
	bool known = false;
	size_t i;

	if (!files->nr)
		return true;
	if (!authorization || strncasecmp(authorization, BASIC, strlen(BASIC)))
		return false;
	for (i = 0; i < files->nr; i++)
		known |= is_same(files->users[i], authorization + strlen(BASIC));
	return known;
}
