/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events that locate the slots of nodes, for each core.
 */
#ifndef TOPDOWN_STALL_EVENTS_H
#define TOPDOWN_STALL_EVENTS_H

#include <topdown.h>
#include <topdown_stall.h>

enum td_stall_core {
	TD_CORE_NONE,
	TD_CORE_SKYLAKE,
	TD_CORE_SUNNY_COVE,
	TD_CORE_GOLDEN_COVE,
	TD_CORE_REDWOOD_COVE,
	TD_CORE_LION_COVE,
	TD_CORE_GRACEMONT,
	TD_CORE_CRESTMONT,
	TD_CORE_ZEN,
};

enum td_stall_pmu {
	TD_PMU_CPU,			/* The only or the larger cores. */
	TD_PMU_ATOM,			/* The smaller cores of a hybrid machine. */
	TD_PMU_IBS_OP,
	TD_PMU_IBS_FETCH,
};

/* Events that need the same register, of which there is one, take turns. */
enum td_stall_register {
	TD_REGISTER_NONE,
	TD_REGISTER_FRONTEND,
};

/**
 * struct td_stall_spec - an event
 * @cores: bit n for enum td_stall_core n
 * @pmu: the PMU; of the cores that are larger on one machine and smaller on another: TD_PMU_CPU
 * @name: its name
 * @nodes: bit n for node n
 * @config: perf_event_attr.config
 * @config1: perf_event_attr.config1
 * @file: its config is in this file of the PMU's events; NULL for @config
 * @leader: an event that has to be counted before it, if the PMU has such a file
 * @precise: largest precise_ip
 * @branches: branch records help
 * @exclusive: register
 * @role: enum topdown_stalls_role
 * @kind: what the event says of the instruction, where the sample does not
 * @stage: the same
 * @reason: the same
 */
struct td_stall_spec {
	uint32_t cores;
	enum td_stall_pmu pmu;
	const char *name;
	uint32_t nodes;
	uint64_t config;
	uint64_t config1;
	const char *file;
	const char *leader;
	uint8_t precise;
	bool branches;
	enum td_stall_register exclusive;
	enum topdown_stalls_role role;
	uint8_t kind;
	uint8_t stage;
	uint8_t reason;
};

extern const struct td_stall_spec td_stall_specs[];
extern const unsigned int td_stall_specs_nr;

enum td_stall_core td_stall_core_of(const char *vendor, unsigned int family, unsigned int model,
				    bool small);
/* The one of this machine. */
enum td_stall_core td_stall_core(bool small);

#endif /* TOPDOWN_STALL_EVENTS_H */
