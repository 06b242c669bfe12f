# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records: what there is of one CPU, or of the sum over CPUs."""
from __future__ import annotations

import ctypes
from typing import Any, Dict, Optional

from . import abi, library
from .field import names, number, word
from .figures import LEVEL, Figures

FLAGS = {"scaled": abi.RECORD_SCALED, "clamped": abi.RECORD_CLAMPED,
         "refined": abi.RECORD_REFINED, "drilldown": abi.RECORD_DRILLDOWN}


class Record:
    """The sums of a CPU and its last window, at one time.  It does not change."""
    __slots__ = ("_raw", "total", "window", "open")

    def __init__(self, raw: abi.Record, open_window: Optional[Figures] = None) -> None:
        """Of a copy of the C structure; programs get records from a reading or a map."""
        self._raw = raw
        #: `Figures` since the module was loaded.
        self.total = Figures(abi.Figures.from_buffer_copy(raw.total))
        #: `Figures` of the last window; with ``fresh`` of the open window until now.
        self.window = Figures(abi.Figures.from_buffer_copy(raw.window))
        #: `Figures` of the open window, as far as it was counted; None except from a map.
        self.open = open_window

    @property
    def cpu(self) -> Optional[int]:
        """CPU number; None for the sum over CPUs."""
        return None if self._raw.cpu == abi.CPU_ALL else int(self._raw.cpu)

    state = word("state", "topdown_state_name",
                 """How the CPU is measured: "ok", "offline", "unsupported", "contended", ...""")
    source = word("source", "topdown_source_name",
                  """What it is measured with: "perf_metrics", "generic", ...""")
    level = number("level", "Highest level of the figures: 2, 1, or 0 for none.")
    kind = word("kind", "topdown_kind_name",
                """The kind of core: "only", "core", "atom" or "mixed".""")
    slots_per_cycle = number("slots_per_cycle",
                             "Pipeline width; 0 when not known or not the same for all.")
    nr_cpus = number("nr_cpus", "Number of CPUs whose figures are in this record.")

    @property
    def flags(self) -> frozenset[str]:
        """Of "scaled", "clamped", "refined" and "drilldown", those that hold."""
        return frozenset(name for name, bit in FLAGS.items() if self._raw.flags & bit)

    turns = number("turns", "0: level 1 is counted all the time; n: it has one turn of n.")
    nodes = names("nodes", "The names of the nodes that are counted now.")
    clamped = names(
        "clamped",
        "The names of the nodes that were cut to the possible range in the last window.")
    windows = number(
        "windows",
        "Windows closed since the module was loaded; in a map the number of the last window.")
    time_ns = number(
        "time_ns", "`total` counts until then: CLOCK_MONOTONIC in ns; 0 if it was never measured.")
    window_time_ns = number("window_time_ns",
                            "When `window` ended: CLOCK_MONOTONIC in ns; 0 for none.")

    def since(self, then: Record, level: int = LEVEL) -> Figures:
        """The figures of the time between two records of a CPU.

        :param then: the earlier record
        :param level: highest level of nodes that get a ratio
        :raises OSError: EINVAL for two CPUs, ERANGE if this is not the later one
        """
        out = abi.Figures()
        library.call("topdown_record_between", ctypes.byref(then._raw), ctypes.byref(self._raw),
                     level, ctypes.byref(out))
        return Figures(out)

    def as_dict(self) -> Dict[str, Any]:
        """The CPU and its `total`, with the keys of ``topdown stat -j``."""
        return {"cpu": self.cpu, "state": self.state, "source": self.source,
                "level": self.level, **self.total.as_dict(),
                **{name: name in self.flags for name in FLAGS}}

    def __repr__(self) -> str:
        name = "all CPUs" if self.cpu is None else f"CPU {self.cpu}"
        return f"<Record of {name}: {self.state}, {self.total!r}>"
