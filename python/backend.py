# SPDX-License-Identifier: MIT
"""Builds the wheel, with Python's own library alone (PEP 517).

usage: backend.py BUNDLE FOLDER [TAG]

makes a wheel in FOLDER that has the unpacked archive of dev/bundle in it, and prints its path;
TAG is the platform. Without that, as pip calls it, the wheel is the package alone.
"""
from __future__ import annotations

import base64
import hashlib
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

try:
    import tomllib
except ImportError:  # before Python 3.11, where pip has its own
    from pip._vendor import tomli as tomllib  # type: ignore

HERE = Path(__file__).resolve().parent
PACKAGE = "cured"
DATE = (2026, 1, 1, 0, 0, 0)  # the same wheel of the same files


def _describe(project: dict[str, Any]) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        *(f"Classifier: {one}" for one in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
    ]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need}; extra == '{extra}'" for need in needs]
    readme = (HERE / project["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def _list_entries(project: dict[str, Any], has_command: bool) -> str:
    groups = dict(project["entry-points"])
    if has_command:
        groups["console_scripts"] = project["scripts"]
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {value}\n"
                                              for name, value in entries.items())
                     for group, entries in groups.items())


class _Wheel:
    def __init__(self, path: Path, information: str) -> None:
        self.file = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.information = information
        self.records: list[str] = []

    def add(self, name: str, data: bytes, mode: int = 0o644) -> None:
        entry = zipfile.ZipInfo(name, DATE)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}")

    def add_folder(self, folder: Path, prefix: str) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and "_bundle" not in path.parts:
                mode = 0o755 if os.access(path, os.X_OK) else 0o644
                self.add(f"{prefix}/{path.relative_to(folder).as_posix()}", path.read_bytes(), mode)

    def close(self) -> None:
        record = f"{self.information}/RECORD"
        self.records.append(f"{record},,")
        entry = zipfile.ZipInfo(record, DATE)
        entry.external_attr = 0o100644 << 16
        self.file.writestr(entry, "\n".join(self.records) + "\n")
        self.file.close()


def make_wheel(folder: Path, bundle: Path | None = None, platform: str = "any") -> Path:
    """Writes the wheel into the folder and returns its path."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tag = f"py3-none-{platform}"
    information = f"{PACKAGE}-{project['version']}.dist-info"
    path = folder / f"{PACKAGE}-{project['version']}-{tag}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    wheel = _Wheel(path, information)
    wheel.add_folder(HERE / PACKAGE, PACKAGE)
    if bundle is not None:
        # The tree itself may lie in a folder of that name.
        wheel.add_folder(bundle.resolve(), f"{PACKAGE}/_bundle")
    wheel.add(f"{information}/licenses/LICENSE", (HERE / "LICENSE").read_bytes())
    wheel.add(f"{information}/METADATA", _describe(project).encode())
    wheel.add(f"{information}/entry_points.txt",
              _list_entries(project, bundle is not None).encode())
    wheel.add(f"{information}/WHEEL",
              ("Wheel-Version: 1.0\nGenerator: cured\n"
               f"Root-Is-Purelib: {'true' if bundle is None else 'false'}\n"
               f"Tag: {tag}\n").encode())
    wheel.close()
    return path


def build_wheel(wheel_directory: str, config_settings: Any = None,
                metadata_directory: Any = None) -> str:
    return make_wheel(Path(wheel_directory)).name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    raise RuntimeError("there is no source distribution: dev/wheel needs the whole checkout")


if __name__ == "__main__":
    print(make_wheel(Path(sys.argv[2]), Path(sys.argv[1]),
                     sys.argv[3] if len(sys.argv) > 3 else "any"))
