/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints.  A disabled one costs a NOP: the end of a window two, any other fold none.
 *
 * Perfetto makes a counter track for each CPU and node from topdown_node: the names of its
 * fields are what Perfetto looks for.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM topdown

#if !defined(TOPDOWN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TOPDOWN_TRACE_H

#include <linux/tracepoint.h>
#include <uapi/linux/topdown.h>

#include "compat.h"

/* A ratio of 1 in topdown_node. */
#define TD_TRACE_RATIO_ONE	1000000

TRACE_EVENT(topdown_window,
	TP_PROTO(const struct topdown_map_record *record),
	TP_ARGS(record),

	TP_STRUCT__entry(
		__field(u64, number)
		__field(u64, begin_ns)
		__field(u64, end_ns)
		__field(u64, enabled_ns)
		__field(u64, running_ns)
		__field(u64, slots)
		__field(u64, nodes)
		__field(u64, clamped)
		__array(u64, node, TOPDOWN_MAX_NODES)
		__field(u32, cpu)
		__field(u32, source)
		__field(u32, state)
		__field(u32, flags)
		__field(u32, turns)
	),

	TP_fast_assign(
		__entry->number = record->windows;
		__entry->begin_ns = record->window_time_ns - record->window.enabled_ns;
		__entry->end_ns = record->window_time_ns;
		__entry->enabled_ns = record->window.enabled_ns;
		__entry->running_ns = record->window.running_ns;
		__entry->slots = record->window.slots;
		__entry->nodes = record->nodes;
		__entry->clamped = record->clamped;
		memcpy(__entry->node, record->window.node, sizeof(__entry->node));
		__entry->cpu = record->cpu;
		__entry->source = record->source;
		__entry->state = record->state;
		__entry->flags = record->flags;
		__entry->turns = record->turns;
	),

	TP_printk("cpu=%u number=%llu begin_ns=%llu end_ns=%llu enabled_ns=%llu running_ns=%llu slots=%llu nodes=0x%llx clamped=0x%llx source=%u state=%u flags=0x%x turns=%u node=%s",
		  __entry->cpu, __entry->number, __entry->begin_ns, __entry->end_ns,
		  __entry->enabled_ns, __entry->running_ns, __entry->slots, __entry->nodes,
		  __entry->clamped, __entry->source, __entry->state, __entry->flags,
		  __entry->turns, __print_array(__entry->node, TOPDOWN_MAX_NODES, 8))
);

TRACE_EVENT(topdown_node,
	TP_PROTO(int cpu, const char *name, s64 ratio),
	TP_ARGS(cpu, name, ratio),

	TP_STRUCT__entry(
		__field(s64, counter_value)
		__field(int, scope_cpu)
		__string(track_name, name)
	),

	TP_fast_assign(
		__entry->counter_value = ratio;
		__entry->scope_cpu = cpu;
		td_compat_assign_str(track_name, name);
	),

	TP_printk("track_name=%s scope_cpu=%d counter_value=%lld",
		  __get_str(track_name), __entry->scope_cpu, __entry->counter_value)
);

TRACE_EVENT(topdown_session,
	TP_PROTO(u64 serial, pid_t owner, u32 state, const struct topdown_share *share),
	TP_ARGS(serial, owner, state, share),

	TP_STRUCT__entry(
		__field(u64, serial)
		__field(u64, enabled_ns)
		__field(u64, running_ns)
		__field(u64, merged_ns)
		__field(u64, switches)
		__field(u64, slots)
		__field(u64, nodes)
		__array(u64, node, TOPDOWN_MAX_NODES)
		__field(pid_t, owner)
		__field(u32, state)
		__field(u32, source)
	),

	TP_fast_assign(
		__entry->serial = serial;
		__entry->enabled_ns = share->sums.enabled_ns;
		__entry->running_ns = share->sums.running_ns;
		__entry->merged_ns = share->merged_ns;
		__entry->switches = share->switches;
		__entry->slots = share->sums.slots;
		__entry->nodes = share->nodes;
		memcpy(__entry->node, share->sums.node, sizeof(__entry->node));
		__entry->owner = owner;
		__entry->state = state;
		__entry->source = share->source;
	),

	TP_printk("serial=%llu owner=%d state=%u enabled_ns=%llu running_ns=%llu merged_ns=%llu switches=%llu slots=%llu nodes=0x%llx source=%u node=%s",
		  __entry->serial, __entry->owner, __entry->state,
		  __entry->enabled_ns, __entry->running_ns, __entry->merged_ns,
		  __entry->switches, __entry->slots, __entry->nodes, __entry->source,
		  __print_array(__entry->node, TOPDOWN_MAX_NODES, 8))
);

#endif /* TOPDOWN_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
