# SPDX-License-Identifier: MIT
"""What the toolkit says by itself, which is no fault of the window."""

import os
import re


def read_harmless():
    """The pattern of toolkit-says.txt, which gui-test.c reads, too."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "toolkit-says.txt")
    with open(path, encoding="utf-8") as file:
        return "|".join(line.rstrip("\n") for line in file
                        if not line.startswith("#"))


HARMLESS = re.compile(read_harmless())
LOGGED = re.compile(r"-(CRITICAL|WARNING|ERROR) \*\*")


def list_faults(log_path):
    """What a log has of warnings and worse."""
    with open(log_path, encoding="utf-8", errors="replace") as log:
        return [line for line in log
                if LOGGED.search(line) and not HARMLESS.search(line)]
