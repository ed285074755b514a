"""Fixtures for all tests: applications, servers on free ports, and real Socket.IO clients."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar, TypeAlias

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache

from hoppers import create_app
from hoppers.puzzles.pegs import bloom_files
from hoppers.runtime import process_tuning
from hoppers.web.servers.dev import listen, local_server
from tests.browser.fixtures import browser, open_tab, page, tab_pool
from tests.fleet.fixtures import fleet, lasting_fleet, player
from tests.project.vulnerability_audit import pytest_sessionstart, pytest_terminal_summary
from tests.socket_client import Listener

__all__ = ["browser", "fleet", "lasting_fleet", "open_tab", "page", "player", "tab_pool"]
__all__ += ["pytest_sessionstart", "pytest_terminal_summary"]

MakeApp: TypeAlias = Callable[..., Flask]
Connect: TypeAlias = Callable[..., Listener]
Serve: TypeAlias = Callable[..., str]

bloom_files.LISTED = 20_000  # the largest ones take ten seconds


def pytest_configure() -> None:
    """Run at the priority of a worker process; on two cores a worker got almost no time otherwise."""
    if hasattr(os, "nice"):
        process_tuning.lower_priority()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow tests first, so that no core is idle at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


class TemplateCache(BytecodeCache):
    """Cache of compiled templates for all applications; compiling takes ten times as long as `create_app`."""

    cached: ClassVar[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the compiled template, if it is cached."""
        if bucket.key + bucket.checksum in self.cached:
            bucket.bytecode_from_string(self.cached[bucket.key + bucket.checksum])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the compiled template."""
        self.cached[bucket.key + bucket.checksum] = bucket.bytecode_to_string()


@contextmanager
def running_app(**config: Any) -> Iterator[Flask]:
    """Yield an application without background compilation that handles errors as in production."""
    app = create_app({"TESTING": True, "WARM_UP": False, "ANSWERS_BYTES": 0, "BESIDE": False, **config})
    app.jinja_env.bytecode_cache = TemplateCache()
    yield app
    app.extensions["searches"].close()


@contextmanager
def serving(app: Flask) -> Iterator[str]:
    """Serve an application on a free port; yield its address."""
    server = local_server(app, listen("127.0.0.1", 0))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def make_app() -> Iterator[MakeApp]:
    """Function that creates applications with a given configuration."""
    with ExitStack() as stack:
        yield lambda **config: stack.enter_context(running_app(**config))


@pytest.fixture
def client(make_app: MakeApp) -> FlaskClient:
    """Flask test client of a new application."""
    return make_app().test_client()


@pytest.fixture
def serve(make_app: MakeApp) -> Iterator[Serve]:
    """Function that starts servers with a given configuration and returns their addresses."""
    with ExitStack() as stack:
        yield lambda **config: stack.enter_context(serving(make_app(**config)))


@pytest.fixture(scope="session")
def live_server() -> Iterator[str]:
    """Address of a server shared by all tests."""
    with running_app(BESIDE=True) as app, serving(app) as url:
        yield url


@pytest.fixture
def connect(live_server: str) -> Iterator[Connect]:
    """Function that connects clients, by default to `live_server`."""
    with ExitStack() as stack:

        def connect_one(url: str = live_server, **options: Any) -> Listener:
            listener = Listener(url, **options)
            stack.callback(listener.leave)
            return listener

        yield connect_one
