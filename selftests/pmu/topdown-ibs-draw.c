// SPDX-License-Identifier: GPL-2.0
/*
 * Tags of instruction-based sampling: drawn from the kinds of operations and
 * fetches that an address space has said it executes; and the exact truth about all that was
 * drawn.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "topdown-pmu.h"

/* Bits that the engine writes, less those of addresses, which follow from the rest. */
#define TD_DATA_BITS		(0xffffffffull | 0x7full << 34)
#define TD_DATA2_BITS		0xf7ull
#define TD_DATA3_BITS		(~0x1e00ull & ~(TD_DATA3_LINEAR | TD_DATA3_PHYSICAL))
#define TD_DATA3_ACCESS		3ull		/* A load, a store, or both. */
#define TD_DATA3_LOAD		1ull
#define TD_DATA3_MISS		(1ull << 7)
#define TD_DATA3_LINEAR		(1ull << 17)
#define TD_DATA3_PHYSICAL	(1ull << 18)
#define TD_DATA3_L2_MISS	(1ull << 20)
#define TD_FETCH_L3_MISS	(1ull << 61)
#define TD_EXTENDED_BITS	0xffffull

/* Data sources in DATA2: nothing said, and the L3 of this CPU or an L2 beside it. */
#define TD_SOURCE_NONE		0
#define TD_SOURCE_NEAR		1

/* The rest: an operation of neither memory nor branches, and a fetch that hits everywhere. */
#define TD_REST_DATA		(20ull << 16 | 5)
#define TD_REST_FETCH		(4ull << 32 | 1ull << 50)

static bool td_kind_valid(const struct td_bd_ibs *kind)
{
	if (kind->engine > TD_BD_IBS_FETCH || kind->number >= TD_BD_IBS_KINDS ||
	    kind->weight > TD_BD_FRACTION)
		return false;
	if (kind->engine == TD_BD_IBS_FETCH)
		return !(kind->word[0] & ~TD_IBS_FETCH_BITS) &&
		       !(kind->word[1] & ~TD_EXTENDED_BITS) && !kind->word[2];
	return !(kind->word[0] & ~TD_DATA_BITS) && !(kind->word[1] & ~TD_DATA2_BITS) &&
	       !(kind->word[2] & ~TD_DATA3_BITS);
}

static TdIbsSpace *td_ibs_space(TdSpace *s)
{
	if (!s->ibs)
		s->ibs = g_new0(TdIbsSpace, 1);
	return s->ibs;
}

/* False if it is not valid, or if all kinds together are more than the whole. */
bool td_ibs_set(TdSpace *s, const struct td_bd_ibs *kind)
{
	struct td_bd_ibs *kinds;
	uint64_t sum = 0;
	unsigned int i;

	if (!td_kind_valid(kind))
		return false;
	kinds = td_ibs_space(s)->kind[kind->engine];
	for (i = 0; i < TD_BD_IBS_KINDS; i++)
		sum += i == kind->number ? kind->weight : kinds[i].weight;
	if (sum > TD_BD_FRACTION)
		return false;
	kinds[kind->number] = *kind;
	return true;
}

void td_ibs_forget(TdSpace *s)
{
	if (s->ibs)
		memset(s->ibs->kind, 0, sizeof(s->ibs->kind));
}

static unsigned int td_ibs_pick(TdPmu *p, unsigned int engine)
{
	const struct td_bd_ibs *kinds;
	uint64_t at = (uint64_t)td_random(p) * TD_BD_FRACTION >> 32;
	unsigned int i;

	if (!p->space->ibs)
		return TD_BD_IBS_REST;
	kinds = p->space->ibs->kind[engine];
	for (i = 0; i < TD_BD_IBS_KINDS && at >= kinds[i].weight; i++)
		at -= kinds[i].weight;
	return i;
}

void td_ibs_draw(TdPmu *p, unsigned int engine, TdIbsDrawn *drawn)
{
	memset(drawn, 0, sizeof(*drawn));
	drawn->number = td_ibs_pick(p, engine);
	if (drawn->number == TD_BD_IBS_REST)
		drawn->word[0] = engine == TD_BD_IBS_OP ? TD_REST_DATA : TD_REST_FETCH;
	else
		memcpy(drawn->word, p->space->ibs->kind[engine][drawn->number].word,
		       sizeof(drawn->word));
	if (engine == TD_BD_IBS_OP && drawn->word[2] & TD_DATA3_ACCESS) {
		drawn->word[2] |= TD_DATA3_LINEAR;
		drawn->address = td_draw_address(p);
	}
}

/* Does the filter for misses of the L3 let it through? */
bool td_ibs_beyond_l3(unsigned int engine, const TdIbsDrawn *drawn)
{
	uint64_t source = (drawn->word[1] & 7) | (drawn->word[1] >> 6 & 3) << 3;
	uint64_t needs = TD_DATA3_LOAD | TD_DATA3_MISS | TD_DATA3_L2_MISS;

	if (engine == TD_BD_IBS_FETCH)
		return drawn->word[0] & TD_FETCH_L3_MISS;
	return (drawn->word[2] & needs) == needs && source != TD_SOURCE_NONE &&
	       source != TD_SOURCE_NEAR;
}

/* Truth */

static void td_truth_note(TdIbsTruth *t, unsigned int engine, const TdIbsDrawn *drawn, uint64_t ip)
{
	t->count[engine][drawn->number]++;
	t->ip_sum[engine][drawn->number] += ip;
	t->address_sum[engine][drawn->number] += drawn->address;
}

void td_ibs_note(TdPmu *p, unsigned int engine, const TdIbsDrawn *drawn, uint64_t ip)
{
	td_truth_note(&p->ibs_truth, engine, drawn, ip);
	td_truth_note(&td_ibs_space(p->space)->truth, engine, drawn, ip);
}

void td_ibs_note_counted(TdPmu *p, unsigned int engine, uint64_t counted)
{
	p->ibs_truth.counted[engine] += counted;
	td_ibs_space(p->space)->truth.counted[engine] += counted;
}

void td_ibs_note_flushed(TdPmu *p, unsigned int engine)
{
	p->ibs_truth.flushed[engine]++;
	td_ibs_space(p->space)->truth.flushed[engine]++;
}

/* False if there is no such engine or kind. */
bool td_ibs_query(const TdIbsTruth *t, struct td_bd_ibs_truth *data)
{
	unsigned int engine = data->engine, number = data->number;

	if (engine > TD_BD_IBS_FETCH || number > TD_BD_IBS_REST)
		return false;
	data->count = t ? t->count[engine][number] : 0;
	data->ip_sum = t ? t->ip_sum[engine][number] : 0;
	data->address_sum = t ? t->address_sum[engine][number] : 0;
	data->counted = t ? t->counted[engine] : 0;
	data->flushed = t ? t->flushed[engine] : 0;
	return true;
}
