"""The 21 problems of English 33, from nothing, without tables: moves, boards opened, CPU seconds."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.jobs.kernel_warmup import rehearse
from hoppers.puzzles.pegs import ends_of
from hoppers.puzzles.pegs.beam.line_first import with_beam_first
from hoppers.puzzles.pegs.beam.search import beam_board
from hoppers.puzzles.pegs.best_first.search import best_first
from hoppers.puzzles.pegs.bidirectional.search import bidirectional_search
from hoppers.tablebase.table_method import Search
from tests.engine import find


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
        if puzzle.rules.obstruction(Position(every ^ 1 << start), end) is None
    }
    return sorted(allowed)


def by_hash(puzzle: Puzzle) -> Search:
    """The search that boards with wider keys need."""
    return bidirectional_search(puzzle.board.jumps, puzzle.board.symmetries, ends_of)


def as_served(puzzle: Puzzle) -> Search:
    """What a player's search does where nothing is known: a good line, then best-first from both ends."""
    board = puzzle.board
    search = best_first(board.jumps, board.symmetries, ends_of, by_hash(puzzle))
    return with_beam_first(search, beam_board(board.jumps, puzzle.holes))


def prove(puzzle: Puzzle, search: Search, start: int, end: int) -> Proof | None:
    """What a search takes to prove a problem; None if it gave up."""
    began, boards, last = time.process_time(), 0, None
    for event in search(Question(puzzle, end, Position((1 << puzzle.holes) - 1 ^ 1 << start))):
        boards += event.nodes if isinstance(event, Exhausted | Solved) else 0
        last = event
    seconds = time.process_time() - began
    return Proof(last.limit, boards, seconds) if isinstance(last, Solved) else None


FEW = [(3, 22), (8, 8), (16, 16)]
"""Problems for a short look, which the slow search by hash proves, too: half a minute of one core."""


def report(few: bool = False) -> Iterator[str]:
    """A line per problem, all of them or a `few`, the search by hash beside for those few."""
    puzzle = find("english-33")
    rehearse(puzzle)
    served, hashed = as_served(puzzle), by_hash(puzzle)
    yield "English 33, proofs from nothing, CPU time: a good line and best-first, then by hash for some:"
    seconds = []
    for start, end in FEW if few else pairs(puzzle):
        proof = prove(puzzle, served, start, end)
        seconds.append(proof.seconds if proof is not None else float("inf"))
        beside = _text(prove(puzzle, hashed, start, end)) if (start, end) in FEW else ""
        yield f"  {start:2} -> {end:2} {_text(proof)}   {beside}".rstrip()
    yield f"  the slowest best-first {max(seconds):.2f} s, together {sum(seconds):.1f} s"


def _text(proof: Proof | None) -> str:
    if proof is None:
        return "gave up"
    return f"{proof.moves} moves {proof.boards:12,} boards {proof.seconds:7.2f} s"
