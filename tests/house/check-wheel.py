#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the wheel with dev/wheel, and installs it where nothing else is.

usage: check-wheel.py SOURCE_ROOT PROGRAM FAKE_NVRTC
       check-wheel.py SOURCE_ROOT --roots WHEEL
       check-wheel.py SOURCE_ROOT --cross

With --roots, a wheel that was made is installed in the older systems' roots that the folder
CURED_ROOTS has (one root a folder, such as debootstrap makes them, with python3-venv). With
--cross, one is made for aarch64, and its command run under an emulator. What is missing is named.
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


def check_roots(source, wheel):
    """pip and the command in the roots of other systems."""
    places = os.environ.get("CURED_ROOTS")
    roots = [path for path in sorted(pathlib.Path(places).iterdir())
             if (path / "usr/bin/python3").exists()] if places else []
    if not roots:
        print("CURED_ROOTS names no folder with roots that have Python.")
        return 77
    result = source / "data/results/reduce-two-launch-h200.cured"
    for root in roots:
        with tempfile.TemporaryDirectory(dir=root / "opt") as name:
            folder = pathlib.Path(name)
            inside = "/opt/" + folder.name
            shutil.copy(wheel, folder)
            shutil.copy(result, folder)
            command = (f"python3 -m venv {inside}/e && {inside}/e/bin/pip install --no-index "
                       f"--disable-pip-version-check -q {inside}/{wheel.name} && "
                       f"{inside}/e/bin/cured --version && "
                       f"{inside}/e/bin/cured show {inside}/{result.name} && "
                       f"{inside}/e/bin/python -c 'import cured; "
                       f"print(cured.load(\"{inside}/{result.name}\").device)'")
            done = run("chroot", root, "sh", "-c", command,
                       env={"HOME": "/tmp", "PATH": "/usr/sbin:/usr/bin:/bin",
                            "LC_ALL": "C.UTF-8"})
            assert done.returncode == 0, (root.name, done)
            assert "Time · " in done.stdout and "H200" in done.stdout, (root.name, done)
        print(f"{root.name}: installed {wheel.stat().st_size / 1e6:.1f} MB, run")
    return 0


def check_cross(source, *built):
    """The wheel for the other machine, and its command under an emulator."""
    for tool in ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-pkg-config", "qemu-aarch64-static"):
        if not shutil.which(tool):
            print(f"{tool} is not installed.")
            return 77
    result = source / "data/results/reduce-two-launch-h200.cured"
    with tempfile.TemporaryDirectory() as name:
        made = run("bash", source / "dev/wheel", "--arch", "aarch64", *built)
        assert made.returncode == 0, made.stdout + made.stderr
        wheel, = (pathlib.Path(built[1]) if built else source / ".bundle/aarch64").glob("*.whl")
        assert wheel.name.endswith("manylinux_2_28_aarch64.whl"), wheel
        assert wheel.stat().st_size < 30e6, wheel.stat()
        check_contents(wheel)
        with zipfile.ZipFile(wheel) as file:
            for entry in file.infolist():
                pathlib.Path(file.extract(entry, name)).chmod(entry.external_attr >> 16 & 0o777)
        top = pathlib.Path(name) / "cured/_bundle"
        start = ("qemu-aarch64-static", top / "lib/ld-linux-aarch64.so.1", "--library-path",
                 top / "lib", top / "libexec/cured")
        for words, expected in ((["--help"], "Usage:"), (["show", result], "H200")):
            done = run(*start, *words)
            assert done.returncode == 0 and expected in done.stdout, done
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, run")
    return 0


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] == "--roots":
        return check_roots(source, pathlib.Path(sys.argv[3]).resolve())
    if sys.argv[2] == "--cross":
        return check_cross(source, *sys.argv[3:])
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
        check_roots(source, wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
