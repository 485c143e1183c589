# SPDX-License-Identifier: MIT
"""The command: where it is, and how it is run."""
from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Sequence

#: dev/wheel puts it beside this file.
BUNDLE = Path(__file__).resolve().parent / "_bundle"

EXIT_OK = 0
EXIT_FINDING = 1
EXIT_TERMINATED = 75
EXIT_CANCELLED = 130


class Error(Exception):
    """A refusal of the command, in its words."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Stopped(KeyboardInterrupt):
    """Ctrl+C or SIGTERM ended a sweep: ``path`` has the finished cells, and
    ``cured.sweep(path)`` runs the others."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(f"stopped; continue with cured.sweep({str(path)!r})" if path else "stopped")
        self.path = path


def version() -> str:
    """The version of this package; empty where it was not installed."""
    try:
        return importlib.metadata.version("cured")
    except importlib.metadata.PackageNotFoundError:
        return ""


def find_program() -> str:
    """The command: what CURED_PROGRAM names, else the wheel's own, else the one in PATH."""
    bundled = BUNDLE / "bin" / "cured"
    program = os.environ.get("CURED_PROGRAM") or (
        str(bundled) if bundled.exists() else shutil.which("cured"))
    if not program:
        raise Error("the command cured was not found: install a wheel of dev/wheel, which has it, "
                    "put it in PATH, or let CURED_PROGRAM name it")
    return program


def find_nvrtc() -> str | None:
    """NVRTC among the packages that are installed beside this one, the highest version."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return None
    folders = spec.submodule_search_locations if spec is not None else None
    found = [file for folder in folders or [] for file in
             Path(folder).glob("*/lib/libnvrtc.so.1[23]")]
    return str(max(found, key=lambda file: (file.name, str(file)))) if found else None


def make_environment() -> dict[str, str]:
    environment = dict(os.environ)
    if not environment.get("CURED_NVRTC"):
        nvrtc = find_nvrtc()
        if nvrtc is not None:
            environment["CURED_NVRTC"] = nvrtc
    return environment


def main() -> int:
    """Becomes the command."""
    try:
        program = find_program()
    except Error as error:
        print(f"cured: {error}", file=sys.stderr)
        return 2
    os.execve(program, ["cured", *sys.argv[1:]], make_environment())


def _start(words: Sequence[str], **extra: Any) -> subprocess.Popen[bytes]:
    # Messages are exceptions, and numbers are read: both in English, and UTF-8.
    environment = {**make_environment(), "LC_ALL": "C.UTF-8"}
    return subprocess.Popen([find_program(), *words], env=environment,
                            stdin=subprocess.DEVNULL, **extra)


def _make_error(said: str, code: int) -> Error:
    lines = [line[len("cured: "):] if line.startswith("cured: ") else line
             for line in said.strip().splitlines()]
    return Error("\n".join(lines) or f"cured ended with exit code {code}", code)


def run(*words: str, expected: Sequence[int] = (EXIT_OK,)) -> bytes:
    """Runs the command to its end and returns what it printed."""
    process = _start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, said = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.returncode not in expected:
        raise _make_error(said.decode(errors="replace"), process.returncode)
    return out


def run_json(*words: str, expected: Sequence[int] = (EXIT_OK,)) -> Any:
    return json.loads(run(*words, expected=expected))


def follow(words: Sequence[str], report: Callable[[dict[str, Any]], None],
           say: Callable[[str], None]) -> Path:
    """Runs a sweep, tells its progress and its messages, and returns the file that it wrote.

    The process is in a session of its own, so that Ctrl+C reaches it once, from here: it
    finishes the cell under way. A second Ctrl+C ends it at once."""
    messages: list[str] = []
    with tempfile.TemporaryFile() as summary:
        process = _start([*words, "--json", "--progress=json"], stdout=summary,
                         stderr=subprocess.PIPE, start_new_session=True)
        assert process.stderr is not None
        is_stopped = False
        while True:
            try:
                for line in process.stderr:
                    text = line.decode(errors="replace").rstrip()
                    if text.startswith("{"):
                        if not is_stopped:
                            report(json.loads(text))
                    else:
                        messages.append(text)
                        if not text.startswith("cured: "):
                            say(text)
                code = process.wait()
                break
            except KeyboardInterrupt:
                is_stopped = True
                process.send_signal(signal.SIGINT)
            except BaseException:
                process.kill()
                process.wait()
                raise
        process.stderr.close()
        summary.seek(0)
        text = summary.read().decode(errors="replace")
    path = Path(json.loads(text)["file"]).absolute() if text.strip() else None
    if is_stopped or code in (EXIT_CANCELLED, EXIT_TERMINATED):
        raise Stopped(path)
    if code not in (EXIT_OK, EXIT_FINDING) or path is None:
        raise _make_error("\n".join(line for line in messages if line.startswith("cured: "))
                          or "\n".join(messages), code)
    return path
