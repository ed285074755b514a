"""Decide a problem of any drawn peg board: a certificate that it has a solution, or that it has none.

Tried in turn: functions and the table of a small board, beams, and levels from both ends.
"""

from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

from hoppers.core.board import SQUARE, TRIANGULAR, Board
from hoppers.core.model import Position, Step, group_moves
from hoppers.core.puzzle import Certificate, Puzzle, Question
from hoppers.core.texts import Text
from hoppers.puzzles.pegs import peg_puzzle, vacancy_problems
from hoppers.puzzles.pegs.beam_search import BEAMS
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.proofs.certificates import certificate, levels_certificate, line_certificate
from hoppers.puzzles.pegs.proofs.level_search import decide_by_levels
from hoppers.puzzles.pegs.unproved_solutions import first_solution
from hoppers.runtime.memory_budget import MemoryBudget
from hoppers.search.slicing import Result, map_progress
from hoppers.tablebase.engine import Engine

LATTICES = {"square": SQUARE, "triangular": TRIANGULAR}
MAX_HOLES = 45
LEVEL_BYTES = 40  # memory for a board of the largest level, with the hash set in which it is found


class Undecided(Exception):
    """Neither a solution nor a proof that there is none was found with what was allowed."""


class DrawnProblem(NamedTuple):
    """A problem of a drawn board as a puzzle."""

    puzzle: Puzzle
    goal: int
    position: Position


def drawn_problem(board: Board, start: str, goal: str, gigabytes: float) -> DrawnProblem:
    """Return a problem of a board. `start`: a position, or the hole that is empty.

    Raises:
        ValueError: the board has no hole, more than MAX_HOLES or no jump, or there is no such hole.
        PuzzleError: the start or the goal is not valid.
    """
    holes = len(board.points)
    if not 0 < holes <= MAX_HOLES or not board.jumps:
        raise ValueError(f"A board has up to {MAX_HOLES} holes and a jump; this one has {holes} holes.")
    puzzle = peg_puzzle("drawn", Text("Drawn board"), board, vacancy_problems(holes, (0, 0)))
    engine = Engine({puzzle.id: puzzle}, builds_in_background=False)
    engine.memory = MemoryBudget(int(gigabytes * 1e9))
    bound = engine.puzzles[puzzle.id]
    if start.isdecimal() and int(start) >= holes:
        raise ValueError(f"The board has no hole {start}.")
    text = bound.gallery.starts[start] if start.isdecimal() and bound.gallery.starts else start
    return DrawnProblem(bound, bound.parse_goal(goal), bound.parse(text))


def decide(problem: DrawnProblem, gigabytes: float, folder: Path | None) -> Generator[str, None, Certificate]:
    """Yield what has been done, in words, and return a certificate. `folder`: where levels are stored.

    Raises:
        Undecided: neither a solution nor a proof was found.
    """
    puzzle, goal, position = problem
    yield "functions and tables"
    found = certificate(puzzle, position, goal, "")
    if found is not None:
        return found
    for name, asked in (("beam", problem), ("beam from the end", _reversed(problem))):
        if asked is None:
            break
        question = Question(asked.puzzle, asked.goal, asked.position)
        for number, beam in enumerate(BEAMS, 1):
            search = first_solution(question, (beam,))
            steps = yield from _said(f"{name} {number} of {len(BEAMS)}", search)
            if steps and asked is problem:
                return _of_solution(problem, steps)
            if steps:
                jumps = [(step.origin, step.target) for step in reversed(steps)]
                return _of_solution(problem, puzzle.replay(position, jumps))
    return (yield from _by_levels(problem, int(gigabytes * 1e9) // LEVEL_BYTES, folder))


def _reversed(problem: DrawnProblem) -> DrawnProblem | None:
    """Return the problem with vacancy and goal exchanged, or None if there is no one vacancy or goal.

    With pegs and holes exchanged, a jump taken back is the same jump. So a solution of one of the problems,
    read backwards, is a solution of the other.
    """
    puzzle, goal, position = problem
    gaps = position.state ^ peg_board(puzzle).every
    if gaps.bit_count() != 1 or goal < 0 or gaps == 1 << goal:
        return None
    return DrawnProblem(puzzle, gaps.bit_length() - 1, Position(peg_board(puzzle).every ^ 1 << goal))


def _said(text: str, work: Generator[object, None, Result]) -> Generator[str, None, Result]:
    """Run `work`, and yield `text` between its slices."""
    return map_progress(work, lambda _: text)


def _of_solution(problem: DrawnProblem, steps: list[Step]) -> Certificate:
    line = ".".join("-".join(map(str, move)) for move in group_moves(steps))
    return line_certificate(problem.puzzle, problem.position, problem.goal, line)


def _by_levels(problem: DrawnProblem, most: int, folder: Path | None) -> Generator[str, None, Certificate]:
    puzzle, goal, position = problem
    board = peg_board(puzzle)
    gaps = position.state ^ board.every
    if gaps.bit_count() != 1 or goal < 0 or board.holes % 2 == 0:
        raise Undecided("Levels need a board of an odd number of holes, one vacancy and one goal.")
    try:
        answer = yield from decide_by_levels(board, gaps.bit_length() - 1, goal, most, folder)
    except (ValueError, MemoryError) as error:
        raise Undecided(f"Levels do not decide it: {error}.") from error
    if answer.jumps is None:
        return levels_certificate(puzzle, position, goal, answer.functions, answer.ahead, answer.sizes)
    jumps = [(origin, target) for origin, _, target in answer.jumps]
    return _of_solution(problem, puzzle.replay(position, jumps))
