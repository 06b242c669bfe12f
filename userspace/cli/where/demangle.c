// SPDX-License-Identifier: GPL-2.0
/*
 * Names of C++ and Rust as people write them.
 */
#include <demangle.h>
#include <string.h>

#include "symbols.h"

/**
 * where_demangle - a name as people write it
 * @name: name of a symbol
 *
 * Return: the name, to be freed; NULL without memory.
 */
char *where_demangle(const char *name)
{
	char *text = cplus_demangle(name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);

	return text ? text : strdup(name);
}
