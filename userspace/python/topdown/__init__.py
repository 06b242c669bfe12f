# SPDX-License-Identifier: LGPL-2.1-or-later
"""Top-Down (TMA) figures of CPUs and tasks, from the topdown kernel module.

    import topdown

    with topdown.Device() as device:
        for span in device.spans(1.0, count=10):
            print(span.total.ratios["tma_retiring"], span[0].ipc)

`Device` opens /dev/topdown.  It gives readings of CPUs (`Reading`, `Span`), the map with the
history (`Map`), watch events (`Event`), sessions (`Session`), regions (`Regions`), and all
processes or cgroups at once (`Owners`).  All
of them end in `Figures`: times, slots and ratios.  Latency sessions (`LatencySession`) say
how long instructions take to retire.  `Stalls` samples what delays instructions.  `rows()`
makes numpy arrays of figures, and `frame()` makes pandas frames; neither is needed for
anything else.
`Recording` reads a file of ``topdown record``.

The module calls libtopdown.so.1 by ctypes.  Errors of the library are OSError with the
library's words, see `topdown.errors`.  Times are in ns and ratios in 0.0 to 1.0.
"""
from __future__ import annotations

from .cpus import CpuSet
from .device import Device, Info
from .figures import Figures
from .latency import LatencyReading, LatencySession, Refusal
from .latency import total as total_latency
from .library import version
from .map import Map, Window
from .nodes import Node, node, nodes
from .owner import Owner, Owners
from .reading import Reading, Span
from .record import Record
from .recording import Piece, Recording, RecordingError, Share
from .region import Region, RegionReading, Regions
from .session import Session, SessionMap, SessionReading
from .stall import Stall, StallEvent, Stalls
from .table import dtype, frame, rows
from .watch import Event, Watch

__all__ = ["CpuSet", "Device", "Event", "Figures", "Info", "LatencyReading",
           "LatencySession", "Map", "Node", "Owner", "Owners", "Piece", "Reading",
           "Record", "Recording", "RecordingError", "Refusal", "Region", "RegionReading", "Regions",
           "Session", "SessionMap", "SessionReading", "Share", "Span", "Stall", "StallEvent",
           "Stalls", "Watch", "Window", "dtype", "frame", "node", "nodes", "rows", "total_latency",
           "version"]
