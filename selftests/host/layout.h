/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The released layout of the ABI.  Compiled for 64 bits, for 32 bits and as
 * C++: a line here may be added but never changed.
 */
#include <stddef.h>

#include <linux/topdown.h>
#include <linux/topdown_latency.h>

#ifdef __cplusplus
#define LAYOUT_ASSERT(what)	static_assert(what, #what)
#else
#define LAYOUT_ASSERT(what)	_Static_assert(what, #what)
#endif

#define LAYOUT_SIZE(type, bytes)	LAYOUT_ASSERT(sizeof(struct type) == (bytes))
#define LAYOUT_FIELD(type, field, at, bytes)			\
	LAYOUT_ASSERT(offsetof(struct type, field) == (at));	\
	LAYOUT_ASSERT(sizeof(((struct type *)0)->field) == (bytes))

LAYOUT_ASSERT(TOPDOWN_INFO == 0xbc00);
LAYOUT_ASSERT(TOPDOWN_READ == 0xbc01);
LAYOUT_ASSERT(TOPDOWN_WATCH == 0xbc02);
LAYOUT_ASSERT(TOPDOWN_ATTACH == 0xbc03);
LAYOUT_ASSERT(TOPDOWN_SESSION == 0xbc04);
LAYOUT_ASSERT(TOPDOWN_CONTROL == 0xbc05);
LAYOUT_ASSERT(TOPDOWN_OWNERS == 0xbc10);
LAYOUT_ASSERT(TOPDOWN_OWNERS_READ == 0xbc11);
LAYOUT_ASSERT(TOPDOWN_LATENCY_START == 0xbc20);
LAYOUT_ASSERT(TOPDOWN_LATENCY_READ == 0xbc21);

LAYOUT_SIZE(topdown_info, 288);
LAYOUT_FIELD(topdown_info, size, 0, 4);
LAYOUT_FIELD(topdown_info, flags, 4, 4);
LAYOUT_FIELD(topdown_info, out_features, 8, 8);
LAYOUT_FIELD(topdown_info, out_flags, 16, 4);
LAYOUT_FIELD(topdown_info, out_nr_cpus, 20, 4);
LAYOUT_FIELD(topdown_info, out_source, 24, 4);
LAYOUT_FIELD(topdown_info, out_level, 28, 4);
LAYOUT_FIELD(topdown_info, out_slots_per_cycle, 32, 4);
LAYOUT_FIELD(topdown_info, out_record_size, 36, 4);
LAYOUT_FIELD(topdown_info, out_period_ms, 40, 4);
LAYOUT_FIELD(topdown_info, out_period_min_ms, 44, 4);
LAYOUT_FIELD(topdown_info, out_period_max_ms, 48, 4);
LAYOUT_FIELD(topdown_info, out_cpu_family, 52, 4);
LAYOUT_FIELD(topdown_info, out_cpu_model, 56, 4);
LAYOUT_FIELD(topdown_info, out_cpu_stepping, 60, 4);
LAYOUT_FIELD(topdown_info, out_cpu_vendor, 64, 16);
LAYOUT_FIELD(topdown_info, out_cpu_name, 80, 64);
LAYOUT_FIELD(topdown_info, out_codename, 144, 64);
LAYOUT_FIELD(topdown_info, out_version, 208, 48);
LAYOUT_FIELD(topdown_info, out_map_size, 256, 8);
LAYOUT_FIELD(topdown_info, out_session_map_size, 264, 8);
LAYOUT_FIELD(topdown_info, out_instance, 272, 8);
LAYOUT_FIELD(topdown_info, out_load_time_ns, 280, 8);

LAYOUT_SIZE(topdown_sums, 304);
LAYOUT_FIELD(topdown_sums, enabled_ns, 0, 8);
LAYOUT_FIELD(topdown_sums, running_ns, 8, 8);
LAYOUT_FIELD(topdown_sums, slots, 16, 8);
LAYOUT_FIELD(topdown_sums, cycles, 24, 8);
LAYOUT_FIELD(topdown_sums, instructions, 32, 8);
LAYOUT_FIELD(topdown_sums, busy_ns, 40, 8);
LAYOUT_FIELD(topdown_sums, children_slots, 48, 64);
LAYOUT_FIELD(topdown_sums, node, 112, 192);

LAYOUT_SIZE(topdown_figures, 400);
LAYOUT_FIELD(topdown_figures, enabled_ns, 0, 8);
LAYOUT_FIELD(topdown_figures, running_ns, 8, 8);
LAYOUT_FIELD(topdown_figures, slots, 16, 8);
LAYOUT_FIELD(topdown_figures, cycles, 24, 8);
LAYOUT_FIELD(topdown_figures, instructions, 32, 8);
LAYOUT_FIELD(topdown_figures, busy_ns, 40, 8);
LAYOUT_FIELD(topdown_figures, children_slots, 48, 64);
LAYOUT_FIELD(topdown_figures, node, 112, 192);
LAYOUT_FIELD(topdown_figures, ratio, 304, 96);

LAYOUT_SIZE(topdown_record, 880);
LAYOUT_FIELD(topdown_record, cpu, 0, 4);
LAYOUT_FIELD(topdown_record, state, 4, 4);
LAYOUT_FIELD(topdown_record, source, 8, 4);
LAYOUT_FIELD(topdown_record, level, 12, 4);
LAYOUT_FIELD(topdown_record, kind, 16, 4);
LAYOUT_FIELD(topdown_record, slots_per_cycle, 20, 4);
LAYOUT_FIELD(topdown_record, nr_cpus, 24, 4);
LAYOUT_FIELD(topdown_record, flags, 28, 4);
LAYOUT_FIELD(topdown_record, turns, 32, 4);
LAYOUT_FIELD(topdown_record, __reserved, 36, 4);
LAYOUT_FIELD(topdown_record, nodes, 40, 8);
LAYOUT_FIELD(topdown_record, clamped, 48, 8);
LAYOUT_FIELD(topdown_record, windows, 56, 8);
LAYOUT_FIELD(topdown_record, time_ns, 64, 8);
LAYOUT_FIELD(topdown_record, window_time_ns, 72, 8);
LAYOUT_FIELD(topdown_record, total, 80, 400);
LAYOUT_FIELD(topdown_record, window, 480, 400);

LAYOUT_SIZE(topdown_read, 40);
LAYOUT_FIELD(topdown_read, size, 0, 4);
LAYOUT_FIELD(topdown_read, flags, 4, 4);
LAYOUT_FIELD(topdown_read, cpus, 8, 8);
LAYOUT_FIELD(topdown_read, cpus_words, 16, 4);
LAYOUT_FIELD(topdown_read, record_size, 20, 4);
LAYOUT_FIELD(topdown_read, records, 24, 8);
LAYOUT_FIELD(topdown_read, nr_records, 32, 4);
LAYOUT_FIELD(topdown_read, __reserved, 36, 4);

LAYOUT_SIZE(topdown_map, 64);
LAYOUT_FIELD(topdown_map, magic, 0, 8);
LAYOUT_FIELD(topdown_map, size, 8, 8);
LAYOUT_FIELD(topdown_map, header_size, 16, 4);
LAYOUT_FIELD(topdown_map, nr_cpus, 20, 4);
LAYOUT_FIELD(topdown_map, record_offset, 24, 8);
LAYOUT_FIELD(topdown_map, record_stride, 32, 4);
LAYOUT_FIELD(topdown_map, record_size, 36, 4);
LAYOUT_FIELD(topdown_map, history_entries, 40, 4);
LAYOUT_FIELD(topdown_map, history_size, 44, 4);
LAYOUT_FIELD(topdown_map, history_offset, 48, 8);
LAYOUT_FIELD(topdown_map, history_stride, 56, 4);
LAYOUT_FIELD(topdown_map, __reserved, 60, 4);

LAYOUT_SIZE(topdown_map_record, 992);
LAYOUT_FIELD(topdown_map_record, seq, 0, 4);
LAYOUT_FIELD(topdown_map_record, cpu, 4, 4);
LAYOUT_FIELD(topdown_map_record, state, 8, 4);
LAYOUT_FIELD(topdown_map_record, source, 12, 4);
LAYOUT_FIELD(topdown_map_record, level, 16, 4);
LAYOUT_FIELD(topdown_map_record, kind, 20, 4);
LAYOUT_FIELD(topdown_map_record, slots_per_cycle, 24, 4);
LAYOUT_FIELD(topdown_map_record, nr_cpus, 28, 4);
LAYOUT_FIELD(topdown_map_record, flags, 32, 4);
LAYOUT_FIELD(topdown_map_record, turns, 36, 4);
LAYOUT_FIELD(topdown_map_record, nodes, 40, 8);
LAYOUT_FIELD(topdown_map_record, clamped, 48, 8);
LAYOUT_FIELD(topdown_map_record, windows, 56, 8);
LAYOUT_FIELD(topdown_map_record, time_ns, 64, 8);
LAYOUT_FIELD(topdown_map_record, window_time_ns, 72, 8);
LAYOUT_FIELD(topdown_map_record, total, 80, 304);
LAYOUT_FIELD(topdown_map_record, window, 384, 304);
LAYOUT_FIELD(topdown_map_record, open, 688, 304);

LAYOUT_SIZE(topdown_map_window, 336);
LAYOUT_FIELD(topdown_map_window, number, 0, 8);
LAYOUT_FIELD(topdown_map_window, time_ns, 8, 8);
LAYOUT_FIELD(topdown_map_window, nodes, 16, 8);
LAYOUT_FIELD(topdown_map_window, clamped, 24, 8);
LAYOUT_FIELD(topdown_map_window, sums, 32, 304);

LAYOUT_SIZE(topdown_watch, 64);
LAYOUT_FIELD(topdown_watch, size, 0, 4);
LAYOUT_FIELD(topdown_watch, flags, 4, 4);
LAYOUT_FIELD(topdown_watch, cpus, 8, 8);
LAYOUT_FIELD(topdown_watch, cpus_words, 16, 4);
LAYOUT_FIELD(topdown_watch, node, 20, 4);
LAYOUT_FIELD(topdown_watch, ratio, 24, 4);
LAYOUT_FIELD(topdown_watch, hold_ms, 28, 4);
LAYOUT_FIELD(topdown_watch, min_slots, 32, 8);
LAYOUT_FIELD(topdown_watch, watch, 40, 4);
LAYOUT_FIELD(topdown_watch, event_size, 44, 4);
LAYOUT_FIELD(topdown_watch, out_watch, 48, 4);
LAYOUT_FIELD(topdown_watch, __reserved, 52, 12);

LAYOUT_SIZE(topdown_event, 32);
LAYOUT_FIELD(topdown_event, watch, 0, 4);
LAYOUT_FIELD(topdown_event, flags, 4, 4);
LAYOUT_FIELD(topdown_event, cpu, 8, 4);
LAYOUT_FIELD(topdown_event, ratio, 12, 4);
LAYOUT_FIELD(topdown_event, count, 16, 8);
LAYOUT_FIELD(topdown_event, time_ns, 24, 8);

LAYOUT_SIZE(topdown_attach, 16);
LAYOUT_FIELD(topdown_attach, size, 0, 4);
LAYOUT_FIELD(topdown_attach, flags, 4, 4);
LAYOUT_FIELD(topdown_attach, pid, 8, 4);
LAYOUT_FIELD(topdown_attach, __reserved, 12, 4);

LAYOUT_SIZE(topdown_session_kind, 440);
LAYOUT_FIELD(topdown_session_kind, kind, 0, 4);
LAYOUT_FIELD(topdown_session_kind, level, 4, 4);
LAYOUT_FIELD(topdown_session_kind, source, 8, 4);
LAYOUT_FIELD(topdown_session_kind, __reserved, 12, 4);
LAYOUT_FIELD(topdown_session_kind, nodes, 16, 8);
LAYOUT_FIELD(topdown_session_kind, switches, 24, 8);
LAYOUT_FIELD(topdown_session_kind, merged_ns, 32, 8);
LAYOUT_FIELD(topdown_session_kind, figures, 40, 400);

LAYOUT_SIZE(topdown_session, 496);
LAYOUT_FIELD(topdown_session, size, 0, 4);
LAYOUT_FIELD(topdown_session, flags, 4, 4);
LAYOUT_FIELD(topdown_session, kinds, 8, 8);
LAYOUT_FIELD(topdown_session, nr_kinds, 16, 4);
LAYOUT_FIELD(topdown_session, kind_size, 20, 4);
LAYOUT_FIELD(topdown_session, out_state, 24, 4);
LAYOUT_FIELD(topdown_session, out_flags, 28, 4);
LAYOUT_FIELD(topdown_session, out_tasks, 32, 4);
LAYOUT_FIELD(topdown_session, out_dropped, 36, 4);
LAYOUT_FIELD(topdown_session, out_source, 40, 4);
LAYOUT_FIELD(topdown_session, out_level, 44, 4);
LAYOUT_FIELD(topdown_session, out_nr_kinds, 48, 4);
LAYOUT_FIELD(topdown_session, __reserved, 52, 4);
LAYOUT_FIELD(topdown_session, out_serial, 56, 8);
LAYOUT_FIELD(topdown_session, out_nodes, 64, 8);
LAYOUT_FIELD(topdown_session, out_time_ns, 72, 8);
LAYOUT_FIELD(topdown_session, out_switches, 80, 8);
LAYOUT_FIELD(topdown_session, out_merged_ns, 88, 8);
LAYOUT_FIELD(topdown_session, out_figures, 96, 400);

LAYOUT_SIZE(topdown_latency_event, 16);
LAYOUT_FIELD(topdown_latency_event, config, 0, 8);
LAYOUT_FIELD(topdown_latency_event, config1, 8, 8);

LAYOUT_SIZE(topdown_latency_start, 56);
LAYOUT_FIELD(topdown_latency_start, size, 0, 4);
LAYOUT_FIELD(topdown_latency_start, flags, 4, 4);
LAYOUT_FIELD(topdown_latency_start, cpus, 8, 8);
LAYOUT_FIELD(topdown_latency_start, cpus_words, 16, 4);
LAYOUT_FIELD(topdown_latency_start, session, 20, 4);
LAYOUT_FIELD(topdown_latency_start, events, 24, 8);
LAYOUT_FIELD(topdown_latency_start, nr_events, 32, 4);
LAYOUT_FIELD(topdown_latency_start, event_size, 36, 4);
LAYOUT_FIELD(topdown_latency_start, out_events, 40, 8);
LAYOUT_FIELD(topdown_latency_start, out_refusal, 48, 4);
LAYOUT_FIELD(topdown_latency_start, out_nr_records, 52, 4);

LAYOUT_SIZE(topdown_latency_record, 984);
LAYOUT_FIELD(topdown_latency_record, event, 0, 4);
LAYOUT_FIELD(topdown_latency_record, cpu, 4, 4);
LAYOUT_FIELD(topdown_latency_record, flags, 8, 4);
LAYOUT_FIELD(topdown_latency_record, __reserved, 12, 4);
LAYOUT_FIELD(topdown_latency_record, samples, 16, 8);
LAYOUT_FIELD(topdown_latency_record, events, 24, 8);
LAYOUT_FIELD(topdown_latency_record, sum, 32, 8);
LAYOUT_FIELD(topdown_latency_record, min, 40, 8);
LAYOUT_FIELD(topdown_latency_record, max, 48, 8);
LAYOUT_FIELD(topdown_latency_record, running_ns, 56, 8);
LAYOUT_FIELD(topdown_latency_record, elapsed_ns, 64, 8);
LAYOUT_FIELD(topdown_latency_record, counted, 72, 8);
LAYOUT_FIELD(topdown_latency_record, lost, 80, 8);
LAYOUT_FIELD(topdown_latency_record, bin, 88, 896);

LAYOUT_SIZE(topdown_latency_read, 24);
LAYOUT_FIELD(topdown_latency_read, size, 0, 4);
LAYOUT_FIELD(topdown_latency_read, flags, 4, 4);
LAYOUT_FIELD(topdown_latency_read, records, 8, 8);
LAYOUT_FIELD(topdown_latency_read, nr_records, 16, 4);
LAYOUT_FIELD(topdown_latency_read, record_size, 20, 4);

LAYOUT_SIZE(topdown_share, 344);
LAYOUT_FIELD(topdown_share, seq, 0, 4);
LAYOUT_FIELD(topdown_share, source, 4, 4);
LAYOUT_FIELD(topdown_share, level, 8, 4);
LAYOUT_FIELD(topdown_share, kind, 12, 4);
LAYOUT_FIELD(topdown_share, nodes, 16, 8);
LAYOUT_FIELD(topdown_share, switches, 24, 8);
LAYOUT_FIELD(topdown_share, merged_ns, 32, 8);
LAYOUT_FIELD(topdown_share, sums, 40, 304);

LAYOUT_SIZE(topdown_session_map, 72);
LAYOUT_FIELD(topdown_session_map, magic, 0, 8);
LAYOUT_FIELD(topdown_session_map, size, 8, 8);
LAYOUT_FIELD(topdown_session_map, header_size, 16, 4);
LAYOUT_FIELD(topdown_session_map, nr_cpus, 20, 4);
LAYOUT_FIELD(topdown_session_map, share_offset, 24, 8);
LAYOUT_FIELD(topdown_session_map, share_stride, 32, 4);
LAYOUT_FIELD(topdown_session_map, share_size, 36, 4);
LAYOUT_FIELD(topdown_session_map, serial, 40, 8);
LAYOUT_FIELD(topdown_session_map, nr_kinds, 48, 4);
LAYOUT_FIELD(topdown_session_map, seq, 52, 4);
LAYOUT_FIELD(topdown_session_map, state, 56, 4);
LAYOUT_FIELD(topdown_session_map, flags, 60, 4);
LAYOUT_FIELD(topdown_session_map, tasks, 64, 4);
LAYOUT_FIELD(topdown_session_map, dropped, 68, 4);

LAYOUT_SIZE(topdown_control, 16);
LAYOUT_FIELD(topdown_control, size, 0, 4);
LAYOUT_FIELD(topdown_control, flags, 4, 4);
LAYOUT_FIELD(topdown_control, action, 8, 4);
LAYOUT_FIELD(topdown_control, __reserved, 12, 4);

LAYOUT_ASSERT(TOPDOWN_RETIRING == 0 && TOPDOWN_BAD_SPECULATION == 1);
LAYOUT_ASSERT(TOPDOWN_FRONTEND_BOUND == 2 && TOPDOWN_BACKEND_BOUND == 3);
LAYOUT_ASSERT(TOPDOWN_HEAVY_OPERATIONS == 4 && TOPDOWN_LIGHT_OPERATIONS == 5);
LAYOUT_ASSERT(TOPDOWN_BRANCH_MISPREDICTS == 6 && TOPDOWN_MACHINE_CLEARS == 7);
LAYOUT_ASSERT(TOPDOWN_FETCH_LATENCY == 8 && TOPDOWN_FETCH_BANDWIDTH == 9);
LAYOUT_ASSERT(TOPDOWN_MEMORY_BOUND == 10 && TOPDOWN_CORE_BOUND == 11);
LAYOUT_ASSERT(TOPDOWN_RESOURCE_BOUND == 12 && TOPDOWN_SMT_CONTENTION == 13);
LAYOUT_ASSERT(TOPDOWN_MAX_NODES == 24 && TOPDOWN_MAX_PARENTS == 8);
LAYOUT_ASSERT(TOPDOWN_KIND_ONLY == 0 && TOPDOWN_KIND_CORE == 1);
LAYOUT_ASSERT(TOPDOWN_KIND_ATOM == 2 && TOPDOWN_KIND_MIXED == 0xffffffffU);
LAYOUT_ASSERT(TOPDOWN_SOURCE_NONE == 0 && TOPDOWN_SOURCE_PERF_METRICS == 1);
LAYOUT_ASSERT(TOPDOWN_STATE_OK == 0 && TOPDOWN_STATE_OFFLINE == 1);
LAYOUT_ASSERT(TOPDOWN_STATE_UNSUPPORTED == 2 && TOPDOWN_STATE_CONTENDED == 3);
LAYOUT_ASSERT(TOPDOWN_STATE_ERROR == 4 && TOPDOWN_STATE_EXCLUDED == 5);
LAYOUT_ASSERT(TOPDOWN_STATE_ASIDE == 6);
LAYOUT_ASSERT(TOPDOWN_READ_FRESH == 1 && TOPDOWN_READ_TOTAL == 2 && TOPDOWN_READ_MAPPED == 4);
LAYOUT_ASSERT(TOPDOWN_CONTROL_ENABLE == 0 && TOPDOWN_CONTROL_DISABLE == 1);
LAYOUT_ASSERT(TOPDOWN_CONTROL_VIEW == 2);
LAYOUT_ASSERT(TOPDOWN_WATCH_BELOW == 1 && TOPDOWN_WATCH_ANY == 0xffffffffU);

LAYOUT_SIZE(topdown_owners, 16);
LAYOUT_FIELD(topdown_owners, size, 0, 4);
LAYOUT_FIELD(topdown_owners, flags, 4, 4);
LAYOUT_FIELD(topdown_owners, kind, 8, 4);
LAYOUT_FIELD(topdown_owners, depth, 12, 4);

LAYOUT_SIZE(topdown_owner, 1000);
LAYOUT_FIELD(topdown_owner, what, 0, 4);
LAYOUT_FIELD(topdown_owner, flags, 4, 4);
LAYOUT_FIELD(topdown_owner, id, 8, 8);
LAYOUT_FIELD(topdown_owner, parent, 16, 8);
LAYOUT_FIELD(topdown_owner, start_ns, 24, 8);
LAYOUT_FIELD(topdown_owner, level, 32, 4);
LAYOUT_FIELD(topdown_owner, depth, 36, 4);
LAYOUT_FIELD(topdown_owner, source, 40, 4);
LAYOUT_FIELD(topdown_owner, __reserved, 44, 4);
LAYOUT_FIELD(topdown_owner, nodes, 48, 8);
LAYOUT_FIELD(topdown_owner, switches, 56, 8);
LAYOUT_FIELD(topdown_owner, tree_switches, 64, 8);
LAYOUT_FIELD(topdown_owner, name, 72, 128);
LAYOUT_FIELD(topdown_owner, self, 200, 400);
LAYOUT_FIELD(topdown_owner, tree, 600, 400);

LAYOUT_SIZE(topdown_owners_read, 56);
LAYOUT_FIELD(topdown_owners_read, size, 0, 4);
LAYOUT_FIELD(topdown_owners_read, flags, 4, 4);
LAYOUT_FIELD(topdown_owners_read, records, 8, 8);
LAYOUT_FIELD(topdown_owners_read, nr_records, 16, 4);
LAYOUT_FIELD(topdown_owners_read, record_size, 20, 4);
LAYOUT_FIELD(topdown_owners_read, cursor, 24, 8);
LAYOUT_FIELD(topdown_owners_read, out_since_ns, 32, 8);
LAYOUT_FIELD(topdown_owners_read, out_time_ns, 40, 8);
LAYOUT_FIELD(topdown_owners_read, out_nr_owners, 48, 4);
LAYOUT_FIELD(topdown_owners_read, __reserved, 52, 4);
