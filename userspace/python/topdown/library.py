# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library libtopdown.so.1, with the types of its functions.

It is loaded when it is used first, by the usual rules of the loader.
"""
from __future__ import annotations

import ctypes
from ctypes import (POINTER, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64,
                    c_void_p)
from functools import lru_cache
from typing import Any, Dict, Optional, Tuple

from . import abi, errors

#: The file, by its SONAME: all later releases of it keep these functions.
SONAME = "libtopdown.so.1"

_handle = c_void_p
_out = POINTER(c_void_p)
_words = POINTER(c_uint64)
_figures = POINTER(abi.Figures)
_record = POINTER(abi.Record)
_session = POINTER(abi.Session)
_session_kind = POINTER(abi.SessionKind)
_latency = POINTER(abi.LatencyRecord)
_owner = POINTER(abi.Owner)
_stall = POINTER(abi.Stall)

#: Name, type of the result, types of the parameters.
PROTOTYPES: Dict[str, Tuple[Any, ...]] = {
    "topdown_version": (c_char_p,),
    "topdown_open": (c_int, _out, c_char_p),
    "topdown_open_fd": (c_int, _out, c_int),
    "topdown_close": (None, _handle),
    "topdown_fd": (c_int, _handle),
    "topdown_info_get": (POINTER(abi.Info), _handle),
    "topdown_info_update": (c_int, _handle),
    "topdown_cpus_parse": (c_int, c_char_p, _words, c_uint32, POINTER(c_char_p)),
    "topdown_cpus_text": (c_size_t, _words, c_uint32, c_char_p, c_size_t),
    "topdown_reading_create": (c_int, _out, _handle, _words, c_uint32),
    "topdown_reading_destroy": (None, _handle),
    "topdown_reading_update": (c_int, _handle, c_uint32),
    "topdown_reading_update_map": (c_int, _handle, _handle, c_uint32),
    "topdown_reading_nr": (c_uint32, _handle),
    "topdown_reading_time": (c_uint64, _handle),
    "topdown_reading_record": (_record, _handle, c_uint32),
    "topdown_reading_find": (_record, _handle, c_uint32),
    "topdown_reading_between": (c_int, _handle, _handle, c_uint32, c_uint32, _figures),
    "topdown_map_open": (c_int, _out, _handle),
    "topdown_map_close": (None, _handle),
    "topdown_map_nr_cpus": (c_uint32, _handle),
    "topdown_map_history": (c_uint32, _handle),
    "topdown_map_read_record": (c_int, _handle, c_uint32, _record, c_size_t, _figures),
    "topdown_map_read_window": (c_int, _handle, c_uint32, c_uint64, c_uint32,
                                POINTER(abi.Window), c_size_t),
    "topdown_record_between": (c_int, _record, _record, c_uint32, _figures),
    "topdown_figures_add": (None, _figures, _figures, c_uint32),
    "topdown_figures_has": (c_bool, _figures, c_uint32),
    "topdown_figures_ratio": (c_double, _figures, c_uint32),
    "topdown_figures_ipc": (c_double, _figures),
    "topdown_figures_busy": (c_double, _figures, c_uint64),
    "topdown_watch_add": (c_int, _handle, _words, c_uint32, POINTER(abi.Watch),
                          POINTER(c_uint32)),
    "topdown_watch_remove": (c_int, _handle, c_uint32),
    "topdown_watch_read": (c_int, _handle, c_int, POINTER(abi.Event), POINTER(c_uint32),
                           c_size_t),
    "topdown_watch_cancel": (c_int, _handle),
    "topdown_session_attach": (c_int, _handle, c_int, c_uint32, POINTER(c_int)),
    "topdown_session_view": (c_int, c_int, POINTER(c_int)),
    "topdown_session_read": (c_int, c_int, c_uint32, _session, c_size_t),
    "topdown_session_read_kinds": (c_int, c_int, c_uint32, _session, c_size_t, _session_kind,
                                   POINTER(c_uint32), c_size_t),
    "topdown_session_map_open": (c_int, _out, c_int),
    "topdown_session_map_close": (None, _handle),
    "topdown_session_map_read": (c_int, _handle, _session, c_size_t),
    "topdown_session_map_read_kinds": (c_int, _handle, _session, c_size_t, _session_kind,
                                       POINTER(c_uint32), c_size_t),
    "topdown_session_control": (c_int, c_int, abi.c_enum),
    "topdown_session_between": (c_int, _session, _session, c_uint32, _figures),
    "topdown_session_kind_between": (c_int, _session_kind, _session_kind, c_uint32, _figures),
    "topdown_latency_event_name": (c_char_p, c_uint32),
    "topdown_latency_event_by_name": (c_int, c_char_p),
    "topdown_latency_refusal_text": (c_char_p, c_uint32),
    "topdown_latency_events": (c_int, _handle, _words, POINTER(c_uint32)),
    "topdown_latencies_start": (c_int, _handle, _words, c_uint32, c_uint64, _out,
                                POINTER(c_uint32)),
    "topdown_latencies_start_tasks": (c_int, _handle, c_int, c_uint64, _out, POINTER(c_uint32)),
    "topdown_latency_default": (c_char_p, c_uint32, c_uint32, c_uint32, POINTER(c_double),
                                POINTER(c_uint32), POINTER(c_uint32)),
    "topdown_latencies_fd": (c_int, _handle),
    "topdown_latencies_end": (None, _handle),
    "topdown_latencies_read": (c_int, _handle, _latency, c_size_t, POINTER(c_uint32)),
    "topdown_stalls_open": (c_int, _out, _words, c_uint32, POINTER(abi.StallOptions), c_size_t),
    "topdown_stalls_close": (None, _handle),
    "topdown_stalls_stop": (None, _handle),
    "topdown_stalls_next": (c_int, _handle, c_int, _stall, c_size_t),
    "topdown_stalls_event_get": (c_int, _handle, c_uint32, POINTER(abi.StallsEvent), c_size_t),
    "topdown_stalls_lost": (c_uint64, _handle),
    "topdown_stalls_throttled": (c_uint64, _handle),
    "topdown_stall_cost": (c_double, _stall, c_uint32),
    "topdown_stall_kind_name": (c_char_p, c_uint32),
    "topdown_stall_stage_name": (c_char_p, c_uint32),
    "topdown_stall_reason_name": (c_char_p, c_uint32),
    "topdown_stall_source_name": (c_char_p, c_uint32),
    "topdown_stall_flag_name": (c_char_p, c_uint32),
    "topdown_stall_text": (c_int, _stall, c_char_p, c_size_t),
    "topdown_latency_between": (c_int, _latency, _latency, _latency),
    "topdown_latency_add": (None, _latency, _latency),
    "topdown_latency_mean": (c_double, _latency),
    "topdown_latency_variance": (c_double, _latency),
    "topdown_latency_quantile": (c_double, _latency, c_double),
    "topdown_owners_open": (c_int, _out, _handle, c_uint32, c_uint32),
    "topdown_owners_close": (None, _handle),
    "topdown_owners_update": (c_int, _handle),
    "topdown_owners_copy": (c_int, _out, _handle),
    "topdown_owners_nr": (c_uint32, _handle),
    "topdown_owners_get": (_owner, _handle, c_uint32),
    "topdown_owners_find": (_owner, _handle, _owner),
    "topdown_owners_time": (c_uint64, _handle),
    "topdown_owners_since": (c_uint64, _handle),
    "topdown_owners_path": (c_size_t, _handle, _owner, c_char_p, c_size_t),
    "topdown_owner_between": (c_int, _owner, _owner, c_bool, c_uint32, _figures),
    "topdown_kind_name": (c_char_p, c_uint32),
    "topdown_node_name": (c_char_p, c_uint32),
    "topdown_node_by_name": (c_int, c_char_p),
    "topdown_node_level": (c_uint32, c_uint32),
    "topdown_node_parent": (c_int, c_uint32),
    "topdown_state_name": (c_char_p, c_uint32),
    "topdown_session_state_name": (c_char_p, c_uint32),
    "topdown_source_name": (c_char_p, c_uint32),
    "topdown_regions_create": (c_int, _out, _handle, abi.c_enum, c_uint32),
    "topdown_regions_destroy": (None, _handle),
    "topdown_regions_backend": (abi.c_enum, _handle, POINTER(abi.c_enum)),
    "topdown_region_reason_text": (c_char_p, c_uint32),
    "topdown_region_id": (c_int, _handle, c_char_p),
    "topdown_region_name": (c_char_p, _handle, c_uint32),
    "topdown_region_begin": (c_int, _handle, c_int),
    "topdown_region_end": (c_int, _handle, c_int),
    "topdown_region_read": (c_int, _handle, c_int, POINTER(abi.Region), c_size_t),
    "topdown_region_reset": (c_int, _handle, c_int),
}

#: Functions that keep the interpreter's lock: with a switch to another thread between the
#: reading of a counter and the code that is measured, the region would have that thread's time.
HOLDING = ("topdown_region_begin", "topdown_region_end")


@lru_cache(maxsize=None)
def _load(loader: Any) -> Any:
    return loader(SONAME)


@lru_cache(maxsize=None)
def function(name: str) -> Any:
    """The function of this name, with its types.

    :raises OSError: the library cannot be loaded
    :raises AttributeError: the library is older than this module
    """
    result = getattr(_load(ctypes.PyDLL if name in HOLDING else ctypes.CDLL), name)
    result.restype, result.argtypes = PROTOTYPES[name][0], PROTOTYPES[name][1:]
    return result


def ask(name: str, *arguments: Any) -> Any:
    """What a function returns that cannot fail."""
    return function(name)(*arguments)


def call(name: str, *arguments: Any, path: Optional[str] = None) -> int:
    """Call a function that returns a negative errno when it fails.

    :raises OSError: see `topdown.errors`
    """
    ret: int = function(name)(*arguments)
    if ret < 0:
        raise errors.error(name, -ret, path)
    return ret


def text(name: str, number: int) -> str:
    """The name that the library has for a number; "unknown" for one that it does not know."""
    found: Optional[bytes] = function(name)(number)
    return found.decode() if found is not None else "unknown"


def version() -> str:
    """The version of the library, such as "1.0.0"."""
    found: bytes = function("topdown_version")()
    return found.decode()
