# SPDX-License-Identifier: LGPL-2.1-or-later
"""The map: the records of all CPUs and their last windows, without system calls."""
from __future__ import annotations

import ctypes
import weakref
from errno import ENOENT
from typing import Any, Dict, Iterator, Optional

from . import abi, library, nodes
from .figures import LEVEL, Figures
from .handle import Closing
from .record import Record


class Window:
    """A window of a CPU's history: the time between two folds of its timer."""
    __slots__ = ("cpu", "number", "time_ns", "nodes", "clamped", "figures")

    def __init__(self, cpu: int, raw: abi.Window) -> None:
        """Of the C structure; programs get windows from `Map`."""
        #: CPU number.
        self.cpu = cpu
        #: Its number since the module was loaded, from 1.
        self.number = int(raw.number)
        #: When it ended: CLOCK_MONOTONIC in ns.
        self.time_ns = int(raw.time_ns)
        #: The names of the nodes that were counted in it.
        self.nodes = nodes.of_mask(raw.nodes)
        #: The names of the nodes that were cut to the possible range in it.
        self.clamped = nodes.of_mask(raw.clamped)
        #: Its `Figures`.
        self.figures = Figures(abi.Figures.from_buffer_copy(raw.figures))

    def as_dict(self) -> Dict[str, Any]:
        """All as numbers, with the keys of `Figures.as_dict()`."""
        return {"cpu": self.cpu, "number": self.number, "time_ns": self.time_ns,
                **self.figures.as_dict(), "clamped": bool(self.clamped)}

    def __repr__(self) -> str:
        return f"<Window {self.number} of CPU {self.cpu}: {self.figures!r}>"


class Map(Closing):
    """The map of the device.  Its readers make no system call and interrupt no CPU.

    Several threads may read one map at the same time.  It may outlive the device that it is
    of, and the module cannot be unloaded before it is closed.
    """

    def __init__(self, device: ctypes.c_void_p) -> None:
        """See `Device.map()`."""
        pointer = ctypes.c_void_p()
        library.call("topdown_map_open", ctypes.byref(pointer), device)
        self._pointer: Optional[ctypes.c_void_p] = pointer
        self._finalizer = weakref.finalize(self, library.ask, "topdown_map_close", pointer)

    def close(self) -> None:
        """Unmap.  Later calls do nothing; no other thread may be reading."""
        self._pointer = None
        self._finalizer()

    def pointer(self) -> ctypes.c_void_p:
        """For the library.

        :raises ValueError: the map is closed
        """
        if self._pointer is None:
            raise ValueError("the map is closed")
        return self._pointer

    @property
    def nr_cpus(self) -> int:
        """One more than the highest possible CPU number."""
        return int(library.ask("topdown_map_nr_cpus", self.pointer()))

    @property
    def history(self) -> int:
        """Number of windows kept for each CPU; 0 for none."""
        return int(library.ask("topdown_map_history", self.pointer()))

    def record(self, cpu: int) -> Record:
        """The `Record` of a CPU, whose total counts since the module was loaded.

        :raises OSError: ENOENT for an impossible CPU, EAGAIN if the kernel was writing all
            the time
        """
        raw, window = abi.Record(), abi.Figures()
        library.call("topdown_map_read_record", self.pointer(), cpu, ctypes.byref(raw),
                     ctypes.sizeof(raw), ctypes.byref(window))
        return Record(raw, Figures(window))

    def records(self) -> Iterator[Record]:
        """The `Record` of each possible CPU."""
        for cpu in range(self.nr_cpus):
            try:
                yield self.record(cpu)
            except FileNotFoundError:
                # Possible numbers may have gaps.
                continue

    def window(self, cpu: int, number: int, level: int = LEVEL) -> Window:
        """One window of a CPU's history.

        :param number: number of the window, from 1; the last one's is `Record.windows`
        :param level: highest level of nodes that get a ratio
        :raises OSError: ENOENT if it is open or no longer kept
        """
        raw = abi.Window()
        library.call("topdown_map_read_window", self.pointer(), cpu, number, level,
                     ctypes.byref(raw), ctypes.sizeof(raw))
        return Window(cpu, raw)

    def windows(self, cpu: int, after: int = 0, level: int = LEVEL) -> Iterator[Window]:
        """The windows of a CPU that are still kept, the oldest first.

        Windows that are overwritten meanwhile are left out: the numbers then have a gap.

        :param after: only those with a higher number, as of the last one that was seen
        :param level: highest level of nodes that get a ratio
        :raises OSError: as of `record()`
        """
        last = self.record(cpu).windows
        for number in range(max(after, last - self.history) + 1, last + 1):
            try:
                yield self.window(cpu, number, level)
            except OSError as error:
                if error.errno != ENOENT:
                    raise
