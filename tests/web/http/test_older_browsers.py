"""Style sheets of the bundle have declarations for older browsers."""

import re

import pytest
from flask.testing import FlaskClient

from hoppers.web import bundle
from hoppers.web.older_browsers import with_fallbacks
from tests import ROOT


def test_each_colour_of_two_themes_is_written_once_more() -> None:
    style = with_fallbacks(":root{--a: light-dark(#fff, #000);--b:light-dark(red,blue)}")
    plain = style.partition("@supports not")[2]
    assert "{:root{--a:#fff;--b:red;}" in plain
    assert ":root:not([data-theme=light]){--a:#000;--b:blue;}" in plain
    assert ":root[data-theme=dark]{--a:#000;--b:blue;}" in plain


def test_signs_are_drawn_where_an_alternative_text_is_unknown() -> None:
    assert with_fallbacks('.a{content:"✓ "/""}') == '.a{content:"✓ ";content:"✓ "/""}'


def test_a_colour_without_a_fallback_is_refused() -> None:
    with pytest.raises(ValueError, match="whole value"):
        with_fallbacks(".a{color:light-dark(red,blue)}")


def test_every_style_sheet_of_the_bundle_has_its_fallbacks() -> None:
    sheets = [path.read_text() for path in (bundle.update(ROOT) / "css").glob("*.css")]
    assert any("light-dark(" in sheet for sheet in sheets)
    for sheet in sheets:
        new, _, plain = sheet.partition("@supports not (color")
        for name in re.findall(r"(--[\w-]+):\s*light-dark", new):
            assert plain.count(f"{name}:") == 3


def test_pictures_that_stand_alone_need_no_fallback(client: FlaskClient) -> None:
    for name in ("board.svg", "board.svg?theme=dark"):
        text = client.get(f"/api/puzzles/hoppers/positions/oooooo.oooooo/{name}").text
        assert "light-dark" not in text and "@supports" not in text and "var(--" not in text
