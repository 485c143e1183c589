#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long the application takes to its first frame, from the start of the
process; empty, and with a file. The best of a few tries counts, since the
machine has other things to do.

usage: check-start.py PROGRAM MAKE-RESULT
"""

import os
import subprocess
import sys
import tempfile
import threading
import time

# Far above what it takes, so that a loaded machine passes: it is held against
# a catalogue that is parsed, or a file that is read, before anything is seen.
BOUND_S = 1.5
TRIES = 3


def first_frame(arguments):
    environment = dict(os.environ, G_MESSAGES_DEBUG="cured-gtk")
    start = time.monotonic()
    process = subprocess.Popen(arguments, env=environment, text=True,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    patience = threading.Timer(15, process.kill)
    patience.start()
    try:
        for line in process.stdout:
            assert "WARNING" not in line and "CRITICAL" not in line, line
            if "first frame" in line:
                return time.monotonic() - start
    finally:
        patience.cancel()
        process.terminate()
        process.wait()
    raise AssertionError("it never drew anything")


def main():
    program, make_result = sys.argv[1:]
    path = os.path.join(tempfile.mkdtemp(), "small.cured")
    subprocess.run([make_result, path], check=True)
    for what, arguments in (("empty", [program]), ("a file", [program, path])):
        best = min(first_frame(arguments) for _ in range(TRIES))
        print(f"{what}: first frame after {best * 1000:.0f} ms")
        assert best < BOUND_S, f"{what}: {best:.2f} s"
    return 0


if __name__ == "__main__":
    sys.exit(main())
