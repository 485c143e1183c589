#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The manual pages are without a fault, each page that a message or another
page refers to is there, and no message refers to a file of the source tree.

usage: check-pages.py ROOT PAGE…
       check-pages.py --self-test
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What a formatter says of pages that are right.
HARMLESS = re.compile(r"missing date|can(not|.t) (adjust|break)")
# Pages and files that a text refers to; a page may have roff in it.
PAGE = re.compile(r"\b(cured(?:\\?-[a-z]+)*)(?:\\fP)?\s?\(([157])\)")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def find_pages(text):
    """“cured-kernel(5)”, also where a string or a page breaks off before (5)."""
    return {f"{name}({section})".replace("\\", "")
            for name, section in PAGE.findall(text)}


def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def check_source(path, known):
    text = strip_comments(path.read_text(encoding="utf-8"))
    strings = " ".join(part[1:-1] for part in STRING.findall(text))
    for page in sorted(find_pages(strings) - known):
        yield f"{path}: {page} is no page"
    for file in re.findall(r"docs/[\w-]+\.md", strings):
        yield f"{path}: a message refers to {file}, which is not installed"


def check_page(path, known):
    text = path.read_text(encoding="utf-8")
    for page in sorted(find_pages(text) - known):
        yield f"{path.name}: {page} is no page"
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    for command in (["groff", "-ww", "-K", "utf8", "-t", "-man", "-Tutf8"],
                    ["mandoc", "-T", "lint", "-W", "warning"]):
        if shutil.which(command[0]) is None:
            print(f"{command[0]} is not installed")
            continue
        said = subprocess.run([*command, path], env=environment, text=True,
                              capture_output=True)
        lines = said.stderr if command[0] == "groff" else said.stdout
        for line in lines.splitlines():
            if not HARMLESS.search(line):
                yield line
    if not re.search(r"^\.SH NAME\n\S+ \\- \S", text, re.MULTILINE):
        yield f"{path.name}: no name, by which apropos finds it"


def check(root, pages):
    known = {f"{path.stem}({path.suffix[1:]})" for path in pages}
    for path in pages:
        yield from check_page(path, known)
    for folder in ("cli", "gui", "libcured"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            yield from check_source(path, known)


def self_test():
    page = ".TH A 5 \"\" \"\"\n.SH NAME\na \\- b\n.SH DESCRIPTION\n%s\n"
    cases = [
        ("x.c", 'say ("see cured-kernel(5)");', 0),
        ("x.c", 'say ("see cured-kernel" "(5)");', 0),
        ("x.c", 'say ("see cured-krenel(5)");', 1),
        ("x.c", 'say ("see docs/banks.md");', 1),
        ("x.c", "/* see docs/banks.md */", 0),
        ("a.5", page % "See cured\\-kernel (5).", 0),
        ("a.5", page % ".BR cured\\-krenel (5)", 1),
    ]
    if shutil.which("groff") is not None:
        cases.append(("a.5", page % ".nonsense", 1))
    with tempfile.TemporaryDirectory() as name:
        for file, text, expected in cases:
            path = pathlib.Path(name) / file
            path.write_text(text)
            run = check_source if file.endswith(".c") else check_page
            wrong = list(run(path, {"cured-kernel(5)"}))
            assert bool(wrong) == bool(expected), (text, wrong)


def main():
    if sys.argv[1] == "--self-test":
        self_test()
        return 0
    wrong = list(check(pathlib.Path(sys.argv[1]),
                       [pathlib.Path(page) for page in sys.argv[2:]]))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
