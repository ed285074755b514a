"""PNG pictures: rendered in a separate process, one at a time, and cached."""

import ast

import pytest
from flask.testing import FlaskClient

from hoppers.web.drawing import png
from tests import ROOT

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="{}"/></svg>'
PNG = b"\x89PNG"


def test_server_process_never_imports_the_renderer() -> None:
    sources = (ROOT / "server").rglob("*.py")
    imports = (node for path in sources for node in ast.walk(ast.parse(path.read_text())))
    names = {name.name for node in imports if isinstance(node, ast.Import) for name in node.names}
    assert "numba" in names
    assert "resvg_py" not in names


def test_picture_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = png.render_png(SQUARE.format(4), 16, 16)
    assert first.startswith(PNG) and png.render_png(SQUARE.format(5), 16, 16) != first
    monkeypatch.setattr(png, "RENDERER", "raise SystemExit(1)")
    assert png.render_png(SQUARE.format(4), 16, 16) == first


def test_busy_renderer_is_answered_with_503(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "MAX_WAIT_SECONDS", 0.01)
    with png._RENDERER_LOCK:
        response = client.get("/puzzles/hoppers/board.png?size=77")
    assert response.status_code == 503
    assert client.get("/puzzles/hoppers/board.png?size=77").data.startswith(PNG)
