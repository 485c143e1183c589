#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of the Python package.

usage: run.py SOURCE_ROOT [TEST_FILE…]

Skipped where no python3 has pytest: CURED_TEST_PYTHON may name one that has, and with it
NumPy, pandas, polars, matplotlib, tqdm, Triton, Numba or nbconvert; a test that needs what is
not there is skipped, and says so.
"""
import os
import pathlib
import shutil
import subprocess
import sys


def find_python():
    for python in (os.environ.get("CURED_TEST_PYTHON"), sys.executable, "/usr/bin/python3"):
        if python and shutil.which(python) and subprocess.run(
                [python, "-c", "import pytest"], capture_output=True).returncode == 0:
            return python
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    python = find_python()
    if python is None:
        print("no python3 here has pytest")
        return 77
    files = sys.argv[2:] or sorted((root / "tests" / "python").glob("test_*.py"))
    # An installed wheel would register the plugin again.
    environment = dict(os.environ, PYTHONPATH=str(root / "python"), MPLBACKEND="agg",
                       PYTHONDONTWRITEBYTECODE="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
                       LC_ALL="C.UTF-8")
    done = subprocess.run([python, "-m", "pytest", "-p", "cured._pytest", "-p", "pytester",
                           "-p", "no:cacheprovider", "-c", os.devnull, "-rs", "-q", "--durations=8",
                           "--rootdir", root / "tests" / "python", *files],
                          env=environment, check=False)
    # 5: nothing was collected.
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
