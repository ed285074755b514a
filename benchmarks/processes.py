"""Servers of our own as processes, and what they use (Linux)."""

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
    """What a process and its children have used: seconds of processor, MB at most, MB and threads now."""

    cpu: float
    memory: float
    now: float
    threads: int


def used(pid: int) -> Use:
    """What a process and all that came of it have used so far; what they share is counted once."""
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
    """What each of them has of its own now, and has had at most with all that it shares, in words."""
    told = []
    for one in _family(str(pid)):
        use = _used_alone(one)
        if use is not None:
            told.append(
                f"{_name(one)} {_private(one):.0f} of its own ({use.memory:.0f} at most, all counted)"
            )
    return told


def _name(pid: str) -> str:
    """The module that a process runs, and its number."""
    with suppress(OSError):
        words = Path("/proc", pid, "cmdline").read_text().split("\0")
        return f"{' '.join(words[2:4])} [{pid}]"
    return pid


def stolen() -> tuple[float, float]:
    """Seconds of all cores since the start: those that were taken away for other machines, and all."""
    first = Path("/proc/stat").read_text().splitlines()[0].split()
    ticks = [int(word) for word in first[1:9]]
    return ticks[7] / TICKS, sum(ticks) / TICKS


@contextmanager
def ahead(nice: int = -10) -> Iterator[bool]:
    """Let this thread go before all others, where the system allows it; whether it does.

    For who stands for people at other machines: what they wait for a core here is no fault of the server.
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
    """A process, its children, their children, and so on."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True)
    parents = [tuple(row.split()) for row in listed.stdout.splitlines()]
    found = [pid]
    for one in found:  # which grows on the way
        found += [child for child, parent in parents if parent == one]
    return found


def _private(pid: str) -> float:
    """Megabytes that nobody else has; none where the process has ended meanwhile."""
    with suppress(OSError):
        rows = Path("/proc", pid, "smaps_rollup").read_text().splitlines()
        return sum(int(row.split()[1]) for row in rows if row.startswith("Private_")) / 1000
    return 0.0


def _used_alone(pid: str) -> Use | None:
    """What one process uses; None if it has ended."""
    try:
        status = Path("/proc", pid, "status").read_text().splitlines()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in status)
    if "VmHWM" not in fields:  # it has ended, and nobody has asked how
        return None
    times = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    most, now = (int(fields[name].split()[0]) / 1000 for name in ("VmHWM", "VmRSS"))
    return Use((int(times[11]) + int(times[12])) / TICKS, most, now, int(fields["Threads"]))


def wait_until_warm(address: tuple[str, int]) -> None:
    """Wait until all of the server's kernels have run, which compiling may delay by a minute or two."""
    for _ in range(600):
        connection = http.client.HTTPConnection(*address, timeout=60)
        connection.request("GET", "/readyz")
        if connection.getresponse().status == 200:
            return
        time.sleep(0.5)
    raise RuntimeError("the server is still not ready")


@contextmanager
def started(*command: str, **settings: str) -> Iterator[tuple[tuple[str, int], int]]:
    """A server (a module and its arguments) until the end of the block: its address and its process."""
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | settings,
    ) as process:
        assert process.stdout is not None
        # Whoever writes into a full pipe waits for ever, and a server logs every search.
        listening = threading.Thread(target=_listen, args=(process.stdout,), daemon=True)
        try:
            found = None
            while found is None and (line := process.stdout.readline()):
                found = re.search(r"http://([\d.]+):(\d+)", line)
            if found is None:
                raise RuntimeError(f"{' '.join(command)} printed no address")
            listening.start()
            yield (found[1], int(found[2])), process.pid
        finally:
            _end(process)
            if listening.is_alive():
                listening.join(ENDING_SECONDS)  # before its pipe is closed


def _listen(pipe: IO[str]) -> None:
    """Read to the end, or until it is closed here: a child that lives on may hold the other end."""
    with suppress(ValueError):
        deque(pipe, 0)


@contextmanager
def kept_running(*command: str, **settings: str) -> Iterator[None]:
    """Any process until the end of the block; what it prints is not read."""
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=silent, stderr=silent, env=os.environ | settings)
    try:
        yield
    finally:
        _end(process)


def _end(process: subprocess.Popen[Any]) -> None:
    """Ask it to end; one that is too busy to is killed."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    """Searches beside the echo on as many cores as our server would use, in processes of their own."""
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
    """A Redis of its own that keeps nothing on disk; its address."""
    program = shutil.which("redis-server")
    if program is None:
        raise RuntimeError("redis-server is needed: install your system's package of that name")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with kept_running(program, "--port", str(port), "--save", "", "--bind", "127.0.0.1"):
        yield f"redis://127.0.0.1:{port}/0"
