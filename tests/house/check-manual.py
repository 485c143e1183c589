#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The manual page names the verbs that the command has, and no other; and
every option of each.

usage: check-manual.py PAGE PROGRAM
"""

import re
import subprocess
import sys


def run(*words):
    return subprocess.run(words, capture_output=True, text=True,
                          check=True).stdout


def check_options(sections, program, verb):
    """A section that points to another verb's has its options as well."""
    text = sections.get(verb, "")
    text += "".join(sections[other] for other in sections
                    if f"\n.B {other}\n" in sections.get(verb, ""))
    described = set(re.findall(r"--[a-z0-9-]+", text))
    options = set(re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)",
                             run(program, verb, "--help"), re.MULTILINE))
    # Every verb has it, and the page says so once.
    if "--quiet" not in options:
        yield f"cured {verb} has no --quiet"
    options -= {"--help", "--quiet"}
    if not options:
        yield f"cured {verb} --help lists no option"
    for option in sorted(options - described):
        yield f"the page lacks {option} of cured {verb}"


def main():
    page = open(sys.argv[1], encoding="utf-8").read().replace("\\-", "-")
    program = sys.argv[2]
    listed = run(program, "--help").partition("Verbs:")[2]
    listed = listed.partition("\n\n")[0]
    verbs = set(re.findall(r"^  ([\w-]+)", listed, re.MULTILINE))
    described = set(re.findall(r"^\.B cured ([\w-]+)$", page.partition(
        ".SH DESCRIPTION")[0], re.MULTILINE))
    wrong = []
    if verbs != described or not verbs:
        wrong.append(f"the command has {sorted(verbs)}, the page "
                     f"{sorted(described)}")
    verb_pages = page.partition(".SH VERBS")[2].partition(".SH ")[0]
    sections = dict(re.findall(r"^\.TP\n\.B ([\w-]+)\n(.*?)^\.RE$", verb_pages,
                               re.MULTILINE | re.DOTALL))
    for verb in sorted(verbs):
        wrong += check_options(sections, program, verb)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
