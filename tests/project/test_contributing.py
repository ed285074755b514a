"""CONTRIBUTING.md: its example is a puzzle, and its map of the code is complete."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from hoppers.analysis import verdicts
from hoppers.core.events import Exhausted, Progress, Solved
from hoppers.core.puzzle import Puzzle, Question
from hoppers.tablebase.engine import Engine
from tests import ROOT


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Puzzle:
    """Puzzle of the example in CONTRIBUTING.md, loaded as if its file were in server/hoppers/puzzles."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    assert found is not None
    path = tmp_path_factory.mktemp("puzzles") / "coins.py"
    path.write_text(found[1])
    spec = spec_from_file_location("hoppers.puzzles.coins", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    puzzle: Puzzle = module.PUZZLES[0]
    del sys.modules[spec.name]
    return Engine({puzzle.id: puzzle}).puzzles[puzzle.id]


def test_hints_of_the_example_lead_to_the_goal(coins: Puzzle) -> None:
    position, moves = coins.parse(coins.start), 0
    fewest = verdicts.verdict_of(coins, 0, position).moves_left
    while not coins.is_solved(position, 0):
        _, move = verdicts.hint(coins, 0, position)
        position, moves = coins.step(position, *move).after, moves + 1
    assert moves == fewest


def test_methods_of_the_example_agree(coins: Puzzle) -> None:
    ends = []
    for method in coins.solving.methods.values():
        question = Question(coins, 0, coins.parse(coins.start), True)
        *limits, end = [event for event in method.search(question) if not isinstance(event, Progress)]
        assert isinstance(end, Solved)
        assert [event.limit for event in limits if isinstance(event, Exhausted)] == list(range(1, end.limit))
        ends.append((end.limit, end.count))
    assert len(set(ends)) == 1


def test_every_package_and_script_folder_is_described() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    packages = [path for path in (ROOT / "server" / "hoppers").iterdir() if path.is_dir()]
    folders = [path for path in (ROOT / "static").iterdir() if path.is_dir() and path.name != "vendor"]
    names = {path.name for path in packages + folders} - {"__pycache__"}
    assert {name for name in names if f"`{name}`" not in text} == set()
