/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What each field of each layout says. The table is data; stall-decode.c goes by it, and the
 * manual page and the tests are compared with it.
 */
#ifndef TOPDOWN_STALL_TABLE_H
#define TOPDOWN_STALL_TABLE_H

#include <stdbool.h>
#include <topdown_stall.h>

#include "stall-lookups.h"

/**
 * enum td_stall_op - what is done with a field
 *
 * @TD_FLAG: not 0: set the flags
 * @TD_NOT_FLAG: 0: set the flags
 * @TD_GUARD: nothing; other fields go by it
 * @TD_KIND: not 0: set the kind
 * @TD_LOOKUP: look it up in a table
 * @TD_NUMBER: set a number; stall-decode.c knows where
 * @TD_L1_HIT: the first level cache had the line, or had it not
 * @TD_CACHE_STATE: 0 says that the cache had modified the line
 * @TD_PAGE: size of the page
 * @TD_ACCESS: bytes of the access
 * @TD_OMR_SOURCE: the place that answered, by the numbers of OMR
 * @TD_OMR_SNOOP: how caches answered
 * @TD_OPERATIONS: perf: load, store, prefetch, execute
 * @TD_LEVELS: perf: levels, as bits
 * @TD_LEVEL: perf: level, as a number
 * @TD_TLB: perf: translation
 * @TD_HOPS: perf: how far away
 */
enum td_stall_op {
	TD_FLAG,
	TD_NOT_FLAG,
	TD_GUARD,
	TD_KIND,
	TD_LOOKUP,
	TD_NUMBER,
	TD_L1_HIT,
	TD_CACHE_STATE,
	TD_PAGE,
	TD_ACCESS,
	TD_OMR_SOURCE,
	TD_OMR_SNOOP,
	TD_OPERATIONS,
	TD_LEVELS,
	TD_LEVEL,
	TD_TLB,
	TD_HOPS,
};

/* Numbers of struct topdown_stall, for TD_NUMBER. */
enum td_stall_number {
	TD_IP,
	TD_ADDRESS,
	TD_TARGET,
	TD_WHOLE,
	TD_RETIRE,
	TD_CACHE,
	TD_TRANSLATION,
	TD_FETCH,
	TD_DISPATCH,
	TD_OUTSTANDING,
	TD_REGION,
	TD_NUMBERS,
};

/**
 * struct td_stall_bits - a field of some layouts
 * @layouts: bit n for layout n
 * @word: register
 * @shift: lowest bit
 * @width: bits
 * @high_shift: lowest bit of the upper part of the number
 * @high_width: bits of that part; 0 for none
 * @if_word: register of @if_set and @if_clear
 * @if_set: the field counts only if all of these bits are set
 * @if_clear: and none of these
 * @caps: bits of the capability word that must be set
 * @lacks: and must not
 * @op: what is done with it
 * @flags: of TD_FLAG and TD_NOT_FLAG
 * @kind: of TD_KIND
 * @number: of TD_NUMBER
 * @lookup: of TD_LOOKUP
 * @unconfirmed: known from the news
 * @what: for people
 */
struct td_stall_bits {
	uint32_t layouts;
	uint8_t word;
	uint8_t shift;
	uint8_t width;
	uint8_t high_shift;
	uint8_t high_width;
	uint8_t if_word;
	uint64_t if_set;
	uint64_t if_clear;
	uint32_t caps;
	uint32_t lacks;
	enum td_stall_op op;
	uint64_t flags;
	enum topdown_stall_kind kind;
	enum td_stall_number number;
	const struct td_stall_lookup *lookup;
	bool unconfirmed;
	const char *what;
};

extern const struct td_stall_bits td_stall_table[];
extern const unsigned int td_stall_table_nr;

#endif /* TOPDOWN_STALL_TABLE_H */
