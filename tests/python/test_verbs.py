# SPDX-License-Identifier: MIT
"""Sweeps, checks, banks, predictions: what the command is asked, and what it answers."""
import os
import signal
import types

import cured
import pytest
from conftest import FAKE
from test_result import as_rows

RACE = """
/*! cured
 * [Kernel]
 * Title=Race
 *
 * [Parameter n]
 * Kind=problem
 * Default=64
 *
 * [Buffer out]
 * Type=i32
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=race
 * Grid=1
 * Block=n
 * Arguments=out
 */
extern "C" __global__ void race (int *out) { out[0] = threadIdx.x; }
"""


def test_sweep(fake, folder):
    seen = []
    result = cured.sweep(FAKE, tile=range(1, 4), blocks="1..2", n=64, device="fake:0",
                         output="made.cured", options={"rounds": 1}, progress=seen.append)
    assert result.path == folder / "made.cured"
    assert result.parameters == {"tile": [1, 2, 3], "blocks": [1, 2], "n": [64]}
    assert {row["state"] for row in as_rows(result.cells)} == {"ok"}
    assert seen[0]["done"] == 0 and seen[-1]["done"] == seen[-1]["cells"] == 6
    assert seen[-1]["fraction"] == 1 and "tile=" in seen[-1]["best"]
    with pytest.raises(cured.Error, match="made.cured exists"):
        cured.sweep(FAKE, tile=1, device="fake:0", output="made.cured", progress=False)
    again = cured.sweep(FAKE, {"tile": 1}, device="fake:0", output="made.cured", force=True,
                        progress=False)
    assert again.parameters["tile"] == [1]


def test_own_sweep(fake):
    result = cured.sweep(FAKE, device="fake:0", output="own.cured", progress=False,
                         options={"sweep": True, "rounds": 1})
    assert result.parameters["tile"] == [1, 2, 4, 8, 16, 32]


def test_cells_that_fail(fake):
    """They are no exception: the result says which."""
    fake("fail=2")
    result = cured.sweep(FAKE, tile=1, blocks=[1, 2], device="fake:0", output="fail.cured",
                         progress=False)
    assert [row["state"] for row in as_rows(result.cells)] == ["ok", "failed"]


def test_interrupt(fake, folder):
    """Ctrl+C leaves a file that goes on."""
    until = folder / "go"
    fake(f"wait=3,until={until}")

    def stop(progress):
        if progress["done"] >= 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(cured.Stopped) as caught:
        cured.sweep(FAKE, tile=1, blocks=[1, 2, 3, 4], device="fake:0", output="cut.cured",
                    options={"rounds": 1}, progress=stop)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.path == folder / "cut.cured"
    assert len(as_rows(cured.load("cut.cured").cells)) == 2
    until.touch()
    result = cured.sweep("cut.cured", device="fake:0", progress=False)
    assert result.is_finished and len(as_rows(result.cells)) == 4
    with pytest.raises(cured.Error, match="leave out parameters"):
        cured.sweep(result, tile=2)


def test_bar(fake, capsys):
    pytest.importorskip("tqdm")
    cured.sweep(FAKE, tile=[1, 2], blocks=1, device="fake:0", output="bar.cured")
    assert "2/2" in capsys.readouterr().err


def test_no_device(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(cured.Error, match="no-such"):
        cured.sweep(FAKE, tile=1, device="no-such", output="x.cured")
    with pytest.raises(cured.Error, match="no kernel is called"):
        cured.check("vector/ad")
    with pytest.raises(cured.Error, match="no kernel"):
        cured.check(3)


def test_check(nvrtc):
    good = cured.check("vector/add", n=[1, 100])
    assert good and good.findings == []
    assert [row["n"] for row in as_rows(good.cells)] == [1, 100]
    bad = cured.check(RACE)
    assert not bad
    finding = bad.findings[0]
    assert finding["kind"] == "race-global" and finding["here"]["line"] == 21
    assert "race-global" in repr(bad) and "not ok" in repr(bad)


def test_compile_error(nvrtc):
    checked = cured.check(RACE.replace("threadIdx.x", "thread"))
    assert not checked
    assert "undefined" in as_rows(checked.cells)[0]["reason"]


def test_banks(nvrtc):
    banks = cured.banks("matmul/tile-padding", tile=32, padding=0)
    assert banks.wavefronts == 32 and banks.least == 1
    lanes = banks.tolist()
    assert len(lanes) == 32 and {len(lane) for lane in lanes} == {32}
    column, = {lane.index(max(lane)) for lane in lanes}
    assert sorted(lane[column] for lane in lanes) == list(range(32))
    assert banks._repr_svg_().startswith("<?xml")
    assert cured.banks("matmul/tile-padding", tile=32, padding=1).conflicts == 0
    assert cured.banks("matmul/tile-padding", site=1, tile=32).picture["site"] == 1


def test_stride():
    banks = cured.banks(stride=2)
    assert (banks.wavefronts, banks.conflicts) == (2, 1)
    assert [lane.index(max(lane)) for lane in banks.tolist()] == [2 * i % 32 for i in range(32)]
    wide = cured.banks(stride=1, options={"width": 16})
    assert [sum(wave >= 0 for wave in lane) for lane in wide.tolist()] == [4] * 32
    numpy = pytest.importorskip("numpy")
    assert numpy.asarray(banks).shape == (32, 32) and banks.array.max() == 1
    with pytest.raises(cured.Error, match="stride="):
        cured.banks()


def test_predict(nvrtc):
    result = cured.predict("vector/add", n=1000, threads=[32, 64], output="p.cured",
                           progress=False, chip="h100")
    assert result.best()["predicted_time"] > 0
    assert "H100" in result.device["name"]


def test_header(folder):
    text = "__global__ void scale (float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
    (folder / "plain.cu").write_text(text)
    assert "Entry=scale" in cured.header("plain.cu")
    assert cured.header(text) == cured.header("plain.cu")
    ptx = (FAKE.parent / "compilers" / "numba-saxpy-sm_90.ptx").read_text()
    assert ":numba[" in cured.header(ptx)


def test_package_beside(monkeypatch, folder):
    """NVRTC's wheel is found in the folder of packages, and the newer one of two."""
    from cured import _command

    for place, name in (("cu13", "libnvrtc.so.13"), ("cuda_nvrtc", "libnvrtc.so.12")):
        (folder / "nvidia" / place / "lib").mkdir(parents=True)
        (folder / "nvidia" / place / "lib" / name).touch()
    (folder / "nvidia" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(folder))
    assert _command.find_nvrtc() == str(folder / "nvidia" / "cu13" / "lib" / "libnvrtc.so.13")
    monkeypatch.setenv("CURED_NVRTC", "/chosen")
    assert _command.make_environment()["CURED_NVRTC"] == "/chosen"


def test_no_program(monkeypatch):
    monkeypatch.delenv("CURED_PROGRAM")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(cured.Error, match="CURED_PROGRAM"):
        cured.check("vector/add")


def test_objects():
    assert isinstance(cured.sweep, types.FunctionType)
    assert set(cured.__all__) <= set(dir(cured))
