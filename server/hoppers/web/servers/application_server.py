"""Run the HTTP server of an application: open files, garbage collection, start and end."""

import logging
import signal
import socket
import sys
import time
from collections.abc import Callable

import gevent
from flask import Flask

from hoppers.jobs.kernel_warmup import Warmup
from hoppers.runtime import process_tuning
from hoppers.web.servers.http_server import LIMITS, HttpServer

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)

QUIET_SECONDS = 60.0  # between two full collections while load is low


def server_of(app: Flask, listening: socket.socket) -> HttpServer:
    """Return an HTTP server of `app`, which has to run in the current thread."""
    by_address = float("inf") if app.config["PROXIES"] else LIMITS.per_address  # a proxy is one address
    parts = app.extensions
    server = HttpServer(listening, app, parts["loop"], parts["connections"].close, by_address)
    server.max_body = app.config["MAX_CONTENT_LENGTH"]
    return server


def serve_until_signal(app: Flask, listening: socket.socket) -> None:
    """Serve until SIGTERM or Ctrl-C; then end all connections within some two seconds."""
    server = server_of(app, listening)
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, server.stop)
    server.serve_until_stopped()


def raise_file_limit() -> None:
    """Raise this process's limit of open files to what the server may need, as far as the system allows.

    Each connection takes one file; a WebSocket takes no second file. A thousand more are for tables, pipes,
    databases and listening sockets.
    """
    wanted = LIMITS.connections + 1_000
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < wanted:
        log.warning("the system allows %d open files; %d may be needed", allowed, wanted)


def collect_garbage_in_background(warmup: Warmup, is_busy: Callable[[], bool]) -> None:
    """Wait for this process's warm-up, exempt all objects from collection; then collect while load is low.

    Both stop every thread. The exemption therefore comes as soon as the warm-up of this process ends, and no
    full collection runs under high load. Never returns, so it needs a separate thread.
    """
    while not warmup.can_answer(""):
        time.sleep(0.1)
    process_tuning.freeze_loaded_objects()
    while True:
        time.sleep(QUIET_SECONDS)
        if not is_busy():
            process_tuning.collect_garbage()
