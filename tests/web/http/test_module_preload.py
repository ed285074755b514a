"""Served as modules, a page preloads all of them at once."""

import posixpath
import re

import pytest

from hoppers.web.http.assets import modules_of
from tests import ROOT
from tests.conftest import MakeApp

STATIC = ROOT / "static"
SCRIPTS = sorted(
    path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js") if "vendor" not in path.parts
)
PRELOADED = re.compile(r'<link rel="modulepreload" href="(.*?)"|<script type="module" src="(.*?)"')


def needed(script: str) -> set[str]:
    """Return all direct and indirect imports of a script, read from the files."""
    code = re.sub(r"/\*.*?\*/", "", (STATIC / script).read_text(), flags=re.DOTALL)
    found = re.findall(r'(?<!import\()"(\.{1,2}/[\w/.-]+\.js)"', code)  # `import()` loads later
    names = {posixpath.normpath(posixpath.join(posixpath.dirname(script), name)) for name in found}
    return names.union(*(needed(name) for name in names)) if names else set()


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_module_comes_before_its_importers(script: str) -> None:
    order = modules_of(STATIC, script)
    assert {*order} == {script, *needed(script)} and len(order) == len({*order})
    for place, name in enumerate(order):
        assert needed(name) <= {*order[:place]}


def test_page_preloads_every_module_under_an_immutable_url(make_app: MakeApp) -> None:
    client = make_app(MODULES=True).test_client()
    for address, script in {
        "/": "pages/gallery.js",
        "/puzzles/hoppers": "pages/play.js",
        "/puzzles/hoppers/race": "pages/race.js",
        "/puzzles/hoppers/inside": "pages/trace.js",
        "/nothing": "ui/settings.js",
    }.items():
        found = [module or own for module, own in PRELOADED.findall(client.get(address).text)]
        names, expected = [name.split("/", 3)[3] for name in found], [*modules_of(STATIC, script)]
        assert names[-len(expected) :] == expected and {*names} == {*expected}
        for name in found:
            with client.get(name) as answer:
                assert "immutable" in answer.headers["Cache-Control"]
