// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --owners --diff: processes and cgroups compared with those from before a change.
 */
#include "owner-diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "message.h"

/* Each line more makes all need a larger difference, so few owners are compared unless asked. */
#define TOP		10

/* Lines of an owner: its share, nodes and IPC. */
#define LINES_MAX	(1 + NOISE_VALUES)

/**
 * owner_diff_top - how many owners are compared
 * @options: the command line
 *
 * Return: the number.
 */
uint32_t owner_diff_top(const struct report_options *options)
{
	return options->top ? options->top : TOP;
}

static const struct noise_mean none = { .mean = NAN, .error = NAN, .pairs = NAN };

/* Nothing but the mean is known. */
static struct noise_mean mean_alone(double mean)
{
	return (struct noise_mean){ .known = true, .mean = mean, .error = NAN, .pairs = NAN };
}

static void take_mean(struct noise_mean *mean, const struct owner_half *half,
		      const struct series *series, const struct series *share, unsigned int value)
{
	if (value == DIFF_SHARE) {
		noise_mean(mean, share, NOISE_IPC);
		return;
	}
	noise_mean(mean, series, value);
	if (value != NOISE_IPC && !topdown_figures_has(&half->sum.figures, value))
		*mean = none;
	if (half->doubtful)
		mean->blocks = 0;
}

static struct noise_mean *mean_of(struct line *line, unsigned int half)
{
	return half ? &line->difference.after : &line->difference.before;
}

static int take_means(const struct owner_pairs *pairs, const struct owner_pair *pair,
		      struct line *lines, unsigned int nr)
{
	unsigned int half, i;
	int ret = 0;

	for (half = 0; half < 2 && !ret; half++) {
		struct series series = { .nr = 0 }, share = { .nr = 0 };

		ret = owner_pair_series(pairs, pair, half, &series, &share);
		for (i = 0; i < nr && !ret; i++)
			take_mean(mean_of(&lines[i], half), &pair->half[half], &series, &share,
				  lines[i].node);
		series_free(&series);
		series_free(&share);
	}
	return ret;
}

static bool has(const struct owner_pair *pair, unsigned int node)
{
	return topdown_figures_has(&pair->half[0].sum.figures, node) ||
	       topdown_figures_has(&pair->half[1].sum.figures, node);
}

/* Its share, nodes in the order of the tree, and IPC. Idle time has nothing but a share. */
static unsigned int choose_lines(const struct owner_pair *pair, unsigned int level,
				 struct line *lines)
{
	struct column_list list;
	unsigned int i, nr = 0;

	lines[nr++] = (struct line){ .name = "share", .node = DIFF_SHARE, .owner = pair };
	if (pair->kind == ROW_IDLE_TASKS)
		return nr;
	columns_select(&list, TABLE_CPUS, level, ~0U);
	for (i = 0; i < list.nr; i++) {
		unsigned int node = list.column[i]->of;

		if (column_is_node(list.column[i]) && has(pair, node))
			lines[nr++] = (struct line){ .name = topdown_node_name(node),
						     .node = node, .owner = pair };
	}
	lines[nr++] = (struct line){ .name = "ipc", .node = NOISE_IPC, .owner = pair };
	return nr;
}

static int add_pair(struct owner_difference *found, const struct owner_pair *pair)
{
	struct line *lines = &found->line[found->nr];
	unsigned int nr = choose_lines(pair, found->level, lines);

	found->nr += nr;
	return take_means(&found->pairs, pair, lines, nr);
}

/* Who is in one recording only is named, and has no difference. */
static void add_alone(struct owner_difference *found, const struct owner_pair *pair)
{
	struct line *line = &found->line[found->nr++];
	unsigned int i;

	*line = (struct line){ .name = "share", .node = DIFF_SHARE, .owner = pair };
	for (i = 0; i < 2; i++)
		*mean_of(line, i) = pair->half[i].nr ? mean_alone(pair->half[i].share) : none;
}

/* Lines of which something can be said are tested together. */
static void compare(struct owner_difference *found)
{
	unsigned int together = 0;
	size_t i;

	for (i = 0; i < found->nr; i++)
		together += found->line[i].difference.before.blocks &&
			    found->line[i].difference.after.blocks;
	for (i = 0; i < found->nr; i++)
		noise_compare(&found->line[i].difference, together ? together : 1);
}

static int find(const struct report_options *options, struct owner_difference *found)
{
	uint32_t top = owner_diff_top(options), i;
	int ret = 0;

	found->line = calloc((size_t)found->pairs.nr * LINES_MAX + 1, sizeof(*found->line));
	if (!found->line)
		return -ENOMEM;
	for (i = 0; i < found->pairs.nr && !ret; i++) {
		const struct owner_pair *pair = &found->pairs.pair[i];
		bool idle = pair->kind == ROW_IDLE_TASKS;

		if (!owner_pair_both(pair))
			continue;
		if (!idle && found->compared == top) {
			found->left_out++;
			continue;
		}
		found->compared += !idle;
		ret = add_pair(found, pair);
	}
	for (i = 0; i < found->pairs.nr; i++) {
		if (!owner_pair_both(&found->pairs.pair[i]))
			add_alone(found, &found->pairs.pair[i]);
	}
	compare(found);
	return ret;
}

static int print(struct report_options *options, const struct owner_difference *found)
{
	int ret = 0;

	if (options->output.format == OUTPUT_TABLE) {
		owner_diff_table(options, found);
		return output_flush(&options->output);
	}
	if (found->left_out)
		message_note("%u more are in both recordings, and are not compared (--top)",
			     found->left_out);
	if (options->output.format == OUTPUT_CSV && options->output.header)
		diff_lines_header(options);
	ret = diff_lines_put(options, found->line, found->nr);
	return ret ? ret : output_flush(&options->output);
}

static void warn(const struct report_options *options, const struct owner_difference *found)
{
	unsigned int depth[2], i;

	for (i = 0; i < 2; i++) {
		const struct summary *summary = i ? found->after : found->before;

		depth[i] = summary->recording.owners.depth;
		if (options->cgroups && !found->pairs.listing[i]->nr)
			message_note("%s has no owner that -G names", summary->recording.name);
	}
	if (depth[0] != depth[1])
		message_note("the recordings have cgroups down to other levels ('topdown record --depth')");
}

/* A table has the owners up to level 1, as that of one recording. */
static unsigned int level_of(const struct report_options *options)
{
	if (options->level)
		return options->level;
	return options->sort.key == OWNER_KEY_NODE ? topdown_node_level(options->sort.node) : 1;
}

/**
 * owner_diff - compare the owners of two recordings
 * @options: the command line
 * @before: the one, with steps of owners
 * @after: the other, with owners of the same kind
 *
 * Return: exit code.
 */
int owner_diff(struct report_options *options, const struct summary *before,
	       const struct summary *after)
{
	struct owner_difference found = {
		.before = before, .after = after, .level = level_of(options),
	};
	int ret;

	ret = owner_pairs_make(&found.pairs, options, before, after, found.level);
	if (!ret)
		ret = find(options, &found);
	if (!ret) {
		warn(options, &found);
		ret = print(options, &found);
	}
	if (ret < 0) {
		message_error("cannot compare owners: %s", strerror(-ret));
		ret = EXIT_RUNTIME;
	}
	if (!ret)
		ret = diff_code(options, diff_has(found.line, found.nr, NOISE_BEYOND),
				diff_has(found.line, found.nr, NOISE_WITHIN));
	free(found.line);
	owner_pairs_free(&found.pairs);
	return ret;
}
