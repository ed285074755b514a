"""Clients of every address are served the same, whatever carries their connection.

The attack: an address that one layer knows in another form than the next shuts its clients out, or frees them
of every limit.
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import requests

from tests.conftest import MakeApp, serving
from tests.support.network_proxy import Proxy
from tests.support.socket_client import Listener
from tests.web.channel.guarded import Guarded, Poller

TRANSPORTS = ["polling", "websocket", None]
"""None: the default of the Python client, which polls first and then takes a WebSocket."""
FORWARDED = [
    "192.0.2.1",
    "2001:db8::7",
    "::ffff:192.0.2.1",
    "198.51.100.8:4001",
    "[2001:db8::7]:443",
    "unknown",
]
KINDS = ["127.0.0.1", "::1", "unix socket"]


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, make_app: MakeApp, tmp_path: Path) -> Iterator[str]:
    """Address of a server on one kind of socket."""
    with ExitStack() as stack:
        path = tmp_path / "socket"
        found = stack.enter_context(
            serving(make_app(), path if request.param == "unix socket" else request.param)
        )
        if not found:
            proxy = Proxy(path)
            stack.callback(proxy.end)
            found = proxy.url
        yield found


def search(url: str, transport: str | None, headers: dict[str, str] | None = None) -> str:
    """Search over a new connection; return the name of the last event."""
    client = Listener(url, transport, headers=headers)
    try:
        assert client.search("a", "hoppers", "oooooo.oooooo") == {"ok": True}
        return client.receive_to_end()[-1][0]
    finally:
        client.leave()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_search_ends_over_every_kind_of_socket(url: str, transport: str | None) -> None:
    assert search(url, transport) == "solved"


@pytest.mark.parametrize("address", FORWARDED)
def test_a_search_ends_for_every_form_of_a_forwarded_address(make_app: MakeApp, address: str) -> None:
    with serving(make_app(PROXIES=1)) as url:
        for transport in TRANSPORTS:
            assert search(url, transport, {"X-Forwarded-For": address}) == "solved"


def test_a_client_whose_address_changes_goes_on_polling(make_app: MakeApp) -> None:
    """Gateways of mobile networks give two requests of one client two addresses."""
    app = make_app(PROXIES=1)
    with serving(app) as url, closing(Moving(url)) as poller:
        assert poller.post('420["stop",{"ticket":"a"}]').text == "OK"
        assert "There is no search with the ticket 'a'" in poller.get().text


class Moving(Poller):
    """A poller with another address in each request."""

    def __init__(self, url: str) -> None:
        self._number = 0
        super().__init__(url)

    def close(self) -> None:
        self.leave()

    @property
    def _headers(self) -> dict[str, str]:
        self._number += 1
        return {"X-Forwarded-For": f"192.0.2.{self._number}"}

    @_headers.setter
    def _headers(self, headers: dict[str, str]) -> None:
        assert not headers


@pytest.mark.parametrize(
    ("form", "limited"), [("198.51.100.8:{}", 4), ("[2001:db8::{}]:1", 4), ("_{}", 4), ("192.0.2.{}", 0)]
)
def test_no_form_of_an_address_frees_from_limits(make_app: MakeApp, form: str, limited: int) -> None:
    """Ports, brackets and texts that are no addresses once made a new client of each request."""
    client = make_app(PROXIES=1, API_RATE="6 per day").test_client()
    sent = [{"X-Forwarded-For": form.format(number)} for number in range(1, 11)]
    statuses = [client.get("/api/puzzles", headers=headers).status_code for headers in sent]
    assert statuses.count(429) == limited


def test_one_site_counts_as_eight_clients(make_app: MakeApp) -> None:
    """A line with many networks would otherwise be a crowd."""
    client = make_app(PROXIES=1, API_RATE="2 per day").test_client()
    sent = [{"X-Forwarded-For": f"2001:db8:1:{number:x}::1"} for number in range(30)]
    statuses = [client.get("/api/puzzles", headers=headers).status_code for headers in sent]
    assert statuses == [200] * 16 + [429] * 14
    assert client.get("/api/puzzles", headers={"X-Forwarded-For": "2001:db8:2::1"}).status_code == 200


def test_connections_of_one_site_are_limited(make_app: MakeApp) -> None:
    guarded = make_app(PROXIES=1, CONNECTIONS_PER_ADDRESS=1)
    with serving(guarded) as url, ExitStack() as stack:
        for number in range(8):
            header = [f"X-Forwarded-For: 2001:db8:1:{number}::1"]
            stack.enter_context(Guarded(guarded, url).open(header=header))
        with Guarded(guarded, url).open(join=False, header=["X-Forwarded-For: 2001:db8:1:8::1"]) as ninth:
            ninth.send("40")
            assert "2001:db8:1::/48" in ninth.recv()


def test_the_log_says_once_that_a_proxy_forwards_no_address(
    make_app: MakeApp, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), serving(make_app(PROXIES=1)) as url:
        for address in ("192.0.2.1", "unknown", "_hidden", "unknown"):
            assert requests.get(f"{url}/api/puzzles", headers={"X-Forwarded-For": address}).ok
    assert [
        record.getMessage() for record in caplog.records if "address of a client" in record.getMessage()
    ] == ["'unknown' is not the address of a client; all requests like it count as one client's"]
