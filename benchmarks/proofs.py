"""Proofs of the fewest moves on the large peg boards, from nothing, in process."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from hoppers.core.events import Event, Exhausted, Solved
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.bidirectional.search import search
from tests.engine import ENGINE, find

BOARDS = ("english-33", "french-37")
FEW = {"english-33": [(0, 0), (3, 22), (8, 8), (16, 16)], "french-37": [(0, 19)]}
"""Problems of the short version: (vacancy, finishing hole)."""


class Proof(NamedTuple):
    """Last event of a search, its nodes, its seconds by the clock and of the processor, and its memory."""

    end: Event
    nodes: int
    seconds: float
    processor: float
    megabytes: float


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


def prove(puzzle: Puzzle, start: int, end: int) -> Proof:
    """Prove a problem as the method "bidirectional" does."""
    began, cpu, nodes = time.perf_counter(), time.process_time(), 0
    free = least_free = ENGINE.memory.left
    last: Event | None = None
    for event in search(Question(puzzle, end, Position((1 << puzzle.holes) - 1 ^ 1 << start))):
        nodes += event.nodes if isinstance(event, Exhausted | Solved) else 0
        last, least_free = event, min(least_free, ENGINE.memory.left)
    assert last is not None
    seconds = time.perf_counter() - began
    return Proof(last, nodes, seconds, time.process_time() - cpu, (free - least_free) / 1e6)


def report(few: bool = False) -> Iterator[str]:
    """Yield one line per problem, for all or a `few`."""
    for puzzle_id in BOARDS:
        puzzle = find(puzzle_id)
        compile_searches(puzzle)
        yield f"{puzzle_id}, proofs from nothing: moves, nodes, seconds, seconds of the processor, memory:"
        proofs = []
        for start, end in FEW[puzzle_id] if few else pairs(puzzle):
            proofs.append(prove(puzzle, start, end))
            yield f"  {start:2} -> {end:2}  {_text(proofs[-1])}"
        seconds = [proof.seconds for proof in proofs]
        yield f"  slowest {max(seconds):.2f} s, together {sum(seconds):.1f} s"


def _text(proof: Proof) -> str:
    end = proof.end
    outcome = f"{end.limit} moves" if isinstance(end, Solved) else type(end).__name__
    times = f"{proof.seconds:7.2f} s {proof.processor:7.2f} s"
    return f"{outcome:10} {proof.nodes:13,} {times} {proof.megabytes:6.0f} MB"
