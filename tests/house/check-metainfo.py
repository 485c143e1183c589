#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""appstreamcli on the metainfo file. That no home page is named is known: the
project has no site of its own, and releases of the tool differ on how much
that matters.

The first file has no screenshots unless it was configured with an address; the
second has them, each of a picture that there is.

usage: check-metainfo.py APPSTREAMCLI FILE FILE-WITH-SCREENSHOTS
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

KNOWN = {"url-homepage-missing"}


def is_valid(path):
    said = subprocess.run(
        [sys.argv[1], "validate", "--no-net", "--no-color", path],
        capture_output=True, text=True)
    text = said.stdout + said.stderr
    wrong = set(re.findall(r"^[EW]: .*: ([\w-]+)$", text, re.MULTILINE))
    if wrong - KNOWN or (said.returncode != 0 and not wrong):
        print(text)
        return False
    return True


def main():
    if not all(is_valid(path) for path in sys.argv[2:]):
        return 1
    pictures = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "..", "..", "docs", "screenshots")
    images = list(ElementTree.parse(sys.argv[3]).iter("image"))
    missing = [image.text for image in images if not os.path.exists(
        os.path.join(pictures, os.path.basename(image.text)))]
    if missing or not images:
        print(f"screenshots: {len(images)}, not in docs/screenshots: {missing}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
