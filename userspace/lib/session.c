// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sessions: the slots of tasks instead of CPUs.
 */
#include "internal.h"

#include <errno.h>
#include <stddef.h>

#include "metrics.h"

TD_API int topdown_session_attach(struct topdown *td, int pid, unsigned int flags,
				  uint32_t *session)
{
	struct topdown_attach arg = {
		.size = sizeof(arg),
		.flags = flags,
		.pid = pid,
	};
	int ret;

	if (!topdown_has(td, TOPDOWN_FEATURE_SESSION))
		return -EOPNOTSUPP;
	ret = td_ioctl(td, TOPDOWN_ATTACH, &arg);
	if (ret)
		return ret;
	if (!arg.out_session)
		return -EPROTO;
	*session = arg.out_session;
	return 0;
}

TD_API int topdown_session_read(struct topdown *td, uint32_t session, unsigned int flags,
				struct topdown_session *out, size_t size)
{
	struct topdown_session arg = {
		.size = sizeof(arg),
		.flags = flags,
		.session = session,
	};
	int ret;

	if (size < TD_SESSION_SIZE_MIN)
		return -EINVAL;
	if (!topdown_has(td, TOPDOWN_FEATURE_SESSION))
		return -EOPNOTSUPP;
	ret = td_ioctl(td, TOPDOWN_SESSION, &arg);
	if (ret)
		return ret;
	td_copy_sized(out, size, &arg, sizeof(arg));
	return 0;
}

TD_API int topdown_session_read_many(struct topdown *td, const uint32_t *sessions,
				     unsigned int *nr, unsigned int flags,
				     struct topdown_session *out, size_t size)
{
	struct topdown_sessions arg = {
		.size = sizeof(arg),
		.flags = flags,
		.numbers = (uintptr_t)sessions,
		.nr_numbers = sessions ? *nr : 0,
		.session_size = size,
		.sessions = (uintptr_t)out,
		.nr_sessions = *nr,
	};
	bool fits;
	int ret;

	if ((sessions && !*nr) || size < TD_SESSION_SIZE_MIN)
		return -EINVAL;
	if (size > UINT32_MAX)
		return -E2BIG;
	if (!topdown_has(td, TOPDOWN_FEATURE_SESSIONS))
		return -EOPNOTSUPP;
	ret = td_ioctl(td, TOPDOWN_SESSIONS, &arg);
	if (ret && (ret != -EMSGSIZE || sessions))
		return ret;
	fits = arg.nr_sessions <= *nr;
	if (sessions ? arg.nr_sessions != *nr : fits == (ret == -EMSGSIZE))
		return -EPROTO;
	*nr = arg.nr_sessions;
	return ret;
}

TD_API int topdown_session_control(struct topdown *td, uint32_t session,
				   enum topdown_control_action action)
{
	struct topdown_control arg = {
		.size = sizeof(arg),
		.session = session,
		.action = action,
	};

	if (!topdown_has(td, TOPDOWN_FEATURE_SESSION))
		return -EOPNOTSUPP;
	return td_ioctl(td, TOPDOWN_CONTROL, &arg);
}

static int td_session_sub(const struct topdown_session *then, const struct topdown_session *now,
			  const struct topdown_figures *before,
			  const struct topdown_figures *after, unsigned int level,
			  struct topdown_figures *out)
{
	struct topdown_figures figures = *after;

	if (then->session != now->session)
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
