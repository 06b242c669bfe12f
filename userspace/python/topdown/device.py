# SPDX-License-Identifier: LGPL-2.1-or-later
"""The device, through which the module is asked."""
from __future__ import annotations

import ctypes
import os
import time
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union

from . import abi, library
from .cpus import CpusLike
from .field import number, string, word
from .handle import Closing, Handle
from .latency import EventLike, LatencySession, Refusal, refusal
from .latency import names as latency_names
from .map import Map
from .owner import Owners
from .nodes import NodeLike
from .reading import Reading, Span
from .region import Regions
from .session import Session
from .watch import Event, Watch, condition, wait

#: The device that is opened without a path.
PATH = "/dev/topdown"


class Info:
    """What the module and the machine can do.  It does not change."""
    __slots__ = ("_raw",)

    def __init__(self, raw: abi.Info) -> None:
        """Of a copy of the C structure; programs get it from `Device.info`."""
        self._raw = raw

    @property
    def features(self) -> frozenset[str]:
        """What the module can do: "fresh", "total", "map", "watch", "session", "cycles", "busy",
        "owners"."""
        return abi.bits("FEATURE_", self._raw.out_features)

    @property
    def flags(self) -> frozenset[str]:
        """What holds: "may_read" (whole CPUs, here), "pinned", "refined", "drilldown",
        "aside", "aside_all"."""
        return abi.bits("INFO_", self._raw.out_flags)

    nr_cpus = number("out_nr_cpus", "One more than the highest possible CPU number.")
    source = word("out_source", "topdown_source_name",
                  "What the kind of CPU that has the most levels is measured with.")
    level = number("out_level", "Highest level on that kind: 1 or 2.")
    slots_per_cycle = number("out_slots_per_cycle",
                             "Pipeline width of that kind; 0 when not known.")
    period_ms = number("out_period_ms", "Longest time a busy CPU keeps one window open, in ms.")
    cpu_name = string("out_cpu_name", "Brand string of the CPU.")
    codename = string("out_codename", "Name of the core in the module's table; empty when unknown.")
    version = string("out_version", "Version of the module.")
    instance = number("out_instance",
                      "A random number that differs each time that the module is loaded.")
    load_time_ns = number("out_load_time_ns", "When the module was loaded: CLOCK_BOOTTIME in ns.")

    def as_dict(self) -> Dict[str, Any]:
        """All of it, by the names of the properties."""
        return {name: getattr(self, name) for name in (
            "features", "flags", "nr_cpus", "source", "level", "slots_per_cycle", "period_ms",
            "cpu_name", "codename", "version", "instance", "load_time_ns")}

    def __repr__(self) -> str:
        return f"<Info: {self.codename or self.cpu_name}, {self.source}, level {self.level}>"


class Device(Closing):
    """The open device.  Close it, or use it as a context manager.

    Several threads may have one: each call waits for that of another thread to end, also for
    `wait()`.  A thread that waits for watch events had better have a device of its own.

    :param path: path of the device, or a descriptor of it, which this takes over
    :raises OSError: FileNotFoundError when the module is not loaded, PermissionError when the
        caller may not open the device, and others that `topdown.errors` has
    """

    def __init__(self, path: Union[str, "os.PathLike[str]", int] = PATH) -> None:
        out = ctypes.c_void_p()
        if isinstance(path, int):
            library.call("topdown_open_fd", ctypes.byref(out), path)
        else:
            name = os.fspath(path)
            library.call("topdown_open", ctypes.byref(out), os.fsencode(name), path=name)
        self._handle = Handle(out)

    def close(self) -> None:
        """Close it, which ends its watches and regions.  Later calls do nothing.

        Sessions and maps stay.  A thread that is in `wait()` has to be woken up first, by
        `cancel()`.
        """
        self._handle.close()

    def fileno(self) -> int:
        """The descriptor, for select(), poll() and event loops.

        It is readable when there is a watch event; then ``wait(0)`` returns at once.
        """
        with self._handle.using() as pointer:
            return int(library.ask("topdown_fd", pointer))

    @property
    def info(self) -> Info:
        """What the module and the machine can do, asked now.

        :raises OSError: the module cannot answer
        """
        with self._handle.using() as pointer:
            library.call("topdown_info_update", pointer)
            raw = library.ask("topdown_info_get", pointer).contents
            return Info(abi.Info.from_buffer_copy(raw))

    def read(self, cpus: Optional[CpusLike] = None, *, fresh: bool = False,
             map: Optional[Map] = None) -> Reading:
        """Read a set of CPUs.

        :param cpus: as "0-3,8" or numbers; None for all CPUs
        :param fresh: count until now, by an interrupt to each CPU that was not idle; without
            it the figures are at most one period old
        :param map: read from this map, without a system call unless ``fresh``: the records
            have no ratios, and their window is always the last one
        :raises OSError: EACCES when this process may not see whole CPUs, EINVAL for an
            impossible CPU
        :raises ValueError: no list of CPUs; a closed device or map
        """
        return Reading(self._handle, cpus, fresh, map)

    def spans(self, seconds: float, cpus: Optional[CpusLike] = None, *,
              count: Optional[int] = None, fresh: bool = True) -> Iterator[Span]:
        """What CPUs did, interval by interval.

        :param seconds: length of an interval, above 0
        :param count: number of intervals; None for no end
        :param cpus: as of `read()`
        :param fresh: as of `read()`
        :raises OSError: as of `read()`
        """
        then = self.read(cpus, fresh=fresh)
        wake = time.monotonic()
        while count is None or count > 0:
            wake += seconds
            time.sleep(max(wake - time.monotonic(), 0))
            now = self.read(cpus, fresh=fresh)
            yield now.since(then)
            then = now
            count = None if count is None else count - 1

    def map(self) -> Map:
        """Map the records and the history of all CPUs.

        :raises OSError: EACCES when this process may not see whole CPUs, EOPNOTSUPP when the
            module is too old
        """
        with self._handle.using() as pointer:
            return Map(pointer)

    def watch(self, node: NodeLike, ratio: float, *, cpus: Optional[CpusLike] = None,
              below: bool = False, back: bool = False, total: bool = False, hold_ms: int = 0,
              min_slots: int = 0) -> Watch:
        """Watch a node: a watch event when a CPU crosses the threshold.

        :param node: node, by name or number
        :param ratio: threshold, 0.0 to 1.0
        :param cpus: as of `read()`
        :param below: when the ratio is below the threshold, not above it
        :param back: also when it is back within
        :param total: compare the sum over the CPUs, not each CPU
        :param hold_ms: how long windows must be beyond the threshold, 0 to 3600000 ms
        :param min_slots: a window of fewer slots is within the threshold
        :raises OSError: EACCES when this process may not see whole CPUs, EOPNOTSUPP if no CPU
            has the node, ENOSPC for too many watches
        :raises KeyError: no node has this name or number
        """
        return Watch(self._handle, condition(node, ratio, below, back, total, hold_ms,
                                             min_slots), cpus)

    def watch_windows(self, cpus: Optional[CpusLike] = None, *, min_slots: int = 0) -> Watch:
        """Watch windows: a watch event for each that the timer of a CPU ends.

        :param cpus: as of `read()`
        :param min_slots: windows of fewer slots are left out
        :raises OSError: as of `watch()`
        """
        return Watch(self._handle, abi.Watch(node=abi.WATCH_ANY, min_slots=min_slots), cpus)

    def wait(self, timeout: Optional[float] = None) -> List[Event]:
        """Wait for watch events.

        :param timeout: longest wait in seconds; 0 for none, None for no limit
        :return: at most 64; none after the timeout
        :raises OSError: ECANCELED after `cancel()`, EACCES when this process may not see whole
            CPUs
        """
        return wait(self._handle, timeout)

    def cancel(self) -> None:
        """End the present `wait()`, or the next one that may sleep, from any thread."""
        # This one call needs no lock.
        library.call("topdown_watch_cancel", self._handle.pointer())

    def session(self, pid: int = 0, *, thread: bool = False, children: bool = False,
                pidfd: bool = False, disabled: bool = False, on_exec: bool = False) -> Session:
        """Follow a process, a thread or a family: count their slots from now on.

        :param pid: process; with ``thread`` thread; 0 for the calling process or thread
        :param thread: count only this thread, not the threads that it starts
        :param children: also count processes forked from now on; not with ``thread``
        :param pidfd: ``pid`` is a pidfd; not with ``thread``
        :param disabled: count nothing until `Session.enable()`
        :param on_exec: only with ``disabled``: count from the next execve() of a task on
        :raises OSError: ESRCH if there is no such task, EACCES for another process without
            CAP_PERFMON, ENOSPC for too many sessions, EMFILE for too many open files, EOPNOTSUPP
            when the module is too old
        """
        flags = ((abi.ATTACH_THREAD if thread else 0) | (abi.ATTACH_CHILDREN if children else 0)
                 | (abi.ATTACH_PIDFD if pidfd else 0) | (abi.ATTACH_DISABLED if disabled else 0)
                 | (abi.ATTACH_ON_EXEC if on_exec else 0))
        return Session.attach(self._handle, pid, flags)

    def latencies(self, events: Optional[Iterable[EventLike]] = None,
                  cpus: Optional[CpusLike] = None,
                  session: Optional[Session] = None) -> LatencySession:
        """Sample how long the instructions of some events take to retire, from now on.

        :param events: numbers or Intel's names; all that the machine can sample by default
        :param cpus: the CPUs to sample, all by default
        :param session: sample only the tasks of this session, on any CPU
        :raises ValueError: for both CPUs and a session
        :raises OSError: EOPNOTSUPP if there is a refusal, if the machine lacks one of the
            events or if none of the CPUs can be sampled, EACCES when this process may not see
            whole CPUs, ENOENT for an unknown name or when the module topdown_latency is not
            loaded, EBUSY if the session has one already, ESRCH if it has ended, ENOSPC for too
            many
        """
        if cpus is not None and session is not None:
            raise ValueError("CPUs and a session")
        return LatencySession(self._handle, events, cpus, session)

    def latency_events(self) -> List[str]:
        """Intel's names of the events that this machine can sample; none if it refuses.

        :raises OSError: ENOENT when the module topdown_latency is not loaded
        """
        return latency_names(self._handle)

    def latency_refusal(self) -> Refusal:
        """Why this machine samples no latency; number 0 if it does.

        :raises OSError: ENOENT when the module topdown_latency is not loaded
        """
        return refusal(self._handle)

    def owners(self, kind: str = "process", depth: int = 0) -> Owners:
        """Sum up the slots of every process or cgroup, from now on.

        :param kind: "process" or "cgroup"
        :param depth: cgroups below this level count at their ancestor; 0 for none
        :raises ValueError: no such kind
        :raises OSError: EOPNOTSUPP when the module is too old or the kernel lacks cgroups of
            perf, EACCES when this process may not see whole CPUs
        """
        return Owners(self._handle, kind, depth)

    def regions(self, backend: str = "auto") -> Regions:
        """Prepare to measure regions of the calling thread.

        :param backend: "auto"; "rdpmc" by counters in user mode; "module" by a session
        :raises OSError: EOPNOTSUPP when the backend is not possible on this machine, EACCES
            when perf does not let this process count, EBUSY when others have the counter
        :raises ValueError: no such backend
        """
        return Regions(self._handle, backend)

    def __repr__(self) -> str:
        return "<Device, closed>" if self._handle.closed else f"<Device: {self.info!r}>"
