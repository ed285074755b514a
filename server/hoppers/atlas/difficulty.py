"""Difficulty of a problem, in bits: -log2 of the chance that random play solves it (after G. Bell).

Random play picks each jump uniformly among the legal ones until none is left. The chance is computed exactly:
the chance of a board is the mean of the chances of its successors, and 1 at the goal. One bit more halves the
chance. A problem with more than `MAX_PEGS` pegs is measured from the first position of the known solution
with at most `MAX_PEGS` pegs, because on the largest boards too many positions follow from earlier ones.

On peg boards all solutions of a problem have an equal number of jumps. Elsewhere random play is cut off after
the fewest steps, so it solves the problem only along a shortest solution: see `analysis.difficulty`.
"""

from typing import Any

import numpy as np

from hoppers.analysis.difficulty import in_bits
from hoppers.core.kernels import kernel
from hoppers.core.model import steps_of
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.jump_masks import Shifts, forward_jumps, lowest_bit, shift_groups
from hoppers.puzzles.pegs.tables.closure import build_closure, solvable_number
from hoppers.puzzles.pegs.tables.hash_buckets import board_at
from hoppers.tablebase.builder import finish

MAX_PEGS = 24
MAX_BOARDS = 20_000_000  # more than can follow from a position with `MAX_PEGS` pegs on any board


@kernel
def count_chances(level: Any, chances: Any, below: Any, chances_below: Any, shifts: Any) -> None:
    """Write into `chances` the chance that random play solves each solvable board of `level`.

    `level`: level of a closure (see `PackedLevel`), of boards with at least two pegs. `below`: its level with
    one peg fewer. `chances_below`: the chances of `below`. Both arrays (float64) have one entry per solvable
    board, in the order of the level; unsolvable boards have none.
    """
    bucket = number = 0
    for index in range(len(level.rests)):
        if level.solvable[index >> 6] >> np.uint64(index & 63) & np.uint64(1) == np.uint64(0):
            continue
        while index >= level.starts[bucket + 1]:
            bucket += 1
        board, jumps, total = board_at(bucket, index, level), 0, 0.0
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                line = np.uint64(64 * slot) + lowest_bit(lows)
                lows &= lows - np.uint64(1)
                after = solvable_number(board ^ shifts.lines[line], below)
                total += chances_below[after] if after >= 0 else 0.0
                jumps += 1
        chances[number] = total / jumps
        number += 1


def chance(state: int, goal: int, shifts: Shifts) -> float:
    """Return the chance that random play from a board with at most `MAX_PEGS` pegs reaches the goal.

    `goal`: hole or ANYWHERE. `shifts`: lines of the board.

    Raises:
        MemoryError: more than `MAX_BOARDS` boards can follow.
    """
    closure = finish(build_closure(np.array([state], np.uint64), goal, shifts, MAX_BOARDS))
    if closure is None:
        raise MemoryError(f"more than {MAX_BOARDS} boards can follow from {state:#x}")
    chances = np.ones(len(closure.levels[1].values))
    for pegs in range(2, state.bit_count() + 1):
        level, chances_below = closure.levels[pegs], chances
        chances = np.zeros(len(level.values))
        count_chances(level, chances, closure.levels[pegs - 1], chances_below, shifts)
    return float(chances[0]) if len(chances) else 0.0


def difficulty_bits(problem: Question, line: list[list[int]]) -> float:
    """Return the difficulty of a peg problem in bits (two decimals). `line` is one solution."""
    state = measured_from(problem, line)
    return in_bits(chance(state, problem.goal, shift_groups(problem.puzzle.board.jumps)))


def measured_from(problem: Question, line: list[list[int]]) -> int:
    """Return the state of the first board on `line` that has at most `MAX_PEGS` pegs."""
    steps = problem.puzzle.replay(problem.position, steps_of(line))
    states = [problem.position.state, *(step.after.state for step in steps)]
    return next(state for state in states if state.bit_count() <= MAX_PEGS)
