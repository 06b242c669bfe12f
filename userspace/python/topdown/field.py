# SPDX-License-Identifier: LGPL-2.1-or-later
"""Attributes that are fields of a C structure, which the object has as ``_raw``."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Generic, Optional, TypeVar

from . import library, nodes

T = TypeVar("T")


class Field(property, Generic[T]):
    """A field, as a property that cannot be set."""

    def __init__(self, name: str, of: Callable[[Any], T], text: str) -> None:
        """
        :param name: name of the field in C
        :param of: makes the value
        :param text: what it is
        """
        super().__init__(lambda instance: of(getattr(instance._raw, name)))
        # Otherwise it is that of the class.
        self.__doc__ = text

    if TYPE_CHECKING:
        def __get__(self, instance: Any, owner: Optional[type] = None) -> T:
            raise NotImplementedError


def number(name: str, text: str) -> Field[int]:
    """A number."""
    return Field(name, int, text)


def word(name: str, function: str, text: str) -> Field[str]:
    """A number that a function of the library has a name for."""
    return Field(name, lambda value: library.text(function, value), text)


def string(name: str, text: str) -> Field[str]:
    """Characters."""
    return Field(name, lambda value: bytes(value).decode(errors="replace"), text)


def names(name: str, text: str) -> Field[frozenset[str]]:
    """A mask of nodes."""
    return Field(name, nodes.of_mask, text)
