# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures: times, slots and ratios of some span of time."""
from __future__ import annotations

import ctypes
import math
from typing import Any, Dict, Iterable, Optional

from . import abi, library
from .field import number
from .nodes import NodeLike, node, nodes

#: The highest level of nodes that there is.
LEVEL = 2

#: Parent n is node n, as long as no other level 1 node has children.
_PARENTS = 4


class Figures:
    """Where the pipeline slots of a span of time went.  It does not change.

    One rule holds for all figures: a node that has a ratio was counted all the time.
    `ratios` and `as_dict()` depend on it already.
    """
    __slots__ = ("_raw",)

    def __init__(self, raw: abi.Figures) -> None:
        """Of a copy of the C structure; programs get figures from the other classes."""
        self._raw = raw

    @classmethod
    def sum(cls, figures: Iterable[Figures], level: int = LEVEL) -> Figures:
        """The sum of figures of several CPUs, or of spans that follow each other.

        :param level: highest level of nodes that get a ratio
        """
        # The library takes sum for that of nothing while all of it is 0.
        total = abi.Figures()
        for one in figures:
            library.ask("topdown_figures_add", ctypes.byref(total), ctypes.byref(one._raw), level)
        if not total.slots:
            total.ratio[:] = [abi.RATIO_NONE] * abi.MAX_NODES
        return cls(total)

    @property
    def raw(self) -> abi.Figures:
        """A copy of struct topdown_figures."""
        return abi.Figures.from_buffer_copy(self._raw)

    enabled_ns = number(
        "enabled_ns", "All the time of the span, in ns; of a sum over CPUs their times are added.")
    running_ns = number("running_ns",
                        "The part of `enabled_ns` in which slots were counted, in ns.")

    @property
    def running(self) -> float:
        """The share of the time that was measured, 0.0 to 1.0; NaN for no time."""
        return self.running_ns / self.enabled_ns if self.enabled_ns else math.nan

    slots = number("slots", "Slots counted, not scaled up to `enabled_ns`.")
    cycles = number("cycles",
                    "Cycles in which the CPU was not halted; 0 if they were not counted.")
    instructions = number("instructions", "Instructions that retired in `cycles`.")

    @property
    def ipc(self) -> float:
        """Instructions per cycle; NaN if cycles were not counted."""
        return float(library.ask("topdown_figures_ipc", ctypes.byref(self._raw)))

    busy_ns = number("busy_ns",
                     "The part of `enabled_ns` in which the CPU was not idle, in ns; 0 for tasks.")

    def busy(self, time_ns: int) -> float:
        """The share of a time in which CPUs were not idle, 0.0 to 1.0; NaN for no time.

        :param time_ns: length of the span in ns; for a sum that of its CPUs added up
        """
        return float(library.ask("topdown_figures_busy", ctypes.byref(self._raw), time_ns))

    def has(self, which: NodeLike) -> bool:
        """Whether the node was counted, all the time.

        :raises KeyError: no node has this name or number
        """
        return bool(library.ask("topdown_figures_has", ctypes.byref(self._raw),
                                node(which).number))

    def ratio(self, which: NodeLike) -> float:
        """The slots of a node over all slots, 0.0 to 1.0; NaN if `has()` says no.

        :raises KeyError: no node has this name or number
        """
        return float(library.ask("topdown_figures_ratio", ctypes.byref(self._raw),
                                 node(which).number))

    def slots_of(self, which: NodeLike) -> Optional[int]:
        """The slots of a node; None if `has()` says no.

        :raises KeyError: no node has this name or number
        """
        return int(self._raw.node[node(which).number]) if self.has(which) else None

    def children_slots(self, which: NodeLike) -> int:
        """The part of `slots` in which the children of a level 1 node were counted.

        :raises KeyError: there is no such node, or it cannot have children
        """
        number = node(which).number
        if number >= _PARENTS:
            raise KeyError(which)
        return int(self._raw.children_slots[number])

    @property
    def ratios(self) -> Dict[str, float]:
        """The ratio of each node that has one, 0.0 to 1.0, by the names of the nodes."""
        return {one.name: self.ratio(one) for one in nodes() if self.has(one)}

    def as_dict(self) -> Dict[str, Any]:
        """All as numbers, with the keys of ``topdown stat -j``; None for what there is not."""
        return {"running": _number(self.running), "enabled_ns": self.enabled_ns,
                "running_ns": self.running_ns, "slots": self.slots,
                **{one.name: _number(self.ratio(one)) for one in nodes()},
                "cycles": self.cycles, "instructions": self.instructions,
                "ipc": _number(self.ipc)}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Figures):
            return NotImplemented
        return bytes(self._raw) == bytes(other._raw)

    def __hash__(self) -> int:
        return hash(bytes(self._raw))

    def __repr__(self) -> str:
        ratios = ", ".join(f"{name} {ratio:.1%}" for name, ratio in self.ratios.items())
        return f"<Figures: {self.slots:,} slots{', ' if ratios else ''}{ratios}>"


def _number(value: float) -> Optional[float]:
    return None if math.isnan(value) else value
