"""Error responses, security headers and static files.

An error is JSON `{"error": {"code", "message"}}` under `/api/`, a picture for pictures, else a page. The HTTP
status agrees with the code, and the message quotes the invalid input.
"""

import re
import shutil
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import NoReturn

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests import ROOT
from tests.conftest import MakeApp

POSITIONS = "/api/puzzles/hoppers/positions"
START = f"{POSITIONS}/oooooo.oooooo"

WRONG_REQUESTS = [
    ("/api/puzzles/hopers", 404, "unknown_puzzle", "Did you mean 'hoppers'"),
    ("/api/puzzles/%00", 404, "unknown_puzzle", r"'\x00'"),
    ("/api/puzzles/" + "x" * 200, 404, "unknown_puzzle", "200 characters"),
    ("/api/nothing", 404, "not_found", "'/api/nothing'"),
    (f"{POSITIONS}/oo", 400, "invalid_position", "'oo' has 2 characters"),
    (f"{POSITIONS}/oooooo.ooooox", 400, "invalid_position", "'x' for hole 12"),
    (f"{POSITIONS}/.............", 400, "invalid_position", "no peg"),
    (f"{POSITIONS}/oooooo.oooooo:6", 400, "invalid_position", "hole 6"),
    (f"{POSITIONS}/oooooo.oooooo:13", 400, "invalid_position", "'13'"),
    (f"{POSITIONS}/oooooo.oooooo:", 400, "invalid_position", "''"),
    (f"{POSITIONS}/oooooo.oooooo:٦", 400, "invalid_position", "'٦'"),
    (f"{POSITIONS}/" + "o" * 1000, 400, "invalid_position", "1000 characters"),
    ("/api/puzzles/eight-puzzle/positions/112345678", 400, "invalid_position", "'112345678'"),
    ("/api/puzzles/eight-puzzle/positions/123456780:3", 400, "invalid_position", "':3'"),
    ("/api/puzzles/flip-it-6/positions/bbbbbb", 400, "invalid_position", "'bbbbbb'"),
    (f"{START}?goal=13", 400, "invalid_goal", "'13'"),
    (f"{START}?goal=", 400, "invalid_goal", "''"),
    (f"{START}?goal=" + "1" * 500, 400, "invalid_goal", "500 characters"),
    (f"{START}/hint?goal=nowhere", 400, "invalid_goal", "'nowhere'"),
    (f"{START}/hint?gaol=6", 400, "invalid_request", "gaol=6"),
    (
        f"{START}/solutions?limit=abc",
        400,
        "invalid_request",
        "'limit=abc' is not valid: limit is a whole number",
    ),
    (f"{START}/solutions?limit=-1", 400, "invalid_request", "'limit=-1' is not valid: limit is"),
    (f"{START}/solutions?offset=" + "9" * 60, 400, "invalid_request", "offset=999"),
    (f"{START}/solutions?offset=10001", 400, "invalid_request", "a whole number from 0 to 10000"),
    (
        f"{START}/solutions?unique=perhaps",
        400,
        "invalid_request",
        "'unique=perhaps' is not valid: unique is 0 or 1",
    ),
    (
        f"{START}/trace?page=x",
        400,
        "invalid_request",
        "'page=x' is not valid: page is a whole number, at least 0",
    ),
    (f"{START}/trace?limit=1.5", 400, "invalid_request", "'limit=1.5' is not valid: limit is a whole number"),
]


def assert_error(response: TestResponse, status: int, code: str, quote: str) -> None:
    """Assert status, headers and fields of an error under `/api`, and that its message contains `quote`."""
    assert response.status_code == status
    assert response.mimetype == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    answer = response.get_json()
    assert set(answer) == {"error"}
    assert set(answer["error"]) == {"code", "message"}
    assert answer["error"]["code"] == code
    assert quote in answer["error"]["message"]
    assert len(answer["error"]["message"]) < 300


@pytest.mark.parametrize(("address", "status", "code", "quote"), WRONG_REQUESTS)
def test_invalid_request_is_answered_with_code_and_quote(
    client: FlaskClient, address: str, status: int, code: str, quote: str
) -> None:
    assert_error(client.get(address), status, code, quote)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_wrong_method_is_answered_with_the_allowed_ones(client: FlaskClient, method: str) -> None:
    response = client.open(START, method=method)
    assert_error(response, 405, "method_not_allowed", method)
    assert set(response.allow) == {"GET", "HEAD", "OPTIONS"}


def test_long_body_is_refused_unread(client: FlaskClient) -> None:
    assert_error(client.post("/api/puzzles", data=b"x" * 20_000), 413, "too_long", "20000 bytes")


def test_wrong_range_of_a_file_is_quoted(client: FlaskClient) -> None:
    with client.get("/static/icon.svg", headers={"Range": "bytes=99999999-"}) as response:
        assert response.status_code == 416
        text = response.get_data(as_text=True)
    assert "has no bytes in the range &#39;bytes=99999999-&#39;" in text


def broken() -> NoReturn:
    raise ZeroDivisionError("a secret")


@pytest.fixture
def broken_app(make_app: MakeApp) -> Flask:
    """An application with two failing views."""
    app = make_app()
    app.add_url_rule("/api/broken", "broken", broken)
    app.add_url_rule("/broken", "broken page", broken)
    return app


def test_unexpected_error_is_logged_and_reported_without_details(
    broken_app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    response = broken_app.test_client().get("/api/broken")
    assert_error(response, 500, "internal", "logged")
    assert "secret" not in response.text
    assert "a secret" in caplog.text


def test_errors_outside_the_api_are_pages(broken_app: Flask) -> None:
    client = broken_app.test_client()
    for address, status, quote in [
        ("/nothing/here", 404, "/nothing/here"),
        ("/puzzles/hopers", 404, "hopers"),
        ("/broken", 500, "logged"),
    ]:
        response = client.get(address)
        assert (response.status_code, response.mimetype) == (status, "text/html")
        assert quote in response.text
        assert "secret" not in response.text


def test_client_text_is_escaped(client: FlaskClient) -> None:
    for address in ("/<script>alert(1)</script>", "/<script>alert(1)</script>.svg"):
        response = client.get(address)
        assert response.status_code == 404
        assert "<script>alert" not in response.text
        assert "&lt;script&gt;" in response.text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0-1", "'0-1', step 1 of '0-1', is not legal in 'oooooo.oooooo'"),
        ("0-6.9-3.2-0-1", "'0-1', step 4 of '0-6.9-3.2-0-1', is not legal in 'o..o"),
        ("0-6.200-3", "'200-3', step 2 of '0-6.200-3', is not legal in '.oo.ooooooooo'"),
    ],
)
def test_illegal_step_of_a_line_is_quoted_with_its_place(
    client: FlaskClient, line: str, message: str
) -> None:
    page = client.get(f"/puzzles/hoppers?line={line}")
    assert page.status_code == 400 and message in unescape(page.text)


def test_counts_of_one_are_singular(client: FlaskClient) -> None:
    for address, text in [
        ("/puzzles/hoppers?position=o", "Hoppers 13 has 13 holes, but 'o' has 1 character.<"),
        ("/puzzles/hoppers/explore?position=o..o.........", ">1 move is needed from here"),
        ("/puzzles/hoppers/print?position=o..o.........", " · 1 move<"),
    ]:
        assert text in unescape(client.get(address).text)


def test_svg_error_is_a_picture_with_the_message(client: FlaskClient) -> None:
    for address, status, quote in [
        ("/puzzles/hopers/board.svg", 404, "hopers"),
        ("/puzzles/hoppers/board.svg?position=oo", 400, "oo"),
    ]:
        response = client.get(address)
        assert (response.status_code, response.mimetype) == (status, "image/svg+xml")
        assert response.text.startswith("<svg")
        assert quote in response.text


def test_png_error_is_a_crossed_out_board(client: FlaskClient) -> None:
    for address, status, quote in [
        ("/puzzles/hopers/board.png", 404, "hopers"),
        ("/puzzles/hoppers/board.png?position=oo", 400, "'oo'"),
        ("/puzzles/hoppers/board.png?size=9", 400, "'9'"),
    ]:
        response = client.get(address)
        assert (response.status_code, response.mimetype) == (status, "image/png")
        assert response.data.startswith(b"\x89PNG") and len(response.data) < 10_000
        assert quote in response.headers["X-Error"]


def test_api_errors_are_localized_only_on_request(client: FlaskClient) -> None:
    japanese = {"Accept-Language": "ja"}
    for address, message in [
        ("/puzzles/hoppers?position=oo", "13個の穴"),
        ("/puzzles/flip-it-6?position=bbbbbb", "空きマスは一つのはずですが、0個あります"),
        ("/puzzles/hoppers?line=0-6.0-1", "「0-6.0-1」の2番目の「0-1」は"),
        (
            "/puzzles/hoppers?deal=nosuch&seed=1",
            "ホッパーズ 13に「nosuch」というランダムな局面はありません。",
        ),
        (
            "/puzzles/eight-puzzle?deal=nosuch&seed=1",
            "8パズルに「nosuch」というランダムな局面はありません。",
        ),
        ("/puzzles/hoppers/race?methods=best", "競走できません"),
        ("/decks/hoppers/999", "カード集「ホッパーズ 13」にカード「999」はありません"),
        ("/nowhere", "ページが見つかりません（404）"),
        ("/puzzles/hoppers/inside?method=best", "一歩ずつ見られません"),
        ("/puzzles/hopers", "パズルはありません"),
        ("/nowhere", "というページはありません"),
        ("/puzzles/hoppers/board.svg?position=oo", "13個の穴"),
    ]:
        assert message in client.get(address, headers=japanese).text
    address = "/api/puzzles/hoppers/positions/oo"
    for query, message in [("", "has 13 holes"), ("?lang=en", "has 13 holes"), ("?lang=ja", "13個の穴")]:
        answer = client.get(address + query, headers=japanese).json
        assert answer is not None and message in answer["error"]["message"]
    answer = client.get(f"{START}/solutions?limit=abc&lang=ja").json
    sentence = "「limit=abc」は使えません。limit に使えるのは0以上の整数です"
    assert answer is not None and answer["error"]["message"] == sentence


@pytest.mark.parametrize("address", ["/", "/api/puzzles", "/nothing", "/static/icon.svg", "/api/nothing"])
def test_every_response_has_the_security_headers(client: FlaskClient, address: str) -> None:
    with client.get(address) as response:
        headers = response.headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self'; object-src 'none'; base-uri 'none'")
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Referrer-Policy" in headers
    assert "Permissions-Policy" in headers
    is_open = headers.get("Access-Control-Allow-Origin") == "*"
    assert is_open == address.startswith("/api") or address.endswith(".svg")
    assert "Access-Control-Allow-Credentials" not in headers


@pytest.mark.parametrize("name", ["pages/play.js", "css/style.css"])
def test_scripts_and_styles_carry_only_the_headers_browsers_apply(client: FlaskClient, name: str) -> None:
    with client.get(f"/static/{name}") as part, client.get(f"/static/no-{name}") as nothing:
        assert part.headers["X-Content-Type-Options"] == "nosniff"
        assert "Date" not in part.headers  # the HTTP server adds its own date
        assert "Content-Security-Policy" not in part.headers
        assert "Content-Security-Policy" in nothing.headers


def test_versioned_files_are_immutable_and_plain_names_revalidate(client: FlaskClient) -> None:
    """Under a URL with its version a file is immutable; without one, or with another, browsers revalidate."""
    (address,) = re.findall(r'rel="icon" href="(.*?)"', client.get("/").text)
    with client.get(address) as versioned, client.get("/static/icon.svg") as plain:
        assert versioned.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert versioned.data == plain.data
        assert "ETag" in plain.headers and "ETag" not in versioned.headers
    with client.get(address.replace("icon.svg", "0123456789ab/icon.svg")) as nothing:
        assert nothing.status_code == 404
    with client.get(re.sub(r"/\w{12}/", "/0123456789ab/", address)) as other:
        assert (other.data, other.headers["Cache-Control"]) == (plain.data, "no-cache")
    worker = client.get("/sw.js").text
    for name in re.findall(r'"(/static/[^"]+)"', worker):
        with client.get(name) as part:
            assert "immutable" in part.headers["Cache-Control"]


def test_old_address_leads_to_the_file_of_the_start(
    make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart the file has another version, and with it another URL."""
    shutil.copytree(ROOT / "bundle", tmp_path / "bundle")
    monkeypatch.setattr("hoppers.web.app.prepare_static_folder", lambda modules: tmp_path / "bundle")
    client = make_app().test_client()
    (address,) = re.findall(r'rel="icon" href="(.*?)"', client.get("/").text)
    (tmp_path / "bundle" / "icon.svg").write_text("another")
    with client.get(address) as answer:
        assert answer.data == (ROOT / "bundle" / "icon.svg").read_bytes()
        assert "immutable" in answer.headers["Cache-Control"]
    with client.get("/static/icon.svg") as answer:
        assert (answer.data, answer.headers["Cache-Control"]) == (b"another", "no-cache")


def test_policy_allows_only_our_inline_elements(client: FlaskClient) -> None:
    for address in ("/", "/puzzles/hoppers", "/puzzles/hoppers?embed=1", "/nothing"):
        answer = client.get(address)
        policy = answer.headers["Content-Security-Policy"]
        assert (
            ("frame-ancestors 'none'" in policy) == ("frame-ancestors" in policy) == ("embed" not in address)
        )
        for tag in ("style", "script"):
            texts = re.findall(f"<{tag}>(.*?)</{tag}>", answer.text, re.DOTALL)
            digests = (b64encode(sha256(text.encode()).digest()).decode() for text in texts)
            hashes = {f"'sha256-{digest}'" for digest in digests}
            allowed = re.findall(f"{tag}-src 'self' (.*?)(?:;|$)", policy)
            assert hashes or (tag == "script" and "embed" in address)
            assert sorted(" ".join(allowed).split()) == sorted(hashes)


def test_unchanged_file_is_answered_with_304(client: FlaskClient) -> None:
    with client.get("/static/icon.svg") as first:
        assert first.headers["Cache-Control"] == "no-cache"
    with client.get("/static/icon.svg", headers={"If-None-Match": first.headers["ETag"]}) as again:
        assert (again.status_code, again.data) == (304, b"")
    assert client.get("/static/../pyproject.toml").status_code == 404


def test_chosen_language_is_stored_in_a_cookie(client: FlaskClient) -> None:
    assert client.get("/", headers={"Accept-Language": "ja"}).headers.get("Set-Cookie") is None
    assert "lang=ja" in client.get("/?lang=ja").headers["Set-Cookie"]
    assert 'lang="ja"' in client.get("/").text
    assert 'lang="en"' in client.get("/?lang=en").text
    assert client.get("/?lang=tlh").status_code == 200
