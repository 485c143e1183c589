#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Devices behind `ssh`: real servers on 127.0.0.1, which this test starts and stops.

usage: test-ssh.py CURED FAKE-WORKER KERNEL [TEST…]

Needs OpenSSH's server and client; skipped without. Keys, the servers' settings and
the homes are in a folder of its own: nobody else's are read or changed.
"""

import contextlib
import ctypes
import getpass
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

CURED, WORKER, KERNEL = map(os.path.abspath, sys.argv[1:4])
PROGRAMS = ("sshd", "ssh", "ssh-keygen")
SEPARATION = "/run/sshd"  # what sshd asks for where it is root
LIMIT_S = 120
PR_SET_PDEATHSIG = 1
OK = 1  # the number of the state in a file

libc = ctypes.CDLL(None, use_errno=True)


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition):
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not happen")
        time.sleep(0.02)


def write(path, text, mode=0o644):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w",
              encoding="utf-8") as file:
        file.write(text)


def list_processes(is_wanted):
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            if name.isdigit() and is_wanted(name):
                found.append(int(name))
    return found


def read_parent(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        state, parent = file.read().rsplit(")", 1)[1].split()[:2]
    return int(parent) if state != "Z" else 0


class Host:
    """A server, with a home and a search path of its own."""

    def __init__(self, folder, name):
        self.name = name
        self.port = free_port()
        self.home = os.path.join(folder, name)
        self.bin = os.path.join(self.home, "bin")
        self.server = None
        os.makedirs(self.bin)
        # Not those of the user who runs the test.
        environment = [
            f"HOME={self.home}",
            f"PATH={self.bin}:/usr/bin:/bin",
            f"CURED_TEST_HOST={self.home}",
            f"CURED_NVRTC={os.environ.get('CURED_NVRTC', '')}",
        ]
        self.conf = os.path.join(self.home, "sshd.conf")
        write(self.conf, "\n".join([
            f"Port {self.port}",
            "ListenAddress 127.0.0.1",
            f"HostKey {folder}/host-key",
            f"AuthorizedKeysFile {folder}/key.pub",
            "PidFile none",
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password",
            "SetEnv " + " ".join(environment),
        ]) + "\n")

    def start(self):
        with open(os.path.join(self.home, "sshd.log"), "ab") as log:
            self.server = subprocess.Popen(
                [find("sshd"), "-D", "-e", "-f", self.conf], stderr=log,
                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
            )

        def answers():
            assert self.server.poll() is None, self.read_log()
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        wait_for("a server", answers)

    def read_log(self):
        with open(os.path.join(self.home, "sshd.log"), encoding="utf-8") as log:
            return log.read()

    def list_connections(self):
        return list_processes(lambda pid: read_parent(pid) == self.server.pid)

    def list_workers(self):
        def is_ours(pid):
            with open(f"/proc/{pid}/environ", "rb") as file:
                return f"CURED_TEST_HOST={self.home}".encode() in file.read().split(b"\0")

        return list_processes(is_ours)

    def signal_connections(self, number):
        pids = self.list_connections()
        assert pids, f"nobody is connected to {self.name}"
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self):
        """The machine goes away, with all that it ran."""
        if self.server is None:
            return
        pids = self.list_connections()
        self.server.kill()
        self.server.wait()
        for pid in pids + self.list_workers():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.server = None


class Network:
    """`near` and `far` have a Cured whose worker is the tests' fake device; `real`
    has the real one, and `bare` has none."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("host-key", "key"):
            run(find("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f",
                os.path.join(folder, name))
        self.hosts = {
            name: Host(folder, name) for name in ("near", "far", "real", "bare")
        }
        for name in ("near", "far"):
            write(
                os.path.join(self.hosts[name].bin, "cured"),
                f'#!/bin/sh\n[ "$1" != worker ] || exec "{WORKER}" "$@"\n'
                f'exec "{CURED}" "$@"\n',
                0o755,
            )
        os.symlink(CURED, os.path.join(self.hosts["real"].bin, "cured"))
        with open(os.path.join(folder, "host-key.pub"), encoding="utf-8") as file:
            key = " ".join(file.read().split()[:2])
        known = os.path.join(folder, "known-hosts")
        write(known, "".join(
            f"[127.0.0.1]:{host.port} {key}\n" for host in self.hosts.values()
        ))
        self.conf = os.path.join(folder, "ssh.conf")
        lines = [
            "Host *",
            "  HostName 127.0.0.1",
            f"  User {getpass.getuser()}",
            f"  IdentityFile {folder}/key",
            "  IdentitiesOnly yes",
            f"  UserKnownHostsFile {known}",
            "  GlobalKnownHostsFile /dev/null",
            "  BatchMode yes",
        ]
        for host in self.hosts.values():
            lines += [f"Host {host.name}", f"  Port {host.port}"]
        write(self.conf, "\n".join(lines) + "\n")

    def __getattr__(self, name):
        return self.hosts[name]

    def launcher(self, name, *options):
        """As it stands in docs/cluster.md, but for where ssh finds its settings."""
        return " ".join(["ssh", "-F", self.conf, *options, name])

    def path(self, name):
        return os.path.join(self.folder, name)


def run(*command, **settings):
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_S, check=False,
        **settings,
    )
    return done.returncode, done.stdout + done.stderr


def succeed(*command, **settings):
    code, text = run(*command, **settings)
    assert code == 0, f"{' '.join(command)}: {code}\n{text}"
    return text


def launchers(*words):
    return [part for word in words for part in ("--launcher", word)]


def start_sweep(out, *more):
    """16 cells of a third of a second."""
    return subprocess.Popen(
        [
            CURED, "run", KERNEL, "-p", "tile=1,2,4,8", "-p", "blocks=1..4",
            "--device", "fake:0", "--rounds", "1", "--samples", "3..5", "-o", out,
            *more,
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )


def finish(process):
    try:
        out, _ = process.communicate(timeout=LIMIT_S)
        return process.returncode, out
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def cells(path):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            return dict(db.execute("SELECT cell, state FROM cell"))
    except sqlite3.Error:
        return {}


def slowly(net, name, *options):
    return net.launcher(name, *options) + " env CURED_FAKE=ms=330"


def assert_whole(path):
    found = cells(path)
    assert len(found) == 16 and set(found.values()) == {OK}, found


def test_devices(net):
    def list_ids(*words):
        text = succeed(CURED, "devices", "--json", *launchers(*words))
        return [(device["id"], device["usable"]) for device in json.loads(text)]

    here = list_ids()
    assert ("emulator", True) in here, here
    port = f"ssh -F {net.conf} -p {net.real.port} 127.0.0.1"
    for launcher in (net.launcher("real"), port):
        there = list_ids(launcher)
        assert there == here, (there, here)


def test_run(net):
    """Two launchers share the cells, and count what is counted here."""
    sweep = [
        CURED, "run", "matmul/tiled", "-p", "n=32", "-p", "tile=2,4,8,16",
        "--device", "emulator", "-o",
    ]
    there, here = net.path("there.cured"), net.path("here.cured")
    text = succeed(*sweep, there, "-v", *launchers(*[net.launcher("real")] * 2))
    assert "4 ok" in text and "of 2 devices went:" in text, text
    succeed(*sweep, here)
    text = succeed(CURED, "compare", "--metric", "instructions", here, there)
    assert "4 of 4" in text or "same" in text, text


def test_check(net):
    for kernel in ("vector/add", "specimens/past-end"):
        text = succeed(
            CURED, "check", kernel, "--device", "emulator",
            *launchers(net.launcher("real")),
        )
        assert "as their files say" in text, text


def test_missing(net):
    """What can't be reached, and where there is no Cured, is said."""
    out = net.path("missing.cured")
    sweep = ["run", "vector/add", "-p", "n=9", "--device", "emulator", "-o", out]
    closed = f"ssh -F {net.conf} -p {free_port()} 127.0.0.1"
    for words in (["devices"], ["check", "vector/add"], sweep):
        code, text = run(CURED, *words, *launchers(net.launcher("bare")))
        assert code == 2 and "--push" in text, (code, text)
        code, text = run(CURED, *words, *launchers(closed))
        assert code == 2 and "Connection refused" in text, (code, text)
    assert not os.path.exists(out)


def test_push(net):
    """The program goes to a host that has none: once, and again where it is another
    one."""
    launcher = launchers(net.launcher("bare"))
    pushed = os.path.join(net.bare.home, ".cache", "cured", "pushed")
    no_tar = net.path("no-tar")
    os.makedirs(no_tar)
    write(os.path.join(no_tar, "tar"), "#!/bin/sh\nexit 9\n", 0o755)
    unpacked = dict(os.environ, PATH=no_tar + ":" + os.environ["PATH"])

    def devices(program, **settings):
        return succeed(program, "devices", *launcher, "--push", **settings)

    assert run(CURED, "devices", *launcher, "--push", env=unpacked)[0] == 2
    assert os.listdir(pushed) == [], "something is left of a copy that failed"
    assert "emulator" in devices(CURED)
    first = os.listdir(pushed)
    assert len(first) == 1, first
    assert "emulator" in devices(CURED, env=unpacked)
    text = succeed(
        CURED, "run", "vector/add", "-p", "n=100", "-p", "blocks=1..4", "--device",
        "emulator", "-o", net.path("pushed.cured"), *launcher, *launcher, "--push",
        env=unpacked,
    )
    assert "4 ok" in text, text
    succeed(CURED, "check", "vector/add", "--device", "emulator", *launcher, "--push",
            env=unpacked)
    assert os.listdir(pushed) == first

    # Another program of the same name, and no longer one that ran already.
    other = net.path("other")
    os.makedirs(other)
    program = shutil.copy(CURED, os.path.join(other, "cured"))
    with open(program, "ab") as file:
        file.write(b"\0")
    devices(program)
    assert len(os.listdir(pushed)) == 2, os.listdir(pushed)


def test_lost(net):
    """A connection breaks in the middle of a cell: another one is made, and no cell
    is said to have crashed. What ran there ends."""
    out = net.path("lost.cured")
    process = start_sweep(out, *launchers(slowly(net, "near"), slowly(net, "far")))
    wait_for("a cell", lambda: len(cells(out)) >= 2)
    before = set(net.far.list_workers())
    net.far.signal_connections(signal.SIGKILL)
    wait_for("its end", lambda: not before & set(net.far.list_workers()))
    code, text = finish(process)
    assert code == 0, (code, text)
    assert_whole(out)


def test_silent(net):
    """A connection over which nothing comes any more is one that ssh gives up, where
    it was told when."""
    out = net.path("silent.cured")
    alive = ("-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=1")
    process = start_sweep(out, *launchers(slowly(net, "near", *alive)))
    wait_for("a cell", lambda: len(cells(out)) >= 2)
    stopped = net.near.list_connections()
    net.near.signal_connections(signal.SIGSTOP)
    code, text = finish(process)
    for pid in stopped:
        os.kill(pid, signal.SIGKILL)
    assert code == 0, (code, text)
    assert_whole(out)


def test_crash(net):
    """A kernel that kills its process does it again, and has crashed."""
    out = net.path("crash.cured")
    code, text = finish(start_sweep(
        out, *launchers(net.launcher("near") + " env CURED_FAKE=segv=3")
    ))
    assert code == 1, (code, text)
    found = cells(out)
    assert len(found) == 16, found
    assert list(found.values()).count(OK) == 12, found
    assert "4 crashed" in text, text


def test_gone(net):
    """A host goes away for good: the other one does the rest. With no other one, the
    run says so, and goes on once the host is back."""
    out = net.path("gone.cured")
    process = start_sweep(out, *launchers(slowly(net, "near"), slowly(net, "far")))
    wait_for("a cell", lambda: len(cells(out)) >= 2)
    net.far.stop()
    code, text = finish(process)
    assert code == 0, (code, text)
    assert "Connection refused" in text, text
    assert_whole(out)

    out = net.path("alone.cured")
    process = start_sweep(out, *launchers(slowly(net, "near")))
    wait_for("a cell", lambda: len(cells(out)) >= 2)
    net.near.stop()
    code, text = finish(process)
    assert code == 2 and "Connection refused" in text, (code, text)
    there = cells(out)
    assert 2 <= len(there) < 16 and set(there.values()) == {OK}, there
    net.near.start()
    net.far.start()
    code, text = finish(start_sweep(
        out, "--resume", *launchers(net.launcher("near"), net.launcher("far"))
    ))
    assert code == 0, (code, text)
    assert_whole(out)


def test_stop(net):
    """Ctrl+C ends what runs there, too."""
    out = net.path("stop.cured")
    process = start_sweep(out, *launchers(slowly(net, "near"), slowly(net, "far")))
    wait_for("a cell", lambda: len(cells(out)) >= 2)
    process.send_signal(signal.SIGINT)
    code, text = finish(process)
    assert code == 130, (code, text)
    for host in (net.near, net.far):
        wait_for("its end", lambda host=host: not host.list_workers())
    assert set(cells(out).values()) == {OK}, cells(out)


TESTS = (
    test_devices, test_run, test_check, test_missing, test_push, test_lost,
    test_silent, test_crash, test_gone, test_stop,
)


def main():
    missing = [program for program in PROGRAMS if find(program) is None]
    is_own = False
    n_failed = 0
    if missing:
        print("1..0 # SKIP not installed: " + ", ".join(missing))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ.pop("CURED_WORKER", None)
    folder = tempfile.mkdtemp(prefix="cured-ssh-")
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    net = Network(folder)
    try:
        if os.geteuid() == 0 and not os.path.exists(SEPARATION):
            os.mkdir(SEPARATION)
            is_own = True
        for host in net.hosts.values():
            host.start()
        chosen = [test for test in TESTS if test.__name__[5:] in sys.argv[4:]] or TESTS
        for number, test in enumerate(chosen, 1):
            began = time.monotonic()
            words = f"{number} /ssh/{test.__name__[5:]}"
            try:
                test(net)
                print(f"ok {words} # {time.monotonic() - began:.1f} s", flush=True)
            except Exception as problem:
                n_failed += 1
                for line in str(problem).splitlines():
                    print("#", line)
                print(f"not ok {words}", flush=True)
        print(f"1..{len(chosen)}")
    finally:
        for host in net.hosts.values():
            host.stop()
        if is_own:
            os.rmdir(SEPARATION)
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if n_failed else 0


sys.exit(main())
