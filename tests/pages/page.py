# SPDX-License-Identifier: MIT
"""What the tests of web pages share: pages of made-up and of hostile results,
and how a page is read."""

import html.parser
import pathlib
import shutil
import sqlite3
import subprocess
import sys

VOID = {"meta", "link", "img", "br", "hr", "input", "source", "base"}

# Of an element, an attribute, a script, a JSON document, and of a reader's eyes.
HOSTILE = ("</script><script>window.pwned=1</script><img src=x "
           "onerror=window.pwned=1>\"' onload=window.pwned=1 <!--<script>"
           "]]>&amp;\u2028\u2029\u202e\x01javascript:pwned`${pwned}`")


class Page(html.parser.HTMLParser):
    """Elements with their attributes and texts; fails on what is not closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.elements = []
        self.texts = []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, \
            f"</{tag}> closes {self.open[-3:]} at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else None, data))

    def text_of(self, tag):
        return "".join(text for where, text in self.texts if where == tag)


def run(cured, *words, expect=0):
    done = subprocess.run([cured, *map(str, words)], capture_output=True,
                          text=True, check=False)
    assert done.returncode == expect, \
        f"{words}: {done.returncode}, {done.stderr}"
    return done.stdout


def make_hostile(source, target):
    """A copy of a result file, all of whose texts attack."""
    shutil.copy(source, target)
    with sqlite3.connect(target) as database:
        tables = [name for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {table: [row[1] for row in database.execute(
            f"PRAGMA table_info({table})")] for table in tables}
        for table, column in (("kernel", "title"), ("kernel", "id"),
                              ("device", "name"), ("device", "driver"),
                              ("device", "host"), ("device", "compiler"),
                              ("axis", "summary"), ("cell", "reason"),
                              ("cell", "output")):
            if column in columns.get(table, []):
                database.execute(f"UPDATE {table} SET {column} = ?", (HOSTILE,))
        (text,) = database.execute("SELECT source FROM kernel").fetchone()
        database.execute("UPDATE kernel SET source = ?",
                         (text + f"\n// {HOSTILE}\n",))
        database.execute(
            "INSERT INTO metric VALUES (9000, ?, ?, ?, 'counted', 'neither', ?)",
            ("x" + HOSTILE, HOSTILE, HOSTILE, HOSTILE))
        database.execute(
            "INSERT INTO measurement SELECT 9000, cell, cell FROM cell")
    database.close()
    return pathlib.Path(target)


class Skipped(Exception):
    """What a test needs is not there."""


def need_compiler(program):
    """Skips the test where kernels can't be compiled."""
    if "\ncompiler: none" in run(program, "devices"):
        raise Skipped("there is no NVRTC")


def report(tests):
    """Runs functions, and reports as TAP."""
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} {test.__name__}")
        except Skipped as why:
            print(f"ok {number} {test.__name__} # SKIP {why}")
        except AssertionError as error:
            failed += 1
            print(f"not ok {number} {test.__name__}")
            print(f"# {error}".replace("\n", "\n# "))
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
