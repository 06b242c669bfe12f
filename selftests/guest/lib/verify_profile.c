// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into topdown verify: its programs execute here what they would on a real CPU.  A
 * program is known by the name that it gives its task when it begins.
 */
#include <cpuid.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

#include "guest.h"

#define TASK		"td-"

#define PPM(percent)	((uint32_t)((percent) * 10000 + 0.5))
#define PROFILE(ret, bad, fe, be, heavy, mispredict, latency, memory)	\
	{ { PPM(ret), PPM(bad), PPM(fe), PPM(be), PPM(heavy),		\
	    PPM(mispredict), PPM(latency), PPM(memory) } }

#define WIDTH_LAKE	4
#define WIDTH_ZEN4	6

/*
 * The programs would have about this on Golden Cove.  As rounded bytes, level 1 of "microcode" sums
 * to 256 and that of "taken" to 254, so that rounding can be told from a rest.
 */
static const struct {
	const char *name;
	struct td_bd_profile profile;
} profiles_of[] = {
	{ "additions", PROFILE(93.1, 0.6, 3.1, 3.2, 0.2, 0.5, 1, 1) },
	{ "divisions", PROFILE(3.7, 0.4, 0.7, 95.2, 0.1, 0.3, 0.3, 1.1) },
	{ "chase", PROFILE(0.5, 0.3, 0.4, 98.8, 0.1, 0.2, 0.2, 97.3) },
	{ "branches", PROFILE(24.3, 41.2, 22.1, 12.4, 0.4, 40.6, 15.7, 0.9) },
	{ "code", PROFILE(1.4, 1.1, 93.2, 4.3, 0.2, 0.6, 88.8, 1.7) },
	{ "microcode", PROFILE(41.8, 0.6, 12.8, 44.8, 38.4, 0.4, 3.1, 0.7) },
	{ "clears", PROFILE(7.9, 21.3, 51.2, 19.6, 1.1, 0.8, 44.1, 3.7) },
	{ "taken", PROFILE(33.5, 0.7, 63.3, 2.5, 0.2, 0.5, 21.9, 0.6) },
};

/*
 * The events of which the formulas of Sandy Bridge to Cascade Lake make level 2; the machine has
 * those of level 1.
 */
static void set_lake(const uint32_t *of)
{
	backdoor_set_rate(0x400019c, of[TD_BD_FETCH_LAT]);
	backdoor_set_rate(0xc5, of[TD_BD_BR_MISPREDICT] / 20);
	backdoor_set_rate(0x10401c3, (of[TD_BD_BAD_SPEC] - of[TD_BD_BR_MISPREDICT]) / 20);
	backdoor_set_rate(0x40004a3, of[TD_BD_BE_BOUND]);
}

static void set_skylake(const uint32_t *of)
{
	set_lake(of);
	backdoor_set_rate(0x140014a3, of[TD_BD_MEM_BOUND]);
	backdoor_set_rate(0xc0, WIDTH_LAKE * (of[TD_BD_RETIRING] - of[TD_BD_HEAVY_OPS]));
}

/* Operations of the microcode are counted when they are issued. */
static void set_sandy_bridge(const uint32_t *of)
{
	double issued = of[TD_BD_RETIRING] + of[TD_BD_BAD_SPEC];

	set_lake(of);
	backdoor_set_rate(0x60006a3, of[TD_BD_MEM_BOUND]);
	backdoor_set_rate(0x3079, WIDTH_LAKE * of[TD_BD_HEAVY_OPS] * issued / of[TD_BD_RETIRING]);
}

/* As wide as these; the machine has no slots of the back end. */
static void set_goldmont_plus(const uint32_t *of)
{
	backdoor_set_rate(0x1ca, WIDTH_LAKE * of[TD_BD_BE_BOUND]);
}

/* The same of Zen 4, which has slots that retire and cycles alone. */
static void set_zen4(const uint32_t *of)
{
	backdoor_set_rate(0x1000001a0, WIDTH_ZEN4 * of[TD_BD_FE_BOUND]);
	backdoor_set_rate(0x1060001a0, of[TD_BD_FETCH_LAT]);
	backdoor_set_rate(0x100001ea0, WIDTH_ZEN4 * of[TD_BD_BE_BOUND]);
	backdoor_set_rate(0x7aa, WIDTH_ZEN4 * (of[TD_BD_RETIRING] + of[TD_BD_BAD_SPEC]));
	backdoor_set_rate(0xc3, of[TD_BD_BR_MISPREDICT] / 20);
	backdoor_set_rate(0x96, (of[TD_BD_BAD_SPEC] - of[TD_BD_BR_MISPREDICT]) / 20);
	backdoor_set_rate(0xa2d6, of[TD_BD_MEM_BOUND]);
	backdoor_set_rate(0x2d6, of[TD_BD_BE_BOUND]);
	backdoor_set_rate(0x1000000c2, WIDTH_ZEN4 * of[TD_BD_HEAVY_OPS]);
}

static const struct {
	unsigned int model;
	void (*set)(const uint32_t *of);
} models[] = {
	{ 0x2a, set_sandy_bridge }, { 0x2d, set_sandy_bridge }, { 0x3a, set_sandy_bridge },
	{ 0x3e, set_sandy_bridge }, { 0x3c, set_sandy_bridge }, { 0x3f, set_sandy_bridge },
	{ 0x3d, set_sandy_bridge }, { 0x4f, set_sandy_bridge },
	{ 0x55, set_skylake }, { 0x7a, set_goldmont_plus },
};

static void set_rates(const struct td_bd_profile *profile)
{
	unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0, model, i;

	__get_cpuid(0, &eax, &ebx, &ecx, &edx);
	if (ebx == signature_AMD_ebx) {
		set_zen4(profile->fraction);
		return;
	}
	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	model = (eax >> 4 & 0xf) + (eax >> 12 & 0xf0);
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		if (models[i].model == model)
			models[i].set(profile->fraction);
	}
}

static void execute(const char *name)
{
	struct td_bd_profile profile;
	unsigned int i;

	if (strncmp(name, TASK, strlen(TASK)) || !backdoor_open())
		return;
	for (i = 0; i < sizeof(profiles_of) / sizeof(profiles_of[0]); i++) {
		if (strcmp(name + strlen(TASK), profiles_of[i].name))
			continue;
		profile = profiles_of[i].profile;
		backdoor_set_profile(&profile);
		set_rates(&profile);
	}
}

int prctl(int option, ...)
{
	int (*next)(int option, ...) = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
	unsigned long argument[4];
	va_list list;
	unsigned int i;

	va_start(list, option);
	for (i = 0; i < 4; i++)
		argument[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_NAME)
		execute((const char *)argument[0]);
	return next(option, argument[0], argument[1], argument[2], argument[3]);
}
