"""Boards, positions and solutions for the tests of large peg boards."""

import random
from collections.abc import Iterator

from hoppers.analysis import verdicts
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.pagoda import PagodaSet
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.tables.complete_table import MAX_HOLES
from hoppers.puzzles.pegs.unproved_solutions import UnprovedSolutions
from hoppers.tablebase.atlas_data import vacated
from tests.support.engine import PUZZLES, find

PEG_BOARDS = [puzzle.id for puzzle in PUZZLES.values() if puzzle.family == "pegs"]
LARGE_BOARDS = [id for id in PEG_BOARDS if find(id).holes > MAX_HOLES]
"""Boards without a complete table."""
LATE = 0x1D6FF226D
"""A board of English 33 with 18 pegs."""


def random_board(puzzle: Puzzle, pegs: int, rng: random.Random) -> int:
    """Return a board (bit mask) with `pegs` pegs from a random game."""
    state = 0
    while state.bit_count() != pegs:
        position = puzzle.parse(rng.choice(list(puzzle.starts.values())))
        while position.state.bit_count() > pegs and (steps := puzzle.legal_steps(position)):
            position = rng.choice(steps).after
        state = position.state
    return state


def is_dense(puzzle: Puzzle) -> bool:
    """Return whether a board has diagonals: more boards follow from each, and bounds near the end are low."""
    return len(puzzle.board.jumps) > 3 * puzzle.holes


def closable(puzzle: Puzzle, pegs: int) -> int:
    """Return `pegs`, or fewer on a dense board, so that a closure stays small."""
    return pegs * 2 // 3 if is_dense(puzzle) else pegs


def solvable_board(puzzle: Puzzle, pegs: int, rng: random.Random, end: int | None = None) -> int:
    """Return a board with `pegs` pegs, made by random jumps taken back from one peg.

    That peg is in hole `end`, or in a random hole if `end` is None or leads to no such board.
    """
    state = 1 << (rng.randrange(puzzle.holes) if end is None else end)
    while state.bit_count() < pegs:
        lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in puzzle.board.jumps]
        before = [state ^ line for line, end in lines if state & line == end]
        state = rng.choice(before) if before else 1 << rng.randrange(puzzle.holes)
    return state


def find_solution(hints: UnprovedSolutions, question: Question) -> list[Step]:
    """Return the steps of the solution that is known after `UnprovedSolutions.find_solution`, [] if none."""
    hints.find_solution(question)
    bounds = question.puzzle.engine.bounds
    steps: list[Step] = bounds.line(question.puzzle, question.goal, question.root)
    return steps


def peg_setup(puzzle_id: str) -> tuple[Puzzle, PegBoard, PagodaSet]:
    puzzle = find(puzzle_id)
    board = PegBoard(puzzle.board)
    return puzzle, board, PagodaSet(board.jumps, board.holes, board.shifts)


def all_but(puzzle: Puzzle, hole: int) -> int:
    """Return the board (bit mask) on which only `hole` is empty."""
    return (1 << puzzle.holes) - 1 ^ 1 << hole


def followed(puzzle: Puzzle, goal: int, position: Position) -> Iterator[tuple[verdicts.Verdict, Step]]:
    """Yield the verdict and the first step of each hint, and play it, until the goal is reached."""
    while not puzzle.is_solved(position, goal):
        verdict, move = verdicts.hint(puzzle, goal, position)
        step = puzzle.step(position, *move[:2])
        yield verdict, step
        position = step.after


def off_the_lines(puzzle: Puzzle, goal: str) -> Position:
    """Return a position two jumps after the start with hole 1 empty that is on no solution of the atlas."""
    first = [step.after for step in puzzle.steps(vacated(puzzle, 1))]
    second = (puzzle.canonical(step.after) for position in first for step in puzzle.steps(position))
    code = puzzle.parse_goal(goal)
    known = puzzle.engine.bounds
    return next(position for position in second if known.of(puzzle, code, position).most is None)
