# SPDX-License-Identifier: LGPL-2.1-or-later
"""The nodes of the Top-Down tree, as the library names them."""
from __future__ import annotations

from errno import ENOENT
from functools import lru_cache
from typing import NamedTuple, Optional, Tuple, Union

from . import abi, library


class Node(NamedTuple):
    """A node: `tma_retiring`, `tma_fetch_latency`, ..."""
    #: Its number, for ever: enum topdown_node.
    number: int
    #: Its name, which perf and the TMA method use too.
    name: str
    #: 1 or 2.
    level: int
    #: The name of the level 1 node that it is a child of; None for level 1.
    parent: Optional[str]

    def __str__(self) -> str:
        return self.name


#: A node, its name with or without "tma_", or its number.
NodeLike = Union[Node, str, int]


@lru_cache(maxsize=None)
def nodes() -> Tuple[Node, ...]:
    """All nodes that the library knows, in the order of their numbers."""
    found = []
    for number in range(abi.MAX_NODES):
        name = library.ask("topdown_node_name", number)
        if name is None:
            continue
        parent = library.ask("topdown_node_parent", number)
        found.append(Node(number, name.decode(), library.ask("topdown_node_level", number),
                          library.text("topdown_node_name", parent) if parent >= 0 else None))
    return tuple(found)


def node(which: NodeLike) -> Node:
    """The node of this name or number.

    :raises KeyError: there is none
    """
    if isinstance(which, Node):
        return which
    if isinstance(which, str):
        number: int = library.ask("topdown_node_by_name", which.encode())
        if number == -ENOENT:
            raise KeyError(which)
    else:
        number = which
    for one in nodes():
        if one.number == number:
            return one
    raise KeyError(which)


def of_mask(mask: int) -> frozenset[str]:
    """The names of the nodes in a mask: bit n for node n.  Unknown ones are left out."""
    return frozenset(one.name for one in nodes() if mask >> one.number & 1)
