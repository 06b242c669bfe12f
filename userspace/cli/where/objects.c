// SPDX-License-Identifier: GPL-2.0
/*
 * The symbols and lines of a program or library, by elfutils' libdwfl, which also finds debug
 * information that is kept in another file.
 */
#ifdef TOPDOWN_STATIC
#include <unistd.h>

#include "message.h"
#include "symbols.h"

/* The library of symbols loads others, which a static program cannot do. */
struct where_object *where_object_open(int fd, const char *path)
{
	static bool said;

	(void)path;
	close(fd);
	if (!said)
		message_note("where: a static topdown knows no functions of programs (use the shared one)");
	said = true;
	return NULL;
}

void where_object_close(struct where_object *object)
{
	(void)object;
}

bool where_object_address(const struct where_object *object, uint64_t offset, uint64_t *address)
{
	(void)object;
	(void)offset;
	(void)address;
	return false;
}

bool where_object_find(struct where_object *object, uint64_t address, struct where_symbol *symbol)
{
	(void)object;
	(void)address;
	(void)symbol;
	return false;
}
#else
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"

/* A function of a file. Addresses are as libdw has them, with the bias of the file. */
struct function {
	GElf_Addr start;
	GElf_Addr size;
	const char *name;
	int binding;
};

struct where_object {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias;
	bool sorted;
	bool no_lines;
	size_t nr, room;
	struct function *function;
};

/*
 * Without names the library looks for the build id alone. The file may name any other, and beside
 * it there may be anything.
 */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word checksum, char **found)
{
	(void)file;
	(void)link;
	(void)checksum;
	return dwfl_standard_find_debuginfo(module, data, name, base, NULL, NULL, 0, found);
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* The library would take archives and compressed files as well. */
static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, ELFMAG, sizeof(magic));
}

static bool report(struct where_object *object, int fd, const char *path)
{
	if (is_elf(fd)) {
		dwfl_report_begin(object->dwfl);
		object->module = dwfl_report_offline(object->dwfl, path, path, fd);
		dwfl_report_end(object->dwfl, NULL, NULL);
	}
	if (!object->module) {
		close(fd);
		return false;
	}
	object->elf = dwfl_module_getelf(object->module, &object->bias);
	return object->elf;
}

/**
 * where_object_open - read a file
 * @fd: descriptor of it, which is closed, or kept until where_object_close()
 * @path: its name
 *
 * Return: the file; NULL if it is no program.
 */
struct where_object *where_object_open(int fd, const char *path)
{
	struct where_object *object = calloc(1, sizeof(*object));

	if (object)
		object->dwfl = dwfl_begin(&callbacks);
	if (!object || !object->dwfl) {
		close(fd);
		free(object);
		return NULL;
	}
	if (report(object, fd, path))
		return object;
	where_object_close(object);
	return NULL;
}

/**
 * where_object_close - close a file
 * @object: file, or NULL
 */
void where_object_close(struct where_object *object)
{
	if (object && object->dwfl)
		dwfl_end(object->dwfl);
	if (object)
		free(object->function);
	free(object);
}

/**
 * where_object_address - the address of a place in the file
 * @object: file
 * @offset: offset in it
 * @address: written: address, as the file's own tables have it
 *
 * Return: false if the place is not loaded.
 */
bool where_object_address(const struct where_object *object, uint64_t offset, uint64_t *address)
{
	GElf_Phdr header;
	size_t nr, i;

	if (elf_getphdrnum(object->elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(object->elf, i, &header) || header.p_type != PT_LOAD ||
		    offset < header.p_offset || offset - header.p_offset >= header.p_filesz)
			continue;
		*address = offset - header.p_offset + header.p_vaddr;
		return true;
	}
	return false;
}

static bool add_function(struct where_object *object, const GElf_Sym *symbol, GElf_Addr start,
			 const char *name)
{
	size_t room = object->room ? object->room * 2 : 256;
	struct function *more;

	if (object->nr == object->room) {
		more = reallocarray(object->function, room, sizeof(*more));
		if (!more)
			return false;
		object->function = more;
		object->room = room;
	}
	object->function[object->nr++] = (struct function){
		.start = start,
		.size = symbol->st_size,
		.name = name,
		.binding = GELF_ST_BIND(symbol->st_info),
	};
	return true;
}

/* Of several names of one address the last is taken: of the longest function, global, and short. */
static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;
	static const int rank[] = { [STB_GLOBAL] = 2, [STB_WEAK] = 1 };

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	if (a->binding != b->binding)
		return (a->binding <= STB_WEAK ? rank[a->binding] : 0) -
		       (b->binding <= STB_WEAK ? rank[b->binding] : 0);
	return (strlen(a->name) < strlen(b->name)) - (strlen(a->name) > strlen(b->name));
}

/* Its lines may need a file that the program itself names, and the library opens what that is. */
static bool has_alternate(const struct where_object *object)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(object->module, &bias);
	const void *id;
	const char *name;

	return dwarf && dwarf_getelf(dwarf) == object->elf &&
	       dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
}

/*
 * libdwfl looks at all symbols for each address: 13 ms where a compiler has 29,000 of them, and a
 * run has thousands of addresses.
 */
static void sort_functions(struct where_object *object)
{
	int nr = dwfl_module_getsymtab(object->module), i;
	const char *name;
	GElf_Addr start;
	GElf_Word section;
	GElf_Sym symbol;
	int type;

	object->sorted = true;
	object->no_lines = has_alternate(object);
	for (i = 1; i < nr; i++) {
		name = dwfl_module_getsym_info(object->module, i, &symbol, &start, &section, NULL,
					       NULL);
		type = GELF_ST_TYPE(symbol.st_info);
		if (!name || !*name || section == SHN_UNDEF || !symbol.st_size ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC))
			continue;
		if (!add_function(object, &symbol, start, name))
			break;
	}
	if (object->nr)
		qsort(object->function, object->nr, sizeof(object->function[0]), compare_functions);
}

static const struct function *find_function(struct where_object *object, GElf_Addr address)
{
	size_t from = 0, to, middle;
	const struct function *found;

	if (!object->sorted)
		sort_functions(object);
	to = object->nr;
	while (from < to) {
		middle = from + (to - from) / 2;
		if (object->function[middle].start <= address)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from)
		return NULL;
	found = &object->function[from - 1];
	return address - found->start < found->size ? found : NULL;
}

static void find_line(struct where_object *object, GElf_Addr address, struct where_symbol *symbol)
{
	Dwfl_Line *line;
	int number = 0;

	if (object->no_lines)
		return;
	line = dwfl_module_getsrc(object->module, address);
	if (!line)
		return;
	symbol->file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
	symbol->line = number > 0 ? number : 0;
}

/**
 * where_object_find - function and line of an address
 * @object: file
 * @address: address, of where_object_address()
 * @symbol: written; its strings are as the file has them, and valid until it is closed
 *
 * Return: false if neither is known.
 */
bool where_object_find(struct where_object *object, uint64_t address, struct where_symbol *symbol)
{
	GElf_Addr at = address + object->bias;
	const struct function *function = find_function(object, at);

	memset(symbol, 0, sizeof(*symbol));
	if (function) {
		symbol->name = function->name;
		symbol->start = function->start - object->bias;
		symbol->size = function->size;
	}
	find_line(object, at, symbol);
	return symbol->name || symbol->file;
}
#endif
