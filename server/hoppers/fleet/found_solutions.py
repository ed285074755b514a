"""Ways that searches of workers found and have not proved: the hints of every server learn them.

The last ones stand in a stream of Redis. Each server reads on from where it was; one that has just started
begins with the oldest. A way is played again by the rules before it is believed.
"""

import itertools
import json
import logging
from typing import Any

from hoppers.analysis.requests import read_search
from hoppers.core.errors import PuzzleError
from hoppers.core.puzzle import Question
from hoppers.fleet.search_records import KEPT_SECONDS, PREFIX

log = logging.getLogger(__name__)

WAYS = f"{PREFIX}:ways"
MOST = 500
"""Ways that are kept, or little more."""
AT_ONCE = 10
"""Ways read at a time: some milliseconds each."""

Moves = list[list[int]]


class Ways:
    """The stream, written by workers, read by servers."""

    def __init__(self, redis: Any) -> None:
        """Nothing is read yet."""
        self._redis, self._last = redis, "0"

    def write(self, asked: dict[str, Any], moves: Moves) -> None:
        """Let all servers know what the search for `asked` found."""
        way = {"asked": json.dumps(asked), "moves": json.dumps(moves)}
        self._redis.xadd(WAYS, way, maxlen=MOST, approximate=True)
        self._redis.expire(WAYS, KEPT_SECONDS)

    def learn(self) -> None:
        """Read the next ways, if there are any, and let the puzzles' hints know them."""
        for _, entries in self._redis.xread({WAYS: self._last}, count=AT_ONCE):
            for number, way in entries:
                self._last = number
                _hear(way)


def _hear(way: dict[str, str]) -> None:
    try:
        question, moves = read_search(**json.loads(way["asked"])).question, json.loads(way["moves"])
        if _leads_to_the_end(question, moves):
            question.puzzle.solver.on_solution_found(question, moves)
    except (PuzzleError, LookupError, TypeError, ValueError):
        log.warning("a way that a worker found is none by our rules: %.200s", way, exc_info=True)


def _leads_to_the_end(question: Question, moves: Moves) -> bool:
    """Whether the goal is reached, by the first step asked for if there is one.

    Raises:
        PuzzleError: the rules forbid it.
    """
    puzzle, position, first = question.puzzle, question.position, question.first
    if first is not None and [first.origin, first.target] != moves[0][:2]:
        return False
    for leg in [leg for move in moves for leg in itertools.pairwise(move)]:
        position = puzzle.step(position, *leg).after
    return puzzle.is_solved(position, question.goal)
