# SPDX-License-Identifier: MIT
"""Drives a program as a person does who hears it: what a screen reader hears
is asked for, keys and the pointer go through the X server.

Nothing is remembered of a widget but how it is found. Each question looks for
it anew, so that one which the program has made again is no other, and waits
for one that is still to come.
"""

import ast
import os
import re
import subprocess
import time

from gi.repository import Gio, GLib

PATIENCE_S = float(os.environ.get("CURED_PATIENCE", 600))
# Several frames of a window that draws.
FRAME_S = 0.1

# What AT-SPI counts its roles by. GTK tells a button that stays pressed from
# others since 4.10; nobody here does.
ROLES = {2: "alert", 7: "check box", 8: "menu item", 11: "combo box",
         16: "dialog", 20: "filler", 23: "frame", 27: "image", 29: "label",
         31: "list", 32: "list item", 33: "menu", 35: "menu item",
         37: "page tab", 39: "panel", 43: "button", 44: "radio button",
         45: "menu item", 48: "scroll bar", 49: "scroll pane", 51: "slider",
         52: "spin button", 54: "status bar", 61: "text", 62: "button",
         66: "tree table", 68: "viewport", 69: "window", 79: "entry",
         90: "table row", 98: "panel"}
CHECKED, FOCUSABLE, FOCUSED = 4, 11, 12
PRESSED, SELECTED, SENSITIVE = 20, 23, 24
ROOT = "/org/a11y/atspi/accessible/root"
FIRST = GLib.Variant("(i)", (0,))
NOTHING = "/org/a11y/atspi/null"
CACHE = "/org/a11y/atspi/cache"


class Moment:
    """What is asked for until something is done or waited for is answered from
    one tree of widgets: to take one costs the program much."""

    number = 0

    @classmethod
    def passes(cls):
        cls.number += 1


def until(condition, what, patience_s=PATIENCE_S):
    """Waits for what the program does later. A condition that can't be asked
    for, as while a window goes, is not met. What waits within another wait is
    tried once each time."""
    end = time.monotonic() + (0 if until.is_waiting else patience_s)
    is_outer = not until.is_waiting
    problem = None
    pause_s = 0.03
    while True:
        until.is_waiting = True
        asked = time.monotonic()
        try:
            value = condition()
        except (GLib.Error, AssertionError, LookupError, OSError) as error:
            problem, value = error, None
        finally:
            until.is_waiting = not is_outer
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(what() if callable(what) else what) \
                from problem
        Moment.passes()
        # What takes long is asked for less often: asking costs time, too.
        time.sleep(max(pause_s, time.monotonic() - asked))
        pause_s = min(1.5 * pause_s, 0.5)


until.is_waiting = False


def plain(text):
    """A name without mnemonics and with plain spaces."""
    return text.replace("_", "").replace("\u00a0", " ").strip()


def has_name(raw_name):
    """GTK 4.8 calls what has no name as its type."""
    return raw_name != "" and not re.match("(Gtk|Adw|Cured)[A-Z]", raw_name)


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
            None, None, 0, int(PATIENCE_S * 1000), None).unpack()
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
    def call_all(cls, name, paths, interface, method, arguments=None):
        """Asks widgets at once, which costs both sides much less than one after
        another. Returns their answers; None where the widget is gone."""
        answers = {}

        def take(_connection, result, path):
            try:
                answers[path], = cls.connection.call_finish(result).unpack()
            except GLib.Error:
                answers[path] = None

        paths = set(paths)
        for path in paths:
            cls.connection.call(name, path, interface, method, arguments, None,
                                0, int(PATIENCE_S * 1000), None, take, path)
        context = GLib.MainContext.default()
        while len(answers) < len(paths):
            context.iteration(True)
        return answers

    @classmethod
    def find(cls, process):
        """The name of a process on the bus; None: it has none yet."""
        for name, _path in cls.call("org.a11y.atspi.Registry", ROOT,
                                    "org.a11y.atspi.Accessible",
                                    "GetChildren")[0]:
            if cls.call("org.freedesktop.DBus", "/org/freedesktop/DBus",
                        "org.freedesktop.DBus", "GetConnectionUnixProcessID",
                        GLib.Variant("(s)", (name,)))[0] == process:
                return name
        return None


# What Cache.GetItems has of a widget, ((so)(so)(so)iiassusau), as text.
TEXT = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
ENTRY = re.compile(
    r"\(\('[^']*', '([^']*)'\), \('[^']*', '[^']*'\), \('[^']*', '([^']*)'\), "
    rf"(-?\d+), (\d+), \[([^]]*)\], {TEXT}, (\d+), {TEXT}, "
    r"\[(\d+), (\d+)\]\)")


def read_string(text):
    return ast.literal_eval(text) if "\\" in text else text[1:-1]


class Item:
    """A widget as it was when the program was asked: values."""

    def __init__(self, bus_name, entry):
        """@entry: the groups of an ENTRY"""
        self.bus_name = bus_name
        (self.path, self.parent_path, index, n_children, self.interfaces, name,
         role, description, low, high) = entry
        self.index = int(index)
        self.n_children = int(n_children)
        self.raw_name = read_string(name)
        self.role = ROLES.get(int(role), role)
        self.description = plain(read_string(description))
        self.states = int(low) | int(high) << 32
        self.parent = None
        self.children = []
        self.place = None

    def call(self, interface, method, arguments=None):
        return Bus.call(self.bus_name, self.path,
                        "org.a11y.atspi." + interface, method, arguments)

    def get(self, interface, name):
        return Bus.call(self.bus_name, self.path,
                        "org.freedesktop.DBus.Properties", "Get",
                        GLib.Variant("(ss)", ("org.a11y.atspi." + interface,
                                              name)))[0]

    def has(self, interface):
        return f"'org.a11y.atspi.{interface}'" in self.interfaces

    @property
    def name(self):
        return plain(self.raw_name)

    @property
    def extents(self):
        return measure(self.bus_name, [self.path])[self.path]

    @property
    def is_shown(self):
        extents = self.extents
        return extents is not None and was_shown(extents)

    def is_in(self, state):
        return bool(self.states >> state & 1)

    @property
    def is_checked(self):
        """A button of a menu is around the one that is pressed."""
        return any(item.is_in(CHECKED) or item.is_in(PRESSED)
                   for item in [self, *self.children]
                   if item is self or item.role == "button")

    @property
    def is_sensitive(self):
        return self.is_in(SENSITIVE)

    @property
    def is_focused(self):
        """It, or what is in it, has the keys."""
        return any(item.is_in(FOCUSED) for item in self.walk())

    # Asked for now, these are newer than the tree: what is asked for next must
    # not be older.

    @property
    def value(self):
        Moment.passes()
        return self.get("Value", "CurrentValue")

    @property
    def text(self):
        Moment.passes()
        length = self.get("Text", "CharacterCount")
        return self.call("Text", "GetText",
                         GLib.Variant("(ii)", (0, length)))[0]

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def walk_shown(self):
        """What can be seen of it, each with its place in the window; what is in
        a row lies where the row lies, and is not asked."""
        def list_asked(item):
            yield item
            if item is self or item.role not in ("list item", "table row"):
                for child in item.children:
                    yield from list_asked(child)

        extents = measure(self.bus_name, [item.path for item in list_asked(self)
                                          if item.has("Component")])

        def go_on(item):
            size = extents.get(item.path, (0, 0, 1, 1))
            if size is None or not was_shown(size):
                return
            item.place = extents.get(item.path)
            yield item
            for child in item.children:
                yield from go_on(child)

        return go_on(self)

    def matches(self, name, role):
        if role is not None and self.role != role:
            return False
        if name is None:
            return True
        if isinstance(name, re.Pattern):
            return name.search(self.name) is not None
        # GTK 4.8 reads a button's label once with its mnemonic, once without;
        # a button without a label is called as its tooltip is.
        return self.name in (name, f"{name} {name}") or \
            (self.description == name and not has_name(self.raw_name))


def measure(bus_name, paths):
    """In the coordinates of their window; None: what has no place, as a page of
    a stack, which is no widget, or what went away meanwhile."""
    return Bus.call_all(bus_name, paths, "org.a11y.atspi.Component",
                        "GetExtents", GLib.Variant("(u)", (1,)))


def was_shown(extents):
    """GTK 4.8 tells nobody what can be seen. What never was has no size."""
    return extents is None or min(extents[2:]) > 0


def list_children(bus_name, paths):
    """The paths of what is in widgets; none: it went away meanwhile."""
    answers = Bus.call_all(bus_name, paths, "org.a11y.atspi.Accessible",
                           "GetChildren")
    return {path: [child for _name, child in answer or [] if child != NOTHING]
            for path, answer in answers.items()}


def wake(bus_name, paths):
    """GTK makes what is heard of a widget once somebody asks for it. In what
    was never shown nobody does."""
    while paths:
        shown = [path for path, extents in measure(bus_name, paths).items()
                 if was_shown(extents)]
        paths = [child for inner in list_children(bus_name, shown).values()
                 for child in inner]


def take_tree(bus_name):
    """All widgets of a program, as they are at one moment. Returns the root."""
    for _i in range(10):
        # As text: what GLib unpacks takes ten times as long.
        answer = Bus.connection.call_sync(
            bus_name, CACHE, "org.a11y.atspi.Cache", "GetItems", None, None, 0,
            int(PATIENCE_S * 1000), None).print_(False)
        items = {item.path: item for item in
                 (Item(bus_name, entry) for entry in ENTRY.findall(answer))}
        for item in items.values():
            item.parent = items.get(item.parent_path)
            if item.parent is not None:
                item.parent.children.append(item)
        root = items.get(ROOT)
        if root is None:
            list_children(bus_name, [ROOT])
            continue
        asleep = prune(root, items)
        if not asleep:
            break
        wake(bus_name, asleep)
    if root is None:
        raise LookupError("the program tells of no widgets")
    return root


def prune(root, items):
    """Leaves of a tree, level by level, what is in its place: a window that was
    closed stays for a while, and what is in it can't be asked. Returns the
    paths of what is missing in it."""
    missing = []
    level = [root]
    while level:
        # Hidden ones still name their parent, but have no place in it. Scroll
        # bars that are not needed were never shown.
        doubtful = {item.path: item for item in level if item is root or
                    item.role != "scroll bar" and not
                    len(item.children) == item.n_children ==
                    sum(child.index >= 0 for child in item.children)}
        extents = measure(root.bus_name, doubtful)
        inner = list_children(root.bus_name, [
            path for path in doubtful if was_shown(extents[path])])
        for path, item in doubtful.items():
            paths = inner.get(path, [])
            # A tab's page names another parent (libadwaita 1.5).
            item.children = [items[path] for path in paths if path in items]
            for child in item.children:
                child.parent = item
            missing += [path for path in paths if path not in items]
        if level == [root]:
            # A dialog that was answered stays for a while, too, hidden.
            sizes = measure(root.bus_name, [c.path for c in root.children])
            root.children = [c for c in root.children
                             if sizes[c.path] is not None
                             and was_shown(sizes[c.path])]
        for item in level:
            item.children.sort(key=lambda child: child.index)
        level = [child for item in level for child in item.children]
    return missing


def is_unnamed(item):
    """Whether the keyboard reaches it and a screen reader can't name it.

    Rows without a name are read by what is in them, a drop-down's inner button
    by the drop-down, the arrow of a split button by its tooltip."""
    if not item.is_in(FOCUSABLE) or item.role in (
            "scroll pane", "list", "tree table", "table row", "viewport",
            "filler", "panel"):
        return False
    # GTK 4.14 gives a label that is a status its text, and no name.
    if item.role == "status bar" and item.has("Text") and item.call(
            "Text", "GetText", GLib.Variant("(ii)", (0, -1)))[0]:
        return False
    if has_name(item.raw_name):
        return False
    if item.role == "button" and (item.parent.role == "combo box" or
                                  item.description):
        return False
    return item.role != "list item" or not any(
        child.raw_name for child in item.walk()
        if child.role in ("label", "list", "list item"))


class Query:
    """Widgets, by what they are called and by what they are in."""

    def __init__(self, within, name=None, role=None, where=None):
        self.within = within
        self.wanted_name = name
        self.wanted_role = role
        self.where = where

    def __str__(self):
        name = getattr(self.wanted_name, "pattern", self.wanted_name)
        return f"{self.wanted_role or 'widget'} “{name}”"

    @property
    def program(self):
        return self.within.program

    def find(self, name=None, role=None, where=None):
        """What is in it; @where says more of an Item."""
        return Query(self, name, role, where)

    # As it is now.

    def choose(self, tree):
        """The widgets, of a tree; in a hidden one nothing can be seen."""
        parent = next(self.within.choose(tree), None)
        if parent is None:
            return
        for item in parent.walk():
            if item is not parent and \
                    item.matches(self.wanted_name, self.wanted_role) and \
                    (self.where is None or self.where(item)) and item.is_shown:
                yield item

    def all(self):
        return list(self.choose(self.program.tree()))

    def now(self):
        return next(self.choose(self.program.tree()), None)

    @property
    def exists(self):
        return self.now() is not None

    def everything(self):
        """It and all that can be seen in it."""
        Moment.passes()
        return list(self.get().walk_shown())

    # As soon as it is there.

    def get(self):
        return until(self.now, f"there is no {self} in {self.within}")

    def wait(self):
        """For a widget that is still to come."""
        self.get()
        return self

    def wait_gone(self):
        until(lambda: not self.exists, f"{self} stays")

    def read(self, what):
        """A property; where the widget goes meanwhile, of the one that comes
        in its place."""
        return until(lambda: (getattr(self.get(), what),),
                     f"{self} does not tell its {what}")[0]

    name = property(lambda self: self.read("name"))
    raw_name = property(lambda self: self.read("raw_name"))
    description = property(lambda self: self.read("description"))
    is_checked = property(lambda self: self.read("is_checked"))
    is_focused = property(lambda self: self.read("is_focused"))
    is_sensitive = property(lambda self: self.read("is_sensitive"))
    value = property(lambda self: self.read("value"))
    text = property(lambda self: self.read("text"))

    @property
    def extents(self):
        """What has no place went away since it was found."""
        return until(lambda: self.get().extents, f"{self} has no place")

    def is_in(self, state):
        return self.get().is_in(state)

    def focus(self, x=0.5, y=0.5):
        """Gives it the keys, if needed by a click at a place of it: GTK 4.8
        does not do it when asked."""
        try:
            if not self.is_focused:
                self.get().call("Component", "GrabFocus")
                Moment.passes()
        except GLib.Error:
            self.program.click(self, x, y)
        until(lambda: self.is_focused, f"{self} does not take the focus")
        return self

    def tab_to(self):
        """Gives it the keys by Tab, which scrolls to where it goes."""
        self.program.go("Tab", lambda: self.is_focused,
                        f"Tab does not go to {self}")
        return self

    def activate(self):
        """As a click, but wherever it lies."""
        until(lambda: self.is_sensitive, f"{self} can't be activated")

        def act():
            for item in self.get().walk():
                if item.has("Action") and item.get("Action", "NActions") > 0 \
                        and item.call("Action", "GetName", FIRST)[0] == "click":
                    return item.call("Action", "DoAction", FIRST)
            return None
        until(act, f"{self} has no action")
        Moment.passes()
        return self


class Window(Query):
    """A window that is there: it stays the same until it is closed."""

    def __init__(self, program, item):
        super().__init__(program)
        self.path = item.path
        self.title = item.name

    def __str__(self):
        return f"window “{self.title}”"

    def choose(self, tree):
        return (item for item in tree.children if item.path == self.path)

    # One property of a window that is known needs no tree.

    def ask(self, interface, name):
        return until(lambda: Bus.call(
            self.program.bus_name, self.path, "org.freedesktop.DBus.Properties",
            "Get", GLib.Variant("(ss)", ("org.a11y.atspi." + interface, name))),
            f"{self} does not tell its {name}")[0]

    raw_name = property(lambda self: self.ask("Accessible", "Name"))
    name = property(lambda self: plain(self.raw_name))

    @property
    def extents(self):
        return until(lambda: measure(self.program.bus_name,
                                     [self.path])[self.path],
                     f"{self} has no place")

    @property
    def exists(self):
        return self.now() is not None


class Program:
    """A program that runs."""

    def __init__(self, command, log_path, **how):
        with open(log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log,
                                            **how)
        self.bus_name = None
        self.latest = None, None

    def __str__(self):
        return "the program"

    @property
    def program(self):
        return self

    def tree(self):
        assert self.process.poll() is None, \
            f"the program ended with {self.process.poll()}"
        if self.bus_name is None:
            self.bus_name = until(lambda: Bus.find(self.process.pid),
                                  "the program is not on the bus")
        moment, tree = self.latest
        if moment != Moment.number:
            tree = take_tree(self.bus_name)
            self.latest = Moment.number, tree
        return tree

    def choose(self, tree):
        yield tree

    def settle(self):
        """Until the main loop has gone round: what it did before, the X server
        has heard of."""
        for _i in range(2):
            Bus.call(self.bus_name, ROOT, "org.a11y.atspi.Accessible",
                     "GetRole")
        Moment.passes()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()

    # Windows.

    def windows(self):
        return [Window(self, item) for item in self.tree().children]

    def window(self, name=None, role=None, but=(), has_keys=True):
        """The window of that title, other than some, once it is there and has
        the keys; not @has_keys: a dialog of its own may have them."""
        known = [window.path for window in but]
        item = until(lambda: next(
            (item for item in self.tree().children
             if item.matches(name, role) and item.path not in known), None),
            lambda: f"there is no window {name}: "
                    f"{[item.name for item in self.tree().children]}")
        window = Window(self, item)
        if has_keys:
            self.focus(window)
        return window

    def search(self, *condition):
        """The X server's numbers of windows that can be seen."""
        return subprocess.run(
            ["xdotool", "search", "--all", "--onlyvisible", "--pid",
             str(self.process.pid), *condition],
            capture_output=True, text=True, check=False).stdout.split()

    def numbers(self, window):
        """Those of a window's title; of one without, what others leave."""
        def named(title):
            return self.search("--name", "^" + re.escape(title) + "$")

        if has_name(window.raw_name):
            return named(window.raw_name)
        others = {number for item in self.tree().children
                  if has_name(item.raw_name)
                  for number in named(item.raw_name)}
        return [number for number in self.search("--name", ".*")
                if number not in others]

    def focus(self, window):
        """Gives a window the keys, unless the window manager has. Whoever has
        them at the X server hears of that before of any key."""
        def try_it():
            numbers = self.numbers(window)
            found = subprocess.run(["xdotool", "getwindowfocus"],
                                   capture_output=True, text=True,
                                   check=False).stdout.strip()
            if found in numbers:
                return True
            for number in numbers:
                subprocess.run(["xdotool", "windowactivate", number],
                               capture_output=True, check=False)
            Moment.passes()
            return False
        until(try_it, f"{window} does not get the keys")

    def geometry(self, window):
        """Of the window in the X server: its number, and where it lies."""
        def ask():
            number = self.numbers(window)[-1]
            shell = subprocess.run(
                ["xdotool", "getwindowgeometry", "--shell", number],
                capture_output=True, text=True, check=False).stdout
            at = {name: int(value) for name, _equals, value in
                  (line.partition("=") for line in shell.split())}
            # With the borders that GTK draws itself.
            border = max((at["WIDTH"] - window.extents[2]) // 2, 0)
            return number, at["X"] + border, at["Y"] + border, border
        return until(ask, f"{window} lies nowhere")

    # Pointer and keys.

    def press(self, *keys):
        self.settle()
        subprocess.run(["xdotool", "key", "--delay", "1", *keys], check=True)
        Moment.passes()

    def go(self, key, is_there, what):
        """Moves the focus by a key, one place after another."""
        def focused():
            return [item.path for item in self.tree().walk()
                    if item.is_in(FOCUSED)]

        for _i in range(200):
            # Of one moment; what is looked for may be made anew meanwhile.
            before, has_come = until(lambda: (focused(), is_there()), what)
            if has_come:
                return
            self.press(key)
            # A list that is sorted meanwhile may bring it there without a step.
            until(lambda: focused() not in ([], before) or is_there(),
                  f"{what}: it moves no more")
        raise AssertionError(what)

    def write(self, text):
        self.settle()
        subprocess.run(["xdotool", "type", "--delay", "1", text], check=True)
        Moment.passes()

    def place(self, query, x=0.5, y=0.5):
        """Where a part of a widget is on the screen, once it lies still: what
        changed is laid out with the next frame, and a question may come
        before that."""
        window = query
        while not isinstance(window, Window):
            window = window.within
        before = None
        while query.extents != before:
            before = query.extents
            time.sleep(FRAME_S)
            self.settle()
        _number, at_x, at_y, _border = self.geometry(window)
        left, top, width, height = before
        return str(int(at_x + left + width * x)), \
            str(int(at_y + top + height * y))

    def pointer(self, *commands):
        self.settle()
        subprocess.run(["xdotool", *commands], check=True)
        Moment.passes()

    def click(self, query, x=0.5, y=0.5):
        self.pointer("mousemove", *self.place(query, x, y), "click", "1")
