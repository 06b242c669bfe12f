// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sessions: the slots of tasks instead of CPUs.
 */
#include "internal.h"

#include <errno.h>

#include "metrics.h"

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

TD_API int topdown_session_read(int session, unsigned int flags, struct topdown_session *out,
				size_t size)
{
	struct topdown_session arg = { .size = sizeof(arg), .flags = flags };
	int ret;

	if (size < TD_SESSION_SIZE_MIN)
		return -EINVAL;
	ret = td_ioctl_fd(session, TOPDOWN_SESSION, &arg);
	if (ret)
		return ret < 0 ? ret : -EPROTO;
	td_copy_sized(out, size, &arg, sizeof(arg));
	return 0;
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

static int td_session_sub(const struct topdown_session *then, const struct topdown_session *now,
			  const struct topdown_figures *before,
			  const struct topdown_figures *after, unsigned int level,
			  struct topdown_figures *out)
{
	struct topdown_figures figures = *after;

	/* A read that is all zero is from before the session. */
	if (then->out_serial && then->out_serial != now->out_serial)
		return -EINVAL;
	if (now->out_time_ns < then->out_time_ns ||
	    now->out_switches < then->out_switches || !td_figures_grew(before, after))
		return -ERANGE;
	td_figures_sub(&figures, before);
	td_figures_ratios(&figures, td_nodes_of_figures(after) & td_nodes_of_level(level));
	*out = figures;
	return 0;
}

TD_API int topdown_session_between(const struct topdown_session *then,
				   const struct topdown_session *now, unsigned int level,
				   struct topdown_figures *out)
{
	return td_session_sub(then, now, &then->out_figures, &now->out_figures, level, out);
}

TD_API int topdown_session_kind_between(const struct topdown_session *then,
					const struct topdown_session *now, unsigned int kind,
					unsigned int level, struct topdown_figures *out)
{
	switch (kind) {
	case TOPDOWN_KIND_CORE:
		return td_session_sub(then, now, &then->out_core_figures, &now->out_core_figures,
				      level, out);
	case TOPDOWN_KIND_ATOM:
		return td_session_sub(then, now, &then->out_atom_figures, &now->out_atom_figures,
				      level, out);
	default:
		return -EINVAL;
	}
}
