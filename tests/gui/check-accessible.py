#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a screen reader hears of the window: roles, names and the cursor.

usage: check-accessible.py PROGRAM MAKE-RESULT
Exits 77 where the accessibility bus can't be asked.
"""

import os
import re
import subprocess
import sys
import tempfile
import time

# No warning is fatal: the bus warns of whatever vanishes between two questions,
# and what the application says is read at the end. Read before GLib is loaded.
os.environ.pop("G_DEBUG", None)

try:
    import pyatspi
except ImportError:
    print("skipped: python3-pyatspi is not installed")
    sys.exit(77)


def find_application(patience_s=100):
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        for application in pyatspi.Registry.getDesktop(0):
            if application is not None and "cured" in application.name.lower():
                if application.childCount > 0:
                    return application
        time.sleep(0.2)
    return None


def walk(node, depth=0):
    if node is None or depth > 40:
        return
    yield node
    try:
        n = node.childCount
    except Exception:
        # It went while it was asked.
        return
    for i in range(n):
        try:
            child = node.getChildAtIndex(i)
        except Exception:
            continue
        yield from walk(child, depth + 1)


def names(application, role):
    return [
        n.name for n in walk(application)
        if n.getRoleName() == role and n.name
    ]


def wait_for(condition, what, patience_s=100):
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.2)
    raise AssertionError(what)


def map_name(application):
    for node in walk(application):
        if node.description.startswith("Heat map of"):
            return node.name
    return ""


def press(key):
    subprocess.run(["xdotool", "key", key], check=True)
    time.sleep(0.3)


# Roles of what holds others, or is part of something that has a name.
PARTS = ("filler", "panel", "scroll pane", "viewport", "list", "frame", "window",
         "list box", "tree", "tree table", "table", "grouping", "unknown",
         "scroll bar", "separator")
COMPOSITES = ("combo box", "spin button", "toggle button", "entry")

VIEWS = ("Heat Map", "Banks", "Ladder", "Source", "Compare")


# What can be operated, whether the toolkit calls it focusable or not.
OPERATED = ("push button", "toggle button", "radio button", "check box",
            "slider", "spin button", "combo box", "text", "entry", "menu item",
            "switch", "list item", "table row", "link")


def is_showing(node):
    """GTK 4.8 tells nobody what is on the screen; what is not has no size."""
    if not node.getState().contains(pyatspi.STATE_VISIBLE):
        return False
    try:
        extents = node.queryComponent().getExtents(pyatspi.WINDOW_COORDS)
    except NotImplementedError:
        return False
    return extents.width > 0 and extents.height > 0


def says(node):
    """Its name, or what describes it; a type's name is what GTK says of what
    has none."""
    name = node.name or ""
    if re.match(r"(Gtk|Adw|Cured)[A-Z]\w+$", name):
        name = ""
    return name or node.description


def text_of(node):
    """What a screen reader says of a row: its own name, or its labels'."""
    if says(node):
        return says(node)
    return " ".join(n.name for n in walk(node)
                    if n.getRoleName() == "label" and n.name)


def unnamed(application):
    """What can have the focus and says nothing."""
    found = []
    for node in walk(application):
        try:
            role = node.getRoleName()
            if not is_showing(node) or \
               not (role in OPERATED or
                    node.getState().contains(pyatspi.STATE_FOCUSABLE)):
                continue
            parent = node.parent
            if role in PARTS or (parent is not None and
                                 parent.getRoleName() in COMPOSITES):
                continue
            if not text_of(node):
                found.append((role, parent.name if parent else "",
                              [c.getRoleName() for c in walk(node)][1:4]))
        except Exception:
            # It went while it was asked.
            continue
    return found


def names_by_label(application):
    version = application.get_toolkit_version() or "0.0"
    return tuple(int(part) for part in version.split(".")[:2]) >= (4, 10)


def main():
    program, make_result = sys.argv[1:]
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "small.cured")
    subprocess.run([make_result, path], check=True)

    with open(os.path.join(folder, "log"), "w") as log:
        process = subprocess.Popen([program, path], stdout=log, stderr=log)
    try:
        application = find_application()
        if application is None:
            print("skipped: the accessibility bus does not answer")
            return 77

        wait_for(lambda: map_name(application), "the map has no name")
        before = map_name(application)
        assert "the best" in before, before

        # The cursor is heard as it moves.
        press("ctrl+Left")
        wait_for(lambda: map_name(application) != before,
                 "the map's name did not follow the cursor")
        here = map_name(application)
        assert here.startswith("tile\u00a032, "), here
        assert "µs" in here or "ms" in here, here

        # GTK 4.8 reads the label that was set; GTK 4.14 prefers the visible
        # label, its mnemonic included, or has the description alone.
        combos = [
            (n.name or n.description).replace("_", "")
            for n in walk(application) if n.getRoleName() == "combo box"
        ]
        for wanted in (("Metric",), ("Horizontal axis", "X"),
                       ("Vertical axis", "Y")):
            assert any(c.startswith(wanted) for c in combos), (wanted, combos)

        # No mnemonic is read aloud, but where GTK names a widget by its visible
        # label with all that is in it.
        marked = [n.name for n in walk(application)
                  if is_showing(n) and n.getRoleName() == "combo box"
                  and n.name.startswith("_")]
        assert not marked or names_by_label(application), marked

        # The details are heard as sentences.
        rows = names(application, "list item")
        assert any(r.startswith("Time: ") for r in rows), rows

        # A kernel whose banks can be shown, by the keyboard alone.
        press("ctrl+k")
        subprocess.run(["xdotool", "type", "matmul/tiled"], check=True)
        time.sleep(0.5)
        press("Return")
        wait_for(lambda: any("matmul/tiled" in n.name for n in walk(application)
                             if n.getRoleName() == "label"),
                 "the kernel that was searched for is not shown")
        press("ctrl+k")
        press("Escape")

        # The views are a list of tabs, each page is reached by its key, and
        # everything in it that can have the focus has a name.
        tabs = {n.name.replace("_", "") for n in walk(application)
                if n.getRoleName() in ("radio button", "toggle button",
                                       "page tab")}
        assert set(VIEWS) <= tabs, tabs
        for i, view in enumerate(VIEWS):
            press(f"alt+{i + 1}")
            time.sleep(2)
            silent = unnamed(application)
            assert not silent, (view, silent)

        # The sidebar: families with their kernels.
        assert "Search kernels" in names(application, "text") + \
            names(application, "entry"), "the search has no name"
        press("alt+1")
    finally:
        ended = process.poll()
        process.terminate()
        process.wait()
        if ended is not None:
            with open(os.path.join(folder, "log")) as log:
                print(log.read())
            raise AssertionError(f"the application ended with {ended}")
    with open(os.path.join(folder, "log")) as log:
        # GTK 4.8 says this of a frame that the next one mends: gui-test.c.
        said = [line for line in log
                if ("CRITICAL" in line or "WARNING" in line) and
                "Trying to snapshot" not in line]
    assert not said, said
    return 0


if __name__ == "__main__":
    sys.exit(main())
