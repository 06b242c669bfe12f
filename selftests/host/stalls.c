// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of samples become records: each bit of each layout, by stalls.csv; and no bit that the
 * table of fields does not have makes a difference.
 *
 *   stalls FILE    "layout;capability word;word=value ...;text"
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <topdown_stall.h>

#include "ktap.h"
#include "random.h"

#define LINES_MAX	512
#define TEXT_MAX	512
#define RANDOM_CASES	200000

struct line {
	struct topdown_stall_raw raw;
	char text[TEXT_MAX];
	unsigned int number;
};

static struct line lines[LINES_MAX];
static unsigned int lines_nr;

static unsigned int layout_by_name(const char *name)
{
	unsigned int layout;

	for (layout = 1; layout < TOPDOWN_LAYOUTS; layout++) {
		if (!strcmp(topdown_stall_layout_name(layout), name))
			return layout;
	}
	return 0;
}

static bool parse_words(struct topdown_stall_raw *raw, char *text)
{
	char *word, *rest, *end;
	unsigned long number;

	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		number = strtoul(word, &end, 10);
		if (*end != '=' || number >= TOPDOWN_STALL_WORDS)
			return false;
		raw->word[number] = strtoull(end + 1, &end, 16);
		if (*end)
			return false;
	}
	return true;
}

static bool parse_line(struct line *line, char *text)
{
	char *field[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		field[i] = strsep(&text, i < 3 ? ";" : "\n");
		if (!field[i])
			return false;
	}
	line->raw.layout = layout_by_name(field[0]);
	line->raw.caps = strtoul(field[1], NULL, 16);
	snprintf(line->text, sizeof(line->text), "%s", field[3]);
	return line->raw.layout && parse_words(&line->raw, field[2]);
}

static bool read_lines(const char *name)
{
	FILE *file = fopen(name, "r");
	unsigned int number = 0;
	char text[1024];

	if (!file)
		return false;
	while (fgets(text, sizeof(text), file)) {
		number++;
		if (text[0] == '#')
			continue;
		lines[lines_nr].number = number;
		if (lines_nr == LINES_MAX - 1 || !parse_line(&lines[lines_nr], text)) {
			ktap_note("%s:%u: cannot be read", name, number);
			fclose(file);
			return false;
		}
		lines_nr++;
	}
	fclose(file);
	return lines_nr > 0;
}

static void decode(const struct topdown_stall_raw *raw, struct topdown_stall *stall)
{
	if (topdown_stall_decode(raw, stall, sizeof(*stall)))
		abort();
}

static bool lines_decode(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < lines_nr; i++) {
		struct topdown_stall stall;
		char text[TEXT_MAX];

		decode(&lines[i].raw, &stall);
		topdown_stall_text(&stall, text, sizeof(text));
		if (strcmp(text, lines[i].text)) {
			ktap_note("line %u: %s", lines[i].number, lines[i].text);
			ktap_note("   but is: %s", text);
			bad++;
		}
	}
	return !bad;
}

/* The bits of each word that the table has, with the capabilities that they need. */
static uint64_t bits_of(unsigned int layout, unsigned int word)
{
	struct topdown_stall_field field;
	uint64_t bits = 0;
	unsigned int i;

	for (i = 0; !topdown_stall_field_get(i, &field); i++) {
		if (field.layout == layout && field.word == word)
			bits |= (~0ULL >> (64 - field.width)) << field.shift;
	}
	return bits;
}

static bool differs(const struct line *line, unsigned int word, unsigned int bit)
{
	struct topdown_stall_raw other = line->raw;
	struct topdown_stall then, now;

	other.word[word] ^= 1ULL << bit;
	decode(&line->raw, &then);
	decode(&other, &now);
	return memcmp(&then, &now, sizeof(then));
}

/* How many lines would become another record by this bit. */
static unsigned int lines_that_differ(unsigned int layout, unsigned int word, unsigned int bit)
{
	unsigned int i, nr = 0;

	for (i = 0; i < lines_nr; i++)
		nr += lines[i].raw.layout == layout && differs(&lines[i], word, bit);
	return nr;
}

static bool table_is_whole(bool in_table)
{
	unsigned int layout, word, bit, bad = 0;

	for (layout = 1; layout < TOPDOWN_LAYOUTS; layout++) {
		for (word = 0; word < TOPDOWN_STALL_WORDS; word++) {
			uint64_t bits = bits_of(layout, word);

			for (bit = 0; bit < 64; bit++) {
				bool has = bits >> bit & 1;

				if (has != in_table ||
				    !!lines_that_differ(layout, word, bit) == has)
					continue;
				ktap_note("%s: bit %u of word %u %s",
					  topdown_stall_layout_name(layout), bit, word,
					  has ? "is in no line" : "is not in the table");
				bad++;
			}
		}
	}
	return !bad;
}

static bool names_differ(const char *(*name)(unsigned int), unsigned int first, unsigned int nr)
{
	unsigned int i, j;

	if (first && name(0))
		return false;
	for (i = first; i < nr; i++) {
		if (!name(i) || !*name(i))
			return false;
		for (j = first; j < i; j++) {
			if (!strcmp(name(i), name(j))) {
				ktap_note("%u and %u are both %s", i, j, name(i));
				return false;
			}
		}
	}
	return !name(nr) && !name(~0U);
}

static bool names_are_whole(void)
{
	return names_differ(topdown_stall_layout_name, 1, TOPDOWN_LAYOUTS) &&
	       names_differ(topdown_stall_kind_name, 1, TOPDOWN_STALL_OTHER + 1) &&
	       names_differ(topdown_stall_stage_name, 1, TOPDOWN_STAGE_RETIRE + 1) &&
	       names_differ(topdown_stall_reason_name, 1, TOPDOWN_REASON_LOAD_LATENCY + 1) &&
	       names_differ(topdown_stall_source_name, 1, TOPDOWN_FROM_L4_OR_PERSISTENT + 1) &&
	       names_differ(topdown_stall_flag_name, 0, TOPDOWN_STALL_FLAGS) &&
	       !strcmp(topdown_stall_flag_name(63), "unconfirmed");
}

/* A number that the record lacks is 0, and each value has a name. */
static bool is_sound(const struct topdown_stall *stall)
{
	const struct {
		uint64_t has;
		uint64_t value;
	} numbers[] = {
		{ TOPDOWN_STALL_HAS_IP, stall->ip },
		{ TOPDOWN_STALL_HAS_ADDRESS, stall->address },
		{ TOPDOWN_STALL_HAS_TARGET, stall->target },
		{ TOPDOWN_STALL_HAS_WHOLE, stall->whole },
		{ TOPDOWN_STALL_HAS_RETIRE, stall->retire },
		{ TOPDOWN_STALL_HAS_CACHE, stall->cache },
		{ TOPDOWN_STALL_HAS_TRANSLATION, stall->translation },
		{ TOPDOWN_STALL_HAS_FETCH, stall->fetch },
		{ TOPDOWN_STALL_HAS_DISPATCH, stall->dispatch },
		{ TOPDOWN_STALL_HAS_WIDTH, stall->width },
		{ TOPDOWN_STALL_HAS_OUTSTANDING, stall->outstanding },
		{ TOPDOWN_STALL_HAS_REGION, stall->region },
	};
	unsigned int i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!(stall->has & numbers[i].has) && numbers[i].value)
			return false;
	}
	return (!stall->kind || topdown_stall_kind_name(stall->kind)) &&
	       (!stall->stage || topdown_stall_stage_name(stall->stage)) &&
	       (!stall->reason || topdown_stall_reason_name(stall->reason)) &&
	       (!stall->source || topdown_stall_source_name(stall->source)) &&
	       !stall->stage == !stall->reason;
}

/* What was cut is the begin of the whole text, and ends. */
static bool text_is_cut(const struct topdown_stall *stall, unsigned int room)
{
	char whole[TEXT_MAX * 2], cut[TEXT_MAX];
	int len = topdown_stall_text(stall, whole, sizeof(whole));

	memset(cut, 'x', sizeof(cut));
	if (topdown_stall_text(stall, cut, room) != len || len != (int)strlen(whole))
		return false;
	return cut[room] == 'x' &&
	       (!room || (strlen(cut) < room && !strncmp(whole, cut, strlen(cut))));
}

static bool random_is_sound(void)
{
	struct rng rng = { .state = 16 };
	struct topdown_stall_raw raw;
	struct topdown_stall stall;
	unsigned int i, j;

	for (i = 0; i < RANDOM_CASES; i++) {
		raw.layout = 1 + rng_below(&rng, TOPDOWN_LAYOUTS - 1);
		raw.caps = rng_next(&rng);
		for (j = 0; j < TOPDOWN_STALL_WORDS; j++) {
			raw.word[j] = rng_next(&rng);
			if (rng_below(&rng, 2))
				raw.word[j] &= rng_next(&rng);
		}
		decode(&raw, &stall);
		if (!is_sound(&stall) || !text_is_cut(&stall, rng_below(&rng, TEXT_MAX - 1))) {
			ktap_note("layout %u, word 0 %llx", raw.layout,
				  (unsigned long long)raw.word[0]);
			return false;
		}
	}
	return true;
}

static bool sizes_are_kept(void)
{
	struct topdown_stall_raw raw = { .layout = TOPDOWN_LAYOUT_SKL, .word = { 0x1b, 7 } };
	unsigned char room[sizeof(struct topdown_stall) + 16];
	struct topdown_stall stall;
	unsigned int i;

	memset(room, 'x', sizeof(room));
	if (topdown_stall_decode(&raw, (struct topdown_stall *)room, sizeof(room)))
		return false;
	decode(&raw, &stall);
	for (i = 0; i < sizeof(room); i++) {
		if (room[i] != (i < sizeof(stall) ? ((unsigned char *)&stall)[i] : 0))
			return false;
	}
	if (topdown_stall_decode(&raw, &stall, sizeof(stall) - 1) != -EINVAL)
		return false;
	raw.layout = 0;
	if (topdown_stall_decode(&raw, &stall, sizeof(stall)) != -EINVAL)
		return false;
	raw.layout = TOPDOWN_LAYOUTS;
	return topdown_stall_decode(&raw, &stall, sizeof(stall)) == -EINVAL;
}

int main(int argc, char **argv)
{
	struct ktap ktap;

	if (argc != 2 || !read_lines(argv[1])) {
		fprintf(stderr, "usage: stalls FILE\n");
		return 2;
	}
	ktap_begin(&ktap, 6);
	ktap_result(&ktap, lines_decode(), "registers become the records that they are");
	ktap_result(&ktap, table_is_whole(true), "each bit of the table makes a difference");
	ktap_result(&ktap, table_is_whole(false), "no other bit makes a difference");
	ktap_result(&ktap, names_are_whole(), "each value has a name of its own, and 0 has none");
	ktap_result(&ktap, random_is_sound(), "any registers give a sound record");
	ktap_result(&ktap, sizes_are_kept(), "sizes and layouts are checked");
	return ktap_end(&ktap);
}
