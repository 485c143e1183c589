#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tells what `meson test` ran, from its own log: the output of what failed, what
was skipped and why, and the counts in the last line.

Meson counts a TAP program as one test and hides a skipped subtest, so the
subtests are counted here. A program that ends badly with no failed subtest to
show for it (a crash, a time-out, fewer subtests than planned) is one failure.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

SUBTEST = re.compile(r"(not )?ok\b[^#]*(#\s*SKIP\b)?", re.IGNORECASE)
PLAN = re.compile(r"^1\.\.[0-9]+$", re.MULTILINE)
FAULT = re.compile(r"not ok\b|Bail out!", re.IGNORECASE)
REASON = re.compile(r"#\s*SKIP\S*\s+(.*)|skipped: (.*)", re.IGNORECASE)


def count_tap(stdout):
    """Returns passed, failed and skipped subtests of one TAP program."""
    passed = failed = skipped = 0
    for line in stdout.splitlines():
        # An indented line is a subtest of a subtest: its parent speaks for it.
        match = SUBTEST.match(line)
        if not match:
            continue
        if match.group(2):
            skipped += 1
        elif match.group(1):
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def read_log(build):
    """Returns the lines of the last run's log; a test setup has one of its
    own."""
    logs = sorted(build.glob("meson-logs/testlog*.json"),
                  key=lambda log: log.stat().st_mtime)
    return logs[-1].read_text().splitlines() if logs else []


def list_skipped(build):
    """Returns a line for each program and each reason that it gave for leaving
    something out, with how often."""
    skipped = collections.Counter()
    for entry in map(json.loads, read_log(build)):
        name = entry["name"].rpartition(" / ")[2]
        stdout = entry.get("stdout", "")
        reasons = REASON.findall(stdout)
        if entry["result"] == "SKIP" and not reasons:
            said = [] if PLAN.search(stdout) else stdout.split("\n")
            reasons = [(next((line for line in reversed(said) if line.strip()),
                             "no reason given"), "")]
        for reason in reasons:
            skipped[name, "".join(reason)] += 1
    return [f"skipped: {name}{f' ({n})' if n > 1 else ''}: {reason}"
            for (name, reason), n in skipped.items()]


def cut_out(text, n_lines=60):
    """Returns the lines of a program's output that tell why it failed: those
    about each failed subtest, otherwise the last ones."""
    lines = text.splitlines()
    faults = [i for i, line in enumerate(lines) if FAULT.match(line)]
    if not faults:
        return lines[-n_lines:]
    share = max(n_lines // len(faults), 10)
    # GLib tells the reason above the subtest, the tour below.
    chosen = {i for fault in faults
              for i in range(fault - share // 4, fault + share - share // 4)}
    chosen = [i for i in range(len(lines)) if i in chosen]
    return [line for before, i in zip([-1, *chosen], chosen)
            for line in ["[…]"] * (i > before + 1) + [lines[i]]]


def list_failed(build, limit=10):
    """Returns the lines that tell of each program that failed; of those after
    many, only the name."""
    failed = [entry for entry in map(json.loads, read_log(build))
              if entry["result"] not in ("OK", "EXPECTEDFAIL", "SKIP")]
    lines = []
    for i, entry in enumerate(failed):
        name = entry["name"].rpartition(" / ")[2]
        lines.append(f"failed: {name}: {entry['result']}, "
                     f"status {entry.get('returncode')}")
        if i < limit:
            lines += ["  " + line for stream in ("stdout", "stderr")
                      for line in cut_out(entry.get(stream) or "")]
    return lines


def count(build):
    """Returns passed, failed and skipped of the last run in a build folder."""
    tests = json.loads((build / "meson-info/intro-tests.json").read_text())
    protocols = {test["name"]: test["protocol"] for test in tests}
    lines = read_log(build)

    passed = failed = skipped = 0
    for entry in map(json.loads, lines):
        name = entry["name"].rpartition(" / ")[2]
        good = entry["result"] in ("OK", "EXPECTEDFAIL")
        # The window's tests end by their exit status, but print TAP as well.
        if protocols.get(name) == "tap" or PLAN.search(entry.get("stdout", "")):
            ok, not_ok, skip = count_tap(entry.get("stdout", ""))
        else:
            ok = not_ok = skip = 0
        if entry["result"] == "SKIP":
            skip = max(skip, 1)
        elif good and ok + not_ok + skip == 0:
            ok = 1
        elif not good and not_ok == 0:
            not_ok = 1
        passed += ok
        failed += not_ok
        skipped += skip
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner-status", type=int, default=0,
                        help="exit status of `meson test`")
    parser.add_argument("build", type=pathlib.Path)
    args = parser.parse_args()

    passed, failed, skipped = count(args.build)
    for line in list_failed(args.build) + list_skipped(args.build):
        print(line)
    if passed + failed + skipped == 0:
        print("No test ran.")
    elif args.runner_status != 0 and failed == 0:
        print(f"meson test ended with status {args.runner_status}.")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or args.runner_status or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
