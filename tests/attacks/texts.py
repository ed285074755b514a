"""Odd texts and JSON values, positions that are almost valid, and choices of a generator of inputs.

All generators of this package draw from a `Random`, so a seed repeats its inputs.
"""

import json
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from tests.support.engine import PUZZLES

NASTY = (
    "", "0", "-1", "any", "null", "\x00", "\ud7ff", "é", "٦", "😀", "'\"<script>", "../../etc/passwd",
    "%s%n", "%00", "o" * 400, "9" * 60, "1e9", "NaN", "true", "[]", "{}", "{0.x}", ":", "::", ":6",
    "a:b:c", "\r\nX: y", "\u202e", " ", "+", "\x1b[31m", "\x85", "\xa0",
)  # fmt: skip
QUICK = ("hoppers", "diamond-13", "triangle-15", "eight-puzzle", "flip-it-6", "flip-it-7-slide")
"""Puzzles with complete tables: no request to them takes long."""
MAX_DEPTH = 60  # of nested JSON
Item = TypeVar("Item")


def mutated(dice: Random, text: str) -> str:
    """Return `text`, in two cases of three with a random change."""
    place = dice.randrange(len(text) + 1)
    change: Callable[[], str] = dice.choice(
        [
            lambda: text,
            lambda: text,
            lambda: text,
            lambda: text[:place] + text[place + 1 :],
            lambda: text[:place] + dice.choice("o.:0123456789abcdefbw_x é٦") + text[place + 1 :],
            lambda: "".join(dice.sample(text, len(text))),
            lambda: text + dice.choice(NASTY),
            lambda: text * dice.randrange(1, 9),
            lambda: dice.choice(NASTY),
        ]
    )
    return change()


def position(dice: Random, puzzle: str) -> str:
    """Return a text that is, or almost is, a position of the puzzle."""
    known = PUZZLES[puzzle]
    text = dice.choice(
        [known.start, *known.starts.values(), *(problem.start for problem in known.gallery.problems)]
    )
    if dice.random() < 0.3:
        text = "".join(dice.choice(known.rules.alphabet) for _ in text)
    if dice.random() < 0.2:
        text += f":{dice.randrange(-1, 40)}"
    return mutated(dice, text)


def junk(dice: Random, depth: int = 0) -> Any:
    """Return a random JSON value."""
    leaf: Any = dice.choice([None, True, 0, -1, 2**70, 1.5, 1e300, dice.choice(NASTY), "t"])
    if depth > 3 or dice.random() < 0.6:
        return leaf
    if dice.random() < 0.05:
        return json.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    inner = [junk(dice, depth + 1) for _ in range(dice.randrange(4))]
    return inner if dice.random() < 0.5 else {dice.choice(NASTY)[:20]: item for item in inner}


def some(dice: Random, choices: tuple[Item, ...], most: int) -> list[Item]:
    """Return up to `most` of `choices`, often none; one may occur twice."""
    return dice.choices(choices, k=dice.choice([0, 0, *range(most + 1)]))
