/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From addresses of processes to places in files, and to functions and lines.
 */
#ifndef TOPDOWN_CLI_WHERE_SYMBOLS_H
#define TOPDOWN_CLI_WHERE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown_stalls.h>

struct where_symbols;

/* An address that is in no file; the others count from 0. */
#define WHERE_NO_OBJECT		UINT32_MAX

/**
 * struct where_place - an address in a file
 * @object: number of the file
 * @address: its address there; of kernels and unknown files, in memory
 */
struct where_place {
	uint32_t object;
	uint64_t address;
};

/**
 * struct where_symbol - what is at a place
 * @name: function, demangled; NULL if not known
 * @start: its first address
 * @size: its bytes; 0 if not known
 * @file: source file; NULL if not known
 * @line: line in it
 */
struct where_symbol {
	const char *name;
	uint64_t start;
	uint64_t size;
	const char *file;
	unsigned int line;
};

/**
 * struct where_identity - a file, whatever it is called
 * @inode: 0 if not known
 * @dev_major: device, as /proc/PID/maps has it
 * @dev_minor: the same
 */
struct where_identity {
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
};

struct where_symbols *where_symbols_new(bool kernel);
void where_symbols_free(struct where_symbols *symbols);
int where_symbols_change(struct where_symbols *symbols, const struct topdown_stalls_map *change,
			 const char *name);
int where_symbols_place(struct where_symbols *symbols, const struct topdown_stall *stall,
			uint64_t ip, struct where_place *place);
const struct where_symbol *where_symbols_find(struct where_symbols *symbols,
					      const struct where_place *place);
const char *where_symbols_object(const struct where_symbols *symbols, uint32_t object);
int where_symbols_open(const struct where_symbols *symbols, uint32_t object);
bool where_symbols_no_kernel(const struct where_symbols *symbols);
bool where_symbols_full(const struct where_symbols *symbols);
unsigned int where_symbols_missed(const struct where_symbols *symbols);

/* demangle.c: the caller frees it; a copy if the name is not mangled. */
char *where_demangle(const char *name);

/* files.c: the file that a process has mapped, and no other. */
int where_file_open(const char *path, uint32_t pid, const struct where_identity *identity);

/* objects.c: a file with its symbols and lines. */
struct where_object;
struct where_object *where_object_open(int fd, const char *path);
void where_object_close(struct where_object *object);
bool where_object_address(const struct where_object *object, uint64_t offset, uint64_t *address);
bool where_object_find(struct where_object *object, uint64_t address, struct where_symbol *symbol);

/* kallsyms.c: the kernel and its modules. */
struct where_kernel;
struct where_kernel *where_kernel_open(const char *path);
void where_kernel_close(struct where_kernel *kernel);
bool where_kernel_find(const struct where_kernel *kernel, uint64_t address,
		       struct where_symbol *symbol, const char **module);

#endif /* TOPDOWN_CLI_WHERE_SYMBOLS_H */
