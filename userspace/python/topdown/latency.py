# SPDX-License-Identifier: LGPL-2.1-or-later
"""Latency sessions: how long the instructions of some events take to retire."""
from __future__ import annotations

import ctypes
import math
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from . import abi, library
from .cpus import CpusLike, words
from .field import number
from .handle import Closing, Handle
from .session import Session

#: The number of an event or its name, in capital or small letters.
EventLike = Union[int, str]


class Refusal(NamedTuple):
    """Why a machine samples no latency."""
    #: 0 if it samples.
    number: int
    #: For people, without a full stop.
    text: str


def event_number(event: EventLike) -> int:
    """The number of an event.

    :raises OSError: ENOENT for an unknown name
    """
    if isinstance(event, str):
        return library.call("topdown_latency_event_by_name", event.encode())
    return event


def event_name(event: int) -> str:
    """Intel's name of an event; "unknown" for one that the library does not know."""
    return library.text("topdown_latency_event_name", event)


class LatencyReading:
    """The latencies of one event on one CPU or in a session, or of several CPUs added up.

    They count from when any session first asked for the event on this CPU, so subtract an
    earlier reading by `since()`.
    """

    def __init__(self, raw: abi.LatencyRecord) -> None:
        """See `LatencySession.read()`."""
        self._raw = raw

    @property
    def event(self) -> str:
        """Intel's name of the event."""
        return event_name(self._raw.event)

    @property
    def cpu(self) -> Optional[int]:
        """CPU number; None for several CPUs and for tasks."""
        return None if self._raw.cpu == abi.CPU_ALL else int(self._raw.cpu)

    @property
    def away(self) -> bool:
        """Whether the sampling counter is left to perf users now, or the event finds none."""
        return bool(self._raw.flags & abi.LATENCY_RECORD_AWAY)

    samples = number("samples", "Number of samples.")
    events = number("events", "Number of events that the samples stand for.")

    @property
    def counted(self) -> Optional[int]:
        """Number of events that the sampling counter counted; None for tasks."""
        return int(self._raw.counted) if self._known else None

    @property
    def lost(self) -> Optional[int]:
        """Number of events of periods that ended without a sample; None for tasks."""
        return int(self._raw.lost) if self._known else None

    @property
    def _known(self) -> bool:
        return bool(self._raw.flags & abi.LATENCY_RECORD_COUNTED)

    min = number("min",
                 "Least latency in cycles; 0 without samples.  Of a difference: that of its bin.")
    max = number("max", "Greatest latency in cycles.  Of a difference: that of its bin.")
    running_ns = number("running_ns", "How long the event had the sampling counter.")
    elapsed_ns = number("elapsed_ns", "How long the event has been asked for.")

    @property
    def mean(self) -> float:
        """Mean latency in cycles; NaN without samples."""
        return float(library.ask("topdown_latency_mean", self._raw))

    @property
    def deviation(self) -> float:
        """Standard deviation of the latencies in cycles; NaN without samples."""
        return math.sqrt(library.ask("topdown_latency_variance", self._raw))

    def quantile(self, share: float) -> float:
        """The latency that a share of the events does not exceed, as the middle of its bin.

        :param share: 0.0 to 1.0; 0.5 for the median
        """
        return float(library.ask("topdown_latency_quantile", self._raw, share))

    def since(self, then: LatencyReading) -> LatencyReading:
        """What was sampled since an earlier reading of the same event and CPU.

        :raises OSError: EINVAL for another event or CPU, ERANGE if ``then`` is the later one
        """
        out = abi.LatencyRecord()
        library.call("topdown_latency_between", then._raw, self._raw, ctypes.byref(out))
        return LatencyReading(out)

    def as_dict(self) -> Dict[str, Any]:
        """The figures by the keys of ``topdown latency -j``, as far as they are of a reading."""
        return {"event": self.event, "cpu": self.cpu, "samples": self.samples,
                "events": self.events, "counted": self.counted, "lost": self.lost,
                "mean": self.mean, "deviation": self.deviation,
                "min": self.min, "p50": self.quantile(0.5), "p90": self.quantile(0.9),
                "p99": self.quantile(0.99), "max": self.max, "aside": self.away}

    def __repr__(self) -> str:
        return f"<LatencyReading {self.event}: {self.samples} samples>"


def total(readings: Iterable[LatencyReading]) -> LatencyReading:
    """Readings of one event on several CPUs, added up."""
    out = abi.LatencyRecord()
    for reading in readings:
        library.ask("topdown_latency_add", ctypes.byref(out), reading._raw)
    return LatencyReading(out)


class LatencySession(Closing):
    """Events that are sampled, until the session ends or the device is closed.

    As a context manager it ends itself.
    """

    def __init__(self, handle: Handle, events: Optional[Iterable[EventLike]],
                 cpus: Optional[CpusLike], session: Optional[Session]) -> None:
        """See `Device.latencies()`."""
        out, nr = ctypes.c_void_p(), ctypes.c_uint32()
        self._handle = handle
        wanted = possible(handle) if events is None else 0
        for event in events or ():
            wanted |= 1 << event_number(event)
        with handle.using() as pointer:
            if session is None:
                library.call("topdown_latencies_start", pointer, *words(cpus), wanted,
                             ctypes.byref(out), ctypes.byref(nr))
            else:
                library.call("topdown_latencies_start_tasks", pointer, session.fileno(), wanted,
                             ctypes.byref(out), ctypes.byref(nr))
            self._free = handle.own(out, "topdown_latencies_end")
        self._out: Optional[ctypes.c_void_p] = out
        self._nr = nr.value

    def _pointer(self) -> ctypes.c_void_p:
        if self._out is None:
            raise ValueError("the latency session has ended")
        return self._out

    def fileno(self) -> int:
        """The descriptor of /dev/topdown_latency that is this session.

        :raises ValueError: the session has ended, or the device is closed
        """
        with self._handle.using():
            return int(library.ask("topdown_latencies_fd", self._pointer()))

    def read(self) -> List[LatencyReading]:
        """Event after event, and of each event CPU after CPU; or one of the tasks.

        :raises ValueError: the session has ended, or the device is closed
        """
        records = (abi.LatencyRecord * self._nr)()
        nr = ctypes.c_uint32(self._nr)
        with self._handle.using():
            library.call("topdown_latencies_read", self._pointer(), records,
                         ctypes.sizeof(abi.LatencyRecord), ctypes.byref(nr))
        return [LatencyReading(record) for record in records[:nr.value]]

    def end(self) -> None:
        """Sample no longer.  Later calls do nothing."""
        with self._handle.lock:
            self._out = None
            self._free()

    def close(self) -> None:
        """The same, by the name that all that can be closed has."""
        self.end()

    def __repr__(self) -> str:
        return f"<LatencySession: {self._nr} records{'' if self._out else ', ended'}>"


def possible(handle: Handle) -> int:
    """The events that the machine can sample: bit n for event n."""
    return _ask(handle)[0]


def refusal(handle: Handle) -> Refusal:
    """See `Device.latency_refusal()`."""
    number = _ask(handle)[1]
    return Refusal(number, library.text("topdown_latency_refusal_text", number))


def names(handle: Handle) -> List[str]:
    """See `Device.latency_events()`."""
    events = possible(handle)
    return [event_name(event) for event in range(64) if events >> event & 1]


def _ask(handle: Handle) -> Tuple[int, int]:
    events, number = ctypes.c_uint64(), ctypes.c_uint32()
    with handle.using() as pointer:
        library.call("topdown_latency_events", pointer, ctypes.byref(events),
                     ctypes.byref(number))
    return events.value, number.value
