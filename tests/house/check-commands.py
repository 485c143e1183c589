#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands that the pages show run, and print what the pages show.

usage: check-commands.py [--all] ROOT PROGRAM

In a block of a page, a line that begins with "$ " is a command, and the lines below it
are its output: "…" alone stands for any lines, within a line for any text. In a block
without "$ ", every line that begins with "cured " is a command, whose output is not
shown; in a table, every `cured …` is one. Each page's commands run in a folder of its
own, in their order. A command that needs a GPU, another machine or another program is
skipped, and named; --all runs the slow ones, too. A lesson's `cured-gtk FILE` is `cured
show FILE` here. Exit code 2, a usage error, is a fault everywhere.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# `cured …` in a row of a table, with no name in capitals to fill in.
INLINE = re.compile(r"`(cured \S+ [^`]+)`")
NAME = re.compile(r"\b(CELL|FILE|FAMILY|KERNEL|NAME|FOLDER|HOST)\b|…")
COMMENT = re.compile(r"\s{2,}# .*$")
SECONDS = 300

# What a page takes for granted: a file, and what prints it or which file it is.
FILES = {
    "docs/cluster.md": {"mine.cu": "cured kernels --source vector/add"},
    "docs/explain.md": {"tiles.cured": "matmul-tiled-h200.cured"},
    "docs/machine-facts.md": {"mine.cu": "cured kernels --source vector/add"},
    "docs/python.md": {"mine.cu": "cured kernels --source vector/add"},
}

# Of a GPU, another machine, another program, or the user's own files.
ELSEWHERE = re.compile(
    r"\b(ssh|srun|scp|docker|kubectl|nvcc|sbatch|jq|pip|python3?|meson|ninja|apt|dev/\S+"
    r"|cured-gtk|cured exec|cured header \S+ --run|draft\.cu|cured worker"
    r"|cured measure-machine|header --triton)\b"
    r"|--launcher|--sbatch|--device cuda|cured/bin|^\./|\bCACHE\b|convolution\.json|bench\.json"
    r"|cache\.json|\ba\.(ptx|cu)\b|saxpy\.ptx|\.launches|matmul\.ptx")
# Measures, where no device is named.
MEASURES = re.compile(r"^cured run (?!.*(-d|--device) (emulator|model))")
SLOW = re.compile(r"--metric limiter|^cured predict|^cured run --best|model:h200|--limits"
                  r"|^cured explain")


def list_commands(text):
    """Commands of a page with their output; None: none is shown."""
    for block in BLOCK.findall(text):
        lines = block.splitlines()
        is_transcript = any(line.startswith("$ ") for line in lines)
        shown = None
        for line in lines:
            if line.startswith("$ "):
                shown = []
                yield COMMENT.sub("", line[2:]), shown
            elif is_transcript:
                if shown is not None:
                    shown.append(line)
            elif line.startswith("cured "):
                yield COMMENT.sub("", line), None
    for line in BLOCK.sub("", text).splitlines():
        if line.startswith("**Open the map.**"):
            yield from ((f"cured show {file}", None)
                        for file in re.findall(r"`cured-gtk (\S+\.cured)`", line))
        if line.startswith("|"):
            yield from ((command, None) for command in INLINE.findall(line)
                        if not NAME.search(command))


def matches(shown, said):
    """Whether lines of a page are those of a program, "…" left out."""
    if not shown:
        return not said
    if shown[0] == "…":
        return any(matches(shown[1:], said[i:]) for i in range(len(said) + 1))
    if not said:
        return False
    pattern = ".*".join(re.escape(part) for part in shown[0].rstrip().split("…"))
    return re.fullmatch(pattern, said[0].rstrip()) is not None and matches(shown[1:], said[1:])


def strip(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def run(command, folder, environment):
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, text=True,
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=SECONDS)


def make_files(root, name, folder, environment):
    for link in ("data", "docs", "kernels", "tests"):
        (folder / link).symlink_to(root / link)
    for file, source in FILES.get(name, {}).items():
        if source.startswith("cured "):
            (folder / file).write_text(run(source, folder, environment).stdout, encoding="utf-8")
        else:
            (folder / file).symlink_to(root / "data" / "results" / source)


def check_page(root, page, environment, is_all):
    name = str(page.relative_to(root))
    commands = list(list_commands(page.read_text(encoding="utf-8")))
    if not any("cured" in command for command, _shown in commands):
        return
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make_files(root, name, folder, environment)
        missing = set()
        for command, shown in commands:
            words = command.split()
            # What a command that was skipped would have written.
            if missing & set(words):
                continue
            if ELSEWHERE.search(command) or MEASURES.search(command):
                print(f"skipped: {name}: {command}")
                missing |= {file for word, file in zip(words, words[1:]) if word == "-o"}
                continue
            if SLOW.search(command) and not is_all:
                missing |= {file for word, file in zip(words, words[1:]) if word == "-o"}
                continue
            ran = run(command, folder, environment)
            print(f"ran: {name}: {command}")
            if ran.returncode not in (0, 1):
                yield f"{name}: {command}: exit code {ran.returncode}: {ran.stderr.strip()}"
            elif strip(shown or []) and not matches(strip(shown), strip(ran.stdout.splitlines())):
                yield f"{name}: {command}: prints something else:\n{ran.stdout.rstrip()}"


def self_test():
    said = ["a 1", "b 2", "c 3"]
    assert matches(["a 1", "b 2", "c 3"], said) and matches(["…", "c …"], said)
    assert matches(["a …", "…"], said) and not matches(["a 1", "b 2"], said)
    assert not matches(["…", "d"], said) and not matches(["a 1", "b 3", "…"], said)
    page = ("```\n$ cured x  # why\nout\n```\n\n```sh\ncured y\nls\n```\n"
            "\n| a | `cured z z` and `cured show FILE` |\n`cured w`\n"
            "**Open the map.** `cured-gtk v.cured`.\n")
    assert list(list_commands(page)) == [("cured x", ["out"]), ("cured y", None),
                                         ("cured z z", None), ("cured show v.cured", None)]


def main():
    self_test()
    words = [word for word in sys.argv[1:] if word != "--all"]
    root, program = pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]).resolve()
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100",
                   "PATH": f"{program.parent}:{os.environ['PATH']}"}
    wrong = []
    for page in sorted([root / "README.md", *(root / "docs").rglob("*.md")]):
        if len(words) < 3 or str(page.relative_to(root)) in words[2:]:
            wrong += check_page(root, page, environment, "--all" in sys.argv)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
