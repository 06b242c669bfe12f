# SPDX-License-Identifier: LGPL-2.1-or-later
"""The open device as the library knows it, with what has to be freed before it."""
from __future__ import annotations

import contextlib
import ctypes
import threading
import weakref
from typing import Any, Callable, Dict, Iterator, Optional, Type, TypeVar

from . import library


Self = TypeVar("Self", bound="Closing")


class Closing:
    """Something that is closed at the end of a with statement."""

    def close(self) -> None:
        """Close it.  Later calls do nothing."""
        raise NotImplementedError

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Any, trace: Any) -> None:
        self.close()


class Handle:
    """A struct topdown, which only one thread uses at a time.

    All calls of the library that use the handle, or something of it, are made inside
    `using()`.
    """

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self.lock = threading.RLock()
        self._pointer: Optional[ctypes.c_void_p] = pointer
        self._owned: Dict[int, Callable[[], None]] = {}
        self._finalizer = weakref.finalize(self, _close, pointer, self._owned)

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        return self._pointer is None

    def pointer(self) -> ctypes.c_void_p:
        """For the library.

        :raises ValueError: the device is closed
        """
        if self._pointer is None:
            raise ValueError("the device is closed")
        return self._pointer

    @contextlib.contextmanager
    def using(self) -> Iterator[ctypes.c_void_p]:
        """Keep other threads away meanwhile.

        :raises ValueError: the device is closed
        """
        with self.lock:
            yield self.pointer()

    def own(self, pointer: ctypes.c_void_p, destroy: str) -> Callable[[], None]:
        """Free something no later than the device.

        :param pointer: what the library made
        :param destroy: the function that frees it
        :return: frees it now; later calls do nothing
        """
        owned, key = self._owned, pointer.value or 0

        # It must not keep the handle from being collected.
        def free() -> None:
            # Only one caller gets it.
            if owned.pop(key, None) is not None:
                library.ask(destroy, pointer)

        owned[key] = free
        return free

    def close(self) -> None:
        """Free all, and close the device.  Later calls do nothing."""
        with self.lock:
            self._pointer = None
            self._finalizer()


def _close(pointer: ctypes.c_void_p, owned: Dict[int, Callable[[], None]]) -> None:
    for free in reversed(list(owned.values())):
        free()
    library.ask("topdown_close", pointer)


def created(handle: Handle, function: str, destroy: str, *arguments: Any) -> Any:
    """Call a function that makes something, whose address it writes to its first parameter.

    :return: the address, and a function that frees it
    """
    out = ctypes.c_void_p()
    with handle.lock:
        library.call(function, ctypes.byref(out), *arguments)
        return out, handle.own(out, destroy)
