#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""dev/count-tests.py on recorded logs: one good, one with every way to fail.

usage: check-counts.py ROOT
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile


def tell(root, build, *args):
    """Returns all lines and the exit status."""
    result = subprocess.run(
        [sys.executable, root / "dev/count-tests.py", *args, build],
        capture_output=True, text=True)
    return result.stdout.splitlines(), result.returncode


def run(root, build, *args):
    """Returns the last line and the exit status."""
    lines, status = tell(root, build, *args)
    return lines[-1], status


def make_build(folder, entries):
    """A build folder with such a log."""
    build = pathlib.Path(folder)
    for name in ("meson-info", "meson-logs"):
        (build / name).mkdir(exist_ok=True)
    (build / "meson-info/intro-tests.json").write_text("[]")
    (build / "meson-logs/testlog.json").write_text(
        "".join(json.dumps(entry) + "\n" for entry in entries))
    return build


def list_tap_programs(root):
    """Returns the Python programs that meson.build says speak TAP."""
    programs = set()
    for build in [*(root / "tests").rglob("meson.build"), root / "lab" / "meson.build"]:
        text = build.read_text()
        for found in re.finditer(r"^ *test\(", text, re.MULTILINE):
            end, depth = found.end(), 1
            while depth > 0:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            call = text[found.end():end]
            program = re.search(r"files\('([^']+\.py)'", call)
            if program and "protocol: 'tap'" in call:
                programs.add((build.parent / program[1]).resolve())
    return programs


def check_skips(root):
    """A TAP program that skips everything says so and ends with 0: Meson takes any
    other exit status for a fault."""
    programs = list_tap_programs(root)
    assert len(programs) >= 6, programs
    for program in programs:
        found = re.search(r"\b(exit|return) ?\(?77\b", program.read_text())
        assert found is None, f"{program} ends with 77"


def check_reasons(root, folder):
    """Who reads only the end of a log sees why a test failed, however much else
    the test has printed."""
    noise = "".join(f"noise {i}\n" for i in range(500))
    build = make_build(folder, [
        {"name": "x / good", "result": "OK", "stdout": "good prints\n"},
        {"name": "x / subtest", "result": "FAIL", "returncode": 1,
         "stdout": "ok 1 - a\n# the reason above\nnot ok 2 - b\n"
                   "the reason below\n" + noise + "1..2\n"},
        {"name": "x / many", "result": "FAIL", "returncode": 1,
         "stdout": "".join(f"not ok {i} - m\nreason {i}\n{noise}"
                           for i in range(20)) + "1..20\n"},
        {"name": "x / plain", "result": "TIMEOUT", "returncode": -15,
         "stdout": noise + "the last line\n",
         "stderr": "said\nto standard error\n"},
        {"name": "x / skipped", "result": "SKIP", "returncode": 77,
         "stdout": "skipped: no such thing\n"},
        {"name": "x / lacking", "result": "SKIP", "returncode": 77,
         "stdout": "looking\nA tool is not installed.\n"},
    ])
    lines, status = tell(root, build)
    text = "\n".join(lines)
    assert status == 1
    for part in ("failed: subtest: FAIL, status 1", "the reason above",
                 "not ok 2 - b", "the reason below", "failed: plain: TIMEOUT",
                 "the last line", "to standard error",
                 *(f"reason {i}\n" for i in range(20))):
        assert part in text, (part, text)
    assert "good prints" not in text, text
    assert len(lines) < 400, len(lines)
    # Next to the end.
    assert lines[-3:] == ["skipped: skipped: no such thing",
                          "skipped: lacking: A tool is not installed.",
                          "2 passed, 22 failed, 2 skipped"], lines[-3:]

    # Where everything fails, the names do not drown.
    build = make_build(folder, [
        {"name": f"x / bad{i}", "result": "ERROR", "stdout": noise}
        for i in range(300)])
    lines, _status = tell(root, build)
    assert len(lines) < 1000, len(lines)
    assert any(line.startswith("failed: bad299:") for line in lines)


def main():
    root = pathlib.Path(sys.argv[1])
    data = root / "tests/data/count-tests"

    # ok: 2; skip: 1 and 1 skipped; none, plainskip: skipped; plain: 1.
    good = ("4 passed, 0 failed, 3 skipped", 0)
    assert run(root, data / "good") == good, run(root, data / "good")
    # A runner that fails is never a success, whatever its log says.
    assert run(root, data / "good", "--runner-status", "1") == (good[0], 1)

    # An assertion, a crash, an exit status, a time-out; the subtests that
    # passed before an abort still count.
    bad = ("6 passed, 4 failed, 3 skipped", 1)
    assert run(root, data / "bad") == bad, run(root, data / "bad")

    # Nothing ran: that is no success either.
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        (build / "meson-info").mkdir()
        (build / "meson-info/intro-tests.json").write_text("[]")
        none = ("0 passed, 0 failed, 0 skipped", 1)
        assert run(root, build) == none, run(root, build)
    with tempfile.TemporaryDirectory() as folder:
        check_reasons(root, folder)
    check_skips(root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
