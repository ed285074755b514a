"""The reference of the library, which is made from its docstrings."""

import re
from collections.abc import Iterable, Iterator
from html import unescape

from flask.testing import FlaskClient
from markupsafe import Markup

import hoppers
from hoppers.web.api.reference import Entry, reference

NOT_OURS = {
    "Any",
    "False",
    "Flask",
    "Iterable",
    "Literal",
    "NDArray",
    "None",
    "Sequence",
    "SupportsIndex",
    "True",
}
IN_SENTENCES = {"Grade", "Settings", "VerdictName"}
"""Types whose values the text of the entry lists or names."""


def with_members(entries: Iterable[Entry]) -> Iterator[Entry]:
    for entry in entries:
        yield entry
        yield from with_members(entry.members)


def test_every_public_name_is_documented(client: FlaskClient) -> None:
    page = client.get("/docs").text
    listed = [entry for entries in reference(hoppers).values() for entry in entries]
    public = {name for name in hoppers.__all__ if not name.startswith("__")}
    assert {entry.name for entry in listed} == public
    for entry in with_members(listed):
        assert all(entry.sentences), entry.name
        assert page.count(f'id="{entry.name}"') == 1


def test_types_in_signatures_are_public() -> None:
    entries = with_members(entry for entries in reference(hoppers).values() for entry in entries)
    signatures = " ".join(entry.signature.striptags() for entry in entries)
    named = set(re.findall(r"\b[A-Z]\w+", signatures))
    assert named - {*hoppers.__all__} == NOT_OURS | IN_SENTENCES


def test_entries_have_signature_arguments_and_errors(client: FlaskClient) -> None:
    page = " ".join(unescape(Markup(client.get("/docs").text).striptags()).split())
    for part in (
        "Position.play(move: Sequence[int] | Step | str) -> Position Return the position after a move",
        "board(drawing: str, lattice: Literal['s', 'd', 't'] = 's') -> Puzzle",
        "Raises InvalidMove: one is not legal where it is played.",
        "first_move: the two holes of the first step of every solution.",
        "Puzzle.id -> str Name in texts and addresses.",
        "Step(origin: int, target: int, cost: int, after: Position) One jump, slide or flip.",
    ):
        assert part in page, part
    assert '<a href="/docs">' in client.get("/api", headers={"Accept": "text/html"}).text
