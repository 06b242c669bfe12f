/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fields whose values are numbers of a list.
 */
#ifndef TOPDOWN_STALL_LOOKUPS_H
#define TOPDOWN_STALL_LOOKUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown_stall.h>

/**
 * struct td_stall_entry - what one value of a field says
 * @set: the value says something
 * @kind: enum topdown_stall_kind, 0 to leave it
 * @stage: enum topdown_stall_stage, 0 to leave it
 * @reason: enum topdown_stall_reason, 0 to leave it
 * @source: enum topdown_stall_source, 0 to leave it
 * @flags: TOPDOWN_STALL_*
 */
struct td_stall_entry {
	bool set;
	uint8_t kind;
	uint8_t stage;
	uint8_t reason;
	uint8_t source;
	uint64_t flags;
};

#define TD_ENTRIES	32

struct td_stall_lookup {
	struct td_stall_entry of[TD_ENTRIES];
};

/* Where data came from: PEBS of each core, and IBS before and from Zen 4 on. */
extern const struct td_stall_lookup td_source_nhm;
extern const struct td_stall_lookup td_source_snb;
extern const struct td_stall_lookup td_source_skl;
extern const struct td_stall_lookup td_source_grt;
extern const struct td_stall_lookup td_source_cmt;
extern const struct td_stall_lookup td_source_lnc;
extern const struct td_stall_lookup td_source_pnc;
extern const struct td_stall_lookup td_source_arw;
extern const struct td_stall_lookup td_source_zen2;
extern const struct td_stall_lookup td_source_zen4;
/* POWER: the kind, the finish stall, what was rejected, where data and instructions came from. */
extern const struct td_stall_lookup td_sier_kind;
extern const struct td_stall_lookup td_sier_stall;
extern const struct td_stall_lookup td_sier_reject;
extern const struct td_stall_lookup td_sier_mispredict;
extern const struct td_stall_lookup td_sier_fetch;
extern const struct td_stall_lookup td_sier_source;

#endif /* TOPDOWN_STALL_LOOKUPS_H */
