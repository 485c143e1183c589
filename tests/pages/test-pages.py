#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Web pages as text: whole, closed to the network, and told nothing by hostile
files; sites; Markdown and tables with tabs; following a file.

usage: test-pages.py CURED RESULTS MAKE-RESULT
"""

import base64
import csv
import hashlib
import html
import io
import json
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import zlib

import page

CURED, RESULTS, MAKE_RESULT = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
FOLDER = pathlib.Path(tempfile.mkdtemp())
SWEEP = RESULTS / "reduce-two-launch-h200.cured"
SPECIMEN = RESULTS / "specimens-tile-column-h200.cured"


def export(source, name, *words, expect=0):
    out = FOLDER / name
    page.run(CURED, "export", source, *words, "-o", out, expect=expect)
    return out


def read(path):
    text = path.read_text(encoding="utf-8")
    return text, page.Page(text)


def check_closed(text, elements):
    """No address leads out, and nothing runs that the policy does not name."""
    policies = [a["content"] for tag, a in elements
                if a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1, policies
    policy = policies[0]
    assert policy.startswith("default-src 'none';"), policy
    assert "unsafe" not in policy and "http" not in policy, policy
    for tag in ("script", "style"):
        for body in re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL):
            digest = base64.b64encode(
                hashlib.sha256(body.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy, f"a {tag} has no hash"
    for tag, attributes in elements:
        for name, value in attributes.items():
            assert not name.startswith("on"), f"<{tag} {name}>"
            assert name != "style", f"<{tag}> has a style, which is blocked"
            if name in ("src", "href", "action", "data"):
                assert re.match(r"#|data:image/svg\+xml;base64,|"
                                r"[\w%.-]+\.html$", value), value
    outside = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    for tag in ("iframe", "object", "embed", "link", "base", "form"):
        assert f"<{tag}" not in outside, tag


def data_of(text):
    found = re.findall(r'<script type="application/json" id="data">(.*?)'
                       r'</script>', text, re.DOTALL)
    assert len(found) == 1, len(found)
    assert "\u2028" not in found[0] and "<" not in found[0]
    return json.loads(found[0])


def test_structure():
    out = export(SWEEP, "sweep.html")
    text, parsed = read(out)
    assert out.stat().st_size < 2_000_000, out.stat().st_size
    check_closed(text, parsed.elements)
    tags = [tag for tag, _ in parsed.elements]
    for tag in ("title", "main", "h1", "svg", "table", "caption", "code"):
        assert tag in tags or tag == "caption", tag
    assert ("html", {"lang": "en"}) in parsed.elements
    for tag, attributes in parsed.elements:
        if tag == "svg":
            assert attributes.get("role") == "img" and (
                "aria-label" in attributes or "aria-labelledby" in attributes)
    ids = [a["id"] for _, a in parsed.elements if "id" in a]
    assert len(ids) == len(set(ids)), "an id is there twice"
    for _, attributes in parsed.elements:
        target = attributes.get("href", "")
        assert not target.startswith("#") or target[1:] in ids, target
    for words in ("measured", "derived", "counted", "NVIDIA H200", "n = 100"):
        assert words in text, words


def table_of(text):
    """The rows of all cells, head first."""
    body = re.search(r'<table id="all">(.*?)</table>', text, re.DOTALL)[1]
    return [[html.unescape(field) for field in re.findall(
        r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
            for row in body.split("<tr")[1:]]


def test_data_is_the_files():
    """What the page has is what the CSV has."""
    text, parsed = read(export(SWEEP, "sweep.html"))
    data = data_of(text)
    head, *table = table_of(text)
    rows = list(csv.DictReader(io.StringIO(
        page.run(CURED, "export", SWEEP, "-f", "csv", "-o", "-"))))
    assert len(rows) == len(table) == len(data["cells"])
    factors = {"ns": 1, "µs": 1e3, "ms": 1e6}
    for row, cells in zip(rows, table):
        number, unit = cells[head.index("Time")].split(" ")
        value = float(number) * factors[unit]
        assert abs(float(row["time [ns]"]) - value) <= 2e-3 * value
    with sqlite3.connect(SWEEP) as database:
        (n_samples,) = database.execute(
            "SELECT count(*) FROM sample WHERE cell = 0 AND mode = 'cold'"
        ).fetchone()
    cold = data["cells"]["0"]["samples"][0]
    step = re.search(r"\(1 of (\d+) shown\)", cold["name"])
    assert cold["dots"].count("M") == -(-n_samples // int(step[1] if step else 1))
    origins = {a["data-origin"] for _, a in parsed.elements if "data-origin" in a}
    assert origins <= {"measured", "counted", "derived", "predicted"}, origins


def test_pictures_are_the_exporters():
    """Each view has the drawing that an export has, packed but for the first."""
    data = data_of(read(export(SWEEP, "sweep.html"))[0])
    first, *others = data["views"]
    assert first["metric"] == "time" and "light" not in first and others
    for view in others:
        for theme in ("light", "dark"):
            svg = zlib.decompress(base64.b64decode(view[theme]))
            assert svg.startswith(b"<?xml") and b"<svg" in svg


def test_banks_and_source():
    """Of a kernel with a conflict; without a compiler, the source alone."""
    text, parsed = read(export(SPECIMEN, "specimen.html"))
    assert parsed.text_of("code").count("tile[threadIdx.x][threadIdx.y") >= 1
    if 'class="banks"' not in text:
        assert "NVRTC" in text, "no banks, and no reason"
        return
    assert "Wavefronts 32, ideal 1" in text
    assert text.count('class="chip late"') == 31
    assert '<tr class="excess">' in text


def test_hostile():
    path = page.make_hostile(SPECIMEN, FOLDER / "hostile.cured")
    text, parsed = read(export(path, "hostile.html"))
    check_closed(text, parsed.elements)
    scripts = [a for tag, a in parsed.elements if tag == "script"]
    assert len(scripts) == 2, scripts
    assert not [a for tag, a in parsed.elements if tag == "img"]
    assert "\u202e" not in text and "\x01" not in text
    data_of(text)
    assert "</script><script>window.pwned=1" in parsed.text_of("th")
    # A text is there, as a text.
    assert "</script><script>window.pwned=1" in parsed.text_of("td")
    for name in ("hostile.md", "hostile.tsv"):
        assert "\n<script>" not in export(path, name).read_text()
    markdown = (FOLDER / "hostile.md").read_text()
    assert not re.search(r"(?<!\\)<", markdown), "Markdown has an element"


def test_hostile_twin():
    """The same text is seen by a page that does not escape."""
    text = f"<html><body><p>{page.HOSTILE}</p></body></html>"
    try:
        parsed = page.Page(text)
        check_closed(text, parsed.elements)
    except AssertionError:
        return
    raise AssertionError("the check lets everything through")


def test_pictures():
    """Any drawing has a page: of banks, the picture and the table."""
    out = FOLDER / "stride.html"
    page.run(CURED, "banks", "--stride", "2", "-o", out)
    text, parsed = read(out)
    check_closed(text, parsed.elements)
    (image,) = [a for tag, a in parsed.elements if tag == "img"]
    svg = base64.b64decode(image["src"].split(",", 1)[1])
    assert b"<svg" in svg and image["alt"]
    assert [tag for tag, _ in parsed.elements].count("tr") == 33


def test_markdown():
    text = export(RESULTS / "matmul-tiled-h200.cured", "sizes.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1, rows
    assert len(rows) == 2 + 3
    # Each size of the problem has its best.
    assert text.count("**×1.00**") == 3, text
    assert "× the best of its n" in text
    assert "measured" in text


def test_tabs():
    """The same fields as the CSV, separated by tabs."""
    rows = list(csv.reader(io.StringIO(
        page.run(CURED, "export", SWEEP, "-f", "csv", "-o", "-"))))
    text = page.run(CURED, "export", SWEEP, "-f", "tsv", "-o", "-")
    assert [line.split("\t") for line in text.splitlines()] == rows


def test_large():
    """A page has a limit, and says so; a table has none."""
    page.run(MAKE_RESULT, FOLDER / "large.cured", "201", "100")
    error = subprocess.run(
        [CURED, "export", FOLDER / "large.cured", "-o", FOLDER / "l.html"],
        capture_output=True, text=True, check=False)
    assert error.returncode == 2 and "20000" in error.stderr, error.stderr
    assert not (FOLDER / "l.html").exists()


def test_site():
    results = FOLDER / "results"
    results.mkdir()
    for name in ("reduce-two-launch", "specimens-tile-column"):
        shutil.copy(RESULTS / f"{name}-h200.cured", results)
    page.make_hostile(SPECIMEN, results / "index.cured")
    (results / "cut.cured").write_bytes(b"SQLite format 3\0nothing")
    out = FOLDER / "site"
    said = page.run(CURED, "export", results, "-f", "html", "-o", out, expect=1)
    assert "3 pages" in said, said
    text, parsed = read(out / "index.html")
    check_closed(text, parsed.elements)
    names = [a["href"] for tag, a in parsed.elements if tag == "a"]
    assert sorted(names) == ["index-result.html",
                             "reduce-two-launch-h200.html",
                             "specimens-tile-column-h200.html"], names
    for name in names:
        page_text, page_parsed = read(out / name)
        check_closed(page_text, page_parsed.elements)
    pictures = FOLDER / "pictures"
    page.run(CURED, "export", results, "-f", "png", "-o", pictures, expect=1)
    assert sorted(path.name for path in pictures.iterdir()) == [
        "index.png", "reduce-two-launch-h200.png",
        "specimens-tile-column-h200.png"]
    page.run(CURED, "export", results, "-f", "html", "-o", "-", expect=2)


def test_watch():
    """A file that is complete is shown once; another one, until it is."""
    once = page.run(CURED, "show", "--watch", SPECIMEN)
    assert once.count("Cells") == 1, once
    path = FOLDER / "watched.cured"
    shutil.copy(SPECIMEN, path)

    def set_finished(value):
        with sqlite3.connect(path) as database:
            database.execute("UPDATE sweep SET finished = ?", (value,))
        database.close()

    def start():
        return subprocess.Popen([CURED, "show", "--watch", path], text=True,
                                stdout=subprocess.PIPE)

    def read_map(process):
        while "Cells" not in (line := process.stdout.readline()):
            assert line, "it ended"

    set_finished(0)
    for end in ("finish", "interrupt"):
        with start() as process:
            read_map(process)
            if end == "finish":
                set_finished(1)
                read_map(process)
                assert process.wait() == 0
                set_finished(0)
            else:
                process.send_signal(signal.SIGINT)
                assert "Cells" not in process.stdout.read(), \
                    "drawn again though nothing changed"
                assert process.wait() == 130
    page.run(CURED, "show", "--watch", "--json", path, expect=2)


def test_quiz():
    """A figure is told after the guess, and never before."""
    page.need_compiler(CURED)
    done = subprocess.run(
        [CURED, "claims", "--quiz", "--results", RESULTS, "banks/stride"],
        input="0\n1\n\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    parts = done.stdout.split("> ")
    assert "?" in parts[0] and "no conflict" not in parts[0], parts[0]
    assert parts[1].startswith("Right: 0. A stride that shares no factor"), parts[1]
    assert parts[2].startswith("No: 112. A stride of 8"), parts[2]
    assert "1 of 2 guesses" in parts[-1], parts[-1]
    page.run(CURED, "claims", "--quiz", "--json", expect=2)


def test_lessons():
    page.need_compiler(CURED)
    listed = page.run(CURED, "lessons").splitlines()
    assert len(listed) >= 12
    out = FOLDER / "handout.pdf"
    page.run(CURED, "lessons", "strides", "--results", RESULTS, "-o", out)
    assert out.read_bytes().startswith(b"%PDF-")
    plain = page.run(CURED, "lessons", "strides", "--results", RESULTS)
    told = page.run(CURED, "lessons", "strides", "--results", RESULTS,
                    "--answers")
    assert "112, counted" in told and "112" not in plain
    page.run(CURED, "lessons", "stride", expect=2)
    page.run(CURED, "lessons", "-o", out, expect=2)


try:
    page.report([test_structure, test_data_is_the_files,
                 test_pictures_are_the_exporters, test_banks_and_source,
                 test_hostile, test_hostile_twin, test_pictures, test_markdown,
                 test_tabs, test_large, test_site, test_watch,
                 test_quiz, test_lessons])
finally:
    shutil.rmtree(FOLDER)
