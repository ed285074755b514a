"""How much luck a player who jumps at random needs: the measure of difficulty, the same for every board.

Somebody who picks every jump at random among the legal ones, until none is left, solves a position with some
chance. It is exact: a board's chance is the mean of those of the boards one jump later, 1 at the goal. The
measure is that chance counted in bits, log2(1 / chance): each more halves the chance. A game with more than
`MOST_PEGS` pegs is measured from where the published solution has no more left, for what comes before is too
much to list on the largest boards; smaller boards are measured whole.
"""

import itertools
import math
from typing import Any

import numpy as np

from ..compiled import kernel
from ..exact.closure import SLICE, close
from ..exact.workshop import finish
from ..puzzle import Puzzle
from ..records import Position
from ..search.hashing import slot_of
from ..search.jumps import Shifts, jumps_down, lowest_bit, shift_groups

MOST_PEGS = 24
MOST_BOARDS = 20_000_000
"""More than can follow from so many pegs on any of the boards."""


@kernel
def count_chances(order: Any, goal: int, boards: Any, chances: Any, shifts: Any) -> None:
    """Fill the chances of boards whose followers all have theirs; the last of `order` first.

    `goal`: the hole of the last peg, or -1 for anywhere. `chances`: float64, by slot of `boards`.
    """
    one = np.uint64(1)
    for index in range(len(order) - 1, -1, -1):
        board, jumps, together = order[index], 0, 0.0
        for slot in range(len(shifts.first) - 1):
            lows = jumps_down(board, slot, shifts)
            while lows != np.uint64(0):
                line = np.uint64(64 * slot) + lowest_bit(lows)
                lows &= lows - one
                together += chances[slot_of(board ^ shifts.lines[line], boards)]
                jumps += 1
        if jumps == 0:
            alone = board & (board - one) == np.uint64(0)
            together, jumps = 1.0 if alone and (goal < 0 or board == one << np.uint64(goal)) else 0.0, 1
        chances[slot_of(board, boards)] = together / jumps


def chance(state: int, goal: int, shifts: Shifts) -> float:
    """The chance that random jumps from a board with no more than `MOST_PEGS` pegs end at the goal."""
    closure = finish(close(np.array([state], np.uint64), goal, shifts, MOST_BOARDS))
    if closure is None:
        raise MemoryError(f"more than {MOST_BOARDS} boards can follow from {state:#x}")
    chances = np.zeros(len(closure.boards))
    for last in range(len(closure.order), 0, -SLICE):
        count_chances(closure.order[max(0, last - SLICE) : last], goal, closure.boards, chances, shifts)
    return float(chances[slot_of(np.uint64(state), closure.boards)])


def luck(puzzle: Puzzle, start: Position, goal: int, line: list[list[int]]) -> float:
    """The bits of luck that a problem needs, to two digits; `line` solves it."""
    state = measured_from(puzzle, start, line)
    return round(-math.log2(chance(state, goal, shift_groups(puzzle.board.jumps))), 2)


def measured_from(puzzle: Puzzle, start: Position, line: list[list[int]]) -> int:
    """The first board on a line with no more than `MOST_PEGS` pegs."""
    over = {(origin, target): middle for origin, middle, target in puzzle.board.jumps}
    legs, state = [leg for move in line for leg in itertools.pairwise(move)], start.state
    for origin, target in legs:
        if state.bit_count() <= MOST_PEGS:
            break
        state ^= 1 << origin | 1 << over[origin, target] | 1 << target
    return state
