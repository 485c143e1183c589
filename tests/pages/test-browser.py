#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Web pages in a real browser, driven over a pipe: hover, keys, views, zoom,
dark and light, no script, no error, nothing asked of the network. Exits with 77
where there is no Chromium.

usage: test-browser.py CURED RESULTS
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import page

CURED, RESULTS = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER = pathlib.Path(tempfile.mkdtemp())

PROGRAM = next(filter(None, map(shutil.which, (
    "chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """Chromium without a window; messages are JSON that a zero byte ends."""

    def __init__(self):
        there_read, self.write_fd = os.pipe()
        self.read_fd, there_write = os.pipe()

        def connect():
            # The browser's ends are 3 and 4, and may be these numbers already.
            a, b = os.dup(there_read), os.dup(there_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--remote-debugging-pipe",
             f"--user-data-dir={FOLDER / 'profile'}", "about:blank"],
            preexec_fn=connect, close_fds=False,
            env={**os.environ, "HOME": str(FOLDER)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there_read)
        os.close(there_write)
        self.number = 0
        self.rest = b""
        self.events = []
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.rest:
            data = os.read(self.read_fd, 1 << 16)
            assert data, "the browser ended"
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width=1300, height=1000):
        self.ask("Emulation.setDeviceMetricsOverride", width=width,
                 height=height, deviceScaleFactor=1, mobile=False)
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while not any(e.get("method") == "Page.loadEventFired"
                      for e in self.events):
            self.events.append(self.receive())

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression,
                          returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def key(self, key, text=None):
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **extra)

    def mouse(self, kind, x, y, **extra):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **extra)

    def problems(self):
        """What a console would show, and what was asked of the network."""
        self.evaluate("0")
        found = []
        for event in self.events:
            method, about = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(about["exceptionDetails"])
            elif method == "Log.entryAdded":
                found.append(about["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append(about["args"])
            elif method == "Network.requestWillBeSent" and not \
                    about["request"]["url"].startswith(("file:", "data:")):
                found.append(about["request"]["url"])
        return found

    def end(self):
        self.process.kill()
        self.process.wait()


def export(name, *words):
    out = FOLDER / f"{name}.html"
    page.run(CURED, "export", RESULTS / f"{name}-h200.cured", *words, "-o", out)
    return out


def text_of(selector):
    return browser.evaluate(
        f"document.querySelector({json.dumps(selector)}).textContent")


def middle_of(selector):
    return browser.evaluate(
        "(() => { const b = document.querySelector("
        f"{json.dumps(selector)}).getBoundingClientRect();"
        "return [b.x + b.width / 2, b.y + b.height / 2]; })()")


def choose(label, option):
    """Picks an option of a list, and waits until it is shown."""
    browser.evaluate(f"""(async () => {{
      const label = [...document.querySelectorAll(".controls label")].find(
          (l) => l.textContent.startsWith({json.dumps(label)}));
      const select = label.querySelector("select");
      const before = document.getElementById("map-heading").textContent;
      select.value = [...select.options].find(
          (o) => o.textContent.startsWith({json.dumps(option)})).value;
      select.dispatchEvent(new Event("change"));
      while (document.getElementById("map-heading").textContent === before)
        await new Promise((done) => setTimeout(done, 5));
    }})()""")


def loads(selector):
    """Whether an image of the drawing is one."""
    return browser.evaluate(f"""new Promise((done) => {{
      const image = new Image();
      image.onload = () => done(image.naturalWidth > 100);
      image.onerror = () => done(false);
      image.src = document.querySelector({json.dumps(selector)})
          .getAttribute("href");
    }})""")


def test_hover_and_click():
    browser.open(export("reduce-two-launch"))
    before = text_of("#status")
    assert before.startswith("block = 256, blocks = 2112: 95.4"), before
    x, y = middle_of("#picture rect.cell")
    browser.mouse("mouseMoved", x, y)
    assert "block = 64, blocks = 8: 11.08" in text_of(".read-out"), \
        text_of(".read-out")
    assert text_of("#status") == before, "hover moved the cursor"
    browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    browser.mouse("mouseReleased", x, y, button="left", clickCount=1)
    assert "block = 64, blocks = 8" in text_of("#cell"), text_of("#cell")
    assert browser.evaluate(
        "document.querySelector('#cell path.sample').getAttribute('d')"
        ".split('M').length") > 10
    assert not browser.problems(), browser.problems()


def test_cells_are_where_they_are_drawn():
    """The colour under a cell's rectangle is the picture's, and not its edge."""
    browser.open(export("specimens-tile-column"))
    colours = browser.evaluate("""new Promise((done) => {
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement("canvas");
        canvas.width = image.naturalWidth;
        canvas.height = image.naturalHeight;
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const map = document.querySelector("#picture svg").getBoundingClientRect();
        done([...document.querySelectorAll("#picture rect.cell")].map((cell) => {
          const box = cell.getBoundingClientRect();
          const at = (x, y) => [...context.getImageData(
              box.x - map.x + x, box.y - map.y + y, 1, 1).data].join(" ");
          return [at(4, 4), at(box.width - 5, box.height - 5), at(4, box.height - 5)];
        }));
      };
      image.src = document.querySelector("#picture image.light").getAttribute("href");
    })""")
    assert len(colours) > 1
    for corners in colours:
        assert len(set(corners)) == 1 and not corners[0].endswith(" 0"), colours


def test_keys():
    browser.open(export("reduce-two-launch"))
    browser.evaluate("document.getElementById('picture').focus()")
    browser.key("ArrowLeft")
    assert text_of("#status").startswith("block = 256, blocks = 1056"), \
        text_of("#status")
    browser.key("ArrowUp")
    assert text_of("#status").startswith("block = 384, blocks = 1056")
    browser.key("Home")
    assert text_of("#status").startswith("block = 384, blocks = 8:")
    browser.key("b", "b")
    assert text_of("#status").startswith("block = 256, blocks = 2112")
    width = "document.querySelector('#picture svg').getBoundingClientRect().width"
    before = browser.evaluate(width)
    browser.key("+", "+")
    assert browser.evaluate(width) > 1.2 * before
    for _ in range(20):
        browser.key("ArrowLeft")
    assert text_of("#status").startswith("block = 256, blocks = 8:")
    browser.key("0", "0")
    assert browser.evaluate(width) == before
    # With Tab alone: every control can be reached.
    assert browser.evaluate(
        "[...document.querySelectorAll('select, button, summary, a')]"
        ".every((e) => e.tabIndex >= 0)")
    assert not browser.problems(), browser.problems()


def test_views():
    """Other metrics and slices: the drawing, what is told of it, its figures."""
    browser.open(export("matmul-tiled"))
    before = text_of("#map-heading")
    picture = "document.querySelector('#picture image.light').getAttribute('href')"
    first = browser.evaluate(picture)
    assert loads("#picture image.light") and loads("#picture image.dark")
    choose("Metric", "Theoretical occupancy")
    assert "Theoretical occupancy" in text_of("#map-heading"), text_of("#map-heading")
    assert "%" in text_of("#status"), text_of("#status")
    assert browser.evaluate(picture) != first
    assert loads("#picture image.light") and loads("#picture image.dark")
    titles = browser.evaluate("[...document.querySelectorAll("
                              "'#picture rect.cell title')].map((t) => t.textContent)")
    assert all("%" in title for title in titles), titles
    choose("Metric", "Time (")
    assert text_of("#map-heading") == before
    assert browser.evaluate(picture) == first
    browser.open(export("banks-stride"))
    assert browser.evaluate("document.querySelectorAll('.controls option').length") > 1
    assert not browser.problems(), browser.problems()


def test_dark_and_light():
    def ground():
        return browser.evaluate(
            "getComputedStyle(document.body).backgroundColor")

    contrast = """(() => {
      const light = (text) => {
        const [r, g, b] = text.match(/[\\d.]+/g).map((v) => {
          const c = v / 255;
          return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const over = (node) => {
        for (let n = node; n; n = n.parentElement) {
          const c = getComputedStyle(n).backgroundColor;
          if (!c.startsWith("rgba(0, 0, 0, 0")) return c;
        }
        return "rgb(255, 255, 255)";
      };
      const bad = [];
      for (const node of document.querySelectorAll(
          "p, h1, h2, h3, td, th, label, code, button, select, li, summary")) {
        if (!node.textContent.trim() || !node.offsetParent) continue;
        const [a, b] = [light(getComputedStyle(node).color), light(over(node))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) bad.push([node.tagName, node.textContent.slice(0, 30),
                                   ratio]);
      }
      return bad.slice(0, 5);
    })()"""
    grounds = {}
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        browser.open(export("specimens-tile-column"))
        grounds[scheme] = ground()
        bad = browser.evaluate(contrast)
        assert not bad, f"{scheme}: {bad}"
    assert grounds["light"] != grounds["dark"], grounds
    x, y = middle_of("#theme")
    browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    browser.mouse("mouseReleased", x, y, button="left", clickCount=1)
    assert ground() == grounds["light"], ground()
    browser.open(export("specimens-tile-column", "--dark"))
    browser.ask("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "light"}])
    assert ground() == grounds["dark"], "--dark is not dark"
    browser.ask("Emulation.setEmulatedMedia", features=[])
    assert not browser.problems(), browser.problems()


def test_banks():
    browser.open(export("specimens-tile-column"))
    if browser.evaluate("document.querySelector('#sites') === null"):
        return
    seen = "[...document.querySelectorAll('#sites > .site')]" \
           ".filter((s) => !s.hidden).map((s) => s.id)"
    first = browser.evaluate(seen)
    assert len(first) == 1, first
    assert "Wavefronts 32" in text_of(f"#{first[0]}")
    other = browser.evaluate(
        "(() => { const links = [...document.querySelectorAll('.source a')];"
        f"const link = links.find((a) => a.hash !== '#{first[0]}');"
        "link.click(); return link.hash.slice(1); })()")
    browser.evaluate("new Promise((done) => setTimeout(done))")
    assert browser.evaluate(seen) == [other], (browser.evaluate(seen), other)
    assert not browser.problems(), browser.problems()


def test_hostile():
    source = page.make_hostile(RESULTS / "specimens-tile-column-h200.cured",
                               FOLDER / "hostile.cured")
    out = FOLDER / "hostile.html"
    page.run(CURED, "export", source, "-o", out)
    browser.open(out)
    assert browser.evaluate("window.pwned === undefined"), "a script ran"
    assert browser.evaluate("document.images.length") == 0
    assert "window.pwned" in text_of("h1"), text_of("h1")
    assert not browser.problems(), browser.problems()


def test_blocked():
    """The policy holds: what is planted does not run, and the log says so."""
    out = FOLDER / "planted.html"
    text = export("specimens-tile-column").read_text(encoding="utf-8")
    out.write_text(text.replace(
        "<main>", "<main><script>window.planted=1</script>"
        "<img src='http://127.0.0.1:9/x.png' onerror='window.planted=1'>", 1),
        encoding="utf-8")
    browser.open(out)
    assert browser.evaluate("window.planted === undefined")
    assert browser.problems(), "nobody would have seen it"


def test_no_script():
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(export("reduce-two-launch"))
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.evaluate("document.querySelector('.controls') === null")
    assert browser.evaluate(
        "document.querySelectorAll('#picture svg rect.cell').length") == 81
    assert browser.evaluate(
        "document.querySelectorAll('[aria-labelledby=cells] tbody tr').length") \
        == 81


def test_narrow():
    """Nothing is wider than a telephone, but for what scrolls by itself."""
    for width in (360, 768, 1300):
        for name in ("matmul-tiled", "specimens-tile-column"):
            browser.open(export(name), width=width)
            wide = browser.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name}: {wide} px of {width}"
    assert not browser.problems(), browser.problems()


if PROGRAM is None:
    print("no Chromium here: apt-get install chromium")
    sys.exit(77)
browser = Browser()
try:
    page.report([test_hover_and_click,
                 test_cells_are_where_they_are_drawn, test_keys, test_views,
                 test_dark_and_light, test_banks,
                 test_hostile, test_blocked, test_no_script, test_narrow])
finally:
    browser.end()
    shutil.rmtree(FOLDER, ignore_errors=True)
