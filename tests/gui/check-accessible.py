#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a screen reader hears of the window: roles, names and the cursor.

usage: check-accessible.py PROGRAM MAKE-RESULT
Exits 77 where the accessibility bus can't be asked.
"""

import os
import subprocess
import sys
import tempfile
import time

# Warnings are fatal for the application, not for this script: the bus warns of
# whatever vanishes between two questions. Read before GLib is loaded.
application_environment = dict(os.environ)
os.environ.pop("G_DEBUG", None)

try:
    import pyatspi
except ImportError:
    print("skipped: python3-pyatspi is not installed")
    sys.exit(77)


def find_application(patience_s=20):
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
    for i in range(node.childCount):
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


def wait_for(condition, what, patience_s=10):
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


def main():
    program, make_result = sys.argv[1:]
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "small.cured")
    subprocess.run([make_result, path], check=True)

    with open(os.path.join(folder, "log"), "w") as log:
        process = subprocess.Popen([program, path], stdout=log, stderr=log,
                                   env=application_environment)
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

        # What can be pressed has a name.
        unnamed = [
            n for n in walk(application)
            if n.getRoleName() in ("push button", "toggle button", "slider",
                                   "text")
            and n.getState().contains(pyatspi.STATE_SHOWING) and not n.name
            and n.parent is not None
            and n.parent.getRoleName() not in ("combo box", "toggle button")
        ]
        assert not unnamed, [(n.getRoleName(), n.parent.name)
                             for n in unnamed]

        # GTK 4.8 reads the label that was set; GTK 4.14 prefers the visible
        # label, its mnemonic included, or has the description alone.
        combos = [
            (n.name or n.description).replace("_", "")
            for n in walk(application) if n.getRoleName() == "combo box"
        ]
        for wanted in (("Metric",), ("Parameter to the right", "X"),
                       ("Parameter upwards", "Y"), ("Colours",)):
            assert any(c.startswith(wanted) for c in combos), (wanted, combos)

        # The details are heard as sentences.
        rows = names(application, "list item")
        assert any(r.startswith("Time: ") for r in rows), rows
    finally:
        process.terminate()
        process.wait()
    with open(os.path.join(folder, "log")) as log:
        said = [line for line in log
                if "CRITICAL" in line or "WARNING" in line]
    assert not said, said
    return 0


if __name__ == "__main__":
    sys.exit(main())
