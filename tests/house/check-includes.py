#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads the #include lines and the calls, and fails on an edge that runs back.

usage: check-includes.py ROOT         checks the project
       check-includes.py --self-test  checks this check on planted trees
"""

import collections
import pathlib
import re
import sys
import tempfile

# The way data flows: a stage includes itself and what is left of it. So do the
# rooms of one stage, and its own files are left of all of them.
STAGES = ["base", "bank", "ptx", "kernel", "draft", "spec", "plan", "sass", "device",
          "inspect", "exec", "model", "measure", "store", "import", "worker", "explain", "study", "run",
          "plot"]
ROOMS = {
    "ptx": ["machine", "watch", "exec", "native", "parse", "emulator"],
    "kernel": ["read", "sources", "program", "fill", "reference"],
    "exec": ["client"],
    "plot": ["map", "bank", "export"],
    "cli": ["machine", "verb"],
    "gui": ["model", "widgets", "folder", "program", "map", "banks", "source", "compare",
            "ladder", "sweep", "start", "app"],
}
MOST_FILES = 45  # of a folder
MOST_LINES = 1400  # of a file
UMBRELLAS = ["cured.h", "cured-plot.h"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# Made by the build; they include nothing of ours.
GENERATED = {"config.h"}
# Libraries that only some rooms may know. The key ends at a path's slash or
# at the header's name.
LIBRARIES = {
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
    for prefix, rooms in LIBRARIES.items():
        if name.startswith(prefix) and room not in rooms:
            return f"<{name}> belongs to {' and '.join(sorted(rooms))} alone"
    return None


def is_in_order(rooms, source, target):
    """Whether a file in the room @source may include one in @target; "" is
    the folder that holds the rooms."""
    order = ["", *rooms]
    return order.index(target) <= order.index(source)


def check_library(root, parts, name):
    """@parts: of the including file's path, from its stage on."""
    stage = parts[0]
    if name in GENERATED or re.fullmatch(r"cured-\w+-resources?\.h", name):
        return None
    target = name.split("/")
    if target[0] not in STAGES or len(target) == 1:
        return f'"{name}" should name its stage, as in "base/cured-error.h"'
    if not (root / "libcured" / name).exists():
        return f'"{name}" is no file of the library'
    if STAGES.index(target[0]) > STAGES.index(stage):
        return f'"{name}" runs back: {target[0]} comes after {stage}'
    if target[0] != stage:
        if name.endswith("-private.h"):
            return (f'"{name}" is private to {target[0]}/; what other stages'
                    " need is in a header that ends in -internal.h")
    elif not is_in_order(ROOMS.get(stage, []), "/".join(parts[1:-1]),
                         "/".join(target[1:-1])):
        return f'"{name}" runs back within {stage}/'
    return None


def check_program(root, parts, name):
    """@parts: of the including file's path, from its program on."""
    program = parts[0]
    if name in UMBRELLAS or name in GENERATED:
        return None
    if name.startswith("cured-gui-resource"):
        return None
    if not (root / program / name).exists():
        return (f'"{name}" is not cured.h or cured-plot.h, and no header of'
                f" {program}/")
    rooms = ROOMS.get(program, [])
    room, target = "/".join(parts[1:-1]), name.rpartition("/")[0]
    if not is_in_order(rooms, room, target):
        return f'"{name}" runs back: {target} comes after {room}'
    if room != target and name.endswith("-private.h"):
        return f'"{name}" is private to {target}/'
    return None


def check(root):
    """Returns what is wrong, one line each."""
    wrong = []
    for path in [p for room in ("libcured", "cli", "gui")
                 for p in sources(root / room)]:
        parts = path.relative_to(root).parts
        if parts[0] == "libcured":
            if len(parts) == 2 and parts[1] in UMBRELLAS:
                continue
            parts = parts[1:]
            if parts[0] not in STAGES:
                wrong.append(f"{path.relative_to(root)}: {parts[0]} is no"
                             " stage")
                continue
        room = "/".join(parts[1:-1])
        if room and room not in ROOMS.get(parts[0], []):
            wrong.append(f"{path.relative_to(root)}: {room} is no room of"
                         f" {parts[0]}/")
            continue
        for quote, name in INCLUDE.findall(path.read_text()):
            if quote == "<":
                message = check_system(parts[0], name)
            elif parts[0] in STAGES:
                message = check_library(root, parts, name)
            else:
                message = check_program(root, parts, name)
            if message:
                wrong.append(f"{path.relative_to(root)}: {message}")
    return (wrong + check_headers(root) + check_names(root) + check_circles(root)
            + check_sizes(root))


def check_headers(root):
    """Every public header is in its umbrella and in the list of headers."""
    wrong = []
    build = (root / "libcured/meson.build").read_text()
    for path in sorted((root / "libcured").rglob("*.h")):
        name = path.relative_to(root / "libcured").as_posix()
        if name.endswith(("-private.h", "-internal.h")) or name in UMBRELLAS:
            continue
        umbrella = UMBRELLAS[name.startswith("plot/")]
        if f'#include "{name}"' not in (root / "libcured" / umbrella).read_text():
            wrong.append(f"libcured/{name}: missing from {umbrella}; a header"
                         " of a stage's own ends in -private.h, one that the"
                         " library shares in -internal.h")
        if f"'{name}'" not in build:
            wrong.append(f"libcured/{name}: missing from libcured/meson.build")
    return wrong


TYPE = re.compile(r"^struct _(Cured\w+)\s*\{|^\} (Cured\w+);", re.MULTILINE)


def check_names(root):
    """No two files have one name, and no two types."""
    wrong = []
    files = {}
    types = {}
    for path in [p for room in ("libcured", "cli", "gui")
                 for p in sources(root / room)]:
        name = path.relative_to(root).as_posix()
        if path.name in files and path.name != "main.c":
            wrong.append(f"{name}: {files[path.name]} has the same name")
        files.setdefault(path.name, name)
        for match in TYPE.finditer(path.read_text()):
            kind = match.group(1) or match.group(2)
            if kind in types:
                wrong.append(f"{name}: {kind} is a type of {types[kind]}, too")
            types.setdefault(kind, name)
    return wrong


def check_sizes(root):
    """No folder has more files, and no file more lines, than one looks through."""
    paths = [path for room in ("libcured", "cli", "gui") for path in sources(root / room)]
    folders = collections.Counter(path.parent for path in paths)
    lines = {path: path.read_text().count("\n") for path in paths}
    return ([f"{folder.relative_to(root)}: {count} files, more than {MOST_FILES}"
             for folder, count in folders.items() if count > MOST_FILES]
            + [f"{path.relative_to(root)}: {count} lines, more than {MOST_LINES}"
               for path, count in lines.items() if count > MOST_LINES])


# A definition: its type and its name, each at the beginning of a line.
DEFINED = re.compile(r"^(\w[^\n;]*)\n([a-z_]\w+) \(", re.MULTILINE)
NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def check_circles(root):
    """Files of a program use each other's functions one way."""
    wrong = []
    for program in ("libcured", "cli", "gui"):
        texts = {path.relative_to(root).as_posix(): NO_CODE.sub("", path.read_text())
                 for path in sources(root / program) if path.suffix == ".c"}
        own = {file: {name: "static" in kind for kind, name in DEFINED.findall(text)}
               for file, text in texts.items()}
        home = {name: file for file, names in own.items()
                for name, is_static in names.items() if not is_static}
        uses = {file: {home[word]: word for word in set(re.findall(r"\w+", text))
                       if word in home and word not in own[file]}
                for file, text in texts.items()}
        # A file that uses none of the others, or that none of them uses, is in no circle.
        ends = True
        while ends:
            used = {target for targets in uses.values() for target in targets}
            ends = {file for file in uses if file not in used or not uses[file]}
            uses = {file: {target: word for target, word in targets.items()
                           if target not in ends}
                    for file, targets in uses.items() if file not in ends}
        if uses:
            wrong.append("a circle of files: " + "; ".join(
                f"{file} uses {word} () of {target}" for file, targets in sorted(uses.items())
                for target, word in sorted(targets.items())))
    return wrong


GOOD = {
    "libcured/cured.h": '#include "base/a.h"\n#include "store/b.h"\n',
    "libcured/cured-plot.h": '#include "cured.h"\n#include "plot/p.h"\n',
    "libcured/meson.build": "'base/a.h', 'store/b.h', 'plot/p.h'",
    "libcured/base/a.h": "#pragma once\n#include <glib.h>\n",
    "libcured/base/a.c": '#include "base/a.h"\n#include "config.h"\n'
        "int\na_get (void)\n{\n  return c_get ();\n}\n",
    "libcured/base/a-internal.h": "typedef struct\n{\n} CuredInner;\n",
    "libcured/base/a-private.h": "struct _CuredOuter\n{\n};\n",
    "libcured/ptx/t-private.h": "",
    "libcured/ptx/machine/m-private.h": '#include "ptx/t-private.h"\n',
    "libcured/ptx/exec/e.c": '#include "ptx/machine/m-private.h"\n',
    "libcured/store/b.h": '#include "base/a.h"\n',
    "libcured/store/b.c":
        '#include "store/b.h"\n#include <sqlite3.h>\n'
        '#include "base/a-internal.h"\n'
        "int\nb_get (void)\n{\n  return a_get ();\n}\n",
    "libcured/plot/p.h": "#include <cairo.h>\n",
    "cli/main.c": '#include "cured.h"\n#include <stdio.h>\n',
    "gui/model/d.h": '#include "cured.h"\n',
    "gui/app/w-private.h": '#include "cured-plot.h"\n',
    "gui/app/w.c":
        '#include "app/w-private.h"\n#include "model/d.h"\n'
        "#include <gtk/gtk.h>\n",
}
# Each breaks one rule.
BAD = {
    "libcured/base/a.c": '#include "store/b.h"\n',
    "libcured/base/c.c": "int\nc_get (void)\n{\n  return a_get ();\n}\n",
    "libcured/base/a.h": '# include "b.h"\n',
    "libcured/store/b.c": "#include <cairo.h>\n",
    "libcured/store/b.h": '#include "base/none.h"\n',
    "libcured/store/c.c": '#include "base/a-private.h"\n',
    "libcured/ptx/t-private.h": '#include "ptx/machine/m-private.h"\n',
    "libcured/ptx/machine/m.c": "struct _CuredInner\n{\n};\n",
    "libcured/ptx/other/n.c": "",
    "libcured/plot/map/a.c": "",
    "libcured/cured.h": '#include "base/a.h"\n',
    "libcured/cured-plot.h": "",
    "libcured/meson.build": "'store/b.h', 'plot/p.h'",
    "cli/main.c": '#include "store/b.h"\n',
    "cli/long.c": "\n" * (MOST_LINES + 1),
    "gui/app/w.c": "#include <cuda_runtime_api.h>\n",
    "gui/model/d.h": '#include "app/w-private.h"\n',
    "gui/map/x.c": '#include "model/none.h"\n',
}


def check_planted(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check(root)


def self_test():
    assert check_planted(GOOD) == [], check_planted(GOOD)
    for name, text in BAD.items():
        wrong = check_planted({**GOOD, name: text})
        assert len(wrong) == 1, (name, wrong)
    many = {f"libcured/store/{n}.c": "" for n in range(MOST_FILES)}
    assert len(check_planted({**GOOD, **many})) == 1
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
