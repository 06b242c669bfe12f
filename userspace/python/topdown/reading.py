# SPDX-License-Identifier: LGPL-2.1-or-later
"""Readings: the records of a set of CPUs at one time, and what was between two."""
from __future__ import annotations

import ctypes
import weakref
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from . import abi, library
from .cpus import CpuSet, CpusLike, words
from .figures import LEVEL, Figures
from .handle import Handle, created
from .map import Map
from .record import Record


class Reading(Mapping[int, Record]):
    """The `Record` of each CPU of a set, by CPU number.  It does not change.

    The records stay after the device was closed; `since()` needs it open.
    """

    def __init__(self, handle: Handle, cpus: Optional[CpusLike], fresh: bool,
                 view: Optional[Map]) -> None:
        """See `Device.read()`."""
        self._handle = handle
        with handle.using() as pointer:
            self._pointer, free = created(handle, "topdown_reading_create",
                                          "topdown_reading_destroy", pointer, *words(cpus))
            weakref.finalize(self, free)
            flags = abi.READ_FRESH if fresh else 0
            if view is None:
                library.call("topdown_reading_update", self._pointer, flags)
            else:
                library.call("topdown_reading_update_map", self._pointer, view.pointer(), flags)
            self._take()

    def _take(self) -> None:
        nr = library.ask("topdown_reading_nr", self._pointer)
        self._records: Dict[int, Record] = {}
        for i in range(nr):
            raw = library.ask("topdown_reading_record", self._pointer, i).contents
            self._records[int(raw.cpu)] = Record(abi.Record.from_buffer_copy(raw))
        #: When it was taken: CLOCK_MONOTONIC in ns.
        self.time_ns: int = library.ask("topdown_reading_time", self._pointer)
        #: The `Record` of the sum over the set; None from a map, which has no sum.
        self.total: Optional[Record] = None
        total = library.ask("topdown_reading_find", self._pointer, abi.CPU_ALL)
        if total:
            self.total = Record(abi.Record.from_buffer_copy(total.contents))

    def __getitem__(self, cpu: int) -> Record:
        return self._records[cpu]

    def __iter__(self) -> Iterator[int]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    @property
    def cpus(self) -> CpuSet:
        """The CPUs of the reading."""
        return CpuSet(self._records)

    def between(self, then: Reading, cpu: Optional[int], level: int = LEVEL) -> Figures:
        """The figures of one CPU between two readings; cpu None is the sum over the set.

        :param then: the earlier reading, of the same set
        :param level: highest level of nodes that get a ratio
        :raises OSError: ENOENT if one of them lacks the CPU, ERANGE if this is not the later
            one
        :raises ValueError: the device is closed
        """
        out = abi.Figures()
        with self._handle.using(), then._handle.using():
            library.call("topdown_reading_between", then._pointer, self._pointer,
                         abi.CPU_ALL if cpu is None else cpu, level, ctypes.byref(out))
        return Figures(out)

    def since(self, then: Reading, level: int = LEVEL) -> Span:
        """What each CPU, and the sum of all, did between two readings.

        It is exact if both are fresh.  Parameters and errors as of `between()`.
        """
        return Span({cpu: self.between(then, cpu, level) for cpu in self},
                    self.between(then, None, level), self.time_ns - then.time_ns, self)

    def __repr__(self) -> str:
        return f"<Reading of CPUs {self.cpus}>"


class Span(Mapping[int, Figures]):
    """The `Figures` of each CPU between two readings, by CPU number.  It does not change."""

    def __init__(self, figures: Dict[int, Figures], total: Figures, time_ns: int,
                 now: Reading) -> None:
        """See `Reading.since()`."""
        self._figures = figures
        self._now = now
        #: `Figures` of all CPUs together.
        self.total = total
        #: Length in ns.
        self.time_ns = time_ns

    def __getitem__(self, cpu: int) -> Figures:
        return self._figures[cpu]

    def __iter__(self) -> Iterator[int]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return self.time_ns / 1e9

    def busy(self, cpu: Optional[int] = None) -> float:
        """The share of the span in which a CPU was not idle, 0.0 to 1.0; NaN for no time.

        :param cpu: CPU number; None for the mean of all
        """
        if cpu is None:
            return self.total.busy(self.time_ns * len(self))
        return self[cpu].busy(self.time_ns)

    def as_dicts(self) -> List[Dict[str, Any]]:
        """A dict for the sum, with ``cpu`` None, and one for each CPU.

        The keys are those of ``topdown stat -j``.
        """
        return [self._as_dict(None, self.total), *(self._as_dict(cpu, figures)
                                                   for cpu, figures in self.items())]

    def _as_dict(self, cpu: Optional[int], figures: Figures) -> Dict[str, Any]:
        record = self._now.total if cpu is None else self._now[cpu]
        state: Tuple[Optional[str], ...] = (
            (None, None) if record is None else (record.state, record.source))
        return {"interval": self.seconds, "cpu": cpu, "state": state[0], "source": state[1],
                **figures.as_dict(),
                "busy": self.busy(cpu) if figures.busy_ns and self.time_ns else None}

    def __repr__(self) -> str:
        return f"<Span of {self.seconds:.3f} s, {len(self)} CPUs: {self.total!r}>"
