"""Unproved solutions found by searches of workers; all servers use them for hints.

A Redis stream holds the latest solutions. Each server continues after the last entry that it has read; a
server that has just started begins with the oldest entry. A solution is replayed by the rules before it is
used.
"""

import itertools
import json
import logging
from typing import Any

from hoppers.core.errors import PuzzleError
from hoppers.core.events import Found
from hoppers.core.puzzle import Question
from hoppers.fleet.search_records import EXPIRY_SECONDS, PREFIX
from hoppers.jobs.search_job import Read
from hoppers.tablebase.table_method import learn

log = logging.getLogger(__name__)

STREAM = f"{PREFIX}:solutions"
BATCH = 10  # entries read at a time; each takes some milliseconds to replay

Moves = list[list[int]]


class FoundSolutions:
    """The stream of found solutions, which workers write and servers read."""

    def __init__(self, redis: Any) -> None:
        self._redis, self._last = redis, "0"

    def write(self, query: dict[str, Any], moves: Moves) -> None:
        """Append a solution to the stream, which keeps about 500.

        `query`: arguments of `read_search` for the search that found the solution.
        """
        entry = {"query": json.dumps(query), "moves": json.dumps(moves)}
        self._redis.xadd(STREAM, entry, maxlen=500, approximate=True)
        self._redis.expire(STREAM, EXPIRY_SECONDS)

    def read_new(self, read: Read) -> None:
        """Read at most `BATCH` new entries and pass their solutions to the hints of their puzzles.

        `read`: parses the query of a search.
        """
        for _, entries in self._redis.xread({STREAM: self._last}, count=BATCH):
            for number, entry in entries:
                self._last = number
                _use(entry, read)


def _use(entry: dict[str, str], read: Read) -> None:
    """Pass a solution to the puzzle's hints if it is valid."""
    try:
        question, moves = read(**json.loads(entry["query"])).question, json.loads(entry["moves"])
        if _solves(question, moves):
            learn(question, Found(len(moves), 0.0, moves))
    except (PuzzleError, LookupError, TypeError, ValueError):
        log.warning("ignoring an invalid solution found by a worker: %.200s", entry, exc_info=True)


def _solves(question: Question, moves: Moves) -> bool:
    """Return whether `moves` reach the goal, with the first step of the question if it has one.

    Raises:
        PuzzleError: a step is not legal.
    """
    puzzle, position, first = question.puzzle, question.position, question.first
    if first is not None and [first.origin, first.target] != moves[0][:2]:
        return False
    for step in [step for move in moves for step in itertools.pairwise(move)]:
        position = puzzle.step(position, *step).after
    return puzzle.is_solved(position, question.goal)
