"""Proofs of the fewest moves on large peg boards, without known answers: over Socket.IO, in process."""

import random
import time
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.front_door import ENDS, Player, server
from benchmarks.searches.verdict_times import backwards
from hoppers.core.events import Event, Exhausted, Failed, Solved, Stopped
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.bidirectional.search import search
from hoppers.puzzles.pegs.pagoda import PagodaSet
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.tablebase.builder import finish
from tests.support.engine import ENGINE, find

BOARDS = ("english-33", "french-37", "diamond-41")
FEW = {"english-33": [(0, 0), (3, 22), (8, 8), (16, 16)], "french-37": [(0, 19)], "diamond-41": []}
"""Problems of the short version: (vacancy, finishing hole)."""
MID_GAME, FEW_MID_GAME = 12, 3
"""Number of positions in mid-game on each board."""
MID_GAME_PEGS = (0.5, 0.8)
"""Least and greatest share of holes with a peg in positions in mid-game."""
LARGEST_CLOSURE = 16_000_000
"""Largest closure that is built to check a proof, in boards."""
SEED = 26


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


def starts(puzzle: Puzzle, few: bool) -> list[Problem]:
    """Return problems with one vacancy: all that the position class allows, up to symmetry, or a `few`.

    Return none for Diamond 41, because the proofs take more memory than a server has.
    """
    pairs = FEW[puzzle.id] if few or puzzle.id == "diamond-41" else _pairs(puzzle)
    every = (1 << puzzle.holes) - 1
    return [Problem(f"{start} -> {end}", Position(every ^ 1 << start), end) for start, end in pairs]


def _pairs(puzzle: Puzzle) -> list[tuple[int, int]]:
    every, holes = (1 << puzzle.holes) - 1, range(puzzle.holes)
    allowed = {
        min((image[start], image[end]) for image in puzzle.board.symmetries)
        for start in holes
        for end in holes
        if puzzle.rules.obstruction(Position(every ^ 1 << start), end) is None
    }
    return sorted(allowed)


def mid_game(puzzle: Puzzle, few: bool) -> list[Problem]:
    """Return solvable positions, made by random jumps backwards, with evenly spread numbers of pegs."""
    rng, board, count = random.Random(SEED), PegBoard(puzzle.board), FEW_MID_GAME if few else MID_GAME
    problems = []
    for number in range(count):
        share = MID_GAME_PEGS[0] + (MID_GAME_PEGS[1] - MID_GAME_PEGS[0]) * number / (count - 1)
        position = backwards(puzzle, rng, round(share * puzzle.holes))
        end = rng.choice(board.ends(-1, position.state)).bit_length() - 1
        problems.append(Problem(f"{position.state.bit_count()} pegs -> {end}", position, end))
    return problems


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
    """Return the seconds of a proof over Socket.IO, from the request to the last event."""
    began = player.search(
        {
            "puzzle": puzzle.id,
            "position": puzzle.format(problem.position),
            "goal": str(problem.end),
            "method": "bidirectional",
            "find": "first",
            "fresh": True,
        }
    )
    return player.wait(*ENDS)[1] - began


def check(puzzle: Puzzle, problem: Problem, end: Event) -> str:
    """Compare a proof with a closure; return a note, or '' if they cannot be compared.

    Raises:
        RuntimeError: proof and closure differ.
    """
    board, (state, _) = PegBoard(puzzle.board), problem.position
    if state.bit_count() > MID_GAME_PEGS[1] * puzzle.holes or isinstance(end, Failed | Stopped):
        return ""
    ends, pagodas = board.ends(problem.end, state), PagodaSet(board.jumps, board.holes, board.shifts)
    closure = finish(build_closure([state], problem.end, board.shifts, LARGEST_CLOSURE, pagodas, ends))
    if closure is None:
        return ""
    if closure.moves_left(problem.position) != (end.limit if isinstance(end, Solved) else DEAD):
        raise RuntimeError(f"{puzzle.id} {problem.name}: the closure differs from {end}")
    return "equal to its closure"


def report(few: bool = False) -> Iterator[str]:
    """Yield one line per problem, for all or a `few`."""
    with server() as address:
        player = Player(address)
        for puzzle in map(find, BOARDS):
            compile_searches(puzzle)
            yield f"{puzzle.id}, from nothing: moves, nodes, channel, in process, of the processor, memory:"
            taken = []
            for problem in starts(puzzle, few) + mid_game(puzzle, few):
                seconds, proof = stream(player, puzzle, problem), prove(puzzle, problem)
                taken.append(seconds)
                compared = check(puzzle, problem, proof.end)
                yield f"  {problem.name:14} {_text(proof, seconds)}   {compared}".rstrip()
            yield f"  slowest {max(taken):.2f} s, together {sum(taken):.1f} s over the channel"


def _text(proof: Proof, seconds: float) -> str:
    end = proof.end
    outcome = f"{end.limit} moves" if isinstance(end, Solved) else type(end).__name__
    times = f"{seconds:7.2f} s {proof.seconds:7.2f} s {proof.processor:7.2f} s"
    return f"{outcome:10} {proof.nodes:13,} {times} {proof.megabytes:6.0f} MB"
