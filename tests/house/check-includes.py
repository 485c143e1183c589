#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads the #include lines and fails on an edge that runs back.

usage: check-includes.py ROOT         checks the project
       check-includes.py --self-test  checks this check on planted trees
"""

import pathlib
import re
import sys
import tempfile

# ORDER: the way data flows. A stage includes itself and what is left of it.
STAGES = ["base", "bank", "ptx", "kernel", "spec", "plan", "device", "timing",
          "check", "store", "run", "plot"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# Made by the build; they include nothing of ours.
GENERATED = {"config.h"}
# Libraries that only some rooms may know. The key ends at a path's slash or
# at the header's name.
ROOMS = {
    "gtk/": {"gui"},
    "gdk/": {"gui"},
    "adwaita.h": {"gui"},
    "cairo": {"plot", "gui"},
    "pango/": {"plot", "gui"},
    "sqlite3.h": {"store"},
    "cuda": {"device"},
}


def sources(folder):
    return sorted(path for path in folder.rglob("*")
                  if path.suffix in (".c", ".h", ".def"))


def check_system(room, name):
    for prefix, rooms in ROOMS.items():
        if name.startswith(prefix) and room not in rooms:
            return f"<{name}> belongs to {' and '.join(sorted(rooms))} alone"
    return None


def check_library(root, stage, name):
    if name in GENERATED or re.fullmatch(r"cured-\w+-resources?\.h", name):
        return None
    target = name.partition("/")[0]
    if target not in STAGES or "/" not in name:
        return f'"{name}" should name its stage, as in "base/cured-error.h"'
    if not (root / "libcured" / name).exists():
        return f'"{name}" is no file of the library'
    if STAGES.index(target) > STAGES.index(stage):
        return f'"{name}" runs back: {target} comes after {stage}'
    return None


def check_program(root, room, name):
    if name == "cured.h" or name in GENERATED:
        return None
    if (root / room / name).exists() or name.startswith("cured-gui-resource"):
        return None
    return f'"{name}" is not cured.h, and no header of {room}/'


def check(root):
    """Returns what is wrong, one line each."""
    wrong = []
    for path in [p for room in ("libcured", "cli", "gui")
                 for p in sources(root / room)]:
        parts = path.relative_to(root).parts
        if parts == ("libcured", "cured.h"):
            continue
        room = parts[1] if parts[0] == "libcured" else parts[0]
        if parts[0] == "libcured" and room not in STAGES:
            wrong.append(f"{path.relative_to(root)}: {room} is no stage")
            continue
        for quote, name in INCLUDE.findall(path.read_text()):
            if quote == "<":
                message = check_system(room, name)
            elif parts[0] == "libcured":
                message = check_library(root, room, name)
            else:
                message = check_program(root, room, name)
            if message:
                wrong.append(f"{path.relative_to(root)}: {message}")
    wrong += check_headers(root)
    return wrong


def check_headers(root):
    """Every public header is in the umbrella and in the list of headers."""
    wrong = []
    umbrella = (root / "libcured/cured.h").read_text()
    build = (root / "libcured/meson.build").read_text()
    for path in sorted((root / "libcured").rglob("*.h")):
        name = path.relative_to(root / "libcured").as_posix()
        if name.endswith("-private.h") or name == "cured.h":
            continue
        if f'#include "{name}"' not in umbrella:
            wrong.append(f"libcured/{name}: missing from cured.h; a header of"
                         " the library's own ends in -private.h")
        if f"'{name}'" not in build:
            wrong.append(f"libcured/{name}: missing from libcured/meson.build")
    return wrong


def plant(root, files):
    (root / "libcured/base").mkdir(parents=True)
    (root / "libcured/store").mkdir()
    (root / "cli").mkdir()
    (root / "gui").mkdir()
    for name, text in files.items():
        (root / name).write_text(text)


def self_test():
    good = {
        "libcured/cured.h":
            '#include "base/a.h"\n#include "store/b.h"\n',
        "libcured/meson.build": "'base/a.h', 'store/b.h'",
        "libcured/base/a.h": "#pragma once\n#include <glib.h>\n",
        "libcured/base/a.c": '#include "base/a.h"\n#include "config.h"\n',
        "libcured/store/b.h": '#include "base/a.h"\n',
        "libcured/store/b.c": '#include "store/b.h"\n#include <sqlite3.h>\n',
        "cli/main.c": '#include "cured.h"\n#include <stdio.h>\n',
        "gui/main.c": '#include "cured.h"\n#include <gtk/gtk.h>\n',
    }
    bad = {
        "libcured/base/a.c": '#include "store/b.h"\n',
        "libcured/base/a.h": '# include "b.h"\n',
        "libcured/store/b.c": "#include <cairo.h>\n",
        "libcured/store/b.h": '#include "base/none.h"\n',
        "libcured/cured.h": '#include "base/a.h"\n',
        "libcured/meson.build": "'store/b.h'",
        "cli/main.c": '#include "store/b.h"\n',
        "gui/main.c": "#include <cuda_runtime_api.h>\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "good"
        plant(root, good)
        assert check(root) == [], check(root)
    for name, text in bad.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "bad"
            plant(root, {**good, name: text})
            wrong = check(root)
            assert len(wrong) == 1, (name, wrong)
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
