"""Fixtures: applications, servers on free ports, and real Socket.IO clients."""

import atexit
import gc
import os
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, TypeAlias

import gevent
import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache
from playwright.sync_api import Browser, Page

from hoppers import create_app
from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.model import Source
from hoppers.puzzles.pegs import source
from hoppers.tablebase.engine import Engine
from hoppers.web.servers.event_loop import EventLoop
from hoppers.web.servers.http_server import LIMITS, HttpServer, Limits, listen, listen_unix
from hoppers.web.settings import Settings, read_settings
from tests.browser.fixtures import browser, open_tab, page, tab_pool
from tests.browser.tabs import opened
from tests.fleet.fixtures import fleet, player, shared_fleet
from tests.support.earlier_atlas import unproved_problems
from tests.support.socket_client import Listener

__all__ = [
    "browser",
    "fleet",
    "open_tab",
    "page",
    "player",
    "shared_fleet",
    "tab_pool",
    "unproved_problems",
]

MakeApp: TypeAlias = Callable[..., Flask]
Connect: TypeAlias = Callable[..., Listener]
Serve: TypeAlias = Callable[..., str]

source.LIMITS = source.LIMITS._replace(at_once_seconds=2.0, saved_seconds=2.0)  # parallel tests slow builds


def pytest_configure() -> None:
    """Run the tests at the lowest priority, which searches in threads have then, too; else they would starve.

    Machine code stays in the usual cache folder, even while a test sets another one. Garbage is collected
    rarely: at Python's own threshold it takes a twentieth of a test's time.
    """
    gc.set_threshold(50_000, 10, 10)
    if hasattr(os, "nice"):
        os.nice(19)
    assert MACHINE_CODE.folder.is_dir()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow tests first, so that no core waits for the last test.

    The first process gets most of them. While it waits for servers and their ends, the others compute.
    """
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


class CompiledTemplates(BytecodeCache):
    """Cache of compiled templates: compiling them takes ten times as long as creating an application."""

    cached: ClassVar[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template, if there is one."""
        if bucket.key + bucket.checksum in self.cached:
            bucket.bytecode_from_string(self.cached[bucket.key + bucket.checksum])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template."""
        self.cached[bucket.key + bucket.checksum] = bucket.bytecode_to_string()


@contextmanager
def running_app(**config: Any) -> Iterator[Flask]:
    """Provide an application that compiles kernels on demand and handles errors as in production."""
    changes = {"WARM_UP": False, "ANSWERS_BYTES": 0, **config}
    app = create_app(read_settings(os.environ, changes))
    app.testing = True
    app.jinja_env.bytecode_cache = CompiledTemplates()
    yield app
    end = app.extensions["ending"].close  # frees the memory of engine and searches
    atexit.unregister(end)
    end()


@contextmanager
def serving(app: Flask, at: str | Path = "127.0.0.1", limits: Limits = LIMITS) -> Iterator[str]:
    """Serve an application, whole or of a few routes, on a free port of an address; yield its URL.

    `at`: the address; or the path of a Unix domain socket, which has no URL.
    """
    if "connections" not in app.extensions:
        app.extensions.update(settings=Settings(), loop=EventLoop(), connections=SimpleNamespace(close=bool))
    listening = listen_unix(at) if isinstance(at, Path) else listen(at, 0)
    loop, host = app.extensions["loop"], f"[{at}]" if ":" in str(at) else at
    url = "" if isinstance(at, Path) else f"http://{host}:{listening.getsockname()[1]}"
    servers: queue.Queue[HttpServer] = queue.Queue()

    def run() -> None:
        server = HttpServer(app, listening, limits)
        servers.put(server)
        server.serve_until_stopped()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    server = servers.get()
    yield url
    loop.post(gevent.spawn, server.stop)
    thread.join()


@pytest.fixture
def make_app() -> Iterator[MakeApp]:
    """Provide a function that creates an application with the given configuration."""
    with ExitStack() as stack:
        yield lambda **config: stack.enter_context(running_app(**config))


@pytest.fixture(scope="session")
def shared_app() -> Iterator[Flask]:
    """Application for tests that leave it unchanged: creating one takes longer than most requests."""
    with running_app() as app:
        yield app


@pytest.fixture
def client(shared_app: Flask) -> FlaskClient:
    """Provide a Flask test client of the shared application."""
    return shared_app.test_client()


@pytest.fixture
def new_client(make_app: MakeApp) -> FlaskClient:
    """Provide a Flask test client of a new application."""
    return make_app().test_client()


@pytest.fixture
def serve(make_app: MakeApp) -> Iterator[Serve]:
    """Provide a function that starts a server with the given limits and configuration and returns its URL."""
    with ExitStack() as stack:

        def start(limits: Limits = LIMITS, **config: Any) -> str:
            return stack.enter_context(serving(make_app(**config), limits=limits))

        yield start


@pytest.fixture(scope="session")
def live_server() -> Iterator[str]:
    """Provide the URL of the server that tests share."""
    with running_app() as app, serving(app) as url:
        yield url


@pytest.fixture
def unproved_page(browser: Browser, unproved_problems: None) -> Iterator[Page]:
    """Provide a tab at a server whose atlas has solutions that are not proved shortest."""
    with running_app() as app, serving(app) as url, opened(browser, url) as page:
        app.extensions["engine"].builds_large = False  # large tables take seconds and are not shown
        yield page


@pytest.fixture
def connect(live_server: str) -> Iterator[Connect]:
    """Provide a function that connects a client, by default to the shared server."""
    with ExitStack() as stack:

        def connect_one(url: str = live_server, **options: Any) -> Listener:
            listener = Listener(url, **options)
            stack.callback(listener.leave)
            return listener

        yield connect_one


@pytest.fixture
def no_numpy_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small boards wait for their kernels, as large ones do."""
    monkeypatch.setattr(Engine, "uncompiled_source", lambda engine, puzzle, goal: Source())
