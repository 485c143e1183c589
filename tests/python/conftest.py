# SPDX-License-Identifier: MIT
"""What the tests share: a device that needs no GPU, and recorded results."""
import os
import pathlib
import subprocess

import cured
import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FAKE = SOURCE / "tests" / "data" / "kernels" / "fake.cu"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def recorded():
    return cured.load(SOURCE / "data" / "results" / "reduce-two-launch-h200.cured")


@pytest.fixture
def fake(monkeypatch):
    """Sets what the fake device does."""
    monkeypatch.setenv("CURED_WORKER", os.environ["CURED_TEST_WORKER"])
    return lambda what: monkeypatch.setenv("CURED_FAKE", what)


@pytest.fixture
def nvrtc():
    said = subprocess.run([cured.find_program(), "doctor"], capture_output=True, text=True).stdout
    if "nvrtc: ok" not in said:
        pytest.skip("NVRTC is missing")
