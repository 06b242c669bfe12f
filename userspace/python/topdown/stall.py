# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stalls: sampled instructions, and what delayed each.  They need perf and not the module."""
from __future__ import annotations

import ctypes
import errno
import weakref
from typing import Any, Dict, FrozenSet, Iterator, List, Optional

from . import abi, library
from .cpus import CpusLike, words
from .field import Field
from .handle import Closing
from .nodes import NodeLike, node

#: Numbers of a record, and the bit that says whether each is known.
NUMBERS = {"ip": 0, "address": 1, "target": 2, "time_ns": 3, "cpu": 4, "pid": 5, "tid": 5,
           "event": 6, "period": 7, "whole": 8, "retire": 9, "cache": 10, "translation": 11,
           "fetch": 12, "dispatch": 13, "width": 14, "outstanding": 15, "region": 16}


def _name(what: str, number: int) -> Optional[str]:
    name = library.ask(f"topdown_stall_{what}_name", number)
    return None if name is None else str(name.decode())


def _named(what: str, text: str) -> Field[Optional[str]]:
    return Field(what, lambda number: _name(what, number), text)


class Stall:
    """One sampled instruction.  Its numbers, as `ip` and `cache`, are None if not known."""
    __slots__ = ("_raw",)

    def __init__(self, raw: abi.Stall) -> None:
        """Of the C structure; programs get it from `Stalls`."""
        self._raw = raw

    def __getattr__(self, name: str) -> Optional[int]:
        if name not in NUMBERS:
            raise AttributeError(name)
        return int(getattr(self._raw, name)) if self._raw.has >> NUMBERS[name] & 1 else None

    kind = _named("kind", """What it was: "load", "branch", ...; None if not known.""")
    stage = _named("stage", "The part of the pipeline that waited; None if not known.")
    reason = _named("reason", "What it waited for; None if not known.")
    source = _named("source", "Where the data came from; None if not known.")

    @property
    def flags(self) -> FrozenSet[str]:
        """What is known to be so: "remote", "page walk", ..."""
        names = (_name("flag", bit) for bit in range(64) if self._raw.flags >> bit & 1)
        return frozenset(name for name in names if name)

    def cost(self, of: NodeLike) -> float:
        """How much of a node's slots it stands for, in a unit of its own; 0 for another node."""
        return float(library.ask("topdown_stall_cost", ctypes.byref(self._raw), node(of).number))

    def as_dict(self) -> Dict[str, Any]:
        """All that is known."""
        found = {name: getattr(self, name) for name in NUMBERS}
        found.update(kind=self.kind, stage=self.stage, reason=self.reason, source=self.source,
                     flags=sorted(self.flags))
        return found

    def __str__(self) -> str:
        text = ctypes.create_string_buffer(512)
        library.ask("topdown_stall_text", ctypes.byref(self._raw), text, len(text))
        return text.value.decode()

    def __repr__(self) -> str:
        return f"<Stall {self}>"


class StallEvent:
    """What became of one event that is sampled."""

    def __init__(self, raw: abi.StallsEvent) -> None:
        """See `Stalls.events`."""
        #: Its name in the tables of the maker.
        self.name = raw.name.decode()
        #: The PMU that counts it.
        self.pmu = raw.pmu.decode()
        #: Records that it has had.
        self.samples = int(raw.samples)
        #: How often it happened while it had a counter.
        self.counted = int(raw.counted)
        #: 0, or the errno for which it is not sampled.
        self.error = int(raw.error)
        #: Whether its samples explain what another event locates.
        self.explains = raw.role == abi.STALLS_EXPLAINS

    def __repr__(self) -> str:
        return f"<StallEvent {self.name!r}: {self.samples} samples>"


class Stalls(Closing):
    """Sampling of a process or of CPUs; an iterator of `Stall` that ends when none comes::

        with topdown.Stalls(pid=1234) as stalls:
            for stall in stalls.within(10.0):
                print(stall)
    """

    def __init__(self, pid: int = 0, cpus: Optional[CpusLike] = None, rate: int = 0,
                 nodes: Optional[List[NodeLike]] = None, user: bool = False) -> None:
        """Begin to sample.

        :param pid: process, with what it starts from now on; 0 for CPUs
        :param cpus: CPUs; None for all
        :param rate: samples a second of each event and CPU, at most; 0 for 1000
        :param nodes: nodes to locate; None for all that the machine can
        :param user: leave kernel mode out
        :raises OSError: as topdown_stalls_open() has it
        """
        options = abi.StallOptions(pid=pid, rate=rate, flags=abi.STALLS_USER if user else 0)
        for one in nodes or []:
            options.nodes |= 1 << node(one).number
        pointer = ctypes.c_void_p()
        bits, number = words(cpus)
        library.call("topdown_stalls_open", ctypes.byref(pointer), bits, number,
                     ctypes.byref(options), ctypes.sizeof(options))
        self._pointer: Optional[ctypes.c_void_p] = pointer
        self._finalizer = weakref.finalize(self, library.ask, "topdown_stalls_close", pointer)

    def _open(self) -> ctypes.c_void_p:
        if self._pointer is None:
            raise ValueError("the stalls are closed")
        return self._pointer

    def next(self, timeout: Optional[float] = None) -> Optional[Stall]:
        """The next record; None if there was none in so many seconds.

        :param timeout: None to wait for ever
        """
        raw = abi.Stall()
        wait = -1 if timeout is None else int(timeout * 1000)
        try:
            library.call("topdown_stalls_next", self._open(), wait, ctypes.byref(raw),
                         ctypes.sizeof(raw))
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EINTR):
                return None
            raise
        return Stall(raw)

    def within(self, seconds: float) -> Iterator[Stall]:
        """All records until none has come for so many seconds."""
        while True:
            stall = self.next(seconds)
            if stall is None:
                return
            yield stall

    def stop(self) -> None:
        """Sample no more.  What was sampled can still be read."""
        library.ask("topdown_stalls_stop", self._open())

    @property
    def events(self) -> List[StallEvent]:
        """What became of each event."""
        found: List[StallEvent] = []
        while True:
            raw = abi.StallsEvent()
            try:
                library.call("topdown_stalls_event_get", self._open(), len(found),
                             ctypes.byref(raw), ctypes.sizeof(raw))
            except OSError as error:
                if error.errno == errno.ENOENT:
                    return found
                raise
            found.append(StallEvent(raw))

    @property
    def lost(self) -> int:
        """Records that the kernel could not hand over."""
        return int(library.ask("topdown_stalls_lost", self._open()))

    def close(self) -> None:
        """End sampling.  Later calls do nothing."""
        self._pointer = None
        self._finalizer()
