# SPDX-License-Identifier: MIT
"""The pytest plugin: ``--cured-compare before.cured``, and the fixture of that name."""
from __future__ import annotations

import os
from typing import Any, Callable, Iterator

import pytest

from ._result import Result, load
from ._verbs import compare


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("cured").addoption(
        "--cured-compare", action="append", default=[], metavar="FILE",
        help="fail tests whose result is slower than in FILE, beyond the noise; may be repeated")


@pytest.fixture
def cured_compare(request: pytest.FixtureRequest) -> Callable[..., Result]:
    """Compares a result with that of its kernel among the files of ``--cured-compare``, and
    fails the test where a cell is worse by more than the noise, or not ok any more. Without
    such a file, nothing is compared. Returns the result."""

    def check(result: Result | str | os.PathLike[str], *, metric: str | None = None) -> Result:
        if not isinstance(result, Result):
            result = load(result)
        for path in request.config.getoption("--cured-compare"):
            before = load(path)
            if before.kernel != result.kernel:
                continue
            comparison = compare(before, result, metric=metric)
            if comparison.failing:
                pytest.fail("\n".join(_describe(comparison.report, result.kernel, path)),
                            pytrace=False)
        return result

    return check


def _describe(report: dict[str, Any], kernel: str, path: str) -> Iterator[str]:
    failing = [cell for cell in report["cells"] if cell["failing"]]
    yield f"{kernel} is worse than in {path} in {len(failing)} of {len(report['cells'])} cells:"
    for cell in failing[:10]:
        where = " ".join(f"{name}={value}" for name, value in cell["values"].items())
        if cell["ratio"] is None:
            yield f"  {where}: {report['metric']} {cell['a']}, not ok now"
        else:
            yield (f"  {where}: {report['metric']} {cell['a']:.6g} → {cell['b']:.6g} "
                   f"{report['unit']} ({cell['ratio'] - 1:+.1%})".replace("  (", " ("))
    if len(failing) > 10:
        yield f"  and {len(failing) - 10} more"
