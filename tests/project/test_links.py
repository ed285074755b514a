"""Links and names of files in the Markdown pages lead somewhere, and pages of the manual are short."""

import re
import subprocess
from pathlib import Path

import pytest

from tests import ROOT

GIT = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
PAGES = [
    ROOT / name
    for name in subprocess.run(GIT, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    if name and (ROOT / name).exists()
]
ROOTS = [ROOT, ROOT / "server" / "hoppers", ROOT / "static", ROOT / "server" / "hoppers" / "puzzles"]
"""Folders from which a page may name a file."""
MOST_WORDS = {
    "CONTRIBUTING.md": 1_000,
    "docs/architecture.md": 1_200,
    "docs/how-the-search-works.md": 1_200,
    "docs/large-boards.md": 1_200,
    "docs/lower-bounds.md": 1_200,
    "docs/tables.md": 1_450,  # with the format of files that programs read
}
MOST_CHANGES = 60
"""Most lines of a version in CHANGELOG.md."""


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return the anchors of all headings, as GitHub and other renderers make them."""
    headings = re.findall(r"^#+ (.+)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = without_code(page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{page.name} links to {link}, which does not exist"
        assert not anchor or anchor in anchors(target), f"{page.name} links to {link}, a missing heading"


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md", "docs/hosting.md", "README.md"])
def test_every_file_named_in_the_text_exists(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/.-]+/[\w.-]+\.(?:py|json|js|md|css|html))", text))
    named -= {"server/hoppers/puzzles/coins.py"}
    roots = [*ROOTS, ROOT / "tests" / "web"]
    assert {it for it in named if not any((root / it).exists() for root in roots)} == set()


@pytest.mark.parametrize("name", MOST_WORDS)
def test_page_of_the_manual_is_short(name: str) -> None:
    prose = "\n".join(
        line
        for line in without_code((ROOT / name).read_text(encoding="utf-8")).splitlines()
        if not line.startswith(("|", "    "))
    )
    assert len(prose.split()) <= MOST_WORDS[name]


def test_versions_in_the_changelog_are_short() -> None:
    versions = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]
    released = [version for version in versions if not version.startswith("Unreleased")]
    assert released
    assert all(len(version.strip().splitlines()) <= MOST_CHANGES for version in released)
