"""Peg boards too large for a complete table: closures of positions, judgement of games, in CPU time."""

import random
import statistics
import time
from collections.abc import Iterator

from server import judge
from server.exact.big_board import BigBoard
from server.exact.closure import close
from server.exact.workshop import WORKSHOP, finish
from server.puzzle import Puzzle
from server.puzzles import find
from server.records import DEAD, Position

BOARDS = ("english-33", "french-37", "diamond-41")
CLOSED_FROM = 24
WALKS, GAMES = 10, 8
MOST_BOARDS = 10_000_000


def walk(puzzle: Puzzle, rng: random.Random, pegs: int) -> Position:
    """A position with so many pegs on a random game that gets so far."""
    while True:
        position = puzzle.parse(rng.choice(list(puzzle.starts.values())))
        while position.state.bit_count() > pegs and (steps := puzzle.raw_steps(position)):
            position = rng.choice(steps).after
        if position.state.bit_count() == pegs:
            return position


def backwards(puzzle: Puzzle, rng: random.Random, pegs: int) -> Position:
    """A live position: a random game played backwards from one peg."""
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
    """CPU seconds of closures of random positions: those of random games, and live ones made backwards."""
    board = BigBoard(puzzle.board.jumps, puzzle.board.symmetries)
    for name, draw in (("random games", walk), ("live", backwards)):
        rng, seconds, boards, dead = random.Random(24), [], [], 0
        for _ in range(WALKS):
            position = draw(puzzle, rng, CLOSED_FROM)
            began = time.process_time()
            closure = finish(close([position.state], -1, board.shifts, MOST_BOARDS))
            seconds.append(time.process_time() - began)
            boards.append(0 if closure is None else len(closure.order))
            dead += closure is not None and closure.moves_left(position) == DEAD
        yield (
            f"  {puzzle.id:11} closures, {CLOSED_FROM} pegs, {name:12}"
            f" median {statistics.median(seconds):.3f} s   worst {max(seconds):.3f} s"
            f"   {max(boards):,} boards at most, {dead} of {WALKS} dead"
        )


def judgements(puzzle: Puzzle) -> str:
    """CPU milliseconds to judge a position and all its steps along random games from the classic start."""
    goal, start = puzzle.parse_goal(None), puzzle.parse(puzzle.start)
    judge.judge(puzzle, goal, start)
    WORKSHOP.wait(60)
    spent = []
    for seed in range(GAMES):
        rng, position = random.Random(seed), start
        while steps := puzzle.steps(position):
            began = time.thread_time()
            judge.graded_steps(puzzle, goal, position)
            spent.append((time.thread_time() - began) * 1e3)
            position = rng.choice(steps).after
    WORKSHOP.stop()
    spent.sort()
    return (
        f"  {puzzle.id:11} position and steps judged   median {statistics.median(spent):.2f} ms"
        f"   p99 {spent[len(spent) * 99 // 100]:.1f} ms   worst {spent[-1]:.1f} ms"
    )


def report() -> Iterator[str]:
    """Everything as lines of text, each when it is known."""
    yield "Peg boards without a complete table, CPU time:"
    for puzzle in map(find, BOARDS):
        finish(close([walk(puzzle, random.Random(1), 8).state], -1, _shifts(puzzle), 1000))  # compiles
        yield from closures(puzzle)
        yield judgements(puzzle)


def _shifts(puzzle: Puzzle) -> object:
    return BigBoard(puzzle.board.jumps, puzzle.board.symmetries).shifts


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
