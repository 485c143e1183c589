# SPDX-License-Identifier: MIT
"""CUDA kernels timed over their parameters, checked and explained, from Python.

Each function runs the command ``cured``, and raises its refusals as ``Error``.

    import cured

    cured.check("mine.cu")                                  # races, bounds; no GPU
    result = cured.sweep("matmul/tiled", tile=range(4, 33, 4), device="cuda:0")
    result.best(), result.cells                             # a data frame
    result                                                  # in a notebook: its map
"""
from ._command import Error, Stopped, find_program, version
from ._kernel import Kernel, kernel
from ._result import Result, load
from ._verbs import Banks, Check, Comparison, banks, check, compare, header, predict, sweep

__version__ = version()

__all__ = [
    "Banks",
    "Check",
    "Comparison",
    "Error",
    "Kernel",
    "Result",
    "Stopped",
    "banks",
    "check",
    "compare",
    "find_program",
    "header",
    "kernel",
    "load",
    "predict",
    "sweep",
]
