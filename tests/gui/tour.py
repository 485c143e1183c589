#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The window as a new user meets it: every view, by keyboard and pointer.

usage: tour.py [--kind=looks|uses] [--language=CODE] [--size=WIDTHxHEIGHT]
               [--shard=I/N] [--only=WORD,…]
               SOURCE PROGRAM COMMAND MAKE-RESULT LOCALE-FOLDER

Drives the program in a process of its own and asserts on what a screen reader
hears. Every chapter begins with a program and a home of its own, so that a
shard, every N-th chapter, needs none of the others. Exits 77 where the
accessibility bus can't be asked.

Chapters are of two kinds. Looks go to every view, menu and dialog, and assert
at both sizes that all of it fits, has a name and is translated. Uses assert on
what happens, which depends on no language.
"""

import argparse
import csv
import gettext
import glob
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

# The application gets what this script got, except that a warning does not end
# it: each is found in its log.
application_environment = dict(os.environ)
os.environ.pop("G_DEBUG", None)

try:
    from gi.repository import GLib
except ImportError:
    print("skipped: python3-gi is not installed")
    sys.exit(77)

import toolkit
from desk import (Bus, FOCUSED, Program, SELECTED, has_name, is_unnamed, plain,
                  until)

GATE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "gated-worker.py")
SIZES = (800, 600), (1200, 760)
TILED = "matmul-coarsened-h200.cured"
PADDED = "matmul-tile-padding-h200.cured"
LATENCY = "latency-global-h200.cured"


class Skip(Exception):
    """A chapter that this machine can't show, and why."""


class Tour:
    """One chapter's program and home."""

    def __init__(self, arguments, slides):
        self.arguments = arguments
        self.folder = tempfile.mkdtemp(prefix="cured-tour-")
        self.log_path = self.path("log")
        self.program = None
        self.main = None
        self.size = arguments.size
        self.translation = gettext.NullTranslations()
        if arguments.language:
            self.translation = gettext.translation(
                "cured", arguments.locale, [arguments.language])
        self.furnish(slides)

    def furnish(self, slides):
        """A home where nothing slides unless it shall, and where a new window
        has the size that is asked for."""
        config = self.path("home/config")
        for name in ("gtk-4.0", "glib-2.0/settings"):
            os.makedirs(os.path.join(config, name))
        with open(os.path.join(config, "gtk-4.0/settings.ini"), "w",
                  encoding="ascii") as file:
            # Two clicks of a tour are never a double click.
            file.write("[Settings]\ngtk-double-click-time=1\n"
                       f"gtk-enable-animations={str(slides).lower()}\n")
        with open(os.path.join(config, "glib-2.0/settings/keyfile"), "w",
                  encoding="ascii") as file:
            file.write("[io/github/cured/Cured]\nwidth={}\nheight={}\n"
                       "tour-seen=true\n".format(*self.arguments.size))

    # The program.

    def translate(self, text, context=None):
        if context:
            return plain(self.translation.pgettext(context, text))
        return plain(self.translation.gettext(text))

    def mnemonic(self, text):
        """The keys of a label's underlined letter."""
        found = re.search("_(.)", self.translation.gettext(text))
        assert found, text
        return "alt+" + found.group(1).lower()

    def path(self, name):
        return os.path.join(self.folder, name)

    def data(self, *names):
        return os.path.join(self.arguments.source, *names)

    def environment(self):
        environment = dict(application_environment)
        home = self.path("home")
        environment["HOME"] = home
        for name in ("config", "data"):
            environment[f"XDG_{name.upper()}_HOME"] = os.path.join(home, name)
        environment.pop("G_DEBUG", None)
        environment["GSETTINGS_BACKEND"] = "keyfile"
        environment["CURED_DATA_DIR"] = self.data("data")
        environment["CURED_WORKER"] = (
            f"'{sys.executable}' '{GATE}' '{self.path('gate')}' "
            f"'{self.arguments.command}' worker")
        environment["CURED_LOCALEDIR"] = self.arguments.locale
        if self.arguments.language:
            environment["LANGUAGE"] = self.arguments.language
        return environment

    def start(self, *files, has_keys=True):
        # A menu goes where the pointer is, and not where a key says.
        subprocess.run(["xdotool", "mousemove", "0", "0"], check=True)
        self.program = Program([self.arguments.program, *files],
                               self.log_path, cwd=self.folder,
                               env=self.environment())
        self.main = self.program.window(role="frame", has_keys=has_keys)
        return self.main

    def open_beside(self, path, asks=False):
        """As a file manager opens a file: the program that runs gets it, and
        shows it in a tab. @asks: it opens a dialog, which keeps the keys."""
        subprocess.run([self.arguments.program, path], check=True,
                       env=self.environment(), timeout=300,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not asks:
            self.program.focus(self.main)

    def close_tab(self):
        title = self.main.name
        self.press("ctrl+w")
        until(lambda: self.main.name != title, "Ctrl+W does not close the tab")

    def press(self, *keys):
        self.program.press(*keys)

    def write(self, text):
        self.program.write(text)

    def make_result(self, name, factor):
        subprocess.run([self.arguments.make_result, self.path(name),
                        "6", "5", "1", factor], check=True)
        return name

    def copy(self, result):
        """A recorded result in the tour's folder."""
        shutil.copy(self.data("data", "results", result), self.folder)
        return result

    def resize(self, width, height):
        """Within some pixels that the borders take."""
        number, _x, _y, _border = self.program.geometry(self.main)
        self.program.pointer("windowsize", number, str(width), str(height))
        until(lambda: width - 20 <= self.main.extents[2] <= width
              and height - 20 <= self.main.extents[3] <= height,
              lambda: f"{width}×{height} is {self.main.extents}")

    def show(self, view, key, window=None):
        """A view, which is called as its tab is."""
        window = window or self.main
        view = self.translate(view)
        # While a file is read, the key waits for that.
        tab = window.find(view, "page tab")
        self.press(key)
        until(lambda: tab.is_in(SELECTED), f"{key} does not show {view}")
        return window.find(view, "panel").wait()

    def let_pass(self, n_cells=None):
        """How many cells a worker may measure; None: all."""
        gate = self.path("gate")
        if n_cells is None:
            if os.path.exists(gate):
                os.unlink(gate)
            return
        with open(gate + ".new", "w", encoding="ascii") as file:
            file.write(str(n_cells))
        os.rename(gate + ".new", gate)

    def need_nvrtc(self):
        if not hasattr(self.arguments, "has_nvrtc"):
            run = subprocess.run(
                [self.arguments.command, "run", "vector/add", "--device",
                 "emulator", "-p", "blocks=1", "-p", "threads=32", "-p",
                 "vector=1", "-p", "n=32", "-o", self.path("probe.cured")],
                capture_output=True, env=self.environment(), check=False)
            self.arguments.has_nvrtc = run.returncode == 0
        if not self.arguments.has_nvrtc:
            raise Skip("there is no NVRTC")

    # Parts of a window.

    def type_name(self, dialog, name):
        """Of a file in the tour's folder, which GTK's own dialog shows at first,
        into its entry, which has the keys."""
        field = dialog.find(
            where=lambda item: item.role in ("text", "entry")
            and item.is_in(FOCUSED)).wait()
        self.press("ctrl+a")
        self.write(name)
        until(lambda: field.text == name, f"{name} is not typed")
        self.press("Return")
        dialog.wait_gone()

    def save_as(self, title, name):
        self.type_name(self.program.window(title), name)

    def open_file(self, title, name):
        dialog = self.program.window(title)
        self.press("ctrl+l")
        self.type_name(dialog, name)

    def use_list(self, page, label, name=None):
        """Chooses what is called so from the drop-down with that label, by
        keys further up; None: two further down. Returns what was chosen before."""
        # It is called as its explanation and then as its label.
        drop_down = page.find(
            re.compile(r"(^|\s)" + re.escape(self.translate(label))),
            "combo box")

        def row():
            return next((first_label(item) for item in drop_down.get().walk()
                         if item.role == "list item" and item.is_in(FOCUSED)),
                        None)

        self.press(self.mnemonic(label))
        until(row, f"{drop_down} is not opened")
        before = until(lambda: first_label(drop_down.get()),
                       f"{drop_down} shows nothing")
        if name is None:
            self.press("Down", "Down")
        else:
            self.program.go("Up", lambda: row() == name,
                            f"{drop_down} has no {name} further up")
        self.press("Return")
        until(lambda: row() is None and not drop_down.is_checked,
              f"{drop_down} stays open")
        return before

    def use_menu(self, button, *labels):
        """Chooses from the menu of a button, which is open or is opened."""
        if not button.is_checked:
            button.activate()
            until(lambda: button.is_checked, f"{button} opens no menu")
        first = button.find(role="menu item",
                            where=lambda item: item.is_in(FOCUSED))
        for label in labels:
            # The keys go to a menu once it is there.
            first.wait()
            entry = button.find(label, "menu item")
            self.program.go("Down", lambda: entry.is_focused,
                            f"Down does not go to {label}")
            self.press("Return")
        until(lambda: not button.is_checked, f"{button} keeps its menu open")

    def go_to_search(self):
        self.press("ctrl+k")
        search = self.main.find(self.translate("Search kernels"), "entry")
        until(lambda: search.is_focused, "Ctrl+K does not focus the search")
        return search

    def find_kernel(self, text, name):
        """Searches the kernels. Returns their list."""
        self.go_to_search()
        self.press("ctrl+a")
        self.write(text)
        kernels = self.main.find(self.translate("Kernels"), "list")
        kernels.find(name).wait()
        return kernels

    def set_field(self, window, name, text):
        field = window.find(name, "text").tab_to()
        self.press("ctrl+a")
        self.write(text)
        until(lambda: field.text == text, f"{text} is not typed")

    # What holds at all times.

    def assert_well(self):
        assert self.program.process.poll() in (None, 0), \
            f"the program ended with {self.program.process.poll()}"
        said = toolkit.list_faults(self.log_path)
        assert not said, (len(said), said[:3])

    def look(self, where, window=None):
        """At a window, which is of a size of its own; None: at the main one, at
        both sizes."""
        shoot(where)
        if window is not None:
            self.inspect(where, window)
            return
        # From the one that it has.
        for size in sorted(SIZES, key=lambda size: size != self.size):
            self.resize(*size)
            self.size = size
            self.inspect(where, self.main)

    def inspect(self, where, window):
        """What the keyboard reaches has a name, nothing that has a translation
        is shown in English, and nothing lies beyond the edge of the window or
        makes it larger than the smallest size."""
        items = window.everything()
        theirs = ("shortcuts", "about")  # GTK's own windows
        unnamed = {item.role + " in " + item.parent.role + " " +
                   (item.parent.raw_name or item.parent.description)
                   for item in items
                   if where not in theirs and is_unnamed(item)}
        assert not unnamed, (where, sorted(unnamed))
        beyond = list_beyond(items)
        assert not beyond, (where, items[0].extents, beyond)
        if not self.arguments.language:
            return
        # A kernel's own title may be called as a figure is.
        kernels = {kernel.path for item in items
                   if item.matches(self.translate("Kernels"), "list")
                   for kernel in item.walk()}
        english = [text for item in items if item.path not in kernels
                   for text in {item.raw_name, item.description}
                   if len(text) > 3 and self.translation.gettext(text) != text]
        assert not english, (where, english)


def first_label(item):
    """LookupError: it has gone meanwhile, with what is in it."""
    return [part.name for part in item.walk_shown() if part.role == "label"][0]


def numbers(item):
    """Those in what it is called, which languages put in different words."""
    return [int(text) for text in re.findall(r"\d+", item.name)]


def tells(part, whole):
    """Such an item begins with how many of how many, in any order."""
    return lambda item: item.role != "frame" and \
        sorted(numbers(item)[:2]) == [part, whole]


def is_row(item):
    """Of a table, but not its header."""
    return item.parent.role == "list"


def list_beyond(items):
    """What does not lie in its window, other than what can be scrolled to, what
    has slid out of it, and menus."""
    (_x, _y, width, height) = items[0].place
    beyond = []
    skipped = set()
    for item in items:
        x, y, w, h = item.place or (0, 0, 0, 0)
        if item.parent_path in skipped or x + w <= 0 or \
                item.role in ("scroll pane", "menu"):
            skipped.add(item.path)
        # Two bars of GTK's draw their border there.
        elif min(x, y) < -1 or x + w > width + 1 or y + h > height + 1:
            beyond.append((item.role, item.raw_name, item.place))
    return beyond


def shoot(name):
    """A picture of the screen, where CURED_SHOTS names a folder for it."""
    shots = os.environ.get("CURED_SHOTS")
    if shots:
        time.sleep(0.4)
        subprocess.run(["import", "-window", "root",
                        os.path.join(shots, name + ".png")], check=True)


chapters = []


def chapter(title, result=None, kind="uses", slides=False):
    """A part of the tour, which begins in a window that shows a recorded
    result; None: by itself. @slides: with animations."""
    def add(function):
        chapters.append((title, result, kind, slides, function))
        return function
    return add


@chapter("the start page")
def start_page(tour):
    _ = tour.translate
    main = tour.start()
    assert main.name == "Cured", main.name
    main.find(_("Recorded examples")).wait()
    main.find(_("Kernels"), "list").find("matmul").wait()

    # A kernel is found by a word of its name, and Enter opens its recording.
    tour.find_kernel("tile-pad", "tile-padding")
    tour.press("Return")
    until(lambda: main.name == "Tiled matrix product with padding",
          "Enter opens nothing")

    # And by the arrow keys, with no pointer.
    kernels = tour.find_kernel("dot", "shuffle")
    rows = kernels.find(role="list item")

    # The field first has the keys.
    tour.program.go("Down", lambda: rows.all()[-1].is_focused,
                    "Down does not go to the last kernel")
    tour.press("Return")
    until(lambda: main.name not in ("Cured", "Tiled matrix product with padding"),
          "Enter on a row opens nothing")
    tour.find_kernel("tile-pad", "tile-padding")
    tour.press("Return")
    until(lambda: main.name == "Tiled matrix product with padding",
          "Enter does not open the first kernel again")


@chapter("tabs", PADDED)
def tabs(tour):
    main = tour.main

    def title_but(other):
        """While a file is read, the title is the file's name."""
        return until(lambda: main.name not in ("Cured", other) and
                     not main.name.endswith(".cured") and main.name,
                     lambda: f"no other file is seen than {main.name}")
    first = title_but(None)
    tour.open_beside(tour.path(tour.copy(TILED)))
    second = title_but(first)
    for key, title in (("ctrl+Tab", first), ("ctrl+shift+Tab", second),
                       ("ctrl+w", first), ("ctrl+shift+t", second),
                       ("ctrl+t", "Cured")):
        tour.press(key)
        until(lambda title=title: main.name == title,
              f"{key} does not lead to {title}")
    tour.close_tab()


@chapter("a folder")
def folder(tour):
    _ = tour.translate
    tour.make_result("first.cured", "1")
    tour.make_result("second.cured", "2")
    main = tour.start(tour.folder)
    files = main.find(_("Result files"), "list").wait()
    rows = files.find(role="list item")
    until(lambda: len(rows.all()) == 2, "the two files are not listed")
    files.find("second").wait()
    tour.program.go("Down", lambda: rows.all()[-1].is_focused,
                    "Down does not go to the last file")
    tour.press("Return")
    until(lambda: main.find(re.compile("second.cured")).exists,
          "Enter opens nothing")
    tour.press("ctrl+shift+Tab")
    files.wait()
    tour.press("ctrl+a", tour.mnemonic("Co_mpare"))
    main.find(_("_Compare"), "panel").wait()
    main.find(re.compile("first.cured")).wait()


def find_map(tour, window=None):
    """The map that is shown, with the keys."""
    page = tour.show("_Heat Map", "alt+1", window)
    the_map = page.find(role="image",
                        where=lambda item: has_name(item.raw_name))
    until(lambda: the_map.is_focused, "the map does not get the keys")
    return page, the_map


@chapter("the heat map", PADDED)
def heat_map(tour):
    _ = tour.translate
    page, the_map = find_map(tour)
    assert "padding" in the_map.description, the_map.description
    best = the_map.name
    assert "tile" in best, best

    # The cursor, and the way back to the best cell.
    tour.press("ctrl+Left", "ctrl+Down")
    until(lambda: the_map.name != best, "the cursor does not move")
    tour.press("b")
    until(lambda: the_map.name == best, "B does not go to the best cell")
    tour.press("Return")
    tour.main.find(_("Show Its _Banks"), "button").wait()

    # Another metric, by its mnemonic.
    before = the_map.description
    name = tour.use_list(page, "_Metric")
    until(lambda: the_map.description != before, "the metric stays")
    tour.use_list(page, "_Metric", name)
    until(lambda: the_map.description == before,
          "the metric does not come back")

    # The axes are swapped, and back.
    tour.press("ctrl+shift+a")
    until(lambda: the_map.description != before, "the axes stay")
    tour.press("ctrl+shift+a")
    until(lambda: the_map.description == before, "the axes don't swap back")


@chapter("zoom", PADDED)
def zoom(tour):
    page, the_map = find_map(tour)
    show_all = page.find(tour.translate("Show all cells"), "button")
    assert not show_all.exists
    tour.press("plus", "plus")
    show_all.wait()
    tour.press("0")
    show_all.wait_gone()

    # By the wheel, and back by the button.
    tour.program.pointer("mousemove", *tour.program.place(the_map, 0.4, 0.4),
                         "keydown", "ctrl", "click", "4", "keyup", "ctrl")
    show_all.activate()
    show_all.wait_gone()


@chapter("what a map shows beside colours", PADDED)
def map_view(tour):
    _ = tour.translate
    page, _the_map = find_map(tour)
    view = page.find(_("_View"), "button").activate()
    until(lambda: view.is_checked, "the view menu does not open")
    for label in ("Outline cells _within 2 %\u00a0of the best",
                  "C_urves along the row and the column"):
        box = page.find(_(label), "check box")
        was_on = box.is_checked
        tour.press(tour.mnemonic(label))
        until(lambda: box.is_checked != was_on, f"{label} stays")
        tour.press(tour.mnemonic(label))
        until(lambda: box.is_checked == was_on, f"{label} does not go back")
    tour.use_list(page, "Con_tour")
    # GTK 4.8 leaves no focus in a popover when a list in it closes.
    tour.press("Tab", "Escape")
    until(lambda: not view.is_checked, "Escape does not close the view menu")


def leave_map(tour, the_map):
    """Gives the keys to what is beside the map."""
    tour.press("shift+Tab")
    until(lambda: not the_map.is_focused, "Shift+Tab does not leave the map")


@chapter("a rectangle of cells", PADDED)
def rectangle(tour):
    page, the_map = find_map(tour)
    clear = page.find(tour.translate("Clear Selection"), "button")
    tour.press("ctrl+Left", "ctrl+Down", "shift+Right", "shift+Up")
    clear.wait()
    tour.press("Escape")
    clear.wait_gone()

    # By the pointer.
    leave_map(tour, the_map)
    tour.program.pointer("mousemove", *tour.program.place(the_map, 0.2, 0.4),
                         "mousedown", "1")
    for at in (0.25, 0.3, 0.35, 0.4):
        tour.program.pointer(
            "mousemove", *tour.program.place(the_map, at, at + 0.2))
    tour.program.pointer("mouseup", "1")
    clear.wait()
    tour.press("Escape")
    clear.wait_gone()

    # What can be done with a cell is a menu, which the keyboard opens, too.
    tour.press("Menu")
    page.find(tour.translate("Show Its _Banks"), "menu item").wait()
    tour.press("Escape")
    until(lambda: the_map.is_focused, "Escape does not lead back to the map")

    # A click focuses the map, which then has the cell below the pointer.
    leave_map(tour, the_map)
    before = the_map.name
    tour.program.click(the_map, 0.2, 0.6)
    until(lambda: the_map.is_focused, "a click does not focus the map")
    until(lambda: the_map.name != before, "a click goes to no cell")


@chapter("copies", PADDED)
def copies(tour):
    """They are pasted where text can be read; no kernel has such a name."""
    pasted = ""
    for keys in ("ctrl+c", "ctrl+alt+c"):
        find_map(tour)
        tour.press("b", keys)
        search = tour.go_to_search()
        before = pasted

        def paste():
            tour.press("ctrl+a", "ctrl+v")
            return "padding" in search.text and search.text != before
        until(paste, f"{keys} copies nothing")
        pasted = search.text
        tour.main.find(tour.translate("No Kernel Found")).wait()
        tour.press("ctrl+a", "BackSpace")
        until(lambda: search.text == "", "the search stays")


@chapter("the slices of a map", PADDED)
def slices(tour):
    page, the_map = find_map(tour)
    page.find("layout", "slider").focus(x=0.9)
    before = the_map.name
    tour.press("Home")
    until(lambda: the_map.name != before, "the slice stays")
    tour.press("End")
    until(lambda: the_map.name == before, "the slice does not come back")


@chapter("why a cell has no value", LATENCY)
def reasons(tour):
    _ = tour.translate
    page, the_map = find_map(tour)
    read_out = page.find(role="status bar")

    def look():
        for row in (0.25, 0.35, 0.45, 0.55, 0.65, 0.75):
            for column in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
                tour.program.pointer(
                    "mousemove", *tour.program.place(the_map, column, row))
                told = read_out.name
                # Not only that, but why.
                if len(told.partition(_("not launchable"))[2]) > 10:
                    return True
        return False
    until(look, "no cell tells why it is not launchable")


def show_banks(tour):
    """Of padding 0 and the largest tile, where a column is in one bank."""
    _ = tour.translate
    tour.need_nvrtc()
    _page, the_map = find_map(tour)
    tour.press("ctrl+Left", "ctrl+Up")
    until(lambda: re.match("tile 32, padding 0", the_map.name),
          lambda: f"the cursor is at {the_map.name}")
    tour.press("Return")
    tour.main.find(_("Show Its _Banks"), "button").activate()
    page = tour.main.find(_("_Banks"), "panel").wait()
    chart = page.find(re.compile(r"\d"), "image")
    until(lambda: n_wavefronts(chart) == 32, "there is no picture")
    return page, chart


def find_side_by_side(tour, page):
    """The button, which has its word or, where that has no room, an icon."""
    names = (tour.translate(text) for text in ("Side b_y Side", "Side by Side"))
    return page.find(re.compile("|".join(map(re.escape, names))), "button")


def n_wavefronts(chart):
    """What a picture of banks is called begins with, but for words."""
    return numbers(chart)[0]


@chapter("the banks", PADDED)
def banks(tour):
    _ = tour.translate
    page, chart = show_banks(tour)
    table = page.find(_("Accesses to shared memory, by source line"),
                      "tree table")
    sites = table.find(role="table row", where=is_row)
    until(lambda: len(sites.all()) > 2, "no accesses are listed")
    figures = page.find(_("Metrics"), "panel")
    figures.find(re.compile("32.*31")).wait()
    # The measured time.
    figures.find(re.compile(r"10[.,]3")).wait()
    # The excess of the whole block, after which the table is not filled anew.
    figures.find(re.compile(r"2\D?095\D?104")).wait()

    # Another access and back.
    table.tab_to()
    tour.press("Down", "Down")
    until(lambda: n_wavefronts(chart) != 32, "the picture stays")
    tour.press("Up", "Up")
    until(lambda: n_wavefronts(chart) == 32, "the picture does not return")

    # Another warp.
    tour.press(tour.mnemonic("_Warp"))
    warp = page.find(_("_Warp"), "spin button")
    until(lambda: warp.is_focused, "the mnemonic does not go to the warp")
    tour.press("Up")
    until(lambda: warp.value == 1, "the warp stays 0")
    tour.press("Down")
    until(lambda: warp.value == 0, "the warp stays 1")


@chapter("the wavefronts one after another", PADDED, slides=True)
def wavefronts(tour):
    _ = tour.translate
    page, _chart = show_banks(tour)
    addresses = page.find(_("By addresses"), "button").activate()
    until(lambda: addresses.is_checked, "no addresses")
    step = page.find(_("Position"), "slider")
    first = step.value
    play = page.find(_("Play"), "button").activate()
    until(lambda: step.value > first, "nothing is played")
    stop = page.find(re.compile("^(" + _("Stop") + "|" + _("Pause") + ")"),
                     "button")
    # Unless it has come to its end.
    until(lambda: play.exists or stop.activate(), "it can't be stopped")
    by_banks = page.find(_("By banks"), "button").activate()
    until(lambda: by_banks.is_checked, "no banks")
    before = step.value
    page.find(_("Back"), "button").activate()
    until(lambda: step.value < before, "there is no way back")


@chapter("the banks side by side", PADDED)
def sides(tour):
    """The padding of none beside that of one."""
    _ = tour.translate
    page, chart = show_banks(tour)
    button = find_side_by_side(tour, page).activate()
    figures = page.find(_("Metrics"), "panel")
    until(lambda: len(figures.all()) == 2, "there are no two figures")
    until(lambda: len(chart.all()) == 2, "there are no two pictures")
    button.activate()
    until(lambda: len(chart.all()) == 1, "there are still two pictures")


def open_stride(tour):
    page = tour.show("_Banks", "alt+2")
    name = tour.translate("Stride Explorer")
    page.find(name, "button").activate()
    return tour.program.window(name)


@chapter("the stride explorer", PADDED)
def stride(tour):
    explorer = open_stride(tour)
    chart = explorer.find(role="image")
    sliders = explorer.find(role="slider")
    until(lambda: len(sliders.all()) >= 3, "there are no three sliders")
    sliders.focus()
    for key in ("Right", "Right"):
        before = chart.name
        tour.press(key)
        until(lambda: chart.name != before, f"{key} changes nothing")
    tour.press("Escape")
    explorer.wait_gone()


@chapter("the ladder", PADDED)
def ladder(tour):
    _ = tour.translate
    page = tour.show("_Ladder", "alt+3")
    page.find(role="status bar").wait()
    chart = page.find(role="image").focus()
    assert chart.name, "the chart says nothing"
    before = chart.name
    tour.press("Home")
    until(lambda: chart.name != before, "Home selects no other step")
    first = chart.name
    tour.press("Down")
    until(lambda: chart.name != first, "Down selects no other step")
    texts = page.find(role="text")
    until(lambda: any("@@" in item.text for item in texts.all()),
          "there is no difference of the sources")
    title = tour.main.name
    page.find(_("_Open Step"), "button").activate()
    until(lambda: tour.main.name != title, "the step is not opened")
    until(lambda: tour.main.name in chart.name,
          lambda: f"{tour.main.name} is not {chart.name}")


def show_source(tour):
    page = tour.show("_Source", "alt+4")
    view = page.find(tour.translate("Source"), "text")
    until(lambda: "__global__" in view.text, "the source is not shown")
    return page, view


def break_source(tour, page, view):
    """A word that is no C: the compiler's message stands at its line."""
    view.focus()
    tour.press("ctrl+End")
    tour.write("\nwrong here")
    page.find(tour.translate("Problems"), "list").find(
        role="list item", where=lambda item: item.name).wait()


@chapter("the source", PADDED)
def source(tour):
    _ = tour.translate
    tour.need_nvrtc()
    page, view = show_source(tour)
    text = view.text
    break_source(tour, page, view)

    # Undone until nothing is edited.
    view.focus()
    while (edited := view.text) != text:
        tour.press("ctrl+z")
        until(lambda: view.text != edited, "undo does not bring the text back")

    # A comment is an edit: it is saved as a kernel of one's own.
    tour.press("ctrl+End")
    tour.write("// mine")
    until(lambda: view.text.endswith("// mine"), "nothing is typed")
    tour.press("ctrl+s")
    tour.save_as(_("Save as a Kernel File"), "own.cu")
    until(lambda: "// mine" in open(tour.path("own.cu"),
                                    encoding="utf-8").read(),
          "nothing was saved")


def compare_files(tour, first, second):
    """Returns the page, and the rows of its table."""
    _ = tour.translate
    main = tour.start(first)
    page = tour.show("_Compare", "alt+5")
    page.find(_("Choose a _File…"), "button").activate()
    tour.open_file(_("Compare With"), second)
    tour.program.focus(main)
    changes = page.find(_("Largest changes"), "tree table")
    return page, changes.find(role="table row", where=is_row).wait()


@chapter("a comparison")
def compare(tour):
    page, rows = compare_files(tour, tour.make_result("first.cured", "1"),
                               tour.make_result("second.cured", "1.5"))
    the_map = page.find(role="image")
    assert the_map.name, "the map of ratios says nothing"
    before = the_map.name
    tour.program.click(rows)
    until(lambda: the_map.name != before, "the row selects no cell")


def is_picture(path, start):
    with open(path, "rb") as file:
        return file.read(len(start)) == start


@chapter("exports")
def exports(tour):
    # They go beside the result.
    tour.start(tour.copy(PADDED))
    find_map(tour)
    for suffix, label in (("png", "PNG picture"), ("svg", "SVG drawing"),
                          ("pdf", "PDF document"), ("csv", "CSV table"),
                          ("json", "JSON document")):
        name = "seen." + suffix
        tour.program.focus(tour.main)
        tour.press("ctrl+e")
        button = tour.main.find(tour.translate("Export View"), "button")
        until(lambda: button.is_checked, "Ctrl+E opens no menu")
        tour.use_menu(button, re.compile(
            "^" + re.escape(tour.translate(label))))
        tour.save_as(tour.translate("Export"), name)
        until(lambda: os.path.getsize(tour.path(name)) > 50,
              f"{name} was not written")
    assert is_picture(tour.path("seen.png"), b"\x89PNG")
    assert is_picture(tour.path("seen.pdf"), b"%PDF")
    ElementTree.parse(tour.path("seen.svg"))
    with open(tour.path("seen.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) > 5 and len({len(row) for row in rows}) == 1, rows[:3]
    with open(tour.path("seen.json"), encoding="utf-8") as file:
        json.load(file)


@chapter("printing", PADDED)
def printing(tour):
    find_map(tour)
    known = tour.program.windows()
    tour.press("ctrl+p")
    dialog = tour.program.window(but=known)
    # GTK's own strings.
    theirs = gettext.translation(
        "gtk40", languages=[tour.arguments.language or "C"], fallback=True)
    row = dialog.find(role="tree table").wait().find(
        plain(theirs.gettext("Print to File")), "label")
    # The printers are listed at once, or never.
    tour.program.settle()
    if not row.exists:
        raise Skip("GTK can't print to a file here")
    go = dialog.find(plain(theirs.gettext("_Print")), "button")
    tour.program.click(row)
    go.activate()

    def pages():
        return [path for path in glob.glob(
            os.path.join(tour.folder, "**", "*.pdf"), recursive=True)
            if os.path.getsize(path) > 1000]
    page, = until(pages, "nothing is printed")
    assert is_picture(page, b"%PDF")
    until(lambda: len(tour.program.windows()) == len(known),
          "a dialog of the printer stays")


def newest_result(tour):
    """What the last sweep wrote."""
    return max(glob.glob(tour.path("home/**/*.cured"), recursive=True),
               key=os.path.getctime)


def open_sweep_dialog(tour):
    """For 24 cells of the tiled matrix product."""
    tour.need_nvrtc()
    tour.press("ctrl+n")
    dialog = tour.program.window(tour.translate("New Sweep"))
    tour.set_field(dialog, "tile", "4..9")
    # Recordings of a former kernel have it.
    if dialog.find("rows", "text").exists:
        tour.set_field(dialog, "rows", "1")
    tour.set_field(dialog, "n", "64,80,96,112")
    count_24(dialog)
    return dialog


def count_24(dialog):
    dialog.find(re.compile("^24 "), "status bar").wait()


def run_menu(tour, *labels):
    """By the menu beside the run button."""
    tour.use_menu(tour.main.find(tour.translate("More ways to run"), "button"),
                  *labels)


def run_from(tour, dialog):
    """Enter runs a dialog's cells."""
    run = dialog.find(tour.translate("_Run"), "button")
    until(lambda: run.is_sensitive, "it can't be run")
    tour.press("Return")
    dialog.wait_gone()
    tour.program.focus(tour.main)


def start_with_sweep(tour):
    """Runs those cells in a window that shows no file yet."""
    tour.start(tour.data("kernels", "matmul", "tiled.cu"))
    run_from(tour, open_sweep_dialog(tour))
    wait_done(tour)


def wait_done(tour):
    tour.main.find(tour.translate("Hide this bar"), "button").wait()


@chapter("the dialog of a sweep", TILED)
def sweep_dialog(tour):
    _ = tour.translate
    dialog = open_sweep_dialog(tour)

    # Kept as a preset, which the menu then has.
    dialog.find(_("Sa_ve…"), "button").activate()
    question = tour.program.window(_("Save as Preset"))
    entry = question.find(role="text")
    until(lambda: entry.is_focused, "no name can be typed")
    tour.write("of mine")
    until(lambda: entry.text == "of mine", "no name is typed")
    tour.press("Return")
    question.wait_gone()
    tour.program.focus(dialog)
    # A toast goes by the first Escape, the dialog by the next.
    until(lambda: not dialog.exists or tour.press("Escape"),
          "Escape does not close the dialog")
    tour.program.focus(tour.main)
    run_menu(tour, _("_Presets"), "of mine")
    dialog = tour.program.window(_("New Sweep"))
    # The preset's values.
    count_24(dialog)


def ask_to_close(tour):
    """The question about a sweep that runs."""
    tour.press("ctrl+w")
    known = [w for w in tour.program.windows() if w.get().role == "frame"]
    return tour.program.window(but=known)


@chapter("a sweep on the emulator", TILED)
def sweep(tour):
    _ = tour.translate
    # This tab shows a file already.
    main = tour.main
    tour.let_pass(3)
    run_from(tour, open_sweep_dialog(tour))
    main.find(where=tells(3, 24)).wait()
    pause = main.find(_("_Pause"), "button")
    tour.press("ctrl+shift+p")
    until(lambda: pause.is_checked, "Ctrl+Shift+P does not pause")
    tour.press("ctrl+shift+p")
    until(lambda: not pause.is_checked, "Ctrl+Shift+P does not go on")
    tour.press("ctrl+shift+x")
    resume = main.find(_("_Resume"), "button").wait()
    # The file as it is now.
    path = newest_result(tour)
    for name in glob.glob(glob.escape(path) + "*"):
        shutil.copy(name, tour.path("partial.cured" + name[len(path):]))
    resume.activate()
    resume.wait_gone()

    # Closing asks, and goes on when told so.
    question = ask_to_close(tour)
    tour.press("Escape")
    question.wait_gone()
    tour.program.focus(main)
    tour.let_pass()
    wait_done(tour)

    # The copy was cut short, and goes on where it was.
    tour.open_beside(tour.path("partial.cured"))
    tour.main.find(where=tells(21, 24)).wait()
    tour.main.find(_("_Resume"), "button").activate()
    wait_done(tour)


@chapter("some cells again, and finer")
def again(tour):
    _ = tour.translate
    start_with_sweep(tour)
    main = tour.main
    page, the_map = find_map(tour)
    tour.press("shift+Right")
    page.find(_("Clear Selection"), "button").wait()
    tour.let_pass(1)
    tour.press("ctrl+shift+r")
    main.find(_("_Pause"), "button").wait()
    tour.let_pass()
    wait_done(tour)

    # What is between the selected values, too.
    tour.press("ctrl+shift+f")
    dialog = tour.program.window(_("New Sweep"))
    sizes = dialog.find("n", "text").text
    assert sizes not in ("64,80,96,112", "64..112:16"), sizes
    assert len(re.findall(r"\d+", sizes)) > 1, sizes


@chapter("a change of the source runs it again")
def source_runs(tour):
    _ = tour.translate
    start_with_sweep(tour)
    main = tour.main
    before = newest_result(tour)
    run_menu(tour, _("Run _When the Source Changes"))
    _page, view = show_source(tour)
    view.focus()
    tour.let_pass(0)
    tour.press("ctrl+End")
    tour.write("// again")
    main.find(_("_Pause"), "button").wait()
    tour.let_pass()
    wait_done(tour)
    assert newest_result(tour) != before, before


@chapter("every view of a result", kind="looks")
def views(tour):
    _ = tour.translate
    main = tour.start()
    main.find(_("Recorded examples")).wait()
    tour.look("start page")
    tour.find_kernel("tile-pad", "tile-padding")
    tour.press("Return")
    page, the_map = find_map(tour)
    tour.press("ctrl+Left", "shift+Up", "Return")
    main.find(_("Show Its _Banks"), "button").wait()
    page.find(_("Clear Selection"), "button").wait()
    tour.look("heat map")

    view = page.find(_("_View"), "button")
    tour.press(tour.mnemonic("_View"))
    until(lambda: view.is_checked, "the view menu does not open")
    tour.look("view menu", main)
    tour.press("Escape")
    until(lambda: not view.is_checked, "Escape does not close the view menu")
    for name in ("More ways to run", "Export View", "Main menu"):
        menu = main.find(_(name), "button").activate()
        menu.find(role="menu item").wait()
        tour.look(name, main)
        tour.press("Escape")
        until(lambda: not menu.is_checked, f"Escape does not close {name}")

    page = tour.show("_Ladder", "alt+3")
    page.find(role="image").wait()
    tour.look("ladder")
    page, view = show_source(tour)
    tour.look("source")
    view.focus()
    tour.write("/")
    tour.press("ctrl+q")
    question = tour.program.window(but=[main])
    tour.look("question about an edit", question)
    question.find(_("_Discard"), "button").activate()
    until(lambda: tour.program.process.poll() == 0,
          "Ctrl+Q does not end the program")


@chapter("banks and errors", PADDED, kind="looks")
def banks_and_errors(tour):
    _ = tour.translate
    page, chart = show_banks(tour)
    tour.look("banks")
    page.find(_("By addresses"), "button").activate()
    find_side_by_side(tour, page).activate()
    until(lambda: len(chart.all()) == 2, "there are no two pictures")
    tour.look("banks side by side")
    explorer = open_stride(tour)
    tour.look("stride explorer", explorer)
    tour.press("Escape")
    explorer.wait_gone()
    tour.program.focus(tour.main)
    break_source(tour, *show_source(tour))
    tour.look("source with an error")


@chapter("two files", kind="looks")
def two_files(tour):
    compare_files(tour, tour.copy(PADDED), tour.copy(TILED))
    tour.look("compare")


@chapter("a sweep", kind="looks")
def running(tour):
    tour.start(tour.data("kernels", "matmul", "tiled.cu"))
    dialog = open_sweep_dialog(tour)
    tour.look("sweep dialog", dialog)
    tour.let_pass(3)
    run_from(tour, dialog)
    tour.main.find(where=tells(3, 24)).wait()
    tour.look("running sweep")
    tour.look("question about a sweep", ask_to_close(tour))
    tour.press("Escape")
    tour.let_pass()
    wait_done(tour)
    tour.look("sweep that is done")


@chapter("the files of a folder", kind="looks")
def list_of_files(tour):
    tour.copy(PADDED)
    tour.make_result("first.cured", "1")
    with open(tour.path("qqq.cured"), "w", encoding="utf-8") as file:
        file.write("no result\n")
    tour.start(tour.folder)
    tour.main.find("qqq").wait()
    tour.look("folder")


@chapter("what a map asks", PADDED, kind="looks")
def map_dialogs(tour):
    find_map(tour)
    known = tour.program.windows()
    for name, key in (("colour limits", "l"), ("note on a cell", "n"),
                      ("note on the file", "shift+n"),
                      ("export", "ctrl+shift+e")):
        tour.press(key)
        dialog = tour.program.window(but=known)
        tour.look(name, dialog)
        tour.press("Escape")
        dialog.wait_gone()
        tour.program.focus(tour.main)


@chapter("the history of a folder", kind="looks")
def history(tour):
    _ = tour.translate
    for name, factor in (("first.cured", "1"), ("second.cured", "2")):
        tour.make_result(name, factor)
    main = tour.start(tour.folder)
    button = main.find(_("_History"), "button")
    until(lambda: button.is_sensitive, "the files are not read")
    button.activate()
    window = tour.program.window(_("History"))
    window.find(role="image", where=lambda item: item.is_focused).wait()
    tour.look("history", window)
    tour.press("Escape")
    window.wait_gone()


@chapter("half a file", kind="looks")
def half(tour):
    """It is told of, with what to do about it."""
    tour.make_result("first.cured", "1")
    with open(tour.path("first.cured"), "rb") as file:
        whole = file.read()
    with open(tour.path("half.cured"), "wb") as file:
        file.write(whole[:len(whole) // 2])
    main = tour.start(tour.path("half.cured"))
    main.find(re.compile("half.cured")).wait()
    main.find(tour.translate("_Open Another…"), "button").wait()
    tour.look("half a file")


@chapter("files of other programs", PADDED, kind="looks")
def imports(tour):
    _ = tour.translate
    told = _("Imported from %s").replace("%s", ".*")
    for name in ("kernel-tuner.json", "t4.json"):
        shutil.copy(tour.data("tests", "data", "import", name), tour.path(name))
        tour.open_beside(tour.path(name), asks=True)
        known = [w for w in tour.program.windows() if w.get().role == "frame"]
        # One result is saved where one says; several lie beside the file.
        dialog = tour.program.window(
            re.compile(_("Save the Imported Result") + "|" + told), but=known)
        if dialog.name == _("Save the Imported Result"):
            tour.type_name(dialog, name + ".cured")
            dialog = tour.program.window(re.compile(told), but=known)
        # What the file lacks is told.
        tour.look("import " + name, dialog)
        tour.press("Escape")
        dialog.wait_gone()
        tour.program.focus(tour.main)
        # The other tab has a map, too, which has no keys.
        tour.show("_Heat Map", "alt+1")
        tour.main.find(role="image", where=lambda item: item.is_in(FOCUSED) and
                       has_name(item.raw_name)).wait()
        tour.close_tab()


@chapter("a kernel without a header", kind="looks")
def header(tour):
    _ = tour.translate
    path = tour.path("bare.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write("extern \"C\" __global__ void twice (float *x, int n)\n"
                   "{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  if (i < n)\n    x[i] *= 2;\n}\n")
    tour.start(path, has_keys=False)
    dialog = tour.program.window(_("Describe a Kernel"))
    dialog.find("twice").wait()
    tour.look("header", dialog)
    tour.press("Escape")
    dialog.wait_gone()


@chapter("help, shortcuts, about", PADDED, kind="looks")
def windows(tour):
    _ = tour.translate
    known = tour.program.windows()
    menu = tour.main.find(_("Main menu"), "button")
    for name, open_it in (
            ("help", lambda: tour.press("F1")),
            ("shortcuts", lambda: tour.press("ctrl+question")),
            ("about", lambda: tour.use_menu(menu, _("_About Cured")))):
        open_it()
        window = tour.program.window(but=known)
        tour.look(name, window)
        tour.press("Escape")
        window.wait_gone()
        tour.program.focus(tour.main)


def brightness():
    """The mean of the screen's pixels."""
    picture = subprocess.run(
        ["import", "-window", "root", "-colorspace", "gray", "-resize",
         "1x1!", "-depth", "8", "gray:-"], capture_output=True, check=True)
    return picture.stdout[0]


@chapter("light and dark", PADDED)
def appearance(tour):
    _ = tour.translate
    if shutil.which("import") is None:
        raise Skip("nobody can take a picture of the screen")
    before = brightness()
    tour.press("F10")
    menu = tour.main.find(_("Main menu"), "button")
    until(lambda: menu.is_checked, "F10 opens no menu")
    tour.use_menu(menu, _("_Appearance"), _("_Dark"))
    until(lambda: brightness() < before / 2, "it does not get dark")
    shoot("dark")


@chapter("what is remembered", PADDED)
def memory(tour):
    _ = tour.translate

    def shows_kernels():
        search = tour.main.find(_("Search kernels"), "entry").now()
        extents = search.extents if search is not None else None
        return extents is not None and extents[0] >= 0

    def button():
        return tour.main.find(_("Kernels"), "button").is_checked

    # A narrow window hides them by itself.
    tour.resize(1200, 760)
    until(lambda: shows_kernels() and button(), "the kernels are not shown")
    tour.press("F8")
    until(lambda: not button(), "F8 does not hide the kernels")
    tour.press("ctrl+q")
    until(lambda: tour.program.process.poll() is not None,
          "Ctrl+Q does not end the program")
    assert tour.program.process.poll() == 0, tour.program.process.poll()
    tour.start()
    tour.main.find(_("Recent")).wait()
    assert not button() and not shows_kernels(), "F8 was forgotten"
    tour.press("F8")
    until(lambda: shows_kernels() and button(), "F8 does not show the kernels")


@chapter("what is edited is asked about", PADDED)
def discard(tour):
    _ = tour.translate
    _page, view = show_source(tour)
    view.focus()
    tour.press("ctrl+End")
    tour.write("// mine")
    until(lambda: view.text.endswith("// mine"), "nothing is typed")
    known = tour.program.windows()
    tour.press("ctrl+q")
    tour.program.window(but=known).find(_("_Discard"), "button").activate()
    until(lambda: tour.program.process.poll() == 0,
          "Ctrl+Q does not end the program")


def tell(program):
    """What a screen reader hears of the program's windows."""
    def go_on(item, depth):
        print(f"#{'  ' * depth} {item.role} “{item.raw_name}” “"
              f"{item.description.partition(chr(10))[0]}” {item.extents}"
              f"{' focused' * item.is_in(FOCUSED)}")
        for child in item.children:
            go_on(child, depth + 1)
    try:
        go_on(program.tree(), 0)
    except (AssertionError, GLib.Error) as problem:
        print(f"# {problem}")


def take(number, title, result, _kind, slides, function, arguments):
    """One chapter. Returns whether all was well."""
    tour = Tour(arguments, slides)
    begin = time.monotonic()
    is_well = True
    try:
        if result:
            tour.start(tour.data("data", "results", result))
            # Before the file is read, there is no view.
            tour.main.find(tour.translate("_Heat Map"), "page tab").wait()
        function(tour)
        tour.assert_well()
        print(f"ok {number} - {title} # {time.monotonic() - begin:.1f} s")
    except Skip as reason:
        print(f"ok {number} - {title} # SKIP {reason}")
    except Exception:
        is_well = False
        print(f"not ok {number} - {title}")
        traceback.print_exc(file=sys.stdout)
        shoot("failed-" + re.sub(r"\W+", "-", title))
        if tour.program is not None:
            tell(tour.program)
        if os.path.exists(tour.log_path):
            with open(tour.log_path, encoding="utf-8") as log:
                print(log.read())
    finally:
        sys.stdout.flush()
        if tour.program is not None:
            tour.program.end()
        shutil.rmtree(tour.folder, ignore_errors=True)
    return is_well


def choose(arguments):
    """The chapters of a shard."""
    chosen = [c for c in chapters if arguments.kind in (None, c[2])]
    if arguments.only:
        words = arguments.only.split(",")
        chosen = [c for c in chosen if any(word in c[0] for word in words)]
    return chosen[arguments.shard[0] - 1::arguments.shard[1]]


def pair(separator):
    def read(text):
        first, second = text.split(separator)
        return int(first), int(second)
    return read


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=("looks", "uses"))
    parser.add_argument("--language")
    parser.add_argument("--size", type=pair("x"), default=(1200, 760))
    parser.add_argument("--shard", type=pair("/"), default=(1, 1))
    parser.add_argument("--only")
    for name in ("source", "program", "command", "make_result", "locale"):
        parser.add_argument(name, type=os.path.abspath)
    arguments = parser.parse_args()
    try:
        Bus.connect()
    except GLib.Error as problem:
        print(f"skipped: {problem.message}")
        return 77
    chosen = choose(arguments)
    # All of them, whatever one of them finds.
    results = [take(number, *parts, arguments)
               for number, parts in enumerate(chosen, 1)]
    print(f"1..{len(chosen)}")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
