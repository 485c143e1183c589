#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What packages Cured says the same as the build: versions, the application's id,
options that there are; what runs the tests elsewhere calls dev/test.

usage: check-packages.py ROOT
"""

import json
import pathlib
import re
import sys


def find_wrong(root):
    def read(name):
        return (root / name).read_text(encoding="utf-8")

    version = re.search(r"version: '(.*)'", read("meson.build")).group(1)
    packaged = re.match(r"cured \((.*)\)", read("debian/changelog")).group(1)
    if packaged != version:
        yield f"debian/changelog is about {packaged}, meson.build about {version}"

    wheel = re.search(r'^version = "(.*)"', read("python/pyproject.toml"), re.MULTILINE).group(1)
    if wheel != version:
        yield f"python/pyproject.toml is about {wheel}, meson.build about {version}"

    identity = re.search(r"app_id = '(.*)'", read("meson.build")).group(1)
    manifest = json.loads(read(f"dev/flatpak/{identity}.json"))
    if manifest["id"] != identity:
        yield f"the Flatpak is {manifest['id']}, the application {identity}"

    options = set(re.findall(r"^option\('(\w+)'", read("meson_options.txt"),
                             re.MULTILINE))
    for file in (f"dev/flatpak/{identity}.json", "debian/rules", "dev/bundle"):
        # Of the compiler's, none is in lower case throughout.
        for option in re.findall(r"-D([a-z_]+)=", read(file)):
            if option not in options | {"buildtype"}:
                yield f"{file}: meson_options.txt has no {option}"

    for file in (".github/workflows/test.yml",
                 ".devcontainer/devcontainer.json", ".ci/run"):
        if "dev/test" not in read(file):
            yield f"{file} does not call dev/test"


def main():
    wrong = list(find_wrong(pathlib.Path(sys.argv[1])))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
