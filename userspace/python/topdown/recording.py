# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings: files of ``topdown record``, by topdown-record(5)."""
from __future__ import annotations

import ctypes
import os
import struct
import zlib
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from errno import ERANGE
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Optional, Tuple, Type, Union

from . import abi, library
from .figures import LEVEL, Figures
from .owner import WORDS
from .record import FLAGS, Record

MAGIC = b"tdrecord"
VERSION = 1
BLOCK_MAX = 1 << 20
SECTOR = 512
# The end of a path that is kept, as in the command.
LEVELS_MAX = 64

_START = struct.Struct("<8sII")
_BLOCK = struct.Struct("<IIII")
_ARRAY = struct.Struct("<II")

OF_CPUS = 1
OF_TASKS = 2
(INFO, COMMAND, CPUS, BEGIN, WINDOWS, LOST, TASKS, SAMPLES, FINISH, END, CLOCK) = range(1, 12)
# Block 12 has latencies.
(OWNERS, OWNED) = (13, 14)


class RecordingError(ValueError):
    """A file that is no recording, or that is damaged, cut off or too new."""


class _Clock(ctypes.Structure):
    _fields_ = [("monotonic_ns", ctypes.c_uint64), ("realtime_ns", ctypes.c_uint64),
                ("boottime_ns", ctypes.c_uint64)]


class _Info(ctypes.Structure):
    _fields_ = [("subject", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("features", ctypes.c_uint64), ("instance", ctypes.c_uint64),
                ("load_time_ns", ctypes.c_uint64), ("begin", _Clock),
                *[(name, ctypes.c_uint32) for name in (
                    "nr_cpus", "module_flags", "source", "level", "slots_per_cycle", "period_ms",
                    "interval_ms", "history", "cpu_family", "cpu_model", "cpu_stepping",
                    "reserved")],
                ("host", ctypes.c_char * 72), ("kernel", ctypes.c_char * 72),
                ("cpu_name", ctypes.c_char * 64), ("codename", ctypes.c_char * 64),
                ("module", ctypes.c_char * 48), ("program", ctypes.c_char * 48)]


class _Cpu(ctypes.Structure):
    _fields_ = [("cpu", ctypes.c_uint32), ("core_id", ctypes.c_int32),
                ("socket", ctypes.c_int32), ("node", ctypes.c_int32),
                *[(name, ctypes.c_uint32) for name in (
                    "kind", "source", "level", "slots_per_cycle", "state", "reserved")]]


class _Edge(ctypes.Structure):
    _fields_ = [("open", abi.Figures), ("record", abi.Record)]


class _Window(ctypes.Structure):
    _fields_ = [("cpu", ctypes.c_uint32), ("source", ctypes.c_uint32),
                ("level", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("turns", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("window", abi.Window)]


class _Lost(ctypes.Structure):
    _fields_ = [("cpu", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("first", ctypes.c_uint64), ("nr", ctypes.c_uint64)]


class _Task(ctypes.Structure):
    _fields_ = [("task", ctypes.c_uint32), ("pid", ctypes.c_int32), ("tid", ctypes.c_int32),
                ("flags", ctypes.c_uint32), ("flags_known", ctypes.c_uint32),
                ("turns", ctypes.c_uint32), ("name", ctypes.c_char * 64)]


class _Sample(ctypes.Structure):
    _fields_ = [*[(name, ctypes.c_uint32) for name in (
                    "task", "state", "source", "level", "flags", "reserved")],
                *[(name, ctypes.c_uint64) for name in (
                    "begin_ns", "end_ns", "merged_ns", "switches")],
                ("figures", abi.Figures), ("core", abi.Figures), ("atom", abi.Figures)]


class _Owner(ctypes.Structure):
    _fields_ = [("owner", ctypes.c_uint32), ("what", ctypes.c_uint32), ("id", ctypes.c_uint64),
                ("start_ns", ctypes.c_uint64),
                *[(name, ctypes.c_uint32) for name in ("parent", "level", "flags", "reserved")],
                ("name", ctypes.c_char * 128)]


class _Owned(ctypes.Structure):
    _fields_ = [*[(name, ctypes.c_uint32) for name in (
                    "size", "entry_size", "nr", "kind", "depth", "interval_ms")],
                ("begin_ns", ctypes.c_uint64), ("end_ns", ctypes.c_uint64)]


class _Share(ctypes.Structure):
    _fields_ = [*[(name, ctypes.c_uint32) for name in ("owner", "flags", "source", "level")],
                ("switches", ctypes.c_uint64), ("figures", abi.Figures)]


class _End(ctypes.Structure):
    _fields_ = [("end", _Clock), ("windows", ctypes.c_uint64), ("lost", ctypes.c_uint64),
                ("signal", ctypes.c_uint32), ("status", ctypes.c_uint32)]


@dataclass(frozen=True)
class Piece:
    """A window of a CPU, or what a task used in an interval."""
    #: CPU number; None in a recording of tasks.
    cpu: Optional[int]
    #: Number of the task in `Recording.tasks`; None in a recording of CPUs.
    task: Optional[int]
    #: Number of the window; 0 for one that was open at the end, and of tasks.
    number: int
    #: Begin and end: CLOCK_MONOTONIC in ns.
    begin_ns: int
    end_ns: int
    #: The end as a time of the day, in UTC.
    time: datetime
    #: Origin of the figures: "perf_metrics", ...
    source: str
    #: Highest level of the figures.
    level: int
    #: Of "scaled", "clamped", "refined" and "drilldown", those that hold.
    flags: frozenset[str]
    #: What was counted while the recording ran.
    figures: Figures

    def as_dict(self) -> Dict[str, Any]:
        """All as numbers, with the keys of `Figures.as_dict()`."""
        who = {"cpu": self.cpu} if self.task is None else {"task": self.task}
        return {"time": self.time, **who, "window": self.number, "begin_ns": self.begin_ns,
                "end_ns": self.end_ns, "source": self.source, "level": self.level,
                **self.figures.as_dict(), **{name: name in self.flags for name in FLAGS}}


@dataclass(frozen=True)
class Share:
    """What a process or a cgroup had in an interval."""
    #: Number of the owner in `Recording.owners`.
    owner: int
    #: Begin and end: CLOCK_MONOTONIC in ns.
    begin_ns: int
    end_ns: int
    #: The end as a time of the day, in UTC.
    time: datetime
    #: Origin of the figures: "perf_metrics", ...
    source: str
    #: Highest level of the figures.
    level: int
    #: Whether the process had ended at the end.
    exited: bool
    #: How often the owner got a CPU from another one.
    switches: int
    #: Of a cgroup alone, without those below it.
    figures: Figures


class Recording:
    """A file of ``topdown record``, which is read at once.

    :param path: the file
    :param partial: take what there is of a file that was cut off
    :raises OSError: the file cannot be read
    :raises RecordingError: it is no recording, or damaged, cut off or too new
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, partial: bool = False) -> None:
        #: The file.
        self.path = os.fspath(path)
        #: The windows or samples, in the order of the file.
        self.pieces: List[Piece] = []
        #: The command line of the recording.
        self.command: List[str] = []
        #: The tasks that were recorded: dicts of "pid", "tid" and "name".
        self.tasks: List[Dict[str, Any]] = []
        #: The CPUs that were recorded: dicts of "cpu", "core_id", "socket", "node", ...
        self.cpus: List[Dict[str, Any]] = []
        #: The owners that were recorded: dicts of "what" ("process", "cgroup", "idle", "others" or
        #: "ended"), "id", "start_ns", "parent" (a number in this list; None for no cgroup and for
        #: the root), "name" and "path".
        self.owners: List[Dict[str, Any]] = []
        #: What they had in each interval, in the order of the file.
        self.shares: List[Share] = []
        #: Windows that were lost, by CPU.
        self.lost: Dict[int, int] = {}
        #: Whether the file has its end.
        self.whole = False
        self._block = 0
        self._raw: Optional[_Info] = None
        self._clocks: List[_Clock] = []
        self._clocks_ns: List[int] = []
        self._begin: Dict[int, Tuple[Figures, Record]] = {}
        self._next: Dict[int, int] = {}
        with open(path, "rb") as file:
            self._read(file, partial)

    @property
    def info(self) -> Dict[str, Any]:
        """The recording as a whole: machine, module, period and so on."""
        raw = self._info
        texts = {name: getattr(raw, name).decode(errors="replace") for name in (
            "host", "kernel", "cpu_name", "codename", "module", "program")}
        numbers = {name: getattr(raw, name) for name in (
            "instance", "load_time_ns", "nr_cpus", "level", "slots_per_cycle", "period_ms",
            "interval_ms", "history")}
        return {"subject": "cpus" if raw.subject == OF_CPUS else "tasks", **texts, **numbers,
                "source": library.text("topdown_source_name", raw.source),
                "features": abi.bits("FEATURE_", raw.features),
                "begin": self.time(raw.begin.monotonic_ns)}

    def time(self, at_ns: int) -> datetime:
        """The time of day, in UTC, of a time in the file.

        :param at_ns: CLOCK_MONOTONIC of the recorded machine, in ns
        """
        place = bisect_right(self._clocks_ns, at_ns)
        clock = self._clocks[place - 1] if place else self._info.begin
        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        return epoch + timedelta(
            microseconds=(at_ns - clock.monotonic_ns + clock.realtime_ns) // 1000)

    def as_dicts(self) -> List[Dict[str, Any]]:
        """Each piece as a dict; tasks have their "pid", "tid" and "name"."""
        return [{**piece.as_dict(), **(self.tasks[piece.task] if piece.task is not None else {})}
                for piece in self.pieces]

    def __iter__(self) -> Iterator[Piece]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def __repr__(self) -> str:
        return f"<Recording {self.path!r}: {len(self)} {'pieces' if self.tasks else 'windows'}>"

    @property
    def _info(self) -> _Info:
        if self._raw is None:
            raise self._odd("it does not say what is recorded first")
        return self._raw

    def _odd(self, what: str) -> RecordingError:
        where = f"its block {self._block} makes no sense: " if self._block else ""
        return RecordingError(f"{self.path}: {where}{what}")

    def _read(self, file: BinaryIO, partial: bool) -> None:
        start = file.read(_START.size)
        if len(start) < _START.size or start[:8] != MAGIC:
            raise self._odd("it is no recording")
        _, version, crc = _START.unpack(start)
        if zlib.crc32(start[:12]) != crc:
            raise self._odd("its first bytes are damaged")
        if version != VERSION:
            raise self._odd(f"its version is {version}, and only {VERSION} is known")
        while self._read_block(file, partial):
            pass
        if self._raw is None:
            raise self._odd("it has no information")
        if not self.whole and not partial:
            raise self._odd("its end is missing")

    def _read_block(self, file: BinaryIO, partial: bool) -> bool:
        head = file.read(_BLOCK.size)
        if not head:
            return False
        kind, size, number, crc = _BLOCK.unpack(head.ljust(_BLOCK.size, b"\0"))
        known = len(head) == _BLOCK.size
        if known and (size % 8 or size > BLOCK_MAX):
            raise self._odd("a block has an impossible size")
        payload = file.read(size) if known else b""
        if not known or len(payload) < size:
            if partial:
                return False
            raise self._odd("it ends in the middle of a block")
        self._block += 1
        if zlib.crc32(payload, zlib.crc32(head[:12])) != crc:
            if partial and _is_cut(file, head + payload):
                return False
            raise self._odd("its checksum is wrong")
        if number != self._block:
            raise self._odd(f"it has number {number}")
        if self.whole:
            raise self._odd("it comes after the end")
        if (kind == INFO) != (self._block == 1):
            raise self._odd("it does not say what is recorded first, and once")
        self._take(kind, payload)
        return True

    def _take(self, kind: int, payload: bytes) -> None:
        entries: Dict[int, Tuple[Type[ctypes.Structure], Callable[[Any], None]]] = {
            CPUS: (_Cpu, self._take_cpu), BEGIN: (_Edge, self._take_begin),
            WINDOWS: (_Window, self._take_window), LOST: (_Lost, self._take_lost),
            TASKS: (_Task, self._take_task), SAMPLES: (_Sample, self._take_sample),
            OWNERS: (_Owner, self._take_owner)}
        if kind == INFO:
            self._raw = self._one(_Info, payload)
            if self._info.subject not in (OF_CPUS, OF_TASKS):
                raise self._odd("it is neither of CPUs nor of tasks")
        elif kind == COMMAND:
            self.command = [word.decode(errors="replace")
                            for word in payload.rstrip(b"\0").split(b"\0")]
        elif kind == CLOCK:
            self._take_clock(self._one(_Clock, payload))
        elif kind == END:
            self._take_end(self._one(_End, payload))
        elif kind == OWNED:
            if self._info.subject == OF_TASKS:
                raise self._odd("it has CPUs and tasks")
            self._take_owned(self._one(_Owned, payload), payload)
        elif kind in entries or kind == FINISH:
            if (kind in (TASKS, SAMPLES)) != (self._info.subject == OF_TASKS):
                raise self._odd("it has CPUs and tasks")
        if kind in entries:
            structure, take = entries[kind]
            for entry in self._array(structure, payload):
                take(entry)

    def _one(self, structure: Type[Any], payload: bytes) -> Any:
        if len(payload) < ctypes.sizeof(structure):
            raise self._odd("it is too short")
        return structure.from_buffer_copy(payload)

    def _array(self, structure: Type[Any], payload: bytes) -> Iterator[Any]:
        if len(payload) < _ARRAY.size:
            raise self._odd("it is too short")
        size, nr = _ARRAY.unpack_from(payload)
        if size < ctypes.sizeof(structure) or size % 8 or size * nr != len(payload) - _ARRAY.size:
            raise self._odd("its entries have another size")
        for i in range(nr):
            yield structure.from_buffer_copy(payload, _ARRAY.size + i * size)

    def _check_cpu(self, cpu: int) -> None:
        if cpu >= self._info.nr_cpus:
            raise self._odd("there is no such CPU")

    def _take_clock(self, raw: _Clock) -> None:
        if self._clocks_ns and raw.monotonic_ns <= self._clocks_ns[-1]:
            raise self._odd("its clock goes back")
        self._clocks.append(raw)
        self._clocks_ns.append(raw.monotonic_ns)

    def _take_cpu(self, raw: _Cpu) -> None:
        self._check_cpu(raw.cpu)
        self.cpus.append({
            "cpu": raw.cpu, "core_id": raw.core_id, "socket": raw.socket, "node": raw.node,
            "kind": library.text("topdown_kind_name", raw.kind),
            "source": library.text("topdown_source_name", raw.source), "level": raw.level,
            "slots_per_cycle": raw.slots_per_cycle,
            "state": library.text("topdown_state_name", raw.state)})

    def _take_begin(self, raw: _Edge) -> None:
        cpu = raw.record.cpu
        self._check_cpu(cpu)
        record = Record(abi.Record.from_buffer_copy(raw.record))
        self._begin[cpu] = (Figures(abi.Figures.from_buffer_copy(raw.open)), record)
        # With bit 0 there are windows from before the recording.
        if not self._info.flags & 1:
            self._next[cpu] = record.windows + 1

    def _take_window(self, raw: _Window) -> None:
        cpu, window = raw.cpu, raw.window
        self._check_cpu(cpu)
        number = window.number or self._next.get(cpu, 0)
        if self._next.get(cpu, number) != number:
            raise self._odd("a window is missing")
        figures = Figures(abi.Figures.from_buffer_copy(window.figures))
        begin_ns = max(window.time_ns - figures.enabled_ns, 0)
        before, record = self._begin.get(cpu, (None, None))
        # With bit 0 the windows from before are there whole.
        if self._info.flags & 1:
            before = None
        if before is not None and record is not None and number == record.windows + 1:
            begin_ns = max(begin_ns, record.time_ns)
            figures = _without(figures, before)
        if window.number:
            self._next[cpu] = number + 1
        self._add(raw, cpu, None, window.number, begin_ns, window.time_ns, raw.flags, figures)

    def _take_lost(self, raw: _Lost) -> None:
        self._check_cpu(raw.cpu)
        if self._next.get(raw.cpu, raw.first) != raw.first:
            raise self._odd("a window is missing")
        self._next[raw.cpu] = raw.first + raw.nr
        self.lost[raw.cpu] = self.lost.get(raw.cpu, 0) + raw.nr

    def _take_task(self, raw: _Task) -> None:
        if raw.task != len(self.tasks):
            raise self._odd("a task is missing")
        self.tasks.append({"pid": raw.pid, "tid": raw.tid,
                           "name": raw.name.decode(errors="replace")})

    def _take_sample(self, raw: _Sample) -> None:
        if raw.task >= len(self.tasks):
            raise self._odd("there is no such task")
        # The flags of a sample are those of a session.
        self._add(raw, None, raw.task, 0, raw.begin_ns, raw.end_ns, 0,
                  Figures(abi.Figures.from_buffer_copy(raw.figures)))

    def _take_owner(self, raw: _Owner) -> None:
        if raw.owner > len(self.owners) or raw.parent > raw.owner:
            raise self._odd("an owner is missing")
        if raw.what >= len(WORDS):
            raise self._odd("there is no such kind of owner")
        what, name = WORDS[raw.what], raw.name.decode(errors="replace")
        parent = raw.parent if what == "cgroup" and raw.parent < raw.owner else None
        path = self._path(parent, name) if what == "cgroup" else ""
        owner = {"what": what, "id": raw.id, "start_ns": raw.start_ns, "parent": parent,
                 "name": name if what in ("process", "cgroup") else what, "path": path}
        if raw.owner == len(self.owners):
            self.owners.append(owner)
        else:
            self.owners[raw.owner] = owner

    def _path(self, parent: Optional[int], name: str) -> str:
        """The path of a cgroup, or the end of a deep one, which nobody has: or a file would cost
        memory by the square of its length."""
        names = [name]
        while parent is not None and len(names) < LEVELS_MAX:
            above = self.owners[parent]
            if above["what"] != "cgroup":
                break
            names.append(above["name"])
            parent = above["parent"]
        return "/" + "/".join(name for name in reversed(names) if name)

    def _take_owned(self, head: _Owned, payload: bytes) -> None:
        least = ctypes.sizeof(_Share)
        if (head.size < ctypes.sizeof(_Owned) or head.entry_size < least or head.entry_size % 8
                or head.size + head.entry_size * head.nr != len(payload)):
            raise self._odd("its parts are not as long as it is")
        for i in range(head.nr):
            raw = _Share.from_buffer_copy(payload, head.size + i * head.entry_size)
            if raw.owner >= len(self.owners):
                raise self._odd("there is no such owner")
            self.shares.append(Share(
                owner=raw.owner, begin_ns=head.begin_ns, end_ns=head.end_ns,
                time=self.time(head.end_ns),
                source=library.text("topdown_source_name", raw.source), level=raw.level,
                exited=bool(raw.flags & abi.OWNER_EXITED), switches=raw.switches,
                figures=Figures(abi.Figures.from_buffer_copy(raw.figures))))

    def _take_end(self, raw: _End) -> None:
        recorded = sum(1 for piece in self.pieces if piece.number or piece.task is not None)
        if (raw.windows, raw.lost) != (recorded, sum(self.lost.values())):
            raise self._odd("a window is missing")
        self.whole = True

    def _add(self, raw: Any, cpu: Optional[int], task: Optional[int], number: int, begin_ns: int,
             end_ns: int, flags: int, figures: Figures) -> None:
        self.pieces.append(Piece(
            cpu=cpu, task=task, number=number, begin_ns=begin_ns, end_ns=end_ns,
            time=self.time(end_ns), source=library.text("topdown_source_name", raw.source),
            level=raw.level, flags=frozenset(name for name, bit in FLAGS.items() if flags & bit),
            figures=figures))


def _is_cut(file: BinaryIO, block: bytes) -> bool:
    """Whether whole sectors at the end are zero, as after a power failure."""
    block += file.read()
    size = file.tell()
    end = size - len(block) + len(block.rstrip(b"\0"))
    return end <= (size - 1) // SECTOR * SECTOR


def _without(figures: Figures, before: Figures) -> Figures:
    """What a window has counted since it had counted that; all of it if it had not."""
    mask = sum(1 << number for number in range(abi.MAX_NODES)
               if figures.raw.ratio[number] != abi.RATIO_NONE)
    try:
        return Record(abi.Record(total=figures.raw, nodes=mask)).since(
            Record(abi.Record(total=before.raw)), LEVEL)
    except OSError as error:
        if error.errno != ERANGE:
            raise
        return figures
