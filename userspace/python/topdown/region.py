# SPDX-License-Identifier: LGPL-2.1-or-later
"""Regions: parts of a program that are measured by themselves."""
from __future__ import annotations

import contextlib
import ctypes
import weakref
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Type

from . import abi, library
from .figures import Figures
from .handle import Closing, Handle, created

BACKENDS = {"auto": abi.REGION_AUTO, "module": abi.REGION_MODULE, "rdpmc": abi.REGION_RDPMC}


class RegionReading:
    """The figures of all runs of a region so far.  It does not change."""
    __slots__ = ("name", "backend", "source", "level", "open", "count", "calls", "figures")

    def __init__(self, name: str, raw: abi.Region) -> None:
        """Of the C structure; programs get it from `Regions`."""
        #: Name of the region.
        self.name = name
        #: How it was measured: "module" or "rdpmc".
        self.backend = _backend(raw.backend)
        #: Origin of the figures: "perf_metrics", ...
        self.source = library.text("topdown_source_name", raw.source)
        #: Highest level of the figures: 2, 1, or 0 for none.
        self.level = int(raw.level)
        #: How many times it has begun and not ended.
        self.open = int(raw.open)
        #: Number of runs; of runs inside each other only the outermost counts.
        self.count = int(raw.count)
        #: Number of readings, at begins and ends, that called the kernel.
        self.calls = int(raw.calls)
        #: `Figures`, whose `enabled_ns` is the time that the thread was on CPUs.
        self.figures = Figures(abi.Figures.from_buffer_copy(raw.figures))

    def as_dict(self) -> Dict[str, Any]:
        """All as numbers, with the keys of `Figures.as_dict()`."""
        return {"region": self.name, "count": self.count, "source": self.source,
                "level": self.level, **self.figures.as_dict()}

    def __repr__(self) -> str:
        return f"<RegionReading {self.name!r}: {self.count} runs, {self.figures!r}>"


class Region(contextlib.ContextDecorator):
    """A region of the thread that made its `Regions`: a context manager and a decorator::

        with regions.region("parse"):
            parse()

        @regions.region("parse")
        def parse(): ...

    Regions may be nested; an outer region includes its inner ones.
    """

    def __init__(self, regions: Regions, number: int, name: str) -> None:
        """See `Regions.region()`."""
        self._regions = regions
        self._number = number
        #: Its name.
        self.name = name

    def begin(self) -> None:
        """Enter the region.

        :raises OSError: EPERM in another thread or process, ENOSPC when 64 are open
        """
        with self._regions.using() as pointer:
            library.call("topdown_region_begin", pointer, self._number)

    def end(self) -> None:
        """Leave the region.

        :raises OSError: EPERM in another thread or process, EINVAL if another region was
            entered last
        """
        with self._regions.using() as pointer:
            library.call("topdown_region_end", pointer, self._number)

    def read(self) -> RegionReading:
        """Its figures.  A run that has not ended is not in them."""
        raw = abi.Region()
        with self._regions.using() as pointer:
            library.call("topdown_region_read", pointer, self._number, ctypes.byref(raw),
                         ctypes.sizeof(raw))
        return RegionReading(self.name, raw)

    def reset(self) -> None:
        """Set it to 0.

        :raises OSError: EPERM in another thread or process, EBUSY if it is open
        """
        with self._regions.using() as pointer:
            library.call("topdown_region_reset", pointer, self._number)

    def __enter__(self) -> Region:
        self.begin()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Any, trace: Any) -> None:
        self.end()


class Regions(Mapping[str, RegionReading], Closing):
    """The regions of one thread, by name: the `RegionReading` of each.

    A begin or an end takes some microseconds in Python, and the interpreter's own work
    is in the region.  So a region should be long beside that.
    """

    def __init__(self, handle: Handle, backend: str = "auto") -> None:
        """See `Device.regions()`."""
        if backend not in BACKENDS:
            raise ValueError(f"no backend is called {backend!r}, but {', '.join(BACKENDS)}")
        self._handle = handle
        self._regions: Dict[str, Region] = {}
        with handle.using() as device:
            self._pointer, self._free = created(
                handle, "topdown_regions_create", "topdown_regions_destroy", device,
                BACKENDS[backend], 0)
        self._closed = False
        weakref.finalize(self, _free_later, handle, self._free)

    @contextlib.contextmanager
    def using(self) -> Iterator[ctypes.c_void_p]:
        """For the library.

        :raises ValueError: the regions, or the device, are closed
        """
        with self._handle.using():
            if self._closed:
                raise ValueError("the regions are closed")
            yield self._pointer

    def region(self, name: str) -> Region:
        """The region of a name, always the same for the same name.

        :raises OSError: EPERM in another thread or process, EINVAL for an empty name,
            ENOSPC for more than 4096 regions
        """
        found = self._regions.get(name)
        if found is None:
            with self.using() as pointer:
                number = library.call("topdown_region_id", pointer, name.encode())
            found = self._regions[name] = Region(self, number, name)
        return found

    def __getitem__(self, name: str) -> RegionReading:
        return self._regions[name].read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._regions)

    def __len__(self) -> int:
        return len(self._regions)

    @property
    def backend(self) -> str:
        """How regions are measured: "module" or "rdpmc"."""
        with self.using() as pointer:
            return _backend(library.ask("topdown_regions_backend", pointer, None))

    @property
    def reason(self) -> str:
        """Why by this backend, in the library's words."""
        reason = abi.c_enum()
        with self.using() as pointer:
            library.ask("topdown_regions_backend", pointer, ctypes.byref(reason))
        return library.text("topdown_region_reason_text", reason.value)

    def close(self) -> None:
        """End the measurement.  Later calls do nothing."""
        with self._handle.lock:
            self._closed = True
            self._free()


def _backend(number: int) -> str:
    return next((name for name, one in BACKENDS.items() if one == number), "unknown")


def _free_later(handle: Handle, free: Callable[[], None]) -> None:
    # The garbage collector runs in any thread: do not wait there for another one that waits
    # for a watch event.  What is left goes with the device.
    if handle.lock.acquire(blocking=False):
        try:
            free()
        finally:
            handle.lock.release()
