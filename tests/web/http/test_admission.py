"""Requests that cannot be read, or are for a host that nobody allowed, are refused before Flask sees them."""

import json
from contextlib import closing

import pytest
from flask.testing import FlaskClient

from hoppers.web.http.admission import allowed_hosts
from tests.conftest import MakeApp
from tests.web.raw_http import answer_to, connected

PATHS = ("/", "/puzzles/hoppers", "/api/puzzles", "/api/nothing", "/static/icon.svg", "/static//icon.svg")
INVALID_HOSTS = (
    "a..b", ".", "a" * 64, "-a", "u@localhost", "localhost:99999", "localhost:abc", "localhost:80:80", "[::1",
    "[zz]", "[]", "", "localhost,evil.example", "localhost/x", "local host", "xn--", "xn--a",
    "xn--a.localhost",    "lócalhost",
)  # fmt: skip
FOREIGN_HOSTS = (
    "evil.example", "xn--nxasmq6b.example", "localhost.evil.example", "127.0.0.1.evil.example", "8.8.8.8",
    "[2001:db8::1]", "evil.example:80", "0x7f.1", "2130706433", "notlocalhost", "0.0.0.0",
)  # fmt: skip
LOOPBACK_HOSTS = (
    "localhost", "localhost:8000", "LOCALHOST", "localhost.", "a.localhost", "xn--nxasmq6b.localhost",
    "127.0.0.1:1",    "127.3.2.1", "[::1]",
)  # fmt: skip


def answer(url: str, target: str = "/", host: str = "localhost") -> tuple[int, str]:
    """Return status and body of a response to a request as a raw socket sends it, in Latin-1."""
    request = f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    head, body = answer_to(request.encode("latin-1"), url)
    assert "Location:" not in head or "Location: /" in head
    return int(head.split()[1]), body


def error_of(body: str) -> tuple[str, str]:
    """Return code and message of an error in the shape of the API."""
    error = json.loads(body)["error"]
    assert set(error) == {"code", "message"}
    return error["code"], error["message"]


@pytest.mark.parametrize("path", PATHS)
def test_only_loopback_names_are_believed_without_a_setting(live_server: str, path: str) -> None:
    for host in INVALID_HOSTS:
        status, body = answer(live_server, path, host)
        assert (status, error_of(body)[0]) == (400, "invalid_request"), host
    for host in FOREIGN_HOSTS:
        status, body = answer(live_server, path, host)
        code, message = error_of(body)
        assert (status, code) == (421, "unknown_host"), host
        assert repr(host) in message and "HOPPERS_HOSTS" in message
    for host in LOOPBACK_HOSTS:
        assert answer(live_server, path, host)[0] in (200, 308, 404), host


def test_names_of_the_setting_are_believed(make_app: MakeApp) -> None:
    client = make_app(HOSTS="Puzzles.example, www.puzzles.example").test_client()
    for host in ("puzzles.example", "PUZZLES.example:8443", "www.puzzles.example.", "localhost"):
        assert client.get("/", headers={"Host": host}).status_code == 200, host
    for host in ("evil.example", "x.puzzles.example", "192.0.2.1"):
        assert client.get("/", headers={"Host": host}).status_code == 421, host


@pytest.mark.parametrize("setting", ["http://puzzles.example", "puzzles.example:80", "*", "a b", "a..b"])
def test_setting_that_is_no_list_of_names_is_quoted(setting: str) -> None:
    with pytest.raises(ValueError, match=r"HOSTS '.+' is not a list of names such as 'puzzles"):
        allowed_hosts(setting)


def test_name_from_a_trusted_proxy_is_checked(make_app: MakeApp) -> None:
    client = make_app(HOSTS="puzzles.example", PROXIES=1).test_client()
    for host, status in {"puzzles.example": 200, "evil.example": 421, "a..b": 400}.items():
        assert client.get("/", headers={"X-Forwarded-Host": host}).status_code == status
    assert client.get("/", headers={"X-Forwarded-Proto": "javascript"}).status_code == 400


@pytest.mark.parametrize("bound_to", ["0.0.0.0", "::", "192.0.2.7"])
def test_open_server_without_a_setting_believes_addresses(
    monkeypatch: pytest.MonkeyPatch, bound_to: str
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Den.home.arpa")
    is_allowed = allowed_hosts("")
    for name in ("192.0.2.7", "[2001:db8::1]", "localhost", "den", "den.local", "den.home.arpa"):
        assert is_allowed(name, bound_to), name
    assert not is_allowed("evil.example", bound_to)
    assert not allowed_hosts("puzzles.example")("192.0.2.7", bound_to)
    assert not is_allowed("192.0.2.7", "127.0.0.1") and not is_allowed("den", "127.0.0.1")


@pytest.mark.parametrize(
    "first_line",
    [
        b"GET /?\xff HTTP/1.1", b"GET /\xc3\xa0 HTTP/1.1", b"GET /api/puzzles?\xff HTTP/1.1",
        b"GET /\x1b[31m HTTP/1.1", b"GET /?\x01 HTTP/1.1", b"\x1bGET / HTTP/1.1", b"G\xffT / HTTP/1.1",
        b"GET / HTTP/1.1.1", b"GET\t/ HTTP/1.1", b"GET  / HTTP/1.1", b"OPTIONS * HTTP/1.1",
    ],
)  # fmt: skip
def test_first_line_outside_the_grammar_is_refused(live_server: str, first_line: bytes) -> None:
    head, body = answer_to(first_line + b"\r\nHost: localhost\r\n\r\n", live_server)
    assert head.split()[1] == "400" and json.loads(body)["error"]["code"] == "invalid_request"


@pytest.mark.parametrize("line", [b"X: \x01", b"X: \x1b[31m", b"X: \x7f", b"Cookie: lang=\x08"])
def test_control_characters_in_headers_are_refused(live_server: str, line: bytes) -> None:
    head, _ = answer_to(b"GET / HTTP/1.0\r\nHost: localhost\r\n%s\r\n\r\n" % line, live_server)
    assert head.split()[1] == "400"


def test_head_of_a_refused_request_has_no_body(live_server: str) -> None:
    for host, status in {"evil.example": "421", "a..b": "400", "localhost\r\nHost: x": "400"}.items():
        head, body = answer_to(f"HEAD / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(), live_server)
        assert (head.split()[1], body) == (status, "")


HUGE = "9" * 20
NO_DATES = (f"Mon, 01 Jan {HUGE} 00:00:00 GMT", f"Mon, 01 Jan 2020 00:00:00 +{HUGE}", "\xff", "yesterday")


@pytest.mark.parametrize("date", NO_DATES)
def test_dates_that_are_none_are_ignored(client: FlaskClient, date: str) -> None:
    for name in ("If-Modified-Since", "If-Unmodified-Since"):
        with client.get("/static/icon.svg", headers={name: date}) as response:
            assert response.status_code == 200
    with client.get("/static/icon.svg", headers={"If-Range": date, "Range": "bytes=0-1"}) as response:
        assert response.status_code == 200 and len(response.data) > 2


def test_parts_of_an_unchanged_file_are_sent(client: FlaskClient) -> None:
    with client.get("/static/icon.svg") as first:
        fields = {"If-Range": first.headers["ETag"], "Range": "bytes=0-1"}
    with client.get("/static/icon.svg", headers=fields) as part:
        assert (part.status_code, len(part.data)) == (206, 2)


def handshake(url: str, *fields: str) -> str:
    """Return the status of a WebSocket handshake with more header lines."""
    lines = (
        "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", *fields,
    )  # fmt: skip
    with closing(connected(url)) as connection:
        connection.sendall("\r\n".join((*lines, "", "")).encode())
        return connection.recv(100).decode("latin-1").split()[1]


def test_only_pages_of_an_allowed_host_open_a_websocket(live_server: str) -> None:
    here = live_server.removeprefix("http://")
    evil = "Origin: http://evil.example"
    assert handshake(live_server, f"Host: {here}", f"Origin: {live_server}") == "101"
    assert handshake(live_server, f"Host: {here}") == "101"
    assert handshake(live_server, f"Host: {here}", evil) == "400"
    assert handshake(live_server, "Host: evil.example", evil) == "421"
    assert handshake(live_server, "Host: evil.example:80", evil + ":80") == "421"
    forwarded = "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http"
    assert handshake(live_server, f"Host: {here}", evil, *forwarded) == "400"
