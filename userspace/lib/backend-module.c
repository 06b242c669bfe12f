// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions by the module: a session of the thread is read at each begin and end.
 */
#include "backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metrics.h"

struct td_module {
	struct td_backend backend;
	int session;
};

static int td_module_end(struct td_backend *backend, struct td_point *point)
{
	struct td_module *module = (struct td_module *)backend;
	struct topdown_session seen;
	int ret;

	ret = topdown_session_read(module->session, TOPDOWN_SESSION_FRESH, &seen, sizeof(seen));
	if (ret)
		return ret;
	point->enabled_ns = seen.out_figures.enabled_ns;
	point->running_ns = seen.out_figures.running_ns;
	point->slots = seen.out_figures.slots;
	memcpy(point->children_slots, seen.out_figures.children_slots,
	       sizeof(point->children_slots));
	memcpy(point->part, seen.out_figures.node, sizeof(point->part));
	/* The session has no level until the thread was on a CPU with counters. */
	if (seen.out_level) {
		backend->level = seen.out_level;
		if (seen.out_figures.slots)
			backend->nodes = td_nodes_of_figures(&seen.out_figures);
		backend->source = seen.out_source;
	}
	return 1;
}

static int td_module_begin(struct td_backend *backend, uint64_t average, struct td_point *point)
{
	(void)average;
	return td_module_end(backend, point);
}

static void td_module_figures(const struct td_backend *backend, const struct td_point *sum,
			      struct topdown_figures *figures)
{
	figures->slots = sum->slots;
	memcpy(figures->children_slots, sum->children_slots, sizeof(sum->children_slots));
	memcpy(figures->node, sum->part, sizeof(sum->part));
	td_figures_ratios(figures, backend->nodes);
}

static void td_module_destroy(struct td_backend *backend, bool child)
{
	struct td_module *module = (struct td_module *)backend;

	/* In a child this is a copy, and the session of the parent goes on. */
	(void)child;
	close(module->session);
	free(module);
}

static const struct td_backend_ops td_module_ops = {
	.begin		= td_module_begin,
	.end		= td_module_end,
	.figures	= td_module_figures,
	.destroy	= td_module_destroy,
};

int td_backend_module(struct td_backend **out, struct topdown *td)
{
	struct td_module *module;
	int ret;

	if (!td)
		return -EOPNOTSUPP;
	module = calloc(1, sizeof(*module));
	if (!module)
		return -ENOMEM;
	module->backend.ops = &td_module_ops;
	module->backend.kind = TOPDOWN_REGION_MODULE;
	ret = topdown_session_attach(td, 0, TOPDOWN_ATTACH_THREAD, &module->session);
	if (ret) {
		free(module);
		return ret;
	}
	*out = &module->backend;
	return 0;
}
