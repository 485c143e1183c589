#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Completes command lines in a real shell, with the script that the command
prints for it. Exits with 77 where the shell is not installed.

usage: check-completions.py SHELL PROGRAM
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# A line that is completed; what must be offered; what must not.
LINES = [
    ("cured ru", ["run"], ["show"]),
    ("cured run matmul/til", ["matmul/tiled"], ["matmul/naive"]),
    ("cured run mi", ["mine.cu"], []),
    ("cured show m", ["map.cured", "more.cured"], []),
    ("cured run --be", ["--best"], ["--sweep"]),
    ("cured show --metric band", ["bandwidth"], ["time"]),
    ("cured show --metric=band", ["bandwidth"], ["time"]),
    ("cured run -m band", ["bandwidth"], ["time"]),
    ("cured export map.cured --format ", ["png", "csv"], ["time"]),
    ("cured show --color ", ["auto", "always", "never"], ["png"]),
    ("cured show --color=n", ["never"], ["auto"]),
    ("cured banks --view ", ["banks", "addresses"], ["auto"]),
    ("cured occupancy --arch sm_12", ["sm_120", "sm_121"], ["sm_90"]),
    ("cured ladder mat", ["matmul"], ["reduce"]),
    ("cured run --preset coa", ["coarse.preset"], []),
    ("cured run -d emulator:sm_1", ["sm_100", "sm_120"], ["sm_90"]),
    ("cured run --launcher s", ["srun", "ssh gpu"], ["docker"]),
    ("cured devices --launcher=d", ["docker"], ["srun"]),
]
# zsh draws what it offers. These have several answers, so that one of them
# stands whole on the terminal.
DRAWN = [
    ("cured ", "occupancy"),
    ("cured run matmul/", "tile-padding"),
    ("cured show m", "more.cured"),
    ("cured run --", "--precision"),
    ("cured run --metric ", "time_hot_samples"),
    ("cured export map.cured --format ", "svg"),
    ("cured show --color ", "always"),
    ("cured occupancy --arch sm_12", "sm_121"),
    ("cured ladder ", "squared-error"),
    ("cured check --launcher ", "docker"),
]

BASH = """
. "$1"
COMP_LINE=$2
COMP_POINT=${#2}
_cured
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "source $argv[1]; complete -C $argv[2]"
# A shell of its own, on a terminal of its own, as a person's: keys go in, and
# what is drawn is read until the answer is there.
ZSH = """
zmodload zsh/zpty
zpty shell zsh -f
zpty -w shell "fpath=($1:h \\$fpath); autoload -Uz compinit; compinit -u -D; PS1=; stty columns 300; print rea''dy"
zpty -r shell out '*ready*'
zpty -w -n shell "$2"$'\\t'
zpty -r shell out "*$3*"
"""
LIMIT_S = 600


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "XDG_CONFIG_HOME": str(folder),
                               "PATH": f"{folder}/bin:{os.environ['PATH']}"},
                          timeout=LIMIT_S, check=True).stdout


def complete(shell, script, line, folder):
    if shell == "bash":
        said = run(folder, "bash", "--norc", "-c", BASH, "bash", script, line)
    else:
        said = run(folder, "fish", "--no-config", "-c", FISH, script, line)
    # fish has a description behind a tab.
    words = {word.split("\t")[0].replace("\\", "").rpartition("=")[2]
             for word in said.splitlines()}
    # A word with a colon may be offered whole.
    return words | {word.rpartition(":")[2] for word in words}


def check_drawn(script, folder):
    for line, offered in DRAWN:
        try:
            run(folder, "zsh", "-f", "-c", ZSH, "zsh", script, line, offered)
        except subprocess.TimeoutExpired:
            yield f"{line!r} did not offer {offered}"


def check_lines(shell, script, folder):
    for line, offered, not_offered in LINES:
        found = complete(shell, script, line, folder)
        if not set(offered) <= found or found & set(not_offered):
            yield f"{line!r}: {sorted(found)}"


def main():
    shell, program = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if shutil.which(shell) is None:
        print(f"{shell} is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        script = folder / "_cured"
        script.write_text(subprocess.run(
            [program, "--completions", shell], capture_output=True,
            text=True, check=True).stdout)
        for file in ("mine.cu", "map.cured", "more.cured", "coarse.preset",
                     "coal.cu"):
            (folder / file).touch()
        (folder / "bin").mkdir()
        (folder / "bin" / "cured").symlink_to(program)
        (folder / "cured").mkdir()
        (folder / "cured" / "launchers").write_text("srun\nssh gpu\ndocker\n")
        if shell == "zsh":
            wrong = list(check_drawn(script, folder))
        else:
            wrong = list(check_lines(shell, script, folder))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
