#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packs the command with dev/bundle and runs it in an empty root: nothing is
there but what the archive has, no C library, no /proc and no environment.

usage: check-bundle.py SOURCE_ROOT PROGRAM [RESULT_FILE] [--roots | --window]

With --roots, NVRTC goes along, and kernels are checked: in the empty root, and
in the older systems' that the folder CURED_ROOTS has (one root a folder, such
as debootstrap makes them). What is not there is named.

With --window, the file of dev/bundle --gui opens a recording in the same roots,
in a display of its own.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# What a program of another Linux must not ask the machine for.
HIGHEST = (2, 28)


def run(*command, **extra):
    return subprocess.run(command, text=True, capture_output=True, **extra)


def check_needs(top):
    """Nothing of the machine's own is asked for: what is started needs no
    loader and no library, and what that maps needs what lies beside it."""
    for start in (top / "bin").iterdir():
        facts = run("readelf", "-ldW", start, check=True).stdout
        assert "INTERP" not in facts and "NEEDED" not in facts, facts
        symbols = run("objdump", "-T", start).stdout
        versions = {tuple(map(int, v.split("."))) for v in
                    re.findall(r"GLIBC_([\d.]+)", symbols)}
        assert not versions or max(versions) <= HIGHEST, versions
    there = {path.name for path in (top / "lib").iterdir()}
    for path in [*(top / "libexec").iterdir(), *(top / "lib").iterdir()]:
        facts = run("readelf", "-dW", path, check=True).stdout
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", facts))
        assert needed <= there, f"{path}: {needed - there} is not in lib/"
        if path.parent.name == "lib":
            assert "RPATH" not in facts and "RUNPATH" not in facts, path
    # The driver and NVRTC are linked with these: the machine's own would not
    # go with the bundle's C library.
    for name in ("libdl.so.2", "libpthread.so.0", "librt.so.1", "libm.so.6",
                 "libstdc++.so.6"):
        assert name in there, name


def check_client(program):
    """What “cured exec” puts before other programs asks for the C library of theirs,
    which may be an older one."""
    for name in ("libcured-exec.so", "libcured-audit.so",
                 "libcured-recorder.so"):
        library = program.parent.parent / "libcured" / "exec" / name
        symbols = run("objdump", "-T", library, check=True).stdout
        versions = {tuple(map(int, v.split("."))) for v in
                    re.findall(r"GLIBC_([\d.]+)", symbols)}
        assert versions and max(versions) <= HIGHEST, f"{name}: {versions}"


def find_jail(root):
    """A command that enters the root, or None where that is forbidden."""
    for jail in (["chroot", str(root)],
                 ["unshare", "--map-root-user", "chroot", str(root)]):
        tool = shutil.which(jail[0], path="/usr/sbin:/usr/bin:/sbin:/bin")
        if tool and run(tool, *jail[1:], "/none").returncode == 127:
            return [tool, *jail[1:]]
    return None


def check_facts(top):
    """Times are predicted by the machine facts that came with it."""
    program = str(top / "bin/cured")
    facts = top / "share/cured/machines/h200.ini"
    said = subprocess.run([program, "devices"], env={"HOME": "/none"},
                          capture_output=True, text=True, check=False)
    assert "model:h200" in said.stdout, said
    facts.rename(facts.with_suffix(".away"))
    said = subprocess.run([program, "devices"], env={"HOME": "/none"},
                          capture_output=True, text=True, check=False)
    assert "model:h200" not in said.stdout, said
    facts.with_suffix(".away").rename(facts)


def check_process(top):
    """The process is the one that was started: its name, its arguments, its
    program, and what a signal does to it."""
    command = [str(top / "bin/cured"), "worker", "--device", "emulator"]
    with subprocess.Popen(command, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, env={}) as process:
        about = pathlib.Path(f"/proc/{process.pid}")
        if about.exists():
            # Popen returns while the kernel still names the process anew.
            limit = time.monotonic() + 60
            while ((about / "comm").read_text() != "cured\n"
                   and time.monotonic() < limit):
                time.sleep(0.01)
            assert (about / "comm").read_text() == "cured\n"
            words = (about / "cmdline").read_bytes().split(b"\0")[:-1]
            assert words == [os.fsencode(word) for word in command], words
            program = os.readlink(about / "exe")
            assert program == str((top / "bin/cured").resolve()), program
        # A worker ignores SIGTERM: who asked for its work is told, and tells it.
        process.send_signal(signal.SIGUSR1)
        assert process.wait() == -signal.SIGUSR1, process.returncode


def check_places(top, folder):
    """It is found by a link, by a relative path, and after a move."""
    link = folder / "linked"
    link.symlink_to(os.path.relpath(top / "bin/cured", folder))
    for command, where in (([link], folder), (["./cured"], top / "bin")):
        done = run(*command, "--version", cwd=where, env={})
        assert done.returncode == 0 and "cured" in done.stdout, done
    moved = folder / "moved there"
    shutil.copytree(top, moved)
    done = run(moved / "bin/cured", "--version", env={})
    assert done.returncode == 0, done
    # What is missing is named.
    (moved / "libexec/cured").unlink()
    done = run(moved / "bin/cured", "--version", env={})
    assert done.returncode == 2 and "libexec/cured" in done.stderr, done
    shutil.rmtree(moved)


def find_nvrtc(program):
    """The files that a machine without a toolkit lacks."""
    match = re.search(r"from (/\S+libnvrtc\S+)", run(program, "devices").stdout)
    if not match:
        return []
    path = pathlib.Path(match[1]).resolve()
    return [path, *path.parent.glob("libnvrtc-builtins.so.*")]


def check_kernels(jail, root, nvrtc):
    """NVRTC finds its builtins where no loader looks, and the worker is a
    process of its own."""
    folder = root / "opt/nvrtc"
    folder.mkdir()
    for path in nvrtc:
        if not path.is_symlink():
            shutil.copy(path, folder / path.name)
    for path in nvrtc:
        if path.is_symlink():
            (folder / path.name).symlink_to(path.resolve().name)
    done = run(*jail, "/opt/cured/bin/cured", "check", "vector/add",
               "matmul/tiled",
               env={"CURED_NVRTC": f"/opt/nvrtc/{nvrtc[0].name}",
                    "HOME": "/tmp"})
    assert done.returncode == 0, done
    done = run(*jail, "/opt/cured/bin/cured", "run", "vector/add", "-p",
               "n=1000", "-p", "threads=32,64", "--device", "emulator",
               "-o", "/opt/made.cured",
               env={"CURED_NVRTC": f"/opt/nvrtc/{nvrtc[0].name}",
                    "HOME": "/tmp"})
    assert done.returncode == 0, done


def check_roots(archive, program, result):
    """The archive in roots of other systems."""
    nvrtc = find_nvrtc(program)
    roots = find_roots()
    if not nvrtc:
        print("NVRTC is missing: no kernel is checked.")
    if not roots:
        print("CURED_ROOTS names no folder with roots of older systems.")
    with tempfile.TemporaryDirectory() as folder:
        empty = make_empty_root(pathlib.Path(folder))
        for root in [empty, *roots]:
            opt = root / "opt"
            opt.mkdir(exist_ok=True)
            (root / "tmp").mkdir(exist_ok=True)
            jail = find_jail(root)
            if not jail:
                print("chroot is not permitted here.")
                return 77
            mine = [opt / name for name in
                    ("cured", "nvrtc", "some.cured", "some.png", "made.cured")]
            try:
                run("tar", "-C", opt, "-xzf", archive, check=True)
                if nvrtc:
                    check_kernels(jail, root, nvrtc)
                if result:
                    check_pictures(jail, opt, result)
            finally:
                for path in mine:
                    if path.is_dir():
                        shutil.rmtree(path)
                    else:
                        path.unlink(missing_ok=True)
            print(f"{root.name}: checked")
    return 0 if nvrtc else 77


def find_roots():
    """The older systems' roots."""
    places = os.environ.get("CURED_ROOTS")
    return [path for path in sorted(pathlib.Path(places).iterdir())
            if (path / "usr/bin").is_dir()] if places else []


def make_empty_root(folder):
    """Without anything that a program could find there."""
    root = folder / "empty"
    for name in ("opt", "tmp", "dev"):
        (root / name).mkdir(parents=True)
    # A worker's descriptors need a file of that name.
    (root / "dev/null").touch()
    return root


def see_window(jail, root, program, title, colour):
    """Starts the program in the root with the recording that lies in its opt/,
    waits for a window of that title and a thousand pixels of that colour, and
    returns what it said."""
    (root / "opt/home").mkdir(exist_ok=True)
    environment = {"HOME": "/opt/home", "PATH": "/usr/bin:/bin",
                   "DISPLAY": os.environ["DISPLAY"]}
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [*jail, program, "/opt/some.cured"], env=environment, stdout=said,
            stderr=said, start_new_session=True)
        try:
            limit = time.monotonic() + 120
            seen = False
            while not seen and time.monotonic() < limit:
                if process.poll() is not None:
                    break
                time.sleep(0.2)
                if not run("xdotool", "search", "--name", title).stdout:
                    continue
                screen = subprocess.run(
                    ["import", "-window", "root", "-depth", "8", "rgb:-"],
                    capture_output=True, check=True).stdout
                seen = screen.count(bytes(colour)) >= 1000
        finally:
            ended = process.poll()
            if ended is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        said.seek(0)
        text = said.read()
    assert seen, f"{root.name}: no map in a window; {ended}: {text}"
    return text


def check_window(file, recording):
    """The one file of the window, in roots of other systems, and what is in it
    where nothing else is."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        empty = make_empty_root(folder)
        roots = find_roots()
        if not roots:
            print("CURED_ROOTS names no folder with roots of older systems.")
        for root in [empty, *roots]:
            jail = find_jail(root)
            if not jail:
                print("chroot is not permitted here.")
                return 77
            opt = root / "opt"
            cache = opt / "home/.cache/cured"
            mine = [opt / name for name in
                    ("cured", "home", "some.cured", "window.run")]
            shutil.copy(recording, opt / "some.cured")
            try:
                if root == empty:
                    # There is no shell to unpack it with.
                    run(file, "--unpack", opt, check=True)
                    check_needs(opt / "cured")
                    program = "/opt/cured/bin/cured-gtk"
                else:
                    shutil.copy(file, opt / "window.run")
                    program = "/opt/window.run"
                # Viridis ends in this yellow; the map has more than one cell of it.
                view = (jail, root, program, "Sum in two launches",
                        (0xfd, 0xe7, 0x25))
                said = see_window(*view)
                for fault in ("Failed to load icon", "CRITICAL", "Settings schema",
                              "ontconfig error"):
                    assert fault not in said, f"{root.name}: {said}"
                if root == empty:
                    # The twin: no drawing is known for one.
                    (opt / "cured/share/mime/mime.cache").unlink()
                    said = see_window(*view)
                    assert "Failed to load icon" in said, said
                else:
                    # It was unpacked once, and is whole.
                    first, = cache.glob("window-*")
                    see_window(*view)
                    assert [first] == list(cache.glob("window-*")), first
            finally:
                for path in mine:
                    if path.is_dir():
                        shutil.rmtree(path)
                    else:
                        path.unlink(missing_ok=True)
            print(f"{root.name}: a map in a window")
    return 0


def check_pictures(jail, opt, result):
    """What was recorded is shown and drawn."""
    def cured(*args):
        return run(*jail, "/opt/cured/bin/cured", *args, env={"HOME": "/tmp"})

    shutil.copy(result, opt / "some.cured")
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


def main():
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    source = pathlib.Path(arguments[0]).resolve()
    program = pathlib.Path(arguments[1]).resolve()
    result = pathlib.Path(arguments[2]) if len(arguments) > 2 else None
    window = "--window" in sys.argv
    if window and "CURED_DISPLAYED" not in os.environ:
        os.environ["CURED_DISPLAYED"] = "yes"
        run_gui = source / "tests" / "gui" / "run-gui"
        os.execv(run_gui, [run_gui, sys.executable, *sys.argv])
    for tool in ["patchelf", "objdump", "readelf",
                 *(["xdotool", "import"] if window else [])]:
        if not shutil.which(tool):
            print(f"{tool} is not installed.")
            return 77
    if not (program.parent / "cured-bundle-start").exists():
        print("No bundle is made on a machine of this kind.")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        out = folder / "out"
        root = folder / "root"
        opt = root / "opt"
        opt.mkdir(parents=True)
        (root / "tmp").mkdir()
        made = run("bash", source / "dev/bundle", *(["--gui"] if window else []),
                   program, out)
        assert made.returncode == 0, made.stdout + made.stderr
        if window:
            file, = out.glob("cured-*-window.run")
            assert file.stat().st_size < 60e6, file.stat()
            return check_window(file, source / "data/results" /
                                "reduce-two-launch-h200.cured")
        archive, = out.glob("cured-*.tar.gz")
        if "--roots" in sys.argv:
            return check_roots(archive, program, result)
        assert archive.stat().st_size < 35e6, archive.stat()
        run("tar", "-C", opt, "-xzf", archive, check=True)
        for name in ("man/man1/cured.1", "man/man5/cured-kernel.5",
                     "man/man7/cured-worker.7", "completions/cured.bash"):
            assert (opt / "cured/share" / name).stat().st_size > 0, name
        check_needs(opt / "cured")
        check_client(program)
        check_process(opt / "cured")
        check_facts(opt / "cured")
        check_places(opt / "cured", folder)
        jail = find_jail(root)
        if not jail:
            print("chroot is not permitted here.")
            return 77

        def cured(*args):
            return run(*jail, "/opt/cured/bin/cured", *args, env={})

        done = cured("--version")
        assert done.returncode == 0 and "cured" in done.stdout, done
        done = cured("kernels")
        assert done.returncode == 0 and "vector/add" in done.stdout, done
        if result:
            check_pictures(jail, opt, result)

        # The twin: the root has no GLib of its own.
        for library in (opt / "cured/lib").glob("libglib-2.0.so*"):
            library.unlink()
        done = cured("--version")
        assert done.returncode != 0 and "libglib" in done.stderr, done
    return 0


if __name__ == "__main__":
    sys.exit(main())
