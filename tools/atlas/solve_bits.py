"""Solve bits of a peg problem: -log2 of the chance that random play solves it (after G. Bell).

Random play picks each jump uniformly among the legal ones until none is left. The chance is computed exactly,
level by level (a level: all boards with equally many pegs that can follow from the start): the chance of a
board is the mean of the chances of the boards after each of its jumps, and 1 at the goal. Random play with
tiles or discs need not end: their measure is another (see `analysis.fewest_bits`).
"""

from typing import Any

import numpy as np

from hoppers.analysis.fewest_bits import in_bits
from hoppers.core.kernels import kernel
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.rules import JumpTables, is_solved

MAX_PEGS = 24  # of a start that is measured: on the largest boards too many boards follow from fuller ones
BOARDS_AT_ONCE = 1 << 16  # boards whose successors are listed before repeated ones are left out


@kernel
def list_after(boards: Any, tables: Any, after: Any) -> int:
    """Write the boards after each jump from each of `boards` into `after` (uint64); return their number."""
    count = 0
    for board in boards:
        for jump in range(len(tables.masks)):
            if board & tables.masks[jump] == tables.pegs[jump]:
                after[count] = board ^ tables.flips[jump]
                count += 1
    return count


@kernel
def find_chances(boards: Any, below: Any, chances_below: Any, goal: int, tables: Any, chances: Any) -> None:
    """Write into `chances` (float64) the chance that random play from each of `boards` ends at the goal.

    `below`: all boards after one jump, ascending. `chances_below`: their chances.
    """
    for number in range(len(boards)):
        board, jumps, total = boards[number], 0, 0.0
        for jump in range(len(tables.masks)):
            if board & tables.masks[jump] == tables.pegs[jump]:
                total += chances_below[np.searchsorted(below, board ^ tables.flips[jump])]
                jumps += 1
        if jumps:
            chances[number] = total / jumps
        elif is_solved(board, -1, goal, tables):
            chances[number] = 1.0


def chance(state: int, goal: int, tables: JumpTables) -> float:
    """Return the chance that random play from a board ends at the goal (hole or ANYWHERE).

    `tables`: the jumps of the board, with a red peg or without.
    """
    levels = [np.array([state], np.uint64)]
    while len(levels[-1]):
        levels.append(_level_after(levels[-1], tables))
    below, chances_below = levels.pop(), np.zeros(0)
    for boards in reversed(levels):
        chances = np.zeros(len(boards))
        find_chances(boards, below, chances_below, goal, tables, chances)
        below, chances_below = boards, chances
    return float(chances_below[0])


def _level_after(boards: Any, tables: JumpTables) -> Any:
    """Return the boards after one jump from any of `boards`, each once, ascending."""
    after, found = np.empty(BOARDS_AT_ONCE * len(tables.masks), np.uint64), [np.zeros(0, np.uint64)]
    for first in range(0, len(boards), BOARDS_AT_ONCE):
        count = list_after(boards[first : first + BOARDS_AT_ONCE], tables, after)
        found.append(np.unique(after[:count]))
    return np.unique(np.concatenate(found))


def is_measured(problem: Question) -> bool:
    """Return whether a peg problem has few enough pegs to compute its solve bits."""
    every = int(problem.puzzle.rules.tables.every)
    return (problem.position.state & every).bit_count() <= MAX_PEGS


def solve_bits(problem: Question) -> float:
    """Return the solve bits of a solvable peg problem with at most `MAX_PEGS` pegs (two decimals)."""
    return in_bits(chance(problem.position.state, problem.goal, problem.puzzle.rules.tables))
