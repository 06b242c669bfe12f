# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors of the library as exceptions.

All functions of the library that can fail return a negative errno.  It becomes an
`OSError`, so Python gives it the class that belongs to the number: `PermissionError`
for EACCES and EPERM, `FileNotFoundError` for ENOENT, `ProcessLookupError` for ESRCH,
`InterruptedError` for EINTR.  The text has the system's words for the number, and then
what <topdown.h> says that the number means there.
"""
from __future__ import annotations

import os
from errno import (E2BIG, EACCES, EAGAIN, EBADF, EBADMSG, EBUSY, ECANCELED, EINTR, EINVAL, EMFILE,
                   EMSGSIZE, ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC, ENOTTY, EOPNOTSUPP, EPERM,
                   EPROTO, ERANGE, ESRCH)
from typing import Dict, Optional

_OPEN = {
    EPROTO: "its answer makes no sense",
    ENODEV: "it belongs to another driver",
    ENOTTY: "path is no character device",
    ENOENT: "the module is not loaded",
    EACCES: "the caller may not open the device",
}
_SET = {
    EINVAL: "an impossible set",
    E2BIG: "an impossible set",
}
_READ = {
    EACCES: "this process may not see whole CPUs",
    EINVAL: "the set has an impossible CPU",
    EOPNOTSUPP: "a flag that the module does not know",
    ENOTTY: "the module cannot read at all",
}
_MAP = {
    EOPNOTSUPP: "the module is too old to have a map",
    EACCES: "this process may not see whole CPUs",
    EPROTO: "the map's header makes no sense",
}
_MAP_READ = {EAGAIN: "the kernel was writing all the time"}
_WATCH = {
    EOPNOTSUPP: "the module is too old, or does not know a flag or the node, "
                "or no CPU has the node",
    EACCES: _MAP[EACCES],
    ENOSPC: "too many watches, of the handle, of the user or of all",
    EINVAL: "a wrong value",
    E2BIG: "an impossible set, or fields in what that this library does not know",
}
_WAIT = {
    EAGAIN: "there was none in that time",
    ECANCELED: "topdown_watch_cancel()",
    EINTR: "a signal",
    EINVAL: "a wrong size",
    EMFILE: "there is no descriptor left for cancelling",
    ENFILE: "there is no descriptor left for cancelling",
    EACCES: _WATCH[EACCES],
    EOPNOTSUPP: _WATCH[EOPNOTSUPP],
}
_NO_LATENCY = {ENOENT: "the module topdown_latency is not loaded"}
_MANY_LATENCIES = ("too many latency sessions of the user or of all, or too many different "
                   "events")
_LATENCY = {
    **_NO_LATENCY,
    EOPNOTSUPP: "there is a refusal, if the machine lacks one of the events, or if none of "
                "the CPUs can be sampled",
    EACCES: "this process may not see whole CPUs",
    EBADF: "it may open the device for reading only", ENOSPC: _MANY_LATENCIES,
}
_ATTACH = {
    EOPNOTSUPP: "the module is too old, or does not know a flag",
    ESRCH: "there is no such task",
    EACCES: "a task of another process when this process has neither CAP_PERFMON nor "
            "CAP_SYS_ADMIN",
    EBADF: "a descriptor that is no pidfd, or when the handle can only read",
    ENOSPC: "too many sessions, of the user or of all, or when those of "
            "the user are on too many threads",
    EMFILE: "there is no descriptor left for it",
    ENFILE: "there is no descriptor left for it",
    EINVAL: "flags that exclude each other",
}
_SESSION_READ = {
    ENOTTY: "a descriptor of something else",
    EOPNOTSUPP: "the module does not know a flag",
}
_SIZE = {EINVAL: "a size that was never released"}
_OTHER_THREAD = {EPERM: "a thread or process that regions do not belong to"}
_NO_REGION = {EINVAL: "a number without a region"}

#: Function, errno, meaning: the words of <topdown.h>, with those of the functions that a
#: text refers to.  ENOMEM has no words but the system's.
MEANINGS: Dict[str, Dict[int, str]] = {
    "topdown_open": _OPEN,
    "topdown_open_fd": {**_OPEN, EBADF: "fd is not open"},
    "topdown_info_update": {},
    "topdown_reading_create": _SET,
    "topdown_reading_update": _READ,
    "topdown_reading_update_map": {
        EINVAL: "the set names a CPU that the machine cannot have, or for another flag",
        EOPNOTSUPP: "the module cannot count until now",
        **_MAP_READ},
    "topdown_reading_between": {
        ENOENT: "one of them lacks cpu",
        ERANGE: "now is not the later one"},
    "topdown_map_open": _MAP,
    "topdown_map_read_record": {
        ENOENT: "an impossible CPU", EINVAL: "a size that was never released", **_MAP_READ},
    "topdown_map_read_window": {
        ENOENT: "the window is open or no longer kept, the CPU is impossible, or the module "
                "keeps no history",
        EINVAL: "number 0 or a wrong size"},
    "topdown_record_between": {EINVAL: "two CPUs", ERANGE: "now is not the later one"},
    "topdown_watch_add": _WATCH,
    "topdown_watch_remove": {
        ENOENT: "the handle has no such watch", EOPNOTSUPP: "the module is too old"},
    "topdown_watch_read": {**_WAIT, EINVAL: "no room"},
    "topdown_watch_cancel": {
        EMFILE: "there is no descriptor left for it", ENFILE: "there is no descriptor left for it"},
    "topdown_session_attach": _ATTACH,
    "topdown_session_view": {
        EBADF: "session is a view", EMFILE: "there is no descriptor left",
        ENFILE: "there is no descriptor left"},
    "topdown_session_read": {**_SESSION_READ, EINVAL: "a size that was never released"},
    "topdown_session_read_kinds": {
        **_SESSION_READ, EINVAL: "a kind_size that was never released, or room at NULL",
        E2BIG: "a kind_size that is longer than a page"},
    "topdown_session_map_open": {
        ENODEV: "a descriptor of something else",
        EPROTO: "a map that this library cannot read",
        ENFILE: "too many open files of all"},
    "topdown_session_map_read": {EINVAL: "a size that was never released", **_MAP_READ},
    "topdown_session_map_read_kinds": {
        EINVAL: "a kind_size that was never released, or room at NULL", **_MAP_READ},
    "topdown_session_control": {
        EBADF: "session is a view", ENOTTY: "a descriptor of something else",
        EINVAL: "an action that the module does not know"},
    "topdown_session_between": {EINVAL: "two sessions", ERANGE: "now is not the later one"},
    "topdown_session_kind_between": {EINVAL: "two kinds", ERANGE: "now is not the later one"},
    "topdown_owners_open": {
        EOPNOTSUPP: "the module is too old, or the kernel lacks cgroups of perf",
        EACCES: "this process may not see whole CPUs"},
    "topdown_owners_update": {EBADF: "a copy"},
    "topdown_owners_copy": {},
    "topdown_owner_between": {EINVAL: "different owners", ERANGE: "now is not the later one"},
    "topdown_latency_event_by_name": {ENOENT: "an unknown name"},
    "topdown_latency_events": {**_NO_LATENCY, EACCES: "the caller may not open its device"},
    "topdown_latencies_start": _LATENCY,
    "topdown_latencies_start_tasks": {
        **_LATENCY,
        EOPNOTSUPP: "there is a refusal, or if the machine lacks one of the events",
        EBADF: "it is no session, or a view, or if this process may open the device for "
               "reading only",
        EBUSY: "the session has a latency session, which has to end first",
        ESRCH: "the session has ended"},
    "topdown_latencies_start_raw": {
        **_LATENCY,
        EOPNOTSUPP: "the driver does not take an event, or not all of its encoding",
        EINVAL: "no event or too many, for a size that was never released, and for CPUs and a "
                "session"},
    "topdown_latencies_read": {
        EMSGSIZE: "too little room", EPROTO: "the answer makes no sense"},
    "topdown_latency_between": {
        EINVAL: "records of different events or CPUs", ERANGE: "now is not the later one"},
    "topdown_regions_create": {
        **_ATTACH, EINVAL: "an unknown backend or flag",
        EOPNOTSUPP: "the backend is not possible on this machine",
        EACCES: "perf does not let this process count",
        EBUSY: "a pinned event has the counter"},
    "topdown_region_id": {
        EPERM: "another thread or process", EINVAL: "an empty name",
        ENOSPC: "more than 4096 regions"},
    "topdown_region_begin": {**_OTHER_THREAD, **_NO_REGION, ENOSPC: "64 are open"},
    "topdown_region_end": {**_OTHER_THREAD, EINVAL: "it is not the region entered last"},
    "topdown_region_read": {EINVAL: "a number without a region, or a size that was never released"},
    "topdown_region_reset": {
        EPERM: "another thread or process", **_NO_REGION, EBUSY: "it is open"},
    "topdown_stall_decode": {EINVAL: "an unknown layout, or a size that was never released"},
    "topdown_stall_field_get": {ENOENT: "after the last one"},
    "topdown_stall_sample": {
        EBADMSG: "it is no sample, or is cut",
        EOPNOTSUPP: "attr has a bit that this library does not know", **_SIZE},
    "topdown_stalls_open": {
        ENODEV: "no event is known for this machine and these nodes",
        EACCES: "without the right", EPERM: "without the right",
        EOPNOTSUPP: "the processor or the hypervisor lacks it",
        ENOENT: "the processor or the hypervisor lacks it",
        ESRCH: "there is no such process", EMFILE: "too many descriptors",
        EINVAL: "a wrong option"},
    "topdown_stalls_next": {EAGAIN: "there was none", EINTR: "a signal", **_SIZE},
    "topdown_stalls_map_next": {EAGAIN: "there is none", **_SIZE},
    "topdown_stalls_event_get": {ENOENT: "after the last one", **_SIZE},
}


def error(function: str, number: int, path: Optional[str] = None) -> OSError:
    """The exception for what a function has returned.

    :param function: its name, one of `MEANINGS`
    :param number: the errno, above 0
    :param path: the file that it is about
    """
    text = os.strerror(number)
    meaning = MEANINGS.get(function, {}).get(number)
    if meaning and number != ENOMEM:
        text = f"{text}: {meaning}"
    arguments = (number, f"{function}: {text}")
    return OSError(*arguments, path) if path is not None else OSError(*arguments)
