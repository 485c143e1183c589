#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands between the application and a worker, so that a sweep is neither too
fast nor too slow for a test: only so many cells are measured as a file says.

usage: gated-worker.py FILE COMMAND…

FILE holds the number of cells that pass, of this worker; all do where there is
no such file.
"""

import json
import queue
import subprocess
import sys
import threading
import time


def allowed(path):
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except FileNotFoundError:
        return sys.maxsize
    # It is being written.
    except ValueError:
        return 0


def main():
    gate, *command = sys.argv[1:]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE)
    lines = queue.SimpleQueue()
    has_ended = threading.Event()

    def read():
        for line in sys.stdin.buffer:
            lines.put(line)
        has_ended.set()
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    passed = 0
    try:
        for line in iter(lines.get, None):
            if json.loads(line)["type"] == "measure":
                while passed >= allowed(gate) and not has_ended.is_set() \
                        and worker.poll() is None:
                    time.sleep(0.02)
                passed += 1
            if has_ended.is_set():
                break
            worker.stdin.write(line)
            worker.stdin.flush()
        worker.stdin.close()
    except BrokenPipeError:
        pass
    return worker.wait()


if __name__ == "__main__":
    sys.exit(main())
