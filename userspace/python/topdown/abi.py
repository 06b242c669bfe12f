# SPDX-License-Identifier: LGPL-2.1-or-later
"""Structures and numbers of the headers <linux/topdown.h> and <topdown.h>.

They have the layout of the first release, which all later ones keep: a structure
only grows at its end.  The library copies out the size that it is given, and
hands out addresses of structures that are as long or longer, so what is not known
here is left out.  The test ``userspace/check/python`` compares each size, offset
and number with what a C compiler makes of the headers.
"""
from __future__ import annotations

from ctypes import Structure, c_char, c_int32, c_uint16, c_uint32, c_uint64
from typing import Dict, List, Tuple, Type

#: Room for nodes in `Figures`.
MAX_NODES = 24
#: Room for level 1 nodes that have children.
MAX_PARENTS = 8
#: A ratio of 1.
RATIO_ONE = 1000000000
#: No ratio.
RATIO_NONE = 0xffffffff
#: `Record.cpu` of a sum over CPUs.
CPU_ALL = 0xffffffff
#: The longest CPU set, in words of 64 bits.
CPUS_WORDS_MAX = 128

READ_FRESH = 1 << 0
SESSION_FRESH = 1 << 0

FEATURE_FRESH = 1 << 0
FEATURE_TOTAL = 1 << 1
FEATURE_MAP = 1 << 3
FEATURE_WATCH = 1 << 4
FEATURE_SESSION = 1 << 5
FEATURE_CYCLES = 1 << 8
FEATURE_BUSY = 1 << 9
FEATURE_OWNERS = 1 << 16

INFO_MAY_READ = 1 << 0
INFO_PINNED = 1 << 1
INFO_REFINED = 1 << 2
INFO_DRILLDOWN = 1 << 3
INFO_ASIDE = 1 << 4
INFO_ASIDE_ALL = 1 << 5

RECORD_CLAMPED = 1 << 0
RECORD_SCALED = 1 << 1
RECORD_REFINED = 1 << 2
RECORD_DRILLDOWN = 1 << 3

ATTACH_THREAD = 1 << 0
ATTACH_CHILDREN = 1 << 1
ATTACH_PIDFD = 1 << 2
ATTACH_DISABLED = 1 << 3
ATTACH_ON_EXEC = 1 << 4

SESSION_OUT_INCOMPLETE = 1 << 0

WATCH_ANY = 0xffffffff
WATCH_BELOW = 1 << 0
WATCH_BACK = 1 << 1
WATCH_SUM = 1 << 2

EVENT_BACK = 1 << 0

CONTROL_ENABLE = 0
CONTROL_DISABLE = 1
CONTROL_VIEW = 2

SESSION_STATE_DETACHED = 4

KIND_CORE = 1
KIND_ATOM = 2

#: Bins of `LatencyRecord.bin`.
LATENCY_BINS = 112
LATENCY_RECORD_AWAY = 1 << 0
LATENCY_RECORD_COUNTED = 1 << 1

#: Bytes of `Owner.name`.
OWNER_NAME_MAX = 128
OWNER_EXITED = 1 << 0

REGION_AUTO = 0
REGION_MODULE = 1
REGION_RDPMC = 2

STALLS_USER = 1 << 0
STALLS_EXPLAINS = 2


class Figures(Structure):
    """struct topdown_figures, which has its final size."""
    _fields_ = [("enabled_ns", c_uint64), ("running_ns", c_uint64), ("slots", c_uint64),
                ("cycles", c_uint64), ("instructions", c_uint64), ("busy_ns", c_uint64),
                ("children_slots", c_uint64 * MAX_PARENTS), ("node", c_uint64 * MAX_NODES),
                ("ratio", c_uint32 * MAX_NODES)]


class Info(Structure):
    """struct topdown_info"""
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("out_features", c_uint64),
                ("out_flags", c_uint32), ("out_nr_cpus", c_uint32), ("out_source", c_uint32),
                ("out_level", c_uint32), ("out_slots_per_cycle", c_uint32),
                ("out_record_size", c_uint32), ("out_period_ms", c_uint32),
                ("out_period_min_ms", c_uint32), ("out_period_max_ms", c_uint32),
                ("out_cpu_family", c_uint32), ("out_cpu_model", c_uint32),
                ("out_cpu_stepping", c_uint32), ("out_cpu_vendor", c_char * 16),
                ("out_cpu_name", c_char * 64), ("out_codename", c_char * 64),
                ("out_version", c_char * 48), ("out_map_size", c_uint64),
                ("out_session_map_size", c_uint64), ("out_instance", c_uint64),
                ("out_load_time_ns", c_uint64)]


class Record(Structure):
    """struct topdown_record"""
    _fields_ = [("cpu", c_uint32), ("state", c_uint32), ("source", c_uint32),
                ("level", c_uint32), ("kind", c_uint32), ("slots_per_cycle", c_uint32),
                ("nr_cpus", c_uint32), ("flags", c_uint32), ("turns", c_uint32),
                ("__reserved", c_uint32), ("nodes", c_uint64), ("clamped", c_uint64),
                ("windows", c_uint64), ("time_ns", c_uint64), ("window_time_ns", c_uint64),
                ("total", Figures), ("window", Figures)]


class Window(Structure):
    """struct topdown_window"""
    _fields_ = [("number", c_uint64), ("time_ns", c_uint64), ("nodes", c_uint64),
                ("clamped", c_uint64), ("figures", Figures)]


class Session(Structure):
    """struct topdown_session"""
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("kinds", c_uint64),
                ("nr_kinds", c_uint32), ("kind_size", c_uint32), ("out_state", c_uint32),
                ("out_flags", c_uint32), ("out_tasks", c_uint32), ("out_dropped", c_uint32),
                ("out_source", c_uint32), ("out_level", c_uint32), ("out_nr_kinds", c_uint32),
                ("__reserved", c_uint32), ("out_serial", c_uint64), ("out_nodes", c_uint64),
                ("out_time_ns", c_uint64), ("out_switches", c_uint64),
                ("out_merged_ns", c_uint64), ("out_figures", Figures)]


class SessionKind(Structure):
    """struct topdown_session_kind"""
    _fields_ = [("kind", c_uint32), ("level", c_uint32), ("source", c_uint32),
                ("__reserved", c_uint32), ("nodes", c_uint64), ("switches", c_uint64),
                ("merged_ns", c_uint64), ("figures", Figures)]


class Watch(Structure):
    """struct topdown_watch"""
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("cpus", c_uint64),
                ("cpus_words", c_uint32), ("node", c_uint32), ("ratio", c_uint32),
                ("hold_ms", c_uint32), ("min_slots", c_uint64), ("watch", c_uint32),
                ("event_size", c_uint32), ("out_watch", c_uint32), ("__reserved", c_uint32 * 3)]


class Event(Structure):
    """struct topdown_event"""
    _fields_ = [("watch", c_uint32), ("flags", c_uint32), ("cpu", c_uint32),
                ("ratio", c_uint32), ("count", c_uint64), ("time_ns", c_uint64)]


class LatencyRecord(Structure):
    """struct topdown_latency_record"""
    _fields_ = [("event", c_uint32), ("cpu", c_uint32), ("flags", c_uint32),
                ("__reserved", c_uint32), ("samples", c_uint64), ("events", c_uint64),
                ("sum", c_uint64), ("min", c_uint64), ("max", c_uint64),
                ("running_ns", c_uint64), ("elapsed_ns", c_uint64),
                ("counted", c_uint64), ("lost", c_uint64),
                ("bin", c_uint64 * LATENCY_BINS)]


class Owner(Structure):
    """struct topdown_owner"""
    _fields_ = [("what", c_uint32), ("flags", c_uint32), ("id", c_uint64),
                ("parent", c_uint64), ("start_ns", c_uint64), ("level", c_uint32),
                ("depth", c_uint32), ("source", c_uint32), ("__reserved", c_uint32),
                ("nodes", c_uint64), ("switches", c_uint64), ("tree_switches", c_uint64),
                ("name", c_char * OWNER_NAME_MAX), ("self", Figures), ("tree", Figures)]


class Region(Structure):
    """struct topdown_region"""
    _fields_ = [("backend", c_uint32), ("source", c_uint32), ("level", c_uint32),
                ("open", c_uint32), ("count", c_uint64), ("calls", c_uint64),
                ("figures", Figures)]


class Stall(Structure):
    """struct topdown_stall"""
    _fields_ = [("has", c_uint64), ("flags", c_uint64), ("ip", c_uint64),
                ("address", c_uint64), ("target", c_uint64), ("time_ns", c_uint64),
                ("period", c_uint64), ("cpu", c_uint32), ("pid", c_uint32),
                ("tid", c_uint32), ("event", c_uint32), ("kind", c_uint16),
                ("stage", c_uint16), ("reason", c_uint16), ("source", c_uint16),
                ("whole", c_uint32), ("retire", c_uint32), ("cache", c_uint32),
                ("translation", c_uint32), ("fetch", c_uint32), ("dispatch", c_uint32),
                ("width", c_uint16), ("outstanding", c_uint16), ("region", c_uint16),
                ("reserved", c_uint16)]


class StallOptions(Structure):
    """struct topdown_stall_options"""
    _fields_ = [("nodes", c_uint64), ("rate", c_uint32), ("pid", c_int32),
                ("flags", c_uint32), ("together", c_uint32), ("reserved", c_uint32 * 2)]


class StallsEvent(Structure):
    """struct topdown_stalls_event"""
    _fields_ = [("name", c_char * 64), ("pmu", c_char * 16), ("nodes", c_uint64),
                ("samples", c_uint64), ("enabled_ns", c_uint64), ("running_ns", c_uint64),
                ("role", c_uint32), ("error", c_int32), ("turns", c_uint32),
                ("precise", c_uint32), ("user", c_uint32), ("reserved", c_uint32),
                ("counted", c_uint64)]


#: The structures by the names that they have in C.
STRUCTS: Dict[str, Type[Structure]] = {
    "topdown_figures": Figures, "topdown_info": Info, "topdown_record": Record,
    "topdown_window": Window, "topdown_session": Session,
    "topdown_session_kind": SessionKind, "topdown_watch": Watch,
    "topdown_event": Event, "topdown_region": Region,
    "topdown_latency_record": LatencyRecord, "topdown_owner": Owner, "topdown_stall": Stall,
    "topdown_stall_options": StallOptions, "topdown_stalls_event": StallsEvent}

#: The type of ``enum`` parameters and results.
c_enum = c_int32


def bits(prefix: str, value: int) -> frozenset[str]:
    """The names of the bits that are set, as those of ``FEATURE_``: "map", "watch", ...

    Bits of a newer module that are not known here are left out.
    """
    names: List[Tuple[str, int]] = [(name[len(prefix):].lower(), number)
                                    for name, number in globals().items()
                                    if name.startswith(prefix)]
    return frozenset(name for name, number in names if value & number)
