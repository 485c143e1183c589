#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""appstreamcli on the metainfo file. That no home page is named is known: the
project has no site of its own, and releases of the tool differ on how much
that matters.

usage: check-metainfo.py APPSTREAMCLI FILE
"""

import re
import subprocess
import sys

KNOWN = {"url-homepage-missing"}


def main():
    said = subprocess.run(
        [sys.argv[1], "validate", "--no-net", "--no-color", sys.argv[2]],
        capture_output=True, text=True)
    text = said.stdout + said.stderr
    wrong = set(re.findall(r"^[EW]: .*: ([\w-]+)$", text, re.MULTILINE))
    if wrong - KNOWN or (said.returncode != 0 and not wrong):
        print(text)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
