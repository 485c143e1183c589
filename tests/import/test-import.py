#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What cured import makes of a file, against the file itself, read by other
means: Python's json and sqlite3.

usage: test-import.py CURED FOLDER
"""

import json
import math
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

n_tests = 0
n_failed = 0


def report(name, problems):
    global n_tests, n_failed
    n_tests += 1
    for problem in problems[:20]:
        print("#", problem)
    n_failed += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {n_tests} {name}")


def number(value):
    """A number, or None where it is none: NaN, infinite, a text."""
    if isinstance(value, bool):
        return None
    try:
        value = float(value)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def name(value):
    """How a result file calls a value: 16, 0.5, True, row."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value)
    plain = number(value)
    if plain is None:
        return str(value)
    return str(int(plain)) if plain == int(plain) else repr(plain)


def read_result(path):
    """{point: {column: value}}, point being a set of (parameter, name)."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.row_factory = sqlite3.Row
    axes = [row["name"] for row in
            db.execute("SELECT name FROM axis ORDER BY position")]
    points = {}
    for row in db.execute("SELECT * FROM cells"):
        point = frozenset((axis, name(row[axis])) for axis in axes)
        points[point] = dict(row)
        points[point]["samples"] = [time for (time,) in db.execute(
            "SELECT time_ns FROM sample WHERE cell = ? ORDER BY number",
            (row["cell"],))]
    n_cells = 1
    for (length,) in db.execute("SELECT length FROM axis"):
        n_cells *= length
    broken = db.execute("PRAGMA foreign_key_check").fetchall()
    (whole,) = db.execute("PRAGMA integrity_check").fetchone()
    return points, n_cells, broken or whole != "ok"


def compare(path, expected):
    points, n_cells, broken = read_result(path)
    problems = ["the file is damaged"] if broken else []
    if set(points) != set(expected):
        problems.append(f"points {set(points) ^ set(expected)}")
    for point, columns in expected.items():
        for column, wanted in columns.items():
            got = points.get(point, {}).get(column)
            if isinstance(wanted, list):
                same = len(wanted) == len(got) and all(
                    math.isclose(a, b, rel_tol=1e-6)
                    for a, b in zip(wanted, got))
            elif isinstance(wanted, float):
                same = got is not None and math.isclose(
                    wanted, got, rel_tol=1e-6)
            else:
                same = got == wanted
            if not same:
                problems.append(f"{sorted(point)}: {column} is {got}, "
                                f"not {wanted}")
    if n_cells < len(expected):
        problems.append(f"{n_cells} cells for {len(expected)} points")
    return problems


def expect_kernel_tuner(data):
    states = {"CompilationFailedConfig": "failed",
              "RuntimeFailedConfig": "failed",
              "InvalidConfig": "not launchable"}
    points = {}
    for record in data["cache"].values():
        point = frozenset((key, name(record[key]))
                          for key in data["tune_params_keys"])
        times = [1e6 * time for time in record.get("times", [])]
        time = number(record.get("time"))
        error = record.get("__error__")
        if error is None and isinstance(record.get("time"), str):
            error = record["time"]
        if error is not None:
            points[point] = {"state": states[error], "time": None}
        elif time is None or time >= 1e20:
            points[point] = {"state": "failed", "time": None}
        else:
            points[point] = {
                "state": "ok", "samples": times,
                "time": statistics.median(times) if times else 1e6 * time,
            }
            for key, column, scale in (("GFLOP/s", "flop_rate", 1e9),
                                       ("num_regs", "registers", 1.0),
                                       ("nvml_power", "nvml_power", 1.0)):
                plain = number(record.get(key))
                points[point][column] = (None if plain is None
                                         else plain * scale)
    return points


def expect_t4(data):
    states = {"timeout": "timed out", "compile": "failed",
              "runtime": "failed", "correctness": "wrong",
              "constraints": "not launchable", "correct": "ok"}
    units = {"ms": 1e6, "us": 1e3}
    points = {}
    for result in data["results"]:
        point = frozenset((key, name(value)) for key, value in
                          result["configuration"].items())
        columns = points[point] = {"state": states[result["invalidity"]],
                                   "time": None}
        if columns["state"] != "ok":
            continue
        times = [1e6 * time for time in result["times"].get("runtimes", [])]
        columns["samples"] = times
        for measured in result["measurements"]:
            if measured["name"] == "time":
                columns["time"] = measured["value"] * units[measured["unit"]]
        if times:
            columns["time"] = statistics.median(times)
    return points


def expect_nvbench(benchmark, device):
    points = {}
    for state in benchmark["states"]:
        if state["device"] != device:
            continue
        point = frozenset((value["name"], name(value["value"]))
                          for value in state["axis_values"] or [])
        values = {}
        for summary in state["summaries"] or []:
            for datum in summary["data"]:
                if datum["name"] == "value":
                    values[summary["tag"]] = number(datum["value"])
        columns = points[point] = {"time": None}
        if state["is_skipped"]:
            columns["state"] = ("failed" if "Unexpected error" in
                                state["skip_reason"] else "not launchable")
            continue
        if values.get("nv/cold/sample_size") == 0:
            columns["state"] = "failed"
            continue
        columns["state"] = "ok"
        # One state has its samples beside the file; another test reads them.
        if device == 0:
            time = values.get("nv/cold/time/gpu/median",
                              values.get("nv/cold/time/gpu/mean"))
            columns["time"] = 1e9 * time
        for tag, column, scale in (
                ("nv/cold/time/gpu/min", "time_min", 1e9),
                ("nv/cold/bw/global/bytes_per_second", "bandwidth", 1.0),
                ("nv/batch/time/gpu/mean", "time_hot", 1e9),
                ("nv/cold/time/cpu/mean", "cold_time_cpu_mean", 1e9)):
            if values.get(tag) is not None:
                columns[column] = values[tag] * scale
    if device != 0:
        for columns in points.values():
            del columns["time"]
    return points


def main():
    cured, folder = sys.argv[1:3]
    if sqlite3.sqlite_version_info < (3, 37):
        print(f"1..0 # SKIP SQLite {sqlite3.sqlite_version} has no STRICT "
              "tables")
        return 0
    data = {}
    written = {}
    with tempfile.TemporaryDirectory() as out:
        for sample in ("kernel-tuner", "t4", "nvbench"):
            path = os.path.join(folder, sample + ".json")
            with open(path, encoding="utf-8") as file:
                data[sample] = json.load(file)
            said = subprocess.run(
                [cured, "import", path, "--json", "-o",
                 os.path.join(out, sample + ".cured")],
                capture_output=True, text=True, check=True).stdout
            written[sample] = json.loads(said)["files"]
        report("/import/referee/kernel-tuner",
               compare(written["kernel-tuner"][0]["path"],
                       expect_kernel_tuner(data["kernel-tuner"])))
        report("/import/referee/t4",
               compare(written["t4"][0]["path"], expect_t4(data["t4"])))
        benchmark, empty, _ = data["nvbench"]["benchmarks"]
        for index, (which, device) in enumerate(
                ((benchmark, 0), (benchmark, 1), (empty, 0))):
            report(f"/import/referee/nvbench/{index}",
                   compare(written["nvbench"][index]["path"],
                           expect_nvbench(which, device)))
    print(f"1..{n_tests}")
    return 1 if n_failed else 0


sys.exit(main())
