#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The documents name files that are there, and their kernels are understood;
the catalogue's kernels have their pages.

usage: check-docs.py ROOT PROGRAM
"""

import ast
import hashlib
import json
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
# `folder/file.suffix`; capitals and … stand for a name.
PATH = re.compile(
    r"`((?:libcured|cli|gui|kernels|tests|docs|data|dev|lab|po)/[^`\s]+)`")
KERNEL = re.compile(r"^```\w*\n(// .*?^/\*! cured\n.*?)^```$",
                    re.DOTALL | re.MULTILINE)


ANCHOR = re.compile(r"\]\(([^)#:]*)#([^)]+)\)")


def list_anchors(page):
    """The headings of a page, as links write them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def check_anchors(root, page):
    for target, anchor in ANCHOR.findall(page.read_text(encoding="utf-8")):
        other = page.parent / target if target else page
        if other.suffix == ".md" and other.exists() and anchor not in list_anchors(other):
            yield f"{page.relative_to(root)}: {target or 'the page'} has no heading #{anchor}"


def check_names(root, page):
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(root)
    for target in LINK.findall(text):
        if not (page.parent / target).exists():
            yield f"{name}: the link to {target} leads nowhere"
    for target in PATH.findall(text):
        if (not re.search(r"[A-Z…*<]|hello|thing", target)
                and not (root / target).exists()):
            yield f"{name}: {target} is not there"


def list_functions(root):
    """Names of the code that pages may call functions."""
    return {name for folder in ("libcured", "cli", "gui")
            for path in (root / folder).rglob("*.[ch]")
            for name in re.findall(r"\b_?cured_\w+", path.read_text(encoding="utf-8"))}


def check_functions(root, page, known):
    for name in re.findall(r"`(_?cured_\w+) ?\(\)`", page.read_text(encoding="utf-8")):
        if name not in known:
            yield f"{page.relative_to(root)}: there is no {name} ()"


def check_kernels(root, page, program):
    for number, kernel in enumerate(
            KERNEL.findall(page.read_text(encoding="utf-8")), 1):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"example-{number}.cu"
            path.write_text(kernel, encoding="utf-8")
            said = subprocess.run([program, "kernels", path],
                                  capture_output=True, text=True)
            if said.returncode != 0:
                yield f"{page.relative_to(root)}: {said.stderr.strip()}"


def check_pages(root):
    """Every kernel has its section in its family's page, and its recording where
    there is one: a new kernel has none before a GPU has run it."""
    for kernel in sorted((root / "kernels").glob("*/*.cu")):
        text = kernel.read_text(encoding="utf-8")
        family = re.search(r"^ \* Family=(\S+)", text, re.MULTILINE).group(1)
        page = root / "docs" / "kernels" / f"{family}.md"
        folder, name = kernel.parent.name, kernel.stem
        written = page.read_text(encoding="utf-8") if page.exists() else ""
        file = f"{folder}-{name}-h200.cured"
        recorded = (root / "data" / "results" / file).exists()
        for part in (f"\n## {name}\n", *([file] if recorded else [])):
            if part not in written:
                yield (f"docs/kernels/{family}.md lacks {folder}/{name}; run "
                       "dev/kernel-pages")
                break


def check_limits(root):
    """What docs/kernels/limits.json tells was found in today's recordings."""
    path = root / "docs" / "kernels" / "limits.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for key, limit in found.items():
        kernel = key.split(" ")[0].replace("/", "-")
        file = root / "data" / "results" / f"{kernel}-h200.cured"
        digest = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""
        if not digest.startswith(limit["recording"]):
            yield (f"docs/kernels/limits.json tells of another {file.name} for {key}; "
                   "run dev/kernel-pages")


# What a comment calls what `cured explain --json` names; the dev/kernel-pages of this
# source has the resources.
NOW = re.compile(r"\bNow: ([A-Za-z0-9 ]+?)(?:[,.:;]| at )")
UNNAMED = {"unexplained": "no single resource"}
# Ladders, where a step is faster than the one before; other families measure.
LADDERS = ("reduce", "transpose", "matmul", "matmul-bf16", "dot", "average", "vector",
           "squared-error", "elementwise")


def load_limit_names(root):
    text = (root / "dev" / "kernel-pages").read_text(encoding="utf-8")
    names = re.search(r"^LIMIT_NAMES = (\{.*?^\})", text, re.DOTALL | re.MULTILINE)[1]
    return {**ast.literal_eval(names), **UNNAMED}


def check_now(root, found):
    """A step's comment says what limits it, and that is the verdict of `cured explain`
    at the kernel's defaults, of which it speaks."""
    names = load_limit_names(root)
    n_checked = 0
    for kernel in sorted((root / "kernels").glob("*/*.cu")):
        text = kernel.read_text(encoding="utf-8")
        family, name = kernel.parent.name, f"{kernel.parent.name}/{kernel.stem}"
        if "/* Limit:" in text:
            yield f"kernels/{name}.cu: whose limit? Write Before: and Now:"
        says = NOW.search(re.sub(r"\s*\n \*\s*", " ", text))
        verdict = found.get(f"{name} defaults", {}).get("limiter")
        is_step = family in LADDERS and "\n * Step=" in text and "\n * Defect=" not in text
        if says is None and is_step:
            yield f"kernels/{name}.cu does not say what limits it: Now: …"
        elif says is not None and verdict is None:
            yield (f"docs/kernels/limits.json has no verdict of {name} at its defaults; "
                   "run dev/kernel-pages")
        elif says is not None:
            n_checked += 1
            if says[1] != names.get(verdict, verdict):
                yield (f"kernels/{name}.cu says “Now: {says[1]}”, cured explain says "
                       f"{names.get(verdict, verdict)}")
    if n_checked < 50:
        yield f"only {n_checked} comments were compared with a verdict"


BEFORE = re.compile(r"\bBefore: (.{0,120})")


def check_before(root):
    """A step's comment says what limited the one before it, as that one's comment does."""
    n_checked = 0
    for family in LADDERS:
        before = None
        steps = [(int(re.search(r"^ \* Step=(\d+)", text, re.MULTILINE)[1]), path, text)
                 for path in (root / "kernels" / family).glob("*.cu")
                 for text in [path.read_text(encoding="utf-8")] if "\n * Step=" in text]
        for _step, path, text in sorted(steps):
            line = re.sub(r"\s*\n \*\s*", " ", text)
            says, now = BEFORE.search(line), NOW.search(line)
            if says and before:
                n_checked += 1
                if before not in says[1].split("Now:")[0]:
                    yield (f"{path.relative_to(root)} says “{says[0][:60]}…”, the step before "
                           f"it “Now: {before}”")
            if now and "\n * Role=detour" not in text:
                before = now[1]
    if n_checked < 40:
        yield f"only {n_checked} comments were compared with the step before"


def check_stages(root):
    """Each stage has its section in the architecture, and its types are there."""
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    known = re.search(r"^STAGES = (\[.*?\])", (root / "tests" / "house" / "check-includes.py")
                      .read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1]
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", text, re.DOTALL | re.MULTILINE))
    if list(sections) != ast.literal_eval(known):
        yield f"docs/architecture.md has {list(sections)}, check-includes.py {known}"
    for stage, section in sections.items():
        headers = "".join(path.read_text(encoding="utf-8")
                          for path in (root / "libcured" / stage).rglob("*.h"))
        for name in re.findall(r"`(Cured\w+)`", section):
            if not re.search(rf"\b{name}\b", headers):
                yield f"docs/architecture.md: libcured/{stage} has no {name}"


# Of rows of CONTRIBUTING.md's table "Adding": what names an example of it, and its NAME.
ADDED = {
    "a kernel": (r"reduce/packed\.cu", "packed"),
    "a verb": (r"cured[-_]verb[-_]ladder\b", "ladder"),
    "an import format": (r"cured-import-t4\b", "t4"),
    "a lesson": (r'"ghost-zones"', ""),
}


def check_adding(root):
    """The table "Adding" names every file in which an example of a row stands."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = {row.split("|")[1].strip(): row for row in text.splitlines()
            if row.startswith("| a")}
    files = [path for folder in ("libcured", "cli", "kernels", "po", "dev")
             for path in (root / folder).rglob("*")
             if path.is_file() and path.suffix in (".c", ".h", ".build", ".xml", ".def", "")]
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in files}
    for what, (pattern, name) in ADDED.items():
        places = {str(path.relative_to(root)) for path, body in texts.items()
                  if re.search(pattern, body)}
        if not places:
            yield f"CONTRIBUTING.md: there is no example of {what} any more: {pattern}"
        for place in sorted(places):
            general = place.replace(f"-{name}.", "-NAME.") if name else place
            if place not in rows[what] and general not in rows[what]:
                yield f"CONTRIBUTING.md: {what} has a place in {place}, too"


# Relative clauses in place of nouns, and words that no native engineer writes there.
WORDS = re.compile(
    r"\b(?:under way|so many|so often|ha(?:s|ve) to do with|held against|by turns|no matter"
    r"|(?:told|tells?) of(?! (?:each|its|every))"
    r"|the (?:less|most|least) of (?:both|the)|goes by|rungs?|in step|trade[sd]? places"
    r"|to and fro|past the registers|what holds|was not found out|who(?:ever)? (?:reads|writes"
    r"|has|gets|types|wants|made|wrote)|nobody (?:reads|writes|wrote|uses|waits|has|may|loads)"
    r"|meets? (?:in|every|at)|lies? (?:in|at|along|across|before|behind|beside|between|within)"
    r"|stands? (?:in|for|behind|before|beside|between|above|below)"
    r"|what (?:is|was|are|were) (?:not|left|lost|there|read|written|wrong|stored|copied|shared"
    r"|missing|kept)|what comes (?:of|next|past)|asked? for once|has (?:a|its|one) \w+ copied)\b",
    re.IGNORECASE)
CODE = re.compile(r"`[^`]*`|```.*?```", re.DOTALL)
COMMENT = re.compile(r"/\*(?!!).*?\*/", re.DOTALL)
# Names of the code.
FIELD = re.compile(r"@\w+|\bCuredRung\b")
SAID = re.compile(r"^ \* (?:Title|Summary|Text|Question|Reason)=(.*)$", re.MULTILINE)
VERB = re.compile(r"^  ([a-z][a-z-]+)  ", re.MULTILINE)


def check_words(where, text):
    """No sentence of `text` has one of the words above, however it is broken into lines."""
    for word in WORDS.finditer(re.sub(r"[ \n]+(?:\* )?", " ", text)):
        yield f"{where}: “{word[0]}”: say it in plain English"


def check_prose(root, program):
    """The words of pages, of the manual, of kernel files, of the code's comments and of every
    --help."""
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), root / "lab" / "README.md",
             root / "tests" / "README.md"]
    for page in sorted(pages):
        text = page.read_text(encoding="utf-8").split("<!-- generated -->")[0]
        yield from check_words(page.relative_to(root), CODE.sub("", text))
    for manual in sorted((root / "docs").glob("*.1")):
        yield from check_words(manual.relative_to(root), manual.read_text(encoding="utf-8"))
    for kernel in sorted((root / "kernels").glob("*/*.cu")):
        text = kernel.read_text(encoding="utf-8")
        for part in [*COMMENT.findall(text), *SAID.findall(text)]:
            yield from check_words(kernel.relative_to(root), part)
    for source in sorted(path for folder in ("libcured", "gui", "cli", "tests", "lab")
                         for path in (root / folder).rglob("*")
                         if path.suffix in (".c", ".h", ".def", ".css")):
        for comment in COMMENT.findall(source.read_text(encoding="utf-8")):
            if "Translators:" not in comment:
                yield from check_words(source.relative_to(root), FIELD.sub("", comment))
    verbs = VERB.findall(say_help(program))
    if len(verbs) < 15:
        yield f"cured --help lists only {len(verbs)} verbs"
    for verb in [None, *verbs]:
        said = say_help(program, verb)
        yield from check_words(f"cured {verb or ''} --help", said)
        yield from (f"cured {verb or ''} --help: more than 80 columns: {line.strip()}"
                    for line in said.splitlines() if len(line) > 80)


def say_help(program, verb=None):
    return subprocess.run([program, *([verb] if verb else []), "--help"], check=True,
                          capture_output=True, text=True).stdout


def test_words():
    for text in ("the loads under\n * way", "what is left", "Nobody writes it", "in step",
                 "a tile that lies in one bank", "what was not\nfound"):
        assert list(check_words("", text)), text
    for text in ("lies and hangs", "a step in a ladder", "the remaining tiles", "a stand-in"):
        assert not list(check_words("", text)), text


TIMES = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def check_far_off(root, found):
    """A page says where the prediction of a best cell is off by more than a third
    of the time in its table, and only there."""
    for key, limit in found.items():
        folder, _, name = key.partition("/")
        page = root / "docs" / "kernels" / f"{folder}.md"
        if " " in key or "predicted" not in limit or not page.exists():
            continue
        text = page.read_text(encoding="utf-8")
        row = re.search(rf"^\| \(?\d+\)? \| \[{name}\]\(#{name}\) \|.*?\| ([\d.]+) (ns|µs|ms|s) \|",
                        text, re.MULTILINE)
        section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        if row is None or section is None:
            yield f"docs/kernels/{folder}.md has no time of {key}; run dev/kernel-pages"
            continue
        off = abs(limit["predicted"] / (float(row[1]) * TIMES[row[2]]) - 1)
        says = "is off by more than a third" in section[1]
        # The table has four digits.
        if abs(off - 1 / 3) > 1e-3 and says != (off > 1 / 3):
            yield (f"docs/kernels/{folder}.md {'says' if says else 'does not say'} that the "
                   f"prediction of {key} is off by more than a third, and it is off by "
                   f"{off:.0%}; run dev/kernel-pages --known")


def check_peers(root):
    """docs/peers.md and the result file are of one run: the first row is."""
    text = (root / "docs" / "peers.md").read_text(encoding="utf-8")
    rounds = int(re.search(r"(\d+) rounds", text).group(1))
    told = re.search(r"^\| sum of .*?\| ([\d.]+) µs \|", text,
                     re.MULTILINE).group(1)
    path = (root / "data" / "results" / "peers-h200.cured").resolve()
    file = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    times = [row[0] / 1000 for row in file.execute(
        "SELECT time FROM cells WHERE work = 0 AND side = 0")]
    if len(times) != rounds or f"{statistics.median(times):.1f}" != told:
        yield (f"docs/peers.md tells of {rounds} rounds and {told} µs, "
               f"{path.name} has {len(times)} and "
               f"{statistics.median(times):.1f} µs: copy both from one run")


def main():
    root = pathlib.Path(sys.argv[1])
    program = pathlib.Path(sys.argv[2]).resolve()
    wrong = []
    n_kernels = 0
    functions = list_functions(root)
    for page in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")]):
        wrong += check_names(root, page)
        wrong += check_functions(root, page, functions)
        wrong += check_anchors(root, page)
        wrong += check_kernels(root, page, program)
        n_kernels += len(KERNEL.findall(page.read_text(encoding="utf-8")))
    test_words()
    wrong += check_prose(root, program)
    wrong += check_pages(root)
    wrong += check_adding(root)
    index = (root / "docs" / "README.md").read_text(encoding="utf-8")
    wrong += [f"docs/README.md does not list {page.name}"
              for page in sorted((root / "docs").glob("*.md"))
              if page.name != "README.md" and f"({page.name})" not in index]
    wrong += check_stages(root)
    wrong += check_peers(root)
    wrong += check_limits(root)
    limits = root / "docs" / "kernels" / "limits.json"
    found = json.loads(limits.read_text(encoding="utf-8"))
    wrong += check_far_off(root, found)
    wrong += check_now(root, found)
    wrong += check_before(root)
    if n_kernels == 0:
        wrong.append("no document shows a kernel any more")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
