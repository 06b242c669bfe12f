# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions: the slots of some tasks."""
from __future__ import annotations

import ctypes
import weakref
from typing import Any, Dict, Iterable, List, Optional, Type

from . import abi, library, nodes
from .figures import LEVEL, Figures
from .handle import Closing, Handle


class SessionReading:
    """What a session had counted at one time.  It does not change."""
    __slots__ = ("_raw", "figures", "core", "atom")

    def __init__(self, raw: abi.Session) -> None:
        """Of a copy of the C structure; programs get it from a session."""
        self._raw = raw
        #: `Figures` since the session was made, or since its last reset.
        self.figures = Figures(abi.Figures.from_buffer_copy(raw.out_figures))
        #: The part of `figures` on P-cores of a hybrid machine.
        self.core = Figures(abi.Figures.from_buffer_copy(raw.out_core_figures))
        #: The part on its E-cores.
        self.atom = Figures(abi.Figures.from_buffer_copy(raw.out_atom_figures))

    @property
    def session(self) -> int:
        """Number of the session, from 1."""
        return int(self._raw.session)

    @property
    def state(self) -> str:
        """What has become of it: "running", "disabled", "exited", "ended" or "detached"."""
        return library.text("topdown_session_state_name", self._raw.out_state)

    @property
    def incomplete(self) -> bool:
        """Whether some task is not followed: `dropped`, or it began during the attach."""
        return bool(self._raw.out_flags & abi.SESSION_INCOMPLETE)

    @property
    def dropped(self) -> int:
        """Tasks that dropped out because a program gave them rights, or was not readable."""
        return int(self._raw.out_dropped)

    @property
    def tasks(self) -> int:
        """Tasks that are followed now."""
        return int(self._raw.out_tasks)

    @property
    def source(self) -> str:
        """What the figures were measured with: "perf_metrics", "generic", "mixed", ..."""
        return library.text("topdown_source_name", self._raw.out_source)

    @property
    def level(self) -> int:
        """Highest level of the figures: 2, 1, or 0 for none."""
        return int(self._raw.out_level)

    @property
    def nodes(self) -> frozenset[str]:
        """The names of the nodes that all of `figures` have."""
        return nodes.of_mask(self._raw.out_nodes)

    @property
    def time_ns(self) -> int:
        """When it was read: CLOCK_MONOTONIC in ns."""
        return int(self._raw.out_time_ns)

    @property
    def switches(self) -> int:
        """How often its tasks were given a CPU."""
        return int(self._raw.out_switches)

    @property
    def merged_ns(self) -> int:
        """The part of the time that was not measured because tasks switched too fast, in ns."""
        return int(self._raw.out_merged_ns)

    def since(self, then: SessionReading, level: int = LEVEL) -> Figures:
        """The figures of the time between two readings of a session.

        :param then: the earlier one
        :param level: highest level of nodes that get a ratio
        :raises OSError: EINVAL for two sessions, ERANGE if this is not the later one
        """
        out = abi.Figures()
        library.call("topdown_session_between", ctypes.byref(then._raw), ctypes.byref(self._raw),
                     level, ctypes.byref(out))
        return Figures(out)

    def kind_since(self, then: SessionReading, kind: str, level: int = LEVEL) -> Figures:
        """The part of `since()` on one kind of core of a hybrid machine.

        :param kind: "core" for P-cores, "atom" for E-cores
        :raises KeyError: another kind
        :raises OSError: as of `since()`
        """
        out = abi.Figures()
        number = {"core": abi.KIND_CORE, "atom": abi.KIND_ATOM}[kind]
        library.call("topdown_session_kind_between", ctypes.byref(then._raw),
                     ctypes.byref(self._raw), number, level, ctypes.byref(out))
        return Figures(out)

    def as_dict(self) -> Dict[str, Any]:
        """All as numbers, with the keys of ``topdown stat -j``."""
        return {"session": self.session, "state": self.state, "source": self.source,
                "level": self.level, **self.figures.as_dict(), "merged_ns": self.merged_ns,
                "switches": self.switches, "incomplete": self.incomplete}

    def __repr__(self) -> str:
        return f"<SessionReading of {self.session}: {self.state}, {self.figures!r}>"


class Session:
    """A session of a device, until it is detached or the device is closed.

    As a context manager it reads its figures a last time at the end, and detaches::

        with device.session() as session:
            work()
        print(session.figures.ratios)
    """

    def __init__(self, handle: Handle, pid: int, flags: int) -> None:
        """See `Device.session()`."""
        number = ctypes.c_uint32()
        self._handle = handle
        self._last: Optional[SessionReading] = None
        with handle.using() as pointer:
            library.call("topdown_session_attach", pointer, pid, flags, ctypes.byref(number))
        #: Number of the session, from 1, which its descriptor does not use again.
        self.number = number.value

    def read(self, fresh: bool = True) -> SessionReading:
        """Its figures until now, or those that the module has already.

        :param fresh: count until now, by an interrupt to each CPU that runs a task of it
        :raises OSError: ENOENT after it was detached
        """
        raw = abi.Session()
        with self._handle.using() as pointer:
            library.call("topdown_session_read", pointer, self.number,
                         abi.SESSION_FRESH if fresh else 0, ctypes.byref(raw),
                         ctypes.sizeof(raw))
        return SessionReading(raw)

    @property
    def last(self) -> SessionReading:
        """What the context manager read at its end; before that, until now."""
        return self._last if self._last is not None else self.read()

    @property
    def figures(self) -> Figures:
        """The `Figures` of `last`."""
        return self.last.figures

    def _control(self, action: int) -> None:
        with self._handle.using() as pointer:
            library.call("topdown_session_control", pointer, self.number, action)

    def enable(self) -> None:
        """Count from now on.  Errors as of `read()`."""
        self._control(abi.CONTROL_ENABLE)

    def disable(self) -> None:
        """Count nothing from now on.  Errors as of `read()`."""
        self._control(abi.CONTROL_DISABLE)

    def reset(self) -> None:
        """Set the baseline to now: the figures begin at 0.  Errors as of `read()`."""
        self._control(abi.CONTROL_RESET)

    def detach(self) -> None:
        """End the session.  Errors as of `read()`."""
        self._control(abi.CONTROL_DETACH)

    def map(self) -> SessionMap:
        """Its map, to read it without system calls.

        :raises OSError: ENOENT after it was detached, EOPNOTSUPP when the module is too old
        """
        with self._handle.using() as pointer:
            return SessionMap(pointer, self.number)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Any, trace: Any) -> None:
        if not self._handle.closed:
            self._last = self.read()
            self.detach()

    def __repr__(self) -> str:
        return f"<Session {self.number}>"


class SessionMap(Closing):
    """The map of a session.  Its readers make no system call."""

    def __init__(self, device: ctypes.c_void_p, number: int) -> None:
        """See `Session.map()`."""
        pointer = ctypes.c_void_p()
        library.call("topdown_session_map_open", ctypes.byref(pointer), device, number)
        self._pointer: Optional[ctypes.c_void_p] = pointer
        self._finalizer = weakref.finalize(self, library.ask, "topdown_session_map_close",
                                           pointer)

    def read(self) -> SessionReading:
        """As `Session.read()` that is not fresh; the state is "detached" when it is gone.

        :raises OSError: EAGAIN if the kernel was writing all the time
        :raises ValueError: the map is closed
        """
        if self._pointer is None:
            raise ValueError("the map is closed")
        raw = abi.Session()
        library.call("topdown_session_map_read", self._pointer, ctypes.byref(raw),
                     ctypes.sizeof(raw))
        return SessionReading(raw)

    def close(self) -> None:
        """Unmap.  Later calls do nothing; no other thread may be reading."""
        self._pointer = None
        self._finalizer()


def read_many(handle: Handle, sessions: Iterable[Session], fresh: bool) -> List[SessionReading]:
    """See `Device.read_sessions()`."""
    numbers = [session.number for session in sessions]
    if not numbers:
        return []
    nr = ctypes.c_uint32(len(numbers))
    room = (abi.Session * len(numbers))()
    with handle.using() as pointer:
        library.call("topdown_session_read_many", pointer,
                     (ctypes.c_uint32 * len(numbers))(*numbers), ctypes.byref(nr),
                     abi.SESSION_FRESH if fresh else 0, room, ctypes.sizeof(abi.Session))
    return [SessionReading(abi.Session.from_buffer_copy(raw)) for raw in room]
