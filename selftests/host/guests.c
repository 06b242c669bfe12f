// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that cannot be believed, bytes that do not sum to what they can, and the
 * time of a CPU in guests.
 */
#include <stdlib.h>
#include <string.h>

#include "formula.h"
#include "guest.h"
#include "ktap.h"
#include "plausible.h"
#include "random.h"

#define MANY	(1ULL << 30)
#define FEW	1000
/* Some ten microseconds of a CPU, which a doubt needs no more of. */
#define ENOUGH	(1ULL << 18)

#define LONG_NS		10000000
#define SHORT_NS	20000

/* The bytes of a window as the driver makes counts of them. */
static enum td_bytes fold(struct td_quant *quant, uint64_t slots, unsigned int retiring,
			  unsigned int bad, unsigned int frontend, unsigned int backend)
{
	unsigned int byte[] = { retiring, bad, frontend, backend };
	uint64_t node[TOPDOWN_MAX_NODES] = { 0 };
	struct td_counts counts = { .slots = slots };
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		counts.metric[i] = slots * byte[i] / 255;
	return td_counts_fold(&counts, quant, 1, (__u64 *)node);
}

static bool sums_right(void)
{
	struct td_quant truncates = { .score = 16 }, rounds = { .score = -16 };
	struct td_quant unknown = { 0 }, unknown_too = { 0 }, rest = { .rest = 16 };

	/* 255, 252 and 253 of 255, then 257. */
	return fold(&truncates, MANY, 100, 100, 50, 5) == TD_BYTES_RIGHT &&
	       fold(&truncates, MANY, 100, 99, 49, 4) == TD_BYTES_RIGHT &&
	       fold(&rounds, MANY, 100, 99, 50, 4) == TD_BYTES_RIGHT &&
	       fold(&rounds, MANY, 101, 101, 50, 5) == TD_BYTES_RIGHT &&
	       fold(&unknown, MANY, 100, 99, 49, 4) == TD_BYTES_RIGHT &&
	       fold(&unknown_too, MANY, 101, 101, 50, 5) == TD_BYTES_RIGHT &&
	       fold(&rest, MANY, 100, 100, 50, 5) == TD_BYTES_RIGHT;
}

/* The same sums where the CPU makes bytes in the other way. */
static bool sums_odd(void)
{
	struct td_quant truncates = { .score = 16 }, rounds = { .score = -16 }, unknown = { 0 };
	struct td_quant rest = { .rest = 16 }, rest_too = { .rest = 16 };

	return fold(&truncates, MANY, 101, 100, 50, 5) == TD_BYTES_ODD &&
	       fold(&truncates, MANY, 100, 98, 49, 4) == TD_BYTES_ODD &&
	       fold(&rounds, MANY, 100, 99, 49, 4) == TD_BYTES_ODD &&
	       fold(&rounds, MANY, 102, 101, 50, 5) == TD_BYTES_ODD &&
	       fold(&unknown, MANY, 100, 98, 49, 4) == TD_BYTES_ODD &&
	       fold(&unknown, MANY, 120, 120, 60, 40) == TD_BYTES_ODD &&
	       fold(&rest, MANY, 101, 101, 50, 5) == TD_BYTES_ODD &&
	       fold(&rest_too, MANY, 100, 99, 50, 4) == TD_BYTES_ODD;
}

/* A profile of whole steps is weak evidence of rounding: not to be held against the next. */
static bool sums_not_proved(void)
{
	struct td_quant quant = { 0 };
	unsigned int i;

	for (i = 0; i < 100; i++)
		fold(&quant, MANY, 100, 100, 50, 5);
	return quant.score < 0 && fold(&quant, MANY, 100, 99, 49, 4) == TD_BYTES_RIGHT;
}

static bool sums_absurd(void)
{
	struct td_quant quant = { 0 };

	return fold(&quant, MANY, 0, 0, 0, 0) == TD_BYTES_ZERO &&
	       fold(&quant, MANY, 60, 30, 20, 10) == TD_BYTES_ABSURD &&
	       fold(&quant, MANY, 200, 200, 100, 10) == TD_BYTES_ABSURD &&
	       fold(&quant, FEW, 0, 0, 0, 0) == TD_BYTES_RIGHT;
}

static bool no_profile_is_odd(enum way way)
{
	struct td_quant quant = { 0 };
	struct rng rng = { 11 };
	struct td_counts counts;
	struct profile profile;
	struct window window;
	uint64_t node[TOPDOWN_MAX_NODES];
	unsigned int i, odd = 0;

	for (i = 0; i < 200000; i++) {
		profile_random(&rng, &profile);
		window_make(&profile, MANY, &window);
		window_counts(&window, way, &counts);
		memset(node, 0, sizeof(node));
		odd += td_counts_fold(&counts, &quant, 2, (__u64 *)node) != TD_BYTES_RIGHT;
	}
	ktap_note("%u of %u windows are odd, score %d, rest %d", odd, i, quant.score, quant.rest);
	return !odd && (way == WAY_REST ? quant.rest > 0 :
			quant.rest < 0 && (way == WAY_ROUND ? quant.score < 0 : quant.score > 0));
}

static bool doubts(void)
{
	return td_doubt_counters(MANY, 0, MANY, 1) == TD_DOUBT_RETIRED &&
	       td_doubt_counters(MANY, 1, MANY, 1) == TD_DOUBT_NONE &&
	       td_doubt_counters(ENOUGH, 0, ENOUGH, 1) == TD_DOUBT_RETIRED &&
	       td_doubt_counters(FEW, 0, FEW, 1) == TD_DOUBT_UNKNOWN &&
	       td_doubt_counters(0, 0, 0, 1000) == TD_DOUBT_UNKNOWN &&
	       td_doubt_counters(0, 0, 0, 1000000000) == TD_DOUBT_STILL &&
	       td_doubt_metrics(TD_BYTES_RIGHT, MANY, 1) == TD_DOUBT_NONE &&
	       td_doubt_metrics(TD_BYTES_ODD, MANY, 1) == TD_DOUBT_NONE &&
	       td_doubt_metrics(TD_BYTES_ZERO, MANY, 1) == TD_DOUBT_METRICS &&
	       td_doubt_metrics(TD_BYTES_ABSURD, MANY, 1) == TD_DOUBT_SUM &&
	       td_doubt_metrics(TD_BYTES_ABSURD, ENOUGH, 1) == TD_DOUBT_SUM &&
	       td_doubt_metrics(TD_BYTES_RIGHT, FEW, 1) == TD_DOUBT_UNKNOWN &&
	       td_doubt_metrics(TD_BYTES_RIGHT, 0, 1000000000) == TD_DOUBT_STILL;
}

/* Level 1 of ordinary events: half as much again as all slots, and no lower limit. */
static bool level1_doubts(void)
{
	uint64_t limit = MANY + MANY / 2;

	return td_doubt_counters(MANY, 1, limit, 1) == TD_DOUBT_NONE &&
	       td_doubt_counters(MANY, 1, limit + 1, 1) == TD_DOUBT_LEVEL1 &&
	       td_doubt_counters(MANY, 0, limit + 1, 1) == TD_DOUBT_RETIRED &&
	       td_doubt_counters(MANY, 1, MANY / 3, 1) == TD_DOUBT_NONE &&
	       td_doubt_counters(MANY, 1, 0, 1) == TD_DOUBT_NONE &&
	       td_doubt_counters(TD_DOUBT_MIN_LEVEL1, 1, 1ULL << 21, 1) == TD_DOUBT_LEVEL1 &&
	       td_doubt_counters(ENOUGH, 1, 2 * ENOUGH, 1) == TD_DOUBT_UNKNOWN &&
	       td_doubt_counters(FEW, 1, 100 * FEW, 1) == TD_DOUBT_UNKNOWN;
}

/* The sum of a formula is that before nodes are cut: the 176% of a report, with no backend. */
static bool level1_is_uncut(void)
{
	struct td_sample sample = {
		.count = { 1000000, 1440000, 5600000, 2160000 }, .width = 4, .level = 1,
	};
	struct td_slots slots;

	td_formula_eval(&td_generic_skl, &sample, &slots);
	return slots.slots == 4000000 && slots.level1 == 1440000 + 2160000 + 3440000 &&
	       !slots.node[TOPDOWN_BACKEND_BOUND] &&
	       td_doubt_counters(slots.slots, slots.node[TOPDOWN_RETIRING], slots.level1, 1) ==
	       TD_DOUBT_LEVEL1;
}

/* A CPU that waits for memory: less than one slot in 255 retires, and that is no doubt. */
static bool stalled_is_believed(void)
{
	struct td_quant quant = { 0 };

	return td_doubt_metrics(fold(&quant, MANY, 0, 0, 0, 254), MANY, 1) == TD_DOUBT_NONE &&
	       td_doubt_counters(MANY, MANY / 100000, MANY, 1) == TD_DOUBT_NONE;
}

static unsigned int windows_until_lost(struct td_trust *trust, enum td_doubt doubt)
{
	unsigned int n;

	for (n = 0; n < 100 && !td_trust_lost(trust); n++) {
		if (!td_trust_part(trust, doubt, LONG_NS))
			return 0;
		td_trust_close(trust);
	}
	return n;
}

static bool lost_after_four(void)
{
	struct td_trust trust = { 0 };

	return windows_until_lost(&trust, TD_DOUBT_RETIRED) == 4 && !td_trust_refuse(&trust) &&
	       windows_until_lost(&trust, TD_DOUBT_RETIRED) == 1 && td_trust_refuse(&trust);
}

/* One long part that can be believed is enough, and begins everything again. */
static bool believed_again(void)
{
	struct td_trust trust = { 0 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		td_trust_part(&trust, TD_DOUBT_RETIRED, LONG_NS);
		td_trust_close(&trust);
	}
	if (td_trust_part(&trust, TD_DOUBT_NONE, LONG_NS) || trust.windows || trust.doubt)
		return false;
	td_trust_close(&trust);
	if (windows_until_lost(&trust, TD_DOUBT_SUM) != 4)
		return false;
	td_trust_refuse(&trust);
	return !td_trust_part(&trust, TD_DOUBT_NONE, LONG_NS) && !td_trust_refuse(&trust);
}

/* Short parts are enough if all of them in a row can be believed. */
static bool believed_by_short_parts(void)
{
	struct td_trust trust = { 0 };
	unsigned int i;

	if (td_trust_part(&trust, TD_DOUBT_NONE, SHORT_NS))
		return false;
	td_trust_part(&trust, TD_DOUBT_SUM, SHORT_NS);
	for (i = 0; td_trust_part(&trust, TD_DOUBT_NONE, SHORT_NS); i++)
		;
	return i == LONG_NS / SHORT_NS - 1 && !trust.doubt;
}

/* Counters that are right for half of a millisecond, and are read then as well. */
static bool lost_between_right_parts(void)
{
	struct td_trust trust = { 0 };
	unsigned int i;

	for (i = 0; i < 100; i++) {
		if (!td_trust_part(&trust, TD_DOUBT_SUM, LONG_NS))
			return false;
		if (!td_trust_part(&trust, TD_DOUBT_NONE, 500000))
			return false;
		td_trust_close(&trust);
		if (td_trust_lost(&trust))
			break;
	}
	return i == 3 && trust.doubt == TD_DOUBT_SUM;
}

/* Few slots are as the last many; windows without any proof are none. */
static bool few_say_nothing(void)
{
	struct td_trust trust = { 0 };
	unsigned int i;

	if (td_trust_part(&trust, TD_DOUBT_UNKNOWN, LONG_NS))
		return false;
	td_trust_part(&trust, TD_DOUBT_METRICS, LONG_NS);
	td_trust_close(&trust);
	for (i = 0; i < 100; i++) {
		if (!td_trust_part(&trust, TD_DOUBT_UNKNOWN, LONG_NS))
			return false;
		td_trust_close(&trust);
	}
	return !td_trust_lost(&trust);
}

/* td_trust_forget() forgets doubts and doubtful windows, and keeps the number of odd windows. */
static bool forgotten(void)
{
	struct td_trust trust = { 0 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		trust.odd = 1;
		td_trust_part(&trust, TD_DOUBT_SUM, LONG_NS);
		td_trust_close(&trust);
	}
	td_trust_forget(&trust);
	return trust.odd_windows == 3 && !trust.doubt &&
	       windows_until_lost(&trust, TD_DOUBT_SUM) == 4;
}

/* Without guests nothing is taken off. */
static bool no_guest(void)
{
	struct td_guest guest;

	td_guest_begin(&guest, 123456789, 0);
	return td_guest_running(&guest, 123456789, 0, 1000000, 700000) == 700000 && !guest.owed;
}

/* Parts of 1 ms on a CPU that is in a guest for half of the time, seen by ticks of 4 ms. */
static uint64_t half_in_guests(uint64_t running_ns, bool apart)
{
	uint64_t total = 5000, ran = 0;
	struct td_guest guest;
	unsigned int i;

	td_guest_begin(&guest, total, apart ? total : 0);
	for (i = 0; i < 8000; i++) {
		if (i % 8 == 3)
			total += 4000000;
		ran += td_guest_running(&guest, total, apart ? total : 0, 1000000, running_ns);
	}
	return ran;
}

/* A whole second at its end, as where a nohz_full CPU leaves the guest but rarely. */
static bool late(void)
{
	struct td_guest guest;
	uint64_t ran;

	td_guest_begin(&guest, 0, 0);
	ran = td_guest_running(&guest, 0, 0, 1000, 1000);
	ran += td_guest_running(&guest, 1500, 0, 1000, 1000);
	ran += td_guest_running(&guest, 1500, 0, 1000, 1000);
	return ran == 1500 && !guest.owed;
}

/* perf keeps the time apart before the kernel accounts for it. */
static bool apart_first(void)
{
	struct td_guest guest;
	uint64_t ran;

	td_guest_begin(&guest, 0, 0);
	ran = td_guest_running(&guest, 0, 400, 1000, 600);
	return ran == 600 && guest.owed == 0;
}

int main(void)
{
	struct ktap ktap;
	enum way way;

	ktap_begin(&ktap, 23);
	ktap_result(&ktap, sums_right(), "sums that bytes can have are believed");
	ktap_result(&ktap, sums_odd(), "sums that bytes cannot have are odd");
	ktap_result(&ktap, sums_not_proved(), "what is not proved is not held against a CPU");
	ktap_result(&ktap, sums_absurd(), "sums that are no sums are odd");
	for (way = 0; way < WAYS; way++)
		ktap_result(&ktap, no_profile_is_odd(way), "no profile is odd where bytes are %s",
			    way_name[way]);
	ktap_result(&ktap, doubts(), "what is odd is doubted");
	ktap_result(&ktap, level1_doubts(), "an odd level 1 is doubted");
	ktap_result(&ktap, level1_is_uncut(), "level 1 of a formula is judged before it is cut");
	ktap_result(&ktap, stalled_is_believed(), "a stalled CPU is believed");
	ktap_result(&ktap, lost_after_four(), "after four windows one is enough");
	ktap_result(&ktap, believed_again(), "a CPU that is right is believed again");
	ktap_result(&ktap, believed_by_short_parts(), "short parts are believed again");
	ktap_result(&ktap, lost_between_right_parts(), "a CPU is lost between parts that are right");
	ktap_result(&ktap, few_say_nothing(), "few slots say nothing");
	ktap_result(&ktap, forgotten(), "a new beginning forgets what was");
	ktap_result(&ktap, no_guest(), "without a guest nothing is taken off");
	ktap_result(&ktap, half_in_guests(1000000, false) == 4000000000, "guests have half the time");
	ktap_result(&ktap, half_in_guests(500000, false) == 2000000000, "half has the counters");
	ktap_result(&ktap, half_in_guests(500000, true) == 4000000000, "guests that perf knows of are not taken off twice");
	ktap_result(&ktap, late(), "guest time that shows late counts");
	ktap_result(&ktap, apart_first(), "guest time that perf knows first counts once");
	return ktap_end(&ktap);
}
