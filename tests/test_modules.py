"""A page asks for all its modules at once."""

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from server.web.modules import modules_of

STATIC = Path(__file__).parent.parent / "static"
SCRIPTS = sorted(path.name for path in STATIC.glob("*.js"))
ASKED = re.compile(r'<link rel="modulepreload" href="(.*?)"|<script type="module" src="(.*?)"')


def needed(script: str) -> set[str]:
    """What a script imports, and what that imports, told by the files."""
    code = re.sub(r"/\*.*?\*/", "", (STATIC / script).read_text(), flags=re.DOTALL)
    names = set(re.findall(r'(?<!import\()"\./([\w-]+\.js)"', code))  # `import()` loads later
    return names.union(*(needed(name) for name in names)) if names else set()


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_module_comes_before_those_that_need_it(script: str) -> None:
    order = modules_of(STATIC, script)
    assert {*order} == {script, *needed(script)} and len(order) == len({*order})
    for place, name in enumerate(order):
        assert needed(name) <= {*order[:place]}


def test_a_page_asks_at_once_for_every_module_which_never_changes_there(client: FlaskClient) -> None:
    for address, script in {
        "/": "gallery.js",
        "/puzzles/hoppers": "main.js",
        "/puzzles/hoppers/race": "race.js",
        "/puzzles/hoppers/inside": "inside.js",
        "/nothing": "settings.js",
    }.items():
        asked = [module or own for module, own in ASKED.findall(client.get(address).text)]
        assert [name.rpartition("/")[2] for name in asked] == [*modules_of(STATIC, script)]
        for name in asked:
            with client.get(name) as answer:
                assert "immutable" in answer.headers["Cache-Control"]
