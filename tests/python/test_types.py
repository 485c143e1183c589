# SPDX-License-Identifier: MIT
"""The package is typed throughout."""
import os
import subprocess
import sys

import pytest
from conftest import SOURCE


def test_types():
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir",
         os.devnull, SOURCE / "python" / "cured", SOURCE / "python" / "backend.py"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
