"""The bounds of a position in the status line that the server sends."""

import re

import pytest
from flask.testing import FlaskClient

from hoppers.puzzles.sliding import pattern_source


def test_status_has_the_bounds_of_an_unproved_position(
    new_client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = pattern_source.LIMITS._replace(bucket_capacity=0, background=0)
    monkeypatch.setattr(pattern_source, "LIMITS", limits)
    page = new_client.get("/puzzles/fifteen-puzzle?position=159d26ae37bf48c0&depth=study&lang=en").text
    status = re.search(r'<div role="status" [^>]*?data-sent ([^>]*)>', page)
    assert status is not None
    values = dict(re.findall(r'data-([a-z-]+)="([^"]*)"', status[1]))
    assert (values["verdict"], values["moves-left"]) == ("live", "")
    assert 40 <= int(values["least"]) <= 72 <= int(values["most"])


def test_dead_start_is_not_asked_for_its_fewest_moves(client: FlaskClient) -> None:
    page = client.get("/puzzles/hoppers?start=....ooo.o.o.o&goal=0&lang=en").text
    assert "Is there really no solution?" in page and "How few moves does it take?" not in page
    page = client.get("/puzzles/hoppers/explore?position=....ooo.o.o.o&goal=0&lang=en").text
    assert page.count('<span class="plaque">Cannot be solved</span>') == 4


def test_bounds_are_drawn_only_where_moves_are_not_proved(client: FlaskClient) -> None:
    page = client.get("/puzzles/hoppers?depth=study&position=oooooo.oooooo&lang=en").text
    [status] = re.findall(r'<div role="status" [^>]*>', page)
    assert 'data-moves-left="7"' in status
    assert "data-bounded" not in status
