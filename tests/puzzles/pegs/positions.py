"""Boards, positions and solutions for the tests of large peg boards."""

import random

from hoppers.core.model import Step
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.pagoda import PagodaSet
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.unproved_solutions import UnprovedSolutions
from tests.support.engine import PUZZLES, find

PEG_BOARDS = [puzzle.id for puzzle in PUZZLES.values() if puzzle.family == "pegs"]
LARGE_BOARDS = [id for id in PEG_BOARDS if not find(id).source(0).is_complete]
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
