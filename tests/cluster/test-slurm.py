#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A sweep on a real Slurm of two nodes, which this test starts and stops.

usage: test-slurm.py CURED FAKE-WORKER KERNEL

Needs root and the programs of Slurm and munge; skipped without. All that Slurm
writes is in a folder of its own, and it speaks with 127.0.0.1 alone.
"""

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

CURED, WORKER, KERNEL = sys.argv[1:4]
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
LIMIT_S = 240

n_tests = 0
n_failed = 0


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def skip(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(77)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition):
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not happen")
        time.sleep(0.1)


def run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Slurm:
    """Two nodes on this machine."""

    def __init__(self, folder):
        self.folder = folder
        self.host = socket.gethostname().split(".")[0]
        self.daemons = {}
        self.socket = os.path.join(folder, "munge", "socket")

    def start(self):
        munge = os.path.join(self.folder, "munge")
        os.makedirs(munge, mode=0o755)
        key = os.path.join(munge, "key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(1024))
        self.spawn(
            "munge", "munged", "--foreground", "--force",
            "--key-file", key, "--socket", self.socket,
            "--pid-file", os.path.join(munge, "pid"),
            "--log-file", os.path.join(munge, "log"),
            "--seed-file", os.path.join(munge, "seed"),
        )
        wait_for("munged", lambda: os.path.exists(self.socket))
        conf = os.path.join(self.folder, "slurm.conf")
        lines = [
            "ClusterName=test",
            f"SlurmctldHost={self.host}(127.0.0.1)",
            "AuthType=auth/munge",
            f"AuthInfo=socket={self.socket}",
            "SlurmUser=root",
            f"SlurmctldPort={free_port()}",
            f"StateSaveLocation={self.folder}/state",
            f"SlurmdSpoolDir={self.folder}/spool/%n",
            f"SlurmctldPidFile={self.folder}/ctld.pid",
            f"SlurmdPidFile={self.folder}/slurmd-%n.pid",
            f"SlurmctldLogFile={self.folder}/ctld.log",
            f"SlurmdLogFile={self.folder}/slurmd-%n.log",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "SwitchType=switch/none",
            "SchedulerType=sched/backfill",
            "SchedulerParameters=requeue_setup_env_fail",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core",
            "MpiDefault=none",
            "ReturnToService=2",
            "SlurmdTimeout=10",
            "InactiveLimit=0",
            "KillWait=5",
            "BatchStartTimeout=60",
            "MessageTimeout=10",
        ]
        for node in ("n1", "n2"):
            lines.append(
                f"NodeName={node} NodeHostname={self.host} "
                f"NodeAddr=127.0.0.1 Port={free_port()} CPUs=2"
            )
        lines.append(
            "PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
        )
        with open(conf, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        for name in ("state", "spool/n1", "spool/n2"):
            os.makedirs(os.path.join(self.folder, name))
        os.environ["SLURM_CONF"] = conf
        self.spawn("ctld", "slurmctld", "-D")
        for node in ("n1", "n2"):
            self.start_node(node)
        wait_for("two idle nodes", lambda: self.count_nodes("idle") == 2)

    def spawn(self, name, program, *arguments):
        with open(os.path.join(self.folder, name + ".out"), "ab") as log:
            self.daemons[name] = subprocess.Popen(
                [find(program), *arguments], stdout=log, stderr=log
            )

    def start_node(self, node):
        self.spawn(node, "slurmd", "-D", "-N", node)

    def count_nodes(self, state):
        done = run("sinfo", "-h", "-N", "-o", "%T", check=False)
        return done.stdout.split().count(state)

    def stop(self):
        run("scancel", "-u", "root", check=False)
        for name in ("n1", "n2", "ctld", "munge"):
            daemon = self.daemons.get(name)
            if daemon is not None:
                daemon.terminate()
        for daemon in self.daemons.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(20)
            daemon.kill()


def cells(path):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            return dict(db.execute("SELECT cell, state FROM cell"))
    except sqlite3.Error:
        return {}


def shard(out, task):
    return os.path.join(out + ".shards", f"{task}.cured")


def submit(out, *more, cell_ms=60, wait=True, sweep="1,2,4,8", tasks=4):
    command = [
        CURED, "submit", KERNEL, "-p", f"tile={sweep}", "-p", "blocks=1..8",
        "--device", "fake:0", "--worker", WORKER, "--limit", "60",
        "--samples", "3..5", "--array", str(tasks), "-o", out,
        "--sbatch=--ntasks=1", *more,
    ]
    if wait:
        command.append("--wait")
    os.environ["CURED_FAKE"] = f"ms={cell_ms}"
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finish(process):
    out, _ = process.communicate(timeout=LIMIT_S)
    return process.returncode, out


def running_tasks():
    done = run("squeue", "-h", "-r", "-t", "R", "-o", "%A %K", check=False)
    return [line.split() for line in done.stdout.splitlines()]


def job_ids():
    done = run("squeue", "-h", "-r", "-o", "%F_%K", check=False)
    return done.stdout.split()


def assert_whole(path, n_cells=32):
    found = cells(path)
    assert len(found) == n_cells, f"{len(found)} of {n_cells} cells"
    assert set(found.values()) == {1}, found


def test_array(slurm, folder):
    out = os.path.join(folder, "array.cured")
    code, text = finish(submit(out, cell_ms=5))
    assert code == 0, text
    assert_whole(out)
    done = run(CURED, "show", out)
    assert "32 ok" in done.stdout, done.stdout


def test_requeue(slurm, folder):
    """One task is requeued, another one's processes are killed."""
    out = os.path.join(folder, "requeue.cured")
    process = submit(out, cell_ms=1500)
    wait_for("cells of two shards", lambda: all(cells(shard(out, i)) for i in (0, 1)))
    before = cells(shard(out, 0))
    job = job_ids()[0].split("_")[0]
    run("scontrol", "requeue", f"{job}_0")
    run("scancel", "--signal=KILL", "--full", f"{job}_1", check=False)
    wait_for("task 1 to end", lambda: f"{job}_1" not in job_ids())
    code, text = finish(process)
    assert set(before) <= set(cells(shard(out, 0)))
    if code == 75:
        assert "Submit the same again" in text, text
        code, text = finish(submit(out, "--force", cell_ms=5))
    assert code == 0, text
    assert_whole(out)


def test_term(slurm, folder):
    """What Slurm sends before the time limit: the task asks to be requeued."""
    out = os.path.join(folder, "term.cured")
    process = submit(out, cell_ms=300)
    wait_for("a cell of a shard", lambda: bool(cells(shard(out, 0))))
    job = job_ids()[0].split("_")[0]
    run("scancel", "--signal=TERM", "--batch", f"{job}_0")
    code, text = finish(process)
    assert code == 0, text
    assert_whole(out)
    with open(os.path.join(out + ".shards", "0.log"), encoding="utf-8") as log:
        assert "Stopped" in log.read()


def test_cancel(slurm, folder):
    out = os.path.join(folder, "cancel.cured")
    process = submit(out, cell_ms=400)
    wait_for("a cell of a shard", lambda: bool(cells(shard(out, 0))))
    run("scancel", job_ids()[0].split("_")[0])
    code, text = finish(process)
    assert code == 75, (code, text)
    n_there = len(cells(out))
    assert 0 < n_there < 32, n_there
    code, text = finish(submit(out, "--force", cell_ms=5))
    assert code == 0, text
    assert_whole(out)


def test_node(slurm, folder):
    """A node goes away with its tasks, and comes back."""
    out = os.path.join(folder, "node.cured")
    process = submit(out, cell_ms=400)
    wait_for("four tasks", lambda: len(running_tasks()) == 4)
    wait_for("a cell of a shard", lambda: bool(cells(shard(out, 0))))
    slurm.daemons["n2"].kill()
    slurm.daemons["n2"].wait()
    for steps in run("pgrep", "-f", "slurmstepd: .*", check=False).stdout.split():
        with open(f"/proc/{steps}/environ", "rb") as file:
            text = file.read()
            if b"SLURMD_NODENAME=n2" in text and slurm.folder.encode() in text:
                os.kill(int(steps), signal.SIGKILL)
    run("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=test")
    slurm.start_node("n2")
    run("scontrol", "update", "NodeName=n2", "State=RESUME", check=False)
    code, text = finish(process)
    if code == 75:
        code, text = finish(submit(out, "--force", cell_ms=5))
    assert code == 0, text
    assert_whole(out)


def test_full_disk(slurm, folder):
    """Files of one submission may not grow: what fits is kept and continued."""
    out = os.path.join(folder, "disk.cured")
    disk = out + ".shards"
    os.makedirs(disk)
    run("mount", "-t", "tmpfs", "-o", "size=300k", "cured-test", disk)
    try:
        code, text = finish(submit(out, cell_ms=5))
        assert code != 0, text
        words = ""
        for i in range(4):
            with contextlib.suppress(OSError):
                with open(os.path.join(disk, f"{i}.log"), encoding="utf-8") as log:
                    words += log.read()
        run("mount", "-o", "remount,size=64m", disk)
        code, text = finish(submit(out, "--force", cell_ms=5))
        assert code == 0, text
        assert_whole(out)
    finally:
        run("umount", "-l", disk, check=False)


def main():
    global n_tests, n_failed
    if os.geteuid() != 0:
        skip("needs root")
    missing = [program for program in PROGRAMS if find(program) is None]
    if missing:
        skip("not installed: " + ", ".join(missing))
    tests = [test_array, test_requeue, test_term, test_cancel, test_node, test_full_disk]
    chosen = sys.argv[4:]
    folder = tempfile.mkdtemp(prefix="cured-slurm-")
    os.chmod(folder, 0o755)
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    slurm = Slurm(folder)
    try:
        slurm.start()
        for test in tests:
            if chosen and test.__name__[5:] not in chosen:
                continue
            n_tests += 1
            began = time.monotonic()
            try:
                test(slurm, folder)
                print(f"ok {n_tests} /slurm/{test.__name__[5:]}"
                      f" # {time.monotonic() - began:.1f} s", flush=True)
            except Exception as problem:
                n_failed += 1
                for line in str(problem).splitlines():
                    print("#", line)
                print(f"not ok {n_tests} /slurm/{test.__name__[5:]}", flush=True)
                run("scancel", "-u", "root", check=False)
        print(f"1..{n_tests}")
    finally:
        slurm.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if n_failed else 0


sys.exit(main())
