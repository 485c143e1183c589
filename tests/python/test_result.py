# SPDX-License-Identifier: MIT
"""Result files as tables and pictures."""
import json
import math
import sqlite3
import statistics
import subprocess
import sys

import cured
import pytest
from conftest import SOURCE

RECORDED = SOURCE / "data" / "results" / "reduce-two-launch-h200.cured"
IMPORTED = SOURCE / "tests" / "data" / "import" / "kernel-tuner.json"


def as_rows(table):
    """Any kind of table as a list of dictionaries."""
    if isinstance(table, list):
        return table
    if hasattr(table, "to_dicts"):
        return table.to_dicts()
    if hasattr(table, "to_dict"):
        return table.to_dict("records")
    return [dict(zip(table.dtype.names, row)) for row in table.tolist()]


def test_facts(recorded):
    assert recorded.kernel == "reduce/two-launch"
    assert recorded.title == "Sum in two launches"
    assert "__global__" in recorded.source
    assert recorded.device["name"] == "NVIDIA H200"
    assert recorded.device["limits"]["sms"] == 132
    assert recorded.parameters["n"] == [10**8]
    assert recorded.metrics["time"] == "ns"
    assert recorded.is_finished
    assert "81 cells" in repr(recorded)


@pytest.mark.parametrize("kind", ["pandas", "polars", "numpy", None])
def test_cells(recorded, kind):
    """Each kind of table has what the view of the file has, to the last bit."""
    if kind is not None:
        pytest.importorskip(kind)
        table = getattr(recorded, f"to_{kind}")()
    else:
        table = recorded.cells
    rows = as_rows(table)
    file = sqlite3.connect(f"{RECORDED.as_uri()}?mode=ro", uri=True)
    expected = file.execute("SELECT block, blocks, n, state, time, bandwidth, registers"
                            " FROM cells").fetchall()
    file.close()
    assert len(expected) == 81
    assert [tuple(row[name] for name in ("block", "blocks", "n", "state", "time", "bandwidth",
                                         "registers")) for row in rows] == expected
    assert {row["limiter"] for row in rows} == {"latency", "memory"}


def test_samples(recorded):
    rows = as_rows(recorded.samples)
    cell = [row for row in rows if (row["block"], row["blocks"], row["mode"]) == (256, 2112, "cold")]
    rounds = {row["round"] for row in cell}
    medians = [statistics.median(row["time_ns"] for row in cell if row["round"] == number)
               for number in rounds]
    assert len(rounds) >= 2
    median = statistics.median(medians)
    assert math.isclose(median, recorded.best()["time"], rel_tol=1e-9)
    assert {row["throttled"] for row in cell} <= {True, False}


def test_best(recorded):
    best = recorded.best()
    assert (best["block"], best["blocks"], best["n"]) == (256, 2112, 10**8)
    assert recorded.best("bandwidth")["bandwidth"] == max(
        row["bandwidth"] for row in as_rows(recorded.cells))
    top = recorded.best(top=3)
    assert len(top) == 3 and top[0] == best
    assert [row["time"] for row in top] == sorted(row["time"] for row in top)
    with pytest.raises(cured.Error, match="timee"):
        recorded.best("timee")


def test_import():
    """What another program measured is imported; values that are no integers are their names."""
    result = cured.load(IMPORTED)
    assert result.device["name"] == "GPU X"
    assert "row" in result.parameters["layout"]
    first, *_ = rows = as_rows(result.cells)
    assert (first["tile"], first["padded"], first["scale"]) == (16, "True", "0.5")
    assert first["nvml_power"] == 310.5
    assert any(math.isnan(row["nvml_power"]) for row in rows)
    assert {row["state"] for row in rows} >= {"ok", "failed"}
    path = result.path
    del result
    assert not path.exists()


def test_several_benchmarks(folder):
    bench = {"benchmarks": [
        {"name": f"BM_{name}/{size}", "run_name": f"BM_{name}/{size}", "run_type": "iteration",
         "iterations": 1, "real_time": 5.0, "cpu_time": 5.0, "time_unit": "us"}
        for name in ("copy", "sum") for size in (8, 16)], "context": {"library_version": "1"}}
    (folder / "bench.json").write_text(json.dumps(bench))
    with pytest.raises(cured.Error, match="benchmark="):
        cured.load("bench.json")
    assert len(as_rows(cured.load("bench.json", benchmark="BM_sum").cells)) == 2


def test_refusals(folder):
    (folder / "no.cured").write_text("nothing")
    with pytest.raises(cured.Error, match="not a Cured result file") as caught:
        cured.load("no.cured")
    assert caught.value.exit_code == 2
    with pytest.raises(cured.Error, match="nowhere.cured"):
        cured.load("nowhere.cured")


def test_samples_of_a_stranger(folder):
    """A view in the place of the samples is not run."""
    path = folder / "strange.cured"
    path.write_bytes(RECORDED.read_bytes())
    file = sqlite3.connect(path)
    file.executescript("ALTER TABLE sample RENAME TO old;"
                       "CREATE VIEW sample AS SELECT * FROM old;")
    file.close()
    with pytest.raises(cured.Error):
        cured.load(path).samples


def test_page(recorded):
    page = recorded._repr_html_()
    assert page.startswith("<iframe") and 'sandbox="allow-scripts"' in page
    assert "&lt;svg" in page and "<svg" not in page


def test_plot(recorded):
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = recorded.plot()
    assert ax.get_xlabel() == "blocks" and ax.get_ylabel() == "block"
    assert [label.get_text() for label in ax.get_xticklabels()][0] == "8"
    mesh = ax.collections[0]
    values = mesh.get_array().ravel()
    assert len(values) == 81
    assert math.isclose(values.min(), recorded.best()["time"] / 1000)
    star, = ax.lines
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (7.5, 4.5)
    _, given = plt.subplots()
    line = recorded.plot("bandwidth", x="blocks", y="none", at={"block": 256}, ax=given)
    assert line is given and len(line.lines[0].get_ydata()) == 9
    assert "TB/s" in line.get_ylabel() or "GB/s" in line.get_ylabel()
    plt.close("all")


def test_export(recorded, folder):
    assert recorded.export("map.svg", dark=True).read_text().startswith("<?xml")
    assert recorded.export("map.md", metric="bandwidth").stat().st_size > 100
    with pytest.raises(cured.Error, match="xyz"):
        recorded.export("nothing.xyz")


def test_without_libraries(folder):
    """Nothing but Python is needed."""
    code = ("import sys\n"
            "for name in ('numpy', 'pandas', 'polars', 'matplotlib', 'tqdm'):\n"
            "    sys.modules[name] = None\n"
            "import importlib.util as u\n"
            "find = u.find_spec\n"
            "u.find_spec = lambda name, *rest: None if sys.modules.get(name, 0) is None"
            " else find(name, *rest)\n"
            "import cured\n"
            f"result = cured.load({str(RECORDED)!r})\n"
            "assert result.cells[0]['block'] == 64, result.cells[0]\n"
            "assert result.samples[0]['mode'] == 'cold'\n"
            "assert cured.banks(stride=2).array[1][2] == 0\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
