"""A page asks for one script, and that has every module in it."""

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from server.web.modules import modules_of, whole

STATIC = Path(__file__).parent.parent / "static"
ASKED = re.compile(r'<script type="module" src="(/static/whole/\w+/([\w-]+\.js))"')
SCRIPTS = sorted(path.name for path in STATIC.glob("*.js"))


def needed(script: str) -> set[str]:
    """What a script imports, and what that imports, told by the files."""
    code = re.sub(r"/\*.*?\*/", "", (STATIC / script).read_text(), flags=re.DOTALL)
    names = set(re.findall(r'"\./([\w-]+\.js)"', code))
    return names.union(*(needed(name) for name in names)) if names else set()


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_whole_script_has_every_module_before_those_that_need_it(script: str) -> None:
    order = modules_of(STATIC, script)
    assert {*order} == {script, *needed(script)} and len(order) == len({*order})
    for place, name in enumerate(order):
        assert needed(name) <= {*order[:place]}
    text = whole(STATIC, script)
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)
    assert [f"{name}.js" for name in re.findall(r"^const \$(\w+) = \(\(\) => \{$", text, re.MULTILINE)] == [
        *order[:-1]
    ]


@pytest.mark.parametrize("script", SCRIPTS)
def test_modules_are_written_so_that_they_can_be_put_together(script: str) -> None:
    """What is exported is given once, when a module has run: it must be a name that never changes after."""
    code = (STATIC / script).read_text()
    for line in re.findall(r"^export .*", code, re.MULTILINE):
        assert re.match(r"export (async )?(function\*?|class|const) \w", line), line
    for line in re.findall(r"^import .*", code, re.MULTILINE):
        assert re.match(r'import ((\{[^}]*\}|\* as \w+) from )?"\./[\w-]+\.js";$', line), line


def test_a_page_asks_for_one_script_which_never_changes_there(client: FlaskClient) -> None:
    for address in ("/", "/puzzles/hoppers", "/puzzles/hoppers/race", "/puzzles/hoppers/inside", "/nothing"):
        ((whole_address, script),) = ASKED.findall(client.get(address).text)
        answer = client.get(whole_address)
        assert answer.text == whole(STATIC, script)
        assert "immutable" in answer.headers["Cache-Control"]
    other = client.get("/static/whole/0123456789ab/main.js")
    assert (other.status_code, other.headers["Cache-Control"]) == (200, "no-cache")
    for nothing in ("style.css", "..", "no.js", "%2e%2e%2fdev.py"):
        assert client.get(f"/static/whole/0123456789ab/{nothing}").status_code == 404
