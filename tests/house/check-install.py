#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Installs into an empty folder, builds docs/example/sweep.c against what came
to lie there through pkg-config alone, and runs it.

usage: check-install.py SOURCE_ROOT BUILD_ROOT PREFIX WORKER CURED [gui]
"""

import os
import pathlib
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile

FILES = [
    "bin/cured",
    "include/cured-0/cured.h",
    "include/cured-0/cured-plot.h",
    "include/cured-0/plot/map/cured-grid.h",
    "include/cured-0/base/cured-error.h",
    "lib*/libcured.a",
    "lib*/libcured-plot.a",
    "lib*/pkgconfig/libcured.pc",
    "lib*/pkgconfig/libcured-plot.pc",
    "share/bash-completion/completions/cured",
    "share/fish/vendor_completions.d/cured.fish",
    "share/man/man1/cured.1",
    "share/man/man5/cured-kernel.5",
    "share/man/man5/cured-result.5",
    "share/man/man7/cured-banks.7",
    "share/man/man7/cured-emulator.7",
    "share/man/man7/cured-importing.7",
    "share/man/man7/cured-machine.7",
    "share/man/man7/cured-measuring.7",
    "share/man/man7/cured-ptx.7",
    "share/man/man7/cured-worker.7",
    "share/mime/packages/io.github.cured.Cured*.xml",
    "share/zsh/site-functions/_cured",
]
GUI_FILES = [
    "bin/cured-gtk",
    "share/applications/io.github.cured.Cured*.desktop",
    "share/icons/hicolor/scalable/apps/io.github.cured.Cured*.svg",
    "share/icons/hicolor/symbolic/apps/io.github.cured.Cured*-symbolic.svg",
    "share/man/man1/cured-gtk.1",
    "share/metainfo/io.github.cured.Cured*.metainfo.xml",
]


def run(*command, **extra):
    return subprocess.run(command, check=True, text=True, **extra)


def find(prefix, pattern):
    """The one installed file of that name; Debian's libdir has two levels."""
    found = list(prefix.glob(pattern))
    found += prefix.glob(pattern.replace("lib*/", "lib*/*/", 1))
    assert len(found) >= 1, f"{pattern} was not installed"
    return found[0]


def main():
    source, build, prefix, worker, cured = (
        pathlib.Path(argument).resolve() for argument in sys.argv[1:6])
    with tempfile.TemporaryDirectory(dir=build) as folder:
        top = pathlib.Path(folder) / "root"
        run("meson", "install", "-C", build, "--no-rebuild", "--quiet",
            "--destdir", top)
        installed = top / prefix.relative_to("/")
        for pattern in FILES + (GUI_FILES if "gui" in sys.argv else []):
            find(installed, pattern)

        config = find(installed, "lib*/pkgconfig/libcured.pc")
        # With pkgconfig.relocatable off, the file has the prefix written out.
        config.write_text(re.sub(r"(?m)^prefix=/.*$", f"prefix={installed}",
                                 config.read_text()))
        environment = dict(os.environ, PKG_CONFIG_PATH=str(config.parent),
                           CURED_WORKER=str(worker))
        flags = run("pkg-config", "--cflags", "--libs", "libcured",
                    env=environment, capture_output=True).stdout.split()
        assert str(source / "libcured") not in " ".join(flags), flags
        program = top / "sweep"
        run(*shlex.split(os.environ.get("CC", "cc")), "-Wall", "-Werror",
            source / "docs/example/sweep.c", "-o", program, *flags)

        result = top / "out.cured"
        kernel = source / "tests/data/kernels/fake.cu"
        said = run(program, kernel, "fake:0", result, env=environment,
                   capture_output=True).stdout
        assert re.search(
            r"^\d+ cells, best \w+=\S+( \w+=\S+)*: [\d.]+ \Ss$", said,
            re.MULTILINE), said

        # The file is whole, and it has cells with times.
        with sqlite3.connect(f"file:{result}?mode=ro", uri=True) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert file.execute("PRAGMA application_id").fetchone() == (
                0x43757245,)
        run(cured, "show", result, stdout=subprocess.DEVNULL)

        # Without arguments it says how it is used.
        usage = subprocess.run([program], capture_output=True, text=True)
        assert usage.returncode == 2 and "usage" in usage.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
