#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""All C is as clang-format 14 writes it; other versions differ in places.

usage: check-format.py ROOT [--fix]
"""

import pathlib
import re
import shutil
import subprocess
import sys

VERSION = 14


def find_formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            text = subprocess.run([path, "--version"], capture_output=True,
                                  text=True, check=True).stdout
            match = re.search(r"version (\d+)\.", text)
            if match and int(match.group(1)) == VERSION:
                return path
    return None


def main():
    formatter = find_formatter()
    if not formatter:
        print(f"clang-format {VERSION} is not installed.")
        return 77
    root = pathlib.Path(sys.argv[1])
    files = sorted(
        path for folder in ("libcured", "cli", "gui", "tests", "lab", "docs")
        for path in (root / folder).rglob("*")
        if path.suffix in (".c", ".h"))
    mode = (["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror"])
    return subprocess.run([formatter, *mode, *files], cwd=root).returncode


if __name__ == "__main__":
    sys.exit(main())
