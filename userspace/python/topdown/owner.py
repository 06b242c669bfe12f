# SPDX-License-Identifier: LGPL-2.1-or-later
"""Owners: the slots of every process, or of every cgroup, at once."""
from __future__ import annotations

import ctypes
from typing import Dict, List, NamedTuple, Optional, Tuple

from . import abi, library
from .figures import LEVEL, Figures
from .handle import Closing, Handle, created

_KINDS = {"cgroup": 1, "process": 0}
WORDS = ("process", "cgroup", "idle", "others", "ended")
_PATH_MAX = 4096

_Key = Tuple[int, int, int]


class Owner(NamedTuple):
    """An owner, and what it had in a span of time."""
    #: "process", "cgroup", "idle", "others" or "ended".
    what: str
    #: Number of the process or of the cgroup; 0 for others.
    id: int
    #: Number of the parent of a cgroup; 0 for the root, and for others.
    parent: int
    #: Name of the process, or last component of the cgroup's path.
    name: str
    #: Path of a cgroup from the root of cgroups on; "" for others.
    path: str
    #: Whether the process has ended.
    exited: bool
    #: How often the owner got a CPU from another one.
    switches: int
    #: Of the owner alone.  Of "ended" also what processes had before that have gone since.
    figures: Figures
    #: Of a cgroup with all below it; of others as `figures`.
    tree: Figures


class Owners(Closing):
    """All owners of a kind.  The slots are summed up until `close()`."""

    def __init__(self, handle: Handle, kind: str, depth: int) -> None:
        """See `Device.owners()`."""
        if kind not in _KINDS:
            raise ValueError(f"kind {kind!r}, not one of {', '.join(_KINDS)}")
        self._handle = handle
        with handle.using() as pointer:
            self._view, self._free = created(handle, "topdown_owners_open",
                                             "topdown_owners_close", pointer, _KINDS[kind], depth)
        self._then = self._records()

    def _records(self) -> Dict[_Key, abi.Owner]:
        found: Dict[_Key, abi.Owner] = {}
        for index in range(library.ask("topdown_owners_nr", self._view)):
            raw = library.ask("topdown_owners_get", self._view, index)
            copy = abi.Owner.from_buffer_copy(raw.contents)
            found[copy.what, copy.id, copy.start_ns] = copy
        return found

    def _path(self, raw: abi.Owner) -> str:
        path = ctypes.create_string_buffer(_PATH_MAX)
        library.ask("topdown_owners_path", self._view, ctypes.byref(raw), path, _PATH_MAX)
        return path.value.decode(errors="replace")

    def _owner(self, now: abi.Owner, then: Optional[abi.Owner]) -> Owner:
        both: List[Figures] = []
        for tree in False, True:
            raw = abi.Figures()
            library.call("topdown_owner_between", ctypes.byref(then) if then else None,
                         ctypes.byref(now), tree, LEVEL, ctypes.byref(raw))
            both.append(Figures(raw))
        what = WORDS[now.what] if now.what < len(WORDS) else "unknown"
        return Owner(what, now.id, now.parent, now.name.decode(errors="replace"), self._path(now),
                     bool(now.flags & abi.OWNER_EXITED),
                     now.switches - (then.switches if then else 0), *both)

    def read(self) -> List[Owner]:
        """What all owners had since the last call, or since they were opened.

        :raises OSError: the module refuses
        """
        with self._handle.using():
            library.call("topdown_owners_update", self._view)
            then, self._then = self._then, self._records()
            return [self._owner(now, then.get(key)) for key, now in self._then.items()]

    def close(self) -> None:
        """Hold the account of owners on no more.  Later calls do nothing."""
        with self._handle.lock:
            self._free()
