/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the guest programs: the back door of the emulated PMU (backdoor.c),
 * the module and its device (device.c), and things to execute (profiles.c).
 */
#ifndef TOPDOWN_SELFTESTS_GUEST_H
#define TOPDOWN_SELFTESTS_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <linux/topdown.h>

#include "pmu/backdoor.h"

#define TD_DEVICE	"/dev/topdown"
#define TD_SYSFS	"/sys/kernel/topdown"
#define TRACING		"/sys/kernel/tracing/"
#define TD_CPUS_MAX	256
/* Those that the tests know of. */
#define TD_NR_NODES	14
#define TD_NR_PARENTS	4
#define TD_NR_KINDS	3

/* The nodes of which the emulator knows the truth, the first ones: PERF_METRICS'. */
#define TRUTH_NODES	(TOPDOWN_CORE_BOUND + 1)

/* backdoor.c: false or an error text where this is not the emulated PMU. */
bool backdoor_open(void);
bool backdoor_exact(void);
bool backdoor_fast(void);
bool backdoor_set_profile(const struct td_bd_profile *profile);
/* The next phase of the same program: its truth goes on. */
bool backdoor_change_profile(const struct td_bd_profile *profile);
bool backdoor_set_default(const struct td_bd_profile *profile);
/* How the bytes of PERF_METRICS are made, and what a restore of them starts from. */
bool backdoor_set_quant(enum td_bd_quant quant);
bool backdoor_set_quant_named(const char *name);
bool backdoor_set_restore(enum td_bd_restore restore);
/* The machine is wrong in this way from now on. */
bool backdoor_set_fault(enum td_bd_fault fault);
/* How often an event of perf's happens here: @rate in 1,000,000 cycles. */
bool backdoor_set_rate(uint64_t config, uint64_t rate);
/* What the memory group of PEBS says of this event here. */
bool backdoor_set_memory(const struct td_bd_memory *memory);
/* A kind of operations or fetches that instruction-based sampling tags here. */
bool backdoor_set_ibs(const struct td_bd_ibs *kind);
/* Set how the hypervisor of a guest, or of this host, changes counters. */
bool backdoor_set_filter(bool on);
bool backdoor_set_guest(enum td_bd_guest what);
bool backdoor_truth_cpu(unsigned int cpu, struct td_bd_truth *truth);
/* The sums of the PEBS records of an event on a CPU, and its histogram from @first on. */
bool backdoor_latency_cpu(unsigned int cpu, uint64_t config, uint32_t first, uint32_t width,
			  struct td_bd_latency *latency);
/* The truth of the caller's address space. */
bool backdoor_truth_space(struct td_bd_truth *truth);
void backdoor_truth_sub(struct td_bd_truth *later, const struct td_bd_truth *earlier);
/* Add the slots, and what they were for. */
void backdoor_truth_add(struct td_bd_truth *sum, const struct td_bd_truth *more);
/* The truth as fractions of its slots, in the order of enum topdown_node. */
void backdoor_truth_nodes(const struct td_bd_truth *truth, double node[TRUTH_NODES]);

/* A measurement is taken once more: vm/ktap.awk counts these, and a run may need few. */
static inline void say_again(const char *what)
{
	printf("# again: %s\n", what);
	fflush(stdout);
}

/* The nodes that PERF_METRICS have up to a level, bit n for node n. */
static inline uint32_t nodes_of_level(unsigned int level)
{
	return level > 1 ? (1U << TRUTH_NODES) - 1 : level ? 0xf : 0;
}

/* profiles.c */
struct profile {
	const char *name;
	const char *text;
	struct td_bd_profile profile;
};

extern const struct profile profiles[];
extern const unsigned int profiles_nr;

const struct profile *profile_find(const char *name);
/* Eight fractions of 1 separated by commas. */
bool profile_parse(const char *text, struct td_bd_profile *profile);

/* device.c: functions return 0 or a negative errno, unless they say otherwise. */
int module_load(const char *params);
/* topdown_latency, beside topdown. */
int module_load_latency(void);
/* The file of topdown_latency, if it was not installed. */
bool module_latency_file(char *path, size_t size);
int module_unload_latency(void);
/* Both of them. */
int module_unload(void);
bool module_loaded(void);
/*
 * Load the module if it is not there: 0, or what a test shall end with: 4 if
 * this machine is none that can be measured, 1 after a message.
 */
int module_need(void);
/* The same, and topdown_latency too. */
int module_need_latency(void);
/* The same; also 4 without the emulated PMU. */
int emulator_need(void);

int device_open(void);
int device_info(int fd, struct topdown_info *info);
/* @cpus NULL: all.  *@nr as in struct topdown_read. */
int device_read(int fd, __u32 flags, const __u64 *cpus, __u32 words,
		struct topdown_record *records, __u32 *nr);
int device_read_cpu(int fd, __u32 flags, unsigned int cpu, struct topdown_record *record);
/* Return: the descriptor of the session, or a negative errno. */
int device_attach(int fd, __u32 flags, int pid);
int device_session(int session, __u32 flags, struct topdown_session *answer);
/* The kinds of core too; @kind has room for TD_NR_KINDS. */
int device_session_kinds(int session, __u32 flags, struct topdown_session *answer,
			 struct topdown_session_kind *kind);
/* Return: 0, with TOPDOWN_CONTROL_VIEW the view, or a negative errno. */
int device_control(int session, enum topdown_control_action action);
/* Leave what was counted between two readings: its sums, and ratios of those of @nodes. */
void figures_since(struct topdown_figures *now, const struct topdown_figures *then, __u64 nodes);
void session_since(struct topdown_session *now, const struct topdown_session *then);
/* Hand a descriptor on, by a socket.  Return: whether it was sent; the descriptor, or -1. */
bool fd_send(int to, int fd);
int fd_receive(int from);
/* With more flags of open(); 0 or a negative errno. */
int file_write(const char *path, int flags, const char *text);
int period_set(const char *text);

/* CPUs that are online; at most TD_CPUS_MAX. */
unsigned int cpus_online(unsigned int *cpu);
int cpu_set_online(unsigned int cpu, bool online);
/* Put all CPUs online that a test which ended early may have left offline. */
void cpus_set_online(void);
/* Linux 6.12's warns when a CPU under load goes offline: lib.bash. */
void fair_server_off(void);
/* The function call interrupts of CPU 0 or 1 so far; 0 if that is not known. */
unsigned long cpu_calls(unsigned int cpu);
int cpu_pin(unsigned int cpu);
uint64_t clock_ns(clockid_t clock);
void sleep_ms(unsigned int ms);
/* Copy memory that can change meanwhile.  @size is a multiple of 8. */
void copy_words(void *to, const void *from, size_t size);
/* From now on the calling task, and what it starts, runs before all load. */
int realtime(void);
/* One general counter of a CPU for good, as the NMI watchdog has one; -1 if there is none. */
int counter_take(unsigned int cpu);
/* A number from the environment. */
double env_number(const char *name, double otherwise);
/* A child that executes @profile on @cpu until it is killed; its pid. */
int spin_start(unsigned int cpu, const struct td_bd_profile *profile);
/* It calls @prepare first. */
int spin_start_with(unsigned int cpu, const struct td_bd_profile *profile, bool (*prepare)(void));
void spin_stop(int pid);

#endif /* TOPDOWN_SELFTESTS_GUEST_H */
