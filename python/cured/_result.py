# SPDX-License-Identifier: MIT
"""Result files."""
from __future__ import annotations

import functools
import html
import math
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import Any, Mapping

from ._command import Error, run, run_json
from ._table import make_table

SQLITE = b"SQLite format 3\0"

# Which knows tables that are STRICT.
SQLITE_NEEDED = (3, 37, 0)


def _as_options(**options: str | None) -> list[str]:
    return [f"--{name}={value}" for name, value in options.items() if value is not None]


def _at_options(at: Mapping[str, Any] | None) -> list[str]:
    return [f"--at={name}={value}" for name, value in (at or {}).items()]


class Result:
    """A result file. It is read once: ``load()`` reads it anew."""

    def __init__(self, path: str | os.PathLike[str], *, _folder: Any = None) -> None:
        self.path = Path(path).absolute()
        self._folder = _folder  # a temporary one, which goes with this object
        # Whatever is wrong with the file is said now.
        self._facts: dict[str, Any] = run_json("show", "--list", "--json", str(self.path))

    @functools.cached_property
    def _export(self) -> dict[str, Any]:
        exported: dict[str, Any] = run_json("export", str(self.path), "-f", "json", "-o", "-")
        return exported

    @property
    def kernel(self) -> str:
        """The kernel's id."""
        return str(self._export["kernel"]["id"])

    @property
    def title(self) -> str:
        return str(self._export["kernel"]["title"])

    @property
    def source(self) -> str:
        """The kernel file; empty in imported results."""
        return str(self._export["kernel"]["source"])

    @property
    def device(self) -> dict[str, Any]:
        """The device: its ``name``, ``driver``, ``compiler``, ``host``, ``limits`` …"""
        device: dict[str, Any] = self._export["device"]
        return device

    @property
    def parameters(self) -> dict[str, list[Any]]:
        """The values of each parameter."""
        return {axis["name"]: list(axis.get("names") or axis["values"])
                for axis in self._export["axes"]}

    @property
    def metrics(self) -> dict[str, str]:
        """The unit of each metric that the file has."""
        return {metric["id"]: metric["unit"] for metric in self._facts["metrics"]}

    @property
    def is_finished(self) -> bool:
        """Whether every cell was run that can be."""
        return bool(self._export["finished"])

    def _name_columns(self, taken: set[str]) -> list[str]:
        # As the view “cells” of the file has it.
        names = []
        for axis in self._export["axes"]:
            name = axis["name"]
            while name.lower() in taken:
                name += "_"
            taken.add(name.lower())
            names.append(name)
        return names

    def _get_cells(self) -> dict[str, list[Any]]:
        metrics = [metric["id"] for metric in self._export["metrics"]]
        texts = {metric["id"] for metric in self._export["metrics"] if metric["unit"] == "limit"}
        axes = self._export["axes"]
        names = self._name_columns({"cell", "state", "reason", *(m.lower() for m in metrics)})
        words = [dict(zip(axis["values"], axis["names"])) if axis.get("names") else {}
                 for axis in axes]
        columns: dict[str, list[Any]] = {
            name: [] for name in (*names, "state", "reason", *metrics)}
        for cell in self._export["cells"]:
            if cell["state"] == "not run":
                continue
            for axis, name, named in zip(axes, names, words):
                value = cell["parameters"][axis["name"]]
                columns[name].append(named.get(value, value))
            columns["state"].append(cell["state"])
            columns["reason"].append(cell["reason"])
            for metric in metrics:
                value = cell["metrics"].get(metric)
                if metric not in texts:
                    value = math.nan if value is None else float(value)
                columns[metric].append(value)
        return columns

    def _get_samples(self) -> dict[str, list[Any]]:
        axes = self._export["axes"]
        own = ("mode", "number", "time_ns", "sm_clock_hz", "throttled", "round")
        names = self._name_columns({"cell", *own})
        if sqlite3.sqlite_version_info < SQLITE_NEEDED:
            raise Error(f"samples need a Python with SQLite 3.37; here it is "
                        f"{sqlite3.sqlite_version}")
        # Closed by hand: sqlite3's own “with” is about transactions.
        file = sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)
        try:
            # Of a stranger's file, tables alone are read.
            if file.execute("SELECT type FROM sqlite_master WHERE name = 'sample'"
                            ).fetchall() != [("table",)]:
                raise Error(f"“{self.path}” has no table of samples")
            rows = file.execute(f"SELECT cell, {', '.join(own)} FROM sample"
                                " ORDER BY cell, mode, number").fetchall()
        finally:
            file.close()
        columns: dict[str, list[Any]] = {}
        stride = 1
        for axis, name in reversed(list(zip(axes, names))):
            values = axis.get("names") or axis["values"]
            columns[name] = [values[row[0] // stride % len(values)] for row in rows]
            stride *= len(values)
        columns = dict(reversed(columns.items()))
        for i, name in enumerate(own, 1):
            columns[name] = [row[i] for row in rows]
        columns["sm_clock_hz"] = [math.nan if clock is None else clock
                                  for clock in columns["sm_clock_hz"]]
        columns["throttled"] = [bool(value) for value in columns["throttled"]]
        return columns

    @functools.cached_property
    def cells(self) -> Any:
        """A row for each cell that was run: its parameters, ``state``, ``reason`` and metrics,
        as a data frame of pandas or polars, a record array of NumPy, or a list of
        dictionaries, by what is installed, in this order."""
        return make_table(self._get_cells())

    @functools.cached_property
    def samples(self) -> Any:
        """A row for each sample, with the parameters of its cell."""
        return make_table(self._get_samples())

    def to_pandas(self, *, samples: bool = False) -> Any:
        """``cells``, or ``samples``, of pandas."""
        return make_table(self._get_samples() if samples else self._get_cells(), "pandas")

    def to_polars(self, *, samples: bool = False) -> Any:
        """``cells``, or ``samples``, of polars."""
        return make_table(self._get_samples() if samples else self._get_cells(), "polars")

    def to_numpy(self, *, samples: bool = False) -> Any:
        """``cells``, or ``samples``, of NumPy."""
        return make_table(self._get_samples() if samples else self._get_cells(), "numpy")

    def best(self, metric: str | None = None, top: int | None = None) -> Any:
        """The best cell: its parameters and the metric; or a list of the ``top`` best ones.

        None where no cell has the metric."""
        metric = metric or self._get_map()["metric"]["id"]
        found = [{**cell["values"], metric: cell["value"]} for cell in
                 run_json("show", str(self.path), "--json", f"--top={top or 1}",
                          f"--metric={metric}")]
        if top is not None:
            return found
        return found[0] if found else None

    def _get_map(self, metric: str | None = None, x: str | None = None, y: str | None = None,
                 at: Mapping[str, Any] | None = None) -> dict[str, Any]:
        seen: dict[str, Any] = run_json("show", str(self.path), "--json",
                                        *_as_options(metric=metric, x=x, y=y), *_at_options(at))
        return seen

    def plot(self, metric: str | None = None, *, x: str | None = None, y: str | None = None,
             at: Mapping[str, Any] | None = None, ax: Any = None, **style: Any) -> Any:
        """Draws the map, or the line where one parameter varies, on matplotlib's axes, which
        are made unless given, and returns them. ``style`` is for ``pcolormesh`` or ``plot``."""
        from ._plot import draw

        return draw(self._get_map(metric, x, y, at), ax, style)

    def export(self, path: str | os.PathLike[str], *, format: str | None = None,
               metric: str | None = None, x: str | None = None, y: str | None = None,
               at: Mapping[str, Any] | None = None, dark: bool = False) -> Path:
        """Writes a picture (png, svg, pdf), a table (csv, tsv, json, md) or a page (html)."""
        run("export", str(self.path), "-o", os.fspath(path), *(["--dark"] if dark else []),
            *_as_options(format=format, metric=metric, x=x, y=y), *_at_options(at))
        return Path(path)

    def _repr_html_(self) -> str:
        try:
            page = run("export", str(self.path), "-f", "html", "-o", "-").decode()
        except Error as error:
            return f"<pre>{html.escape(repr(self))}\n{html.escape(str(error))}</pre>"
        # The page loads nothing, and its scripts reach nothing of the notebook.
        return (f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
                'style="width: 100%; height: 44em; border: 0"></iframe>')

    def __repr__(self) -> str:
        known = sum(1 for cell in self._export["cells"] if cell["state"] != "not run")
        return (f"<cured.Result {self.kernel} on {self.device['name'] or 'an unknown device'}: "
                f"{known} cells, {self.path}>")


def load(path: str | os.PathLike[str], *, benchmark: str | None = None,
         device: str | None = None) -> Result:
    """Opens a result file, or imports another program's (``cured import``) into a temporary
    file, which goes with the result.

    ``benchmark`` and ``device`` choose one of several in an imported file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            is_own = path.suffix == ".cured" or file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise Error(f"“{path}”: {error.strerror}") from error
    if is_own:
        return Result(path)
    folder = tempfile.TemporaryDirectory(prefix="cured-")
    target = Path(folder.name) / f"{path.name.split('.')[0] or 'imported'}.cured"
    made = run_json("import", str(path), "-o", str(target), "--json",
                    *_as_options(benchmark=benchmark, device=device))["files"]
    if len(made) != 1:
        raise Error(f"“{path}” has several: name one with benchmark= or device=: "
                    + ", ".join(f"{file['title']} ({file['device']})" for file in made))
    return Result(made[0]["path"], _folder=folder)
