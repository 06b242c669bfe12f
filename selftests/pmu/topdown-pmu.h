/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulated PMU inside the emulator: what its source files share.  The hooks
 * that the emulator calls are declared by hooks.patch, in target/i386/cpu.h.
 */
#ifndef TOPDOWN_PMU_H
#define TOPDOWN_PMU_H

#include "backdoor.h"

#define TD_MICRO	1000000u	/* One event or slot, in micro-events. */
#define TD_CYCLES_NS	3u		/* Unhalted cycles per ns of virtual time. */
#define TD_REF_NS	2u		/* Reference cycles per ns of virtual time. */

#define TD_WIDTH_BITS	48
#define TD_COUNTER_MASK	((1ULL << TD_WIDTH_BITS) - 1)
#define TD_MAX_GP	8
#define TD_MAX_FIXED	4
#define TD_FIXED_SLOTS	3
#define TD_MAX_CPUS	256
#define TD_MAX_RATES	64
#define TD_MAX_LATENCIES 64

/* How long the counters run and then stand still: see TD_BD_SET_GUEST. */
#define TD_GUEST_NS	500000

/*
 * What tells events apart in PERFEVTSEL: event, unit mask, edge, AnyThread, invert,
 * counter mask, and of AMD the upper part of the event.
 */
#define TD_EVENT_BITS	0xfffa4ffffull

/* Events that MSR_PEBS_FRONTEND tells apart: FRONTEND_RETIRED, and where its bits go. */
#define TD_EVENT_FRONTEND	0xc6
#define TD_FRONTEND_SHIFT	40
#define TD_FRONTEND_BITS	(0x7fffffull << TD_FRONTEND_SHIFT)

#define TD_GLOBAL_FIXED	32		/* First fixed counter in GLOBAL_*. */
#define TD_GLOBAL_METRICS	48	/* PERF_METRICS in GLOBAL_*. */
#define TD_GLOBAL_BUFFER	62	/* The PEBS buffer, in GLOBAL_STATUS. */

#define TD_EVTSEL_USR		(1u << 16)
#define TD_EVTSEL_OS		(1u << 17)
#define TD_EVTSEL_INT		(1u << 20)
#define TD_EVTSEL_ANY		(1u << 21)
#define TD_EVTSEL_EN		(1u << 22)
#define TD_EVTSEL_ADAPTIVE	(1ull << 34)

#define TD_FIXED_OS		1u
#define TD_FIXED_USR		2u
#define TD_FIXED_ANY		4u
#define TD_FIXED_PMI		8u
#define TD_FIXED_ADAPTIVE	(1ull << 32)	/* Of counter 0; each of the others 4 bits on. */

typedef unsigned __int128 td_u128;

/* Events are made of one of these; see topdown-executed.c. */
enum td_basis {
	TD_BY_TIME,			/* ns of virtual time. */
	TD_BY_INSTRUCTIONS,
	TD_BY_BRANCHES,
	TD_BASES
};

/* So many micro-events in each of that. */
typedef struct TdRate {
	enum td_basis basis;
	uint64_t micro;
} TdRate;

/* How much there was of each. */
typedef struct TdStep {
	uint64_t of[TD_BASES];
} TdStep;

enum td_unit {
	TD_UNIT_CYCLES,
	TD_UNIT_REF,
	TD_UNIT_SLOTS,
	TD_UNIT_CATEGORY,
	TD_UNIT_ISSUED,			/* Slots that retire or are thrown away. */
	TD_UNIT_REST,			/* Of level 1, less the child that PERF_METRICS have. */
};

/* What a general counter can count: "one in DIVISOR of UNIT". */
typedef struct TdEvent {
	uint64_t config;		/* TD_EVENT_BITS of PERFEVTSEL. */
	enum td_unit unit;
	enum td_bd_category category;
	unsigned int divisor;		/* 0 ends a list. */
} TdEvent;

/* Events of some codes and a unit mask, or any: the general counters that can count them. */
typedef struct TdConstraint {
	uint8_t first, last;
	uint16_t unit;
	uint32_t counters;		/* 0 ends a list. */
} TdConstraint;

/* One core; "version" 0 is a machine without a PMU. */
typedef struct TdPreset {
	const char *name;
	unsigned int version;
	unsigned int gp;
	unsigned int fixed;
	unsigned int width;		/* Slots per cycle. */
	unsigned int metrics;		/* Bytes of PERF_METRICS, 0: none. */
	unsigned int smt_gp;		/* "gp" of a core with two threads; 0: the same. */
	bool any;			/* AnyThread. */
	bool shared;			/* Two threads that run have half of the slots each. */
	bool narrow;			/* No IA32_A_PMCn. */
	bool amd;			/* PerfMonV2. */
	bool guest;			/* As KVM makes a guest: no PERF_CAPABILITIES. */
	bool filter;			/* Only architectural events count. */
	bool half;			/* TD_BD_GUEST_ALL. */
	unsigned int pebs;		/* Record format in PERF_CAPABILITIES; 0: no PEBS. */
	uint32_t ibs;			/* CPUID 8000001BH EAX; 0: none. */
	bool leaf_23;			/* CPUID lists each core's own counters there. */
	bool timed;			/* Its records have the retire latency. */
	const TdEvent *events;
	const TdConstraint *constraints;	/* NULL: any event on any counter. */
	/* Of a hybrid machine: what CPUID 1AH says, and the E-core. */
	uint32_t kind;
	const struct TdPreset *small;
} TdPreset;

/* How often events happen, in micro-events per cycle. */
typedef struct TdRates {
	unsigned int nr;
	struct td_bd_rate rate[TD_MAX_RATES];
} TdRates;

/* What the records of one event had, as TD_BD_LATENCY tells it. */
typedef struct TdLatency {
	uint64_t config;
	uint64_t count, lost, sum, min, max;
	uint64_t address_sum, cache_sum, instruction_sum;
	uint32_t *histogram;		/* One for each latency. */
} TdLatency;

typedef struct TdLatencies {
	unsigned int nr;
	TdLatency of[TD_MAX_LATENCIES];
} TdLatencies;

/* What one record says of its event beside the state of the CPU. */
typedef struct TdSample {
	uint16_t retire;
	uint16_t cache, instruction;
	uint64_t address;
	uint64_t source;
} TdSample;

#define TD_IBS_ENTRIES	4		/* Extended ones of the local APIC. */
#define TD_IBS_BRANCH	(1ull << 37)	/* In OP_DATA. */
#define TD_IBS_FETCH_L3_ONLY	(1ull << 59)
/* What a fetch says of itself, in FETCH_CTL. */
#define TD_IBS_FETCH_BITS	(0xffffull << 32 | 3ull << 50 | 0xfull << 53 | 1ull << 58 | \
				 3ull << 60)

/* What was tagged: the words of its registers, as struct td_bd_ibs has them. */
typedef struct TdIbsDrawn {
	unsigned int number;
	uint64_t word[3];
	uint64_t address;
} TdIbsDrawn;

typedef struct TdIbsEngine {
	uint64_t ctl;			/* Without the count. */
	uint64_t count, micro;
	bool due;			/* Something is tagged, and not yet recorded. */
	TdIbsDrawn drawn;
} TdIbsEngine;

/* The registers of instruction-based sampling. */
typedef struct TdIbs {
	TdIbsEngine op, fetch;
	uint64_t rip, data, data2, data3, linear, physical, target;
	uint64_t fetch_linear, fetch_physical, fetch_extended;
	uint32_t entry[TD_IBS_ENTRIES];
	bool called, interrupts;
} TdIbs;

typedef struct TdIbsTruth {
	uint64_t count[TD_BD_IBS_ENGINES][TD_BD_IBS_KINDS + 1];
	uint64_t ip_sum[TD_BD_IBS_ENGINES][TD_BD_IBS_KINDS + 1];
	uint64_t address_sum[TD_BD_IBS_ENGINES][TD_BD_IBS_KINDS + 1];
	uint64_t counted[TD_BD_IBS_ENGINES], flushed[TD_BD_IBS_ENGINES];
} TdIbsTruth;

typedef struct TdIbsSpace {
	struct td_bd_ibs kind[TD_BD_IBS_ENGINES][TD_BD_IBS_KINDS];
	TdIbsTruth truth;
} TdIbsSpace;

/* Slots, and micro-slots of each category so that no fraction is lost. */
typedef struct TdTruth {
	uint64_t slots;
	uint64_t user_slots;
	uint64_t stopped;
	uint64_t held;
	td_u128 category[TD_BD_CATEGORIES];
	td_u128 user_category[TD_BD_CATEGORIES];
} TdTruth;

/* One address space, known by the page frame of its top page table. */
typedef struct TdSpace {
	uint64_t key;
	uint64_t raw;			/* As last loaded, before any folding. */
	uint64_t *table;		/* Host address of the table, or NULL. */
	uint64_t mark;			/* An entry that lasts as long, or 0. */
	unsigned int mark_index;
	unsigned int loaded;		/* vCPUs that have it in CR3. */
	bool has_profile;
	struct td_bd_profile profile;
	TdRates *rates;			/* NULL: none of its own. */
	TdLatencies *latencies;		/* NULL: no record yet. */
	unsigned int memories_nr;
	struct td_bd_memory memory[TD_BD_MEMORIES];
	TdIbsSpace *ibs;		/* NULL: nothing said and nothing tagged. */
	TdTruth truth;
} TdSpace;

typedef struct TdCounter {
	uint64_t value;
	uint64_t micro;			/* The part of the next event. */
} TdCounter;

/* One vCPU.  All of it is under td_lock. */
typedef struct TdPmu {
	X86CPU *cpu;
	const TdPreset *preset;
	struct TdPmu *sibling;		/* The other thread of the core, or NULL. */
	TdSpace *space;
	int64_t last;			/* Virtual time accounted up to. */
	uint64_t instructions, branches;	/* Likewise, where events are made of them. */
	unsigned int cpl;
	bool halted;

	TdCounter gp[TD_MAX_GP];
	TdCounter fixed[TD_MAX_FIXED];
	td_u128 metric[TD_BD_CATEGORIES];	/* Behind PERF_METRICS. */
	int64_t late;				/* Bytes are 0 until then: TD_BD_FAULT_LATE. */
	uint64_t evtsel[TD_MAX_GP];
	uint64_t fixed_ctrl;
	uint64_t global_ctrl;
	uint64_t global_status;

	uint64_t ds_area;
	uint64_t pebs_enable;
	uint64_t pebs_data_cfg;
	uint64_t load_latency;		/* The threshold. */
	uint64_t frontend;
	uint64_t offcore[2];
	uint64_t pebs_due;		/* Counters that owe a record, as bits of GLOBAL_*. */
	bool pebs_called;
	uint64_t random;
	TdLatencies *latencies;
	TdIbs ibs;
	TdIbsTruth ibs_truth;

	QEMUTimer *timer;
	int64_t armed;			/* INT64_MAX: not armed. */
	bool pmi_pending;

	TdTruth truth;
	uint64_t rdmsr, wrmsr, rdpmc, pmi, wakeups;
} TdPmu;

extern QemuMutex td_lock;
extern TdPmu *td_cpus[TD_MAX_CPUS];
extern enum td_bd_quant td_quant;
extern enum td_bd_restore td_restore;
extern enum td_bd_fault td_fault;
extern bool td_filter;
extern enum td_bd_guest td_guest;

/* topdown-model.c */
const TdPreset *td_preset_find(const char *name);
const TdPreset *td_preset_of_cpu(const TdPreset *preset, unsigned int index);
uint32_t td_preset_leaf_a(const TdPreset *preset, uint32_t *fixed_mask,
			  uint32_t *edx);
const TdEvent *td_event_find(const TdPreset *preset, uint64_t config);
bool td_event_filtered(const TdPreset *preset, uint64_t config);
const struct td_bd_rate *td_rate_find(const TdRates *own, uint64_t config);
bool td_rate_set(TdRates *rates, const struct td_bd_rate *rate);
bool td_rates_load(Error **errp);

/* topdown-constraints.c */
extern const TdConstraint td_cove_constraints[], td_sunny_constraints[];
extern const TdConstraint td_sandy_constraints[], td_ivy_constraints[];
extern const TdConstraint td_haswell_constraints[], td_broadwell_constraints[];
extern const TdConstraint td_lake_constraints[];
uint32_t td_counters_of(const TdPreset *preset, uint64_t config);

/* topdown-pmu.c; "locked" ones want td_lock held. */
bool td_runs(const TdPmu *p);
int64_t td_now_locked(TdPmu *p);
void td_sync_locked(TdPmu *p, int64_t now);
void td_service(TdPmu *p);
void td_lock_and_sync(TdPmu *p);
void td_unlock(TdPmu *p);
void td_assist(TdPmu *p);
bool td_stands(int64_t at);
bool td_global(const TdPmu *p, int bit);
unsigned int td_fixed_field(const TdPmu *p, int n);
TdCounter *td_counter(TdPmu *p, int bit);

/* topdown-msr.c */
bool td_metrics_load(Error **errp);

/* topdown-rate.c */
uint64_t td_slots(const TdPmu *p, uint64_t ns);
TdRate td_event_rate(const TdPmu *of, uint64_t config);
uint64_t td_issued_rate(const TdPmu *of);
TdRate td_gp_rate(const TdPmu *p, const TdPmu *of, int n);
TdRate td_fixed_rate(const TdPmu *p, const TdPmu *of, int n);
uint64_t td_selected(const TdPmu *p, int n);
uint64_t td_fixed_event(int n);

/* topdown-executed.c; td_executed itself is in cpu.h. */
bool td_executed_load(const TdPreset *preset, Error **errp);
bool td_executed_rate(const TdPreset *preset, uint64_t config, TdRate *rate);
void td_executed_since(TdPmu *p, TdStep *step);
td_u128 td_least_ns(const TdRate *rate, td_u128 units);

/* topdown-pebs.c; all want td_lock held. */
bool td_pebs_is_ours(const TdPmu *p, uint32_t msr);
bool td_pebs_read(const TdPmu *p, uint32_t msr, uint64_t *value);
bool td_pebs_write(TdPmu *p, uint32_t msr, uint64_t value);
bool td_pebs_counts(const TdPmu *p, int bit);
void td_pebs_overflow(TdPmu *p, int bit);
void td_pebs_assist(TdPmu *p);
void td_pebs_reset(TdPmu *p);

/* topdown-ibs.c; all want td_lock held. */
bool td_ibs_is_ours(const TdPmu *p, uint32_t msr);
bool td_ibs_read(TdPmu *p, uint32_t msr, uint64_t *value);
bool td_ibs_write(TdPmu *p, uint32_t msr, uint64_t value);
void td_ibs_count(TdPmu *p, const TdStep *step);
int64_t td_ibs_deadline(const TdPmu *p);
void td_ibs_assist(TdPmu *p);
void td_ibs_deliver(TdPmu *p);
void td_ibs_reset(TdPmu *p);

/* topdown-ibs-draw.c; with td_lock held. */
bool td_ibs_set(TdSpace *s, const struct td_bd_ibs *kind);
void td_ibs_forget(TdSpace *s);
void td_ibs_draw(TdPmu *p, unsigned int engine, TdIbsDrawn *drawn);
bool td_ibs_beyond_l3(unsigned int engine, const TdIbsDrawn *drawn);
void td_ibs_note(TdPmu *p, unsigned int engine, const TdIbsDrawn *drawn, uint64_t ip);
void td_ibs_note_counted(TdPmu *p, unsigned int engine, uint64_t counted);
void td_ibs_note_flushed(TdPmu *p, unsigned int engine);
bool td_ibs_query(const TdIbsTruth *t, struct td_bd_ibs_truth *data);

/* topdown-latency.c; with td_lock held, but for the first. */
bool td_latencies_load(Error **errp);
uint32_t td_random(TdPmu *p);
uint64_t td_draw_address(TdPmu *p);
void td_sample_draw(TdPmu *p, uint64_t config, bool timed, TdSample *sample);
bool td_memory_set(TdSpace *s, const struct td_bd_memory *memory);
void td_sample_note(TdLatencies **list, uint64_t config, const TdSample *sample);
void td_latency_query(const TdLatencies *list, struct td_bd_latency *data);
void td_latencies_free(TdLatencies *list);

/* topdown-space.c */
void td_truth_add(TdTruth *t, const struct td_bd_profile *f, uint64_t slots,
		  bool user);
const struct td_bd_profile *td_profile_of(const TdSpace *s);
void td_space_load_locked(TdPmu *p, uint64_t cr3);
void td_space_user_locked(TdPmu *p, uint64_t cr3);

#endif /* TOPDOWN_PMU_H */
