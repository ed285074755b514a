"""What the library needs: nothing at import, and neither compiler nor server for what tables answer."""

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
EXTRAS = {
    "search": {"highspy", "llvmlite", "numba"},
    "server": {"babel", "brotli", "engineio", "flask", "flask_socketio", "gevent", "prometheus_client",
               "socketio", "werkzeug"},
}  # fmt: skip
"""Extra -> the modules that it installs."""
ABSENT_IN_A_BROWSER = {"_ssl", "fcntl", "grp", "pwd", "resource", "ssl", "termios"}
"""Modules of the standard library that Pyodide has not."""
ANSWERS = """
import sys, threading
sys.modules.update(dict.fromkeys(BLOCKED))
sys.platform = PLATFORM
WITHOUT_NUMBA = "numba" in BLOCKED
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
assert position.svg().startswith("<svg") and "<svg" in position.solution().svg()
assert hoppers.daily("2026-01-31").position.moves_left == 6 and hoppers.data("atlas")
assert [name for name in EXTRAS if sys.modules.get(name)] == []
assert threading.active_count() == 1
if WITHOUT_NUMBA:
    faults = {
        "a search or a large board needs numba": lambda: next(position.search("corners")),
        "compiling needs numba": lambda: hoppers.warm(hoppers.puzzle("english-33")),
        "a proof by weights needs highspy": lambda: hoppers.puzzle("french-37").position().bounds,
        "a server needs": hoppers.create_app,
    }
    for beginning, call in faults.items():
        try:
            call()
        except hoppers.MissingExtra as error:
            assert str(error).startswith(beginning) and "pip install 'hoppers[s" in str(error), error
        else:
            raise AssertionError(f"without the extras: {beginning}")
"""


def run(program: str, cache: Path) -> None:
    environment = {**os.environ, "HOPPERS_CACHE": str(cache), "PYTHONPATH": str(ROOT / "server")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, cwd=cache
    )
    assert done.returncode == 0, done.stderr


def test_import_loads_nothing(tmp_path: Path) -> None:
    run(IMPORT, tmp_path)


@pytest.mark.parametrize(
    ("blocked", "platform"),
    [
        (set(), sys.platform),
        (EXTRAS["search"] | EXTRAS["server"], sys.platform),
        (EXTRAS["search"] | EXTRAS["server"] | ABSENT_IN_A_BROWSER, "emscripten"),
    ],
    ids=["everything", "small", "browser"],
)
def test_small_boards_are_answered_without_extras(blocked: set[str], platform: str, tmp_path: Path) -> None:
    names = sorted(EXTRAS["search"] | EXTRAS["server"])
    run(f"BLOCKED, PLATFORM, EXTRAS = {blocked!r}, {platform!r}, {names!r}\n{ANSWERS}", tmp_path)
    assert list(tmp_path.iterdir()) == []
