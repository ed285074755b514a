"""Start and end of the HTTP server of an application."""

import signal
import socket

import gevent
from flask import Flask

from hoppers.web.servers.http_server import MAX_PER_ADDRESS, HttpServer


def server_of(app: Flask, listening: socket.socket) -> HttpServer:
    """Return an HTTP server of `app`, which has to run in the current thread."""
    by_address = float("inf") if app.config["PROXIES"] else MAX_PER_ADDRESS  # a proxy is one address
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
