// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of sessions, by which readers tell them, and whoever traces.
 *
 * To count would tell each user how many sessions the others make.  So the counts of all sessions
 * are put in an order that nobody knows, by a Feistel network: each count has a number of its own.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/random.h>
#include <linux/siphash.h>

#include "serial.h"

/* A number has two halves of so many bits, and so it is exact in JSON, which has 53. */
#define TD_SERIAL_HALF		26
#define TD_SERIAL_MASK		GENMASK_ULL(TD_SERIAL_HALF - 1, 0)
#define TD_SERIAL_ROUNDS	4

/* Sessions so far; written from anywhere. */
static atomic64_t td_serial_made;

/* Written before there are sessions. */
static siphash_key_t td_serial_key __ro_after_init;

/**
 * td_serial_init() - choose the order of this load
 */
void td_serial_init(void)
{
	get_random_bytes(&td_serial_key, sizeof(td_serial_key));
}

/**
 * td_serial_next() - number of a new session
 *
 * Return: 1..2^52, which no other of 2^52 sessions has had since the module was loaded.
 */
u64 td_serial_next(void)
{
	u64 made = atomic64_inc_return(&td_serial_made);
	u64 left = made >> TD_SERIAL_HALF & TD_SERIAL_MASK, right = made & TD_SERIAL_MASK, mixed;
	unsigned int round;

	for (round = 0; round < TD_SERIAL_ROUNDS; round++) {
		mixed = left ^ (siphash_2u32(right, round, &td_serial_key) & TD_SERIAL_MASK);
		left = right;
		right = mixed;
	}
	/* 0 is no number. */
	return (left << TD_SERIAL_HALF | right) ?: BIT_ULL(2 * TD_SERIAL_HALF);
}
