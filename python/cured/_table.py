# SPDX-License-Identifier: MIT
"""Columns as a table of pandas, polars or NumPy, whichever is installed."""
from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Mapping

KINDS = ("pandas", "polars", "numpy")


def find_kind() -> str | None:
    return next((kind for kind in KINDS if importlib.util.find_spec(kind) is not None), None)


def _make_array(numpy: Any, values: list[Any]) -> Any:
    if values and all(isinstance(value, int) for value in values):
        try:
            return numpy.array(values, dtype=numpy.int64)
        except OverflowError:
            pass
    elif values and all(isinstance(value, float) for value in values):
        return numpy.array(values, dtype=numpy.float64)
    array = numpy.empty(len(values), dtype=object)
    array[:] = values
    return array


def make_table(columns: Mapping[str, list[Any]], kind: str | None = None) -> Any:
    """A data frame, a record array, or, where none of the three is installed, a list of
    dictionaries."""
    kind = kind or find_kind()
    if kind is None:
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    module: Any = importlib.import_module(kind)
    if kind == "numpy":
        return module.rec.fromarrays([_make_array(module, values) for values in columns.values()],
                                     names=list(columns))
    return module.DataFrame(dict(columns))
