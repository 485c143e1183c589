# SPDX-License-Identifier: MIT
"""Recordings have the words of the catalogue and the view `cells`: dev/relabel says
so, sees one that has not, and changes no more than that. Those of an H200 have what
limits each of their cells.

usage: check-labels.py ROOT BUILD
"""
import contextlib
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SAMPLE = "banks-stride-h200.cured"

# In the header of a source: the first of each are the kernel's own.
OLD = {"Title": "as it was in the source", "Summary": "as it was explained",
       r"(?s:\[Parameter .*?)Summary": "as a parameter was"}

# Cells without a limit: of programs that the file does not have, with an array of 32 GiB,
# and with blocks that take too long to be counted.
UNLIMITED = {"peers-h200.cured": 476, "latency-global-h200.cured": 4,
             "matmul-tile-lab-h200.cured": 10}

INCLUDED = "\n[Include mine.h]\n[Kernel]\nTitle=mine\nSummary=mine\n"

TOLD = "/* As it was told."


def retell(source):
    """The source with another comment above the kernel."""
    at = source.rindex("\n/*", 0, source.index("__global__ void")) + 1
    return source[:at] + TOLD + source[at + len("/*"):]


def relabel(root, build, *arguments):
    return subprocess.run([root / "dev" / "relabel", *arguments],
                          env={**os.environ, "CURED_BUILD": str(build)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def dump(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


def check_stale(root, build, folder):
    """A copy whose labels are others is told, and becomes what it was; what only looks
    like one, in a file that the kernel includes, stays."""
    copy = shutil.copy(root / "data" / "results" / SAMPLE, folder)
    with contextlib.closing(sqlite3.connect(copy)) as database, database:
        database.execute("UPDATE kernel SET source = source || ?", (INCLUDED,))
    current = dump(copy)
    with contextlib.closing(sqlite3.connect(copy)) as database, database:
        database.execute("UPDATE kernel SET title = 'as it was called'")
        database.execute("UPDATE axis SET summary = 'as well' WHERE position = 0")
        source, = database.execute("SELECT source FROM kernel").fetchone()
        for key, old in OLD.items():
            source = re.sub(rf"({key}=).*", rf"\g<1>{old}", source, count=1)
        database.execute("UPDATE kernel SET source = ?", (retell(source),))
    ran = relabel(root, build, "--check", copy)
    assert ran.returncode == 1, ran.stdout
    for text in ["as it was called”", "as well”", TOLD, *(f"{old}”" for old in OLD.values())]:
        assert f"“{text}" in ran.stdout, ran.stdout
    ran = relabel(root, build, copy)
    assert ran.returncode == 0 and "1 of 1 " in ran.stdout, ran.stdout
    assert dump(copy) == current

    # What is told of other code stays.
    with contextlib.closing(sqlite3.connect(copy)) as database, database:
        source, = database.execute("SELECT source FROM kernel").fetchone()
        database.execute("UPDATE kernel SET source = ?",
                         (retell(source).replace("\n{", "\n{\n  ;", 1),))
    before = pathlib.Path(copy).read_bytes()
    ran = relabel(root, build, copy)
    assert ran.returncode == 0 and "0 of 1 " in ran.stdout, ran.stdout
    assert pathlib.Path(copy).read_bytes() == before


def check_view(root):
    """The view of each recording says what there is: a row a cell, after its number a
    column a parameter, with an underscore where a metric is called the same, and the
    state."""
    for path in sorted((root / "data" / "results").rglob("*.cured")):
        uri = path.as_uri() + "?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
            axes = [name for name, in database.execute(
                "SELECT name FROM axis ORDER BY position")]
            n_cells, = database.execute("SELECT count(*) FROM cell").fetchone()
            cells = database.execute("SELECT * FROM cells")
            columns = [name.rstrip("_") for name, *_ in cells.description]
            assert columns[:len(axes) + 2] == ["cell", *axes, "state"], path
            rows = [row[:len(axes) + 2] for row in cells]
            assert len(rows) == n_cells, path
            assert all(None not in row for row in rows), path


def check_limits(root):
    """dev/explain-recordings has been run."""
    for path in sorted((root / "data" / "results").glob("*.cured")):
        uri = path.as_uri() + "?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
            n_missing, = database.execute(
                "SELECT count(*) FROM cells WHERE state = 'ok' AND cell NOT IN "
                "(SELECT cell FROM measurement NATURAL JOIN metric WHERE id = 'limiter')"
            ).fetchone()
        assert n_missing == UNLIMITED.get(path.name, 0), (
            f"{path} has no limiter of {n_missing} cells; dev/explain-recordings stores them")


def main():
    root, build = map(pathlib.Path, sys.argv[1:])
    ran = relabel(root, build, "--check")
    print(ran.stdout)
    if ran.returncode != 0:
        sys.exit(ran.returncode)
    with tempfile.TemporaryDirectory() as folder:
        check_stale(root, build, folder)
        check_view(root)
        check_limits(root)


if __name__ == "__main__":
    main()
