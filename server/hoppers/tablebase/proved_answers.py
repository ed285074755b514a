"""Answers and bounds that outlive the process, stored by the canonical form of their problem.

All values are JSON with checksums. A proved answer is the fewest moves with one shortest solution, or DEAD.
The key of an answer is `SOURCES_DIGEST` and the canonical form that all symmetric images of a problem share.
A stored answer is used only if its checksum is right and its solution, if it has one, reaches the goal when
replayed by the rules.
"""

import hashlib
import json
import logging
from functools import cache
from typing import Any

from hoppers.core.board import Permutation
from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.core.model import DEAD, ByteStore, Position, ProblemKey
from hoppers.core.puzzle import Puzzle
from hoppers.runtime.metrics import ANSWERS

log = logging.getLogger(__name__)

CHECKSUM_BYTES = 8

Trail = list[tuple[Position, int]]
"""The positions along a shortest solution, each with its moves left; or one dead position with DEAD."""


def read_value(store: ByteStore | None, name: str) -> Any:
    """Return the JSON value stored under a name, or None if there is no value or no store.

    Raises:
        ValueError: the value is damaged.
    """
    stored = None if store is None else store.get(name)
    if stored is None:
        return None
    if stored[:CHECKSUM_BYTES] != checksum(name, stored[CHECKSUM_BYTES:]):
        raise ValueError("the checksum differs")
    return json.loads(stored[CHECKSUM_BYTES:])


def write_value(store: ByteStore | None, name: str, value: Any) -> None:
    """Store a JSON value with its checksum under a name. Without a store, do nothing."""
    if store is not None:
        text = json.dumps(value).encode()
        store.put(name, checksum(name, text) + text)


def drop_value(store: ByteStore | None, name: str) -> None:
    """Replace a damaged value by null, which `read_value` treats as no value, so that it is logged once."""
    write_value(store, name, None)


def checksum(name: str, value: bytes) -> bytes:
    """Return a checksum of a name and a value (8 bytes of SHA-256)."""
    return hashlib.sha256(name.encode() + b"\0" + value).digest()[:CHECKSUM_BYTES]


def canonical_form(puzzle: Puzzle, goal: int, position: Position) -> tuple[ProblemKey, Permutation]:
    """Return the canonical form of a problem, and the symmetry of the board that leads to it."""
    bits, mask = puzzle.rules.bits_per_cell, puzzle.rules.cell_mask
    contents = [(hole, position.state >> bits * hole & mask) for hole in range(puzzle.holes)]
    filled = [(hole, content) for hole, content in contents if content]
    goals = [(puzzle.rules.goal_image(image, goal), image) for image in puzzle.board.symmetries]
    least = min(end for end, _ in goals if end is not None)
    forms = []
    for end, image in goals:
        if end == least:
            state = sum([content << bits * image[hole] for hole, content in filled])
            forms.append((state, image[position.active] if position.active >= 0 else -1, image))
    state, active, image = min(forms)
    return ProblemKey(puzzle.id, least, Position(state, active)), image


def rearranged(puzzle: Puzzle, state: int, places: Permutation) -> int:
    """Return `state` rearranged: each hole gets the content of the hole `places[hole]`."""
    cells = puzzle.cells(state)
    return puzzle.pack(tuple(cells[place] for place in places))


@cache
def inverse(image: Permutation) -> Permutation:
    """Return the inverse of the symmetry `image`."""
    return tuple(sorted(range(len(image)), key=image.__getitem__))


def read_answer(puzzle: Puzzle, goal: int, position: Position) -> Trail | None:
    """Return the stored answer for a position; None if there is none, or if it is damaged or wrong."""
    name, image = _form(puzzle, goal, position)
    try:
        stored = read_value(puzzle.engine.answers, name)
        if stored is None:
            ANSWERS.labels("no").inc()
            return None
        left, states = stored
        trail = _trail(puzzle, goal, position, left, [rearranged(puzzle, state, image) for state in states])
    except (ValueError, TypeError, OverflowError) as error:
        log.warning("ignoring a stored answer of %s: %s", puzzle.id, error)
        ANSWERS.labels("damaged").inc()
        drop_value(puzzle.engine.answers, name)
        return None
    ANSWERS.labels("yes").inc()
    return trail


def write_answer(puzzle: Puzzle, goal: int, position: Position, left: int, states: list[int]) -> None:
    """Store a proved answer: the fewest moves `left`, and `states` after each step of a solution.

    For a dead position `left` is DEAD and `states` is empty. An invalid solution is ignored.
    """
    if puzzle.engine.answers is None:
        return
    try:
        _trail(puzzle, goal, position, left, states)
    except ValueError:
        return
    name, image = _form(puzzle, goal, position)
    forms = [rearranged(puzzle, state, inverse(image)) for state in states]
    write_value(puzzle.engine.answers, name, [left, forms])


def _trail(puzzle: Puzzle, goal: int, position: Position, left: int, states: list[int]) -> Trail:
    """Return `position` and every position along `states`, each with its moves left.

    Raises:
        ValueError: `states` do not form a solution of `left` moves, or are not empty although `left` is DEAD.
    """
    trail = [(position, left)]
    for step in puzzle.steps_along(position, states):
        trail.append((puzzle.canonical(step.after), trail[-1][1] - step.cost))
    end, rest = trail[-1]
    if (left == DEAD and states) or (left != DEAD and (rest or not puzzle.is_solved(end, goal))):
        raise ValueError("the states do not lead to the end")
    return trail


def _form(puzzle: Puzzle, goal: int, position: Position) -> tuple[str, Permutation]:
    """Return the name under which an answer is stored, and the symmetry that leads to the canonical form."""
    key, image = puzzle.engine.bounds.canonical_form(puzzle, goal, position)
    return f"{SOURCES_DIGEST}/{key.name}", image
