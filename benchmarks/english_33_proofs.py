"""Proofs of the 21 problems of English 33 by best-first search, without tables; CPU time."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs import ends_of
from hoppers.puzzles.pegs.best_first.search import best_first
from hoppers.puzzles.pegs.bidirectional.search import bidirectional_search
from hoppers.tablebase.table_method import Search
from tests.engine import find


class Proof(NamedTuple):
    """Moves, boards opened and CPU seconds of a proof."""

    moves: int
    boards: int
    seconds: float


def compile_searches(puzzle: Puzzle) -> None:
    """Compile the kernels of a puzzle that its own start does not need, or load them from disk."""
    for compile_kernels in puzzle.solving.precompile.values():
        compile_kernels()


def pairs(puzzle: Puzzle) -> list[tuple[int, int]]:
    """Return start and finish of every problem that the position class allows, up to symmetry."""
    every, holes = (1 << puzzle.holes) - 1, range(puzzle.holes)
    allowed = {
        min((image[start], image[end]) for image in puzzle.board.symmetries)
        for start in holes
        for end in holes
        if puzzle.rules.obstruction(Position(every ^ 1 << start), end) is None
    }
    return sorted(allowed)


def by_hash(puzzle: Puzzle) -> Search:
    """Return the bidirectional search by hash, which boards with wider keys need."""
    return bidirectional_search(puzzle.board.jumps, puzzle.board.symmetries, ends_of)


def as_served(puzzle: Puzzle) -> Search:
    """Return the search that the server runs: best-first from both ends."""
    board = puzzle.board
    return best_first(board.jumps, board.symmetries, ends_of)


def prove(puzzle: Puzzle, search: Search, start: int, end: int) -> Proof | None:
    """Prove a problem; return None if the search gave up."""
    began, boards, last = time.process_time(), 0, None
    for event in search(Question(puzzle, end, Position((1 << puzzle.holes) - 1 ^ 1 << start))):
        boards += event.nodes if isinstance(event, Exhausted | Solved) else 0
        last = event
    seconds = time.process_time() - began
    return Proof(last.limit, boards, seconds) if isinstance(last, Solved) else None


FEW = [(3, 22), (8, 8), (16, 16)]
"""Problems of the short version, also proved by hash: half a minute of one core."""


def report(few: bool = False) -> Iterator[str]:
    """Yield one line per problem, for all or a `few`; those few are also proved by hash."""
    puzzle = find("english-33")
    compile_searches(puzzle)
    served, hashed = as_served(puzzle), by_hash(puzzle)
    yield "English 33, proofs without tables, CPU time: beam and best-first search; for some, search by hash:"
    seconds = []
    for start, end in FEW if few else pairs(puzzle):
        proof = prove(puzzle, served, start, end)
        seconds.append(proof.seconds if proof is not None else float("inf"))
        by_hash_text = _text(prove(puzzle, hashed, start, end)) if (start, end) in FEW else ""
        yield f"  {start:2} -> {end:2} {_text(proof)}   {by_hash_text}".rstrip()
    yield f"  the slowest best-first {max(seconds):.2f} s, together {sum(seconds):.1f} s"


def _text(proof: Proof | None) -> str:
    if proof is None:
        return "gave up"
    return f"{proof.moves} moves {proof.boards:12,} boards {proof.seconds:7.2f} s"
