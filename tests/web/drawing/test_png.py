"""PNG pictures: rendered in a separate process, in a queue of their own, and cached."""

import ast
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from hoppers.runtime.clients import client_of
from hoppers.web.drawing import png
from hoppers.web.drawing.png import Drawing, Pictures
from hoppers.web.servers.event_loop import PICTURES, EventLoop, WorkQueue
from tests import ROOT
from tests.conftest import MakeApp, serving
from tests.support.processes import wait_for
from tests.web.raw_http import answer_to, connected, received

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="{}"/></svg>'
PNG = b"\x89PNG"
HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"


def request_for(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()


def square(height: int) -> Drawing:
    return Drawing(SQUARE.format(height), 16, 16)


def test_server_process_never_imports_the_renderer() -> None:
    sources = (ROOT / "server").rglob("*.py")
    imports = (node for path in sources for node in ast.walk(ast.parse(path.read_text())))
    names = {name.name for node in imports if isinstance(node, ast.Import) for name in node.names}
    assert "numba" in names
    assert "resvg_py" not in names


def test_picture_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = Pictures(EventLoop())
    first = pictures.render(client_of(HERE), square(4))
    assert first.startswith(PNG) and pictures.render(client_of(HERE), square(5)) != first
    monkeypatch.setattr(png, "RENDERER", "raise SystemExit(1)")
    assert pictures.render(client_of(ELSEWHERE), square(4)) == first


def test_picture_of_an_error_is_the_drawing_next_to_it() -> None:
    drawing = Path(png.__file__).with_name("error.svg").read_text()
    assert png.render_png(Drawing(drawing, 320, 168)) == png.ERROR_PICTURE


def test_a_renderer_that_hangs_is_killed(new_client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "MAX_SECONDS", 0.2)
    monkeypatch.setattr(png, "RENDERER", "import time; time.sleep(1_000)")
    response = new_client.get("/puzzles/hoppers/board.png?size=77")
    assert response.status_code == 503 and response.headers["Retry-After"] == "2"
    assert response.data == png.ERROR_PICTURE and "too long" in response.headers["X-Error"]


def test_a_renderer_that_fails_is_a_fault(new_client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "RENDERER", "raise SystemExit(1)")
    response = new_client.get("/puzzles/hoppers/board.png?size=77")
    assert response.status_code == 500 and response.data == png.ERROR_PICTURE


@pytest.mark.parametrize("size", ["801", "1024", "4096", "99999", "31", "-1", "x"])
def test_pictures_that_would_cost_too_much_are_refused(new_client: FlaskClient, size: str) -> None:
    response = new_client.get(f"/puzzles/diamond-41/board.png?size={size}")
    assert response.status_code == 400 and "32 to 800 pixels" in response.headers["X-Error"]
    assert repr(size) in response.headers["X-Error"]


def test_vector_pictures_may_be_larger(new_client: FlaskClient) -> None:
    assert new_client.get("/puzzles/diamond-41/board.svg?size=4096").status_code == 200
    assert new_client.get("/puzzles/diamond-41/board.svg?size=4097").status_code == 400


@pytest.mark.parametrize("name", ["arrow", "lastmove"])
def test_marks_of_one_picture_are_limited(new_client: FlaskClient, name: str) -> None:
    def status_of(pairs: int) -> tuple[int, str]:
        holes = "-".join("01"[number % 2] for number in range(pairs + 1))
        response = new_client.get(f"/puzzles/hoppers/board.svg?{name}={holes}")
        return response.status_code, response.text

    assert status_of(100)[0] == 200
    status, text = status_of(101)
    assert status == 400 and "101 pairs of holes, more than 100" in text


def test_head_has_the_size_of_the_picture(new_client: FlaskClient) -> None:
    path = "/puzzles/hoppers/board.png?size=77"
    head, whole = new_client.head(path), new_client.get(path)
    assert head.data == b"" and whole.data.startswith(PNG)
    assert int(head.headers["Content-Length"]) == int(whole.headers["Content-Length"]) == len(whole.data)


@contextmanager
def held_renderer(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Make every picture wait until the end of the block, or of a test that sets the event."""
    release = threading.Event()

    def render(drawing: Drawing) -> bytes:
        assert release.wait(60)
        return PNG + repr(drawing.width).encode()

    monkeypatch.setattr(png, "render_png", render)
    try:
        yield release
    finally:
        release.set()


@contextmanager
def full_queue(app: Flask, url: str) -> Iterator[list[socket.socket]]:
    """Request as many pictures from `HERE` as may be drawn and wait; yield the connections."""
    work: WorkQueue = app.extensions["loop"]._queues[PICTURES]
    with ExitStack() as stack:
        connections = list[socket.socket]()

        def ask(size: int) -> None:
            connections.append(stack.enter_context(closing(connected(url, HERE))))
            connections[-1].sendall(request_for(f"/puzzles/diamond-41/board.png?size={size}"))

        ask(100)
        wait_for(lambda: work._turns._running)
        for number in range(PICTURES.waiting):
            ask(101 + number)
        wait_for(lambda: work.is_full(client_of(HERE)))
        yield connections


def test_nothing_waits_for_a_picture_but_its_reader(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    with serving(app) as url, held_renderer(monkeypatch), full_queue(app, url):
        for path in ("/puzzles/hoppers", "/puzzles/hoppers/board.svg", "/static/css/board.css"):
            assert " 200 " in answer_to(request_for(path), url)[0].splitlines()[0]


def test_a_full_queue_of_pictures_refuses_only_its_client(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, picture = make_app(), request_for("/puzzles/diamond-41/board.png?size=200")
    with (
        serving(app) as url,
        held_renderer(monkeypatch) as release,
        full_queue(app, url) as waiting,
        closing(connected(url, HERE)) as refused,
        closing(connected(url, ELSEWHERE)) as other,
    ):
        refused.sendall(picture)
        answer = received(refused)  # while all others wait
        assert answer.startswith(b"HTTP/1.1 503 ") and b"Retry-After: 2\r\n" in answer
        assert answer.endswith(png.ERROR_PICTURE)
        other.sendall(picture)
        wait_for(lambda: app.extensions["loop"]._queues[PICTURES]._turns._waiting.get(client_of(ELSEWHERE)))
        release.set()
        for connection in (*waiting, other):
            assert received(connection).startswith(b"HTTP/1.1 200 ")
