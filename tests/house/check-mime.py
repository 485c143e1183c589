#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The MIME type finds a result file by its contents alone, and takes no other
database for one.

usage: check-mime.py PACKAGE_XML RESULT_FILE
"""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile


def content_type(path, data, attribute="standard::content-type"):
    """What GIO says a file is, with our MIME package and the machine's."""
    environment = dict(
        os.environ, XDG_DATA_HOME=str(data),
        XDG_DATA_DIRS="/usr/local/share:/usr/share")
    said = subprocess.run(
        ["gio", "info", "-a", attribute, path],
        env=environment, capture_output=True, text=True, check=True).stdout
    return said.rpartition(attribute + ":")[2].strip()


def main():
    for tool in ("update-mime-database", "gio"):
        if not shutil.which(tool):
            print(f"{tool} is not installed.")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)
        packages = top / "data/mime/packages"
        packages.mkdir(parents=True)
        shutil.copy(sys.argv[1], packages / "cured.xml")
        made = subprocess.run(["update-mime-database", top / "data/mime"],
                              capture_output=True, text=True)
        assert made.returncode == 0 and "Cured" not in made.stderr, made

        # Names that say nothing: the contents have to.
        shutil.copy(sys.argv[2], top / "result")
        assert content_type(top / "result", top / "data") == (
            "application/x-cured")
        with sqlite3.connect(top / "other") as other:
            other.execute("CREATE TABLE a (b)")
        other.close()
        assert content_type(top / "other", top / "data") == (
            "application/vnd.sqlite3")

        # Where nobody looks inside, the name says it.
        (top / "new.cured").write_text("not looked at")
        assert content_type(top / "new.cured", top / "data",
                            "standard::fast-content-type") == (
            "application/x-cured")
    return 0


if __name__ == "__main__":
    sys.exit(main())
