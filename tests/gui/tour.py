#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The window as a new user meets it: every view, by keyboard and pointer.

usage: tour.py [--language=CODE] [--only=CHAPTER,…] SOURCE PROGRAM COMMAND
               MAKE-RESULT LOCALE-FOLDER

Drives the program in a process of its own through the X server and asserts on
what a screen reader hears. Exits 77 where the accessibility bus can't be asked.
"""

import argparse
import csv
import gettext
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import xml.etree.ElementTree as ElementTree

# Warnings are fatal for the application, not for this script: the bus warns of
# whatever vanishes between two questions. Read before GLib is loaded.
application_environment = dict(os.environ)
os.environ.pop("G_DEBUG", None)

try:
    import pyatspi
except ImportError:
    print("skipped: python3-pyatspi is not installed")
    sys.exit(77)

PATIENCE_S = float(os.environ.get("CURED_PATIENCE", 20))


def plain(text):
    """A name without mnemonics and with plain spaces."""
    return text.replace("_", "").replace("\u00a0", " ").strip()


class Node:
    """A widget as the accessible tree has it."""

    def __init__(self, node):
        self.node = node

    @property
    def role(self):
        return self.node.getRoleName()

    @property
    def name(self):
        return plain(self.node.name)

    @property
    def description(self):
        return plain(self.node.description)

    @property
    def extents(self):
        try:
            box = self.node.queryComponent().getExtents(pyatspi.WINDOW_COORDS)
        except NotImplementedError:
            return None
        return box.x, box.y, box.width, box.height

    def is_in(self, state):
        return self.node.getState().contains(state)

    @property
    def is_checked(self):
        return (self.is_in(pyatspi.STATE_CHECKED)
                or self.is_in(pyatspi.STATE_PRESSED))

    @property
    def is_focused(self):
        return self.is_in(pyatspi.STATE_FOCUSED)

    @property
    def is_sensitive(self):
        return self.is_in(pyatspi.STATE_SENSITIVE)

    @property
    def value(self):
        return self.node.queryValue().currentValue

    @property
    def text(self):
        return self.node.queryText().getText(0, -1)

    @property
    def children(self):
        for i in range(self.node.childCount):
            child = self.node.getChildAtIndex(i)
            if child is not None:
                yield Node(child)

    def walk(self, depth=0):
        """All that has a place; what was never shown has none."""
        if depth > 60:
            return
        try:
            if not self.is_in(pyatspi.STATE_VISIBLE):
                return
            box = self.extents
            if box is not None and (box[2] <= 0 or box[3] <= 0):
                return
            yield self
            children = list(self.children)
        # It went away meanwhile.
        except Exception:
            return
        for child in children:
            yield from child.walk(depth + 1)

    def matches(self, name, role):
        if role is not None and self.role != role:
            return False
        if name is None:
            return True
        heard = self.name
        if isinstance(name, re.Pattern):
            return name.search(heard) is not None
        # GTK 4.8 reads a button's label once with its mnemonic, once without.
        return heard == name or heard == f"{name} {name}" or \
            (heard == "" and self.description == name)

    def find_all(self, name=None, role=None):
        for node in self.walk():
            try:
                if node.matches(name, role):
                    yield node
            except Exception:
                continue

    def find(self, name=None, role=None, patience_s=PATIENCE_S):
        end = time.monotonic() + patience_s
        while True:
            for node in self.find_all(name, role):
                return node
            if time.monotonic() > end:
                raise AssertionError(f"there is no {role or 'widget'} {name}")
            time.sleep(0.1)

    def has(self, name=None, role=None):
        return next(self.find_all(name, role), None) is not None


def until(condition, what, patience_s=PATIENCE_S):
    end = time.monotonic() + patience_s
    while True:
        try:
            value = condition()
        except Exception:
            value = None
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.05)


def press(*keys):
    subprocess.run(["xdotool", "key", "--delay", "30", *keys], check=True)
    time.sleep(0.15)


def write(text):
    subprocess.run(["xdotool", "type", "--delay", "8", text], check=True)
    time.sleep(0.15)


def shoot(name):
    """A picture of the screen, where CURED_SHOTS names a folder for it."""
    shots = os.environ.get("CURED_SHOTS")
    if shots:
        time.sleep(0.4)
        subprocess.run(["import", "-window", "root",
                        os.path.join(shots, name + ".png")], check=True)


class Skip(Exception):
    """A chapter that this machine can't show, and why."""


class Tour:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = tempfile.mkdtemp(prefix="cured-tour-")
        self.log_path = os.path.join(self.folder, "log")
        self.process = None
        self.translation = gettext.NullTranslations()
        if arguments.language:
            self.translation = gettext.translation(
                "cured", arguments.locale, [arguments.language])
        self.unnamed = {}
        self.has_nvrtc = None
        self.slowest_s = 0.0

    # The program.

    def translate(self, text, context=None):
        if context:
            return plain(self.translation.pgettext(context, text))
        return plain(self.translation.gettext(text))

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self):
        environment = dict(application_environment)
        environment["GSETTINGS_BACKEND"] = "keyfile"
        environment["CURED_DATA_DIR"] = os.path.join(
            self.arguments.source, "data")
        environment["CURED_WORKER"] = f"'{self.arguments.command}' worker"
        environment["CURED_LOCALEDIR"] = self.arguments.locale
        if self.arguments.language:
            environment["LANGUAGE"] = self.arguments.language
        return environment

    def start(self, *files):
        log = open(self.log_path, "a", encoding="utf-8")
        self.process = subprocess.Popen([self.arguments.program, *files],
                                        stdout=log, stderr=log,
                                        env=self.environment())
        log.close()
        until(lambda: self.application(), "the program shows no window", 30)

    def open_beside(self, path):
        """As a file manager opens a file: the program that runs gets it."""
        subprocess.run([self.arguments.program, path], check=True,
                       env=self.environment(), timeout=30,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def application(self):
        for application in pyatspi.Registry.getDesktop(0):
            try:
                if (application is not None and application.childCount > 0
                        and application.get_process_id() == self.process.pid):
                    return Node(application)
            except Exception:
                continue
        return None

    def windows(self):
        application = self.application()
        return list(application.children) if application else []

    def window(self, name, patience_s=PATIENCE_S):
        """The window of that title."""
        def look():
            for window in self.windows():
                if window.matches(name, None):
                    return window
            return None
        return until(look, f"there is no window {name}: "
                     f"{[w.name for w in self.windows()]}", patience_s)

    def is_open(self, name):
        return any(w.matches(name, None) for w in self.windows())

    def gone(self, name):
        until(lambda: not self.is_open(name), f"the window {name} stays")

    @property
    def main(self):
        for window in self.windows():
            if window.role == "frame":
                return window
        raise AssertionError("there is no window")

    def page(self, kind, window=None):
        """A view; GTK 4.8 gives its type's name to what has no other."""
        window = window or self.main
        return until(lambda: next((n for n in window.walk()
                                   if n.node.name == kind), None),
                     f"there is no {kind}")

    # Pointer and keys.

    def number(self, window):
        """The X server's number of a window."""
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name",
             "^" + re.escape(window.node.name) + "$"],
            capture_output=True, text=True, check=False).stdout.split()
        return found[-1] if found else None

    def origin(self, window):
        """Where the window's own coordinates begin on the screen."""
        number = self.number(window)
        if number is None:
            return 5, 5
        shell = subprocess.run(
            ["xdotool", "getwindowgeometry", "--shell", number],
            capture_output=True, text=True, check=True).stdout
        at = dict(line.split("=") for line in shell.split())
        border = max((int(at["WIDTH"]) - window.extents[2]) // 2, 0)
        return int(at["X"]) + border, int(at["Y"]) + border

    def move_to(self, node, window=None, x=0.5, y=0.5):
        window = window or self.main
        before = None
        # It may be on its way, with a pane that slides in.
        while node.extents != before:
            before = node.extents
            time.sleep(0.06)
        left, top, width, height = before
        at_x, at_y = self.origin(window)
        subprocess.run(["xdotool", "mousemove",
                        str(int(at_x + left + width * x)),
                        str(int(at_y + top + height * y))], check=True)
        time.sleep(0.05)

    def click(self, node, window=None, x=0.5, y=0.5):
        self.move_to(node, window, x, y)
        subprocess.run(["xdotool", "click", "1"], check=True)
        time.sleep(0.2)

    def focus(self, window):
        """Without a window manager, nobody else gives a window the keys."""
        number = self.number(window)
        if number:
            subprocess.run(["xdotool", "windowraise", number,
                            "windowfocus", number], check=True)
            time.sleep(0.2)

    def show(self, view, key, kind):
        press(key)
        tab = self.main.find(view, "page tab")
        until(lambda: tab.is_in(pyatspi.STATE_SELECTED),
              f"{key} does not show {view}")
        return self.page(kind)

    # What holds at all times.

    def ping(self):
        """How long the main loop takes to answer."""
        begin = time.monotonic()
        _ = self.application().node.getChildAtIndex(0).childCount
        passed = time.monotonic() - begin
        self.slowest_s = max(self.slowest_s, passed)
        return passed

    def assert_well(self):
        assert self.process.poll() is None, \
            f"the program ended with {self.process.poll()}"
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            said = [line for line in log
                    if "CRITICAL" in line or "WARNING" in line
                    or "ERROR" in line]
        assert not said, said

    def note_unnamed(self, where, root):
        """Remembers what the keyboard reaches and a screen reader can't name.

        Rows without a name are read by what is in them, a drop-down's inner
        button by the drop-down, the arrow of a split button by its tooltip."""
        for node in root.walk():
            try:
                role = node.role
                if not node.is_in(pyatspi.STATE_FOCUSABLE) or role in (
                        "scroll pane", "list", "tree table", "table row",
                        "viewport", "filler", "panel"):
                    continue
                name = node.node.name
                if name and not re.match("(Gtk|Adw|Cured)[A-Z]", name):
                    continue
                parent = Node(node.node.parent)
                if role == "push button" and (
                        parent.role == "combo box" or node.description):
                    continue
                if role == "list item" and any(
                        child.node.name for child in node.find_all()
                        if child.role in ("label", "list", "list item")):
                    continue
                self.unnamed[where + ": " + role + " in " + parent.role + " "
                             + (parent.node.name or node.node.description)] = 1
            except Exception:
                continue

    def assert_translated(self, where, root):
        """Nothing that has a translation is shown in English."""
        if not self.arguments.language:
            return
        english = []
        for node in root.walk():
            try:
                texts = {node.node.name, node.node.description}
            except Exception:
                continue
            for text in texts:
                if len(text) > 3 and self.translation.gettext(text) != text:
                    english.append(text)
        assert not english, (where, english)


chapters = []


def chapter(title):
    def add(function):
        chapters.append((title, function))
        return function
    return add


@chapter("the start page")
def start_page(tour):
    _ = tour.translate
    tour.start()
    main = tour.window("Cured")
    main.find(_("Recorded examples"))
    kernels = main.find(_("Kernels"), "list")
    until(lambda: kernels.has("matmul"), "the kernels are not listed")
    tour.assert_translated("start page", main)
    tour.note_unnamed("start page", main)

    # A kernel is found by a word of its name, and Enter opens its recording.
    press("ctrl+k")
    search = main.find(_("Search kernels"), "entry")
    until(lambda: any(n.is_focused for n in search.walk()),
          "Ctrl+K does not focus the search")
    write("tile-pad")
    until(lambda: kernels.has("tile-padding"), "the search finds nothing")
    press("Return")
    until(lambda: main.name == "Tiled matrix product, padded",
          "Enter opens nothing")


@chapter("the heat map")
def heat_map(tour):
    _ = tour.translate
    page = tour.show(_("_Heat Map"), "alt+1", "CuredResultPage")
    the_map = page.find(role="image")
    assert "padding" in the_map.description, the_map.description
    best = the_map.name
    assert "tile" in best, best
    tour.assert_translated("heat map", page)
    tour.note_unnamed("window", tour.main)

    # The cursor, and the way back to the best cell.
    press("F6")
    tour.click(the_map)
    press("ctrl+Left", "ctrl+Down")
    corner = until(lambda: the_map.name != best and the_map.name,
                   "the cursor does not move")
    press("b")
    until(lambda: the_map.name == best, "B does not go to the best cell")
    press("Return")
    details = tour.page("CuredCellDetails")
    until(lambda: details.find(_("Show Its _Banks"), "push button"),
          "the details are not shown")

    # Another metric, by its mnemonic.
    before = the_map.description
    press("alt+m", "space")
    time.sleep(0.3)
    press("Down", "Down", "Return")
    until(lambda: the_map.description != before, "the metric stays")
    press("space")
    time.sleep(0.3)
    press("Up", "Up", "Return")
    until(lambda: the_map.description == before,
          "the metric does not come back")

    # The axes are swapped, and back.
    before = the_map.description
    press("ctrl+t")
    until(lambda: the_map.description != before, "the axes stay")
    press("ctrl+t")
    until(lambda: the_map.description == before, "the axes don't swap back")

    # Zoom by keys and by the wheel.
    tour.click(the_map, x=0.4, y=0.4)
    assert not page.has(_("Show all cells"), "push button")
    until(lambda: the_map.is_focused, "a click does not focus the map")
    press("plus", "plus")
    page.find(_("Show all cells"), "push button")
    press("0")
    until(lambda: not page.has(_("Show all cells"), "push button"),
          "0 does not show all cells")
    tour.move_to(the_map, x=0.4, y=0.4)
    subprocess.run(["xdotool", "keydown", "ctrl", "click", "4",
                    "keyup", "ctrl"], check=True)
    page.find(_("Show all cells"), "push button")
    tour.click(page.find(_("Show all cells"), "push button"))
    until(lambda: not page.has(_("Show all cells"), "push button"),
          "the button does not show all cells")

    # What the map shows beside colours: near-best, contour, curves.
    tour.click(page.find(_("_View"), "push button"))
    region = page.find(_("Outline what is _within 2 % of the best"),
                       "check box")
    was_outlined = region.is_checked
    press("alt+w")
    until(lambda: region.is_checked != was_outlined, "no outline")
    curves = page.find(_("C_urves along the row and the column"), "check box")
    had_curves = curves.is_checked
    press("alt+u")
    until(lambda: curves.is_checked != had_curves, "no curves")
    press("alt+u", "alt+t", "space")
    time.sleep(0.3)
    press("Down", "Return")
    tour.assert_translated("view menu", page)
    shoot("map-view")
    # GTK 4.8 leaves no focus in a popover when a list in it closes.
    press("Tab")
    for _i in range(3):
        time.sleep(0.2)
        press("Escape")

    # A rectangle: by keys, by the pointer, and undone.
    tour.click(the_map, x=0.3, y=0.5)
    press("ctrl+Left", "ctrl+Down", "shift+Right", "shift+Up")
    clear = page.find(_("Select no cells"), "push button")
    shoot("map-selection")
    press("Escape")
    until(lambda: not page.has(_("Select no cells"), "push button"),
          "Escape does not clear the selection")
    drag(tour, the_map)
    clear = page.find(_("Select no cells"), "push button")

    # Copies are pasted where text can be read.
    tour.click(the_map, x=0.3, y=0.5)
    press("b", "ctrl+c")
    tour.main.find(_("Cell copied"))
    paste(tour)
    tour.click(the_map, x=0.3, y=0.5)
    press("ctrl+alt+c")
    tour.main.find(_("Table copied"))
    paste(tour)


@chapter("the slices of a map")
def slices(tour):
    page = tour.show(tour.translate("_Heat Map"), "alt+1", "CuredResultPage")
    the_map = page.find(role="image")
    slider = page.find("layout", "slider")
    before = the_map.name
    tour.click(slider, x=0.9)
    press("Home")
    until(lambda: the_map.name != before, "the slice stays")
    press("End")
    until(lambda: the_map.name == before, "the slice does not come back")


@chapter("why a cell has no value")
def reasons(tour):
    _ = tour.translate
    tour.open_beside(os.path.join(tour.arguments.source, "data", "results",
                                  "latency-global-h200.cured"))
    main = tour.window("Latency of global memory and its caches")
    page = tour.page("CuredResultPage", main)
    the_map = page.find(role="image")
    tour.focus(main)
    read_out = page.find(role="status bar")
    told = None
    for row in (0.25, 0.4, 0.55, 0.7):
        for column in (0.1, 0.25, 0.4, 0.55):
            tour.move_to(the_map, main, column, row)
            time.sleep(0.05)
            if _("not launchable") in read_out.name:
                told = read_out.name
                break
        if told:
            break
    assert told, read_out.name
    # Not only that, but why.
    assert len(told.split(_("not launchable"))[1]) > 10, told
    shoot("map-reason")
    tour.note_unnamed("heat map", main)
    press("ctrl+w")
    tour.gone("Latency of global memory and its caches")
    tour.focus(tour.main)


@chapter("the banks")
def banks(tour):
    _ = tour.translate
    if not has_nvrtc(tour):
        raise Skip("there is no NVRTC")
    page = tour.show(_("_Heat Map"), "alt+1", "CuredResultPage")
    the_map = page.find(role="image")
    tour.click(the_map, x=0.3, y=0.5)
    # Padding 0 and the largest tile: a column of the tile is in one bank.
    press("ctrl+Left", "ctrl+Up", "Return")
    tour.click(page.find(_("Show Its _Banks"), "push button"))
    page = tour.page("CuredBankPage")
    table = page.find(_("Accesses to shared memory, by source line"),
                      "tree table", 40)
    sites = until(lambda: [n for n in table.find_all(role="list")
                           for n in n.find_all(role="table row")],
                  "no accesses are listed", 40)
    assert len(sites) > 2, len(sites)
    chart = page.find(re.compile("^32 "), "image")
    figures = page.find(_("Figures"), "panel")
    assert figures.has(re.compile("32.*31")), \
        [n.name for n in figures.walk()]
    assert figures.has(re.compile(r"10[.,]3")), "the measured time is missing"
    tour.assert_translated("banks", page)
    tour.note_unnamed("banks", page)
    shoot("banks")

    # Another access, by the pointer; and back by the keyboard.
    tour.click(sites[2])
    until(lambda: not re.match("32 ", chart.name), "the picture stays")
    press("Home", "Up", "Up")
    until(lambda: re.match("32 ", chart.name), "the picture does not return")

    # By addresses, and the wavefronts one after another.
    addresses = page.find(_("By addresses"), "push button")
    tour.click(addresses)
    until(lambda: addresses.is_checked, "no addresses")
    shoot("banks-addresses")
    step = page.find(_("Step"), "slider")
    first = step.value
    tour.click(page.find(_("Play"), "push button"))
    until(lambda: step.value > first, "nothing is played")
    stop = page.find(re.compile("^(" + _("Stop") + "|" + _("Pause") + ")"),
                     "push button")
    tour.click(stop)
    banks_toggle = page.find(_("By banks"), "push button")
    tour.click(banks_toggle)
    until(lambda: banks_toggle.is_checked, "no banks")
    tour.click(page.find(_("One step back"), "push button"))

    # Another warp and another block.
    press("alt+w")
    warp = page.find(_("Warp"), "spin button")
    press("Up")
    until(lambda: warp.value == 1, "the warp stays 0")
    press("Down")
    until(lambda: warp.value == 0, "the warp stays 1")

    # The padding of none beside that of one.
    tour.click(page.find(_("Side b_y Side"), "push button"))
    until(lambda: len(list(page.find_all(_("Figures"), "panel"))) == 2,
          "there is one picture only", 40)
    until(lambda: len([n for n in page.find_all(role="image")
                       if re.match(r"\d+ ", n.name)]) == 2,
          "there are no two pictures", 40)
    shoot("banks-sides")
    tour.note_unnamed("banks, side by side", page)
    tour.click(page.find(_("Side b_y Side"), "push button"))


@chapter("the stride explorer")
def stride(tour):
    _ = tour.translate
    page = tour.page("CuredBankPage")
    tour.click(page.find(_("Stride Explorer"), "push button"))
    explorer = tour.window(_("Stride Explorer"))
    tour.focus(explorer)
    chart = explorer.find(role="image")
    before = chart.name
    tour.note_unnamed("stride explorer", explorer)
    tour.assert_translated("stride explorer", explorer)
    sliders = list(explorer.find_all(role="slider")) or \
        list(explorer.find_all(role="spin button"))
    assert len(sliders) >= 3, [n.name for n in sliders]
    tour.click(sliders[0], explorer)
    until(lambda: chart.name != before, "the picture stays")
    before = chart.name
    press("Right")
    until(lambda: chart.name != before, "Right changes nothing")
    shoot("stride")
    press("Escape")
    tour.gone(_("Stride Explorer"))
    tour.focus(tour.main)


@chapter("the ladder")
def ladder(tour):
    _ = tour.translate
    page = tour.show(_("_Ladder"), "alt+3", "CuredLadderPage")
    heading = page.find(role="status bar")
    chart = page.find(role="image")
    assert chart.name, "the chart says nothing"
    open_step = page.find(_("_Open Step"), "push button")
    until(lambda: open_step.is_sensitive or True, "")
    tour.assert_translated("ladder", page)
    tour.note_unnamed("ladder", page)
    before = chart.name, heading.name
    tour.click(chart, y=0.1)
    press("Home")
    until(lambda: chart.name != before[0], "no other step is selected")
    first = chart.name
    press("Down")
    until(lambda: chart.name != first, "Down selects no other step")
    until(lambda: any("@@" in n.text for n in page.find_all(role="text")),
          "there is no difference of the sources")
    shoot("ladder")
    title = tour.main.name
    tour.click(open_step)
    until(lambda: tour.main.name != title, "the step is not opened")
    assert tour.main.name in chart.name, (tour.main.name, chart.name)


@chapter("the source")
def source(tour):
    _ = tour.translate
    if not has_nvrtc(tour):
        raise Skip("there is no NVRTC")
    page = tour.show(_("_Source"), "alt+4", "CuredSourcePage")
    view = page.find(_("Source"), "text")
    until(lambda: "__global__" in view.text, "the source is not shown")
    text = view.text
    tour.assert_translated("source", page)
    tour.note_unnamed("source", page)
    shoot("source")

    # A word that is no C: the compiler's message stands at its line.
    tour.click(view, x=0.5, y=0.3)
    press("ctrl+End")
    write("\nwrong here")
    problems = page.find(_("Problems"), "list")
    until(lambda: any(n.name for n in problems.find_all(role="list item")),
          "the error is not listed", 30)
    shoot("source-error")

    # Undone until nothing is edited.
    def undo():
        press("ctrl+z")
        return view.text == text
    until(undo, "undo does not bring the text back")

    # A comment is an edit: it is saved as a kernel of one's own.
    press("ctrl+End")
    write("// mine")
    until(lambda: "edited" in "".join(n.name for n in page.walk())
          or tour.arguments.language, "the edit is not seen")
    own = tour.path("own.cu")
    press("ctrl+s")
    save_as(tour, _("Save as a Kernel File"), own)
    until(lambda: os.path.exists(own) and "// mine" in open(
        own, encoding="utf-8").read(), "nothing was saved")


@chapter("a comparison")
def compare(tour):
    _ = tour.translate
    for name, factor in (("first", "1"), ("second", "1.5")):
        subprocess.run([tour.arguments.make_result, tour.path(name + ".cured"),
                        "6", "5", "1", factor], check=True)
    main = open_another(tour, tour.path("first.cured"))
    press("alt+5")
    page = tour.page("CuredComparePage", main)
    tour.click(page.find(_("Choose a _File…"), "push button"), main)
    open_file(tour, _("Compare With"), tour.path("second.cured"))
    tour.focus(main)
    changes = page.find(_("Largest changes"), "tree table", 30)
    the_map = page.find(role="image")
    assert the_map.name, "the map of ratios says nothing"
    tour.assert_translated("compare", page)
    tour.note_unnamed("compare", page)
    rows = until(lambda: [r for n in changes.find_all(role="list")
                          for r in n.find_all(role="table row")],
                 "no changes are listed")
    before = the_map.name
    tour.click(rows[0], main)
    shoot("compare")
    until(lambda: the_map.name != before, "the row selects no cell")
    close(tour, main)


def save_as(tour, title, path, window=None):
    """In GTK's own dialog: the name's entry has the focus."""
    dialog = tour.window(title)
    tour.focus(dialog)
    press("ctrl+a")
    write(path)
    time.sleep(0.3)
    press("Return")
    tour.gone(title)
    tour.focus(window or tour.main)


def open_file(tour, title, path):
    dialog = tour.window(title)
    tour.focus(dialog)
    press("ctrl+l")
    press("ctrl+a")
    write(path)
    time.sleep(0.3)
    press("Return")
    tour.gone(title)


def is_picture(path, start):
    with open(path, "rb") as file:
        return file.read(len(start)) == start


def wait_for_window(tour, title):
    try:
        return tour.window(title, 4)
    except AssertionError:
        return None


def choose_export(tour, suffix):
    def focused():
        return next((n.name for n in tour.main.find_all(role="menu item")
                     if n.is_focused), "")

    press("ctrl+e")
    # What had the focus when the menu was open last is told until it opens.
    time.sleep(0.6)
    for _i in range(8):
        if focused().startswith(suffix.upper()):
            break
        press("Down")
    press("Return")


@chapter("exports")
def exports(tour):
    _ = tour.translate
    tour.show(_("_Heat Map"), "alt+1", "CuredResultPage")
    for suffix in ("png", "svg", "pdf", "csv", "json"):
        path = tour.path("seen." + suffix)
        for _i in range(3):
            choose_export(tour, suffix)
            if wait_for_window(tour, _("Export")):
                break
            press("Escape")
        save_as(tour, _("Export"), path)
        until(lambda: os.path.exists(path) and os.path.getsize(path) > 50,
              f"{path} was not written")
    assert is_picture(tour.path("seen.png"), b"\x89PNG")
    assert is_picture(tour.path("seen.pdf"), b"%PDF")
    ElementTree.parse(tour.path("seen.svg"))
    with open(tour.path("seen.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) > 5 and len({len(row) for row in rows}) == 1, rows[:3]
    with open(tour.path("seen.json"), encoding="utf-8") as file:
        json.load(file)


def has_nvrtc(tour):
    if tour.has_nvrtc is None:
        run = subprocess.run(
            [tour.arguments.command, "run", "vector/add", "--device",
             "emulator", "-p", "blocks=1", "-p", "threads=32", "-p",
             "vector=1", "-p", "n=32", "-o", tour.path("probe.cured")],
            capture_output=True, env=tour.environment(), check=False)
        tour.has_nvrtc = run.returncode == 0
    return tour.has_nvrtc


def set_field(tour, window, name, text):
    tour.click(window.find(name, "text"), window)
    press("ctrl+a")
    write(text)


@chapter("a sweep on the emulator")
def sweep(tour):
    _ = tour.translate
    if not has_nvrtc(tour):
        raise Skip("there is no NVRTC")
    main = tour.main
    tour.focus(main)
    press("ctrl+n")
    dialog = tour.window(_("New Sweep"))
    tour.focus(dialog)
    tour.note_unnamed("sweep dialog", dialog)
    tour.assert_translated("sweep dialog", dialog)
    set_field(tour, dialog, "tile", "4..9")
    set_field(tour, dialog, "rows", "1")
    set_field(tour, dialog, "n", "128,160,192,224")
    until(lambda: any(n.name.startswith("24 ")
                      for n in dialog.find_all(role="status bar")),
          "the cells are not counted")
    shoot("sweep-dialog")
    tour.click(dialog.find(_("_Run"), "push button"), dialog)
    tour.gone(_("New Sweep"))

    # A window of its own: this one shows a file already.
    first = main.node
    main = until(lambda: next((w for w in tour.windows() if w.node != first
                               and w.role == "frame"), None),
                 "the sweep has no window")
    tour.focus(main)
    bar = tour.page("CuredRunBar", main)
    pause = bar.find(_("_Pause"), "push button", 40)
    until(lambda: bar.has(re.compile("^[1-9][0-9]* .*24")),
          "there is no progress", 60)
    for _i in range(5):
        assert tour.ping() < 1, "the main loop hangs while a sweep runs"
        time.sleep(0.1)
    shoot("sweep-running")
    press("ctrl+shift+p")
    until(lambda: pause.is_checked, "Ctrl+Shift+P does not pause")
    press("ctrl+shift+p")
    until(lambda: not pause.is_checked, "Ctrl+Shift+P does not go on")
    press("ctrl+shift+x")
    resume = bar.find(_("_Resume"), "push button", 40)
    tour.note_unnamed("run bar", bar)
    tour.click(resume, main)

    # Closing asks, and goes on when told so.
    until(lambda: not bar.has(_("_Resume"), "push button"),
          "the sweep does not go on")
    tour.focus(main)
    press("ctrl+w")
    question = until(lambda: next(
        (w for w in tour.windows() if w.role != "frame"), None),
        "closing asks nothing")
    tour.focus(question)
    shoot("sweep-question")
    press("Escape")
    until(lambda: len(tour.windows()) == 2, "the question stays")
    tour.focus(main)
    bar.find(_("Hide this bar"), "push button", 90)
    shoot("sweep-done")

    # The cells that are selected, once more.
    page = tour.page("CuredResultPage", main)
    tour.click(page.find(role="image"), main, x=0.3, y=0.5)
    press("shift+Right")
    page.find(_("Select no cells"), "push button")
    press("ctrl+shift+r")
    until(lambda: bar.has(_("_Pause"), "push button"), "nothing runs again")
    bar.find(_("Hide this bar"), "push button", 60)
    close(tour, main)


@chapter("files of other programs")
def imports(tour):
    _ = tour.translate
    data = os.path.join(tour.arguments.source, "tests", "data", "import")
    for name in ("kernel-tuner.json", "t4.json"):
        shutil.copy(os.path.join(data, name), tour.path(name))
        window = open_another(tour, tour.path(name))
        # One result is saved where one says; several lie beside the file.
        pattern = re.compile(_("Save the Imported Result") + "|" +
                             _("Imported from %s").replace("%s", ".*"))
        if tour.window(pattern).name == _("Save the Imported Result"):
            save_as(tour, _("Save the Imported Result"),
                    tour.path(name + ".cured"), window)
        # What the file lacks is told.
        dialog = tour.window(re.compile(
            _("Imported from %s").replace("%s", ".*")))
        tour.focus(dialog)
        tour.assert_translated("import", dialog)
        shoot("import-" + name)
        press("Escape")
        until(lambda: dialog.node not in [w.node for w in tour.windows()],
              "the dialog stays")
        the_map = tour.page("CuredResultPage", window).find(role="image")
        assert the_map.name, "nothing is seen of the file"
        close(tour, window)


def open_another(tour, path):
    """Opens a file in another window, as a file manager does."""
    known = [w.node for w in tour.windows()]
    tour.open_beside(path)
    window = until(lambda: next(
        (w for w in tour.windows()
         if w.node not in known and w.role == "frame"), None),
        "the file is not opened")
    tour.focus(window)
    return window


def close(tour, window):
    tour.focus(window)
    press("ctrl+w")
    until(lambda: window.node not in [w.node for w in tour.windows()],
          "the window stays")
    tour.focus(tour.main)


@chapter("a kernel without a header")
def header(tour):
    _ = tour.translate
    path = tour.path("bare.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write("extern \"C\" __global__ void twice (float *x, int n)\n"
                   "{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  if (i < n)\n    x[i] *= 2;\n}\n")
    window = open_another(tour, path)
    dialog = tour.window(_("Describe a Kernel"))
    tour.focus(dialog)
    until(lambda: dialog.has("twice"), "the function is not found")
    tour.note_unnamed("header dialog", dialog)
    tour.assert_translated("header dialog", dialog)
    shoot("header")
    press("Escape")
    tour.gone(_("Describe a Kernel"))
    close(tour, window)


@chapter("help, shortcuts, about, appearance")
def windows(tour):
    _ = tour.translate
    tour.focus(tour.main)
    press("F1")
    page = tour.window(_("Help"))
    tour.focus(page)
    tour.assert_translated("help", page)
    tour.note_unnamed("help", page)
    shoot("help")
    press("Escape")
    tour.gone(_("Help"))
    tour.focus(tour.main)
    before = len(tour.windows())
    press("ctrl+question")
    until(lambda: len(tour.windows()) > before or any(
        "hortcut" in w.name for w in tour.windows()), "no shortcuts")
    shoot("shortcuts")
    overlay = tour.windows()[-1]
    tour.assert_translated("shortcuts", overlay)
    tour.focus(overlay)
    press("Escape")
    tour.focus(tour.main)
    press("F10")
    time.sleep(0.6)
    shoot("menu")
    entry = tour.main.find(_("_About Cured"), "menu item")
    for _i in range(4):
        press("Up")
        time.sleep(0.3)
        if entry.is_focused:
            break
    assert entry.is_focused, "the arrow keys do not reach About"
    press("Return")
    about = until(lambda: next((w for w in tour.windows()
                                if w.has("The Cured authors")), None),
                  "there is no About")
    shoot("about")
    tour.focus(about)
    press("Escape")
    tour.focus(tour.main)


@chapter("what is remembered")
def memory(tour):
    tour.focus(tour.main)
    sidebar = tour.page("CuredKernelList")
    press("F8")
    time.sleep(0.5)
    press("ctrl+q")
    end = time.monotonic() + 15
    while tour.process.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
        for window in tour.windows():
            if window.role != "frame":
                tour.focus(window)
                press("alt+d")
    assert tour.process.poll() == 0, tour.process.poll()
    tour.start()
    main = tour.main
    assert not any(n.node.name == "CuredKernelList" and n.extents[0] >= 0
                   for n in main.walk()), "F8 was forgotten"
    main.find(tour.translate("Recent"))
    press("F8")
    tour.page("CuredKernelList")


@chapter("every focusable widget has a name")
def names(tour):
    assert not tour.unnamed, sorted(tour.unnamed)


def drag(tour, node):
    """A rectangle of the map, with Shift held."""
    tour.move_to(node, x=0.2, y=0.4)
    subprocess.run(["xdotool", "keydown", "shift", "mousedown", "1"],
                   check=True)
    for at in (0.25, 0.3, 0.35, 0.4):
        tour.move_to(node, x=at, y=at + 0.2)
    subprocess.run(["xdotool", "mouseup", "1", "keyup", "shift"], check=True)
    time.sleep(0.2)


def paste(tour):
    """That the clipboard holds text: no kernel has such a name."""
    _ = tour.translate
    press("ctrl+k", "ctrl+a", "ctrl+v")
    kernels = tour.page("CuredKernelList")
    kernels.find(_("No Kernel Found"))
    press("ctrl+a", "BackSpace")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--language")
    parser.add_argument("--only")
    parser.add_argument("source")
    parser.add_argument("program")
    parser.add_argument("command")
    parser.add_argument("make_result")
    parser.add_argument("locale")
    arguments = parser.parse_args()
    tour = Tour(arguments)
    wanted = arguments.only.split(",") if arguments.only else None
    failed = 0
    number = 0

    for title, function in chapters:
        if wanted and not any(word in title for word in wanted):
            continue
        number += 1
        begin = time.monotonic()
        try:
            function(tour)
            tour.assert_well()
            print(f"ok {number} - {title} # {time.monotonic() - begin:.1f} s")
        except Skip as reason:
            print(f"ok {number} - {title} # SKIP {reason}")
        except Exception as problem:
            failed += 1
            print(f"not ok {number} - {title}")
            traceback.print_exc(file=sys.stdout)
            shoot("failed-" + re.sub(r"\W+", "-", title))
            if tour.process is None or tour.process.poll() is not None:
                with open(tour.log_path, encoding="utf-8") as log:
                    print(log.read())
                break
        sys.stdout.flush()
    print(f"1..{number}")
    if tour.process is not None and tour.process.poll() is None:
        tour.process.terminate()
        tour.process.wait()
    return 1 if failed else 0


def main_twice():
    """What is wrong is wrong twice. Now and then GTK 4.8 warns of a widget that
    went while the bus asked for it (g_variant_is_object_path), and that ends
    the program here, where warnings are fatal."""
    if main() == 0:
        return 0
    print("# once more, from the start")
    sys.stdout.flush()
    return main()


if __name__ == "__main__":
    sys.exit(main_twice())
