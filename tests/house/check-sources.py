#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What every source file owes the house: its licence, its purpose, no
leftovers, its strings where translators find them, and one way to print.

usage: check-sources.py ROOT         checks the project
       check-sources.py --self-test  checks this check on planted files
"""

import pathlib
import re
import sys
import tempfile

FOLDERS = ["libcured", "cli", "gui", "kernels", "tests", "docs", "dev", "lab",
           "data", "python",
           ".ci"]
CODE = {".c", ".h", ".def", ".cu", ".py", ".ui", ".css"}
# Split, so that this file passes its own check.
LEFTOVER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
# A folder of one person's machine.
PRIVATE = re.compile(r"(?<![\w.])/(home|Users|work|root)/\w")
# xgettext does not know GLib's macros, and ends the string there.
FORMAT = re.compile(r"\bG_G(U?INT64|S?SIZE)_FORMAT\b")
# What a verb prints goes through g_print () and g_printerr (), which leave out
# what a terminal would obey.
PRINTED = re.compile(r"(?<![\w>.])(v?f?printf|f?puts|f?putc|putchar|fwrite|perror)"
                     r" ?\(")
MARKED = re.compile(
    r"(?<![\w])(N?C?_|g_dp?n?gettext2?|ngettext|Q_)\s*\(\s*\"")
MARKED_UI = re.compile(r'translatable="(yes|true)"')


def files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def check_header(path, text):
    """Licence first, then one line of purpose."""
    lines = text.splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    if lines and lines[0].startswith("<?xml"):
        lines = lines[1:]
    if path.suffix == ".cu":
        # The comment that opens a kernel file is its description, and the
        # licence follows.
        return None if "SPDX-License-Identifier: MIT" in text else "no SPDX line"
    if not lines or "SPDX-License-Identifier: MIT" not in lines[0]:
        return "the first line should be the SPDX line"
    if path.suffix in (".c", ".h", ".def") and not re.match(
            r" \* \S.*", lines[1] if len(lines) > 1 else ""):
        return "the second line should say what the file is for"
    return None


def check(root):
    wrong = []
    listed = set()
    potfiles = root / "po/POTFILES"
    if potfiles.exists():
        listed = {line for line in potfiles.read_text().splitlines()
                  if line and not line.startswith("#")}
        for name in sorted(listed):
            if not (root / name).exists():
                wrong.append(f"po/POTFILES: {name} is not there")
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in CODE and (path.parent.name not in ("dev", ".ci")
                                        or path.suffix not in ("", ".sh")):
            continue
        text = path.read_text()
        message = check_header(path, text)
        if message and path.suffix != ".ui":
            wrong.append(f"{name}: {message}")
        for number, line in enumerate(text.splitlines(), 1):
            if LEFTOVER.search(line):
                wrong.append(f"{name}:{number}: a leftover: {line.strip()}")
            if FORMAT.search(line) and name.startswith(
                    ("libcured/", "cli/", "gui/")):
                wrong.append(f"{name}:{number}: translators lose this string;"
                             " write PRId64, PRIu64 or %zu")
            if PRINTED.search(line) and name.startswith(
                    "cli/cured-") and name != "cli/cured-cli-print.c":
                wrong.append(f"{name}:{number}: print with g_print ()")
            if PRIVATE.search(line):
                wrong.append(f"{name}:{number}: a path of one machine")
            if line != line.rstrip():
                wrong.append(f"{name}:{number}: white space at the end")
        if name.partition("/")[0] in ("libcured", "cli", "gui"):
            marked = (MARKED_UI if path.suffix == ".ui" else MARKED)
            if marked.search(text) and name not in listed:
                wrong.append(f"{name}: has strings, and is not in po/POTFILES")
    return wrong


def self_test():
    good = {
        "cli/a.c": "/* SPDX-License-Identifier: MIT\n * A. */\n_(\"x\");\n",
        "dev/run": "#!/bin/sh\n# SPDX-License-Identifier: MIT\n",
        "po/POTFILES": "cli/a.c\n",
    }
    bad = {
        "cli/a.c": "/* A. */\n",
        "cli/b.c": "/* SPDX-License-Identifier: MIT */\nint a;\n",
        "cli/c.c": good["cli/a.c"],
        "cli/d.c": "/* SPDX-License-Identifier: MIT\n * D. */\n/* TO" "DO */\n",
        "cli/e.c": "/* SPDX-License-Identifier: MIT\n * E. */\n//ho \n",
        "cli/f.c": "/* SPDX-License-Identifier: MIT\n * F. */\n"
                   "G_GINT64_FORMAT\n",
        "cli/cured-g.c": "/* SPDX-License-Identifier: MIT\n * G. */\n"
                         "fputs (title, stdout);\n",
        "dev/run": "#!/bin/sh\n# SPDX-License-Identifier: MIT\ncd /ho"
                   "me/me\n",
        "po/POTFILES": "cli/a.c\ncli/gone.c\n",
    }
    for name, text in [(None, None), *bad.items()]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file, content in {**good, **({name: text} if name else {})
                                  }.items():
                (root / file).parent.mkdir(exist_ok=True)
                (root / file).write_text(content)
            wrong = check(root)
            assert len(wrong) == (1 if name else 0), (name, wrong)
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    wrong = check(pathlib.Path(sys.argv[1]))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
