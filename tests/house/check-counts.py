#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""dev/count-tests.py on recorded logs: one good, one with every way to fail.

usage: check-counts.py ROOT
"""

import pathlib
import subprocess
import sys
import tempfile


def run(root, build, *args):
    """Returns the last line and the exit status."""
    result = subprocess.run(
        [sys.executable, root / "dev/count-tests.py", *args, build],
        capture_output=True, text=True)
    return result.stdout.splitlines()[-1], result.returncode


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
    return 0


if __name__ == "__main__":
    sys.exit(main())
