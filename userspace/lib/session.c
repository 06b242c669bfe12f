// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sessions: the slots of tasks instead of CPUs.
 */
#include "internal.h"

#include <errno.h>

#include "sums.h"

TD_API int topdown_session_attach(struct topdown *td, int pid, unsigned int flags, int *session)
{
	struct topdown_attach arg = {
		.size = sizeof(arg),
		.flags = flags,
		.pid = pid,
	};
	int ret;

	if (!topdown_has(td, TOPDOWN_FEATURE_SESSION))
		return -EOPNOTSUPP;
	ret = td_ioctl_fd(td->fd, TOPDOWN_ATTACH, &arg);
	if (ret < 0)
		return ret;
	*session = ret;
	return 0;
}

TD_API int topdown_session_view(int session, int *view)
{
	struct topdown_control arg = { .size = sizeof(arg), .action = TOPDOWN_CONTROL_VIEW };
	int ret;

	ret = td_ioctl_fd(session, TOPDOWN_CONTROL, &arg);
	if (ret < 0)
		return ret;
	*view = ret;
	return 0;
}

TD_API int topdown_session_read_kinds(int session, unsigned int flags, struct topdown_session *out,
				      size_t size, struct topdown_session_kind *kinds,
				      unsigned int *nr, size_t kind_size)
{
	struct topdown_session arg = {
		.size = sizeof(arg),
		.flags = flags,
	};
	int ret;

	if (size < TD_SESSION_SIZE_MIN || !td_kinds_fit(kinds, *nr, kind_size))
		return -EINVAL;
	if (*nr) {
		arg.kinds = (uintptr_t)kinds;
		arg.nr_kinds = *nr;
		arg.kind_size = kind_size;
	}
	ret = td_ioctl_fd(session, TOPDOWN_SESSION, &arg);
	if (ret)
		return ret < 0 ? ret : -EPROTO;
	if (*nr > arg.nr_kinds)
		*nr = arg.nr_kinds;
	arg.kinds = 0;
	arg.kind_size = 0;
	td_copy_sized(out, size, &arg, sizeof(arg));
	return 0;
}

TD_API int topdown_session_read(int session, unsigned int flags, struct topdown_session *out,
				size_t size)
{
	unsigned int none = 0;

	return topdown_session_read_kinds(session, flags, out, size, NULL, &none, 0);
}

TD_API int topdown_session_control(int session, enum topdown_control_action action)
{
	struct topdown_control arg = { .size = sizeof(arg), .action = action };
	int ret;

	/* TOPDOWN_CONTROL_VIEW returns a descriptor. */
	if (action == TOPDOWN_CONTROL_VIEW)
		return -EINVAL;
	ret = td_ioctl_fd(session, TOPDOWN_CONTROL, &arg);
	return ret > 0 ? -EPROTO : ret;
}

/*
 * The nodes of a span of a session. Children that were not counted from the begin of the session on
 * have no ratio in it, but they have one in a span in which they were: td_figures_ratios() looks at
 * their slots. A mixture of sources has nodes that its other parts do not have.
 */
static uint32_t td_nodes_of_span(const struct topdown_figures *after, uint32_t source)
{
	uint32_t nodes = td_nodes_of_figures(after), late = 0, children;
	unsigned int parent;

	if (source == TOPDOWN_SOURCE_MIXED)
		return nodes;
	for (parent = 0; parent < TD_NR_PARENTS; parent++) {
		children = td_nodes_children(parent);
		if (!(nodes & children) && after->children_slots[parent])
			late |= children;
	}
	/* A core has one of these two, which shows when it has slots. */
	if (!after->node[TOPDOWN_MEMORY_BOUND])
		late &= ~(1U << TOPDOWN_MEMORY_BOUND);
	if (!after->node[TOPDOWN_RESOURCE_BOUND])
		late &= ~(1U << TOPDOWN_RESOURCE_BOUND);
	return nodes | late;
}

TD_API int topdown_session_between(const struct topdown_session *then,
				   const struct topdown_session *now, unsigned int level,
				   struct topdown_figures *out)
{
	const struct topdown_figures *before = &then->out_figures, *after = &now->out_figures;
	struct topdown_figures figures = *after;

	/* A read that is all zero is from before the session. */
	if (then->out_serial && then->out_serial != now->out_serial)
		return -EINVAL;
	if (now->out_time_ns < then->out_time_ns ||
	    now->out_switches < then->out_switches || !td_figures_grew(before, after))
		return -ERANGE;
	td_figures_sub(&figures, before);
	td_figures_ratios(&figures,
			  td_nodes_of_span(after, now->out_source) & td_nodes_of_level(level));
	*out = figures;
	return 0;
}

TD_API int topdown_session_kind_between(const struct topdown_session_kind *then,
					const struct topdown_session_kind *now,
					unsigned int level, struct topdown_figures *out)
{
	struct topdown_figures figures = now->figures;

	/* One that is all zero is from before the session. */
	if (then->figures.enabled_ns && then->kind != now->kind)
		return -EINVAL;
	if (now->switches < then->switches || !td_figures_grew(&then->figures, &now->figures))
		return -ERANGE;
	td_figures_sub(&figures, &then->figures);
	td_figures_ratios(&figures, td_nodes_of_span(&now->figures, now->source) &
				    td_nodes_of_level(level));
	*out = figures;
	return 0;
}
