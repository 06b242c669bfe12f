// SPDX-License-Identifier: GPL-2.0
/*
 * The periods of a sampling event, beside a driver that knows what each sample stands for.
 */
#include <string.h>

#include "ktap.h"
#include "periods.h"
#include "random.h"

#define ROUNDS		20000
#define JUMP		(1ULL << 48)

/*
 * The driver of perf, with one event.  The true number of events is the time here.
 * @late: it begins the next period after the handler, as in 7, and not before, as in 6.12
 */
struct driver {
	bool late;
	uint64_t period;

	uint64_t true_count;
	uint64_t true_begun;

	uint64_t count;
	uint64_t left;
	uint64_t last_period;
};

struct sums {
	uint64_t weight;
	uint64_t lost;
	uint64_t samples;
};

static void driver_start(struct driver *driver, bool late, uint64_t period)
{
	*driver = (struct driver){
		.late = late, .period = period, .left = period, .last_period = period,
	};
}

static uint64_t driver_begun(const struct driver *driver)
{
	return driver->count + driver->left - driver->last_period;
}

/* x86_perf_event_set_period(), after x86_perf_event_update(). */
static void driver_restart(struct driver *driver, uint64_t counted)
{
	uint64_t end = driver->true_begun + driver->last_period;

	driver->count += counted;
	driver->left -= counted;
	driver->last_period = driver->period;
	if ((int64_t)driver->left <= -(int64_t)driver->period) {
		driver->left = driver->period;
		driver->true_begun = driver->true_count;
	} else {
		driver->left += driver->period;
		driver->true_begun = end;
	}
}

static uint64_t handler(const struct driver *driver, struct td_periods *periods,
			struct sums *sums, uint64_t skew)
{
	uint64_t weight;
	__u64 lost = 0;

	weight = td_periods_sample(periods, driver_begun(driver) + skew, driver->last_period,
				   &lost);
	sums->weight += weight;
	sums->lost += lost;
	sums->samples += !!weight;
	return weight;
}

/* The event overflows, and its interrupt comes @delay events later. */
static uint64_t overflow(struct driver *driver, struct td_periods *periods, struct sums *sums,
			 uint64_t delay, bool dropped, uint64_t skew)
{
	uint64_t end = driver->true_begun + driver->last_period, counted, weight = 0;

	counted = end + delay - driver->true_count;
	driver->true_count = end + delay;
	if (!driver->late)
		driver_restart(driver, counted);
	if (!dropped)
		weight = handler(driver, periods, sums, skew);
	if (driver->late)
		driver_restart(driver, counted);
	return weight;
}

/* All until the end of the period that the last sample ended. */
static uint64_t sampled(const struct sums *sums)
{
	return sums->weight + sums->lost;
}

/*
 * @losses: one sample of four is dropped, or comes more than a period late
 * @jumps: perf adds 2^48 to its count now and then
 */
static bool follows(bool late, bool losses, bool jumps)
{
	struct rng rng = { .state = 1 + late };
	struct td_periods periods = { 0 };
	struct sums sums = { 0 };
	struct driver driver;
	uint64_t end, delay, kind;
	unsigned int i;

	driver_start(&driver, late, 3 + rng_below(&rng, 1000));
	td_periods_begin(&periods, 0, driver.period);
	for (i = 0; i < ROUNDS; i++) {
		delay = rng_below(&rng, driver.period);
		/* The very first sample tells the order. */
		kind = losses && i ? rng_below(&rng, 8) : 2;
		if (!kind)
			delay += driver.period * (1 + rng_below(&rng, 5));
		if (jumps && !rng_below(&rng, 10))
			driver.count += JUMP;
		end = driver.true_begun + driver.last_period;
		overflow(&driver, &periods, &sums, delay, kind == 1, 0);
		if (kind == 1)
			continue;
		/* Before 7 the driver has begun the next period, and all until there is known. */
		if (!late)
			end = driver.true_begun;
		if (sampled(&sums) != end || periods.late != late)
			return false;
		/*
		 * The period grows in the handler.  A lost one before a longer one is found later,
		 * as it is less than a period.
		 */
		if (!losses && !rng_below(&rng, 1000))
			driver.period = driver.period * 2 - 1;
	}
	return losses == !!sums.lost && (losses || sums.samples == ROUNDS);
}

static bool modulo(void)
{
	return td_periods_between(5, 12) == 7 && td_periods_between(12, 5) == -7 &&
	       td_periods_between(5, 12 + JUMP) == 7 &&
	       td_periods_between(12 + 3 * JUMP, 5 + JUMP) == -7 &&
	       td_periods_between(~0ULL, 2) == 3 &&
	       td_periods_between(0, JUMP / 2 - 1) == (int64_t)(JUMP / 2 - 1) &&
	       td_periods_between(0, JUMP / 2) == -(int64_t)(JUMP / 2);
}

/* The count is ahead for the time of one handler. */
static bool between_changes(void)
{
	struct td_periods periods = { 0 };
	struct sums sums = { 0 };
	struct driver driver;
	unsigned int i;

	driver_start(&driver, false, 1001);
	td_periods_begin(&periods, 0, 1001);
	for (i = 1; i <= 100; i++) {
		overflow(&driver, &periods, &sums, 0, false, i % 10 ? 0 : i * 10);
		if (sums.lost || sums.weight != i * 1001 || sums.samples != i)
			return false;
	}
	/* The next loss is known to the event. */
	overflow(&driver, &periods, &sums, 0, true, 0);
	overflow(&driver, &periods, &sums, 0, false, 0);
	return sums.lost == 1001 && sampled(&sums) == 102 * 1001;
}

/* The driver calls the handler twice for one period. */
static bool two_samples(void)
{
	struct td_periods periods = { 0 };
	struct sums sums = { 0 };
	struct driver driver;

	driver_start(&driver, true, 1001);
	td_periods_begin(&periods, 0, 1001);
	if (!handler(&driver, &periods, &sums, 0) || handler(&driver, &periods, &sums, 0))
		return false;
	overflow(&driver, &periods, &sums, 0, true, 0);
	return overflow(&driver, &periods, &sums, 0, false, 0) == 1001 &&
	       sums.samples == 2 && !sums.lost;
}

/* Then nothing tells the order, and the figures are off by a period. */
static bool first_is_dropped(void)
{
	struct td_periods periods = { 0 };
	struct sums sums = { 0 };
	struct driver driver;
	uint64_t end = 0;
	unsigned int i;

	driver_start(&driver, true, 1001);
	td_periods_begin(&periods, 0, 1001);
	for (i = 0; i < 100; i++) {
		end = driver.true_begun + driver.last_period;
		overflow(&driver, &periods, &sums, 0, i % 10 == 0, 0);
	}
	return end - sampled(&sums) == 1001 && sums.samples == 90 && sums.lost == 9 * 1001;
}

/*
 * The event is disabled after @counted events of a period; the driver notes the count, and
 * begins no period.
 */
static uint64_t settled(bool late, unsigned int drops, uint64_t counted)
{
	struct td_periods periods = { 0 };
	struct sums sums = { 0 };
	struct driver driver;
	uint64_t lost;

	driver_start(&driver, late, 1001);
	td_periods_begin(&periods, 0, 1001);
	overflow(&driver, &periods, &sums, 0, false, 0);
	while (drops--)
		overflow(&driver, &periods, &sums, 0, true, 0);
	driver.count += counted;
	driver.left -= counted;
	lost = td_periods_settle(&periods, driver_begun(&driver), driver.last_period,
				 driver.left);
	/* Not twice. */
	if (td_periods_settle(&periods, driver_begun(&driver), driver.last_period, driver.left))
		return ~0ULL;
	/* The period that is given up is no loss. */
	driver.true_count += counted;
	driver.true_begun = driver.true_count;
	driver.period = 51;
	driver.left = 51;
	driver.last_period = 51;
	td_periods_begin(&periods, driver.count, driver.period);
	sums = (struct sums){ 0 };
	overflow(&driver, &periods, &sums, 0, false, 0);
	return sums.weight == 51 && !sums.lost ? lost : ~0ULL;
}

static bool settles(bool late)
{
	return settled(late, 0, 0) == 0 && settled(late, 0, 1000) == 0 &&
	       settled(late, 0, 1001) == 1001 && settled(late, 0, 1010) == 1001 &&
	       settled(late, 1, 0) == 1001 && settled(late, 1, 1000) == 1001 &&
	       settled(late, 3, 7) == 3003 && settled(late, 3, 1001) == 4004;
}

int main(void)
{
	struct ktap ktap;

	ktap_begin(&ktap, 12);
	ktap_result(&ktap, modulo(), "counts differ modulo 2^48");
	ktap_result(&ktap, follows(false, false, false), "each sample stands for its period");
	ktap_result(&ktap, follows(true, false, false),
		    "each sample stands for its period if the next begins later");
	ktap_result(&ktap, follows(false, true, false), "periods without a sample are lost");
	ktap_result(&ktap, follows(true, true, false), "periods are lost if the next begins later");
	ktap_result(&ktap, follows(false, true, true), "2^48 too many change nothing");
	ktap_result(&ktap, follows(true, true, true),
		    "2^48 too many change nothing if the next begins later");
	ktap_result(&ktap, between_changes(), "a count that is ahead is no loss");
	ktap_result(&ktap, two_samples(), "a period has one sample");
	ktap_result(&ktap, first_is_dropped(), "without the first sample a period is missing");
	ktap_result(&ktap, settles(false), "periods that ended before a pause are lost");
	ktap_result(&ktap, settles(true),
		    "periods before a pause are lost if the next begins later");
	return ktap_end(&ktap);
}
