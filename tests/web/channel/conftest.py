"""Fixtures: applications behind the limits of their connections."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeApp, running_app, serving
from tests.web.channel.guarded import Guarded, Poller


@pytest.fixture
def serve_guarded(make_app: MakeApp) -> Iterator[Callable[..., Guarded]]:
    with ExitStack() as stack:

        def start(**config: Any) -> Guarded:
            app = make_app(**config)
            return Guarded(app, stack.enter_context(serving(app)))

        yield start


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    """Server for all tests whose clients stay within its limits."""
    with running_app() as app, serving(app) as url:
        yield Guarded(app, url)


@pytest.fixture
def poll() -> Iterator[Callable[..., Poller]]:
    """Function that opens a connection by long polling, which ends with the test."""
    with ExitStack() as stack:

        def start(guarded: Guarded, **options: Any) -> Poller:
            poller = Poller(guarded.url, **options)
            stack.callback(poller.leave)
            return poller

        yield start
