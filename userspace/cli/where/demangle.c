// SPDX-License-Identifier: GPL-2.0
/*
 * Names of C++ and Rust as people write them. A name may say the same type twice, and twice again:
 * 300 characters that a hostile user has written would be gigabytes, so one that is too long stays
 * as it is. And each place in a function has a copy, so more than a page of a name is cut off.
 */
#include <demangle.h>
#include <setjmp.h>
#include <string.h>

#include "symbols.h"

#define STYLE		(DMGL_PARAMS | DMGL_ANSI)
#define NAME_MOST	4096

/**
 * struct name - a name that is being written
 * @enough: where to go on when it is too long
 * @length: bytes of @text
 * @text: the name, without its end
 */
struct name {
	jmp_buf enough;
	size_t length;
	char text[NAME_MOST];
};

/*
 * The library has no other way to be stopped.  Memory of its own is some characters of a name in
 * Rust at most, which is lost then.
 */
static void put(const char *part, size_t length, void *data)
{
	struct name *name = data;

	if (length > sizeof(name->text) - name->length)
		longjmp(name->enough, 1);
	memcpy(name->text + name->length, part, length);
	name->length += length;
}

static bool write_rust(struct name *name, const char *mangled)
{
	name->length = 0;
	return rust_demangle_callback(mangled, STYLE, put, name);
}

static bool write_cplus(struct name *name, const char *mangled)
{
	name->length = 0;
	return cplus_demangle_v3_callback(mangled, STYLE, put, name);
}

/**
 * where_demangle - a name as people write it
 * @name: name of a symbol
 *
 * Return: the name, to be freed, of at most 4096 characters; NULL without memory.
 */
char *where_demangle(const char *name)
{
	struct name written;

	if (strnlen(name, NAME_MOST) == NAME_MOST || setjmp(written.enough) ||
	    (!write_rust(&written, name) && !write_cplus(&written, name)))
		return strndup(name, NAME_MOST);
	return strndup(written.text, written.length);
}
