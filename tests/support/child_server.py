"""A server as users run it, in a child process, and the memory of a process and its descendants (Linux)."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

ENDING_SECONDS = 10.0


def family(pid: int) -> list[int]:
    """Return the pids of a process and all its descendants."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True)
    parents = [tuple(map(int, row.split())) for row in listed.stdout.splitlines()]
    found = [pid]
    for one in found:  # the list grows during the loop
        found += [child for child, parent in parents if parent == one]
    return found


def memory(pid: int) -> tuple[float, float]:
    """Return the MB of a process and those of all its descendants, each with its share of shared pages."""
    own, *others = map(_proportional_memory, family(pid))
    return own, sum(others)


def _proportional_memory(pid: int) -> float:
    """Return the proportional set size of a process in MB; 0 if it has ended."""
    with suppress(OSError):
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1000
    return 0.0


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
def started(
    *command: str,
    settings: Mapping[str, str] | None = None,
    on_line: Callable[[str], object] = lambda line: None,
    python: str = sys.executable,
) -> Iterator[tuple[tuple[str, int], int]]:
    """Run a server (a module and its arguments) during the block; yield its (host, port) and its pid.

    A server that listens everywhere is reached at 127.0.0.1. `settings`: additions to the environment.
    `python`: interpreter with the program, perhaps of another version.
    `on_line`: called in a thread with each line that the server writes, without the line end.
    """
    with subprocess.Popen(
        [python, "-m", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="backslashreplace",
        env={**os.environ, **(settings or {})},
    ) as process:
        assert process.stdout is not None
        # A server that writes to a full pipe blocks, and it logs every search.
        reader = threading.Thread(target=read_lines, args=(process.stdout, on_line), daemon=True)
        try:
            found = None
            while found is None and (line := process.stdout.readline()):
                on_line(line.rstrip("\n"))
                found = re.search(r"http://([\d.]+|\[::\]):(\d+)", line)
            if found is None:
                raise RuntimeError(f"{' '.join(command)} printed no address")
            reader.start()
            yield (found[1].replace("[::]", "127.0.0.1"), int(found[2])), process.pid
        finally:
            end(process)
            if reader.is_alive():
                reader.join(ENDING_SECONDS)  # before its pipe is closed


def read_lines(pipe: IO[str], on_line: Callable[[str], object]) -> None:
    """Read a pipe to its end, or until it is closed here: a surviving child may hold the other end."""
    with suppress(ValueError):
        for line in pipe:
            on_line(line.rstrip("\n"))


def end(process: subprocess.Popen[Any]) -> None:
    """Send SIGTERM; kill the process if it does not end within `ENDING_SECONDS`."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
