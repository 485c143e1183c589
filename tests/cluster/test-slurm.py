#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A sweep on a real Slurm of two nodes, which this test starts and stops.

usage: test-slurm.py CURED FAKE-WORKER KERNEL PAGE [TEST…]

Needs root and the programs of Slurm and munge; skipped without. All that Slurm
writes is in a folder of its own, and it speaks with 127.0.0.1 alone.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

CURED, WORKER, KERNEL, PAGE = map(os.path.abspath, sys.argv[1:5])
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
LIMIT_S = 120

CLONE_NEWNS = 0x20000
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None, use_errno=True)

n_tests = 0
n_failed = 0
has_mounts = False


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def skip(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


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


def die_with_parent():
    """Has daemons go away even where this test is killed."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def have_own_mounts():
    """What is mounted from here on goes away with this process and its children."""
    return libc.unshare(CLONE_NEWNS) == 0 and (
        run("mount", "--make-rprivate", "/", check=False).returncode == 0
    )


class Slurm:
    """Two nodes on this machine; the second has mounts of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.host = socket.gethostname().split(".")[0]
        self.daemons = {}
        self.mounts = set()
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

    def spawn(self, name, program, *arguments, prepare=die_with_parent):
        with open(os.path.join(self.folder, name + ".out"), "ab") as log:
            self.daemons[name] = subprocess.Popen(
                [find(program), *arguments], stdout=log, stderr=log,
                preexec_fn=prepare,
            )

    def start_node(self, node):
        def prepare():
            die_with_parent()
            if node == "n2":
                libc.unshare(CLONE_NEWNS)

        self.spawn(node, "slurmd", "-D", "-N", node, prepare=prepare)
        self.mounts.add(read_mounts(self.daemons[node].pid))

    def kill_n2(self):
        """All that runs on the node, at once: nobody is left to tell of it."""

        def is_step(pid):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                    return file.read().startswith("slurmstepd")
            return False

        node = list_members({read_mounts(self.daemons["n2"].pid)})
        assert any(map(is_step, node)), node
        for pid in sorted(node, key=is_step, reverse=True):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.daemons["n2"].wait()

    def run_on_n2(self, *command):
        mounts = f"--mount=/proc/{self.daemons['n2'].pid}/ns/mnt"
        return run("nsenter", mounts, *command)

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
                daemon.wait(10)
            daemon.kill()
            daemon.wait()
        # Step managers outlive their daemons, and overwrite their environment.
        pids = [pid for pid, _ in list_processes(b"SLURM_CONF", self.folder.encode())]
        if has_mounts:
            pids += list_members(self.mounts)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for("the end of all", lambda: not has_mounts or not list_members(self.mounts))


def list_processes(variable, value):
    """Processes whose environment says so, but for this one, and their programs."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/environ", "rb") as file:
                words = dict(
                    word.split(b"=", 1) for word in file.read().split(b"\0") if b"=" in word
                )
            if words.get(variable, b"").startswith(value):
                found.append((int(name), words))
    return found


def read_mounts(pid):
    return os.readlink(f"/proc/{pid}/ns/mnt")


def list_members(mounts):
    """Processes that have these mounts, but for this one."""
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and int(name) != os.getpid() and read_mounts(name) in mounts:
                found.append(int(name))
    return found


def list_task(job, task):
    """Processes of a task."""
    return [
        pid
        for pid, words in list_processes(b"SLURM_ARRAY_JOB_ID", job.encode())
        if words.get(b"SLURM_ARRAY_TASK_ID") == str(task).encode()
    ]


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
    """Waits for a submission. Slurm starts a requeued task two minutes later: it is
    told not to."""
    end = time.monotonic() + LIMIT_S
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, _ = process.communicate(timeout=0.3)
                return process.returncode, out
            if time.monotonic() > end:
                raise AssertionError("the submission does not end:\n" + squeue())
            for line in squeue().splitlines():
                task, state, reason = line.split(None, 2)
                if state == "PENDING" and reason != "(Resources)":
                    run("scontrol", "update", f"JobId={task}", "StartTime=now",
                        check=False)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def squeue():
    return run("squeue", "-h", "-r", "-o", "%F_%K %T %r", check=False).stdout


def running_tasks():
    done = run("squeue", "-h", "-r", "-t", "R", "-o", "%A %K", check=False)
    return [line.split() for line in done.stdout.splitlines()]


def job_ids():
    done = run("squeue", "-h", "-r", "-o", "%F_%K", check=False)
    return done.stdout.split()


def wait_for_no_jobs():
    wait_for("an empty queue", lambda: not job_ids())


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
    """Two tasks are killed in the middle, with all that they started, and requeued:
    nothing is missing, and nothing is said to have crashed."""
    out = os.path.join(folder, "requeue.cured")
    process = submit(out, cell_ms=600)
    wait_for("cells of two shards", lambda: all(cells(shard(out, i)) for i in (0, 1)))
    job = job_ids()[0].split("_")[0]
    victims = list_task(job, 0) + list_task(job, 1)
    assert len(victims) >= 4, victims
    for task in (0, 1):
        run("scancel", "--signal=KILL", "--full", f"{job}_{task}")
    wait_for("their end", lambda: not list_task(job, 0) + list_task(job, 1))
    before = [cells(shard(out, i)) for i in (0, 1)]
    for found in before:
        assert 0 < len(found) < 8, found
        assert set(found.values()) == {1}, found
    for task in (0, 1):
        wait_for("a task's end", lambda task=task: f"{job}_{task}" not in job_ids())
        run("scontrol", "requeue", f"{job}_{task}")
    code, text = finish(process)
    for task, found in enumerate(before):
        assert set(found) <= set(cells(shard(out, task)))
        shown = run("scontrol", "show", "job", "-o", f"{job}_{task}").stdout
        assert "Restarts=1 " in shown, shown
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
    # Workers were sent the signal, too.
    assert set(cells(out).values()) == {1}, cells(out)
    code, text = finish(submit(out, "--force", cell_ms=5))
    assert code == 0, text
    assert_whole(out)


def test_node(slurm, folder):
    """A node goes away with its tasks, and comes back."""
    out = os.path.join(folder, "node.cured")
    process = submit(out, cell_ms=400)
    wait_for("four tasks", lambda: len(running_tasks()) == 4)
    wait_for("a cell of a shard", lambda: bool(cells(shard(out, 0))))
    slurm.kill_n2()
    run("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=test")
    slurm.start_node("n2")
    run("scontrol", "update", "NodeName=n2", "State=RESUME", check=False)
    wait_for("two nodes", lambda: slurm.count_nodes("down") == 0)
    code, text = finish(process)
    assert code == 0, text
    assert_whole(out)


def test_full_disk(slurm, folder):
    """The disk of one node is full: what fits is kept, and the other node's cells
    are merged."""
    out = os.path.join(folder, "disk.cured")
    shards = out + ".shards"
    small = os.path.join(folder, "small")
    os.makedirs(shards)
    slurm.run_on_n2("mount", "-t", "tmpfs", "-o", "size=128k", "cured-test", shards)
    try:
        code, text = finish(submit(out, cell_ms=5))
        assert code == 75, (code, text)
        slurm.run_on_n2("cp", "-a", shards, small)
    finally:
        slurm.run_on_n2("umount", "-l", shards)
    words = ""
    for name in sorted(os.listdir(small)):
        if name.endswith(".log"):
            with open(os.path.join(small, name), encoding="utf-8") as log:
                words += log.read()
    assert "full" in words or "No space" in words, words
    n_there = len(cells(out))
    assert 0 < n_there < 32, n_there
    for name in os.listdir(small):
        path = os.path.join(small, name)
        if name.endswith(".cured") and os.path.getsize(path) > 0:
            assert not os.path.exists(os.path.join(shards, name)), name
            shutil.copy(path, shards)
    code, text = finish(submit(out, "--force", cell_ms=5))
    assert code == 0, text
    assert_whole(out)


def test_page(slurm, folder):
    """The commands of docs/cluster.md, as they stand there but for the archive and
    for the GPU."""
    home = os.path.join(folder, "home")
    os.makedirs(os.path.join(home, "bin"))
    os.symlink(CURED, os.path.join(home, "bin", "cured"))
    with open(PAGE, encoding="utf-8") as file:
        block = file.read().split("```sh\n", 1)[1].split("```", 1)[0]
    commands = block.splitlines()
    assert len(commands) == 5, commands
    assert commands[0].startswith("tar "), commands[0]
    environment = dict(
        os.environ,
        PATH=os.path.join(home, "bin") + ":" + os.environ["PATH"],
        CURED_WORKER=WORKER,
        CURED_FAKE="ms=1",
    )
    for command in commands[1:]:
        # The tail of the cells is left out: a thousand of them say no more.
        if " submit " in command:
            command += " --sbatch=--gpus=0 --device fake:0 -p n=64 --samples 3..5"
        done = subprocess.run(
            ["sh", "-c", command], cwd=home, env=environment, timeout=LIMIT_S,
            capture_output=True, text=True, check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        if "--dry-run" in command:
            assert "#SBATCH --array=0-15" in done.stdout, done.stdout
            assert not os.path.exists(os.path.join(home, "tiles.cured.shards"))
        if " show " in command:
            assert " ok" in done.stdout and "not run" not in done.stdout, done.stdout
    with open(os.path.join(home, "tiles.png"), "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


def main():
    global n_tests, n_failed, has_mounts
    if os.geteuid() != 0:
        skip("needs root")
    missing = [program for program in PROGRAMS if find(program) is None]
    if missing:
        skip("not installed: " + ", ".join(missing))
    tests = [
        test_array, test_page, test_requeue, test_term, test_cancel, test_node,
        test_full_disk,
    ]
    chosen = sys.argv[5:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    has_mounts = have_own_mounts()
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
            if test in (test_node, test_full_disk) and not has_mounts:
                print(f"ok {n_tests} /slurm/{test.__name__[5:]}"
                      " # SKIP a node can't have mounts of its own here")
                continue
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
                wait_for_no_jobs()
        print(f"1..{n_tests}")
    finally:
        slurm.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if n_failed else 0


sys.exit(main())
