# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets of CPUs."""
from __future__ import annotations

import ctypes
from typing import Any, FrozenSet, Iterable, Optional, Tuple, Union

from . import abi, library


class CpuSet(FrozenSet[int]):
    """CPU numbers, 0 to 8191, as a frozenset whose text is that of the kernel: 0-3,8.

    >>> CpuSet("0-3,8")
    CpuSet('0-3,8')
    >>> CpuSet([3, 2]) | {0}
    CpuSet('0,2-3')
    """

    def __new__(cls, cpus: CpusLike = ()) -> CpuSet:
        """
        :raises ValueError: a text that is no list, a CPU that is named twice, or a number
            that no CPU has
        """
        if isinstance(cpus, str):
            cpus = _parse(cpus)
        self: CpuSet = frozenset.__new__(cls, cpus)
        for cpu in self:
            if not 0 <= cpu < 64 * abi.CPUS_WORDS_MAX:
                raise ValueError(f"no CPU has the number {cpu}")
        return self

    def __str__(self) -> str:
        array, count = _to_words(self)
        size = library.ask("topdown_cpus_text", array, count, None, 0) + 1
        room = ctypes.create_string_buffer(size)
        library.ask("topdown_cpus_text", array, count, room, size)
        return room.value.decode()

    def __repr__(self) -> str:
        return f"CpuSet('{self}')"

    def __or__(self, other: Any) -> Any:
        return CpuSet(super().__or__(other))

    def __and__(self, other: Any) -> Any:
        return CpuSet(super().__and__(other))

    def __sub__(self, other: Any) -> Any:
        return CpuSet(super().__sub__(other))


#: A text as "0-3,8", or numbers.
CpusLike = Union[str, Iterable[int]]


def _parse(text: str) -> Tuple[int, ...]:
    array = (ctypes.c_uint64 * abi.CPUS_WORDS_MAX)()
    where = ctypes.c_char_p()
    # The library puts an address within this text into where.
    encoded = ctypes.create_string_buffer(text.encode())
    if library.ask("topdown_cpus_parse", ctypes.cast(encoded, ctypes.c_char_p), array,
                   abi.CPUS_WORDS_MAX, ctypes.byref(where)):
        raise ValueError(f"no list of CPUs: {text!r}, at {(where.value or b'').decode()!r}")
    return tuple(cpu for cpu in range(64 * abi.CPUS_WORDS_MAX) if array[cpu // 64] >> cpu % 64 & 1)


def _to_words(cpus: Iterable[int]) -> Tuple[Any, int]:
    count = max(cpus, default=0) // 64 + 1
    array = (ctypes.c_uint64 * count)()
    for cpu in cpus:
        array[cpu // 64] |= 1 << cpu % 64
    return array, count


def words(cpus: Optional[CpusLike]) -> Tuple[Any, int]:
    """A set as the library takes it: the words and their number.  None is all CPUs.

    An empty set is one too: the library refuses it.
    """
    return (None, 0) if cpus is None else _to_words(CpuSet(cpus))
