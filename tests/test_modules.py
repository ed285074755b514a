"""A page asks for all its modules at once."""

import re
from pathlib import Path

from flask.testing import FlaskClient

STATIC = Path(__file__).parent.parent / "static"
ASKED = re.compile(r'rel="modulepreload" href="/static/([\w-]+\.js)"')


def needed(script: str) -> set[str]:
    """What a script imports, and what that imports, told by the files."""
    code = re.sub(r"/\*.*?\*/", "", (STATIC / script).read_text(), flags=re.DOTALL)
    names = set(re.findall(r'"\./([\w-]+\.js)"', code))
    return names.union(*(needed(name) for name in names)) if names else set()


def test_every_module_of_a_page_is_asked_for_once(client: FlaskClient) -> None:
    for address, script in {
        "/puzzles/hoppers": "main.js",
        "/puzzles/hoppers/race": "race.js",
        "/puzzles/hoppers/inside": "inside.js",
        "/puzzles/hoppers/explore": "explore.js",
        "/classics": "classics.js",
    }.items():
        asked = ASKED.findall(client.get(address).get_data(as_text=True))
        assert len(asked) == len(set(asked))
        assert set(asked) == needed(script)
