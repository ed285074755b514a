"""The engine that tests share which do not start an application, and its puzzles."""

from hoppers import puzzles
from hoppers.tablebase.engine import Engine

ENGINE = Engine(puzzles.PUZZLES)
PUZZLES = ENGINE.puzzles
find = ENGINE.find
