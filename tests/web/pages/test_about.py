"""The page about the program, and the positions with which puzzles open."""

import re

import pytest
from flask.testing import FlaskClient

from hoppers.web.pages.home import SOURCES
from tests import ROOT, naive, translations
from tests.support.engine import PUZZLES, find


def names_in(text: str) -> set[str]:
    """Return the family names and years of a text."""
    return set(re.findall(r"[A-Z][a-z]{2,}|\d{4}", text))


@pytest.mark.parametrize("work", [str(work) for work in SOURCES])
def test_docs_have_every_source_of_the_page(work: str) -> None:
    docs = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    assert names_in(work) - {"The"} <= names_in(docs)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_about_names_sources_and_leads_to_the_proofs(client: FlaskClient, language: str) -> None:
    page = client.get(f"/about?lang={language}").text
    names = translations.translations(language) if language != "en" else {}
    assert all(names.get(translations.Message(str(work)), [str(work)])[0] in page for work in SOURCES)
    for address in ("/lessons", "/atlas", "/classics", "/data"):
        assert f'href="{address}"' in page and client.get(address).status_code == 200


@pytest.mark.parametrize(
    "address", ["/", "/lessons/1", "/puzzles/hoppers", "/atlas", "/decks/hoppers", "/nowhere"]
)
def test_every_page_links_to_about(client: FlaskClient, address: str) -> None:
    assert 'href="/about"' in client.get(address).text


def test_tiles_open_with_ten_moves(client: FlaskClient) -> None:
    """The puzzle's own problem stays the hard one."""
    openings = {name: find(name).gallery.opening for name in PUZZLES if find(name).gallery.opening}
    assert set(openings) == {name for name in PUZZLES if find(name).family == "sliding"}
    for name, opening in openings.items():
        goal = find(name).goal
        levels = [{goal}]
        for _ in range(10):
            known = set().union(*levels[-2:])
            steps = naive.rules(name).steps
            levels.append({after for text in levels[-1] for _, _, after, _ in steps(text)} - known)
        assert opening in levels[10]
        assert f'data-position="{opening}"' in client.get(f"/puzzles/{name}?depth=study").text
        own = find(name).start
        assert client.get(f"/api/puzzles/{name}").get_json()["start"] == own != opening
        assert f'data-position="{own}"' in client.get(f"/puzzles/{name}?position={own}").text
