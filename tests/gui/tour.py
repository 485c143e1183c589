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
    from gi.repository import Gio, GLib
except ImportError:
    print("skipped: python3-gi is not installed")
    sys.exit(77)

PATIENCE_S = float(os.environ.get("CURED_PATIENCE", 30))

# What AT-SPI counts its roles and states by.
ROLES = {2: "alert", 7: "check box", 8: "menu item", 11: "combo box",
         16: "dialog",
         20: "filler", 23: "frame", 27: "image", 29: "label", 31: "list",
         32: "list item", 33: "menu", 35: "menu item", 37: "page tab",
         39: "panel", 43: "push button", 44: "radio button",
         45: "menu item",
         49: "scroll pane", 51: "slider", 52: "spin button", 54: "status bar",
         61: "text", 62: "toggle button", 66: "tree table", 68: "viewport",
         69: "window", 79: "entry", 90: "table row"}
CHECKED, FOCUSABLE, FOCUSED = 4, 11, 12
PRESSED, SELECTED, SENSITIVE = 20, 23, 24
GATE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "gated-worker.py")
# On a busy machine, GTK 4.8 draws a frame before it has placed a button of its
# file chooser or a scrollbar, and draws it in the next one.
GTKS_OWN = re.compile(r"Gtk-WARNING .*Trying to snapshot Gtk\w+ 0x[0-9a-f]+ "
                      "without a current allocation")
NOTHING = "/org/a11y/atspi/null"
ROOT = "/org/a11y/atspi/accessible/root"


class Bus:
    """The accessibility bus.

    Asked here and not through libatspi, which asks an application for its
    windows by their index: where a window went meanwhile, GTK 4.8 answers with
    the last one of all, and where that one is hidden, it has no path and GTK
    crashes (handle_accessible_method () in gtkatspiroot.c). It also believes
    states that it heard of long ago."""

    connection = None

    @classmethod
    def connect(cls):
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        address, = session.call_sync(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress",
            None, None, 0, 30000, None).unpack()
        cls.connection = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)

    @classmethod
    def call(cls, name, path, interface, method, arguments=None):
        """Raises GLib.Error, as where the widget is gone."""
        return cls.connection.call_sync(
            name, path, interface, method, arguments, None, 0,
            int(PATIENCE_S * 1000), None).unpack()

    @classmethod
    def applications(cls):
        """The name on the bus and the process of each."""
        for name, _path in cls.call("org.a11y.atspi.Registry", ROOT,
                                    "org.a11y.atspi.Accessible",
                                    "GetChildren")[0]:
            yield name, cls.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus", "GetConnectionUnixProcessID",
                GLib.Variant("(s)", (name,)))[0]


def plain(text):
    """A name without mnemonics and with plain spaces."""
    return text.replace("_", "").replace("\u00a0", " ").strip()


class Node:
    """A widget as the accessible tree has it."""

    def __init__(self, bus_name, path):
        self.bus_name = bus_name
        self.path = path

    def __eq__(self, other):
        return isinstance(other, Node) and (
            self.bus_name, self.path) == (other.bus_name, other.path)

    def __hash__(self):
        return hash((self.bus_name, self.path))

    def ask(self, interface, method, arguments=None):
        return Bus.call(self.bus_name, self.path,
                        "org.a11y.atspi." + interface, method, arguments)

    def get(self, interface, name):
        return Bus.call(self.bus_name, self.path,
                        "org.freedesktop.DBus.Properties", "Get",
                        GLib.Variant("(ss)", ("org.a11y.atspi." + interface,
                                              name)))[0]

    @property
    def role(self):
        role, = self.ask("Accessible", "GetRole")
        return ROLES.get(role, str(role))

    @property
    def raw_name(self):
        return self.get("Accessible", "Name")

    @property
    def name(self):
        return plain(self.raw_name)

    @property
    def description(self):
        return plain(self.get("Accessible", "Description"))

    @property
    def parent(self):
        return Node(*self.get("Accessible", "Parent"))

    @property
    def extents(self):
        """In the coordinates of its window."""
        return self.ask("Component", "GetExtents", GLib.Variant("(u)", (1,)))[0]

    def is_in(self, state):
        (low, high), = self.ask("Accessible", "GetState")
        return bool((low | high << 32) >> state & 1)

    @property
    def is_checked(self):
        return self.is_in(CHECKED) or self.is_in(PRESSED)

    @property
    def is_focused(self):
        return self.is_in(FOCUSED)

    @property
    def is_sensitive(self):
        return self.is_in(SENSITIVE)

    @property
    def value(self):
        return self.get("Value", "CurrentValue")

    @property
    def text(self):
        length = self.get("Text", "CharacterCount")
        return self.ask("Text", "GetText",
                        GLib.Variant("(ii)", (0, length)))[0]

    @property
    def children(self):
        for name, path in self.ask("Accessible", "GetChildren")[0]:
            if path != NOTHING:
                yield Node(name, path)

    def walk(self, depth=0):
        """All that has a place; what was never shown has none."""
        if depth > 60:
            return
        try:
            _x, _y, width, height = self.extents
        # What is no widget, such as a page of a stack.
        except GLib.Error:
            width = height = 1
        if width <= 0 or height <= 0:
            return
        yield self
        try:
            children = list(self.children)
        # It went away meanwhile.
        except GLib.Error:
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
    time.sleep(0.1)


def act_until(act, condition, what):
    """Does once more what does no harm where it is not needed."""
    def try_it():
        act()
        end = time.monotonic() + 1
        while not condition() and time.monotonic() < end:
            time.sleep(0.05)
        return condition()
    until(try_it, what)


def press_until(key, condition, what):
    act_until(lambda: press(key), condition, what)


def write(text):
    subprocess.run(["xdotool", "type", "--delay", "8", text], check=True)
    time.sleep(0.1)


def use_list(root, *keys):
    """Opens the drop-down that has the focus, and chooses by keys."""
    def is_open():
        return any(n.is_focused for n in root.find_all(role="list item"))

    press("space")
    until(is_open, "no list is opened")
    press(*keys, "Return")
    until(lambda: not is_open(), "the list stays open")


def use_menu(button, label, key="Down"):
    """Goes to an entry of the menu of a button, which is open or opens."""
    def focused():
        return next((n.name for n in button.find_all(role="menu item")
                     if n.is_focused), None)

    until(focused, "the menu is not opened")
    for _i in range(30):
        if focused() == label or isinstance(label, re.Pattern) \
                and label.search(focused() or ""):
            press("Return")
            return
        press(key)
    raise AssertionError(f"no key goes to {label}")


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
        os.makedirs(os.path.join(self.folder, "home"))
        self.process = None
        self.root = None
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

    def mnemonic(self, text):
        """The keys of a label's underlined letter."""
        found = re.search("_(.)", self.translation.gettext(text))
        assert found, text
        return "alt+" + found.group(1).lower()

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self):
        environment = dict(application_environment)
        # A home of this tour's own: what a former one left is not found.
        home = self.path("home")
        environment["HOME"] = home
        for name in ("config", "data", "cache"):
            environment[f"XDG_{name.upper()}_HOME"] = os.path.join(home, name)
        environment["G_DEBUG"] = "gc-friendly"
        environment["GSETTINGS_BACKEND"] = "keyfile"
        environment["CURED_DATA_DIR"] = os.path.join(
            self.arguments.source, "data")
        environment["CURED_WORKER"] = (
            f"'{sys.executable}' '{GATE}' '{self.path('gate')}' "
            f"'{self.arguments.command}' worker")
        environment["CURED_LOCALEDIR"] = self.arguments.locale
        if self.arguments.language:
            environment["LANGUAGE"] = self.arguments.language
        return environment

    def start(self, *files):
        log = open(self.log_path, "a", encoding="utf-8")
        self.process = subprocess.Popen([self.arguments.program, *files],
                                        stdout=log, stderr=log,
                                        cwd=self.folder,
                                        env=self.environment())
        log.close()
        self.root = None
        until(self.windows, "the program shows no window")

    def open_beside(self, path):
        """As a file manager opens a file: the program that runs gets it."""
        subprocess.run([self.arguments.program, path], check=True,
                       env=self.environment(), timeout=30,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def application(self):
        if self.root is None:
            self.root = next((Node(name, ROOT)
                              for name, process in Bus.applications()
                              if process == self.process.pid), None)
        return self.root

    def windows(self):
        try:
            application = self.application()
            return list(application.children) if application else []
        # It is about to go.
        except GLib.Error:
            return []

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
                                   if n.raw_name == kind), None),
                     f"there is no {kind}")

    # Pointer and keys.

    def number(self, window):
        """The X server's number of a window."""
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name",
             "^" + re.escape(window.raw_name) + "$"],
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

    def type_path(self, dialog, path):
        """Into the entry of GTK's own dialog, which has the focus."""
        field = until(lambda: next(
            (n for n in dialog.walk() if n.is_focused
             and n.role in ("text", "entry")), None),
            f"nothing can be typed into {dialog.name}")
        press("ctrl+a")
        write(path)
        until(lambda: field.text == path, f"{path} is not typed")
        press("Return")

    def show(self, view, key, kind):
        press(key)
        tab = self.main.find(view, "page tab")
        until(lambda: tab.is_in(SELECTED),
              f"{key} does not show {view}")
        return self.page(kind)

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

    # What holds at all times.

    def ping(self):
        """How long the main loop takes to answer."""
        begin = time.monotonic()
        _ = list(self.main.children)
        passed = time.monotonic() - begin
        self.slowest_s = max(self.slowest_s, passed)
        return passed

    def assert_well(self):
        assert self.process.poll() is None, \
            f"the program ended with {self.process.poll()}"
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            said = [line for line in log
                    if re.search(r"-(CRITICAL|WARNING|ERROR) \*\*", line)
                    and not GTKS_OWN.search(line)]
        assert not said, said

    def note_unnamed(self, where, root):
        """Remembers what the keyboard reaches and a screen reader can't name.

        Rows without a name are read by what is in them, a drop-down's inner
        button by the drop-down, the arrow of a split button by its tooltip."""
        for node in root.walk():
            try:
                role = node.role
                if not node.is_in(FOCUSABLE) or role in (
                        "scroll pane", "list", "tree table", "table row",
                        "viewport", "filler", "panel"):
                    continue
                name = node.raw_name
                if name and not re.match("(Gtk|Adw|Cured)[A-Z]", name):
                    continue
                parent = node.parent
                if role == "push button" and (
                        parent.role == "combo box" or node.description):
                    continue
                if role == "list item" and any(
                        child.raw_name for child in node.find_all()
                        if child.role in ("label", "list", "list item")):
                    continue
                self.unnamed[where + ": " + role + " in " + parent.role + " "
                             + (parent.raw_name or node.description)] = 1
            except Exception:
                continue

    def assert_translated(self, where, root):
        """Nothing that has a translation is shown in English."""
        if not self.arguments.language:
            return
        english = []
        # A kernel's own title may be called as a figure is.
        kernels = {node for kernel_list in
                   root.find_all(self.translate("Kernels"), "list")
                   for node in kernel_list.walk()}
        for node in root.walk():
            if node in kernels:
                continue
            try:
                texts = {node.raw_name,
                         node.get("Accessible", "Description")}
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

    # And by the arrow keys, with no pointer.
    press("ctrl+k", "ctrl+a")
    write("dot")
    until(lambda: kernels.has("shuffle"), "the search finds no family")

    def is_at_last():
        return any(n.is_focused for n in list(kernels.find_all(
            role="list item"))[-1].walk())
    until(lambda: is_at_last() or press("Down"),
          "Down does not go to the last kernel")
    press("Return")
    until(lambda: main.name not in ("Cured", "Tiled matrix product, padded"),
          "Enter on a row opens nothing")
    press("ctrl+k", "ctrl+a")
    write("tile-pad")
    until(lambda: kernels.has("tile-padding"), "the search finds nothing")
    press("Return")
    until(lambda: main.name == "Tiled matrix product, padded",
          "Enter does not open the first kernel again")


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
    press(tour.mnemonic("_Metric"))
    use_list(page, "Down", "Down")
    until(lambda: the_map.description != before, "the metric stays")
    press(tour.mnemonic("_Metric"))
    use_list(page, "Up", "Up")
    until(lambda: the_map.description == before,
          "the metric does not come back")

    # The axes are swapped, and back.
    before = the_map.description
    press("ctrl+t")
    until(lambda: the_map.description != before, "the axes stay")
    press("ctrl+t")
    until(lambda: the_map.description == before, "the axes don't swap back")

    # Zoom by keys and by the wheel.
    # On a busy machine, GTK 4.8 gives a first click to a list that has closed.
    act_until(lambda: tour.click(the_map, x=0.4, y=0.4),
              lambda: the_map.is_focused, "a click does not focus the map")
    assert not page.has(_("Show all cells"), "push button")
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
    view = page.find(_("_View"), "push button")
    tour.click(view)
    until(lambda: view.is_checked, "the view menu does not open")
    region = page.find(_("Outline what is _within 2 %\u00a0of the best"),
                       "check box")
    was_outlined = region.is_checked
    press(tour.mnemonic("Outline what is _within 2 %\u00a0of the best"))
    until(lambda: region.is_checked != was_outlined, "no outline")
    curves = page.find(_("C_urves along the row and the column"), "check box")
    had_curves = curves.is_checked
    curve_key = tour.mnemonic("C_urves along the row and the column")
    press(curve_key)
    until(lambda: curves.is_checked != had_curves, "no curves")
    press(curve_key)
    until(lambda: curves.is_checked == had_curves, "the curves stay")
    press(tour.mnemonic("Con_tour"))
    use_list(page, "Down")
    tour.assert_translated("view menu", page)
    shoot("map-view")
    # GTK 4.8 leaves no focus in a popover when a list in it closes.
    press("Tab")
    press_until("Escape", lambda: not view.is_checked,
                "Escape does not close the view menu")

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

    def look():
        for row in (0.25, 0.4, 0.55, 0.7):
            for column in (0.1, 0.25, 0.4, 0.55):
                tour.move_to(the_map, main, column, row)
                told = read_out.name
                # Not only that, but why.
                if len(told.partition(_("not launchable"))[2]) > 10:
                    return True
        return False
    until(look, "no cell tells why it is not launchable")
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
                      "tree table",)
    sites = until(lambda: [n for n in table.find_all(role="list")
                           for n in n.find_all(role="table row")],
                  "no accesses are listed",)
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
    press(tour.mnemonic("_Warp"))
    warp = page.find(_("Warp"), "spin button")
    press("Up")
    until(lambda: warp.value == 1, "the warp stays 0")
    press("Down")
    until(lambda: warp.value == 0, "the warp stays 1")

    # The padding of none beside that of one.
    tour.click(page.find(_("Side b_y Side"), "push button"))
    until(lambda: len(list(page.find_all(_("Figures"), "panel"))) == 2,
          "there is one picture only",)
    until(lambda: len([n for n in page.find_all(role="image")
                       if re.match(r"\d+ ", n.name)]) == 2,
          "there are no two pictures",)
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
    tour.type_path(dialog, path)
    tour.gone(title)
    tour.focus(window or tour.main)


def open_file(tour, title, path):
    dialog = tour.window(title)
    tour.focus(dialog)
    press("ctrl+l")
    tour.type_path(dialog, path)
    tour.gone(title)


def brightness():
    """The mean of the screen's pixels; None: nobody can take its picture."""
    if shutil.which("import") is None:
        return None
    picture = subprocess.run(
        ["import", "-window", "root", "-colorspace", "gray", "-resize",
         "1x1!", "-depth", "8", "gray:-"], capture_output=True, check=True)
    return picture.stdout[0]


def is_picture(path, start):
    with open(path, "rb") as file:
        return file.read(len(start)) == start


def choose_export(tour, label):
    press("ctrl+e")
    use_menu(tour.main.find(tour.translate("Export what is seen")), label)


@chapter("exports")
def exports(tour):
    _ = tour.translate
    tour.show(_("_Heat Map"), "alt+1", "CuredResultPage")
    for suffix in ("png", "svg", "pdf", "csv", "json"):
        path = tour.path("seen." + suffix)
        choose_export(tour, re.compile("^" + suffix.upper()))
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


@chapter("printing")
def printing(tour):
    known = tour.windows()
    tour.focus(tour.main)
    press("ctrl+p")
    dialog = until(lambda: next(
        (w for w in tour.windows() if w not in known), None),
        "nothing asks for a printer")
    tour.focus(dialog)
    shoot("print")
    # GTK's own strings.
    theirs = gettext.translation(
        "gtk40", languages=[tour.arguments.language or "C"], fallback=True)
    to_file = plain(theirs.gettext("Print to File"))
    printers = dialog.find(role="tree table")
    try:
        row = printers.find(to_file, "label")
    except AssertionError:
        press("Escape")
        until(lambda: dialog not in tour.windows(), "the dialog stays")
        raise Skip("GTK can't print to a file here")
    go = dialog.find(plain(theirs.gettext("_Print")), "push button")
    tour.click(row, dialog)
    until(lambda: go.is_sensitive, "no printer can be chosen")
    tour.click(go, dialog)

    def pages():
        return [path for path in glob.glob(
            os.path.join(tour.folder, "**", "*.pdf"), recursive=True)
            if os.path.basename(path) != "seen.pdf"
            and os.path.getsize(path) > 1000]
    page, = until(pages, "nothing is printed")
    assert is_picture(page, b"%PDF")
    until(lambda: tour.windows() == known, "a dialog of the printer stays")


def has_nvrtc(tour):
    if tour.has_nvrtc is None:
        run = subprocess.run(
            [tour.arguments.command, "run", "vector/add", "--device",
             "emulator", "-p", "blocks=1", "-p", "threads=32", "-p",
             "vector=1", "-p", "n=32", "-o", tour.path("probe.cured")],
            capture_output=True, env=tour.environment(), check=False)
        tour.has_nvrtc = run.returncode == 0
    return tour.has_nvrtc


def newest_result(tour):
    """What the last sweep wrote."""
    return max(glob.glob(os.path.join(tour.path("home"), "**", "*.cured"),
                         recursive=True),
               key=os.path.getctime)


def run_menu(tour, window, *labels):
    """By the menu beside the run button."""
    button = next(n for n in window.find_all(role="push button")
                  if n.description == tour.translate("More ways to run"))
    tour.click(button, window)
    for label in labels:
        use_menu(button, label)


def set_field(tour, window, name, text):
    """By Tab, which scrolls to where it goes."""
    field = window.find(name, "text")
    until(lambda: any(n.is_focused for n in field.walk()) or press("Tab"),
          f"Tab does not go to {name}")
    press("ctrl+a")
    write(text)
    until(lambda: field.text == text, f"{text} is not typed")


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
    set_field(tour, dialog, "n", "64,80,96,112")

    def counts_24(dialog):
        return any(n.name.startswith("24 ")
                   for n in dialog.find_all(role="status bar"))
    until(lambda: counts_24(dialog), "the cells are not counted")
    shoot("sweep-dialog")

    # Kept as a preset, which the menu then has.
    tour.click(dialog.find(_("Sa_ve…"), "push button"), dialog)
    question = tour.window(_("Save as Preset"))
    tour.focus(question)
    until(lambda: any(n.is_focused for n in question.find_all(role="text")),
          "no name can be typed")
    write("of mine")
    press("Return")
    tour.gone(_("Save as Preset"))
    tour.focus(dialog)
    # A toast goes by the first Escape, the dialog by the next.
    press_until("Escape", lambda: not tour.is_open(_("New Sweep")),
                "Escape does not close the dialog")
    tour.focus(main)
    run_menu(tour, main, _("_Presets"), "of mine")
    dialog = tour.window(_("New Sweep"))
    tour.focus(dialog)
    until(lambda: counts_24(dialog), "the preset has other values")

    # No further than some cells, however fast the machine is. Enter runs.
    tour.let_pass(3)
    set_field(tour, dialog, "tile", "4..9")
    until(lambda: dialog.find(_("_Run"), "push button").is_sensitive,
          "it can't be run")
    press("Return")
    tour.gone(_("New Sweep"))

    # A window of its own: this one shows a file already.
    first = main
    main = until(lambda: next((w for w in tour.windows() if w != first
                               and w.role == "frame"), None),
                 "the sweep has no window")
    tour.focus(main)
    bar = tour.page("CuredRunBar", main)
    pause = bar.find(_("_Pause"), "push button")
    until(lambda: bar.has(re.compile("^3 .*24")), "there is no progress")
    for _i in range(5):
        tour.ping()
        time.sleep(0.1)
    shoot("sweep-running")
    press("ctrl+shift+p")
    until(lambda: pause.is_checked, "Ctrl+Shift+P does not pause")
    press("ctrl+shift+p")
    until(lambda: not pause.is_checked, "Ctrl+Shift+P does not go on")
    press("ctrl+shift+x")
    resume = bar.find(_("_Resume"), "push button")
    tour.note_unnamed("run bar", bar)
    # The file as it is now, for later.
    path = newest_result(tour)
    for name in glob.glob(glob.escape(path) + "*"):
        shutil.copy(name, tour.path("partial.cured" + name[len(path):]))
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
    tour.let_pass()
    bar.find(_("Hide this bar"), "push button")
    shoot("sweep-done")

    # The cells that are selected, once more.
    page = tour.page("CuredResultPage", main)
    tour.click(page.find(role="image"), main, x=0.3, y=0.5)
    press("shift+Right")
    page.find(_("Select no cells"), "push button")
    tour.let_pass(1)
    press("ctrl+shift+r")
    bar.find(_("_Pause"), "push button")
    tour.let_pass()
    bar.find(_("Hide this bar"), "push button")

    # Finer: what is between the selected values, too.
    press("ctrl+shift+f")
    dialog = tour.window(_("New Sweep"))
    tour.focus(dialog)
    sizes = dialog.find("n", "text").text
    assert sizes not in ("64,80,96,112", "64..112:16"), sizes
    assert len(re.findall(r"\d+", sizes)) > 1, sizes
    # A toast goes by the first Escape, the dialog by the next.
    press_until("Escape", lambda: not tour.is_open(_("New Sweep")),
                "Escape does not close the dialog")
    tour.focus(main)

    # A change of the source runs it again.
    before = newest_result(tour)
    run_menu(tour, main, _("Run _When the Source Changes"))
    press("alt+4")
    page = tour.page("CuredSourcePage", main)
    view = page.find(_("Source"), "text")
    tour.click(view, main, x=0.5, y=0.3)
    until(lambda: any(n.is_focused for n in view.walk()), "no text is edited")
    tour.let_pass(0)
    press("ctrl+End")
    write("// again")
    bar.find(_("_Pause"), "push button")
    shoot("sweep-changed")
    tour.let_pass()
    bar.find(_("Hide this bar"), "push button")
    assert newest_result(tour) != before, before
    close(tour, main)


@chapter("a sweep that was cut short")
def resume(tour):
    _ = tour.translate
    if not has_nvrtc(tour):
        raise Skip("there is no NVRTC")
    main = open_another(tour, tour.path("partial.cured"))
    bar = tour.page("CuredRunBar", main)
    resume = bar.find(_("_Resume"), "push button")
    assert bar.has(re.compile("21.*24")), [n.name for n in bar.walk()]
    tour.click(resume, main)
    bar.find(_("Hide this bar"), "push button")
    close(tour, main)

    # Half a file is told of, with what to do about it.
    with open(tour.path("first.cured"), "rb") as file:
        half = file.read()
    with open(tour.path("half.cured"), "wb") as file:
        file.write(half[:len(half) // 2])
    main = open_another(tour, tour.path("half.cured"))
    main.find(re.compile("half.cured"))
    main.find(_("_Open Another…"), "push button")
    shoot("half")
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
        until(lambda: dialog not in [w for w in tour.windows()],
              "the dialog stays")
        the_map = tour.page("CuredResultPage", window).find(role="image")
        assert the_map.name, "nothing is seen of the file"
        close(tour, window)


def open_another(tour, path):
    """Opens a file in another window, as a file manager does."""
    known = [w for w in tour.windows()]
    tour.open_beside(path)
    window = until(lambda: next(
        (w for w in tour.windows()
         if w not in known and w.role == "frame"), None),
        "the file is not opened")
    tour.focus(window)
    return window


def close(tour, window):
    tour.focus(window)
    press("ctrl+w")
    until(lambda: window not in [w for w in tour.windows()],
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
    known = tour.windows()
    press("ctrl+question")
    overlay = until(lambda: next((w for w in tour.windows()
                                  if w not in known), None), "no shortcuts")
    tour.assert_translated("shortcuts", overlay)
    tour.focus(overlay)
    shoot("shortcuts")
    press("Escape")
    until(lambda: overlay not in tour.windows(), "the shortcuts stay")
    tour.focus(tour.main)

    # Dark, and remembered.
    before = brightness()
    press("F10")
    menu = tour.main.find(_("Main menu"))
    use_menu(menu, _("_Appearance"))
    use_menu(menu, _("_Dark"))
    if before is not None:
        until(lambda: brightness() < before / 2, "it does not get dark")
    shoot("dark")
    press("F10")
    shoot("menu")
    use_menu(menu, _("_About Cured"), "Up")
    about = until(lambda: next((w for w in tour.windows()
                                if w.has(_("The Cured authors"))), None),
                  "there is no About")
    tour.focus(about)
    shoot("about")
    press("Escape")
    until(lambda: about not in tour.windows(), "About stays")
    tour.focus(tour.main)


@chapter("a window of 800×600")
def small(tour):
    _ = tour.translate
    main = tour.main
    tour.focus(main)
    number = tour.number(main)

    def resize(width, height):
        subprocess.run(["xdotool", "windowsize", number, str(width),
                        str(height)], check=True)
    # With the borders that GTK draws where there is no window manager.
    before = main.extents[2:]
    resize(800, 600)
    until(lambda: main.extents[2] <= 800 and main.extents[3] <= 600,
          "the window does not get small")
    for view, key, kind in (("_Heat Map", "alt+1", "CuredResultPage"),
                            ("_Banks", "alt+2", "CuredBankPage"),
                            ("_Ladder", "alt+3", "CuredLadderPage"),
                            ("_Source", "alt+4", "CuredSourcePage")):
        page = tour.show(_(view), key, kind)
        inside = [page.extents]
        inside += [n.extents for n in main.find_all(role="page tab")]
        inside += [main.find(name, "push button").extents
                   for name in (_("_Open"), _("_Run"), _("Main menu"))]
        for x, y, w, h in inside:
            assert x >= 0 and y >= 0 and x + w <= 800 and y + h <= 600, \
                (view, x, y, w, h)
        assert page.extents[2] >= 360, page.extents
        shoot("small-" + kind)
    tour.show(_("_Heat Map"), "alt+1", "CuredResultPage")
    resize(1200, 760)
    until(lambda: main.extents[2:] == before, "the window stays small")


@chapter("what is remembered")
def memory(tour):
    _ = tour.translate

    def shows_kernels():
        return any(n.raw_name == "CuredKernelList" and n.extents[0] >= 0
                   for n in tour.main.walk())

    tour.focus(tour.main)
    until(shows_kernels, "the kernels are not shown")
    press("F8")
    until(lambda: not shows_kernels(), "F8 does not hide the kernels")
    press("ctrl+q")

    # What is edited is asked about.
    def has_ended():
        for window in tour.windows():
            if window.role != "frame":
                tour.focus(window)
                tour.click(window.find(_("_Discard"), "push button", 1),
                           window)
        return tour.process.poll() is not None
    until(has_ended, "Ctrl+Q does not end the program")
    assert tour.process.poll() == 0, tour.process.poll()
    tour.start()
    tour.main.find(_("Recent"))
    assert not shows_kernels(), "F8 was forgotten"
    tour.focus(tour.main)
    press("F8")
    until(shows_kernels, "F8 does not show the kernels")


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


def take(arguments):
    """One tour, in a folder of its own. Returns whether all was well."""
    tour = Tour(arguments)
    wanted = arguments.only.split(",") if arguments.only else None
    is_well = True
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
        except Exception:
            is_well = False
            print(f"not ok {number} - {title}")
            traceback.print_exc(file=sys.stdout)
            shoot("failed-" + re.sub(r"\W+", "-", title))
            with open(tour.log_path, encoding="utf-8") as log:
                print(log.read())
            # The next one begins where this one should have ended.
            break
        sys.stdout.flush()
    print(f"1..{number}")
    if tour.process is not None and tour.process.poll() is None:
        tour.process.terminate()
        tour.process.wait()
    shutil.rmtree(tour.folder, ignore_errors=True)
    return is_well


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
    for name in ("source", "program", "command", "make_result", "locale"):
        setattr(arguments, name, os.path.abspath(getattr(arguments, name)))
    try:
        Bus.connect()
    except GLib.Error as problem:
        print(f"skipped: {problem.message}")
        return 77
    # What is wrong is wrong twice. An X server without a window manager, on a
    # machine that is busy with other tests, loses a click now and then.
    if take(arguments):
        return 0
    print("# once more, from the start")
    sys.stdout.flush()
    return 0 if take(arguments) else 1


if __name__ == "__main__":
    sys.exit(main())
