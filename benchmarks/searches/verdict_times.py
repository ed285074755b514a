"""CPU time of verdicts along random games, and of building closures of peg boards."""

import random
import statistics
import time
from collections.abc import Callable, Iterator

from hoppers.analysis import verdicts
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.jump_masks import Shifts
from hoppers.puzzles.pegs.pagoda import PagodaSet
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.tablebase.builder import finish
from tests.support.engine import PUZZLES, find

BOARDS = ("english-33", "french-37", "diamond-41")
CLOSED_FROM = 24
WALKS, GAMES = 5, 8
MAX_BOARDS = 10_000_000

Draw = Callable[[Puzzle, random.Random, int], Position]


def walk(puzzle: Puzzle, rng: random.Random, pegs: int) -> Position:
    """Return a position with `pegs` pegs from a random game."""
    while True:
        position = puzzle.parse(rng.choice(list(puzzle.starts.values())))
        while position.state.bit_count() > pegs and (steps := puzzle.legal_steps(position)):
            position = rng.choice(steps).after
        if position.state.bit_count() == pegs:
            return position


def backwards(puzzle: Puzzle, rng: random.Random, pegs: int) -> Position:
    """Return a solvable position with `pegs` pegs, by random jumps backwards from one peg."""
    while True:
        state = 1 << rng.randrange(puzzle.holes)
        while state.bit_count() < pegs:
            lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in puzzle.board.jumps]
            befores = [state ^ line for line, end in lines if state & line == end]
            if not befores:
                break
            state = rng.choice(befores)
        else:
            return Position(state)


def closures(puzzle: Puzzle) -> Iterator[str]:
    """Measure closures of random and of solvable positions, whole and pruned by pagoda functions."""
    board = PegBoard(puzzle.board)
    for name, draw in (("random games", walk), ("live", backwards)):
        for known in (False, True):
            runs = sorted(_closed(board, known, [*_drawn(puzzle, board, draw)]))
            seconds, closed = [run[0] for run in runs], [run for run in runs if run[1]]
            yield (
                f"  {puzzle.id:11} {CLOSED_FROM} pegs, {name:12} {'with pagodas' if known else 'whole':12}"
                f" median {statistics.median(seconds):.3f} s   p90 {seconds[len(seconds) * 9 // 10]:.3f} s"
                f"   worst {seconds[-1]:.3f} s   {max([run[1] for run in closed], default=0):,} boards"
                f" at most, {sum(run[2] for run in closed)} dead, {len(runs) - len(closed)} given up"
            )


def _drawn(
    puzzle: Puzzle, board: PegBoard, draw: Callable[[Puzzle, random.Random, int], Position]
) -> Iterator[int]:
    """Yield `WALKS` states that the position class does not prove unsolvable."""
    rng, found = random.Random(24), 0
    while found < WALKS:
        state = draw(puzzle, rng, CLOSED_FROM).state
        if board.ends(-1, state):
            found += 1
            yield state


def _closed(board: PegBoard, known: bool, states: list[int]) -> Iterator[tuple[float, int, bool]]:
    """Yield for each closure: CPU seconds, boards (0: too many), and whether the position is unsolvable."""
    pagodas = PagodaSet(board.jumps, board.holes, board.shifts) if known else None
    for state in states:
        ends = tuple(board.ends(-1, state))
        began = time.process_time()
        closure = finish(build_closure([state], -1, board.shifts, MAX_BOARDS, pagodas, ends))
        spent = time.process_time() - began
        dead = closure is not None and closure.moves_left(Position(state)) == DEAD
        yield spent, 0 if closure is None else closure.size, dead


def verdicts_along_games(puzzle: Puzzle) -> str:
    """Return a report line on the CPU time of verdicts on positions and their steps, along random games."""
    goal, start = puzzle.parse_goal(None), puzzle.parse(puzzle.start)
    verdicts.verdict_of(puzzle, goal, start)
    puzzle.engine.builder.join(60)
    spent = []
    for seed in range(GAMES):
        rng, position = random.Random(seed), start
        while steps := puzzle.steps(position):
            began = time.thread_time()
            verdicts.graded(puzzle, goal, position)[1]
            spent.append((time.thread_time() - began) * 1e3)
            position = rng.choice(steps).after
    puzzle.engine.builder.cancel_all()
    spent.sort()
    return (
        f"  {puzzle.id:11} {len(spent):4} positions   median {statistics.median(spent):.2f} ms"
        f"   p99 {spent[len(spent) * 99 // 100]:.1f} ms   worst {spent[-1]:.1f} ms"
    )


def report(few: bool = False) -> Iterator[str]:
    """Yield the lines of the report; `few`: without closures, which take minutes."""
    yield "Peg boards, CPU time, verdicts on a position and all its steps along random games:"
    yield from (verdicts_along_games(puzzle) for puzzle in PUZZLES.values() if puzzle.family == "pegs")
    if few:
        return
    yield f"Closures of positions with {CLOSED_FROM} pegs, CPU time:"
    for puzzle in map(find, BOARDS):
        few_pegs = walk(puzzle, random.Random(1), 8).state
        finish(build_closure([few_pegs], -1, _shifts(puzzle), 1000))  # compiles
        yield from closures(puzzle)


def _shifts(puzzle: Puzzle) -> Shifts:
    return PegBoard(puzzle.board).shifts


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
