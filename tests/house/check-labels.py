# SPDX-License-Identifier: MIT
"""Recordings have the labels of the catalogue and the view `cells`: dev/relabel says
so, sees one that has not, and changes no more than that.

usage: check-labels.py ROOT BUILD
"""
import contextlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SAMPLE = "banks-stride-h200.cured"


def relabel(root, build, *arguments):
    return subprocess.run([root / "dev" / "relabel", *arguments],
                          env={**os.environ, "CURED_BUILD": str(build)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def dump(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


def check_stale(root, build, folder):
    """A copy whose labels are others is told, and becomes what it was."""
    sample = root / "data" / "results" / SAMPLE
    copy = shutil.copy(sample, folder)
    with contextlib.closing(sqlite3.connect(copy)) as database, database:
        database.execute("UPDATE kernel SET title = 'as it was called'")
        database.execute("UPDATE axis SET summary = 'as well' WHERE position = 0")
    ran = relabel(root, build, "--check", copy)
    assert ran.returncode == 1, ran.stdout
    assert "as it was called" in ran.stdout and "as well" in ran.stdout, ran.stdout
    ran = relabel(root, build, copy)
    assert ran.returncode == 0 and "1 of 1 " in ran.stdout, ran.stdout
    assert dump(copy) == dump(sample)

    before = pathlib.Path(copy).read_bytes()
    ran = relabel(root, build, copy)
    assert ran.returncode == 0 and "0 of 1 " in ran.stdout, ran.stdout
    assert pathlib.Path(copy).read_bytes() == before


def check_view(root):
    """The view of each recording says what there is: a row a cell, a column a
    parameter, and the times."""
    for path in sorted((root / "data" / "results").glob("*.cured")):
        uri = path.as_uri() + "?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
            axes = [name for name, in database.execute(
                "SELECT name FROM axis ORDER BY position")]
            n_cells, = database.execute("SELECT count(*) FROM cell").fetchone()
            columns = ", ".join(f'"{name}"' for name in [*axes, "state"])
            rows = database.execute(f"SELECT {columns} FROM cells").fetchall()
            assert len(rows) == n_cells, path
            assert all(None not in row for row in rows), path


def main():
    root, build = map(pathlib.Path, sys.argv[1:])
    ran = relabel(root, build, "--check")
    print(ran.stdout)
    if ran.returncode != 0:
        sys.exit(ran.returncode)
    with tempfile.TemporaryDirectory() as folder:
        check_stale(root, build, folder)
        check_view(root)


if __name__ == "__main__":
    main()
