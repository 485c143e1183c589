# SPDX-License-Identifier: MIT
"""Sweeps, predictions, checks, banks and comparisons: a function for each verb."""
from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Union

from ._command import EXIT_FINDING, EXIT_OK, Error, follow, run, run_json
from ._kernel import Kernel, is_ptx, split_keywords
from ._result import Result
from ._table import make_table

#: A parameter's values: a number, numbers, or an axis as the command has it, “4..32:4”.
Axis = Union[int, str, Iterable[Union[int, str]]]


def _write_axis(values: Any) -> str:
    if isinstance(values, str):
        return values
    if hasattr(values, "__iter__"):
        return ",".join(_write_axis(value) for value in values)
    return str(int(values))


def _write_options(options: Mapping[str, Any] | None) -> list[str]:
    words: list[str] = []
    for name, value in (options or {}).items():
        option = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words.append(f"{option}={one}")
    return words


def _write_kernel(kernel: Any, axes: Mapping[str, Axis] | None,
                  parameters: dict[str, Any]) -> tuple[Any, list[str]]:
    """The kernel, to be kept until the command ends, and the command's words."""
    kept, parameters = split_keywords(kernel, parameters)
    name = str(kept.path) if isinstance(kept, (Kernel, Result)) else os.fspath(kept)
    every = {**(axes or {}), **parameters}
    return kept, [name, *(f"--parameter={key}={_write_axis(value)}"
                          for key, value in every.items())]


class _Progress:
    """A bar of tqdm's where that is installed, else a line on a terminal."""

    def __init__(self, wanted: bool | Callable[[dict[str, Any]], None]) -> None:
        self.tell = wanted if callable(wanted) else None
        self.is_shown = wanted is True
        self.bar: Any = None
        self.has_line = False

    def _open(self, cells: int) -> None:
        if self.bar is None and importlib.util.find_spec("tqdm") is not None:
            with warnings.catch_warnings():
                # Of notebooks without widgets: the bar is text there.
                warnings.simplefilter("ignore")
                tqdm = importlib.import_module("tqdm.auto").tqdm
            self.bar = tqdm(total=cells, unit="cell")

    def report(self, progress: dict[str, Any]) -> None:
        if self.tell is not None:
            self.tell(progress)
        if not self.is_shown:
            return
        self._open(progress["cells"])
        best = f"best {progress['best_ns'] / 1000:.4g} µs" if progress["best_ns"] else ""
        if self.bar is not None:
            self.bar.total = progress["cells"]
            self.bar.set_postfix_str(f"{best} at {progress['best']}" if best else "",
                                     refresh=False)
            self.bar.update(progress["done"] - self.bar.n)
        elif sys.stderr.isatty():
            print(f"\r{progress['done']}/{progress['cells']} {best}\33[K", end="",
                  file=sys.stderr, flush=True)
            self.has_line = True

    def say(self, message: str) -> None:
        if self.is_shown:
            self.close()
            print(message, file=sys.stderr)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        if self.has_line:
            print(file=sys.stderr)
            self.has_line = False


def _run_sweep(words: list[str], progress: bool | Callable[[dict[str, Any]], None]) -> Result:
    shown = _Progress(progress)
    try:
        return Result(follow(words, shown.report, shown.say))
    finally:
        shown.close()


def sweep(kernel: Any, axes: Mapping[str, Axis] | None = None, *, device: str | None = None,
          output: str | os.PathLike[str] | None = None, force: bool = False,
          progress: bool | Callable[[dict[str, Any]], None] = True,
          options: Mapping[str, Any] | None = None, **parameters: Any) -> Result:
    """Runs a kernel over its parameters and returns the result.

    ``kernel`` is the name of one that comes with Cured, a file, its text, or a function of
    Triton or Numba, which the keywords of ``cured.kernel`` describe. All other keywords are
    parameters, with a value, several, or an axis in the command's form: ``tile=range(4, 33, 4)``,
    ``n="2^10..2^14"``. Parameters that a keyword cannot name are in ``axes``. Without any, it is
    the kernel file's own sweep.

    A result file in the kernel's place is continued: the cells that it lacks run.

    ``device`` is cuda:0 unless given; ``emulator`` needs no GPU and counts. ``options`` are those
    of ``cured run``: ``{"rounds": 2, "no_check": True}``. ``progress`` may be a function of a
    dictionary with ``done``, ``cells``, ``fraction``, ``left_s`` and ``best``. Ctrl+C raises
    ``Stopped``, whose ``path`` has all finished cells."""
    words = _write_options({"device": device, "force": force, **(options or {})})
    if isinstance(kernel, Result) or (isinstance(kernel, (str, os.PathLike))
                                      and os.fspath(kernel).endswith(".cured")):
        if axes or parameters or output is not None:
            raise Error("a result file continues as it began: leave out parameters and output=")
        path = kernel.path if isinstance(kernel, Result) else Path(kernel)
        return _run_sweep(["run", "--resume", str(path), *words], progress)
    kept, named = _write_kernel(kernel, axes, parameters)
    if len(named) == 1 and not {"sweep", "best", "preset"} & (options or {}).keys():
        words.append("--sweep")
    if output is not None:
        words.append(f"--output={os.fspath(output)}")
    return _run_sweep(["run", *named, *words], progress)


def predict(kernel: Any, axes: Mapping[str, Axis] | None = None, *, chip: str | None = None,
            output: str | os.PathLike[str] | None = None, force: bool = False,
            progress: bool | Callable[[dict[str, Any]], None] = True,
            options: Mapping[str, Any] | None = None, **parameters: Any) -> Result:
    """Predicts a kernel's times for a chip that is not there, h200 unless given; otherwise as
    ``sweep``. The metric is ``predicted_time``."""
    kept, named = _write_kernel(kernel, axes, parameters)
    words = _write_options({"for": chip, "force": force, **(options or {})})
    if output is not None:
        words.append(f"--output={os.fspath(output)}")
    return _run_sweep(["predict", *named, *words], progress)


class Check:
    """The findings of ``check``; true where all is well."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report
        self.passed = bool(report["ok"])
        self.device = str(report["device"])
        #: Each finding of each kernel: its ``kind``, ``object``, ``count``, ``here`` …
        self.findings: list[dict[str, Any]] = [
            {"kernel": kernel["kernel"], **finding}
            for kernel in report["kernels"] for finding in kernel["findings"]]

    @property
    def cells(self) -> Any:
        """A row for each problem that was run, as ``Result.cells``."""
        rows = [{"kernel": kernel["kernel"], **cell["values"], "state": cell["state"],
                 "reason": cell["reason"], **cell["metrics"]}
                for kernel in self.report["kernels"] for cell in kernel["cells"]]
        names = dict.fromkeys(name for row in rows for name in row)
        return make_table({name: [row.get(name) for row in rows] for name in names})

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        lines = []
        for kernel in self.report["kernels"]:
            states = [cell["state"] for cell in kernel["cells"]]
            lines.append(f"{kernel['kernel']}: {'ok' if kernel['ok'] else 'not ok'}, "
                         f"{states.count('ok')} of {len(states)} cells correct")
            lines += [f"  {_describe(finding)}" for finding in kernel["findings"]]
        return "\n".join(lines)


def _describe(finding: dict[str, Any]) -> str:
    here = finding.get("here") or {}
    words = [finding["kind"], finding.get("object") or "", f"{finding['count']} times",
             f"{here['file']}:{here['line']}" if here.get("file") else "",
             finding.get("detail") or "", "declared" if finding.get("declared") else ""]
    return ", ".join(word for word in words if word)


def check(kernel: Any, axes: Mapping[str, Axis] | None = None, *, device: str | None = None,
          options: Mapping[str, Any] | None = None, **parameters: Any) -> Check:
    """Runs a kernel on small problems on the emulator, compares the results, and looks for
    races, misused barriers, stray accesses and reads of what nobody wrote. No GPU is needed.

    ``kernel`` and its keywords are as for ``sweep``."""
    kept, named = _write_kernel(kernel, axes, parameters)
    return Check(run_json("check", *named, "--json", *_write_options({"device": device,
                                                                      **(options or {})}),
                          expected=(EXIT_OK, EXIT_FINDING)))


class Banks:
    """One access of a warp to shared memory: an array of lanes × banks, in which a lane's
    wavefront is in the columns of its banks, and -1 elsewhere; in a notebook, its picture."""

    def __init__(self, picture: dict[str, Any], svg: bytes) -> None:
        self.picture = picture
        self.wavefronts = int(picture["wavefronts"])
        self.least = int(picture["least"])
        self.conflicts = int(picture["conflicts"])
        #: The instructions that accessed shared memory; of a kernel alone.
        self.sites: list[dict[str, Any]] = picture.get("sites") or []
        self._svg = svg

    def tolist(self) -> list[list[int]]:
        lanes = [[-1] * self.picture["banks"] for _ in self.picture["addresses"]]
        for served in self.picture["served"]:
            lanes[served["lane"]][served["bank"]] = served["wavefront"]
        return lanes

    @property
    def array(self) -> Any:
        """The array, of NumPy where that is installed."""
        if importlib.util.find_spec("numpy") is None:
            return self.tolist()
        return self.__array__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return importlib.import_module("numpy").array(self.tolist(), dtype=dtype)

    def _repr_svg_(self) -> str:
        return self._svg.decode()

    def __repr__(self) -> str:
        return (f"<cured.Banks: {self.wavefronts} wavefronts of at least {self.least}, "
                f"{self.conflicts} conflicts>")


def banks(kernel: Any = None, *, stride: int | None = None, site: int | None = None,
          options: Mapping[str, Any] | None = None, **parameters: Any) -> Banks:
    """The worst access of a kernel's warp to shared memory, or that of instruction ``site``; or
    an access of lanes that are ``stride`` elements apart. No GPU is needed.

    ``kernel`` and its keywords are as for ``sweep``; ``options`` are those of ``cured banks``:
    ``{"warp": 1, "width": 8}``."""
    if (kernel is None) == (stride is None):
        raise Error("expected a kernel, or stride=, the elements from one lane to the next")
    kept, named = _write_kernel(kernel, None, parameters) if kernel is not None else (None, [])
    words = ["banks", *named, *_write_options({"stride": stride, "site": site,
                                               **(options or {})}), "--output=-"]
    picture = run_json(*words, "--format=json")["pictures"][0]
    return Banks(picture, run(*words, "--format=svg"))


def header(source: str | os.PathLike[str]) -> str:
    """Drafts the header of a CUDA or PTX file, or of its text."""
    if not isinstance(source, str) or "\n" not in source:
        return run("header", os.fspath(source)).decode()
    with tempfile.TemporaryDirectory(prefix="cured-") as folder:
        path = Path(folder) / f"kernel.{'ptx' if is_ptx(source) else 'cu'}"
        path.write_text(source, encoding="utf-8")
        return run("header", str(path)).decode()


class Comparison:
    """The answer of ``compare``: ``verdicts`` counts cells by verdict, ``cells`` has them."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report
        self.metric = str(report["metric"])
        self.verdicts: dict[str, int] = report["verdicts"]
        #: Cells of B that are worse by more than ``fail_on``, and significantly so, or not ok
        #: any more.
        self.failing: list[dict[str, Any]] = [cell for cell in report["cells"]
                                              if cell["failing"]]

    @property
    def cells(self) -> Any:
        """A row for each pair of cells, as ``Result.cells``."""
        rows = [{**cell["values"], **{key: cell[key] for key in
                                      ("a", "b", "ratio", "significance", "verdict")}}
                for cell in self.report["cells"]]
        names = dict.fromkeys(name for row in rows for name in row)
        return make_table({name: [row.get(name) for row in rows] for name in names})

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.items()
                           if count)
        return f"<cured.Comparison by {self.metric}: {counts}>"


def compare(a: Result | str | os.PathLike[str], b: Result | str | os.PathLike[str], *,
            metric: str | None = None, fail_on: float | str = 0,
            options: Mapping[str, Any] | None = None) -> Comparison:
    """Compares two results cell by cell, by time unless ``metric`` says otherwise.

    A cell is better or worse where the change is half a percent at least, and beyond the
    noise of both. ``fail_on`` is a percentage."""
    paths = [str(one.path) if isinstance(one, Result) else os.fspath(one) for one in (a, b)]
    return Comparison(run_json("compare", *paths, "--json",
                               *_write_options({"metric": metric, "fail_on": str(fail_on),
                                                **(options or {})}),
                               expected=(EXIT_OK, EXIT_FINDING)))
