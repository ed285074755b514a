"""Real processes for tests: Redis, servers and workers, each of which can be killed."""

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

from tests import ROOT

PATIENCE = 60
"""Seconds after which a test gives up waiting for a process; the machine may be busy with others."""


PORTS = itertools.cycle(range(12_000 + os.getpid() * 97 % 16_000, 32_000))
"""Below those that systems give away by themselves; processes of the same tests begin at different ones."""


def free_port() -> int:
    """A port that nobody listens on, and that nobody is given before whoever asked for it listens there."""
    for port in PORTS:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")


def wait_for(done: Callable[[], object]) -> None:
    """Wait until it is true."""
    until = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


class Process:
    """A process of the game, or Redis."""

    def __init__(self, *command: str, **environment: str) -> None:
        """Start it."""
        self._command, self._environment = command, {**os.environ, **environment}
        self.start()

    def start(self) -> None:
        """Start it, or start it again."""
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        """End it in the middle of whatever it does."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Ask it to end, and do not wait for ever."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()

    @property
    def is_dead(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    @property
    def memory(self) -> str:
        """What the kernel says about its memory."""
        return Path(f"/proc/{self._process.pid}/smaps").read_text()


class Queue(Process):
    """A Redis of its own, which keeps nothing on disk."""

    def __init__(self) -> None:
        """Start it and wait until it answers."""
        program = shutil.which("redis-server")
        assert program, "these tests need redis-server: install your system's package of that name"
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        super().__init__(program, "--port", str(self.port), "--save", "", "--bind", "127.0.0.1")
        self.wait()

    def wait(self) -> None:
        """Until it answers."""
        wait_for(self._answers)

    def _answers(self) -> bool:
        try:
            with closing(Redis.from_url(self.url)) as redis:
                return bool(redis.ping())
        except RedisError:
            return False


class Server(Process):
    """`hoppers run`, or another command that serves."""

    def __init__(
        self, environment: Mapping[str, str] | None = None, command: str = "run", **settings: object
    ) -> None:
        """Start it; it answers after `wait`."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        words = sys.executable, "-m", "hoppers", command, "--port", str(self.port)
        super().__init__(*words, **_environment(settings), **(environment or {}))

    def wait(self) -> None:
        """Until it answers: it listens long before."""
        wait_for(self._answers)

    def measured(self, name: str) -> float:
        """One measure of it; 0 if there is none."""
        told = requests.get(f"{self.url}/metrics", timeout=PATIENCE).text.splitlines()
        return next((float(line.split()[-1]) for line in told if line.startswith(name)), 0.0)

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/manifest.webmanifest", timeout=PATIENCE).ok
        except requests.ConnectionError:
            return False


class Worker(Process):
    """`hoppers worker`."""

    def __init__(self, **settings: object) -> None:
        """Start it."""
        self._port = free_port()
        command = sys.executable, "-m", "hoppers", "worker", "--metrics-port", str(self._port)
        super().__init__(*command, **_environment(settings))

    def measured(self, name: str) -> list[int]:
        """The values of one measure, none as long as it does not answer."""
        try:
            lines = requests.get(f"http://127.0.0.1:{self._port}/", timeout=PATIENCE).text.splitlines()
        except requests.ConnectionError:
            return []
        return [int(float(line.split()[-1])) for line in lines if line.startswith((f"{name}{{", f"{name} "))]


def _environment(settings: dict[str, object]) -> dict[str, str]:
    usual = {"WARM_UP": "false", "SEARCH_THREADS": "1"}
    return {f"HOPPERS_{name}": str(value) for name, value in {**usual, **settings}.items()}
