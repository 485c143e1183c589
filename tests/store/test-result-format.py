#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/result-format.md: its examples run, and it names every column.

usage: test-result-format.py MAKE-RESULT RESULT-FORMAT.MD
"""

import contextlib
import io
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(
    r"^### `(\w+)`(?: \(a view\))?\n(.*?)(?=^### |\Z)",
    re.MULTILINE | re.DOTALL,
)
COLUMN = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)

METRIC = re.compile(r"^\| `(\w+)` \| `?([\w/-]*)`? \| \S.* \|$", re.MULTILINE)

n_tests = 0
n_failed = 0


def report(name, problem=None, skip=None):
    global n_tests, n_failed
    n_tests += 1
    if problem:
        n_failed += 1
        for line in str(problem).splitlines():
            print("#", line)
    tail = f" # SKIP {skip}" if skip else ""
    print(f"{'not ok' if problem else 'ok'} {n_tests} {name}{tail}")


def run_python(code):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "example", "exec"), {})
    return output.getvalue()


def run_sql(code):
    db = sqlite3.connect("file:sweep.cured?mode=ro", uri=True)
    return "\n".join(str(row) for row in db.execute(code))


def run_duckdb(code):
    import duckdb

    return str(duckdb.connect().execute(code).fetchall())


def check_examples(text):
    runners = {"python": run_python, "sql": run_sql, "duckdb": run_duckdb}
    outputs = []
    for number, (language, code) in enumerate(BLOCK.findall(text), 1):
        name = f"/result-format/example/{number}-{language}"
        if language not in runners:
            continue
        try:
            output = runners[language](code)
            outputs.append(output)
            print("\n".join("# " + line for line in output.splitlines()))
            report(name, None if output.strip() else "it says nothing")
        except ImportError:
            report(name, skip="DuckDB for Python is not installed")
        except Exception as error:
            # DuckDB fetches its extension on first use.
            if language == "duckdb" and "download extension" in str(error):
                report(name, skip="DuckDB has no sqlite extension here")
            else:
                report(name, repr(error))
    return outputs


def check_columns(text):
    db = sqlite3.connect("file:sweep.cured?mode=ro", uri=True)
    written = {
        name: COLUMN.findall(section) for name, section in TABLE.findall(text)
    }
    views = {"cells": written.pop("cells", None)}
    tables = [
        name
        for (name,) in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        )
    ]
    for name in tables:
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
        report(
            f"/result-format/columns/{name}",
            None
            if written.get(name) == columns
            else f"the file has {columns}, the page {written.get(name)}",
        )
    wanted = db.execute(
        "SELECT id, unit FROM metric ORDER BY metric"
    ).fetchall()
    found = METRIC.findall(text)
    report(
        "/result-format/metrics",
        None
        if found == wanted
        else f"the file has {sorted(set(wanted) - set(found))},"
        f" the page {sorted(set(found) - set(wanted))}",
    )
    names = ["cell", "tile", "blocks", "n", "state", "reason"]
    names += [id for id, *_ in wanted]
    for view, section in views.items():
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({view})")]
        report(
            f"/result-format/columns/{view}",
            None
            if section is not None and columns == names
            else f"{view} has {columns}, not {names}",
        )
    gone = sorted(set(written) - set(tables))
    report("/result-format/tables", f"no such tables: {gone}" if gone else None)


def check_values(outputs):
    """The view says what the tables say."""
    db = sqlite3.connect("file:sweep.cured?mode=ro", uri=True)
    axes = db.execute("SELECT * FROM axis ORDER BY position").fetchall()
    values = {
        (axis, number): value
        for axis, number, value in db.execute("SELECT * FROM axis_value")
    }
    states = dict(db.execute("SELECT * FROM state"))
    metric = db.execute("SELECT metric FROM metric WHERE id = 'time'").fetchone()
    times = dict(
        db.execute("SELECT cell, value FROM measurement WHERE metric = ?", metric)
    )
    cells = dict(db.execute("SELECT cell, state FROM cell"))
    problem = None
    rows = db.execute("SELECT cell, tile, blocks, n, state, time FROM cells")
    n_rows = 0
    for cell, tile, blocks, n, state, time in rows:
        n_rows += 1
        wanted = tuple(
            values[axis[0], cell // axis[5] % axis[4]] for axis in axes
        ) + (states[cells[cell]], times.get(cell))
        if (tile, blocks, n, state, time) != wanted:
            problem = f"cell {cell}: {wanted}"
    if n_rows != len(cells):
        problem = f"{n_rows} rows"
    report("/result-format/view", problem)

    best = min(times.values())
    found = f"{best / 1000:.1f} µs" in outputs[0].splitlines()[0]
    report("/result-format/best", None if found else f"{best} is not first")
    for pragma, wanted in (
        ("application_id", 0x43757245),
        ("user_version", 1),
        ("journal_mode", "delete"),
        ("integrity_check", "ok"),
    ):
        (value,) = db.execute(f"PRAGMA {pragma}").fetchone()
        report(
            f"/result-format/{pragma}",
            None if value == wanted else f"{value}, not {wanted}",
        )
    broken = db.execute("PRAGMA foreign_key_check").fetchall()
    report("/result-format/foreign_keys", broken)


def main():
    make_result, page = (os.path.abspath(path) for path in sys.argv[1:3])
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if sqlite3.sqlite_version_info < (3, 37):
        print(f"1..0 # SKIP SQLite {sqlite3.sqlite_version} has no STRICT tables")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run(
            [make_result, "sweep.cured", "20", "20", "2", "0", "a note"], check=True
        )
        outputs = check_examples(text)
        check_columns(text)
        check_values(outputs)
        os.chdir("/")
    print(f"1..{n_tests}")
    return 1 if n_failed else 0


sys.exit(main())
