"""Child processes for benchmarks, and their use of processor and memory (Linux)."""

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

ENDING_SECONDS = 10.0
TICKS = os.sysconf("SC_CLK_TCK")


class Use(NamedTuple):
    """Resources that processes use: processor seconds, peak MB, current MB and threads."""

    cpu: float
    memory: float
    now: float
    threads: int


def used(pid: int) -> Use:
    """Return the resources used by a process and all its descendants; shared memory is counted once."""
    found = [(use, one) for one in _family(str(pid)) if (use := _used_alone(one)) is not None]
    uses = sorted(found, key=lambda use: -use[0].memory)
    first, rest = uses[0][0], uses[1:]
    private = sum(_private(one) for _, one in rest)
    return Use(
        first.cpu + sum(use.cpu for use, _ in rest),
        first.memory + private,
        first.now + private,
        first.threads + sum(use.threads for use, _ in rest),
    )


def shares(pid: int) -> list[str]:
    """Return, as text, the private memory and the peak of a process and each of its descendants."""
    texts = []
    for one in _family(str(pid)):
        use = _used_alone(one)
        if use is not None:
            texts.append(f"{_name(one)} {_private(one):.0f} MB private (peak {use.memory:.0f} with shared)")
    return texts


def _name(pid: str) -> str:
    """Return, as text, the module that a Python process runs and its pid; only the pid if it has ended."""
    with suppress(OSError):
        words = Path("/proc", pid, "cmdline").read_text().split("\0")
        return f"{' '.join(words[2:4])} [{pid}]"
    return pid


def stolen() -> tuple[float, float]:
    """Return the seconds since boot, of all cores together: stolen by other virtual machines, and all."""
    first = Path("/proc/stat").read_text().splitlines()[0].split()
    ticks = [int(word) for word in first[1:9]]
    return ticks[7] / TICKS, sum(ticks) / TICKS


@contextmanager
def high_priority(nice: int = -10) -> Iterator[bool]:
    """Raise the priority of this thread if the system allows it; yield whether it does.

    For simulated clients: real ones run on other machines, so waiting for a core here must not count.
    """
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    except PermissionError:
        yield False
        return
    try:
        yield True
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)


def _family(pid: str) -> list[str]:
    """Return the pids of a process and all its descendants."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True)
    parents = [tuple(row.split()) for row in listed.stdout.splitlines()]
    found = [pid]
    for one in found:  # the list grows during the loop
        found += [child for child, parent in parents if parent == one]
    return found


def _private(pid: str) -> float:
    """Return the private megabytes of a process; 0 if it has ended."""
    with suppress(OSError):
        rows = Path("/proc", pid, "smaps_rollup").read_text().splitlines()
        return sum(int(row.split()[1]) for row in rows if row.startswith("Private_")) / 1000
    return 0.0


def _used_alone(pid: str) -> Use | None:
    """Return the resources used by one process; None if it has ended."""
    try:
        status = Path("/proc", pid, "status").read_text().splitlines()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in status)
    if "VmHWM" not in fields:  # a zombie
        return None
    times = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    most, now = (int(fields[name].split()[0]) / 1000 for name in ("VmHWM", "VmRSS"))
    return Use((int(times[11]) + int(times[12])) / TICKS, most, now, int(fields["Threads"]))


def wait_until_warm(address: tuple[str, int]) -> None:
    """Wait up to some five minutes until the server is ready; compiling kernels may take one or two."""
    for _ in range(600):
        connection = http.client.HTTPConnection(*address, timeout=60)
        connection.request("GET", "/readyz")
        if connection.getresponse().status == 200:
            return
        time.sleep(0.5)
    raise RuntimeError("the server is still not ready")


@contextmanager
def started(*command: str, **settings: str) -> Iterator[tuple[tuple[str, int], int]]:
    """Run a server (a module and its arguments) during the block; yield its (host, port) and its pid."""
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | settings,
    ) as process:
        assert process.stdout is not None
        # A server that writes to a full pipe blocks, and it logs every search.
        reader = threading.Thread(target=_drain, args=(process.stdout,), daemon=True)
        try:
            found = None
            while found is None and (line := process.stdout.readline()):
                found = re.search(r"http://([\d.]+):(\d+)", line)
            if found is None:
                raise RuntimeError(f"{' '.join(command)} printed no address")
            reader.start()
            yield (found[1], int(found[2])), process.pid
        finally:
            _end(process)
            if reader.is_alive():
                reader.join(ENDING_SECONDS)  # before its pipe is closed


def _drain(pipe: IO[str]) -> None:
    """Read a pipe to its end, or until it is closed here: a surviving child may hold the other end."""
    with suppress(ValueError):
        deque(pipe, 0)


@contextmanager
def running_command(*command: str, **settings: str) -> Iterator[None]:
    """Run a command during the block and discard its output; `settings`: environment variables."""
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=silent, stderr=silent, env=os.environ | settings)
    try:
        yield
    finally:
        _end(process)


def _end(process: subprocess.Popen[Any]) -> None:
    """Send SIGTERM; kill the process if it does not end within `ENDING_SECONDS`."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    """Run searches in `count` processes during the block, to load the cores as the project's server would."""
    command = [sys.executable, "-m", "hoppers", "solve", "triangle-21", "--method", "deepening", "--all"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.terminate()
            process.wait()


@contextmanager
def redis_server() -> Iterator[str]:
    """Run a Redis that stores nothing on disk; yield its address."""
    program = shutil.which("redis-server")
    if program is None:
        raise RuntimeError("redis-server is needed: install your system's package of that name")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with running_command(program, "--port", str(port), "--save", "", "--bind", "127.0.0.1"):
        yield f"redis://127.0.0.1:{port}/0"
