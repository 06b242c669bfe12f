# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures as rows of numpy and as frames of pandas, where these are installed."""
from __future__ import annotations

from typing import Any, Iterable, Union

from .figures import Figures
from .nodes import nodes
from .reading import Span
from .recording import Recording

#: Whole numbers, which a float would not hold in full.
_COUNTS = ("enabled_ns", "running_ns", "slots", "cycles", "instructions")
_SHARES = ("running", "ipc")


def dtype() -> Any:
    """The numpy dtype of a row of figures.

    ``enabled_ns``, ``running_ns``, ``slots``, ``cycles`` and ``instructions`` are uint64, the
    rest are float64, and NaN where there is nothing: ``running`` (0.0 to 1.0), ``ipc``, and the
    ratio of each node (0.0 to 1.0) by its name.

    :raises ImportError: there is no numpy
    """
    import numpy
    return numpy.dtype([(name, numpy.uint64) for name in _COUNTS]
                       + [(name, numpy.float64) for name in _SHARES]
                       + [(one.name, numpy.float64) for one in nodes()])


def rows(figures: Iterable[Figures]) -> Any:
    """A numpy array with a row for each `Figures`, of type `dtype()`.

    ``rows(...)["tma_retiring"]`` is a column.  Counts are exact.

    :raises ImportError: there is no numpy
    """
    import numpy
    return numpy.array([tuple(getattr(one, name) for name in _COUNTS + _SHARES)
                        + tuple(one.ratio(node) for node in nodes())
                        for one in figures], dtype=dtype())


def frame(items: Union[Span, Recording, Iterable[Any]]) -> Any:
    """A pandas DataFrame with a row for each item and a column for each key.

    Ratios and shares are float64, with NaN where there is nothing; ``cpu`` is Int64, and
    missing for a sum.

    :param items: a `Span` or a `Recording`; or several of what has ``as_dict()``: figures,
        records, windows, readings of sessions and of regions; or dicts
    :raises ImportError: there is no pandas
    """
    import pandas
    found: Iterable[Any] = items.as_dicts() if isinstance(items, (Span, Recording)) else items
    result = pandas.DataFrame([one if isinstance(one, dict) else one.as_dict() for one in found])
    # A column of which nothing is known would be one of objects otherwise.
    types = {"cpu": "Int64", "busy": float, **{name: float for name in _SHARES},
             **{one.name: float for one in nodes()}}
    return result.astype({name: kind for name, kind in types.items() if name in result})
