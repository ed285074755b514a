"""Any bytes get an answer of their own class; nothing in the log comes from them unescaped."""

import logging
import os
import random
import re
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from hypothesis import HealthCheck, given, seed, settings

from hoppers.runtime.logging_config import TextLines
from tests.conftest import running_app, serving
from tests.support import wild_requests
from tests.web.raw_http import connected, received

SEED = int(os.environ.get("REQUESTS_SEED") or random.SystemRandom().randrange(1 << 32))
"""Seed of the requests. Failing tests print it; set REQUESTS_SEED to repeat them."""
REQUESTS = 300
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
HOST = "localhost"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """URL of a server without limits on requests."""
    with running_app(API_RATE="1000000 per second") as app, serving(app) as url:
        yield url


def statuses(sent: bytes, url: str) -> list[int]:
    """Send bytes and no more, and return the statuses of all answers."""
    with closing(connected(url)) as connection:
        connection.sendall(sent)
        with suppress(OSError):  # the server may have answered and gone already
            connection.shutdown(socket.SHUT_WR)
        return [int(status) for status in STATUS.findall(received(connection))]


def test_no_bytes_cause_a_server_error(address: str, caplog: pytest.LogCaptureFixture) -> None:
    print(f"REQUESTS_SEED={SEED}")
    caplog.set_level(logging.INFO)
    seen: Counter[int] = Counter()

    @seed(SEED)
    @settings(
        max_examples=REQUESTS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(wild_requests.requests(HOST))
    def check(request: bytes) -> None:
        found = statuses(request, address)
        assert found and all(status < 500 or status == 503 for status in found), (request, found)
        assert not [record for record in caplog.records if record.exc_info], request
        seen.update(found)

    check()
    assert {200, 400, 404} <= set(seen)
    lines = [TextLines().format(record) for record in caplog.records]
    assert lines and all(line.isprintable() for line in lines)
    assert statuses(b"GET /healthz HTTP/1.0\r\n\r\n", address) == [200]
