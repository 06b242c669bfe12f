// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sessions: figures of tasks instead of CPUs.
 */
#include "internal.h"

#include <errno.h>
#include <stddef.h>

#include "../../kmod/metrics.h"

TD_API int topdown_attach(struct topdown *td, int pid, unsigned int flags,
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

TD_API int topdown_session_between(const struct topdown_session *then,
				   const struct topdown_session *now, unsigned int level,
				   struct topdown_figures *out)
{
	struct topdown_figures figures = now->out_figures;

	if (then->session != now->session)
		return -EINVAL;
	if (now->out_time_ns < then->out_time_ns ||
	    now->out_switches < then->out_switches ||
	    figures.slots < then->out_figures.slots ||
	    figures.enabled_ns < then->out_figures.enabled_ns)
		return -ERANGE;
	td_figures_sub(&figures, &then->out_figures);
	td_figures_ratios(&figures, td_nodes_of_figures(&now->out_figures) &
				    td_nodes_of_level(level));
	*out = figures;
	return 0;
}
