// SPDX-License-Identifier: GPL-2.0
/*
 * What PEBS records say of their events: latencies drawn from the distributions of a
 * file, addresses and data sources; and the exact truth about all that was drawn.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "topdown-pmu.h"

#define TD_MAX_VALUES	16
#define TD_NS_MS	1000000ull

/* Of the loads and stores: so many lines of a cache, one after the other. */
#define TD_MEMORY_BASE	0x7f0000001000ull
#define TD_MEMORY_LINE	64
#define TD_MEMORY_LINES	4096

/* Data source of a load: the lower bits are where it was served. */
#define TD_SOURCE_L1		0x1
#define TD_SOURCE_BUFFER	0x2
#define TD_SOURCE_L2		0x3
#define TD_SOURCE_L3		0x4
#define TD_SOURCE_L3_MISS	0x5
#define TD_SOURCE_L3_HIT	0x6
#define TD_SOURCE_L3_HITM	0x7
#define TD_SOURCE_LOCAL		0xa
#define TD_SOURCE_REMOTE	0xb
#define TD_SOURCE_REMOTE_FWD	0xc
#define TD_SOURCE_REMOTE_HITM	0xd
#define TD_SOURCE_TLB_MISS	(1u << 4)
#define TD_SOURCE_LOCKED	(1u << 5)
/* And of a store. */
#define TD_SOURCE_STORE_L1	0x1

#define TD_LOAD_LATENCY		0x01cd	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
#define TD_SMALL_LATENCY	0x05d0	/* MEM_UOPS_RETIRED.LOAD_LATENCY of E-cores */

/* Cycles from dispatch to completion that are not spent on the access itself. */
#define TD_EXTRA_CYCLES		5

enum td_shape {
	TD_LIST,			/* Values with weights. */
	TD_TAIL,			/* "least" divided by what is even between 0 and 1. */
	TD_DRIFT,			/* From one to another value, again and again. */
};

typedef struct TdDistribution {
	uint64_t config;
	enum td_shape shape;
	unsigned int nr;
	uint64_t value[TD_MAX_VALUES], weight[TD_MAX_VALUES];
	uint64_t weights;
	uint64_t least, from, to, ms;
} TdDistribution;

static TdDistribution td_distributions[TD_MAX_LATENCIES];
static unsigned int td_distributions_nr;

/* The memory events: where a load was served, and how many cycles that takes. */
static const struct {
	uint16_t config, source, cycles;
} td_memory_events[] = {
	{ 0x11d0, TD_SOURCE_L1 | TD_SOURCE_TLB_MISS, 5 },
	{ 0x12d0, TD_SOURCE_STORE_L1 | TD_SOURCE_TLB_MISS, 0 },
	{ 0x09d0, TD_SOURCE_L1, 5 },
	{ 0x0ad0, TD_SOURCE_STORE_L1, 0 },
	{ 0x21d0, TD_SOURCE_L1 | TD_SOURCE_LOCKED, 5 },
	{ 0x41d0, TD_SOURCE_L1, 6 },
	{ 0x42d0, TD_SOURCE_STORE_L1, 0 },
	{ 0x81d0, TD_SOURCE_L1, 5 },
	{ 0x82d0, TD_SOURCE_STORE_L1, 0 },
	{ 0x02cd, TD_SOURCE_STORE_L1, 0 },
	{ 0x01d1, TD_SOURCE_L1, 5 },
	{ 0x40d1, TD_SOURCE_BUFFER, 9 },
	{ 0x02d1, TD_SOURCE_L2, 15 },
	{ 0x04d1, TD_SOURCE_L3, 70 },
	{ 0x01d2, TD_SOURCE_L3_MISS, 75 },
	{ 0x02d2, TD_SOURCE_L3_HIT, 90 },
	{ 0x04d2, TD_SOURCE_L3_HITM, 110 },
	{ 0x01d3, TD_SOURCE_LOCAL, 300 },
	{ 0x02d3, TD_SOURCE_REMOTE, 500 },
	{ 0x04d3, TD_SOURCE_REMOTE_HITM, 450 },
	{ 0x08d3, TD_SOURCE_REMOTE_FWD, 400 },
};

/* xorshift64*: the same for each start of a machine. */
uint32_t td_random(TdPmu *p)
{
	uint64_t x = p->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	p->random = x;
	return x * 0x2545f4914f6cdd1dull >> 32;
}

/* Drawing */

uint64_t td_draw_address(TdPmu *p)
{
	return TD_MEMORY_BASE + td_random(p) % TD_MEMORY_LINES * TD_MEMORY_LINE;
}

static uint64_t td_draw_list(TdPmu *p, const TdDistribution *d)
{
	uint64_t at = td_random(p) % d->weights;
	unsigned int i;

	for (i = 0; at >= d->weight[i]; i++)
		at -= d->weight[i];
	return d->value[i];
}

static uint64_t td_draw_drift(TdPmu *p, const TdDistribution *d)
{
	int64_t at = p->last / 1000 % (d->ms * 1000);

	return d->from + (int64_t)(d->to - d->from) * at / (int64_t)(d->ms * 1000);
}

static uint64_t td_draw(TdPmu *p, const TdDistribution *d)
{
	switch (d->shape) {
	case TD_LIST:
		return td_draw_list(p, d);
	case TD_TAIL:
		return (d->least << 32) / (td_random(p) + 1ull);
	default:
		return td_draw_drift(p, d);
	}
}

static TdDistribution *td_distribution_find(uint64_t config)
{
	unsigned int i;

	for (i = 0; i < td_distributions_nr; i++)
		if (td_distributions[i].config == config)
			return &td_distributions[i];
	return NULL;
}

static struct td_bd_memory *td_memory_find(TdSpace *s, uint64_t config)
{
	unsigned int i;

	for (i = 0; i < s->memories_nr; i++)
		if (s->memory[i].config == config)
			return &s->memory[i];
	return NULL;
}

/* False if it is not valid, or if there are too many. */
bool td_memory_set(TdSpace *s, const struct td_bd_memory *memory)
{
	struct td_bd_memory *found = td_memory_find(s, memory->config);

	if (memory->cache > TD_BD_LATENCY_MAX || memory->instruction > TD_BD_LATENCY_MAX)
		return false;
	if (!found) {
		if (s->memories_nr == TD_BD_MEMORIES)
			return false;
		found = &s->memory[s->memories_nr++];
	}
	*found = *memory;
	return true;
}

static bool td_told_memory(TdPmu *p, uint64_t config, TdSample *sample)
{
	const struct td_bd_memory *memory = p->space ? td_memory_find(p->space, config) : NULL;

	if (!memory)
		return false;
	sample->address = td_draw_address(p);
	sample->source = memory->source;
	sample->cache = memory->cache;
	sample->instruction = memory->instruction;
	return true;
}

static void td_draw_memory(TdPmu *p, uint64_t config, TdSample *sample)
{
	bool latency = config == TD_LOAD_LATENCY || config == TD_SMALL_LATENCY;
	unsigned int i, pick = 0;

	if (td_told_memory(p, config, sample))
		return;
	for (i = 0; i < ARRAY_SIZE(td_memory_events); i++)
		if (td_memory_events[i].config == config)
			break;
	if (i == ARRAY_SIZE(td_memory_events) && !latency)
		return;
	pick = td_random(p);
	sample->address = TD_MEMORY_BASE + pick % TD_MEMORY_LINES * TD_MEMORY_LINE;
	if (latency) {
		/* A load that took longer than the threshold, from any of the levels. */
		sample->source = pick >> 16 & 7 ? pick >> 16 & 7 : TD_SOURCE_LOCAL;
		sample->cache = MIN(p->load_latency + 1 + (pick >> 24), TD_BD_LATENCY_MAX);
	} else {
		sample->source = td_memory_events[i].source;
		sample->cache = td_memory_events[i].cycles;
	}
	if (sample->cache)
		sample->instruction = MIN(sample->cache + TD_EXTRA_CYCLES, TD_BD_LATENCY_MAX);
}

void td_sample_draw(TdPmu *p, uint64_t config, bool timed, TdSample *sample)
{
	const TdDistribution *d = td_distribution_find(config);

	memset(sample, 0, sizeof(*sample));
	if (timed && d)
		sample->retire = MIN(td_draw(p, d), TD_BD_LATENCY_MAX);
	td_draw_memory(p, config, sample);
}

/* Truth */

static TdLatency *td_latency_find(TdLatencies *list, uint64_t config)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (list->of[i].config == config)
			return &list->of[i];
	return NULL;
}

static TdLatency *td_latency_get(TdLatencies *list, uint64_t config)
{
	TdLatency *l = td_latency_find(list, config);

	if (l || list->nr == TD_MAX_LATENCIES)
		return l;
	l = &list->of[list->nr++];
	l->config = config;
	l->min = UINT64_MAX;
	l->histogram = g_new0(uint32_t, TD_BD_LATENCY_MAX + 1);
	return l;
}

/* No sample: the record was lost.  More events than there is room for have no truth. */
void td_sample_note(TdLatencies **list, uint64_t config, const TdSample *sample)
{
	TdLatency *l;

	if (!*list)
		*list = g_new0(TdLatencies, 1);
	l = td_latency_get(*list, config);
	if (!l)
		return;
	if (!sample) {
		l->lost++;
		return;
	}
	l->count++;
	l->sum += sample->retire;
	l->min = MIN(l->min, sample->retire);
	l->max = MAX(l->max, sample->retire);
	l->histogram[sample->retire]++;
	l->address_sum += sample->address;
	l->cache_sum += sample->cache;
	l->instruction_sum += sample->instruction;
}

static uint64_t td_latency_bin(const TdLatency *l, uint64_t first, uint64_t width)
{
	uint64_t count = 0, i;

	for (i = first; i < first + width && i <= TD_BD_LATENCY_MAX; i++)
		count += l->histogram[i];
	return count;
}

void td_latency_query(const TdLatencies *list, struct td_bd_latency *data)
{
	const TdLatency *l = list ? td_latency_find((TdLatencies *)list, data->config) : NULL;
	uint64_t i;

	if (!l)
		return;
	data->count = l->count;
	data->lost = l->lost;
	data->sum = l->sum;
	data->min = l->count ? l->min : 0;
	data->max = l->max;
	data->address_sum = l->address_sum;
	data->cache_sum = l->cache_sum;
	data->instruction_sum = l->instruction_sum;
	for (i = 0; i < TD_BD_BINS; i++)
		data->bin[i] = td_latency_bin(l, data->first + i * data->width, data->width);
}

void td_latencies_free(TdLatencies *list)
{
	unsigned int i;

	for (i = 0; list && i < list->nr; i++)
		g_free(list->of[i].histogram);
	g_free(list);
}

/* The file */

static bool td_parse_list(TdDistribution *d, const char *text)
{
	uint64_t value, weight;
	int end;

	d->shape = TD_LIST;
	while (sscanf(text, " %" SCNu64 ":%" SCNu64 "%n", &value, &weight, &end) == 2) {
		if (d->nr == TD_MAX_VALUES || value > TD_BD_LATENCY_MAX || !weight ||
		    weight > TD_BD_FRACTION)
			return false;
		d->value[d->nr] = value;
		d->weight[d->nr++] = weight;
		d->weights += weight;
		text += end;
	}
	return d->nr && !text[strspn(text, " \t")];
}

static bool td_parse_shape(TdDistribution *d, const char *shape, const char *text)
{
	int end = 0;

	if (!strcmp(shape, "list"))
		return td_parse_list(d, text);
	if (!strcmp(shape, "tail")) {
		d->shape = TD_TAIL;
		return sscanf(text, " %" SCNu64 " %n", &d->least, &end) == 1 && !text[end] &&
		       d->least && d->least <= TD_BD_LATENCY_MAX;
	}
	if (strcmp(shape, "drift"))
		return false;
	d->shape = TD_DRIFT;
	return sscanf(text, " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &d->from, &d->to, &d->ms,
		      &end) == 3 && !text[end] && d->from <= TD_BD_LATENCY_MAX &&
	       d->to <= TD_BD_LATENCY_MAX && d->ms && d->ms <= 86400 * 1000;
}

static bool td_latency_parse(char *line)
{
	TdDistribution d = { 0 };
	char shape[8];
	int end = 0;

	line[strcspn(line, "#")] = '\0';
	if (!line[strspn(line, " \t")])
		return true;
	if (sscanf(line, "%" SCNx64 " %7s%n", &d.config, shape, &end) != 2 ||
	    !td_parse_shape(&d, shape, line + end) ||
	    td_distributions_nr == TD_MAX_LATENCIES || td_distribution_find(d.config))
		return false;
	td_distributions[td_distributions_nr++] = d;
	return true;
}

/* TOPDOWN_PMU_LATENCIES names a file of lines "CONFIG list|tail|drift ARGUMENTS". */
bool td_latencies_load(Error **errp)
{
	g_autofree char *text = NULL;
	const char *name = getenv("TOPDOWN_PMU_LATENCIES");
	char *line, *next;
	unsigned int i;

	if (!name || td_distributions_nr)
		return true;
	if (!g_file_get_contents(name, &text, NULL, NULL)) {
		error_setg(errp, "TOPDOWN_PMU_LATENCIES: cannot read '%s'", name);
		return false;
	}
	for (i = 1, line = text; line; i++, line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (td_latency_parse(line))
			continue;
		error_setg(errp, "%s:%u: not an event and a distribution, or one of more than %u, or twice",
			   name, i, TD_MAX_LATENCIES);
		return false;
	}
	return true;
}
