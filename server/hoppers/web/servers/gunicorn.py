"""The server for the open internet: gunicorn, one process, a thread for every client and some for pages.

There is one worker process, for the searches and what they know are shared by all threads of it; the process
that starts it anew if it should die loads nothing but this.
"""

from __future__ import annotations

import logging
import resource
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger
from gunicorn.workers.gthread import ThreadWorker

from hoppers.runtime import logging_config, process_tuning
from hoppers.web.servers.bad_request import LONGEST_LINE, MOST_HEADERS, refusal_of, send
from hoppers.web.settings import SPARE, settings

if TYPE_CHECKING:
    from flask import Flask

    from hoppers.jobs.kernel_warmup import Warmup

log = logging.getLogger(__name__)

PAGE_THREADS = 32
"""Threads that are left for pages and the API when every connection is taken."""
KEPT_SECONDS = 30
"""For which a connection is kept between two requests. It costs no thread, and a new one much of a hint."""
STOPPING_SECONDS = 5
"""After which a stop no longer waits for answers that are being given."""
STARVED_SECONDS = 120
"""Without a sign of life after which the worker is replaced; compiling may hold it up for some."""
SIGN_SECONDS = 1.0
"""Between two signs of life; Gunicorn gives one with every request, which costs a sixth of it."""


CALM_SECONDS = 60.0
"""Between two full collections while few play."""


class QuietLog(Logger):  # type: ignore[misc]
    """Gunicorn's log without a line for each request: even unread, they cost as much as a hint."""

    def access(self, resp: object, req: object, environ: object, request_time: object) -> None:
        """Say nothing."""


class Worker(ThreadWorker):  # type: ignore[misc]
    """Gunicorn's worker with threads, which sends the channel's clients away when it has to stop.

    Each of them keeps a thread busy that would otherwise never end.
    """

    _sign_at = 0.0

    def notify(self) -> None:
        """Give a sign of life, if the last one is old enough."""
        if time.monotonic() >= self._sign_at:
            self._sign_at = time.monotonic() + SIGN_SECONDS
            super().notify()

    def handle_error(self, req: object, client: socket.socket, addr: Any, exc: BaseException) -> None:
        """Answer what is no request, or what nobody foresaw, in the shape of all our errors."""
        refusal = refusal_of(exc)
        if refusal.code == "internal":
            self.log.error("a request failed", exc_info=exc)
        else:
            self.log.warning("Invalid request from ip=%s: %s", (addr or ("",))[0], exc)
        with suppress(OSError):
            send(refusal, client)

    def handle_exit(self, sig: int, frame: object) -> None:
        """Begin to stop."""
        super().handle_exit(sig, frame)
        self._send_away()

    def handle_quit(self, sig: int, frame: object) -> None:
        """Ctrl-C: stop in the same way, for the process cannot end before its threads do."""
        self.handle_exit(sig, frame)

    def is_parent_alive(self) -> bool:
        """Whether the process beside this one is alive, without which the worker stops as well."""
        alive: bool = super().is_parent_alive()
        if not alive:
            self._send_away()
        return alive

    def _send_away(self) -> None:
        gate = self.app.wsgi().extensions["gate"]
        threading.Thread(target=gate.close, daemon=True).start()  # it may wait, which a signal must not


class Hosting(BaseApplication):  # type: ignore[misc]
    """Gunicorn with our settings; it reads no file, no command line and no environment of its own."""

    def __init__(self, options: dict[str, Any]) -> None:
        """Nothing listens before `run`."""
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        """Hand the settings over."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """The application, made in the worker: threads do not survive a fork."""
        from hoppers.web.app import (
            build,  # here, for the process that watches over the worker needs none of it
        )

        process_tuning.shorten_switch_interval()
        process_tuning.limit_arenas()
        app = build({})
        if app.config["WARM_UP"]:
            engines = app.extensions["warmup"], app.extensions["gate"].is_crowded
            threading.Thread(target=look_after_memory, args=engines, daemon=True).start()
        return app


def look_after_memory(warmup: Warmup, is_crowded: Callable[[], bool]) -> None:
    """Collect garbage where it holds up nobody, as long as the process lives."""
    spare_collector(warmup)
    while True:
        time.sleep(CALM_SECONDS)
        collect_unless(is_crowded)


def collect_unless(is_crowded: Callable[[], bool]) -> None:
    """Free what has gone in cycles, tables of boards among it, unless many would have to wait for it."""
    if not is_crowded():
        process_tuning.collect_garbage()


def spare_collector(warmup: Warmup) -> None:
    """Once everything is loaded, let the collector never look at it again, and seldom at all that came since.

    It would hold up every thread for a tenth of a second each time. What loading took is given back.
    """
    while not warmup.is_ready(""):
        time.sleep(SIGN_SECONDS)
    process_tuning.freeze_loaded_objects()


def fewest_threads() -> int:
    """One for every connection that may exist, and some for pages."""
    connections: int = settings({})["CONNECTIONS"]
    return connections + SPARE + PAGE_THREADS


def options(host: str, port: int, threads: int, log_format: str) -> dict[str, Any]:
    """Gunicorn's settings."""
    shown = f"[{host}]" if ":" in host else host
    return {
        "bind": f"{shown}:{port}",
        "workers": 1,
        "worker_class": "hoppers.web.servers.gunicorn.Worker",
        "threads": threads,
        "worker_connections": 2 * threads,  # some are only kept alive between two requests
        "keepalive": KEPT_SECONDS,
        "timeout": STARVED_SECONDS,
        "graceful_timeout": STOPPING_SECONDS,
        "control_socket_disable": True,
        "limit_request_line": LONGEST_LINE,
        "limit_request_field_size": LONGEST_LINE,
        "limit_request_fields": MOST_HEADERS,
        "accesslog": None,
        "logger_class": QuietLog,
        "loglevel": "info",
        "logconfig_dict": logging_config.configuration(log_format),
    }


def allow_open_files(wanted: int) -> None:
    """Raise this process's own limit of open files, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if most < wanted:
        log.warning("the system allows %d open files; %d may be needed", most, wanted)


def serve(host: str, port: int, threads: int, log_format: str) -> None:
    """Serve until SIGTERM or Ctrl-C; then answer what was asked, send all clients away, and return."""
    allow_open_files(2 * threads + PAGE_THREADS)
    Hosting(options(host, port, threads, log_format)).run()
