# SPDX-License-Identifier: MIT
"""The notebooks of docs/notebooks run to their ends."""
import json
import shutil
import subprocess
import sys

import pytest
from conftest import SOURCE

NOTEBOOKS = sorted((SOURCE / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, folder, nvrtc, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)  # pictures are the notebook's own
    for name in ("nbconvert", "ipykernel", "matplotlib", "pandas"):
        pytest.importorskip(name)
    (folder / "docs").mkdir()
    shutil.copytree(path.parent, folder / "docs" / "notebooks")
    (folder / "data").symlink_to(SOURCE / "data")
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "ran",
         folder / "docs" / "notebooks" / path.name], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ran = json.loads((folder / "docs" / "notebooks" / "ran.ipynb").read_text(encoding="utf-8"))
    outputs = [output for cell in ran["cells"] for output in cell.get("outputs", [])]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds & {"image/png", "image/svg+xml"}, kinds
    assert not [output for output in outputs if output["output_type"] == "error"]


def test_any():
    assert len(NOTEBOOKS) >= 2
