// SPDX-License-Identifier: GPL-2.0
/*
 * Names of C++ and Rust as people write them.
 *
 * The C++ library has the function. It is loaded only when the first such name comes, and
 * without it names stay as they are. Rust's older names are C++ names with a hash at their end;
 * rust.c has the newer ones.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "symbols.h"

#define LIBRARY		"libstdc++.so.6"
/* "::h" and 16 hexadecimal digits. */
#define HASH_LEN	19

typedef char *(*demangle_fn)(const char *name, char *room, size_t *size, int *status);

#ifdef TOPDOWN_STATIC
static demangle_fn library(void)
{
	return NULL;
}
#else
static demangle_fn library(void)
{
	static demangle_fn function;
	static bool tried;
	void *handle, *at;

	if (tried)
		return function;
	tried = true;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	at = handle ? dlsym(handle, "__cxa_demangle") : NULL;
	/* POSIX wants this to work, but C has no cast for it. */
	memcpy(&function, &at, sizeof(at));
	return function;
}
#endif

static bool is_hash(const char *text)
{
	unsigned int i;

	if (strncmp(text, "::h", 3))
		return false;
	for (i = 3; i < HASH_LEN; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return false;
	}
	return true;
}

static void replace(char *text, const char *what, const char *with)
{
	size_t len = strlen(what), less = strlen(with);

	while ((text = strstr(text, what))) {
		memcpy(text, with, less);
		memmove(text + less, text + len, strlen(text + len) + 1);
		text += less;
	}
}

/* What Rust's older names may not have is written as $XX$, and .. is ::. */
static void mend_rust(char *name)
{
	static const char * const words[][2] = {
		{ "$LT$", "<" }, { "$GT$", ">" }, { "$RF$", "&" }, { "$BP$", "*" },
		{ "$LP$", "(" }, { "$RP$", ")" }, { "$C$", "," }, { "$SP$", "@" },
		{ "$u20$", " " }, { "$u7b$", "{" }, { "$u7d$", "}" }, { "$u5b$", "[" },
		{ "$u5d$", "]" }, { "$u27$", "'" }, { "$u2b$", "+" }, { "$u3b$", ";" },
		{ "..", "::" },
	};
	size_t len = strlen(name);
	unsigned int i;

	if (len <= HASH_LEN || !is_hash(name + len - HASH_LEN))
		return;
	name[len - HASH_LEN] = '\0';
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		replace(name, words[i][0], words[i][1]);
	/* A part that would begin with a sign has _ before it. */
	replace(name, "_<", "<");
}

/**
 * where_demangle - a name as people write it
 * @name: name of a symbol
 *
 * Return: the name, to be freed; NULL without memory.
 */
char *where_demangle(const char *name)
{
	demangle_fn demangle;
	char *text = NULL;
	int status;

	if (!strncmp(name, "_R", 2))
		text = rust_demangle(name);
	if (!strncmp(name, "_Z", 2)) {
		demangle = library();
		text = demangle ? demangle(name, NULL, NULL, &status) : NULL;
		if (text)
			mend_rust(text);
	}
	return text ? text : strdup(name);
}
