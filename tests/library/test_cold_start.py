"""What the library needs: nothing at import, and no compiler for what tables answer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

IMPORT = """
import sys, threading
import hoppers
loaded = {"numpy", "numba", "flask", "click", "gevent"} & sys.modules.keys()
assert not loaded, loaded
assert threading.active_count() == 1
assert set(hoppers.__all__) <= set(dir(hoppers))
for name in hoppers.__all__:
    assert getattr(hoppers, name) is not None, name
"""
ANSWERS = """
import sys, threading
if WITHOUT_NUMBA:
    sys.modules["numba"] = None
import hoppers
position = hoppers.puzzle("hoppers").position("oooooo.oooooo", goal="6")
assert (position.verdict, position.moves_left) == ("live", 7)
assert position.hint().move == [0, 6] and len(position.solution()) == 7
assert position.solutions().count == 72
assert position.puzzle.position("oo..........o").solution() is None
assert [type(event).__name__ for event in position.search()] == ["Exhausted", "Solved"]
for puzzle in [] if WITHOUT_NUMBA else hoppers.puzzles():  # without it, the same code runs
    start = puzzle.position()
    if puzzle.holes <= 16 and puzzle.id != "fifteen-puzzle":
        assert start.verdict == "live" and start.moves_left == len(start.solution()), puzzle
        assert start.play(start.moves[0]).text != start.text
assert hoppers.puzzle("english-33").position().bounds == hoppers.Bounds(18, 18)
assert sys.modules.get("numba") is None and "flask" not in sys.modules
assert threading.active_count() == 1
if WITHOUT_NUMBA:
    try:
        next(position.search("corners"))
    except hoppers.NumbaMissing as error:
        assert "pip install numba" in str(error)
    else:
        raise AssertionError("a search was run without Numba")
"""


def run(program: str, cache: Path) -> None:
    environment = {**os.environ, "HOPPERS_CACHE": str(cache), "PYTHONPATH": str(ROOT / "server")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, cwd=cache
    )
    assert done.returncode == 0, done.stderr


def test_import_loads_nothing(tmp_path: Path) -> None:
    run(IMPORT, tmp_path)


@pytest.mark.parametrize("without_numba", [False, True])
def test_small_boards_are_answered_without_compiling(without_numba: bool, tmp_path: Path) -> None:
    run(f"WITHOUT_NUMBA = {without_numba}\n{ANSWERS}", tmp_path)
    assert list(tmp_path.iterdir()) == []
