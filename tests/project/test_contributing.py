"""The example puzzle in CONTRIBUTING.md works as printed."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from hoppers.analysis import verdicts
from hoppers.core.events import Exhausted, Progress, Solved
from hoppers.core.puzzle import Puzzle, Question
from tests import ROOT


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Puzzle:
    """The example puzzle, loaded as if its file were in server/hoppers/puzzles."""
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
    return puzzle


def test_example_puzzle_has_verdicts_and_hints(coins: Puzzle) -> None:
    position, moves = coins.parse(coins.start), 0
    fewest = verdicts.verdict_of(coins, 0, position).moves_left
    while not coins.is_solved(position, 0):
        hint = verdicts.hint(coins, 0, position)
        assert hint.step is not None
        position, moves = hint.step.after, moves + 1
    assert moves == fewest


def test_search_of_the_example_agrees_with_its_table(coins: Puzzle) -> None:
    ends = []
    for method in coins.methods.values():
        question = Question(coins, 0, coins.parse(coins.start), True)
        *limits, end = [event for event in method.search(question) if not isinstance(event, Progress)]
        assert isinstance(end, Solved)
        assert [event.limit for event in limits if isinstance(event, Exhausted)] == list(range(1, end.limit))
        ends.append((end.limit, end.count))
    assert len(set(ends)) == 1
