"""Proofs of the fewest moves on large boards, without known answers: over Socket.IO, in process.

The channel uses `best`, as players do; in process the bidirectional search runs alone, and may end without a
proof where its memory does not suffice.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.front_door import ENDS, Player, server
from hoppers.core.events import Event, Exhausted, Solved
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.bidirectional.search import search
from tests.support.engine import ENGINE, find

BOARDS = ("english-33", "french-37")
"""Boards of which a server has the memory to prove every problem with one vacancy."""


class Problem(NamedTuple):
    """A problem: its name, position and finishing hole."""

    name: str
    position: Position
    end: int


class Proof(NamedTuple):
    """Last event of a search, with its nodes, wall-clock seconds, processor seconds and megabytes."""

    end: Event
    nodes: int
    seconds: float
    processor: float
    megabytes: float


def compile_searches(puzzle: Puzzle) -> None:
    """Compile the kernels of a puzzle that its own start does not need, or load them from disk."""
    for compile_kernels in puzzle.solving.precompile.values():
        compile_kernels()


def starts(puzzle: Puzzle) -> list[Problem]:
    """Return the problems with one vacancy that the position class allows, up to symmetry."""
    every = (1 << puzzle.holes) - 1
    return [Problem(f"{start} -> {end}", Position(every ^ 1 << start), end) for start, end in _pairs(puzzle)]


def _pairs(puzzle: Puzzle) -> list[tuple[int, int]]:
    every, holes = (1 << puzzle.holes) - 1, range(puzzle.holes)
    allowed = {
        min((image[start], image[end]) for image in puzzle.board.symmetries)
        for start in holes
        for end in holes
        if puzzle.rules.obstruction(Position(every ^ 1 << start), end) is None
    }
    return sorted(allowed)


def prove(puzzle: Puzzle, problem: Problem) -> Proof:
    """Prove a problem by bidirectional search in this process, and measure the proof."""
    began, cpu, nodes = time.perf_counter(), time.process_time(), 0
    free = least_free = ENGINE.memory.left
    last: Event | None = None
    for event in search(Question(puzzle, problem.end, problem.position)):
        nodes += event.nodes if isinstance(event, Exhausted | Solved) else 0
        last, least_free = event, min(least_free, ENGINE.memory.left)
    assert last is not None
    seconds = time.perf_counter() - began
    return Proof(last, nodes, seconds, time.process_time() - cpu, (free - least_free) / 1e6)


def stream(player: Player, puzzle: Puzzle, problem: Problem) -> float:
    """Return the seconds of a proof by `best` over Socket.IO, from the request to the last event."""
    began = player.search(
        {
            "puzzle": puzzle.id,
            "position": puzzle.format(problem.position),
            "goal": str(problem.end),
            "method": "best",
            "find": "first",
            "fresh": True,
        }
    )
    return player.wait(*ENDS)[1] - began


def report() -> Iterator[str]:
    """Yield one line per problem."""
    with server() as address:
        player = Player(address)
        for puzzle in map(find, BOARDS):
            compile_searches(puzzle)
            yield f"{puzzle.id}, from nothing: moves, nodes, channel, in process, of the processor, memory:"
            taken = []
            for problem in starts(puzzle):
                seconds, proof = stream(player, puzzle, problem), prove(puzzle, problem)
                taken.append(seconds)
                yield f"  {problem.name:14} {_text(proof, seconds)}"
            yield f"  slowest {max(taken):.2f} s, together {sum(taken):.1f} s over the channel"


def _text(proof: Proof, seconds: float) -> str:
    end = proof.end
    outcome = f"{end.limit} moves" if isinstance(end, Solved) else type(end).__name__
    times = f"{seconds:7.2f} s {proof.seconds:7.2f} s {proof.processor:7.2f} s"
    return f"{outcome:10} {proof.nodes:13,} {times} {proof.megabytes:6.0f} MB"
