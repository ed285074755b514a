"""The 21 problems of English 33, from nothing, without tables: moves, boards opened, CPU seconds."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from server.exact.best_first import best_first
from server.puzzle import Puzzle, Question
from server.puzzles import find
from server.puzzles.pegs import ends_of
from server.records import Position
from server.search.both_ends import both_ends
from server.search.events import Exhausted, Solved


class Proof(NamedTuple):
    """What a proof took."""

    moves: int
    boards: int
    seconds: float


def pairs(puzzle: Puzzle) -> list[tuple[int, int]]:
    """Start and finish of every problem that the position class allows, up to symmetry."""
    every, holes = (1 << puzzle.holes) - 1, range(puzzle.holes)
    allowed = {
        min((image[start], image[end]) for image in puzzle.board.symmetries)
        for start in holes
        for end in holes
        if puzzle.obstruction(Position(every ^ 1 << start), end) is None
    }
    return sorted(allowed)


def prove(puzzle: Puzzle, start: int, end: int, quick: bool) -> Proof | None:
    """A proof by the best-first search, or by the one by hash; None if it gave up."""
    board = puzzle.board
    by_hash = both_ends(board.jumps, board.symmetries, ends_of)
    search = best_first(board.jumps, board.symmetries, ends_of, by_hash) if quick else by_hash
    began, boards, last = time.process_time(), 0, None
    for event in search(Question(puzzle, end, Position((1 << puzzle.holes) - 1 ^ 1 << start))):
        boards += event.nodes if isinstance(event, Exhausted | Solved) else 0
        last = event
    seconds = time.process_time() - began
    return Proof(last.limit, boards, seconds) if isinstance(last, Solved) else None


FEW = [(3, 22), (8, 8), (16, 16)]
"""Problems for a short look: together under two minutes of one core."""


def report(few: bool = False) -> Iterator[str]:
    """A line per problem, the search by hash beside the best-first one; all of them, or a `few`."""
    puzzle = find("english-33")
    puzzle.rehearse()
    yield "English 33, proofs from nothing: moves, boards and CPU seconds best-first, then by hash:"
    for start, end in FEW if few else pairs(puzzle):
        first, second = (_text(prove(puzzle, start, end, quick)) for quick in (True, False))
        yield f"  {start:2} -> {end:2} {first}   {second}"


def _text(proof: Proof | None) -> str:
    if proof is None:
        return "gave up"
    return f"{proof.moves} moves {proof.boards:12,} boards {proof.seconds:7.2f} s"
