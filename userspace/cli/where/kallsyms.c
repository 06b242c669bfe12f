// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of the kernel and its modules, as /proc/kallsyms has them. Without the right to
 * addresses it has all of them at 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

struct kernel_symbol {
	uint64_t address;
	char *name;
	char *module;
};

struct where_kernel {
	struct kernel_symbol *symbol;
	size_t nr;
};

static int compare(const void *left, const void *right)
{
	const struct kernel_symbol *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* "ffffffff81000000 T _text", and of a module "\t[name]" behind it. The names are in @line. */
static bool parse(char *line, struct kernel_symbol *symbol)
{
	char *type, *name, *module, *end;

	symbol->address = strtoull(line, &end, 16);
	if (!symbol->address || *end != ' ')
		return false;
	type = end + 1;
	if (!strchr("tTwW", *type) || type[1] != ' ')
		return false;
	name = type + 2;
	name[strcspn(name, "\n")] = '\0';
	module = strchr(name, '\t');
	if (module)
		*module++ = '\0';
	symbol->name = name;
	symbol->module = module;
	return true;
}

/* Returns false without memory; then there may be a symbol without a name. */
static bool keep(struct where_kernel *kernel, const struct kernel_symbol *symbol)
{
	struct kernel_symbol *kept = &kernel->symbol[kernel->nr++];

	kept->address = symbol->address;
	kept->name = strdup(symbol->name);
	kept->module = symbol->module ? strdup(symbol->module) : NULL;
	return kept->name && !kept->module == !symbol->module;
}

static bool read_all(struct where_kernel *kernel, FILE *file)
{
	struct kernel_symbol symbol, *more;
	size_t room = 0;
	char line[512];

	while (fgets(line, sizeof(line), file)) {
		if (!parse(line, &symbol))
			continue;
		if (kernel->nr == room) {
			room = room ? room * 2 : 4096;
			more = reallocarray(kernel->symbol, room, sizeof(*more));
			if (!more)
				return false;
			kernel->symbol = more;
		}
		if (!keep(kernel, &symbol))
			return false;
	}
	return true;
}

/**
 * where_kernel_open - read the functions of the kernel
 * @path: /proc/kallsyms, or a copy
 *
 * Return: the functions, which may be none; NULL without memory.
 */
struct where_kernel *where_kernel_open(const char *path)
{
	struct where_kernel *kernel = calloc(1, sizeof(*kernel));
	FILE *file = fopen(path, "re");

	if (kernel && file && !read_all(kernel, file)) {
		where_kernel_close(kernel);
		kernel = NULL;
	}
	if (file)
		fclose(file);
	if (kernel && kernel->nr)
		qsort(kernel->symbol, kernel->nr, sizeof(kernel->symbol[0]), compare);
	return kernel;
}

/**
 * where_kernel_close - free them
 * @kernel: functions, or NULL
 */
void where_kernel_close(struct where_kernel *kernel)
{
	size_t i;

	for (i = 0; kernel && i < kernel->nr; i++) {
		free(kernel->symbol[i].name);
		free(kernel->symbol[i].module);
	}
	if (kernel)
		free(kernel->symbol);
	free(kernel);
}

/**
 * where_kernel_find - the function at an address
 * @kernel: functions
 * @address: address
 * @symbol: written
 * @module: written: "[name]", or NULL for the kernel itself
 *
 * Return: false if there is none.
 */
bool where_kernel_find(const struct where_kernel *kernel, uint64_t address,
		       struct where_symbol *symbol, const char **module)
{
	size_t from = 0, to = kernel->nr, middle;
	const struct kernel_symbol *found;

	/* The last one that does not begin behind it. */
	while (from < to) {
		middle = from + (to - from) / 2;
		if (kernel->symbol[middle].address <= address)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from)
		return false;
	found = &kernel->symbol[from - 1];
	*symbol = (struct where_symbol){ .name = found->name, .start = found->address };
	if (from < kernel->nr)
		symbol->size = kernel->symbol[from].address - found->address;
	*module = found->module;
	return true;
}
