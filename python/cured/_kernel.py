# SPDX-License-Identifier: MIT
"""Kernels: files, texts, and functions of Triton and Numba as their compilers made them."""
from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Mapping, Union

from ._command import Error, run

#: Groups of a header, with their keys.
Header = Union[str, Mapping[str, Mapping[str, Any]]]

CAPABILITY = 90

# What “cured header --triton” reads of Triton's metadata, and the version.
TRITON_METADATA = ("name", "num_warps", "num_ctas", "shared", "global_scratch_size",
                   "global_scratch_align", "profile_scratch_size", "profile_scratch_align",
                   "tmem_size", "triton_version")


class Kernel:
    """A kernel file in a folder that goes with this object: ``path``, its ``source``, and the
    ``header`` beside PTX."""

    def __init__(self, path: Path, folder: Any = None) -> None:
        self.path = path
        self._folder = folder

    @property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def header(self) -> str:
        beside = Path(f"{self.path}.kernel")
        return beside.read_text(encoding="utf-8") if beside.exists() else ""

    def __repr__(self) -> str:
        return f"<cured.Kernel {self.path.name}>"


# -- Triton and Numba ---------------------------------------------------------------------------


def compile_triton(function: Any, signature: str | Mapping[str, str],
                   constants: Mapping[str, Any] | None = None, *,
                   capability: int = CAPABILITY, **options: Any) -> Any:
    """Has Triton compile a function for a chip that need not be there, with pointers of
    buffers as aligned as an allocation is; returns Triton's compiled kernel.

    ``signature`` has the types of all arguments that are no ``constants``: ``"*fp32 i32"``, or
    by name."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    constants = dict(constants or {})
    names = [name for name in function.arg_names if name not in constants]
    if isinstance(signature, str):
        types = signature.split()
        if len(types) != len(names):
            raise Error(f"signature={signature!r} has {len(types)} types; expected one for each "
                        f"of {', '.join(names)}")
        signature = dict(zip(names, types))
    whole = {name: "constexpr" if name in constants else signature[name]
             for name in function.arg_names}
    divisible = {(i,): [["tt.divisibility", 16]]
                 for i, name in enumerate(function.arg_names) if whole[name].startswith("*")}
    return triton.compile(ASTSource(function, whole, constants, divisible),
                          target=GPUTarget("cuda", capability, 32), options=options)


def get_triton_metadata(compiled: Any) -> dict[str, Any]:
    """What Triton tells of a compiled kernel, as far as it matters here."""
    metadata = compiled.metadata._asdict()
    return {key: metadata[key] for key in TRITON_METADATA if key in metadata}


def compile_numba(function: Any, signature: Any, *, capability: int = CAPABILITY) -> str:
    """Has Numba compile a function to PTX, with the lines of its source."""
    cuda: Any = importlib.import_module("numba.cuda")
    sigutils: Any = importlib.import_module("numba.core.sigutils")

    arguments, _ = sigutils.normalize_signature(signature)
    ptx, _ = cuda.compile_ptx(function, arguments, lineinfo=True,
                              cc=(capability // 10, capability % 10))
    return str(ptx)


def _draft_triton(compiled: Any, folder: Path, source: Any) -> tuple[Path, str]:
    """As files of Triton's cache, from which the header is drafted."""
    metadata = get_triton_metadata(compiled)
    name = metadata["name"]
    cache = folder / "cache" / "kernel"
    cache.mkdir(parents=True)
    (cache / f"{name}.json").write_text(json.dumps(metadata), encoding="utf-8")
    for kind in ("ttir", "ptx"):
        (cache / f"{name}.{kind}").write_text(compiled.asm[kind], encoding="utf-8")
    path = folder / f"{name}.ptx"
    path.write_text(compiled.asm["ptx"], encoding="utf-8")
    _copy_source(source, folder)
    return path, run("header", "--triton", str(folder / "cache"), "-k", name).decode()


def _draft_numba(function: Any, ptx: str, folder: Path) -> tuple[Path, str]:
    path = folder / f"{function.__name__}.ptx"
    path.write_text(ptx, encoding="utf-8")
    _copy_source(function, folder)
    return path, run("header", str(path)).decode()


def _copy_source(function: Any, folder: Path) -> None:
    """Lines are shown where the file lies beside the PTX."""
    try:
        file = inspect.getsourcefile(function)
    except TypeError:
        return
    if file is not None and os.path.exists(file):
        shutil.copy(file, folder)


# -- Headers ------------------------------------------------------------------------------------


def amend_header(text: str, groups: Mapping[str, Mapping[str, Any]]) -> str:
    """The bare groups of a header, with keys replaced or added."""
    found: dict[str, dict[str, str]] = {}
    group: dict[str, str] = {}
    for line in text.splitlines():
        line = re.sub(r"^\s*(/\*! cured|\*/|\* ?)", "", line).strip()
        if line.startswith("["):
            group = found.setdefault(line.strip("[]"), {})
        elif "=" in line:
            key, _, value = line.partition("=")
            group[key] = value
    for name, keys in groups.items():
        found.setdefault(name, {}).update({key: _write(value) for key, value in keys.items()})
    return "\n".join(f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in keys.items())
                     for name, keys in found.items())


def _write(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return str(value)


# -- All kinds ----------------------------------------------------------------------------------

# Of Triton's options, those that verbs pass on.
TRITON_OPTIONS = ("num_warps", "num_stages", "num_ctas", "ptx_version")


def is_ptx(text: str) -> bool:
    return re.search(r"^\s*\.version\s", text, re.MULTILINE) is not None


def _is_triton(source: Any) -> bool:
    return type(source).__module__.startswith("triton.")


def _draft(source: Any, folder: Path, signature: Any, constants: Mapping[str, Any],
           capability: int, options: dict[str, Any]) -> tuple[Path, str]:
    """Writes a function's PTX into the folder; returns its path and what is drafted for it."""
    if _is_triton(source):
        # An autotuner, or heuristics, are around the function.
        while _is_triton(getattr(source, "fn", None)):
            source = source.fn
        if hasattr(source, "asm"):
            return _draft_triton(source, folder, getattr(getattr(source.src, "fn", None), "fn", None))
        if signature is None:
            raise Error(f"{source.__name__}: Triton needs signature=, the types of the arguments, "
                        "such as '*fp32 i32'")
        compiled = compile_triton(source, signature, constants, capability=capability, **options)
        return _draft_triton(compiled, folder, source.fn)
    if not callable(source):
        raise Error(f"{source!r} is no kernel: expected a name, a file, its text, or a function of "
                    "Triton or Numba")
    function = getattr(source, "py_func", source)
    known = list(getattr(source, "signatures", ())) if signature is None else [signature]
    if len(known) != 1:
        raise Error(f"{function.__name__}: Numba needs signature=, the types of the arguments, "
                    "such as 'void(float32[::1], int32)'")
    return _draft_numba(function, compile_numba(function, known[0], capability=capability), folder)


def kernel(source: Any, *, name: str = "kernel", header: Header | None = None,
           signature: Any = None, constants: Mapping[str, Any] | None = None, grid: Any = None,
           block: Any = None, capability: int = CAPABILITY, **options: Any) -> Kernel:
    """A kernel file of a text (CUDA or PTX), or of a function of Triton or Numba.

    Of Triton: a ``@triton.jit`` function with ``signature`` and ``constants``, or what a launch
    or ``triton.compile`` returned. Of Numba: a ``@cuda.jit`` function, or a plain one, with its
    ``signature``, which may be left out where it was compiled for one alone. Both compile
    without a GPU, for ``capability``; ``options`` go to Triton (``num_warps=8``).

    The header of PTX, of functions, and of a text of CUDA that has none, is drafted, as by
    ``cured header``. Of PTX and functions, ``grid`` and ``block`` take the place of what was
    guessed; formulas may name parameters: ``grid="ceil(n/256)"``, and a function of ``constants``
    is called, as Triton does. ``header`` has further keys by group,
    ``{"Buffer a": {"Length": "n"}}``, or is the whole header."""
    folder = tempfile.TemporaryDirectory(prefix="cured-")
    place = Path(folder.name)
    groups = {group: dict(keys) for group, keys in
              ({} if header is None or isinstance(header, str) else header).items()}
    if callable(grid):
        grid = grid(dict(constants or {}))
    for key, value in (("Grid", grid), ("Block", block)):
        if value is not None:
            groups.setdefault("Launch", {})[key] = value
    if isinstance(source, str):
        path = place / f"{name}.{'ptx' if is_ptx(source) else 'cu'}"
        path.write_text(source, encoding="utf-8")
        if not is_ptx(source) or "/*! cured" in source:
            if groups or header is not None:
                raise Error("header=, grid= and block= are for PTX without a header of its own")
            if "/*! cured" not in source:
                path.write_text(run("header", str(path)).decode() + source, encoding="utf-8")
            return Kernel(path, folder)
        drafted = "" if isinstance(header, str) else run("header", str(path)).decode()
    else:
        path, drafted = _draft(source, place, signature, constants or {}, capability, options)
    if isinstance(header, str):
        drafted = header
    Path(f"{path}.kernel").write_text(amend_header(drafted, groups), encoding="utf-8")
    return Kernel(path, folder)


def split_keywords(source: Any, parameters: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A kernel, or its name, for the command, and the parameters without what describes PTX or
    a function."""
    if isinstance(source, (Kernel, os.PathLike)) or isinstance(source, str) and "\n" not in source:
        return source, parameters
    names = {"name"}
    if not isinstance(source, str) or is_ptx(source):
        names.update(TRITON_OPTIONS, (parameter.name for parameter in
                                      inspect.signature(kernel).parameters.values()
                                      if parameter.kind is inspect.Parameter.KEYWORD_ONLY))
    given = {key: value for key, value in parameters.items() if key in names}
    return (kernel(source, **given),
            {key: value for key, value in parameters.items() if key not in names})
