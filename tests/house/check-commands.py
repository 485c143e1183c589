#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands that the pages show run, and print what the pages show.

usage: check-commands.py [--all] ROOT PROGRAM [PAGE…]

In a block of a page, a line that begins with "$ " is a command, and the lines below it
are its output: "…" alone stands for any lines, within a line for any text. In a block
without "$ ", every line that runs `cured` is a command, whose output is not shown; in a
table, every `cured …` is one. Each page's commands run in a folder of its own, in their
order. Instead of a GPU they have the emulator, and what measures is only planned
(--dry-run); instead of other machines (ssh, srun, docker, kubectl) this one. A command
that needs a GPU, or a program that is not installed, is skipped, and named; --all runs
the slow ones, too. A lesson's `cured-gtk FILE` is `cured show FILE` here. Exit code 2, a
usage error, is a fault everywhere, and so is a script in a block that is not there.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?:cured |nvcc |(?:ssh|srun|env|\w+=\S*) .*?\bcured )")
# `cured …` in a row of a table, with no name in capitals to fill in.
INLINE = re.compile(r"`(cured \S+ [^`]+)`")
NAME = re.compile(r"\b(CELL|FILE|FAMILY|KERNEL|NAME|FOLDER|HOST)\b|…")
COMMENT = re.compile(r"\s{2,}# .*$")
SCRIPT = re.compile(r"(?<![\w./-])(?:dev|lab|tests)/[\w./-]+")
SECONDS = 300

# What a command of a page reads and none that ran has written: a file, and what prints it
# or which file it is.
COMPILED = "tests/data/kernels/compilers/"
VECTOR_ADD = {"mine.cu": "cured kernels --source vector/add"}
TILES = {"tiles.cured": "data/results/matmul-tiled-h200.cured"}
FILES = {
    "README.md": {"fill.cu": "tests/data/exec/fill.cu"},
    "docs/cluster.md": {**VECTOR_ADD, **TILES},
    "docs/compilers.md": {"a.ptx": COMPILED + "numba-saxpy-sm_90.ptx",
                          "a.cu": "tests/data/exec/transpose.cu",
                          "source.cu": "tests/data/exec/transpose.cu"},
    "docs/exec.md": {"mine.cu": "tests/data/exec/transpose.cu"},
    "docs/explain.md": TILES,
    "docs/importing.md": {"convolution.json": "tests/data/import/kernel-tuner.json",
                          "bench.json": "tests/data/import/nvbench.json",
                          **{file: "tests/data/import/kernel-tuner.json" for file in
                             ("cache.json", "monday.json", "tuesday.json", "wednesday.json")}},
    "docs/machine-facts.md": VECTOR_ADD,
    "docs/python.md": {"mine.cu": "cured kernels --source matmul/tiled"},
    "python/README.md": VECTOR_ADD,
    "docs/triton.md": {"saxpy.ptx": COMPILED + "numba-saxpy-sm_90.ptx"},
}

# Of a GPU, or of Triton's cache: docs/triton.md is tests/cli/test-triton.py's from there on.
ELSEWHERE = re.compile(r"--device cuda\b(?!:)|cured measure-machine|cured/bin"
                       r"|header --triton|\bmatmul\.ptx|~/\.triton/")
# Programs without which a command is skipped.
PROGRAMS = ("nvcc", "jq")
# What measures, where no device is named.
MEASURES = re.compile(r"^cured (run (?!.*(-d|--device) (emulator|model))|submit )")
SLOW = re.compile(r"--metric limiter|^cured predict|^cured run --best|model:h200|--limits"
                  r"|^cured explain")
# Drops its own words, and runs the rest here.
STAND_IN = """#!/bin/sh
while [ "$1" != cured ] && [ "$1" != sh ]; do
  shift || exit 1
done
exec "$@"
"""


def list_commands(text):
    """Commands of a page with their output (None: none is shown), and whether each is a
    row of a table, whose outputs no other row needs."""
    for block in BLOCK.findall(text):
        lines = block.splitlines()
        is_transcript = any(line.startswith("$ ") for line in lines)
        shown = None
        for line in lines:
            if line.startswith("$ "):
                shown = []
                yield COMMENT.sub("", line[2:]), shown, False
            elif is_transcript:
                if shown is not None:
                    shown.append(line)
            elif COMMAND.search(line):
                yield COMMENT.sub("", line), None, False
    for line in BLOCK.sub("", text).splitlines():
        if line.startswith("**Open the map.**"):
            yield from ((f"cured show {file}", None, False)
                        for file in re.findall(r"`cured-gtk (\S+\.cured)`", line))
        if line.startswith("|"):
            yield from ((command, None, True) for command in INLINE.findall(line)
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


def make_file(root, name, file, folder, environment):
    source = FILES[name][file]
    if source.startswith("cured "):
        (folder / file).write_text(run(source, folder, environment).stdout, encoding="utf-8")
    else:
        shutil.copy(root / source, folder / file)


def list_outputs(command):
    words = command.split()
    return {file for word, file in zip(words, words[1:]) if word == "-o"}


def make_stand_ins(folder):
    for name in ("ssh", "srun", "docker", "kubectl"):
        (folder / name).write_text(STAND_IN, encoding="utf-8")
        (folder / name).chmod(0o755)


def adapt(command):
    """The command for a machine without a GPU."""
    command = command.replace("cuda:0", "emulator")
    if MEASURES.search(command) and "--dry-run" not in command:
        command += " --dry-run"
    return command


def lacks(command, path):
    """A program that the command needs and that is not there, or None."""
    return next((name for name in PROGRAMS if re.search(rf"(^|[|&] ){name} |--run\b", command)
                 and shutil.which(name, path=path) is None), None)


def list_missing_scripts(root, text):
    for block in BLOCK.findall(text):
        yield from (script for script in SCRIPT.findall(block)
                    if not (root / script.rstrip("./")).exists())


def check_page(root, page, environment, is_all):
    name = str(page.relative_to(root))
    text = page.read_text(encoding="utf-8")
    for script in list_missing_scripts(root, text):
        yield f"{name}: {script} is not there"
    commands = list(list_commands(text))
    if not any("cured" in command for command, _shown, _is_row in commands):
        return
    files = set(FILES.get(name, {}))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for link in ("data", "docs", "kernels", "tests"):
            (folder / link).symlink_to(root / link)
        missing = set()
        for command, shown, is_row in commands:
            outputs = list_outputs(command)
            inputs = set(command.split()) - outputs
            for file in inputs & files:
                if not (folder / file).exists():
                    make_file(root, name, file, folder, environment)
            adapted = adapt(command)
            if inputs & missing or ELSEWHERE.search(command) or lacks(command, environment["PATH"]):
                print(f"skipped: {name}: {command}")
            elif SLOW.search(command) and not is_all:
                pass
            else:
                for file in outputs if is_row else ():
                    (folder / file).unlink(missing_ok=True)
                ran = run(adapted, folder, environment)
                print(f"ran: {name}: {adapted}")
                if ran.returncode not in (0, 1):
                    yield f"{name}: {command}: exit code {ran.returncode}: {ran.stderr.strip()}"
                elif (strip(shown or [])
                      and not matches(strip(shown), strip(ran.stdout.splitlines()))):
                    yield f"{name}: {command}: prints something else:\n{ran.stdout.rstrip()}"
            missing |= {file for file in outputs - files if not (folder / file).exists()}


def self_test():
    said = ["a 1", "b 2", "c 3"]
    assert matches(["a 1", "b 2", "c 3"], said) and matches(["…", "c …"], said)
    assert matches(["a …", "…"], said) and not matches(["a 1", "b 2"], said)
    assert not matches(["…", "d"], said) and not matches(["a 1", "b 3", "…"], said)
    page = ("```\n$ cured x  # why\nout\n```\n\n```sh\ncured y\nls\nssh a cured v\n```\n"
            "\n| a | `cured z z` and `cured show FILE` |\n`cured w`\n"
            "**Open the map.** `cured-gtk v.cured`.\n")
    assert list(list_commands(page)) == [
        ("cured x", ["out"], False), ("cured y", None, False), ("ssh a cured v", None, False),
        ("cured z z", None, True), ("cured show v.cured", None, False)]
    assert adapt("cured run x") == "cured run x --dry-run"
    assert adapt("cured check x --device cuda:0") == "cured check x --device emulator"
    assert lacks("nvcc a.cu", "") == "nvcc" and lacks("cured x", "") is None


def main():
    self_test()
    words = [word for word in sys.argv[1:] if word != "--all"]
    root, program = pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]).resolve()
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"),
             *(root / folder / "README.md" for folder in ("data/counters", "lab", "python", "tests"))]
    wrong = []
    with tempfile.TemporaryDirectory() as stand_ins:
        make_stand_ins(pathlib.Path(stand_ins))
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100",
                       "PATH": f"{program.parent}:{stand_ins}:{os.environ['PATH']}"
                               ":/usr/local/cuda/bin"}
        for page in sorted(pages, key=lambda page: (page != root / "README.md", page)):
            if len(words) < 3 or str(page.relative_to(root)) in words[2:]:
                wrong += check_page(root, page, environment, "--all" in sys.argv)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
