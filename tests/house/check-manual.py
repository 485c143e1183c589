#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The manual page names the verbs that the command has, and no other.

usage: check-manual.py PAGE PROGRAM
"""

import re
import subprocess
import sys


def main():
    page = open(sys.argv[1], encoding="utf-8").read()
    said = subprocess.run([sys.argv[2], "--help"], capture_output=True,
                          text=True, check=True).stdout
    listed = said.partition("Verbs:")[2].partition("\n\n")[0]
    verbs = set(re.findall(r"^  (\w+)", listed, re.MULTILINE))
    described = set(re.findall(r"^\.B cured (\w+)", page, re.MULTILINE))
    if verbs != described or not verbs:
        print(f"the command has {sorted(verbs)}, the page {sorted(described)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
