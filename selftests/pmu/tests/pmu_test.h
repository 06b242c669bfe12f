/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of the emulated PMU.  They use the kernel's own driver, user RDPMC, raw
 * registers and the back door, and nothing of the topdown module.
 */
#ifndef PMU_TEST_H
#define PMU_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "../backdoor.h"

#define CYCLES_NS	3
#define BUSY_CPU	1		/* Where tests run, away from interrupts. */
#define IDLE_CPU	2

#define CONFIG_SLOTS	0x0400
#define CONFIG_METRIC(k) (0x8000 + ((k) << 8))
#define CONFIG_CYCLES	(machine.amd ? 0x0076 : 0x003c)
#define CONFIG_INSNS	0x00c0

#define RDPMC_FIXED(n)	((1u << 30) | (n))
#define RDPMC_METRICS	(1u << 29)

struct machine {
	const char *name;
	unsigned int width;
	unsigned int metrics;		/* Bytes of PERF_METRICS. */
	bool pmu;
	unsigned int model;
	unsigned int version;		/* Of CPUID 0AH; 0: 5. */
	unsigned int gp;		/* General counters; 0: 8. */
	unsigned int fixed;		/* 0: 4, but none of AMD's. */
	bool any;			/* AnyThread. */
	bool narrow;			/* No IA32_A_PMCn. */
	enum td_bd_quant quant;
	bool icount;
	bool executed;			/* Events by what is executed. */
	bool smt;
	bool amd;
	bool pebs;
	bool ibs;
	bool hypervisor;		/* CPUID says that it is a guest. */
	bool filter;			/* Only architectural events count, until told otherwise. */
	/* Counters stand still half of the time, unless a test turns that off. */
	bool half;
	unsigned int e_width;		/* Of the second half of the CPUs; 0: all are alike. */
	unsigned int e_native;		/* Which kind of E-core these are, as CPUID has it. */
};

extern struct machine machine;
extern const struct td_bd_profile profiles[];
extern const unsigned int profiles_nr;

/*
 * A test returns normally if it passed, and calls fail() if not; skip() if this kernel
 * cannot run it, and unfit() if it is about another of the machines in main.c.
 */
struct test {
	const char *name;
	void (*run)(void);
};

extern const struct test perf_tests[], rdpmc_tests[], msr_tests[], truth_tests[];
extern const struct test hybrid_tests[], rate_tests[], amd_tests[], guest_tests[];
extern const struct test pebs_tests[], pebs_perf_tests[], ibs_tests[], executed_tests[];

void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...);
void __attribute__((noreturn)) skip(const char *why);
__attribute__((noreturn)) void unfit(void);
/* Before a measurement that is taken once more: see vm/ktap.awk. */
void again(const char *what);
void need_metrics(void);
void need_pmu(void);
void need_intel(void);

#define expect(condition, ...)				\
	do {						\
		if (!(condition))			\
			fail(__VA_ARGS__);		\
	} while (0)

/* The back door. */
uint32_t door(uint32_t request, uint64_t arg, void *data);
void set_profile(const struct td_bd_profile *profile);
void set_default(const struct td_bd_profile *profile);
void set_rate(uint64_t config, uint64_t rate);
struct td_bd_truth truth_space(void);
struct td_bd_truth truth_cpu(unsigned int cpu);
/* What PERF_METRICS has to show for a category of a profile. */
unsigned int byte_of(const struct td_bd_profile *profile, unsigned int category);
/* The same as a ratio, and as the profile of a truth. */
double ratio(uint64_t part, uint64_t whole);

/* Work and time. */
void pin(unsigned int cpu);
void spin_loop(uint64_t rounds);
void spin_ms(unsigned int ms);
uint64_t now_ns(void);
extern const char spin_begin[], spin_end[];

/* Runs body(arg) in a child and fails if that did. */
void in_child(void (*body)(void *), void *arg);

/* perf events of this task, on any CPU. */
struct event {
	int fd;
	struct perf_event_mmap_page *page;
};

struct event event_open(uint64_t config, struct event *leader, uint64_t flags);
#define EVENT_USER	1		/* exclude_kernel */
#define EVENT_DISABLED	2
int event_try(uint64_t config, struct event *leader, uint64_t flags);
void event_map(struct event *event);
void event_unmap(struct event *event);
void event_close(struct event *event);
void group_open(struct event *events, unsigned int metrics, uint64_t flags);
void group_close(struct event *events, unsigned int metrics);
void group_enable(struct event *events, bool on);
/* values[0] is the leader's. */
void group_read(struct event *events, uint64_t *values, unsigned int nr);

/* False if it faulted. */
bool rdpmc_try(uint32_t index, uint64_t *value);
bool msr_try_read(unsigned int cpu, uint32_t msr, uint64_t *value);
bool msr_try_write(unsigned int cpu, uint32_t msr, uint64_t value);
uint64_t msr_read(unsigned int cpu, uint32_t msr);
void msr_write(unsigned int cpu, uint32_t msr, uint64_t value);

#endif /* PMU_TEST_H */
