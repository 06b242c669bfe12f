// SPDX-License-Identifier: GPL-2.0
/*
 * topdown info without the module: what the machine has, and whether the module could be loaded.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "info.h"
#include "text.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define LEAF_FEATURES	1
#define LEAF_PERFMON	0xa
#define LEAF_AMD	0x80000022
#define LEAF_BRAND	0x80000002
#define HYPERVISOR	(1U << 31)
#define NMI_WATCHDOG	"/proc/sys/kernel/nmi_watchdog"

#if defined(__x86_64__) || defined(__i386__)

/* The name that the CPU has for itself; "?" if it has none. */
static void brand(char name[49])
{
	unsigned int part[4], i;

	memset(name, 0, 49);
	for (i = 0; i < 3; i++) {
		if (!__get_cpuid(LEAF_BRAND + i, &part[0], &part[1], &part[2], &part[3]))
			break;
		memcpy(name + i * sizeof(part), part, sizeof(part));
	}
	printable_text(name, "");
	if (!*name)
		memcpy(name, "?", 2);
}

static void put_cpu(FILE *file)
{
	unsigned int eax = 0, ebx, ecx = 0, edx, family, model;
	char name[49];

	brand(name);
	__get_cpuid(LEAF_FEATURES, &eax, &ebx, &ecx, &edx);
	family = eax >> 8 & 0xf;
	model = (eax >> 4 & 0xf) + (family == 0x6 || family == 0xf ? eax >> 12 & 0xf0 : 0);
	if (family == 0xf)
		family += eax >> 20 & 0xff;
	fprintf(file, "cpu_name: %s\ncpu_family: %u\ncpu_model: %u\ncpu_stepping: %u\n",
		name + strspn(name, " "), family, model, eax & 0xf);
	fprintf(file, "hypervisor: %s\n", ecx & HYPERVISOR ?
		"yes: it decides which counters there are" : "no");
}

static void put_counters(FILE *file)
{
	unsigned int eax = 0, ebx = 0, ecx, edx;

	if (__get_cpuid_count(LEAF_PERFMON, 0, &eax, &ebx, &ecx, &edx) && eax & 0xff)
		fprintf(file, "counters: %u general ones, version %u\n", eax >> 8 & 0xff,
			eax & 0xff);
	else if (__get_cpuid_count(LEAF_AMD, 0, &eax, &ebx, &ecx, &edx) && eax & 1)
		fprintf(file, "counters: %u general ones, AMD's version 2\n", ebx & 0xf);
	else
		fputs("counters: none that CPUID tells of\n", file);
}

static void put_hardware(FILE *file)
{
	put_cpu(file);
	put_counters(file);
}

#else

static void put_hardware(FILE *file)
{
	fputs("cpu: the module is for x86\n", file);
}

#endif

/* Does depmod know it, for this kernel? */
static bool is_installed(const char *release)
{
	char path[256], line[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, "/topdown.ko");
	if (file)
		fclose(file);
	return found;
}

static void put_watchdog(FILE *file)
{
	FILE *from = fopen(NMI_WATCHDOG, "re");
	int value = from ? getc(from) : '0';

	if (from)
		fclose(from);
	fprintf(file, "nmi_watchdog: %s\n", value == '1' ? "yes: it has a counter of each CPU" : "no");
}

/**
 * info_machine - print what can be known without the module
 * @file: where to
 */
void info_machine(FILE *file)
{
	struct utsname name;

	put_hardware(file);
	put_watchdog(file);
	if (uname(&name))
		return;
	fprintf(file, "module: %s for Linux %s\n", is_installed(name.release) ?
		"installed, and not loaded" : "not installed", name.release);
}
