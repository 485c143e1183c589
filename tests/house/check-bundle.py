#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packs the command with dev/bundle and runs it in an empty root: nothing is
there but the C library's own files and the archive's.

usage: check-bundle.py SOURCE_ROOT PROGRAM [RESULT_FILE]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIBC = re.compile(r"(ld-linux[\w-]*|lib(c|m|dl|rt|pthread|resolv))\.so")


def run(*command, **extra):
    return subprocess.run(command, text=True, capture_output=True, **extra)


def copy_libc(program, root):
    """Puts the loader and the C library where the program looks for them."""
    listed = run("ldd", program, check=True).stdout
    for path in re.findall(r"(/\S+) \(0x", listed):
        if LIBC.match(os.path.basename(path)):
            target = root / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


def find_jail(root):
    """A command that enters the root, or None where that is forbidden."""
    for jail in (["chroot", str(root)],
                 ["unshare", "--map-root-user", "chroot", str(root)]):
        tool = shutil.which(jail[0], path="/usr/sbin:/usr/bin:/sbin:/bin")
        if tool and run(tool, *jail[1:], "/none").returncode == 127:
            return [tool, *jail[1:]]
    return None


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    program = pathlib.Path(sys.argv[2]).resolve()
    for tool in ("patchelf", "objdump"):
        if not shutil.which(tool):
            print(f"{tool} is not installed.")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        root = pathlib.Path(folder) / "root"
        opt = root / "opt"
        opt.mkdir(parents=True)
        (root / "tmp").mkdir()
        made = run("bash", source / "dev/bundle", program, out)
        assert made.returncode == 0, made.stdout + made.stderr
        archive, = out.glob("cured-*.tar.gz")
        run("tar", "-C", opt, "-xzf", archive, check=True)
        for name in ("man/man1/cured.1", "man/man5/cured-kernel.5",
                     "man/man7/cured-worker.7", "completions/cured.bash"):
            assert (opt / "cured/share" / name).stat().st_size > 0, name
        copy_libc(program, root)
        jail = find_jail(root)
        if not jail:
            print("chroot is not permitted here.")
            return 77
        # The loader learns from /proc what $ORIGIN is; this root has none, and
        # mounting it would take more privileges than chroot.
        environment = {"HOME": "/tmp", "LC_ALL": "C.UTF-8",
                       "LD_ORIGIN_PATH": "/opt/cured/bin"}

        def cured(*args):
            return run(*jail, "/opt/cured/bin/cured", *args,
                       env=environment)

        done = cured("--version")
        assert done.returncode == 0 and "cured" in done.stdout, done
        done = cured("kernels")
        assert done.returncode == 0 and "vector/add" in done.stdout, done

        if len(sys.argv) > 3:
            shutil.copy(sys.argv[3], opt / "some.cured")
            done = cured("show", "/opt/some.cured")
            assert done.returncode == 0 and len(done.stdout) > 200, done
            done = cured("export", "/opt/some.cured", "--format", "png",
                         "-o", "/opt/some.png")
            assert done.returncode == 0, done
            # No font would be a warning, and boxes in place of letters.
            assert "ontconfig" not in done.stderr, done.stderr
            assert "Pango" not in done.stderr, done.stderr
            picture = (opt / "some.png").read_bytes()
            assert picture.startswith(b"\x89PNG"), picture[:8]

        # The twin: the root has no GLib of its own.
        for library in (opt / "cured/lib").glob("libglib-2.0.so*"):
            library.unlink()
        done = cured("--version")
        assert done.returncode != 0 and "libglib" in done.stderr, done
    return 0


if __name__ == "__main__":
    sys.exit(main())
