"""The server for play on this machine, with readers who leave."""

import gc
import socket
import struct
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing

import pytest
from flask import Flask, Response
from werkzeug.wsgi import ClosingIterator

from hoppers.jobs.kernel_warmup import Warmup
from hoppers.web.servers.dev import listen
from hoppers.web.servers.gunicorn import collect_unless, spare_collector
from tests.conftest import serving

RESET = struct.pack("ii", 1, 0)
"""The socket option by which closing resets the connection."""


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def test_an_answer_is_closed_though_its_reader_resets_the_connection() -> None:
    left, closed = threading.Event(), threading.Event()
    app = Flask(__name__)

    def body() -> Iterator[bytes]:
        yield b"whole"
        left.wait(60)

    @app.get("/")
    def page() -> Response:
        return Response(ClosingIterator(body(), closed.set), headers={"Content-Length": "5"})

    with (
        serving(app) as url,
        closing(socket.create_connection(("127.0.0.1", int(url.split(":")[-1])))) as reader,
    ):
        reader.sendall(b"GET / HTTP/1.0\r\n\r\n")
        received = b""
        while not received.endswith(b"whole"):
            received += reader.recv(1000)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        reader.close()
        left.set()
        assert closed.wait(60)


def test_a_taken_port_is_an_error_of_the_system() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", taken.getsockname()[1])


def test_once_all_is_warm_the_collector_is_spared() -> None:
    before, usual = gc.get_freeze_count(), gc.get_threshold()
    try:
        spare_collector(Warmup([]))
        assert gc.get_freeze_count() > before
        young, some, most = gc.get_threshold()
        assert young * some * most >= 10 * 700 * 10 * 10  # new objects before all others are looked at
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


def test_garbage_goes_while_few_play() -> None:
    class Table:
        def __init__(self) -> None:
            self.itself = self

    gc.disable()
    try:
        gone = weakref.ref(Table())
        collect_unless(lambda: True)
        assert gone() is not None  # nobody has to wait for it in a crowd
        collect_unless(lambda: False)
        assert gone() is None
    finally:
        gc.enable()
