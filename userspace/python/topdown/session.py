# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions: the slots of some tasks."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, Dict, Optional, Type

from . import abi, library
from .field import names, number, word
from .figures import LEVEL, Figures
from .handle import Closing, Handle

#: The kinds of core that have figures of their own.
_KINDS = abi.KIND_ATOM + 1


def _room() -> ctypes.Array[abi.SessionKind]:
    return (abi.SessionKind * _KINDS)()


class SessionReading:
    """What a session had counted at one time.  It does not change."""
    __slots__ = ("_raw", "_kinds", "figures", "core", "atom")

    def __init__(self, raw: abi.Session, kinds: ctypes.Array[abi.SessionKind]) -> None:
        """Of copies of the C structures; programs get it from a session."""
        self._raw = raw
        self._kinds = kinds
        #: `Figures` since the session was made.
        self.figures = Figures(abi.Figures.from_buffer_copy(raw.out_figures))
        #: The part of `figures` on P-cores of a hybrid machine.
        self.core = Figures(abi.Figures.from_buffer_copy(kinds[abi.KIND_CORE].figures))
        #: The part on its E-cores.
        self.atom = Figures(abi.Figures.from_buffer_copy(kinds[abi.KIND_ATOM].figures))

    serial = number("out_serial",
                    "Number of the session, which no other has had since the module was loaded.")
    state = word(
        "out_state", "topdown_session_state_name",
        """What has become of it: "running", "disabled", "exited", "ended" or "detached".""")

    @property
    def incomplete(self) -> bool:
        """Whether some task is not followed: `dropped`, or it began during the attach."""
        return bool(self._raw.out_flags & abi.SESSION_OUT_INCOMPLETE)

    dropped = number(
        "out_dropped",
        "Tasks that dropped out because a program gave them rights, or was not readable.")
    tasks = number("out_tasks", "Tasks that are followed now.")
    source = word(
        "out_source", "topdown_source_name",
        """What the figures were measured with: "perf_metrics", "generic", "mixed", ...""")
    level = number("out_level",
                   "Level of the figures, the lowest of their CPUs: 2, 1, or 0 for none.")
    nodes = names("out_nodes", "The names of the nodes that all of `figures` have.")
    time_ns = number("out_time_ns", "When it was read: CLOCK_MONOTONIC in ns.")
    switches = number("out_switches", "How often its tasks were given a CPU.")
    merged_ns = number(
        "out_merged_ns",
        "The part of the time that was not measured because tasks switched too fast, in ns.")

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
        library.call("topdown_session_kind_between", ctypes.byref(then._kinds[number]),
                     ctypes.byref(self._kinds[number]), level, ctypes.byref(out))
        return Figures(out)

    def as_dict(self) -> Dict[str, Any]:
        """All as numbers, with the keys of ``topdown stat -j``."""
        return {"serial": self.serial, "state": self.state, "source": self.source,
                "level": self.level, **self.figures.as_dict(), "merged_ns": self.merged_ns,
                "switches": self.switches, "incomplete": self.incomplete}

    def __repr__(self) -> str:
        return f"<SessionReading of {self.serial}: {self.state}, {self.figures!r}>"


class Session(Closing):
    """A session, until it is closed.  The device may be closed before.

    As a context manager it reads its figures a last time at the end, and closes::

        with device.session() as session:
            work()
        print(session.figures.ratios)

    It is a file: `select` and `selectors` say that it is readable when it has ended, and
    `socket.send_fds()` gives it to another process.
    """

    def __init__(self, descriptor: int) -> None:
        """Of an open descriptor, as one that another process has sent; it belongs to this then.

        Programs make a session by `Device.session()`.
        """
        self._descriptor = descriptor
        self._last: Optional[SessionReading] = None
        self._finalizer = weakref.finalize(self, os.close, descriptor)

    @classmethod
    def attach(cls, handle: Handle, pid: int, flags: int) -> Session:
        """See `Device.session()`."""
        descriptor = ctypes.c_int(-1)
        with handle.using() as pointer:
            library.call("topdown_session_attach", pointer, pid, flags, ctypes.byref(descriptor))
        return cls(descriptor.value)

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        return not self._finalizer.alive

    def fileno(self) -> int:
        """The descriptor.

        :raises ValueError: the session is closed
        """
        if self.closed:
            raise ValueError("the session is closed")
        return self._descriptor

    def view(self) -> Session:
        """Another one, which can read this session, and not control it or keep it from ending.

        :raises ValueError: the session is closed
        :raises OSError: EBADF if this is a view
        """
        descriptor = ctypes.c_int(-1)
        library.call("topdown_session_view", self.fileno(), ctypes.byref(descriptor))
        return Session(descriptor.value)

    def read(self, fresh: bool = True) -> SessionReading:
        """Its figures until now, or those that the module has already.

        :param fresh: count until now, by an interrupt to each CPU that runs a task of it
        :raises ValueError: the session is closed
        """
        raw, kinds, number = abi.Session(), _room(), ctypes.c_uint32(_KINDS)
        library.call("topdown_session_read_kinds", self.fileno(),
                     abi.SESSION_FRESH if fresh else 0, ctypes.byref(raw), ctypes.sizeof(raw),
                     kinds, ctypes.byref(number), ctypes.sizeof(abi.SessionKind))
        return SessionReading(raw, kinds)

    @property
    def last(self) -> SessionReading:
        """What the context manager read at its end; before that, until now."""
        return self._last if self._last is not None else self.read()

    @property
    def figures(self) -> Figures:
        """The `Figures` of `last`."""
        return self.last.figures

    def _control(self, action: int) -> None:
        library.call("topdown_session_control", self.fileno(), action)

    def enable(self) -> None:
        """Count from now on.

        :raises ValueError: the session is closed
        :raises OSError: EBADF if this is a view
        """
        self._control(abi.CONTROL_ENABLE)

    def disable(self) -> None:
        """Count nothing from now on.  Errors as of `enable()`."""
        self._control(abi.CONTROL_DISABLE)

    def close(self) -> None:
        """Close it, which ends the session unless there is another copy of its descriptor."""
        self._finalizer()

    def map(self) -> SessionMap:
        """Its map, to read it without system calls.

        :raises ValueError: the session is closed
        """
        return SessionMap(self.fileno())

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Any, trace: Any) -> None:
        if not self.closed:
            self._last = self.read()
            self.close()

    def __repr__(self) -> str:
        return f"<Session {'closed' if self.closed else self._descriptor}>"


class SessionMap(Closing):
    """The map of a session.  Its readers make no system call."""

    def __init__(self, session: int) -> None:
        """See `Session.map()`."""
        pointer = ctypes.c_void_p()
        library.call("topdown_session_map_open", ctypes.byref(pointer), session)
        self._pointer: Optional[ctypes.c_void_p] = pointer
        self._finalizer = weakref.finalize(self, library.ask, "topdown_session_map_close",
                                           pointer)

    def read(self) -> SessionReading:
        """As `Session.read()` that is not fresh; the state is "detached" if it was closed before
        it ended.

        :raises OSError: EAGAIN if the kernel was writing all the time
        :raises ValueError: the map is closed
        """
        if self._pointer is None:
            raise ValueError("the map is closed")
        raw, kinds, number = abi.Session(), _room(), ctypes.c_uint32(_KINDS)
        library.call("topdown_session_map_read_kinds", self._pointer, ctypes.byref(raw),
                     ctypes.sizeof(raw), kinds, ctypes.byref(number),
                     ctypes.sizeof(abi.SessionKind))
        return SessionReading(raw, kinds)

    def close(self) -> None:
        """Unmap.  Later calls do nothing; no other thread may be reading."""
        self._pointer = None
        self._finalizer()
