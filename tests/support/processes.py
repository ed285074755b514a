"""Real processes for tests: Redis, servers and workers. Each can be killed and started again."""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path

import requests
from redis import Redis
from redis.exceptions import RedisError

from hoppers.jobs.kernel_warmup import Warmup
from tests import ROOT

TIMEOUT_SECONDS = 60  # seconds to wait for a process; the machine may be busy

PORTS = itertools.cycle(range(12_000 + os.getpid() * 97 % 16_000, 32_000))
"""Ports below the ephemeral range; parallel test processes begin at different ports."""


def free_port() -> int:
    """Return an unused port that the system will not assign to another process (see PORTS)."""
    for port in PORTS:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")


def wait_for(done: Callable[[], object]) -> None:
    """Wait until `done()` is true; fail after TIMEOUT_SECONDS."""
    until = time.monotonic() + TIMEOUT_SECONDS
    while not done():
        assert time.monotonic() < until, "timed out"
        time.sleep(0.02)


def finish_warmup(warmup: Warmup) -> None:
    """Run a warm-up, unless it has run, and wait until all puzzles are ready."""
    if not warmup.is_ready(""):
        warmup.start()
        wait_for(lambda: warmup.is_ready(""))


class Process:
    """A child process that can be killed and started again."""

    def __init__(self, *command: str, **environment: str) -> None:
        """Start `command` with additions to the environment."""
        self._command, self._environment = command, {**os.environ, **environment}
        self.start()

    def start(self) -> None:
        """Start the process, the first time or again."""
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the process and wait until it has ended."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Send SIGTERM, and kill the process if it does not end in time."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    @property
    def is_dead(self) -> bool:
        """Return whether the process has ended."""
        return self._process.poll() is not None

    @property
    def memory(self) -> str:
        """Content of the process's /proc/…/smaps."""
        return Path(f"/proc/{self._process.pid}/smaps").read_text()


class Queue(Process):
    """A Redis server with the packaged settings; `url` is for the fleet's user, `admin_url` for tests."""

    def __init__(self) -> None:
        """Start Redis on a free port and wait until it responds."""
        program = shutil.which("redis-server")
        assert program, "these tests need redis-server: install your system's package of that name"
        self.port = free_port()
        self.url = f"redis://hoppers:change-this-password@127.0.0.1:{self.port}/0"
        self.reader_url = f"redis://reader:change-this-one-too@127.0.0.1:{self.port}/0"
        self.admin_url = f"redis://admin:secret@127.0.0.1:{self.port}/0"
        settings = str(ROOT / "packaging" / "redis.conf")
        admin = "--user", "admin", "on", ">secret", "~*", "&*", "+@all"
        super().__init__(program, settings, "--port", str(self.port), *admin)
        self.wait()

    def wait(self) -> None:
        """Wait until Redis responds."""
        wait_for(self._answers)

    def _answers(self) -> bool:
        try:
            with closing(Redis.from_url(self.admin_url)) as redis:
                return bool(redis.ping())
        except RedisError:
            return False


class Server(Process):
    """A server: `hoppers run`, or another command."""

    def __init__(
        self, environment: Mapping[str, str] | None = None, command: str = "run", **settings: object
    ) -> None:
        """Start the server on a free port. `settings`: HOPPERS_… variables. Call `wait` before a request."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        words = sys.executable, "-m", "hoppers", command, "--port", str(self.port)
        super().__init__(*words, **_environment(settings), **(environment or {}))

    def wait(self) -> None:
        """Wait until the server responds; it accepts connections long before."""
        wait_for(self._answers)

    def measured(self, name: str) -> float:
        """Return the value of the first metric whose line starts with `name`, or 0 if there is none."""
        lines = requests.get(f"{self.url}/metrics", timeout=TIMEOUT_SECONDS).text.splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(name)), 0.0)

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/manifest.webmanifest", timeout=TIMEOUT_SECONDS).ok
        except requests.ConnectionError:
            return False


class Worker(Process):
    """A fleet worker: `hoppers worker`."""

    def __init__(self, **settings: object) -> None:
        """Start the worker with its metrics on a free port."""
        self._port = free_port()
        command = sys.executable, "-m", "hoppers", "worker", "--metrics-port", str(self._port)
        super().__init__(*command, **_environment(settings))

    def wait(self) -> None:
        """Wait until the worker responds; on a busy machine, it takes searches long after its start."""
        wait_for(lambda: self.measured("hoppers_searches"))

    def measured(self, name: str) -> list[int]:
        """Return the values of a metric, one per label; an empty list while the worker does not respond."""
        try:
            lines = requests.get(f"http://127.0.0.1:{self._port}/", timeout=TIMEOUT_SECONDS).text.splitlines()
        except requests.ConnectionError:
            return []
        return [int(float(line.split()[-1])) for line in lines if line.startswith((f"{name}{{", f"{name} "))]


def _environment(settings: dict[str, object]) -> dict[str, str]:
    defaults = {"WARM_UP": "false", "SEARCH_THREADS": "1"}
    return {f"HOPPERS_{name}": str(value) for name, value in {**defaults, **settings}.items()}
