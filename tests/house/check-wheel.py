#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the wheel with dev/wheel, and installs it where nothing else is.

usage: check-wheel.py SOURCE_ROOT PROGRAM FAKE_NVRTC
"""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile


def run(*command, **extra):
    return subprocess.run(command, text=True, capture_output=True, **extra)


def check_contents(wheel):
    """What is listed is there, as it is listed, and programs can be started."""
    with zipfile.ZipFile(wheel) as file:
        information = next(name.split("/")[0] for name in file.namelist()
                           if ".dist-info/" in name)
        listed = {}
        for line in file.read(f"{information}/RECORD").decode().splitlines():
            name, digest, size = line.rsplit(",", 2)
            listed[name] = digest, size
        assert set(listed) == set(file.namelist()), set(listed) ^ set(file.namelist())
        for name, (digest, size) in listed.items():
            data = file.read(name)
            if name.endswith("/RECORD"):
                continue
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            assert (digest, size) == (f"sha256={found.decode()}", str(len(data))), name
        for name in ("bin/cured", "libexec/cured", "lib/libc.so.6"):
            assert file.getinfo(f"cured/_bundle/{name}").external_attr >> 16 & 0o111, name
        for name in ("cured/py.typed", f"{information}/licenses/LICENSE"):
            assert name in listed, name
        assert not [name for name in listed if "__pycache__" in name]
        tag = re.search(r"^Tag: (.*)$", file.read(f"{information}/WHEEL").decode(), re.MULTILINE)
        assert wheel.name.endswith(f"{tag[1]}.whl") and "manylinux_2_28" in tag[1], tag


def check_installed(environment, fake):
    """From an environment that has nothing else, with nothing in PATH."""
    program = environment / "bin" / "cured"
    packages, = (environment / "lib").glob("python3*/site-packages")
    alone = {"HOME": str(environment), "PATH": "/nowhere"}
    done = run(program, "--version", env=alone)
    assert done.returncode == 0 and done.stdout.startswith("cured "), done
    done = run(environment / "bin" / "python", "-m", "cured", "banks", "--stride", "2", env=alone)
    assert done.returncode == 0 and "wavefronts 2" in done.stdout, done
    done = run(environment / "bin" / "python", "-c",
               "import cured; print(cured.banks(stride=2).wavefronts, cured.__version__,"
               " cured.find_program())", env=alone)
    wavefronts, version, found = done.stdout.split()
    assert wavefronts == "2" and version in run(program, "--version", env=alone).stdout, done
    assert found == str(packages / "cured/_bundle/bin/cured"), found
    entries = next(packages.glob("cured-*.dist-info/entry_points.txt")).read_text()
    assert "[pytest11]\ncured = cured._pytest" in entries, entries

    # NVRTC's wheel beside the package is found, as the command's own choice is not.
    library = packages / "nvidia" / "cu13" / "lib" / "libnvrtc.so.13"
    library.parent.mkdir(parents=True)
    shutil.copy(fake, library)
    for more, expected in (({}, str(library)), ({"CURED_NVRTC": "/nowhere/n.so"}, "/nowhere/n.so")):
        done = run(program, "doctor", "--json", env={**alone, **more})
        line, = [line for line in json.loads(done.stdout) if line["id"] == "nvrtc"]
        assert expected in line["text"], line


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    program = pathlib.Path(sys.argv[2]).resolve()
    for tool in ("patchelf", "objdump"):
        if not shutil.which(tool):
            print(f"{tool} is not installed.")
            return 77
    if not (program.parent / "cured-bundle-start").exists():
        print("No bundle is made on a machine of this kind.")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        made = run("bash", source / "dev/wheel", program, folder / "out")
        assert made.returncode == 0, made.stdout + made.stderr
        wheel, = (folder / "out").glob("*.whl")
        assert wheel.stat().st_size < 30e6, wheel.stat()
        check_contents(wheel)
        environment = folder / "environment"
        if run("/usr/bin/python3", "-m", "venv", environment).returncode != 0:
            print("no environment can be made: python3-venv is missing.")
            return 77
        done = run(environment / "bin" / "pip", "install", "--no-index",
                   "--disable-pip-version-check", wheel,
                   env={**os.environ, "PIP_CONFIG_FILE": os.devnull})
        assert done.returncode == 0, done.stdout + done.stderr
        check_installed(environment, pathlib.Path(sys.argv[3]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
