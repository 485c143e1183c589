#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a screen reader hears of the window, in any release of GTK: the map, the
cursor, the lists, and whatever the keyboard reaches in each view.

usage: check-accessible.py PROGRAM MAKE-RESULT
Exits 77 where the accessibility bus can't be asked.
"""

import os
import re
import subprocess
import sys
import tempfile

# No warning ends the program: each is found in its log.
os.environ.pop("G_DEBUG", None)

try:
    from gi.repository import GLib
except ImportError:
    print("skipped: python3-gi is not installed")
    sys.exit(77)

import toolkit
from desk import Bus, Program, has_name, is_unnamed, until

# By release, a tab has one of these roles, and a text field one of those.
TABS = ("page tab", "radio button", "button")
FIELDS = ("text", "entry")
VIEWS = ("Heat Map", "Banks", "Ladder", "Source", "Compare")


def of_roles(*roles):
    return lambda item: item.role in roles


def check(program):
    main = program.window(role="frame")

    # The cursor is heard as it moves.
    the_map = main.find(where=lambda item: item.description.startswith(
        "Heat map of") and has_name(item.raw_name))
    best = the_map.name
    assert "the best" in best, best
    main.find("Heat Map", where=of_roles(*TABS)).wait()
    # The cards of the first start have the keys, until they are skipped.
    next_card = main.find("Next", "button").wait()
    until(lambda: next_card.is_focused, "the first card has no keys")
    program.press("Escape")
    until(lambda: the_map.is_focused, "Escape does not skip the cards")
    program.press("alt+1", "ctrl+Left")
    until(lambda: the_map.name != best, "the map's name stays")
    assert re.match("tile 32, .*(µs|ms)", the_map.name), the_map.name

    # Each list by its label, or by what it is for; no mnemonic is read aloud, but
    # where GTK names a list by its visible label.
    for label in ("Metric", "Horizontal axis|X", "Vertical axis|Y"):
        main.find(re.compile(f"^({label})\\b"), "combo box").wait()

    # The details are heard as sentences.
    main.find(re.compile("^Time: "), "list item").wait()

    # Another kernel, by the keyboard alone.
    program.press("ctrl+k")
    search = main.find("Search kernels", where=of_roles(*FIELDS))
    until(lambda: search.is_focused, "Ctrl+K does not focus the search")
    program.write("matmul/tiled")
    main.find("Kernels", "list").find("tiled").wait()
    program.press("Return")
    main.find(re.compile("matmul/tiled"), "label").wait()

    # Each view by its key; whatever the keyboard reaches in it has a name.
    for number, view in enumerate(VIEWS, 1):
        main.find(view, where=of_roles(*TABS)).wait()
        program.press(f"alt+{number}")
        main.find(view, "panel").wait()
        silent = {(item.role, item.parent.raw_name)
                  for item in main.everything() if is_unnamed(item)}
        assert not silent, (view, silent)


def main():
    program_path, make_result = sys.argv[1:]
    try:
        Bus.connect()
    except GLib.Error as problem:
        print(f"skipped: {problem.message}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "small.cured")
        log_path = os.path.join(folder, "log")
        subprocess.run([make_result, path], check=True)
        program = Program([program_path, path], log_path)
        try:
            check(program)
        finally:
            program.end()
            with open(log_path, encoding="utf-8") as log:
                print(log.read())
        faults = toolkit.list_faults(log_path)
        assert not faults, faults
    return 0


if __name__ == "__main__":
    sys.exit(main())
