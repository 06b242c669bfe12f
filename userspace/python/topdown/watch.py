# SPDX-License-Identifier: LGPL-2.1-or-later
"""Watches: being woken up when a window ends, or when a node crosses a threshold."""
from __future__ import annotations

import ctypes
import math
import time
from dataclasses import dataclass
from typing import Any, List, Optional, Type

from . import abi, library
from .cpus import CpusLike, words
from .handle import Handle
from .nodes import NodeLike, node

#: Watch events that one call reads at most.
EVENTS_MAX = 64


@dataclass(frozen=True)
class Event:
    """A watch event."""
    #: Number of the watch.
    watch: int
    #: CPU number; None for the sum over CPUs.
    cpu: Optional[int]
    #: Ratio of the node in the latest window or sum, 0.0 to 1.0; NaN without one.
    ratio: float
    #: Whether the CPU, or the sum, is back within the threshold.
    back: bool
    #: How often it happened since the last read, at least 1.
    count: int
    #: End of the latest window: CLOCK_MONOTONIC in ns.
    time_ns: int


class Watch:
    """A watch of a device, until it is removed or the device is closed.

    As a context manager it removes itself at the end.
    """

    def __init__(self, handle: Handle, what: abi.Watch, cpus: Optional[CpusLike]) -> None:
        """See `Device.watch()`."""
        number = ctypes.c_uint32()
        what.size = ctypes.sizeof(what)
        self._handle = handle
        with handle.using() as pointer:
            library.call("topdown_watch_add", pointer, *words(cpus), ctypes.byref(what),
                         ctypes.byref(number))
        #: Number of the watch, from 1, which its watch events have.
        self.number = number.value

    def remove(self) -> None:
        """Remove the watch, with its unread watch events.

        :raises OSError: ENOENT if it was removed already
        """
        with self._handle.using() as pointer:
            library.call("topdown_watch_remove", pointer, self.number)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Any, trace: Any) -> None:
        if not self._handle.closed:
            self.remove()

    def __repr__(self) -> str:
        return f"<Watch {self.number}>"


def condition(which: NodeLike, ratio: float, below: bool, back: bool, total: bool,
              hold_ms: int, min_slots: int) -> abi.Watch:
    """The condition of a watch, as the library takes it.

    :raises ValueError: a number out of range
    """
    if not 0 <= ratio <= 1:
        raise ValueError(f"the ratio {ratio} is not in 0.0 to 1.0")
    flags = ((abi.WATCH_BELOW if below else 0) | (abi.WATCH_BACK if back else 0)
             | (abi.WATCH_SUM if total else 0))
    return abi.Watch(node=node(which).number, flags=flags,
                     ratio=round(ratio * abi.RATIO_ONE), hold_ms=_u32("hold_ms", hold_ms),
                     min_slots=min_slots)


def _u32(name: str, value: int) -> int:
    # ctypes would cut it.
    if not 0 <= value < 1 << 32:
        raise ValueError(f"{name} {value} is out of range")
    return value


def wait(handle: Handle, timeout: Optional[float]) -> List[Event]:
    """See `Device.wait()`."""
    events = (abi.Event * EVENTS_MAX)()
    end = None if timeout is None else time.monotonic() + timeout
    with handle.using() as pointer:
        while True:
            nr = ctypes.c_uint32(EVENTS_MAX)
            left_ms = -1 if end is None else math.ceil(max(end - time.monotonic(), 0) * 1000)
            try:
                library.call("topdown_watch_read", pointer, min(left_ms, 1 << 30), events,
                             ctypes.byref(nr), ctypes.sizeof(abi.Event))
            except InterruptedError:
                # Python's handler of the signal has run by now, and raised nothing.
                continue
            except BlockingIOError:
                if left_ms > 1 << 30:
                    continue
                return []
            return [_event(event) for event in events[:nr.value]]


def _event(raw: abi.Event) -> Event:
    return Event(watch=int(raw.watch), cpu=None if raw.cpu == abi.CPU_ALL else int(raw.cpu),
                 ratio=math.nan if raw.ratio == abi.RATIO_NONE else raw.ratio / abi.RATIO_ONE,
                 back=bool(raw.flags & abi.EVENT_BACK), count=int(raw.count),
                 time_ns=int(raw.time_ns))
